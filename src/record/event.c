/* -e: words, their modifiers, and what all kinds of events share. */
#include "record/event_int.h"

const struct event_places event_kernel_places = {
	.pmus = "/sys/bus/event_source/devices",
	.tracefs = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" },
	.try_open = event_try,
};

void record_events_fini(struct record_events *e)
{
	for (uint32_t i = 0; i < e->list.n; i++) {
		free(e->list.p[i].name);
		free(e->list.p[i].file);
		free(e->list.p[i].cpus);
	}
	vec_fini(&e->list);
}

/* --- adding one --- */

static void set_sampling(struct perf_event_attr *attr, const struct event_kind *kind,
			 const struct record_event_wish *wish)
{
	if (attr->sample_period)
		return;
	if (wish->period || kind->takes_each) {
		attr->sample_period = wish->period ? wish->period : 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = wish->rate_hz;
	}
}

/*
 * Events that fire in the kernel would vanish without the kernel's part: for them, the modifiers
 * only choose the stacks (perf_tp_event_match and perf_exclude_event in kernel/events/core.c).
 */
static void set_exclusions(struct perf_event_attr *attr, const struct event_kind *kind,
			   bool only_user, bool only_kernel)
{
	attr->exclude_callchain_kernel = only_user;
	attr->exclude_callchain_user = only_kernel;
	if (!kind->fires_in_kernel) {
		attr->exclude_kernel = only_user;
		attr->exclude_user = only_kernel;
		attr->exclude_hv = only_user || only_kernel;
	}
	/* plume has no names for guests. */
	attr->exclude_guest = kind->is_hardware;
}

/* Returns false and sets e if this machine lacks the event, or cannot open it like that. */
static bool is_possible(const struct event_word *w, const struct event_kind *kind,
			const struct perf_event_attr *attr, struct err *e)
{
	if (w->precise && !kind->is_hardware)
		return err_usage(e, "%.*s: only hardware counters can be precise (:p)",
				 STR_ARG(w->text));
	return !kind->is_hardware || event_is_there(w, attr, e);
}

bool event_add(const struct event_word *w, const struct event_kind *kind,
	       struct record_events *events, struct err *e)
{
	struct record_event event = { .attr = kind->attr,
				      .file = kind->file,
				      .cpus = kind->cpus,
				      .samples_time = kind->samples_time,
				      .is_tracepoint = kind->is_tracepoint };
	AUTO(buf) struct buf name = { 0 };
	bool only_user = w->only_user || (w->wish->user_only && !w->only_kernel);
	bool only_kernel = w->only_kernel || (w->wish->kernel_only && !w->only_user);
	event.attr.size = sizeof(event.attr);
	event.attr.precise_ip = w->precise & 3;
	set_sampling(&event.attr, kind, w->wish);
	set_exclusions(&event.attr, kind, only_user, only_kernel);
	if (!is_possible(w, kind, &event.attr, e)) {
		free(kind->file);
		free(kind->cpus);
		return false;
	}
	buf_add(&name, kind->name);
	buf_add(&name, str_from_byte(w->text, w->name.n));
	event.name = mem_strdup(buf_c_string(&name));
	vec_push(&events->list, event);
	return true;
}

bool event_number(struct str s, uint64_t *value)
{
	if (str_starts(s, STR("0x")))
		return str_hex_to_u64(str_from_byte(s, 2), value);
	return str_to_u64(s, value);
}

/* --- modifiers --- */

static bool is_modifiers(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!memchr("ukp", s.p[i], 3))
			return false;
	return s.n;
}

static bool is_probe(struct str word)
{
	return str_starts(word, STR("uprobe:")) || str_starts(word, STR("uretprobe:"));
}

