#include "sink/json_parts.h"

#include <inttypes.h>

void json_pieces_fini(struct json_pieces *o)
{
	writer_add(o->out, buf_str(&o->text));
	buf_fini(&o->text);
}

void json_add_key(struct buf *out, const char *key)
{
	char last = '{';
	if (out->n)
		last = out->p[out->n - 1];
	if (last != '{')
		buf_add_char(out, ',');
	json_add_bytes(out, str_from(key));
	buf_add_char(out, ':');
}

void json_add_member(struct buf *out, const char *key, struct str text)
{
	json_add_key(out, key);
	json_add_bytes(out, text);
}

void json_add_number_member(struct buf *out, const char *key, uint64_t value)
{
	json_add_key(out, key);
	buf_add_u64(out, value);
}

static void add_id(struct buf *out, const char *key, int32_t id)
{
	if (id == PID_UNKNOWN)
		return;
	json_add_key(out, key);
	buf_addf(out, "%" PRId32, id);
}

void json_add_thread(struct buf *out, const struct profile *p, thread_id thread)
{
	const struct thread *t = &p->threads.p[thread];
	if (thread == THREAD_NONE)
		return;
	json_add_member(out, "comm", profile_str(p, t->comm));
	add_id(out, "pid", t->pid);
	add_id(out, "tid", t->tid);
	if (t->container)
		json_add_member(out, "container", profile_str(p, t->container));
}

/* Facts of one key stand together, where the first of them is. */
static void add_facts_of_key(struct buf *out, const struct profile *p, uint32_t first)
{
	str_id key = p->facts.p[first].key;
	uint32_t n = 0;
	for (uint32_t i = 0; i < first; i++)
		if (p->facts.p[i].key == key)
			return;
	for (uint32_t i = first; i < p->facts.n; i++)
		n += p->facts.p[i].key == key;
	if (out->p[out->n - 1] != '{')
		buf_add_char(out, ',');
	json_add_bytes(out, profile_str(p, key));
	buf_add(out, n > 1 ? STR(":[") : STR(":"));
	for (uint32_t i = first; i < p->facts.n; i++) {
		if (p->facts.p[i].key != key)
			continue;
		if (i > first)
			buf_add_char(out, ',');
		json_add_bytes(out, profile_str(p, p->facts.p[i].text));
	}
	if (n > 1)
		buf_add_char(out, ']');
}

static void add_facts(struct buf *out, const struct profile *p)
{
	if (!p->facts.n)
		return;
	json_add_key(out, "facts");
	buf_add_char(out, '{');
	for (uint32_t i = 0; i < p->facts.n; i++)
		add_facts_of_key(out, p, i);
	buf_add_char(out, '}');
}

static void add_modules(struct buf *out, const struct profile *p)
{
	if (!p->modules.n)
		return;
	json_add_key(out, "modules");
	buf_add_char(out, '{');
	for (uint32_t i = 0; i < p->modules.n; i++) {
		if (i)
			buf_add_char(out, ',');
		json_add_bytes(out, profile_str(p, p->modules.p[i].path));
		buf_add_char(out, ':');
		json_add_bytes(out, profile_str(p, p->modules.p[i].build_id));
	}
	buf_add_char(out, '}');
}

static void add_marks(struct json_pieces *o, const struct profile *p)
{
	struct buf *out = &o->text;
	if (!p->marks.n)
		return;
	json_add_key(out, "marks");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < p->marks.n; i++) {
		const struct mark *m = &p->marks.p[i];
		buf_add(out, i ? STR(",{") : STR("{"));
		json_add_number_member(out, "time", m->time_ns);
		if (m->duration_ns)
			json_add_number_member(out, "duration", m->duration_ns);
		json_add_member(out, "kind", profile_str(p, m->kind));
		if (m->text)
			json_add_member(out, "text", profile_str(p, m->text));
		json_add_thread(out, p, m->thread);
		buf_add_char(out, '}');
		json_pieces_flush(o);
	}
	buf_add_char(out, ']');
}

