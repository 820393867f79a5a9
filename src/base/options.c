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
	const struct option *option;
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

static bool explain_unknown(const struct parse *p, struct str name)
{
	const char *best = NULL;
	uint32_t least = str_typing_limit(name);
	for (size_t b = 0; b < p->binding_count; b++)
		for (size_t i = 0; i < p->bindings[b].set->n; i++) {
			const char *known = p->bindings[b].set->options[i].name;
			uint32_t distance = str_typing_distance(str_from(known), name);
			if (distance < least) {
				least = distance;
				best = known;
			}
		}
	if (best)
		return err_usage(p->e, "unknown option: --%.*s (did you mean --%s?)", STR_ARG(name),
				 best);
	return err_usage(p->e, "unknown option: --%.*s", STR_ARG(name));
}

/* By full name, else by a prefix that only one option (or one and its synonyms) has. */
static bool find_long(struct parse *p, struct str name, struct found *found)
{
	AUTO(buf) struct buf candidates = { 0 };
	unsigned matches = 0;
	for (size_t b = 0; b < p->binding_count; b++) {
		for (size_t i = 0; i < p->bindings[b].set->n; i++) {
			struct found f = found_in(&p->bindings[b], i);
			struct str full = str_from(f.option->name);
			if (str_eq(full, name)) {
				*found = f;
				return true;
			}
			if (!name.n || !str_starts(full, name))
				continue;
			if (matches && same_option(*found, f))
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
	return explain_unknown(p, name);
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

static bool set_value(struct found f, const char *value, struct err *e)
{
	uint64_t number;
	switch (f.option->type) {
	case OPTION_FLAG:
		break; /* has no value */
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

/* NULL and an error when there is none. */
static const char *next_word(struct parse *p, const struct option *o)
{
	if (p->at < p->n)
		return p->words[p->at++];
	err_usage(p->e, "--%s needs a value: %s", o->name, o->value);
	return NULL;
}

static bool parse_long(struct parse *p, const char *word)
{
	struct str name = str_from(word);
	struct found f = { 0 };
	const char *value = NULL;
	ptrdiff_t equals = str_find_char(name, '=');
	if (equals >= 0) {
		value = word + equals + 1;
		name = str_first(name, (size_t)equals);
	}
	if (!find_long(p, name, &f))
		return false;
	if (f.option->type == OPTION_FLAG) {
		*(bool *)f.field = true;
		return !value || err_usage(p->e, "--%s takes no value", f.option->name);
	}
	if (!value)
		value = next_word(p, f.option);
	return value && set_value(f, value, p->e);
}

static bool parse_letters(struct parse *p, const char *letters)
{
	for (; *letters; letters++) {
		struct found f = { 0 };
		const char *value = letters + 1;
		if (!find_letter(p, *letters, &f))
			return false;
		if (f.option->type == OPTION_FLAG) {
			*(bool *)f.field = true;
			continue;
		}
		if (!*value)
			value = next_word(p, f.option);
		return value && set_value(f, value, p->e);
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
