/* Tracepoints: SUBSYSTEM:NAME, either of them with * and ? (Documentation/trace/events.rst of Linux). */
#include "record/event_int.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each needs a descriptor per processor or thread. */
enum { MAX_TRACEPOINTS = 512 };

struct hunt {
	const struct event_word *word;
	const char *subsystem, *name; /* patterns */
	struct text_list found;	      /* `sched:sched_switch` */
};

/* --- tracefs --- */

/* The folder of events. Returns NULL and sets errno if there is none. */
static char *events_folder(const struct event_places *places)
{
	int why = ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(places->tracefs); i++) {
		AUTO(buf) struct buf path = { 0 };
		struct stat status;
		buf_addf(&path, "%s/events", places->tracefs[i]);
		if (stat(buf_c_string(&path), &status) == 0)
			return mem_strdup(buf_c_string(&path));
		if (errno != ENOENT)
			why = errno;
	}
	errno = why;
	return NULL;
}

static bool is_missing(const struct event_word *w, int why, struct err *e)
{
	const char *folder = w->places->tracefs[0];
	if (why == ENOENT)
		return err_set(e,
			       "%.*s: tracepoints need tracefs, which is not mounted: `sudo mount "
			       "-t tracefs nodev %s`",
			       STR_ARG(w->text), folder);
	return err_set(e,
		       "%.*s: no permission to read %s (%s): run with sudo, or allow it until the "
		       "next boot: `sudo "
		       "mount -o remount,mode=755 %s`",
		       STR_ARG(w->text), folder, strerror(why), folder);
}

typedef void folder_visit(void *context, const char *folder, const char *name);

/* Calls visit for each subfolder, sorted. */
static bool visit_folders(const char *path, folder_visit *visit, void *context)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_type != DT_REG && entries[i]->d_name[0] != '.')
			visit(context, path, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n >= 0;
}

/* --- names --- */

static void take_name(void *context, const char *folder, const char *name)
{
	struct hunt *h = context;
	AUTO(buf) struct buf text = { 0 };
	if (fnmatch(h->name, name, 0) != 0)
		return;
	/* Some are only for ftrace itself and have no id. */
	buf_addf(&text, "%s/%s/id", folder, name);
	if (access(buf_c_string(&text), F_OK) != 0)
		return;
	text.n = 0;
	buf_addf(&text, "%.*s:%s", STR_ARG(str_basename(str_from(folder))), name);
	text_list_add(&h->found, buf_str(&text));
}

static void take_subsystem(void *context, const char *folder, const char *name)
{
	struct hunt *h = context;
	AUTO(buf) struct buf path = { 0 };
	if (fnmatch(h->subsystem, name, 0) != 0)
		return;
	buf_addf(&path, "%s/%s", folder, name);
	visit_folders(buf_c_string(&path), take_name, h);
}

static bool find_all(struct hunt *h)
{
	AUTO_FREE char *folder = events_folder(h->word->places);
	return folder && visit_folders(folder, take_subsystem, h);
}

void event_offer_tracepoints(const struct event_places *places, struct nearest *near)
{
	struct event_word word = { .places = places };
	struct hunt h = { .word = &word, .subsystem = "*", .name = "*" };
	find_all(&h);
	for (uint32_t i = 0; i < h.found.n; i++)
		nearest_offer(near, str_from(h.found.p[i]));
	text_list_fini(&h.found);
}

static bool is_unknown(const struct event_word *w, struct err *e)
{
	struct nearest near = { .text = w->name };
	AUTO(buf) struct buf names = { 0 };
	AUTO_FREE char *folder = events_folder(w->places);
	event_offer_tracepoints(w->places, &near);
	nearest_add_to(&near, &names);
	if (names.n)
		return err_usage(e, "unknown tracepoint: %.*s (did you mean %s?)", STR_ARG(w->name),
				 buf_c_string(&names));
	return err_usage(e, "unknown tracepoint: %.*s; `ls %s` lists them", STR_ARG(w->name),
			 folder ? folder : w->places->tracefs[0]);
}

/* --- adding --- */

static bool add_one(const struct event_word *w, const char *name, struct record_events *events,
		    struct err *e)
{
	AUTO_FREE char *folder = events_folder(w->places);
	AUTO(buf) struct buf path = { 0 };
	struct str text = str_from(name);
	size_t colon = strcspn(name, ":");
	buf_addf(&path, "%s/%.*s/%s/id", folder ? folder : "", (int)colon, name, name + colon + 1);
	int64_t id = text_file_number(buf_c_string(&path), -1);
	if (id < 0)
		return err_set(e, "%s: cannot read its id from %s (%s): run with sudo", name,
			       buf_c_string(&path), strerror(errno));
	struct event_kind kind = { .attr = { .type = PERF_TYPE_TRACEPOINT, .config = (uint64_t)id },
				   .name = text,
				   .is_tracepoint = true,
				   .takes_each = true,
				   .fires_in_kernel = true };
	return event_add(w, &kind, events, e);
}

static bool add_found(const struct hunt *h, struct record_events *events, struct err *e)
{
	if (!h->found.n)
		return is_unknown(h->word, e);
	if (h->found.n > MAX_TRACEPOINTS)
		return err_usage(e, "%.*s matches %u tracepoints; the limit is %d",
				 STR_ARG(h->word->text), h->found.n, MAX_TRACEPOINTS);
	for (uint32_t i = 0; i < h->found.n; i++)
		if (!add_one(h->word, h->found.p[i], events, e))
			return false;
	return true;
}

enum event_answer event_read_tracepoint(const struct event_word *w, struct record_events *events,
					struct err *e)
{
	ptrdiff_t colon = str_find_char(w->name, ':');
	AUTO(buf) struct buf subsystem = { 0 }, name = { 0 };
	if (colon <= 0 || (size_t)colon + 1 == w->name.n)
		return EVENT_OTHER;
	buf_add(&subsystem, str_first(w->name, (size_t)colon));
	buf_add(&name, str_from_byte(w->name, (size_t)colon + 1));
	struct hunt h = { .word = w,
			  .subsystem = buf_c_string(&subsystem),
			  .name = buf_c_string(&name) };
	bool ok = find_all(&h);
	if (ok)
		ok = add_found(&h, events, e);
	else
		is_missing(w, errno, e);
	text_list_fini(&h.found);
	return ok ? EVENT_ADDED : EVENT_WRONG;
}
