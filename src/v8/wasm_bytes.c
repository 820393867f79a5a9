/*
 * The bytes of a WebAssembly module (webassembly.github.io/spec/core/binary, appendix "Name Section"): how many functions
 * it imports and has, and what they are called, by its name section, else by its exports. Whoever made the module may
 * have written anything.
 */
#include "v8/wasm.h"

enum { MAX_SECTION = 16 << 20, MAX_FUNCTIONS = 1000000, MAX_NAME = 512, HEAD_BYTES = 8 };
enum { SECTION_CUSTOM = 0, SECTION_IMPORT = 2, SECTION_FUNCTION = 3, SECTION_EXPORT = 7 };

struct bytes {
	const unsigned char *p, *end;
	bool is_short;
};

static uint8_t take_byte(struct bytes *b)
{
	if (b->p < b->end)
		return *b->p++;
	b->is_short = true;
	return 0;
}

/* LEB128. */
static uint32_t take_u32(struct bytes *b)
{
	uint32_t value = 0;
	for (unsigned shift = 0; shift < 35; shift += 7) {
		uint8_t byte = take_byte(b);
		value |= shift < 32 ? (uint32_t)(byte & 127) << shift : 0;
		if (!(byte & 128))
			return value;
	}
	b->is_short = true;
	return 0;
}

/* A number of up to 64 bits that is not needed. */
static void skip_leb(struct bytes *b)
{
	for (unsigned i = 0; i < 10 && take_byte(b) & 128; i++)
		;
}

static struct bytes take_bytes(struct bytes *b, uint32_t n)
{
	struct bytes part = { b->p, b->p, false };
	if ((size_t)(b->end - b->p) < n) {
		b->is_short = true;
		b->p = b->end;
		return part;
	}
	b->p += n;
	part.end = b->p;
	return part;
}

static struct str take_text(struct bytes *b)
{
	struct bytes part = take_bytes(b, take_u32(b));
	return (struct str){ (const char *)part.p, (size_t)(part.end - part.p) };
}

/* --- sections --- */

/* A reference to a type of the module's own is followed by which one. */
static void skip_type(struct bytes *b)
{
	enum { REF_NULL = 0x63, REF = 0x64 };
	uint8_t type = take_byte(b);
	if (type == REF_NULL || type == REF)
		skip_leb(b);
}

static void skip_limits(struct bytes *b)
{
	enum { HAS_MAX = 1, HAS_PAGE_SIZE = 8 };
	uint8_t flags = take_byte(b);
	skip_leb(b);
	if (flags & HAS_MAX)
		skip_leb(b);
	if (flags & HAS_PAGE_SIZE)
		skip_leb(b);
}

/* Returns 1: what is imported is a function. */
static uint32_t take_import(struct bytes *b)
{
	enum { FUNCTION, TABLE, MEMORY, GLOBAL, TAG };
	take_text(b);
	take_text(b);
	uint8_t kind = take_byte(b);
	switch (kind) {
	case FUNCTION:
		skip_leb(b);
		break;
	case TABLE:
		skip_type(b);
		skip_limits(b);
		break;
	case MEMORY:
		skip_limits(b);
		break;
	case GLOBAL:
		skip_type(b);
		take_byte(b);
		break;
	case TAG:
		take_byte(b);
		skip_leb(b);
		break;
	default:
		b->is_short = true;
	}
	return kind == FUNCTION;
}

static bool read_imports(struct bytes b, struct wasm_names *n)
{
	uint32_t count = take_u32(&b);
	for (uint32_t i = 0; i < count && !b.is_short; i++)
		n->imports += take_import(&b);
	return !b.is_short && n->imports <= MAX_FUNCTIONS;
}

/* Each has a type at least, so there are no more than bytes. */
static bool read_functions(struct bytes b, struct wasm_names *n)
{
	n->functions = take_u32(&b);
	return !b.is_short && n->functions <= MAX_FUNCTIONS &&
	       n->functions <= (size_t)(b.end - b.p);
}

static void set_name(struct wasm_names *n, uint32_t index, struct str name)
{
	if (index < n->imports + n->functions && name.n)
		n->names[index] = arena_copy(&n->text, str_first(name, MAX_NAME));
}

static void read_exports(struct bytes b, struct wasm_names *n)
{
	uint32_t count = take_u32(&b);
	for (uint32_t i = 0; i < count && !b.is_short; i++) {
		struct str name = take_text(&b);
		uint8_t kind = take_byte(&b);
		uint32_t index = take_u32(&b);
		if (!b.is_short && kind == 0)
			set_name(n, index, name);
	}
}

static void read_function_names(struct bytes b, struct wasm_names *n)
{
	uint32_t count = take_u32(&b);
	for (uint32_t i = 0; i < count && !b.is_short; i++) {
		uint32_t index = take_u32(&b);
		struct str name = take_text(&b);
		if (!b.is_short)
			set_name(n, index, name);
	}
}

static void read_custom(struct bytes b, struct wasm_names *n)
{
	enum { MODULE, FUNCTIONS };
	if (!str_eq(take_text(&b), STR("name")))
		return;
	while (b.p < b.end && !b.is_short) {
		uint8_t id = take_byte(&b);
		struct bytes part = take_bytes(&b, take_u32(&b));
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
	unsigned char head[MOST];
	uint64_t left = end - *at, n = left < MOST ? left : MOST;
	if (left < LEAST || !memory_read(memory, *at, head, n))
		return false;
	struct bytes b = { head, head + n, false };
	s->id = take_byte(&b);
	s->size = take_u32(&b);
	s->address = *at + (uint64_t)(b.p - head);
	if (b.is_short || s->size > end - s->address)
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
	struct bytes b = { (unsigned char *)content.p, (unsigned char *)content.p + s->size,
			   false };
	switch (s->id) {
	case SECTION_IMPORT:
		return read_imports(b, n);
	case SECTION_FUNCTION:
		return read_functions(b, n);
	case SECTION_EXPORT:
		read_exports(b, n);
		return true;
	default:
		read_custom(b, n);
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
