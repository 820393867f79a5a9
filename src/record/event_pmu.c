/*
 * PMU events, as the kernel describes them (Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}
 * of Linux): `cpu/event=0x3c,umask=0x0/`, `msr/tsc/`.
 */
#include "record/event_int.h"

#include <dirent.h>
#include <errno.h>

enum { MAX_TERMS = 64 };

struct pmu {
	const struct event_word *word;
	struct str name;
	struct event_kind *kind;
	struct buf *label; /* name=... */
	unsigned terms;	   /* so far */
};

/* The path of one of the PMU's files. Returns false if the name leads elsewhere. */
static bool pmu_path(const struct pmu *p, const char *folder, struct str file, struct buf *path)
{
	path->n = 0;
	buf_addf(path, "%s/%.*s%s", p->word->places->pmus, STR_ARG(p->name), folder);
	if (file.n)
		buf_addf(path, "/%.*s", STR_ARG(file));
	return str_find_char(file, '/') < 0 && (!file.n || file.p[0] != '.');
}

static bool pmu_text(const struct pmu *p, const char *folder, struct str file, struct buf *text)
{
	AUTO(buf) struct buf path = { 0 };
	return pmu_path(p, folder, file, &path) && text_file_setting(buf_c_string(&path), text);
}

static void offer_files(const struct pmu *p, const char *folder, struct nearest *near)
{
	AUTO(buf) struct buf path = { 0 };
	pmu_path(p, folder, STR(""), &path);
	DIR *dir = opendir(buf_c_string(&path));
	struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.')) /* tsc.unit */
			nearest_offer(near, str_from(entry->d_name));
	if (dir)
		closedir(dir);
}

/* --- values --- */

/* Takes the next `0-7` or `32` of *ranges. Returns false at the end, or if it is invalid. */
static bool next_range(struct str *ranges, uint64_t *first, uint64_t *last)
{
	ptrdiff_t comma = str_find_char(*ranges, ',');
	struct str range = comma < 0 ? *ranges : str_first(*ranges, (size_t)comma);
	*ranges = str_from_byte(*ranges, range.n + 1);
	ptrdiff_t dash = str_find_char(range, '-');
	if (!str_to_u64(dash < 0 ? range : str_first(range, (size_t)dash), first))
		return false;
	*last = *first;
	if (dash >= 0 && !str_to_u64(str_from_byte(range, (size_t)dash + 1), last))
		return false;
	return *first <= *last && *last < 64;
}

/* Spreads a value over the bits that a format names, lowest first. Returns false if it has more bits. */
static bool spread(struct str ranges, uint64_t value, uint64_t *config)
{
	uint64_t first, last;
	while (next_range(&ranges, &first, &last)) {
		uint64_t n = last - first + 1, mask = n == 64 ? UINT64_MAX : (1ull << n) - 1;
		*config = (*config & ~(mask << first)) | (value & mask) << first;
		value = n == 64 ? 0 : value >> n;
	}
	return value == 0;
}

static uint64_t config_of(const struct perf_event_attr *attr, unsigned which)
{
	return which == 0 ? attr->config : which == 1 ? attr->config1 : attr->config2;
}

static void set_config(struct perf_event_attr *attr, unsigned which, uint64_t value)
{
	if (which == 0)
		attr->config = value;
	else if (which == 1)
		attr->config1 = value;
	else
		attr->config2 = value;
}

/* `config`, `config1`, `config2`: 0, 1, 2; 3 for anything else. */
static unsigned config_number(struct str name)
{
	static const struct str names[] = { STR("config"), STR("config1"), STR("config2") };
	unsigned i = 0;
	while (i < ARRAY_SIZE(names) && !str_eq(name, names[i]))
		i++;
	return i;
}

/* --- terms --- */

static bool is_unknown_term(const struct pmu *p, struct str term, struct err *e)
{
	struct nearest near = { .text = term };
	AUTO(buf) struct buf names = { 0 };
	offer_files(p, "/events", &near);
	offer_files(p, "/format", &near);
	nearest_add_to(&near, &names);
	return err_usage(e,
			 "%.*s: %.*s has no %.*s%s%s; `ls %s/%.*s/events %s/%.*s/format` lists "
			 "what it has",
			 STR_ARG(p->word->text), STR_ARG(p->name), STR_ARG(term),
			 names.n ? ", but " : "", names.n ? buf_c_string(&names) : "",
			 p->word->places->pmus, STR_ARG(p->name), p->word->places->pmus,
			 STR_ARG(p->name));
}

