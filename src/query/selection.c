#include "query/query_int.h"

enum key {
	KEY_PID,
	KEY_TID,
	KEY_COMM,
	KEY_CPU,
	KEY_EVENT,
	KEY_CONTAINER,
	KEY_MODULE,
	KEY_KIND,
	KEY_COUNT
};

static const char *const key_names[KEY_COUNT] = { "pid",   "tid",	"comm",	  "cpu",
						  "event", "container", "module", "kind" };

/* One --where: a key and values, one of which must match. */
struct clause {
	enum key key;
	struct text_list values;
	bool is_all; /* event=all */
};

struct selection {
	const struct profile *p;
	const struct query *q;
	VEC(struct clause) clauses;
	bool shows_several_events;
	event_id event;
	struct time_ranges times;
	struct stack_texts *texts;
};

bool regex_list_compile(struct regex_list *list, const struct text_list *patterns,
			struct regex_budget *budget, struct err *e)
{
	for (uint32_t i = 0; i < patterns->n; i++) {
		struct regex *re = regex_new(str_from(patterns->p[i]), e);
		if (!re)
			return false;
		regex_set_budget(re, budget);
		vec_push(list, re);
	}
	return true;
}

void regex_list_fini(struct regex_list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		regex_free(list->p[i]);
	vec_fini(list);
}

bool regex_list_any(const struct regex_list *list, struct str subject, uint64_t *gave_up)
{
	for (uint32_t i = 0; i < list->n; i++) {
		enum regex_result r = regex_match(list->p[i], subject);
		*gave_up += r == REGEX_GAVE_UP;
		if (r == REGEX_YES)
			return true;
	}
	return false;
}

void query_fini(struct query *q)
{
	text_list_fini(&q->where);
	text_list_fini(&q->times);
	text_list_fini(&q->only);
	text_list_fini(&q->without);
	text_list_fini(&q->root);
	text_list_fini(&q->skip_after);
	text_list_fini(&q->hide);
	text_list_fini(&q->charge);
	text_list_fini(&q->fold);
}

static bool key_by_name(struct str name, enum key *key)
{
	for (enum key k = 0; k < KEY_COUNT; k++)
		if (str_eq(name, str_from(key_names[k]))) {
			*key = k;
			return true;
		}
	return false;
}

static struct str key_of(const char *clause)
{
	struct str text = str_from(clause);
	ptrdiff_t equals = str_find_char(text, '=');
	return str_first(text, equals < 0 ? 0 : (size_t)equals);
}

unsigned query_columns(const struct query *q)
{
	static const unsigned column_of[KEY_COUNT] = {
		[KEY_PID] = COLUMN_PID, [KEY_TID] = COLUMN_PID | COLUMN_TID, [KEY_CPU] = COLUMN_CPU
	};
	unsigned columns = q->times.n ? COLUMN_TIME : 0;
	if (q->in_order)
		columns |= COLUMN_TIME | COLUMN_ORDER;
	enum key key;
	if (q->show_pid)
		columns |= COLUMN_PID;
	if (q->show_tid)
		columns |= COLUMN_PID | COLUMN_TID;
	for (uint32_t i = 0; i < q->where.n; i++)
		if (key_by_name(key_of(q->where.p[i]), &key))
			columns |= column_of[key];
	return columns;
}

/* Splits at commas; `\,` is a comma in a value. */
static void split_values(struct str text, struct text_list *values)
{
	AUTO(buf) struct buf value = { 0 };
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\\' && i + 1 < text.n && text.p[i + 1] == ',') {
			buf_add_char(&value, text.p[++i]);
		} else if (text.p[i] == ',') {
			text_list_add(values, buf_str(&value));
			value.n = 0;
		} else {
			buf_add_char(&value, text.p[i]);
		}
	}
	text_list_add(values, buf_str(&value));
}

static bool check_kinds(const struct text_list *values, struct err *e)
{
	for (uint32_t i = 0; i < values->n; i++) {
		enum frame_kind kind = 0;
		while (kind < FRAME_KIND_COUNT && strcmp(values->p[i], frame_kind_name(kind)) != 0)
			kind++;
		if (kind == FRAME_KIND_COUNT)
			return err_usage(e,
					 "--where kind=%s: must be user, kernel, jit, interpreted, "
					 "builtin, gc, wasm or unknown",
					 values->p[i]);
	}
	return true;
}

