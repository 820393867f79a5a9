/* The files that can be shown, and the profile that a request is about. */
#include "api/api_int.h"

static const char *const state_names[] = { "waiting", "reading", "ready", "live", "failed" };

struct api_entry *files_find(struct api *a, struct str id)
{
	for (uint32_t i = 0; i < a->files.n; i++)
		if (str_eq(a->files.p[i]->file.id, id))
			return a->files.p[i];
	return NULL;
}

static void entry_free(struct api_entry *f)
{
	profile_unref(f->file.profile);
	arena_fini(&f->text);
	free(f);
}

static void shown_clear(struct shown *s)
{
	profile_unref(s->profile);
	buf_fini(&s->key);
	buf_fini(&s->name);
	*s = (struct shown){ 0 };
}

static void cached_clear(struct cached *c)
{
	prepared_free(c->prepared);
	profile_unref(c->profile);
	buf_fini(&c->key);
	*c = (struct cached){ 0 };
}

/* Answers made of an older state of a file would only take memory. */
static void forget_answers(struct api *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->shown); i++)
		shown_clear(&a->shown[i]);
	for (size_t i = 0; i < ARRAY_SIZE(a->cached); i++)
		cached_clear(&a->cached[i]);
}

void api_free(struct api *a)
{
	if (!a)
		return;
	forget_answers(a);
	for (uint32_t i = 0; i < a->files.n; i++)
		entry_free(a->files.p[i]);
	vec_fini(&a->files);
	free(a);
}

static void copy_file(struct api_entry *to, const struct api_file *f)
{
	arena_fini(&to->text);
	to->text = (struct arena){ 0 };
	to->file = *f;
	to->file.id = arena_copy(&to->text, f->id);
	to->file.name = arena_copy(&to->text, f->name);
	to->file.folder = arena_copy(&to->text, f->folder);
	to->file.reason = arena_copy(&to->text, f->reason);
}

void api_set_file(struct api *a, const struct api_file *f)
{
	struct api_entry *entry = files_find(a, f->id);
	struct profile *old = entry ? entry->file.profile : NULL;
	if (f->profile)
		profile_ref(f->profile);
	if (!entry) {
		entry = mem_zalloc(1, sizeof(*entry));
		vec_push(&a->files, entry);
	}
	if (f->profile != old || f->state == API_LIVE) {
		forget_answers(a);
		entry->revision = ++a->revision;
	}
	struct arena kept = entry->text; /* f's strings may be the entry's own */
	entry->text = (struct arena){ 0 };
	copy_file(entry, f);
	arena_fini(&kept);
	profile_unref(old);
	a->revision++;
}

void api_remove_file(struct api *a, struct str id)
{
	struct api_entry *entry = files_find(a, id);
	if (!entry)
		return;
	uint32_t n = 0;
	for (uint32_t i = 0; i < a->files.n; i++)
		if (a->files.p[i] != entry)
			a->files.p[n++] = a->files.p[i];
	a->files.n = n;
	forget_answers(a);
	entry_free(entry);
	a->revision++;
}

/* --- the profile of a request --- */

static void add_key(struct buf *key, const struct api_entry *f)
{
	buf_addf(key, "%.*s.%llu ", STR_ARG(f->file.id), (unsigned long long)f->revision);
}

static void find_span(struct shown *s)
{
	const struct samples *rows = &s->profile->samples;
	s->has_times = rows->time_ns && rows->n && profile_has_times(s->profile);
	for (uint32_t i = 0; s->has_times && i < rows->n; i++) {
		uint64_t at = rows->time_ns[i];
		s->first_ns = !i || at < s->first_ns ? at : s->first_ns;
		s->last_ns = at > s->last_ns ? at : s->last_ns;
	}
}

static struct profile *merge(struct api_entry **files, uint32_t n)
{
	if (n == 1)
		return profile_ref(files[0]->file.profile);
	struct profile *p = profile_new(COLUMNS_ALL);
	for (uint32_t i = 0; i < n; i++)
		profile_merge(p, files[i]->file.profile);
	profile_seal(p);
	return p;
}

const char *shown_name(const struct shown *s)
{
	return s->name.n ? buf_c_string((struct buf *)&s->name) : NULL;
}

