#include "sink/json_parts.h"

static void add_id(struct json_out *j, const char *key, int32_t id)
{
	if (id != PID_UNKNOWN)
		json_out_i64(j, key, id);
}

/* STR_NONE is left out. */
static void add_text(struct json_out *j, const char *key, const struct profile *p, str_id text)
{
	if (text)
		json_out_string(j, key, profile_str(p, text));
}

void json_add_thread(struct json_out *j, const struct profile *p, thread_id thread)
{
	const struct thread *t = &p->threads.p[thread];
	if (thread == THREAD_NONE)
		return;
	json_out_string(j, "comm", profile_str(p, t->comm));
	add_id(j, "pid", t->pid);
	add_id(j, "tid", t->tid);
	add_text(j, "container", p, t->container);
}

/* Facts of one key stand together, where the first of them is. */
static void add_facts_of_key(struct json_out *j, const struct profile *p, uint32_t first)
{
	str_id key = p->facts.p[first].key;
	uint32_t n = 0;
	for (uint32_t i = 0; i < first; i++)
		if (p->facts.p[i].key == key)
			return;
	for (uint32_t i = first; i < p->facts.n; i++)
		n += p->facts.p[i].key == key;
	json_out_key(j, profile_str(p, key));
	if (n > 1)
		json_out_open(j, NULL, '[');
	for (uint32_t i = first; i < p->facts.n; i++)
		if (p->facts.p[i].key == key)
			json_out_string(j, NULL, profile_str(p, p->facts.p[i].text));
	if (n > 1)
		json_out_close(j, ']');
}

static void add_facts(struct json_out *j, const struct profile *p)
{
	if (!p->facts.n)
		return;
	json_out_open(j, "facts", '{');
	for (uint32_t i = 0; i < p->facts.n; i++)
		add_facts_of_key(j, p, i);
	json_out_close(j, '}');
}

static void add_modules(struct json_out *j, const struct profile *p)
{
	if (!p->modules.n)
		return;
	json_out_open(j, "modules", '{');
	for (uint32_t i = 0; i < p->modules.n; i++) {
		json_out_key(j, profile_str(p, p->modules.p[i].path));
		json_out_string(j, NULL, profile_str(p, p->modules.p[i].build_id));
	}
	json_out_close(j, '}');
}

static void add_marks(struct json_out *j, const struct profile *p)
{
	if (!p->marks.n)
		return;
	json_out_open(j, "marks", '[');
	for (uint32_t i = 0; i < p->marks.n; i++) {
		const struct mark *m = &p->marks.p[i];
		json_out_open(j, NULL, '{');
		json_out_u64(j, "time", m->time_ns);
		if (m->duration_ns)
			json_out_u64(j, "duration", m->duration_ns);
		json_out_string(j, "kind", profile_str(p, m->kind));
		add_text(j, "text", p, m->text);
		json_add_thread(j, p, m->thread);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_unnamed(struct json_out *j, const struct profile *p)
{
	if (!p->unnamed.n)
		return;
	json_out_open(j, "unnamed", '[');
	for (uint32_t i = 0; i < p->unnamed.n; i++) {
		const struct unnamed *u = &p->unnamed.p[i];
		json_out_open(j, NULL, '{');
		json_out_string(j, "module", profile_str(p, u->module));
		json_out_string(j, "reason", profile_str(p, u->reason));
		add_text(j, "fix", p, u->fix);
		json_out_u64(j, "frames", u->frames);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

void json_add_counts(struct json_out *j, const struct ledger *l)
{
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (l->count[line])
			json_out_u64(j, ledger_line_name(line), l->count[line]);
}

static void add_ledger(struct json_out *j, const struct profile *p)
{
	const struct ledger *l = &p->ledger;
	json_out_open(j, "ledger", '{');
	json_add_counts(j, l);
	add_text(j, "damage", p, l->damage);
	if (l->first_bad_text) {
		json_out_string(j, "first_bad_text", profile_str(p, l->first_bad_text));
		json_out_string(j, "first_bad_input", profile_str(p, l->first_bad_input));
		json_out_u64(j, "first_bad_offset", l->first_bad_offset);
	}
	json_out_close(j, '}');
}

void json_add_parts(struct json_out *j, const struct profile *p)
{
	add_facts(j, p);
	add_modules(j, p);
	add_unnamed(j, p);
	add_ledger(j, p);
	add_marks(j, p);
}

static void add_label(struct json_out *j, const struct profile *p, const struct label *l)
{
	json_out_open(j, NULL, '[');
	json_out_string(j, NULL, profile_str(p, l->key));
	if (l->is_number)
		json_out_i64(j, NULL, l->number);
	else
		json_out_string(j, NULL, profile_str(p, l->text));
	add_text(j, NULL, p, l->unit);
	json_out_close(j, ']');
}

void json_add_labels(struct json_out *j, const struct profile *p, label_set set)
{
	VEC(label_id) path = { 0 };
	for (; set != LABELS_NONE; set = p->label_sets.p[set].rest)
		vec_push(&path, p->label_sets.p[set].label);
	json_out_open(j, NULL, '[');
	for (uint32_t i = path.n; i--;)
		add_label(j, p, &p->labels.p[path.p[i]]);
	json_out_close(j, ']');
	vec_fini(&path);
}

static void add_value(struct json_out *j, const char *key, const struct json_column *c,
		      uint64_t value)
{
	if (c->has_null && value == c->usual)
		json_out_null(j, key);
	else if (c->is_signed && (int64_t)value < 0)
		json_out_i64(j, key, (int64_t)value);
	else
		json_out_u64(j, key, value);
}

void json_add_column(struct json_out *j, const struct json_column *c, const void *context,
		     uint32_t n)
{
	uint64_t first = n ? c->value(context, 0) : c->usual;
	uint32_t same = 0;
	while (!c->is_first && same < n && c->value(context, same) == first)
		same++;
	if (!c->is_first && same == n) {
		if (first != c->usual || c->is_always)
			add_value(j, c->key, c, first);
		return;
	}
	json_out_open(j, c->key, '[');
	for (uint32_t i = 0; i < n; i++)
		add_value(j, NULL, c, c->value(context, i));
	json_out_close(j, ']');
}
