/* Descriptors are defined in the Java Virtual Machine Specification, section 4.3. */
#include "name/java_int.h"

enum { MAX_DIMENSIONS = 255 };

/* --- types --- */

static struct str plain_type(char c)
{
	static const struct {
		char letter;
		struct str name;
	} types[] = {
		{ 'B', STR("byte") },  { 'C', STR("char") },	{ 'D', STR("double") },
		{ 'F', STR("float") }, { 'I', STR("int") },	{ 'J', STR("long") },
		{ 'S', STR("short") }, { 'Z', STR("boolean") }, { 'V', STR("void") },
	};
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].letter == c)
			return types[i].name;
	return STR("");
}

static bool is_class_char(char c)
{
	return !is_space(c) && c != '(' && c != ')' && c != '[' && c != '>';
}

/* `com/foo/Bar;` up to the semicolon; returns false if there is none. */
static bool take_class(struct str *s, struct str *class_name)
{
	size_t n = 0;
	while (n < s->n && s->p[n] != ';' && is_class_char(s->p[n]))
		n++;
	if (!n || n == s->n || s->p[n] != ';')
		return false;
	*class_name = str_first(*s, n);
	*s = str_from_byte(*s, n + 1);
	return true;
}

static void add_class(struct str class_name, struct buf *out)
{
	for (size_t i = 0; i < class_name.n; i++)
		buf_add_char(out, class_name.p[i] == '/' ? '.' : class_name.p[i]);
}

/* Takes one type from the front of s: `[Lcom/foo/Bar;` is `com.foo.Bar[]`. */
static bool take_type(struct str *s, struct buf *out)
{
	size_t dimensions = 0;
	struct str class_name;
	while (dimensions < s->n && s->p[dimensions] == '[')
		dimensions++;
	*s = str_from_byte(*s, dimensions);
	if (!s->n || dimensions > MAX_DIMENSIONS)
		return false;
	char letter = s->p[0];
	*s = str_from_byte(*s, 1);
	if (letter == 'L') {
		if (!take_class(s, &class_name))
			return false;
		add_class(class_name, out);
	} else {
		struct str name = plain_type(letter);
		if (!name.n)
			return false;
		buf_add(out, name);
	}
	while (dimensions--)
		buf_add(out, STR("[]"));
	return true;
}

/* `(ILcom/foo/Bar;)V` to its end becomes `(int, com.foo.Bar)`. The return type is not shown. */
static bool add_parameters(struct str s, struct buf *out)
{
	AUTO(buf) struct buf returned = { 0 };
	buf_add_char(out, '(');
	s = str_from_byte(s, 1);
	for (bool is_first = true; s.n && s.p[0] != ')'; is_first = false) {
		buf_add(out, is_first ? STR("") : STR(", "));
		if (!take_type(&s, out))
			return false;
	}
	buf_add_char(out, ')');
	s = str_from_byte(s, 1);
	return take_type(&s, &returned) && s.n == 0;
}

/* --- methods --- */

static bool add_method(struct str method, bool needs_parameters, struct buf *out)
{
	ptrdiff_t at = str_find_char(method, '(');
	struct str name = at < 0 ? method : str_first(method, (size_t)at);
	/* Inlined functions that were not split: this is more than one name. */
	if (!name.n || str_find_char(name, ';') >= 0 || str_find(name, STR("->")) >= 0)
		return false;
	buf_add(out, name);
	if (at < 0)
		return !needs_parameters;
	size_t start = out->n;
	if (add_parameters(str_from_byte(method, (size_t)at), out))
		return true;
	/* perf-map-agent can add a source line there. */
	out->n = start;
	buf_add(out, str_from_byte(method, (size_t)at));
	return !needs_parameters;
}

/* --- `void com.foo.Bar.run(int)`, HotSpot's format for methods in maps (Compiler.perfmap) --- */

/* A type or a qualified name. C++ has "::", Rust and Go have brackets or a '*'. */
static bool is_dotted(struct str s)
{
	bool has_dot = false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (c == ':' || c == '(' || c == ')' || c == '*' || c == '&' || is_space(c))
			return false;
		has_dot |= c == '.';
	}
	return has_dot && s.p[0] != '.' && s.p[s.n - 1] != '.';
}

static bool is_type(struct str s)
{
	while (str_ends(s, STR("[]")))
		s.n -= 2;
	for (int c = 'A'; c <= 'Z'; c++)
		if (str_eq(s, plain_type((char)c)) && s.n)
			return true;
	return s.n && is_dotted(s);
}

/* Drops the return type, so that the class comes first: `com.foo.Bar.run(int)`. */
static struct str without_returned(struct str name)
{
	ptrdiff_t blank = str_find_char(name, ' '), open = str_find_char(name, '(');
	if (blank < 1 || open < blank + 2 || name.p[name.n - 1] != ')')
		return STR("");
	struct str type = str_first(name, (size_t)blank);
	struct str method = str_from_byte(str_first(name, (size_t)open), (size_t)blank + 1);
	return is_type(type) && is_dotted(method) ? str_from_byte(name, (size_t)blank + 1)
						  : STR("");
}

bool java_name_add(struct str name, struct buf *out)
{
	size_t start = out->n;
	struct str method = without_returned(name);
	if (method.n) {
		buf_add(out, method);
		return true;
	}
	if (!name.n || (name.p[0] != 'L' && name.p[0] != '['))
		return false;
	if (str_find_char(name, ';') >= 0 && take_type(&name, out)) {
		bool has_colons = str_starts(name, STR("::"));
		buf_add_char(out, '.');
		if (add_method(str_from_byte(name, has_colons ? 2 : 0), !has_colons, out))
			return true;
	}
	out->n = start;
	return false;
}