static bool compile_clause(struct selection *s, const char *text, struct err *e)
{
	struct clause c = { 0 };
	struct str key = key_of(text);
	if (!key.n || !key_by_name(key, &c.key))
		return err_usage(e,
				 "--where %s: must be KEY=VALUE, where KEY is pid, tid, comm, cpu, "
				 "event, container, module or kind",
				 text);
	split_values(str_from(text + key.n + 1), &c.values);
	if (c.key == KEY_KIND && !check_kinds(&c.values, e)) {
		text_list_fini(&c.values);
		return false;
	}
	c.is_all = c.key == KEY_EVENT && c.values.n == 1 && strcmp(c.values.p[0], "all") == 0;
	vec_push(&s->clauses, c);
	return true;
}

/* Truncated input may declare events that it has no samples of. */
static event_id first_event_with_rows(const struct profile *p)
{
	event_id first = p->samples.n ? INDEX_NONE : 0;
	for (uint32_t row = 0; row < p->samples.n && first != 0; row++)
		if (p->samples.event[row] < first)
			first = p->samples.event[row];
	return first;
}

/* If no event is selected, the profile's first event is shown. */
static bool choose_event(struct selection *s)
{
	s->event = first_event_with_rows(s->p);
	s->shows_several_events = s->p->is_differential || s->q->all_events;
	if (s->q->all_events && s->p->events.n > 1)
		s->event = INDEX_NONE;
	for (uint32_t i = 0; i < s->clauses.n; i++) {
		const struct clause *c = &s->clauses.p[i];
		if (c->key != KEY_EVENT)
			continue;
		s->shows_several_events = true;
		s->event = INDEX_NONE;
		for (uint32_t v = 0; v < s->p->events.n && c->values.n == 1; v++)
			if (str_eq(profile_str(s->p, s->p->events.p[v].name),
				   str_from(c->values.p[0])))
				s->event = v;
	}
	if (s->p->events.n > 1 && s->p->is_differential)
		s->event = INDEX_NONE;
	return true;
}

struct selection *selection_new(const struct profile *p, const struct query *q,
				struct labels *labels, struct err *e)
{
	struct selection *s = mem_zalloc(1, sizeof(*s));
	bool ok = true;
	s->p = p;
	s->q = q;
	for (uint32_t i = 0; ok && i < q->where.n; i++)
		ok = compile_clause(s, q->where.p[i], e);
	ok = ok && choose_event(s) && query_time_ranges(p, &q->times, &s->times, e) &&
	     (s->texts = stack_texts_new(p, q, labels, e));
	if (ok)
		return s;
	selection_free(s);
	return NULL;
}

void selection_free(struct selection *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->clauses.n; i++)
		text_list_fini(&s->clauses.p[i].values);
	vec_fini(&s->clauses);
	time_ranges_fini(&s->times);
	stack_texts_free(s->texts);
	free(s);
}

event_id selection_event(const struct selection *s)
{
	return s->event;
}

static bool number_is(int32_t number, const char *value)
{
	int32_t wanted;
	return str_to_i32(str_from(value), &wanted) && wanted == number;
}

static const struct frame *leaf_of(const struct profile *p, uint32_t row)
{
	node_id node = p->samples.node[row];
	return node == NODE_ROOT ? NULL : &p->frames.p[p->nodes.p[node].frame];
}

static bool module_is(const struct profile *p, const struct frame *leaf, struct str value)
{
	struct str module = leaf ? profile_str(p, leaf->module) : STR("");
	return str_eq(module, value) || str_eq(str_basename(module), value);
}

/* A space may be written as '_', as folded stacks show it. */
static bool comm_is(struct str comm, struct str value)
{
	if (comm.n != value.n)
		return false;
	for (size_t i = 0; i < comm.n; i++)
		if (comm.p[i] != value.p[i] && !(comm.p[i] == ' ' && value.p[i] == '_'))
			return false;
	return true;
}

