/* Probes on functions: uprobe:FILE:FUNCTION[+OFFSET], uretprobe:..., uprobe:FILE:0xADDRESS. */
#include "record/event_int.h"
#include "elf/elf.h"
#include "name/name.h"
#include "symbol/symbol.h"

enum { MAX_MATCHES = 8 };

struct probe {
	const struct event_word *word;
	struct str file, function;
	uint64_t offset;
	bool at_return;
};

/* A function with the name, by address. */
struct match {
	uint64_t start;
	struct str name; /* mangled; valid as long as the file */
	bool is_chooser;
};

struct search {
	struct str wanted;
	struct str word_in_name; /* every mangled form of it contains these letters */
	bool demangles;
	struct match matches[MAX_MATCHES];
	uint32_t n; /* may exceed the capacity */
	struct nearest *near;
};

/* --- finding a function --- */

/* `memcpy@@GLIBC_2.14` is memcpy. */
static struct str without_version(struct str name)
{
	ptrdiff_t at = str_find_char(name, '@');
	return at > 0 ? str_first(name, (size_t)at) : name;
}

/* The last identifier before the parentheses: f in `ns::f<int>(char)`. */
static struct str identifier_of(struct str name)
{
	size_t end = 0;
	while (end < name.n && name.p[end] != '(' && name.p[end] != '<')
		end++;
	size_t start = end;
	while (start && (is_digit(name.p[start - 1]) || name.p[start - 1] == '_' ||
			 ((name.p[start - 1] | 32) >= 'a' && (name.p[start - 1] | 32) <= 'z')))
		start--;
	return (struct str){ name.p + start, end - start };
}

/* Compares the demangled name, with or without parameters. */
static bool is_demangled(struct str mangled, struct str wanted)
{
	AUTO(buf) struct buf whole = { 0 }, brief = { 0 }, tidy = { 0 };
	if (name_demangle(mangled, &whole) && str_eq(buf_str(&whole), wanted))
		return true;
	if (name_demangle_short(mangled, &brief) && str_eq(buf_str(&brief), wanted))
		return true;
	name_tidy(mangled, &tidy); /* Rust, without its hash */
	return str_eq(buf_str(&tidy), wanted);
}

static void take_match(struct search *s, const struct binary_function *f)
{
	for (uint32_t i = 0; i < s->n && i < MAX_MATCHES; i++)
		if (s->matches[i].start == f->start)
			return;
	if (s->n < MAX_MATCHES)
		s->matches[s->n] = (struct match){ f->start, f->name, f->is_chooser };
	s->n++;
}

static bool look_at(void *context, const struct binary_function *f)
{
	struct search *s = context;
	struct str name = without_version(f->name);
	bool is_wanted = str_eq(name, s->wanted);
	if (!is_wanted && s->demangles && str_find(name, s->word_in_name) >= 0)
		is_wanted = is_demangled(name, s->wanted);
	if (is_wanted)
		take_match(s, f);
	else if (s->near)
		nearest_offer(s->near, name);
	return true;
}

/* --- no match, or several --- */

static bool is_not_there(const struct probe *p, struct binary *b, struct search *s, struct err *e)
{
	AUTO(buf) struct buf names = { 0 }, reason = { 0 }, fix = { 0 };
	struct nearest near = { .text = s->word_in_name.n ? s->word_in_name : p->function };
	s->demangles = false;
	s->near = &near;
	binary_visit_functions(b, look_at, s);
	for (uint32_t i = 0; i < near.n; i++) {
		buf_add(&names, i ? STR(", ") : STR("; did you mean "));
		name_tidy((struct str){ near.best[i].name, near.best[i].n }, &names);
		buf_add(&names, i + 1 == near.n ? STR("?") : STR(""));
	}
	if (binary_trouble_of(b) == BINARY_STRIPPED)
		binary_explain(b, &reason, &fix);
	return err_usage(e, "%.*s has no function %.*s%s%s%s%s%s", STR_ARG(p->file),
			 STR_ARG(p->function),
			 names.n ? buf_c_string(&names) : " (it may have been inlined everywhere)",
			 reason.n ? "; " : "", reason.n ? buf_c_string(&reason) : "",
			 fix.n ? ": " : "", fix.n ? buf_c_string(&fix) : "");
}

static bool is_several(const struct probe *p, const struct search *s, struct err *e)
{
	AUTO(buf) struct buf list = { 0 };
	for (uint32_t i = 0; i < s->n && i < MAX_MATCHES; i++) {
		buf_addf(&list, "%s0x%llx ", i ? ", " : "",
			 (unsigned long long)s->matches[i].start);
		if (is_plain_text(s->matches[i].name))
			name_tidy(str_first(s->matches[i].name, NEAREST_BYTES), &list);
	}
	return err_usage(e,
			 "%u functions in %.*s are named %.*s: %s%s. Give the parameters or the "
			 "address: %s:%.*s:0x%llx",
			 s->n, STR_ARG(p->file), STR_ARG(p->function), buf_c_string(&list),
			 s->n > MAX_MATCHES ? ", ..." : "", p->at_return ? "uretprobe" : "uprobe",
			 STR_ARG(p->file), (unsigned long long)s->matches[0].start);
}

