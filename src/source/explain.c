/* An input that no reader takes: what is it, and what would the user run instead? */
#include "source/source_int.h"

#define json_advice                                                                                \
	"this is JSON, but not a profile that plume reads: speedscope, .cpuprofile, Chrome trace " \
	"events, a tree of name, value and children, or plume's own JSON"

#define firefox_advice "this is a Firefox Profiler profile, which plume can write but not read"

static const struct {
	struct str magic;
	const char *text;
} known[] = {
	{ STR("\x7f"
	      "ELF"),
	  "this is a program or library, not a recording" },
	{ STR("<?xml"), "this is XML or SVG; give plume the stacks it was made from" },
	{ STR("<svg"), "this is an SVG picture; give plume the stacks it was made from" },
	{ STR("<!DOCTYPE"), "this is a web page, not a profile" },
	{ STR("{\"snapshot\":{\"meta\""),
	  "this is a heap snapshot: memory, not time; open it in the browser's developer tools" },
	{ STR("{\"meta\":{"), firefox_advice },
	{ STR("{"), json_advice },
	{ STR("["), json_advice },
	{ STR("\xfd"
	      "7zXZ"),
	  "this is xz-compressed; unpack it with 'xz -d'" },
	{ STR("BZh"), "this is bzip2-compressed; unpack it with 'bzip2 -d'" },
	{ STR("PK\x03\x04"), "this is a zip archive; unpack it first" },
};

static unsigned percent_of_text(struct str head)
{
	size_t text = 0;
	for (size_t i = 0; i < head.n; i++) {
		unsigned char c = (unsigned char)head.p[i];
		text += c >= 0x20 ? c != 0x7f : is_space((char)c);
	}
	return head.n ? (unsigned)(text * 100 / head.n) : 0;
}

void source_add_printable(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_add_char(out, (unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f ? '?' : s.p[i]);
}

/* Keys in any order, with white space between them. */
static bool is_firefox(struct str head)
{
	AUTO(buf) struct buf keys = { 0 };
	source_json_keys(head, &keys);
	return source_json_is_firefox(&keys);
}

void source_explain(struct str head, struct buf *out)
{
	if (head.n == 0) {
		buf_addf(out, "the input is empty (did the command that wrote it fail?)");
		return;
	}
	bool is_text = percent_of_text(head) >= 90;
	if (is_firefox(head)) {
		buf_addf(out, firefox_advice);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (str_starts(head, known[i].magic) && (is_text || known[i].magic.n > 1)) {
			buf_add(out, str_from(known[i].text));
			return;
		}
	if (!is_text) {
		buf_addf(out, "this is binary data in an unknown format");
		return;
	}
	struct str line = str_trim(head);
	ptrdiff_t newline = str_find_char(line, '\n');
	line = str_first(line, newline < 0 ? line.n : (size_t)newline);
	buf_addf(out, "this is text, but not a profile that plume reads (perf script output, "
		      "folded stacks, CSV); it begins with '");
	source_add_printable(out, str_first(line, 60));
	buf_addf(out, "'. To force a format, use --input NAME");
}
