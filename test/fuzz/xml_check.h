/*
 * Aborts unless text is well-formed XML as pictures have it: https://www.w3.org/TR/xml/ without
 * DTDs.
 */
#pragma once
#include "base/base.h"

struct xml_check {
	struct str s;
	size_t at;
	VEC(struct str) open;
};

static inline bool xml_takes(struct xml_check *x, const char *text)
{
	bool ok = str_starts(str_from_byte(x->s, x->at), str_from(text));
	if (ok)
		x->at += strlen(text);
	return ok;
}

static inline void xml_needs(bool ok)
{
	if (!ok)
		abort();
}

static inline void xml_skip_to(struct xml_check *x, const char *end)
{
	ptrdiff_t n = str_find(str_from_byte(x->s, x->at), str_from(end));
	xml_needs(n >= 0);
	x->at += (size_t)n + strlen(end);
}

static inline void xml_check_characters(struct str s)
{
	for (size_t at = 0; at < s.n;) {
		size_t start = at;
		uint32_t code = utf8_next(s, &at);
		xml_needs(code != UTF8_REPLACEMENT || at - start == 3);
		xml_needs(code >= 0x20 || code == '\t' || code == '\n' || code == '\r');
		xml_needs(code != 0xfffe && code != 0xffff);
	}
}

/* Text or the value of an attribute, up to `end`. */
static inline void xml_check_text(struct xml_check *x, char end)
{
	while (x->at < x->s.n && x->s.p[x->at] != end) {
		xml_needs(x->s.p[x->at] != '<');
		if (x->s.p[x->at] == '&')
			xml_needs(xml_takes(x, "&lt;") || xml_takes(x, "&gt;") ||
				  xml_takes(x, "&amp;") || xml_takes(x, "&quot;"));
		else
			x->at++;
	}
}

static inline struct str xml_take_name(struct xml_check *x)
{
	size_t start = x->at;
	while (x->at < x->s.n && !is_space(x->s.p[x->at]) && !strchr("=>/\"<&", x->s.p[x->at]))
		x->at++;
	xml_needs(x->at > start);
	return (struct str){ x->s.p + start, x->at - start };
}

static inline void xml_check_element(struct xml_check *x)
{
	struct str name = xml_take_name(x);
	for (;;) {
		size_t blanks = x->at;
		while (x->at < x->s.n && is_space(x->s.p[x->at]))
			x->at++;
		if (xml_takes(x, "/>"))
			return;
		if (xml_takes(x, ">"))
			break;
		xml_needs(x->at > blanks);
		xml_take_name(x);
		xml_needs(xml_takes(x, "=\""));
		xml_check_text(x, '"');
		xml_needs(xml_takes(x, "\""));
	}
	vec_push(&x->open, name);
}

static inline void xml_check_end(struct xml_check *x)
{
	struct str name = xml_take_name(x);
	xml_needs(x->open.n && str_eq(name, x->open.p[--x->open.n]) && xml_takes(x, ">"));
}

static inline void xml_check(struct str s)
{
	struct xml_check x = { .s = s };
	unsigned roots = 0;
	xml_check_characters(s);
	if (xml_takes(&x, "<?xml "))
		xml_skip_to(&x, "?>");
	while (x.at < s.n) {
		if (xml_takes(&x, "<![CDATA[")) {
			xml_needs(x.open.n);
			xml_skip_to(&x, "]]>");
		} else if (xml_takes(&x, "<!--")) {
			xml_skip_to(&x, "--");
			xml_needs(xml_takes(&x, ">"));
		} else if (xml_takes(&x, "</")) {
			xml_check_end(&x);
		} else if (xml_takes(&x, "<")) {
			roots += x.open.n == 0;
			xml_check_element(&x);
		} else {
			size_t start = x.at;
			xml_check_text(&x, '<');
			struct str text = { s.p + start, x.at - start };
			xml_needs(x.open.n || str_trim(text).n == 0);
			xml_needs(str_find(text, STR("]]>")) < 0);
		}
	}
	xml_needs(roots == 1 && x.open.n == 0);
	vec_fini(&x.open);
}
