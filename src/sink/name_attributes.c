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

static bool is_name_character(char c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '_' ||
	       c == ':';
}

/* `name="value" name="value"`, which cannot end the element it stands in. */
static bool is_attribute_list(struct str s)
{
	for (s = str_trim(s); s.n; s = str_trim(s)) {
		size_t n = 0;
		while (n < s.n && is_name_character(s.p[n]))
			n++;
		if (n == 0 || !str_starts(str_from_byte(s, n), STR("=\"")))
			return false;
		s = str_from_byte(s, n + 2);
		ptrdiff_t quote = str_find_char(s, '"');
		if (quote < 0)
			return false;
		struct str value = str_first(s, (size_t)quote);
		if (str_find_char(value, '<') >= 0 || str_find_char(value, '&') >= 0)
			return false;
		s = str_from_byte(s, (size_t)quote + 1);
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

static bool is_safe(enum attribute key, struct str value)
{
	if (key == ATTRIBUTE_G_EXTRA || key == ATTRIBUTE_A_EXTRA)
		return is_attribute_list(value);
	if (key == ATTRIBUTE_HREF)
		return !runs_script(value);
	return true;
}

static bool parse_pair(struct attributes *a, struct str pair)
{
	struct str value = pair, key = take_until(&value, '=');
	for (enum attribute i = 0; i < ATTRIBUTE_COUNT; i++)
		if (str_eq(key, str_from(keys[i]))) {
			a->value[i] = value;
			return is_safe(i, value);
		}
	return false;
}

static bool parse_line(struct attributes *a, struct str line)
{
	bool ok = str_find_char(line, '\t') >= 0;
	a->name = take_until(&line, '\t');
	while (ok && line.n)
		ok = parse_pair(a, take_until(&line, '\t'));
	return ok;
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
				"%s: line %u is not `name TAB key=value`, with key one of title, "
				"href (an address, not a script), target, id, class, g_extra, "
				"a_extra (attributes as in SVG)",
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
