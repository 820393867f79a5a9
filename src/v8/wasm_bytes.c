/*
 * The bytes of a WebAssembly module (webassembly.github.io/spec/core/binary, appendix "Name
 * Section"): the numbers of imported and defined functions, and their names, from the name section,
 * else from the exports. The author of the module may have written anything.
 */
#include "v8/wasm.h"

enum { MAX_SECTION = 16 << 20, MAX_FUNCTIONS = 1000000, MAX_NAME = 512, HEAD_BYTES = 8 };
enum { SECTION_CUSTOM = 0, SECTION_IMPORT = 2, SECTION_FUNCTION = 3, SECTION_EXPORT = 7 };

static struct str take_text(struct cursor *c)
{
	return cursor_bytes(c, cursor_uleb(c));
}

/* --- sections --- */

/* A reference to a type of the module's own is followed by which one. */
static void skip_type(struct cursor *c)
{
	enum { REF_NULL = 0x63, REF = 0x64 };
	uint8_t type = cursor_u8(c);
	if (type == REF_NULL || type == REF)
		cursor_uleb(c);
}

static void skip_limits(struct cursor *c)
{
	enum { HAS_MAX = 1, HAS_PAGE_SIZE = 8 };
	uint8_t flags = cursor_u8(c);
	cursor_uleb(c);
	if (flags & HAS_MAX)
		cursor_uleb(c);
	if (flags & HAS_PAGE_SIZE)
		cursor_uleb(c);
}

/* Returns 1: what is imported is a function. */
static uint32_t take_import(struct cursor *c)
{
	enum { FUNCTION, TABLE, MEMORY, GLOBAL, TAG };
	take_text(c);
	take_text(c);
	uint8_t kind = cursor_u8(c);
	switch (kind) {
	case FUNCTION:
		cursor_uleb(c);
		break;
	case TABLE:
		skip_type(c);
		skip_limits(c);
		break;
	case MEMORY:
		skip_limits(c);
		break;
	case GLOBAL:
		skip_type(c);
		cursor_u8(c);
		break;
	case TAG:
		cursor_u8(c);
		cursor_uleb(c);
		break;
	default:
		c->is_short = true;
	}
	return kind == FUNCTION;
}

static bool read_imports(struct cursor c, struct wasm_names *n)
{
	uint32_t count = (uint32_t)cursor_uleb(&c);
	for (uint32_t i = 0; i < count && !c.is_short; i++)
		n->imports += take_import(&c);
	return !c.is_short && n->imports <= MAX_FUNCTIONS;
}

/* Each has a type at least, so there are no more than bytes. */
static bool read_functions(struct cursor c, struct wasm_names *n)
{
	n->functions = (uint32_t)cursor_uleb(&c);
	return !c.is_short && n->functions <= MAX_FUNCTIONS && n->functions <= cursor_left(&c);
}

static void set_name(struct wasm_names *n, uint32_t index, struct str name)
{
	if (index < n->imports + n->functions && name.n)
		n->names[index] = arena_copy(&n->text, str_first(name, MAX_NAME));
}

static void read_exports(struct cursor c, struct wasm_names *n)
{
	uint32_t count = (uint32_t)cursor_uleb(&c);
	for (uint32_t i = 0; i < count && !c.is_short; i++) {
		struct str name = take_text(&c);
		uint8_t kind = cursor_u8(&c);
		uint32_t index = (uint32_t)cursor_uleb(&c);
		if (!c.is_short && kind == 0)
			set_name(n, index, name);
	}
}

static void read_function_names(struct cursor c, struct wasm_names *n)
{
	uint32_t count = (uint32_t)cursor_uleb(&c);
	for (uint32_t i = 0; i < count && !c.is_short; i++) {
		uint32_t index = (uint32_t)cursor_uleb(&c);
		struct str name = take_text(&c);
		if (!c.is_short)
			set_name(n, index, name);
	}
}

static void read_custom(struct cursor c, struct wasm_names *n)
{
	enum { MODULE, FUNCTIONS };
	if (!str_eq(take_text(&c), STR("name")))
		return;
	while (cursor_left(&c)) {
		uint8_t id = cursor_u8(&c);
		struct cursor part = cursor_part(&c, cursor_uleb(&c));
		if (id == MODULE)
			n->module = arena_copy(&n->text, str_first(take_text(&part), MAX_NAME));
		else if (id == FUNCTIONS)
			read_function_names(part, n);
	}
}

/* --- all --- */

struct section {
	uint8_t id;
	uint64_t address;
	uint32_t size;
};

/* The one at an address, which goes on behind it. False: there is none. */
static bool next_section(struct memory *memory, uint64_t *at, uint64_t end, struct section *s)
{
	enum { LEAST = 2, MOST = 6 };
	char head[MOST];
	uint64_t left = end - *at, n = left < MOST ? left : MOST;
	if (left < LEAST || !memory_read(memory, *at, head, n))
		return false;
	struct cursor c = cursor_over((struct str){ head, n });
	s->id = cursor_u8(&c);
	s->size = (uint32_t)cursor_uleb(&c);
	s->address = *at + (uint64_t)(c.p - head);
	if (c.is_short || s->size > end - s->address)
		return false;
	*at = s->address + s->size;
	return true;
}

static bool read_section(struct memory *memory, const struct section *s, struct wasm_names *n)
{
	AUTO(buf) struct buf content = { 0 };
	if (s->size > MAX_SECTION ||
	    !memory_read(memory, s->address, buf_reserve(&content, s->size), s->size))
		return false;
	struct cursor c = cursor_over((struct str){ content.p, s->size });
	switch (s->id) {
	case SECTION_IMPORT:
		return read_imports(c, n);
	case SECTION_FUNCTION:
		return read_functions(c, n);
	case SECTION_EXPORT:
		read_exports(c, n);
		return true;
	default:
		read_custom(c, n);
		return true;
	}
}

/* Sections of one kind: those that say how many functions there are, or what they are called. */
static bool read_sections(struct memory *memory, uint64_t at, uint64_t end, bool is_counting,
			  struct wasm_names *n)
{
	enum { MAX_SECTIONS = 4096 };
	struct section s;
	for (uint32_t i = 0; i < MAX_SECTIONS && next_section(memory, &at, end, &s); i++) {
		bool counts = s.id == SECTION_IMPORT || s.id == SECTION_FUNCTION;
		bool names = s.id == SECTION_CUSTOM || s.id == SECTION_EXPORT;
		bool is_read = (is_counting && counts) || (!is_counting && names);
		if (is_read && !read_section(memory, &s, n) && is_counting)
			return false;
	}
	return true;
}

bool wasm_names_read(struct memory *memory, uint64_t address, uint64_t size, struct wasm_names *n)
{
	static const char magic[HEAD_BYTES] = { 0, 'a', 's', 'm', 1, 0, 0, 0 };
	char head[HEAD_BYTES];
	*n = (struct wasm_names){ 0 };
	if (size < HEAD_BYTES || address + size < address ||
	    !memory_read(memory, address, head, HEAD_BYTES) ||
	    memcmp(head, magic, HEAD_BYTES) != 0 ||
	    !read_sections(memory, address + HEAD_BYTES, address + size, true, n))
		return false;
	n->names = mem_zalloc(n->imports + n->functions + 1, sizeof(*n->names));
	read_sections(memory, address + HEAD_BYTES, address + size, false, n);
	return true;
}

void wasm_names_fini(struct wasm_names *n)
{
	free(n->names);
	arena_fini(&n->text);
	*n = (struct wasm_names){ 0 };
}
