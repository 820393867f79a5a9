#include "sink/name_attributes.h"

struct name_attributes {
	struct index_map map; /* by name */
	VEC(struct attributes) all;
};

static const char *const keys[ATTRIBUTE_COUNT] = { "title", "href",    "target", "id",
						   "class", "g_extra", "a_extra" };

static bool name_equal(const void *all, uint32_t i, const void *key)
{
	return str_eq(((const struct attributes *)all)[i].name, *(const struct str *)key);
}

const struct attributes *name_attributes_of(const struct name_attributes *a, struct str name)
{
	uint32_t i = a ? index_map_find(&a->map, hash_str(name), name_equal, a->all.p, &name)
		       : INDEX_NONE;
	return i == INDEX_NONE ? NULL : &a->all.p[i];
}

void name_attributes_free(struct name_attributes *a)
{
	if (!a)
		return;
	index_map_fini(&a->map);
	vec_fini(&a->all);
	free(a);
}

/* Up to c, or all of it; *rest is what follows c. */
static struct str take_until(struct str *rest, char c)
{
	ptrdiff_t at = str_find_char(*rest, c);
	struct str head = str_first(*rest, at < 0 ? rest->n : (size_t)at);
	*rest = str_from_byte(*rest, at < 0 ? rest->n : (size_t)at + 1);
	return head;
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_name_character(char c)
{
	return is_letter(c) || is_digit(c) || c == '-' || c == '_';
}

/* Not a second time, and not what has a key of its own. */
static bool is_taken(struct str name, const struct str *taken, size_t n)
{
	static const struct str own[] = { STR("id"), STR("class"), STR("href"), STR("xlink:href"),
					  STR("target") };
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (str_eq(name, own[i]))
			return true;
	for (size_t i = 0; i < n; i++)
		if (str_eq(name, taken[i]))
			return true;
	return false;
}

/* What XML holds as it is. */
static bool is_plain_value(struct str value)
{
	for (size_t at = 0; at < value.n;) {
		uint32_t code = utf8_next(value, &at);
		if (code < ' ' || code == '<' || code == '&' || (code >= 0x7f && code < 0xa0) ||
		    (code >= 0xfffd && code <= 0xffff))
			return false;
	}
	return true;
}

/* `name="value" name="value"`, which cannot end the element it stands in. */
static bool is_attribute_list(struct str s)
{
	enum { MAX_EXTRAS = 32 };
	struct str taken[MAX_EXTRAS];
	size_t count = 0;
	for (s = str_trim(s); s.n; count++) {
		size_t n = 0;
		while (n < s.n && is_name_character(s.p[n]))
			n++;
		struct str name = str_first(s, n);
		if (n == 0 || !is_letter(s.p[0]) || count == MAX_EXTRAS ||
		    is_taken(name, taken, count) || !str_starts(str_from_byte(s, n), STR("=\"")))
			return false;
		taken[count] = name;
		s = str_from_byte(s, n + 2);
		ptrdiff_t quote = str_find_char(s, '"');
		if (quote < 0 || !is_plain_value(str_first(s, (size_t)quote)))
			return false;
		s = str_from_byte(s, (size_t)quote + 1);
		if (s.n && !is_space(s.p[0]))
			return false;
		s = str_trim(s);
	}
	return true;
}

/* Blanks and control characters do not count, nor does case. */
static bool begins_loosely(struct str s, const char *scheme)
{
	size_t at = 0;
	for (; *scheme; scheme++) {
		while (at < s.n && (unsigned char)s.p[at] <= ' ')
			at++;
		if (at == s.n || (s.p[at++] | 0x20) != (*scheme | 0x20))
			return false;
	}
	return true;
}

static bool runs_script(struct str href)
{
	return begins_loosely(href, "javascript:") || begins_loosely(href, "vbscript:") ||
	       begins_loosely(href, "data:");
}

/* Ids that the picture and its viewer use. */
static bool is_own_id(struct str id)
{
	static const struct str own[] = { STR("plume"),	 STR("background"), STR("backdrop"),
					  STR("title"),	 STR("ledger"),	    STR("subtitle"),
					  STR("frames"), STR("details"),    STR("legend"),
					  STR("model") };
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (str_eq(id, own[i]))
			return true;
	return false;
}

static bool is_safe(enum attribute key, struct str value)
{
	if (key == ATTRIBUTE_G_EXTRA || key == ATTRIBUTE_A_EXTRA)
		return is_attribute_list(value);
	if (key == ATTRIBUTE_ID)
		return !is_own_id(value);
	if (key == ATTRIBUTE_HREF)
		return !runs_script(value);
	return true;
}

static bool parse_pair(struct attributes *a, struct str pair)
{
	struct str value = pair, key = take_until(&value, '=');
	if (key.n == pair.n)
		return false; /* no '=' */
	for (enum attribute i = 0; i < ATTRIBUTE_COUNT; i++)
		if (str_eq(key, str_from(keys[i]))) {
			a->value[i] = value;
			return is_safe(i, value);
		}
	return false;
}

/* A link has both lists of extra attributes. */
static bool extras_agree(const struct attributes *a)
{
	AUTO(buf) struct buf both = { 0 };
	buf_add(&both, a->value[ATTRIBUTE_A_EXTRA]);
	buf_add_char(&both, ' ');
	buf_add(&both, a->value[ATTRIBUTE_G_EXTRA]);
	return is_attribute_list(buf_str(&both));
}

static bool parse_line(struct attributes *a, struct str line)
{
	bool ok = str_find_char(line, '\t') >= 0;
	a->name = take_until(&line, '\t');
	while (ok && line.n)
		ok = parse_pair(a, take_until(&line, '\t'));
	return ok && extras_agree(a);
}

struct name_attributes *name_attributes_parse(struct str text, const char *path, struct err *e)
{
	struct name_attributes *a = mem_zalloc(1, sizeof(*a));
	for (unsigned line_number = 1; text.n; line_number++) {
		struct attributes one = { 0 };
		struct str line = take_until(&text, '\n');
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (!line.n)
			continue;
		if (!parse_line(&one, line)) {
			err_set(e,
				"%s: line %u is not `name TAB key=value`, where key is title, href "
				"(a URL, not a script), target, id (not one that the picture "
				"uses), class, g_extra or a_extra (SVG attributes)",
				path, line_number);
			name_attributes_free(a);
			return NULL;
		}
		uint32_t hash = hash_str(one.name);
		uint32_t known = index_map_find(&a->map, hash, name_equal, a->all.p, &one.name);
		if (known != INDEX_NONE) { /* the last word counts */
			a->all.p[known] = one;
			continue;
		}
		index_map_add(&a->map, hash, a->all.n);
		vec_push(&a->all, one);
	}
	return a;
}
