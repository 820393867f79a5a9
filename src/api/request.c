/* The parameters of a URL: options by name, as on the command line, and a few of the API's own. */
#include "api/api_int.h"

static int hex_of(char c)
{
	return is_digit(c) ? c - '0' : (c | 32) - 'a' + 10;
}

/* Percent-encoding and `+`; a stray `%` is kept. A NUL would end the text early, so it is an error. */
static bool decode(struct arena *arena, struct str from, struct str *to, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	for (size_t i = 0; i < from.n; i++) {
		char c = from.p[i] == '+' ? ' ' : from.p[i];
		if (c == '%' && i + 2 < from.n && is_hex(from.p[i + 1]) && is_hex(from.p[i + 2])) {
			c = (char)(hex_of(from.p[i + 1]) << 4 | hex_of(from.p[i + 2]));
			i += 2;
		}
		if (!c)
			return err_usage(e, "a parameter contains a NUL character");
		buf_add_char(&text, c);
	}
	buf_add_char(&text, 0);
	*to = arena_copy(arena, buf_str(&text));
	to->n--;
	return true;
}

static bool add_parameter(struct api_request *r, struct str part, struct err *e)
{
	ptrdiff_t equals = str_find_char(part, '=');
	struct parameter p = { 0 };
	struct str value = STR("");
	if (!decode(&r->text, str_first(part, equals < 0 ? part.n : (size_t)equals), &p.name, e))
		return false;
	if (equals >= 0 && !decode(&r->text, str_from_byte(part, (size_t)equals + 1), &value, e))
		return false;
	p.value = equals >= 0 ? value.p : NULL;
	vec_push(&r->parameters, p);
	return true;
}

static bool split(struct api_request *r, struct str query, struct err *e)
{
	enum { MOST_PARAMETERS = 1000 };
	while (query.n) {
		ptrdiff_t at = str_find_char(query, '&');
		struct str part = str_first(query, at < 0 ? query.n : (size_t)at);
		query = str_from_byte(query, part.n + (at >= 0));
		if (r->parameters.n == MOST_PARAMETERS)
			return err_usage(e, "more than %d parameters", MOST_PARAMETERS);
		if (part.n && !add_parameter(r, part, e))
			return false;
	}
	return true;
}

/* Parameters of the API itself; all others are options. */
static bool is_own_word(struct str name)
{
	static const char *const words[] = {
		"view",	 "callers", "callees", "labels", "least",	"rows",	       "column",
		"parts", "from",    "until",   "align",	 "search",	"case",	       "plain",
		"by",	 "limit",   "sort",    "order",	 "scale",	"delta",       "function",
		"as",	 "format",  "name",    "lines",	 "each-sample", "all-threads", "width-by",
	};
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_eq(name, str_from(words[i])))
			return true;
	return false;
}

/* A flag may be given as `flag`, `flag=` or `flag=1`. */
static bool set_option(struct side_request *side, struct str name, const char *value, struct err *e)
{
	const struct option_binding bindings[] = {
		{ &name_option_set, &side->view },   { &frame_option_set, &side->view },
		{ &filter_option_set, &side->view }, { &transform_option_set, &side->view },
		{ &time_option_set, &side->view },
	};
	for (size_t b = 0; b < ARRAY_SIZE(bindings); b++)
		for (size_t i = 0; i < bindings[b].set->n; i++) {
			const struct option *o = &bindings[b].set->options[i];
			bool is_flag = o->type == OPTION_FLAG && str_eq(name, str_from(o->name));
			if (is_flag && value && (!*value || strcmp(value, "1") == 0))
				value = NULL;
		}
	return options_set(bindings, ARRAY_SIZE(bindings), name, value, e);
}

static bool is_transform(struct str name)
{
	static const struct option_set *const sets[] = { &transform_option_set, &name_option_set,
							 &frame_option_set };
	if (str_eq(name, STR("weight")))
		return true;
	for (size_t s = 0; s < ARRAY_SIZE(sets); s++)
		for (size_t i = 0; i < sets[s]->n; i++)
			if (str_eq(name, str_from(sets[s]->options[i].name)))
				return true;
	return false;
}