/* Sets a term described by the PMU's format: `config:0-7,32-35`. */
static bool set_field(struct pmu *p, struct str term, struct str format, uint64_t value,
		      struct err *e)
{
	ptrdiff_t colon = str_find_char(format, ':');
	unsigned which = config_number(str_first(format, colon < 0 ? 0 : (size_t)colon));
	if (colon < 0 || which > 2)
		return err_set(e, "%.*s: plume does not support the format of %.*s (%.*s)",
			       STR_ARG(p->word->text), STR_ARG(term), STR_ARG(format));
	uint64_t config = config_of(&p->kind->attr, which);
	if (!spread(str_from_byte(format, (size_t)colon + 1), value, &config))
		return err_usage(e, "%.*s: the value of %.*s does not fit into its bits (%.*s)",
				 STR_ARG(p->word->text), STR_ARG(term), STR_ARG(format));
	set_config(&p->kind->attr, which, config);
	return true;
}

static bool set_number(struct pmu *p, struct str term, uint64_t value, struct err *e)
{
	AUTO(buf) struct buf format = { 0 };
	unsigned which = config_number(term);
	if (which <= 2) {
		set_config(&p->kind->attr, which, value);
		return true;
	}
	if (str_eq(term, STR("period"))) {
		p->kind->attr.sample_period = value;
		return true;
	}
	if (!pmu_text(p, "/format", term, &format))
		return is_unknown_term(p, term, e);
	return set_field(p, term, buf_str(&format), value, e);
}

static bool add_term(struct pmu *p, struct str term, bool is_alias, struct err *e);

static bool add_terms(struct pmu *p, struct str terms, bool is_alias, struct err *e)
{
	while (terms.n) {
		ptrdiff_t comma = str_find_char(terms, ',');
		struct str term = comma < 0 ? terms : str_first(terms, (size_t)comma);
		terms = str_from_byte(terms, term.n + 1);
		if (!add_term(p, str_trim(term), is_alias, e))
			return false;
	}
	return true;
}

/* `event=0x3c`, `any` (which is 1), or a named event of the PMU. */
static bool add_term(struct pmu *p, struct str term, bool is_alias, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	ptrdiff_t equals = str_find_char(term, '=');
	struct str name = equals < 0 ? term : str_first(term, (size_t)equals);
	struct str value = equals < 0 ? STR("1") : str_from_byte(term, (size_t)equals + 1);
	uint64_t number;
	if (++p->terms > MAX_TERMS)
		return err_usage(e, "%.*s: more than %d terms", STR_ARG(p->word->text), MAX_TERMS);
	if (equals < 0 && !is_alias && pmu_text(p, "/events", name, &text))
		return add_terms(p, buf_str(&text), true, e);
	if (str_eq(name, STR("name"))) {
		p->label->n = 0;
		buf_add(p->label, value);
		return true;
	}
	if (!event_number(value, &number))
		return err_usage(e, "%.*s: %.*s is not a number", STR_ARG(p->word->text),
				 STR_ARG(value));
	return set_number(p, name, number, e);
}

/* --- the PMU --- */

static bool find_type(struct pmu *p, struct err *e)
{
	AUTO(buf) struct buf path = { 0 }, names = { 0 };
	struct nearest near = { .text = p->name };
	pmu_path(p, "/type", STR(""), &path);
	int64_t type = text_file_number(buf_c_string(&path), -1);
	if (type >= 0 && p->name.p[0] != '.') {
		p->kind->attr.type = (uint32_t)type;
		return true;
	}
	struct pmu all = { .word = p->word };
	offer_files(&all, "", &near);
	nearest_add_to(&near, &names);
	if (str_eq(p->name, STR("cpu")) && !event_has_pmu(p->word->places)) {
		event_explain_no_pmu(&names);
		return err_set(e, "%.*s: %s; -e cpu-clock samples time without them",
			       STR_ARG(p->word->text), buf_c_string(&names));
	}
	return err_usage(e, "%.*s: unknown PMU %.*s%s%s; `ls %s` lists them",
			 STR_ARG(p->word->text), STR_ARG(p->name), names.n ? ", but " : "",
			 names.n ? buf_c_string(&names) : "", p->word->places->pmus);
}

enum event_answer event_read_pmu(const struct event_word *w, struct record_events *events,
				 struct err *e)
{
	AUTO(buf) struct buf label = { 0 };
	struct event_kind kind = { .name = w->name };
	ptrdiff_t slash = str_find_char(w->name, '/');
	if (slash <= 0)
		return EVENT_OTHER;
	struct str terms = str_from_byte(w->name, (size_t)slash + 1);
	struct pmu p = { w, str_first(w->name, (size_t)slash), &kind, &label, 0 };
	if (!str_ends(terms, STR("/"))) {
		err_usage(e, "%.*s: the / at the end is missing", STR_ARG(w->text));
		return EVENT_WRONG;
	}
	terms.n--;
	if (!find_type(&p, e) || !add_terms(&p, terms, false, e))
		return EVENT_WRONG;
	kind.is_hardware = event_is_processor(p.name);
	if (label.n)
		kind.name = buf_str(&label);
	return event_add(w, &kind, events, e) ? EVENT_ADDED : EVENT_WRONG;
}