/* The one with this key, else the one to be replaced: never one that this request uses already. */
static struct shown *slot_for(struct api *a, struct str key)
{
	struct shown *oldest = &a->shown[0];
	for (size_t i = 0; i < ARRAY_SIZE(a->shown); i++) {
		struct shown *s = &a->shown[i];
		if (s->profile && str_eq(buf_str(&s->key), key))
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	return oldest;
}

static struct shown *shown_of(struct api *a, struct api_entry **files, uint32_t n)
{
	AUTO(buf) struct buf key = { 0 };
	for (uint32_t i = 0; i < n; i++)
		add_key(&key, files[i]);
	struct shown *s = slot_for(a, buf_str(&key));
	if (!s->profile || !str_eq(buf_str(&s->key), buf_str(&key))) {
		shown_clear(s);
		s->profile = merge(files, n);
		s->files = n;
		buf_add(&s->key, buf_str(&key));
		if (n == 1)
			buf_add(&s->name, files[0]->file.name);
		find_span(s);
	}
	s->used = a->requests;
	return s;
}

/* Returns false, with the reason as the answer, if the file cannot be shown yet. */
static bool is_usable(struct api_entry *f, struct api_answer *answer)
{
	if (f->file.profile)
		return true;
	AUTO(buf) struct buf text = { 0 };
	bool is_failed = f->file.state == API_FAILED;
	buf_addf(&text, "%.*s %.*s", STR_ARG(f->file.name),
		 STR_ARG(is_failed ? STR("cannot be shown: ") : STR("is still being read")));
	buf_add(&text, is_failed ? f->file.reason : STR(""));
	return answer_error(answer, is_failed ? 404 : 409, buf_c_string(&text));
}

static void add_file(struct api *a, struct api_entry *f, struct api_entry **list, uint32_t *n)
{
	for (uint32_t i = 0; i < *n; i++)
		if (list[i] == f)
			return;
	list[(*n)++] = f;
	if (f->file.state == API_WAITING && a->host.wanted)
		a->host.wanted(a->host.context, f->file.id);
}

struct shown *files_shown(struct api *a, const struct text_list *ids, struct api_answer *answer)
{
	AUTO_FREE struct api_entry **list =
		mem_alloc((size_t)a->files.n + 1, sizeof(struct api_entry *));
	uint32_t n = 0;
	bool ok = true, has_good = false; /* a failed file among good ones is only listed */
	for (uint32_t i = 0; i < a->files.n; i++)
		has_good |= a->files.p[i]->file.is_shown && a->files.p[i]->file.state != API_FAILED;
	for (uint32_t i = 0; ok && i < ids->n; i++) {
		struct api_entry *f = files_find(a, str_from(ids->p[i]));
		if (f)
			add_file(a, f, list, &n);
		else
			ok = answer_error(answer, 404, "no such file; it may have been removed");
	}
	for (uint32_t i = 0; !ids->n && i < a->files.n; i++)
		if (a->files.p[i]->file.is_shown &&
		    (!has_good || a->files.p[i]->file.state != API_FAILED))
			add_file(a, a->files.p[i], list, &n);
	if (ok && !n)
		ok = answer_error(answer, 404, "no profile to show");
	for (uint32_t i = 0; ok && i < n; i++)
		ok = is_usable(list[i], answer);
	return ok ? shown_of(a, list, n) : NULL;
}

/* --- api/files --- */

static void add_entry(struct json_out *j, const struct api_file *f)
{
	char start[24];
	snprintf(start, sizeof(start), "%llu", (unsigned long long)f->start_unix_ns);
	json_out_line(j);
	json_out_open(j, NULL, '{');
	json_out_string(j, "id", f->id);
	json_out_string(j, "name", f->name);
	json_out_string(j, "folder", f->folder);
	json_out_u64(j, "bytes", f->bytes);
	json_out_u64(j, "modified", f->modified_unix_s);
	json_out_string(j, "state", str_from(state_names[f->state]));
	json_out_string(j, "reason", f->reason);
	json_out_u64(j, "samples", f->samples);
	json_out_string(j, "start_unix_ns", str_from(start));
	json_out_u64(j, "duration_ns", f->duration_ns);
	json_out_bool(j, "shown", f->is_shown);
	json_out_close(j, '}');
}

void files_answer(struct api *a, struct api_answer *answer)
{
	struct json_out j = { .strings = JSON_SHOWN };
	bool is_live = false;
	for (uint32_t i = 0; i < a->files.n; i++)
		is_live |= a->files.p[i]->file.state == API_LIVE;
	json_out_open(&j, NULL, '{');
	json_out_u64(&j, "revision", a->revision);
	json_out_bool(&j, "live", is_live);
	json_out_open(&j, "files", '[');
	for (uint32_t i = 0; i < a->files.n; i++)
		add_entry(&j, &a->files.p[i]->file);
	json_out_close(&j, ']');
	json_out_close(&j, '}');
	buf_add(&answer->body, buf_str(&j.text));
	buf_fini(&j.text);
}
