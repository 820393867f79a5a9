#include "base/base.h"

void text_list_add(struct text_list *list, struct str text)
{
	char *copy = mem_alloc(text.n + 1, 1);
	if (text.n)
		memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	vec_push(list, copy);
}

void text_list_fini(struct text_list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		free(list->p[i]);
	vec_fini(list);
}

const char *text_list_find_twice(const struct text_list *list)
{
	for (uint32_t i = 1; i < list->n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(list->p[i], list->p[k]) == 0)
				return list->p[i];
	return NULL;
}

/* The command line while it is being read. */
struct parse {
	char **words;
	size_t n, at;
	const struct option_binding *bindings;
	size_t binding_count;
	struct err *e;
};

struct found {
	const struct option *option; /* NULL: none */
	void *field;
};

static struct found found_in(const struct option_binding *b, size_t i)
{
	const struct option *o = &b->set->options[i];
	return (struct found){ o, (char *)b->target + o->offset };
}

/* Two names of one thing: they write the same field in the same way. */
static bool same_option(struct found a, struct found b)
{
	return a.field == b.field && a.option->type == b.option->type &&
	       a.option->prefix == b.option->prefix;
}

static bool explain_unknown(const struct option_binding *bindings, size_t n, struct str name,
			    struct err *e)
{
	const char *best = NULL;
	uint32_t least = str_typing_limit(name);
	for (size_t b = 0; b < n; b++)
		for (size_t i = 0; i < bindings[b].set->n; i++) {
			const char *known = bindings[b].set->options[i].name;
			uint32_t distance = str_typing_distance(str_from(known), name);
			if (distance < least) {
				least = distance;
				best = known;
			}
		}
	if (best)
		return err_usage(e, "unknown option: --%.*s (did you mean --%s?)", STR_ARG(name),
				 best);
	return err_usage(e, "unknown option: --%.*s", STR_ARG(name));
}

static struct found find_exact(const struct option_binding *bindings, size_t n, struct str name)
{
	for (size_t b = 0; b < n; b++)
		for (size_t i = 0; i < bindings[b].set->n; i++)
			if (str_eq(str_from(bindings[b].set->options[i].name), name))
				return found_in(&bindings[b], i);
	return (struct found){ 0 };
}

/* By full name, else by a prefix that only one option (or one and its synonyms) has. */
static bool find_long(struct parse *p, struct str name, struct found *found)
{
	AUTO(buf) struct buf candidates = { 0 };
	unsigned matches = 0;
	*found = find_exact(p->bindings, p->binding_count, name);
	if (found->option)
		return true;
	for (size_t b = 0; name.n && b < p->binding_count; b++) {
		for (size_t i = 0; i < p->bindings[b].set->n; i++) {
			struct found f = found_in(&p->bindings[b], i);
			if (!str_starts(str_from(f.option->name), name) ||
			    (matches && same_option(*found, f)))
				continue;
			*found = f;
			buf_addf(&candidates, "%s--%s", matches++ ? ", " : "", f.option->name);
		}
	}
	if (matches == 1)
		return true;
	if (matches)
		return err_usage(p->e, "--%.*s is ambiguous: %s", STR_ARG(name),
				 buf_c_string(&candidates));
	return explain_unknown(p->bindings, p->binding_count, name, p->e);
}

static bool find_letter(struct parse *p, char letter, struct found *found)
{
	for (size_t b = 0; b < p->binding_count; b++)
		for (size_t i = 0; i < p->bindings[b].set->n; i++)
			if (p->bindings[b].set->options[i].letter == letter) {
				*found = found_in(&p->bindings[b], i);
				return true;
			}
	return err_usage(p->e, "unknown option: -%c", letter);
}

static bool set_choice(const struct option *o, unsigned *field, const char *value, struct err *e)
{
	AUTO(buf) struct buf list = { 0 };
	for (unsigned i = 0; o->choices[i]; i++) {
		if (strcmp(o->choices[i], value) == 0) {
			*field = i;
			return true;
		}
		buf_addf(&list, "%s%s", i ? ", " : "", o->choices[i]);
	}
	return err_usage(e, "--%s %s: must be one of %s", o->name, value, buf_c_string(&list));
}

static bool set_real(const struct option *o, double *field, const char *value, struct err *e)
{
	char *end;
	*field = strtod(value, &end);
	bool is_plain = is_digit(value[0]) || value[0] == '.';
	if (!is_plain || *end || !(*field >= 0 && *field <= 1e300))
		return err_usage(e, "--%s %s: must be a number", o->name, value);
	return true;
}