/* Index of the modifiers, at their colon if there is one: `cycles:u`, `cpu/event=0x3c/u`. */
static size_t modifiers_at(struct str word)
{
	ptrdiff_t colon = str_find_last_char(word, ':'), slash = str_find_last_char(word, '/');
	size_t at = word.n;
	if (colon > 0 && word.p[colon - 1] != ':')
		at = (size_t)colon;
	if (at < word.n && is_modifiers(str_from_byte(word, at + 1))) {
		/* In `uprobe:/bin/x:u`, u is a function. */
		struct str before = str_first(word, at);
		return is_probe(word) &&
				       str_find_char(before, ':') == str_find_last_char(before, ':')
			       ? word.n
			       : at;
	}
	bool is_pmu = slash > 0 && !is_probe(word);
	return is_pmu && is_modifiers(str_from_byte(word, (size_t)slash + 1)) ? (size_t)slash + 1
									      : word.n;
}

static void take_modifiers(struct event_word *w)
{
	size_t at = modifiers_at(w->text);
	bool user = false, kernel = false;
	for (size_t i = at; i < w->text.n; i++) {
		user |= w->text.p[i] == 'u';
		kernel |= w->text.p[i] == 'k';
		w->precise += w->text.p[i] == 'p' && w->precise < 3;
	}
	w->name = str_first(w->text, at);
	w->only_user = user && !kernel;
	w->only_kernel = kernel && !user;
}

/* --- words --- */

static bool is_unknown(const struct event_word *w, struct err *e)
{
	struct nearest near = { .text = w->name };
	AUTO(buf) struct buf names = { 0 };
	event_offer_counters(&near);
	event_offer_tracepoints(w->places, &near);
	nearest_add_to(&near, &names);
	if (names.n)
		return err_usage(e, "unknown event: %.*s (did you mean %s?)", STR_ARG(w->text),
				 buf_c_string(&names));
	return err_usage(
		e,
		"unknown event: %.*s; give a perf event such as cycles or page-faults (perf list "
		"shows them), SUBSYSTEM:TRACEPOINT, uprobe:FILE:FUNCTION, "
		"uretprobe:FILE:FUNCTION, PMU/TERM=VALUE,.../ or rHEX",
		STR_ARG(w->text));
}

static bool parse_word(struct event_word *w, struct record_events *events, struct err *e)
{
	static event_reader *const readers[] = { event_read_uprobe, event_read_counter,
						 event_read_raw, event_read_pmu,
						 event_read_tracepoint };
	take_modifiers(w);
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		enum event_answer answer = readers[i](w, events, e);
		if (answer != EVENT_OTHER)
			return answer == EVENT_ADDED;
	}
	return is_unknown(w, e);
}

/* Up to the next comma, except for those in parentheses, `f(int, int)`, and between slashes. */
static size_t word_bytes(struct str text)
{
	bool has_slashes = !is_probe(text), is_in_slashes = false;
	int depth = 0;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		depth += c == '(' || c == '<' || c == '[';
		depth -= depth && (c == ')' || c == '>' || c == ']');
		if (c == '/' && has_slashes)
			is_in_slashes = !is_in_slashes;
		if (c == ',' && !depth && !is_in_slashes)
			return i;
	}
	return text.n;
}

bool record_events_parse_at(const char *text, const struct record_event_wish *wish,
			    const struct event_places *places, struct record_events *events,
			    struct err *e)
{
	enum { MAX_TEXT_BYTES = 64 << 10 };
	struct str rest = str_from(text);
	if (rest.n > MAX_TEXT_BYTES)
		return err_usage(e, "-e takes at most %d bytes", MAX_TEXT_BYTES);
	for (;;) {
		size_t n = word_bytes(rest);
		struct event_word w = { .text = str_trim(str_first(rest, n)),
					.wish = wish,
					.places = places };
		if (!w.text.n)
			return err_usage(e, "-e '%s': empty event name", text);
		if (!parse_word(&w, events, e))
			return false;
		if (n == rest.n)
			return true;
		rest = str_from_byte(rest, n + 1);
	}
}

bool record_events_parse(const char *text, const struct record_event_wish *wish,
			 struct record_events *events, struct err *e)
{
	return record_events_parse_at(text, wish, &event_kernel_places, events, e);
}
