/* A function's name for display, whatever wrote it. */
#include "name/name.h"
#include "name/java_int.h"

static bool is_lower_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_identifier_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

/* An escape in Rust's legacy mangling (rustc_symbol_mangling/src/legacy.rs, sanitize). */
struct rust_escape {
	uint32_t character; /* 0 if there is no escape here */
	size_t length;
	bool is_telling; /* false for `$C$` and `$SP$`: Java classes have such names */
};

/* `$u` and the character's code in hexadecimal, without leading zeros. Control characters are left alone. */
static struct rust_escape rust_escape_number(struct str s)
{
	uint32_t character = 0;
	size_t i = 2;
	while (i < s.n && i < 8 && is_lower_hex(s.p[i])) {
		int digit = is_digit(s.p[i]) ? s.p[i] - '0' : s.p[i] - 'a' + 10;
		character = character << 4 | (uint32_t)digit;
		i++;
	}
	bool is_valid = character >= 0x20 && (character < 0x7f || character >= 0xa0) &&
			(character < 0xd800 || character >= 0xe000) && character <= 0x10ffff;
	if (!is_valid || s.p[2] == '0' || i >= s.n || s.p[i] != '$')
		return (struct rust_escape){ 0 };
	return (struct rust_escape){ character, i + 1, true };
}

static struct rust_escape rust_escape_at(struct str s)
{
	static const struct {
		struct str text;
		char character;
		bool is_telling;
	} escapes[] = {
		{ STR("$LT$"), '<', true },  { STR("$GT$"), '>', true }, { STR("$RF$"), '&', true },
		{ STR("$BP$"), '*', true },  { STR("$LP$"), '(', true }, { STR("$RP$"), ')', true },
		{ STR("$SP$"), '@', false }, { STR("$C$"), ',', false },
	};
	if (s.n < 3 || s.p[0] != '$')
		return (struct rust_escape){ 0 };
	if (s.p[1] == 'u')
		return rust_escape_number(s);
	for (size_t i = 0; i < ARRAY_SIZE(escapes); i++)
		if (str_starts(s, escapes[i].text))
			return (struct rust_escape){ (uint32_t)escapes[i].character,
						     escapes[i].text.n, escapes[i].is_telling };
	return (struct rust_escape){ 0 };
}

static bool has_rust_escape(struct str name)
{
	ptrdiff_t at;
	while ((at = str_find_char(name, '$')) >= 0) {
		name = str_from_byte(name, (size_t)at);
		if (rust_escape_at(name).is_telling)
			return true;
		name = str_from_byte(name, 1);
	}
	return false;
}

/* What may follow the hash: nothing, `.llvm.123`, ` [clone .cold]`, `@plt`. */
static bool is_name_suffix(struct str s)
{
	return s.n == 0 || s.p[0] == '.' || s.p[0] == '@' || str_starts(s, STR(" [clone "));
}

/* Where the hash of a Rust name begins, or name.n if it has none. */
static size_t rust_hash_at(struct str name)
{
	const size_t hash_bytes = sizeof("::h0123456789abcdef") - 1;
	if (name.n <= hash_bytes || str_find(name, STR("::h")) < 0)
		return name.n;
	for (size_t at = name.n - hash_bytes; at > 0; at--) {
		struct str hash = str_from_byte(name, at);
		size_t digits = 0;
		if (!str_starts(hash, STR("::h")))
			continue;
		while (digits < 16 && is_lower_hex(hash.p[3 + digits]))
			digits++;
		if (digits == 16)
			return is_name_suffix(str_from_byte(hash, hash_bytes)) ? at : name.n;
	}
	return name.n;
}

static void add_utf8(struct buf *out, uint32_t character)
{
	if (character < 0x80) {
		buf_add_char(out, (char)character);
		return;
	}
	int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
	uint32_t lead = 0xff00u >> (more + 1) & 0xff;
	buf_add_char(out, (char)(lead | character >> (6 * more)));
	while (more--)
		buf_add_char(out, (char)(0x80 | (character >> (6 * more) & 0x3f)));
}

/* The mangler writes `::` inside an identifier as two dots. */
static bool is_path_separator(struct str name, size_t i)
{
	if (i == 0 || i + 2 >= name.n || name.p[i] != '.' || name.p[i + 1] != '.')
		return false;
	char before = name.p[i - 1], after = name.p[i + 2];
	return (is_identifier_char(before) || memchr(">)]}$", before, 5)) &&
	       (is_identifier_char(after) || memchr("<{$", after, 3));
}

/* The mangler puts `_` before an identifier that would begin with an escape. */
static bool is_filler_underscore(struct str name, size_t i)
{
	struct str next = str_from_byte(name, i + 1);
	return name.p[i] == '_' && next.n && (i == 0 || name.p[i - 1] == ':') &&
	       (next.p[0] == '<' || next.p[0] == '{' || rust_escape_at(next).character);
}

static void add_without_rust_escapes(struct str name, struct buf *out)
{
	for (size_t i = 0, length; i < name.n; i += length) {
		struct rust_escape escape = rust_escape_at(str_from_byte(name, i));
		length = 1;
		if (escape.character) {
			add_utf8(out, escape.character);
			length = escape.length;
		} else if (is_path_separator(name, i)) {
			buf_add(out, STR("::"));
			length = 2;
		} else if (!is_filler_underscore(name, i)) {
			buf_add_char(out, name.p[i]);
		}
	}
}

/*
 * Names that may contain `$` and `::h` for other reasons: V8's, and those of Java and Go, which
 * have a '/' (`java/util/Map.get`) or a descriptor (`LMain;::run`).
 */
static bool is_certainly_not_rust(struct str name)
{
	return name_is_v8(name) || str_find_char(name, '/') >= 0 ||
	       (str_starts(name, STR("L")) && str_find(name, STR(";::")) >= 0);
}

static void add_as_shown(struct str name, struct buf *out)
{
	size_t hash_at = rust_hash_at(name);
	bool is_rust = (hash_at < name.n || has_rust_escape(name)) && !is_certainly_not_rust(name);
	if (!is_rust) {
		buf_add(out, name);
		return;
	}
	add_without_rust_escapes(str_first(name, hash_at), out);
	if (hash_at < name.n)
		buf_add(out, str_from_byte(name, hash_at + sizeof("::h0123456789abcdef") - 1));
}

static bool is_line_breaking(char c)
{
	return c == '\n' || c == '\r' || c == '\t' || c == '\0';
}

void name_tidy(struct str name, struct buf *out)
{
	size_t start = out->n;
	AUTO(buf) struct buf demangled = { 0 };
	if (!java_name_add(name, out))
		add_as_shown(name_demangle(name, &demangled) ? buf_str(&demangled) : name, out);
	for (size_t i = start; i < out->n; i++)
		if (is_line_breaking(out->p[i]))
			out->p[i] = ' ';
}

struct str name_without_abi(struct str symbol)
{
	static const struct str suffix = STR(".abi0");
	bool has_suffix = symbol.n > suffix.n && str_ends(symbol, suffix);
	return has_suffix ? str_first(symbol, symbol.n - suffix.n) : symbol;
}