static void add_unnamed(struct buf *out, const struct profile *p)
{
	if (!p->unnamed.n)
		return;
	json_add_key(out, "unnamed");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < p->unnamed.n; i++) {
		const struct unnamed *u = &p->unnamed.p[i];
		buf_add(out, i ? STR(",{") : STR("{"));
		json_add_member(out, "module", profile_str(p, u->module));
		json_add_member(out, "reason", profile_str(p, u->reason));
		if (u->fix)
			json_add_member(out, "fix", profile_str(p, u->fix));
		json_add_number_member(out, "frames", u->frames);
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

static void add_ledger(struct buf *out, const struct profile *p)
{
	const struct ledger *l = &p->ledger;
	json_add_key(out, "ledger");
	buf_add_char(out, '{');
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (l->count[line])
			json_add_number_member(out, ledger_line_name(line), l->count[line]);
	if (l->damage)
		json_add_member(out, "damage", profile_str(p, l->damage));
	if (l->first_bad_text) {
		json_add_member(out, "first_bad_text", profile_str(p, l->first_bad_text));
		json_add_member(out, "first_bad_input", profile_str(p, l->first_bad_input));
		json_add_number_member(out, "first_bad_offset", l->first_bad_offset);
	}
	buf_add_char(out, '}');
}

void json_add_parts(struct json_pieces *o, const struct profile *p)
{
	add_facts(&o->text, p);
	add_modules(&o->text, p);
	add_unnamed(&o->text, p);
	add_ledger(&o->text, p);
	add_marks(o, p);
}

static void add_label(struct buf *out, const struct profile *p, const struct label *l)
{
	buf_add_char(out, '[');
	json_add_bytes(out, profile_str(p, l->key));
	buf_add_char(out, ',');
	if (l->is_number)
		buf_addf(out, "%" PRId64, l->number);
	else
		json_add_bytes(out, profile_str(p, l->text));
	if (l->unit) {
		buf_add_char(out, ',');
		json_add_bytes(out, profile_str(p, l->unit));
	}
	buf_add_char(out, ']');
}

void json_add_labels(struct buf *out, const struct profile *p, label_set set)
{
	VEC(label_id) path = { 0 };
	for (; set != LABELS_NONE; set = p->label_sets.p[set].rest)
		vec_push(&path, p->label_sets.p[set].label);
	buf_add_char(out, '[');
	for (uint32_t i = path.n; i--;) {
		add_label(out, p, &p->labels.p[path.p[i]]);
		if (i)
			buf_add_char(out, ',');
	}
	buf_add_char(out, ']');
	vec_fini(&path);
}

void json_add_shown_name(struct buf *out, const struct profile *p, const struct frame *f)
{
	AUTO(buf) struct buf name = { 0 };
	struct str module = str_basename(profile_str(p, f->module));
	if (f->name) {
		json_add_bytes(out, profile_str(p, f->name));
		return;
	}
	bool is_bracketed = module.n > 1 && module.p[0] == '[';
	if (!is_bracketed)
		buf_add_char(&name, '[');
	buf_add(&name, module.n ? module : STR("unknown"));
	if (!is_bracketed)
		buf_add_char(&name, ']');
	json_add_bytes(out, buf_str(&name));
}

static void add_value(struct buf *out, const struct json_column *c, uint64_t value)
{
	if (c->has_null && value == c->usual) {
		buf_add(out, STR("null"));
	} else if (c->is_signed && (int64_t)value < 0) {
		buf_add_char(out, '-');
		buf_add_u64(out, -value);
	} else {
		buf_add_u64(out, value);
	}
}

void json_add_column(struct json_pieces *o, const struct json_column *c, const void *context,
		     uint32_t n)
{
	struct buf *out = &o->text;
	uint64_t first = n ? c->value(context, 0) : c->usual;
	uint32_t same = 0;
	while (!c->is_first && same < n && c->value(context, same) == first)
		same++;
	bool is_same = !c->is_first && same == n;
	if (is_same && first == c->usual && !c->is_always)
		return;
	json_add_key(out, c->key);
	if (is_same) {
		add_value(out, c, first);
		return;
	}
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			buf_add_char(out, ',');
		add_value(out, c, c->value(context, i));
		json_pieces_flush(o);
	}
	buf_add_char(out, ']');
}
