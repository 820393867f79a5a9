#include "source/json_parts.h"

enum frame_kind source_kind_named(struct str name)
{
	enum frame_kind kind = 0;
	while (kind < FRAME_KIND_COUNT && !str_eq(name, str_from(frame_kind_name(kind))))
		kind++;
	return kind;
}

/* --- threads --- */

struct json_thread source_json_no_thread(void)
{
	return (struct json_thread){ { PID_UNKNOWN, PID_UNKNOWN, STR_NONE, STR_NONE }, false };
}

static str_id take_str(struct json *j, struct profile *q)
{
	struct str text;
	return json_string(j, &text) ? profile_add_str(q, text) : STR_NONE;
}

static int32_t take_id(struct json *j)
{
	int64_t value;
	bool ok = json_number(j, 0, &value) && value > INT32_MIN && value <= INT32_MAX;
	return ok ? (int32_t)value : PID_UNKNOWN;
}

bool source_json_thread_part(struct json *j, struct str key, struct profile *q,
			     struct json_thread *t)
{
	if (str_eq(key, STR("comm")))
		t->thread.comm = take_str(j, q);
	else if (str_eq(key, STR("container")))
		t->thread.container = take_str(j, q);
	else if (str_eq(key, STR("pid")))
		t->thread.pid = take_id(j);
	else if (str_eq(key, STR("tid")))
		t->thread.tid = take_id(j);
	else
		return false;
	t->is_there = true;
	return true;
}

thread_id source_json_add_thread(struct profile *q, const struct json_thread *t)
{
	struct thread thread = t->thread;
	if (!t->is_there)
		return THREAD_NONE;
	if (!(q->columns & (COLUMN_PID | COLUMN_TID)))
		thread.pid = PID_UNKNOWN;
	if (!(q->columns & COLUMN_TID))
		thread.tid = PID_UNKNOWN;
	return profile_add_thread(q, thread);
}

/* --- facts, modules, marks, ledger --- */

/* `{"key":"text",...}`, or with lists of texts. */
static void read_facts(struct json *j, struct profile *q)
{
	AUTO(buf) struct buf key_text = { 0 };
	struct str key, text;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		key_text.n = 0;
		buf_add(&key_text, key);
		if (json_peek(j) != JSON_ARRAY) {
			if (json_string(j, &text))
				profile_add_fact(q, buf_str(&key_text), text);
			continue;
		}
		json_array(j);
		while (json_element(j))
			if (json_string(j, &text))
				profile_add_fact(q, buf_str(&key_text), text);
	}
}

/* `{"path":"build id",...}` */
static void read_modules(struct json *j, struct profile *q)
{
	struct str key, text;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		str_id path = profile_add_str(q, key);
		if (json_string(j, &text))
			profile_add_module(q, (struct module){ path, profile_add_str(q, text) });
	}
}

static uint64_t take_u64(struct json *j)
{
	struct json_decimal d;
	return json_decimal(j, 0, &d) && !d.is_negative ? d.units : 0;
}

static void read_mark(struct json *j, struct profile *q)
{
	struct mark mark = { 0 };
	struct json_thread thread = source_json_no_thread();
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("kind")))
			mark.kind = take_str(j, q);
		else if (str_eq(key, STR("text")))
			mark.text = take_str(j, q);
		else if (str_eq(key, STR("time")))
			mark.time_ns = take_u64(j);
		else if (str_eq(key, STR("duration")))
			mark.duration_ns = take_u64(j);
		else if (!source_json_thread_part(j, key, q, &thread))
			json_skip(j);
	}
	mark.thread = source_json_add_thread(q, &thread);
	if (!json_fault(j))
		profile_add_mark(q, mark);
}

static void read_unnamed(struct json *j, struct profile *q)
{
	struct unnamed u = { 0 };
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("module")))
			u.module = take_str(j, q);
		else if (str_eq(key, STR("reason")))
			u.reason = take_str(j, q);
		else if (str_eq(key, STR("fix")))
			u.fix = take_str(j, q);
		else if (str_eq(key, STR("frames")))
			u.frames = take_u64(j);
		else
			json_skip(j);
	}
	if (!json_fault(j))
		profile_add_unnamed(q, u);
}

/* Lines that the reader does not count by itself while it reads. */
static void read_ledger_line(struct json *j, struct str name, struct profile *q)
{
	enum ledger_line line = ledger_line_by_name(name);
	bool is_counted = line == LEDGER_SAMPLES || line == LEDGER_NO_STACK ||
			  line == LEDGER_NO_TIME || line == LEDGER_FRAMES ||
			  line == LEDGER_UNKNOWN_FRAMES;
	if (is_counted || line == LEDGER_LINES)
		json_skip(j);
	else
		q->ledger.count[line] += take_u64(j);
}

static void read_ledger(struct json *j, struct profile *q)
{
	struct ledger *l = &q->ledger;
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("damage")))
			l->damage = take_str(j, q);
		else if (str_eq(key, STR("first_bad_text")))
			l->first_bad_text = take_str(j, q);
		else if (str_eq(key, STR("first_bad_input")))
			l->first_bad_input = take_str(j, q);
		else if (str_eq(key, STR("first_bad_offset")))
			l->first_bad_offset = take_u64(j);
		else
			read_ledger_line(j, key, q);
	}
}

bool source_json_part(struct json *j, struct str key, struct profile *q)
{
	if (str_eq(key, STR("facts"))) {
		read_facts(j, q);
	} else if (str_eq(key, STR("modules"))) {
		read_modules(j, q);
	} else if (str_eq(key, STR("ledger"))) {
		read_ledger(j, q);
	} else if (str_eq(key, STR("marks"))) {
		if (json_array(j))
			while (json_element(j))
				read_mark(j, q);
	} else if (str_eq(key, STR("unnamed"))) {
		if (json_array(j))
			while (json_element(j))
				read_unnamed(j, q);
	} else {
		return false;
	}
	return true;
}

label_set source_json_label_set(struct json *j, struct profile *q)
{
	label_set set = LABELS_NONE;
	if (!json_array(j))
		return set;
	while (json_element(j)) {
		struct label label = { 0 };
		struct str text;
		if (!json_array(j))
			continue;
		if (json_element(j) && json_string(j, &text))
			label.key = profile_add_str(q, text);
		if (json_element(j)) {
			label.is_number = json_peek(j) == JSON_NUMBER;
			if (label.is_number)
				json_number(j, 0, &label.number);
			else if (json_string(j, &text))
				label.text = profile_add_str(q, text);
			while (json_element(j))
				if (json_string(j, &text))
					label.unit = profile_add_str(q, text);
		}
		set = profile_add_label(q, set, label);
	}
	return set;
}