static bool add_word(struct side_request *side, struct str name, const char *value, struct err *e)
{
	if (str_eq(name, STR("file")))
		text_list_add(&side->files, str_from(value ? value : ""));
	else if (!set_option(side, name, value, e))
		return false;
	else if (!str_eq(name, STR("time")))
		buf_addf(&side->words, "%.*s=%s\n", STR_ARG(name), value ? value : "");
	return true;
}

static bool add_words(struct api_request *r, struct err *e)
{
	static const struct str base = STR("base.");
	for (uint32_t i = 0; i < r->parameters.n; i++) {
		const struct parameter *p = &r->parameters.p[i];
		bool is_base = str_starts(p->name, base), ok = true;
		struct str name = is_base ? str_from_byte(p->name, base.n) : p->name;
		if (is_base && is_transform(name))
			return err_usage(e,
					 "%.*s: transforms apply to both sides; leave out 'base.'",
					 STR_ARG(p->name));
		r->has_base |= is_base;
		if (is_base || !is_own_word(name))
			ok = add_word(is_base ? &r->base : &r->side, name, p->value, e);
		if (ok && !is_base && is_transform(name))
			ok = add_word(&r->base, name, p->value, e);
		if (!ok)
			return false;
	}
	return true;
}

static bool settle(struct side_request *side, struct err *e)
{
	if (!view_request_settle(&side->view, e))
		return false;
	side->view.query.by_kind = true;
	return true;
}

bool api_parameter(struct str query, struct str name, struct buf *value)
{
	struct err e = { 0 };
	AUTO(api_request) struct api_request r = { 0 };
	if (!split(&r, query, &e))
		return false;
	for (uint32_t i = 0; i < r.parameters.n; i++) {
		if (!str_eq(r.parameters.p[i].name, name) || !r.parameters.p[i].value)
			continue;
		buf_add(value, str_from(r.parameters.p[i].value));
		return true;
	}
	return false;
}

bool request_parse(struct api_request *r, struct str query, struct err *e)
{
	view_request_init(&r->side.view, VIEW_FOLDED);
	view_request_init(&r->base.view, VIEW_FOLDED);
	r->budget.ns = 2000000000; /* others wait for the answer */
	r->side.view.query.budget = r->base.view.query.budget = &r->budget;
	if (!split(r, query, e) || !add_words(r, e) || !settle(&r->side, e) || !settle(&r->base, e))
		return false;
	const char *format = request_text(r, "format");
	r->wants_json = format && strcmp(format, "json") == 0;
	return true;
}

static void side_fini(struct side_request *side)
{
	view_request_fini(&side->view);
	text_list_fini(&side->files);
	buf_fini(&side->words);
}

void api_request_fini(struct api_request *r)
{
	side_fini(&r->side);
	side_fini(&r->base);
	vec_fini(&r->parameters);
	arena_fini(&r->text);
}

static const struct parameter *find(const struct api_request *r, const char *name)
{
	for (uint32_t i = r->parameters.n; i-- > 0;)
		if (str_eq(r->parameters.p[i].name, str_from(name)))
			return &r->parameters.p[i];
	return NULL;
}

const char *request_text(const struct api_request *r, const char *name)
{
	const struct parameter *p = find(r, name);
	return p ? p->value : NULL;
}

bool request_has(const struct api_request *r, const char *name)
{
	return find(r, name) != NULL;
}

bool request_number(const struct api_request *r, const char *name, double least, double most,
		    double usual, double *value, struct err *e)
{
	const char *text = request_text(r, name);
	char *end;
	*value = usual;
	if (!text)
		return true;
	*value = strtod(text, &end);
	return (*text && !*end && *value >= least && *value <= most) ||
	       err_usage(e, "%s=%s: must be a number from %g to %g", name, text, least, most);
}
