/*
 * The words of the generated script where segments begin. A map gives a word's original name, but
 * not the word itself; V8 gives only the word. Keeps hashes of the words, not the script.
 */
#include "source_map/source_map_int.h"

struct script_cursor {
	struct str text;
	size_t at;
	uint32_t line, column; /* from 0, columns in UTF-16 units */
};

uint32_t source_map_hash_word(struct str word)
{
	uint32_t hash = hash_str(word) >> 1;
	return hash ? hash : 1;
}

static bool is_word_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || c == '#' || (unsigned char)c >= 0x80;
}

static void step(struct script_cursor *c)
{
	char first = c->text.p[c->at];
	bool ends_line =
		first == '\n' ||
		(first == '\r' && !str_starts(str_from_byte(c->text, c->at + 1), STR("\n")));
	if (ends_line) {
		c->line++;
		c->column = 0;
		c->at++;
	} else if ((unsigned char)first < 0x80) {
		c->column++;
		c->at++;
	} else {
		c->column += utf8_next(c->text, &c->at) >= 0x10000 ? 2 : 1;
	}
}

/* Moves forward; returns false if there is no such position. */
static bool go_to(struct script_cursor *c, uint32_t line, uint32_t column)
{
	while (c->at < c->text.n && (c->line < line || (c->line == line && c->column < column)))
		step(c);
	return c->at < c->text.n && c->line == line && c->column == column;
}

/* `class a{`, or `a=class{`. */
static bool names_class(struct str text, size_t at, size_t n)
{
	return str_ends(str_first(text, at), STR("class ")) ||
	       str_starts(str_from_byte(text, at + n), STR("=class"));
}

void source_map_read_words(struct source_map *m, struct str script)
{
	enum { MAX_WORD_BYTES = 256 };
	struct script_cursor c = { .text = script };
	for (uint32_t i = 0; i < m->segments.n; i++) {
		struct segment *s = &m->segments.p[i];
		size_t n = 0;
		if (!go_to(&c, s->line, s->column))
			continue;
		while (n < MAX_WORD_BYTES && c.at + n < script.n &&
		       is_word_char(script.p[c.at + n]))
			n++;
		if (!n)
			continue;
		s->word = source_map_hash_word((struct str){ script.p + c.at, n });
		s->is_class = s->name != INDEX_NONE && names_class(script, c.at, n);
	}
}