static bool value_holds(const struct selection *s, const struct clause *c, const char *value,
			uint32_t row)
{
	const struct profile *p = s->p;
	const struct thread *t = &p->threads.p[p->samples.thread[row]];
	const struct frame *leaf = leaf_of(p, row);
	struct str text = str_from(value);
	switch (c->key) {
	case KEY_PID:
		return number_is(t->pid, value);
	case KEY_TID:
		return number_is(t->tid, value);
	case KEY_COMM:
		return comm_is(profile_str(p, t->comm), text);
	case KEY_CPU:
		return p->samples.cpu && number_is(p->samples.cpu[row], value);
	case KEY_EVENT:
		return c->is_all ||
		       str_eq(profile_str(p, p->events.p[p->samples.event[row]].name), text);
	case KEY_CONTAINER:
		return str_eq(profile_str(p, t->container), text);
	case KEY_MODULE:
		return module_is(p, leaf, text);
	case KEY_KIND:
		return leaf && str_eq(str_from(frame_kind_name(leaf->kind)), text);
	case KEY_COUNT:
		break;
	}
	return false;
}

static bool clause_holds(const struct selection *s, const struct clause *c, uint32_t row)
{
	for (uint32_t i = 0; i < c->values.n; i++)
		if (value_holds(s, c, c->values.p[i], row))
			return true;
	return false;
}

bool row_is_idle(const struct profile *p, uint32_t row)
{
	static const struct str loops[] = {
		STR("native_safe_halt"),
		STR("pv_native_safe_halt"),
		STR("acpi_safe_halt"),
		STR("default_idle"),
		STR("default_idle_call"),
		STR("arch_cpu_idle"),
		STR("intel_idle"),
		STR("intel_idle_irq"),
		STR("intel_idle_ibrs"),
		STR("mwait_idle"),
		STR("mwait_idle_with_hints"),
		STR("poll_idle"),
		STR("cpuidle_enter_state"),
		STR("cpuidle_enter"),
		STR("acpi_idle_do_entry"),
		STR("acpi_idle_enter"),
		STR("cpu_idle"),
		STR("do_idle"),
		STR("cpu_idle_poll"),
		STR("cpu_do_idle"),
		STR("cpu_startup_entry"),
		STR("xen_hypercall_sched_op"),
		STR("acpi_processor_ffh_cstate_enter"),
		STR("(idle)"), /* V8: the event loop is waiting */
	};
	const struct frame *leaf = leaf_of(p, row);
	struct str name = leaf ? profile_str(p, leaf->name) : STR("");
	/* Folded stacks do not say what belongs to the kernel. */
	if (leaf && leaf->kind != FRAME_KERNEL && leaf->module != STR_NONE)
		return false;
	for (size_t i = 0; leaf && i < ARRAY_SIZE(loops); i++)
		if (str_eq(name, loops[i]))
			return true;
	return false;
}

uint64_t *query_ledger_count(struct query_ledger *l, enum row_fate fate)
{
	switch (fate) {
	case ROW_SHOWN:
		return &l->shown;
	case ROW_OTHER_EVENT:
		return &l->other_events;
	case ROW_BY_WHERE:
		return &l->by_where;
	case ROW_BY_TIME:
		return &l->by_time;
	case ROW_IDLE:
		return &l->idle;
	case ROW_BY_TEXT:
		return &l->by_text;
	default:
		return &l->not_under_root;
	}
}

enum row_fate selection_fate(struct selection *s, uint32_t row, uint64_t *gave_up)
{
	const struct samples *rows = &s->p->samples;
	if (!s->shows_several_events && rows->event[row] != s->event)
		return ROW_OTHER_EVENT;
	for (uint32_t i = 0; i < s->clauses.n; i++)
		if (!clause_holds(s, &s->clauses.p[i], row))
			return s->clauses.p[i].key == KEY_EVENT ? ROW_OTHER_EVENT : ROW_BY_WHERE;
	if (s->q->times.n && !time_ranges_have(&s->times, rows->time_ns[row]))
		return ROW_BY_TIME;
	if (s->q->no_idle && row_is_idle(s->p, row))
		return ROW_IDLE;
	return stack_texts_hold(s->texts, rows->thread[row], rows->node[row], gave_up)
		       ? ROW_SHOWN
		       : ROW_BY_TEXT;
}

bool selection_has(struct selection *s, uint32_t row, struct query_ledger *ledger)
{
	enum row_fate fate = selection_fate(s, row, &ledger->gave_up);
	if (fate != ROW_SHOWN)
		ledger_add(query_ledger_count(ledger, fate), s->p->samples.count[row]);
	return fate == ROW_SHOWN;
}