/* Returns false and sets e if there is not exactly one. */
static bool find_function(const struct probe *p, struct binary *b, uint64_t *address, struct err *e)
{
	struct search s = { .wanted = p->function, .word_in_name = identifier_of(p->function) };
	binary_visit_functions(b, look_at, &s);
	if (!s.n) {
		s.demangles = true;
		binary_visit_functions(b, look_at, &s);
	}
	if (!s.n)
		return is_not_there(p, b, &s, e);
	if (s.n > 1)
		return is_several(p, &s, e);
	if (s.matches[0].is_chooser)
		return err_usage(
			e,
			"%.*s: %.*s runs only once, to select the code for this processor; record "
			"cpu-clock to see which function is used, and probe that",
			STR_ARG(p->word->text), STR_ARG(p->function));
	*address = s.matches[0].start;
	return true;
}

/* --- file offsets --- */

static bool find_offset(const struct probe *p, struct binary *b, uint64_t *offset, struct err *e)
{
	uint64_t address = 0;
	struct elf *elf = binary_code(b);
	if (!elf) {
		AUTO(buf) struct buf reason = { 0 }, fix = { 0 };
		binary_explain(b, &reason, &fix);
		return err_usage(e, "%.*s: %.*s", STR_ARG(p->word->text),
				 STR_ARG(buf_str(&reason)));
	}
	bool is_address = str_starts(p->function, STR("0x"));
	if (is_address && !event_number(p->function, &address))
		return err_usage(e, "%.*s: %.*s is not an address", STR_ARG(p->word->text),
				 STR_ARG(p->function));
	if (!is_address && !find_function(p, b, &address, e))
		return false;
	if (!elf_offset_of_address(elf, address + p->offset, offset))
		return err_usage(e, "%.*s: nothing is loaded at 0x%llx", STR_ARG(p->file),
				 (unsigned long long)(address + p->offset));
	return true;
}

/* --- parsing --- */

/* `FILE:FUNCTION+OFFSET`. C++ functions contain colons, so the first one ends the file. */
static bool take_parts(struct probe *p, struct err *e)
{
	struct str rest = p->word->name;
	p->at_return = str_starts(rest, STR("uretprobe:"));
	rest = str_from_byte(rest, (size_t)str_find_char(rest, ':') + 1);
	ptrdiff_t colon = str_find_char(rest, ':');
	if (colon <= 0 || (size_t)colon + 1 == rest.n)
		return err_usage(e, "%.*s: must be %s:FILE:FUNCTION", STR_ARG(p->word->text),
				 p->at_return ? "uretprobe" : "uprobe");
	p->file = str_first(rest, (size_t)colon);
	p->function = str_from_byte(rest, (size_t)colon + 1);
	ptrdiff_t plus = str_find_last_char(p->function, '+');
	struct str behind = plus > 0 ? str_from_byte(p->function, (size_t)plus + 1) : STR("");
	if (!behind.n || !is_digit(behind.p[0]))
		return true; /* operator+ */
	if (!event_number(behind, &p->offset))
		return err_usage(e, "%.*s: %.*s is not an offset", STR_ARG(p->word->text),
				 STR_ARG(behind));
	if (p->at_return)
		return err_usage(e, "%.*s: a return probe takes no offset", STR_ARG(p->word->text));
	p->function = str_first(p->function, (size_t)plus);
	return true;
}

static bool take_type(const struct probe *p, struct perf_event_attr *attr, struct err *e)
{
	AUTO(buf) struct buf path = { 0 }, format = { 0 };
	uint64_t bit = 0;
	buf_addf(&path, "%s/uprobe/type", p->word->places->pmus);
	int64_t type = text_file_number(buf_c_string(&path), -1);
	if (type < 0)
		return err_set(e, "%.*s: this kernel has no uprobes (CONFIG_UPROBE_EVENTS)",
			       STR_ARG(p->word->text));
	path.n = 0;
	buf_addf(&path, "%s/uprobe/format/retprobe", p->word->places->pmus);
	if (text_file_setting(buf_c_string(&path), &format) &&
	    str_starts(buf_str(&format), STR("config:")))
		str_to_u64(str_from_byte(buf_str(&format), sizeof("config:") - 1), &bit);
	attr->type = (uint32_t)type;
	attr->config = p->at_return ? 1ull << (bit & 63) : 0;
	return true;
}

static bool add_probe(const struct probe *p, struct record_events *events, struct err *e)
{
	static const struct symbol_options options = { .is_of_this_machine = true };
	struct event_kind kind = { .name = p->word->name,
				   .is_tracepoint = true,
				   .takes_each = true };
	uint64_t offset;
	if (!take_type(p, &kind.attr, e))
		return false;
	char *path = event_find_file(p->file, p->word->wish->pids, e);
	if (!path)
		return false;
	struct binary_id id = { .path = str_from(path) };
	struct binary *b = binary_new(&id, &options);
	bool ok = find_offset(p, b, &offset, e);
	binary_free(b);
	if (!ok) {
		free(path);
		return false;
	}
	kind.file = path;
	kind.attr.uprobe_path = (uint64_t)(uintptr_t)path;
	kind.attr.probe_offset = offset;
	return event_add(p->word, &kind, events, e);
}

enum event_answer event_read_uprobe(const struct event_word *w, struct record_events *events,
				    struct err *e)
{
	struct probe p = { .word = w };
	if (!str_starts(w->name, STR("uprobe:")) && !str_starts(w->name, STR("uretprobe:")))
		return EVENT_OTHER;
	return take_parts(&p, e) && add_probe(&p, events, e) ? EVENT_ADDED : EVENT_WRONG;
}