/* value: NULL for a flag, and for nothing else. */
static bool set_value(struct found f, const char *value, struct err *e)
{
	uint64_t number;
	if (f.option->type == OPTION_FLAG ? value != NULL : !value)
		return value ? err_usage(e, "--%s takes no value", f.option->name)
			     : err_usage(e, "--%s needs a value: %s", f.option->name,
					 f.option->value);
	switch (f.option->type) {
	case OPTION_FLAG:
		*(bool *)f.field = true;
		return true;
	case OPTION_TEXT:
	case OPTION_FILE:
		*(const char **)f.field = value;
		return true;
	case OPTION_LIST: {
		AUTO(buf) struct buf text = { 0 };
		buf_add(&text, str_from(f.option->prefix ? f.option->prefix : ""));
		buf_add(&text, str_from(value));
		text_list_add(f.field, buf_str(&text));
		return true;
	}
	case OPTION_NUMBER:
		if (!str_to_u64(str_from(value), &number) || number > UINT32_MAX)
			return err_usage(e, "--%s %s: must be a whole number", f.option->name,
					 value);
		*(uint32_t *)f.field = (uint32_t)number;
		return true;
	case OPTION_REAL:
		return set_real(f.option, f.field, value, e);
	case OPTION_CHOICE:
		return set_choice(f.option, f.field, value, e);
	}
	return false;
}

/* The word behind an option; NULL: there is none. */
static const char *next_word(struct parse *p)
{
	return p->at < p->n ? p->words[p->at++] : NULL;
}

static bool parse_long(struct parse *p, const char *word)
{
	struct str name = str_from(word);
	struct found f;
	const char *value = NULL;
	ptrdiff_t equals = str_find_char(name, '=');
	if (equals >= 0) {
		value = word + equals + 1;
		name = str_first(name, (size_t)equals);
	}
	if (!find_long(p, name, &f))
		return false;
	if (!value && f.option->type != OPTION_FLAG)
		value = next_word(p);
	return set_value(f, value, p->e);
}

static bool parse_letters(struct parse *p, const char *letters)
{
	for (; *letters; letters++) {
		struct found f = { 0 };
		if (!find_letter(p, *letters, &f))
			return false;
		if (f.option->type != OPTION_FLAG)
			return set_value(f, letters[1] ? letters + 1 : next_word(p), p->e);
		set_value(f, NULL, p->e);
	}
	return true;
}

bool options_parse(char **words, size_t n, const struct option_binding *bindings,
		   size_t binding_count, struct text_list *files, struct err *e)
{
	struct parse p = { words, n, 0, bindings, binding_count, e };
	bool only_files = false;
	while (p.at < p.n) {
		const char *word = p.words[p.at++];
		bool ok = true;
		if (only_files || word[0] != '-' || word[1] == '\0')
			text_list_add(files, str_from(word));
		else if (strcmp(word, "--") == 0)
			only_files = true;
		else if (word[1] == '-')
			ok = parse_long(&p, word + 2);
		else
			ok = parse_letters(&p, word + 1);
		if (!ok)
			return false;
	}
	return true;
}

bool options_set(const struct option_binding *bindings, size_t binding_count, struct str name,
		 const char *value, struct err *e)
{
	struct found f = find_exact(bindings, binding_count, name);
	return f.option ? set_value(f, value, e)
			: explain_unknown(bindings, binding_count, name, e);
}

bool option_parse_number(const char *name, const char *text, uint64_t least, uint64_t most,
			 uint64_t *value, struct err *e)
{
	if (str_to_u64(str_from(text), value) &&
	    (*value == 0 || (*value >= least && *value <= most)))
		return true;
	return err_usage(e, "--%s %s: must be 0 or a whole number from %llu to %llu", name, text,
			 (unsigned long long)least, (unsigned long long)most);
}

enum { HELP_COLUMN = 27 };

void options_help(const struct option_set *set, unsigned width, struct buf *out)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct option *o = &set->options[i];
		size_t line = out->n;
		if (!o->help)
			continue; /* a synonym */
		if (o->letter)
			buf_addf(out, "  -%c, --%s", o->letter, o->name);
		else
			buf_addf(out, "      --%s", o->name);
		if (o->value)
			buf_addf(out, " %s", o->value);
		size_t used = out->n - line;
		if (used + 2 > HELP_COLUMN)
			buf_addf(out, "\n%*s", HELP_COLUMN, "");
		else
			buf_addf(out, "%*s", (int)(HELP_COLUMN - used), "");
		buf_add_wrapped(out, str_from(o->help), HELP_COLUMN, width);
		buf_add_char(out, '\n');
	}
}
