#include "source_text/source_text_int.h"
#include "target/target.h"
#include "v8/v8.h"

#include <sys/utsname.h>

struct source_text_finder *source_text_finder_new(void)
{
	struct source_text_finder *f = mem_zalloc(1, sizeof(*f));
	struct utsname here;
	if (uname(&here) == 0)
		snprintf(f->host, sizeof(f->host), "%s", here.nodename);
	return f;
}

void source_text_finder_free(struct source_text_finder *f)
{
	free(f);
}

static bool text_from_heap(int32_t pid, struct str file, struct buf *text, struct err *e)
{
	struct living_process process;
	living_process_init(&process, pid);
	struct v8_inspection *v = v8_inspect(&process.process, e);
	bool ok = v && v8_script_text(v, file, SOURCE_TEXT_MOST_BYTES + 1, text, e);
	v8_inspection_free(v);
	if (ok && text->n > SOURCE_TEXT_MOST_BYTES)
		ok = err_set(e, "%.*s is larger than %d MB", STR_ARG(str_first(file, 300)),
			     SOURCE_TEXT_MOST_BYTES >> 20);
	if (!ok)
		text->n = 0;
	return ok;
}

/* Prefer the running text: the file may have changed. */
static bool find_in_heaps(const struct wanted_text *w, struct buf *text, struct err *e)
{
	for (unsigned i = 0; w->is_script && i < w->processes; i++)
		if (text_from_heap(w->pids[i], w->file, text, e))
			return true;
	return false;
}

static bool find_in_files(struct wanted_text *w, struct buf *text, const char **origin,
			  struct err *e)
{
	for (unsigned i = 0; i < w->processes; i++)
		if (text_from_process(w->pids[i], &w->path, text, origin, e))
			return true;
	if (w->processes && w->container.n)
		return false;
	struct reader *r = open_as_recorded(w, &w->path, e);
	bool ok = r && read_text_file(r, SOURCE_TEXT_MOST_BYTES, text, e);
	reader_free(r);
	*origin = "disk";
	return ok;
}

/* Names that are not paths. */
static bool explain_name(const struct wanted_text *w, const struct err *heap, struct err *e)
{
	struct str name = str_first(w->file, 300);
	if (heap->text[0])
		return err_set(e, "%s", heap->text);
	if (str_starts(w->file, STR("node:")))
		return err_set(e,
			       "%.*s is part of Node.js; its text can be read only while the "
			       "program runs",
			       STR_ARG(name));
	if (str_find(w->file, STR("://")) >= 0)
		return err_set(e, "%.*s is not a file, and plume does not download anything",
			       STR_ARG(name));
	return err_set(e,
		       "%.*s is not an absolute path, and the profile does not say which folder "
		       "it is in",
		       STR_ARG(name));
}

bool source_text_find(const struct source_text_finder *f, const struct profile *p, struct str file,
		      struct str module, struct buf *text, const char **origin, struct err *e)
{
	AUTO(wanted_text) struct wanted_text w = { 0 };
	struct err heap = { 0 };
	text->n = 0;
	*origin = NULL;
	if (!wanted_text_init(&w, f, p, file, module, e))
		return false;
	*origin = "v8";
	if (find_in_heaps(&w, text, &heap))
		return true;
	*origin = "source map";
	if (text_from_source_maps(&w, text))
		return true;
	*origin = NULL;
	return w.path.n ? find_in_files(&w, text, origin, e) : explain_name(&w, &heap, e);
}
