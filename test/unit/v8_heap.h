/*
 * A heap of V8 made up in memory, as a version of it lays out its objects: what a test puts there is read
 * back as if it were of another process.
 */
#pragma once
#include "bytes_process.h"
#include "v8/v8_int.h"
#include "v8_elf.h"

enum {
	HEAP_BASE = 0x10000000,
	HEAP_PAGE = 4096,
	HEAP_PAGES = 512,
	HEAP_BYTES = HEAP_PAGES * HEAP_PAGE,
	HEAP_CODE = HEAP_BASE + HEAP_BYTES / 2, /* the second half is executable */
	HEAP_BUILTINS = 0x30000000,		/* V8's own code, mapped from its file */
	HEAP_TYPES = 4096,
};

struct heap {
	struct memory memory; /* first */
	struct bytes_process of;
	struct v8_layout layout;
	unsigned version;
	char *bytes;
	bool is_gone[HEAP_PAGES]; /* a page that cannot be read */
	uint32_t used, code_used;
	uint64_t meta_map, maps[HEAP_TYPES];
	struct v8_names names;
	struct v8_process *process;
};

static inline bool heap_read(struct memory *memory, uint64_t address, void *to, size_t n)
{
	struct heap *h = (struct heap *)memory;
	if (address < HEAP_BASE || address - HEAP_BASE > HEAP_BYTES ||
	    n > HEAP_BYTES - (address - HEAP_BASE))
		return false;
	uint64_t at = address - HEAP_BASE;
	for (uint64_t page = at / HEAP_PAGE; n && page <= (at + n - 1) / HEAP_PAGE; page++)
		if (h->is_gone[page])
			return false;
	memcpy(to, h->bytes + at, n);
	return true;
}

/* --- objects --- */

static inline void heap_put(struct heap *h, uint64_t address, const void *bytes, size_t n)
{
	if (n)
		memcpy(h->bytes + (address - HEAP_BASE), bytes, n);
}

static inline void heap_set(struct heap *h, uint64_t object, int32_t offset, uint64_t word)
{
	heap_put(h, v8_address(object) + (uint64_t)(int64_t)offset, &word, sizeof(word));
}

static inline void heap_set_int(struct heap *h, uint64_t object, int32_t offset, int32_t number)
{
	heap_put(h, v8_address(object) + (uint64_t)(int64_t)offset, &number, sizeof(number));
}

static inline void heap_set_field(struct heap *h, uint64_t object, enum v8_constant c,
				  uint64_t word)
{
	heap_set(h, object, v8_get(&h->layout, c), word);
}

static inline uint64_t smi(int32_t value)
{
	return (uint64_t)(uint32_t)value << 32;
}

static inline uint64_t heap_alloc(struct heap *h, uint32_t bytes)
{
	uint64_t address = HEAP_BASE + h->used;
	h->used += (bytes + 7) / 8 * 8;
	return address | 1;
}

static inline uint64_t heap_map(struct heap *h, int32_t type)
{
	enum { MAP_BYTES = 80 };
	uint16_t type_bits = (uint16_t)type, map_type = (uint16_t)v8_get(&h->layout, V8_TYPE_MAP);
	uint64_t at = (uint64_t)v8_get(&h->layout, V8_MAP_INSTANCE_TYPE);
	if (!h->meta_map) {
		h->meta_map = heap_alloc(h, MAP_BYTES);
		heap_set(h, h->meta_map, 0, h->meta_map);
		heap_put(h, v8_address(h->meta_map) + at, &map_type, sizeof(map_type));
	}
	if (!h->maps[type]) {
		h->maps[type] = heap_alloc(h, MAP_BYTES);
		heap_set(h, h->maps[type], 0, h->meta_map);
		heap_put(h, v8_address(h->maps[type]) + at, &type_bits, sizeof(type_bits));
	}
	return h->maps[type];
}

static inline uint64_t heap_object(struct heap *h, int32_t type, uint32_t bytes)
{
	uint64_t map = heap_map(h, type), object = heap_alloc(h, bytes);
	heap_set(h, object, 0, map);
	return object;
}

static inline uint64_t heap_object_of(struct heap *h, enum v8_constant type, uint32_t bytes)
{
	return heap_object(h, v8_get(&h->layout, type), bytes);
}

/* --- strings --- */

enum { HEAP_ONE_BYTE = 8, HEAP_SEQ = 0, HEAP_CONS = 1, HEAP_EXTERNAL = 2, HEAP_SLICED = 3 };
enum { HEAP_THIN = 5 };

static inline uint64_t heap_string_of(struct heap *h, int32_t type, uint32_t length, uint32_t bytes)
{
	uint64_t s = heap_object(h, type, bytes);
	heap_set_int(h, s, v8_get(&h->layout, V8_STRING_LENGTH), (int32_t)length);
	return s;
}

static inline uint64_t heap_string_n(struct heap *h, const char *text, uint32_t n)
{
	uint64_t s = heap_string_of(h, HEAP_SEQ | HEAP_ONE_BYTE, n, 16 + n);
	heap_put(h, v8_address(s) + 16, text, n);
	return s;
}

static inline uint64_t heap_string(struct heap *h, const char *text)
{
	return heap_string_n(h, text, (uint32_t)strlen(text));
}

static inline uint64_t heap_two_byte(struct heap *h, const uint16_t *units, uint32_t n)
{
	uint64_t s = heap_string_of(h, HEAP_SEQ, n, 16 + 2 * n);
	heap_put(h, v8_address(s) + 16, units, (size_t)n * 2);
	return s;
}

static inline uint64_t heap_cons(struct heap *h, uint64_t first, uint64_t second, uint32_t length)
{
	uint64_t s = heap_string_of(h, HEAP_CONS, length, 32);
	heap_set(h, s, 16, first);
	heap_set(h, s, 24, second);
	return s;
}

static inline uint64_t heap_sliced(struct heap *h, uint64_t parent, int32_t offset, uint32_t length)
{
	uint64_t s = heap_string_of(h, HEAP_SLICED, length, 32);
	heap_set(h, s, 16, parent);
	heap_set(h, s, 24, smi(offset));
	return s;
}

static inline uint64_t heap_thin(struct heap *h, uint64_t actual, uint32_t length)
{
	uint64_t s = heap_string_of(h, HEAP_THIN | HEAP_ONE_BYTE, length, 24);
	heap_set(h, s, 16, actual);
	return s;
}

/* Its characters are those of another object here, which need not be in V8's heap. */
static inline uint64_t heap_external(struct heap *h, uint64_t address, uint32_t length,
				     bool is_two_byte)
{
	int32_t type = HEAP_EXTERNAL | (is_two_byte ? 0 : HEAP_ONE_BYTE);
	uint64_t s = heap_string_of(h, type, length, 32);
	heap_set(h, s, 24, address);
	return s;
}

/* --- arrays --- */

static inline uint64_t heap_array(struct heap *h, const uint64_t *words, uint32_t n)
{
	uint64_t a = heap_object_of(h, V8_TYPE_FIXED_ARRAY, 16 + 8 * n);
	heap_set(h, a, 8, smi((int32_t)n));
	heap_put(h, v8_address(a) + 16, words, 8 * (size_t)n);
	return a;
}

static inline uint64_t heap_bytes(struct heap *h, const void *bytes, uint32_t n)
{
	enum { SOME_TYPE = 1000 };
	uint64_t a = heap_object(h, SOME_TYPE, 16 + n);
	heap_set(h, a, 8, smi((int32_t)n));
	heap_put(h, v8_address(a) + 16, bytes, n);
	return a;
}

/* --- functions --- */

struct fake_script {
	uint64_t name, source, line_ends, eval_from;
	int32_t line_offset, column_offset, id;
};

static inline void heap_set_script(struct heap *h, uint64_t script, const struct fake_script *f)
{
	heap_set(h, script, 8, f->source);
	heap_set(h, script, 16, f->name);
	heap_set(h, script, 24, smi(f->line_offset));
	heap_set(h, script, 32, smi(f->column_offset));
	heap_set(h, script, 56, f->line_ends);
	heap_set(h, script, 64, smi(f->id));
	heap_set(h, script, 72, f->eval_from);
}

static inline uint64_t heap_script(struct heap *h, const struct fake_script *f)
{
	uint64_t script = heap_object_of(h, V8_TYPE_SCRIPT, 160);
	heap_set_script(h, script, f);
	return script;
}

struct fake_scope {
	uint32_t type; /* as the version numbers them */
	uint32_t locals;
	uint32_t flags; /* besides type, names and such */
	bool has_saved_class, has_receiver;
	uint64_t name, inferred_name; /* 0: no slot for it */
	int32_t start, end;
};

/* The type of a function's scope, and of a module's. */
static inline uint32_t heap_scope_function(const struct heap *h)
{
	return h->version >= V8_12_9 ? 4 : 2;
}

static inline uint32_t heap_scope_module(const struct heap *h)
{
	return h->version >= V8_12_9 ? 5 : 3;
}

/* Slots that no rule of ours may take for a name. */
static inline uint64_t heap_decoy(struct heap *h)
{
	return heap_string(h, "decoy");
}

static inline uint32_t heap_scope_flags(const struct fake_scope *f)
{
	return f->type | f->flags | (f->has_receiver ? 1u << 7 : 0) |
	       (f->has_saved_class ? 1u << 10 : 0) | (f->name ? 1u << 12 : 0) |
	       (f->inferred_name ? 1u << 14 : 0);
}

/* Adds a slot of a ScopeInfo. */
static inline void heap_add_slot(struct heap *h, uint64_t scope, uint32_t *slot, uint64_t word)
{
	heap_set(h, scope, 8 + 8 * (int32_t)(*slot)++, word);
}

static inline uint64_t heap_scope(struct heap *h, const struct fake_scope *f)
{
	uint64_t decoy = heap_decoy(h);
	uint64_t s = heap_object_of(h, V8_TYPE_SCOPE_INFO, 8 * (24 + 2 * f->locals));
	uint32_t slot = 0, flags = heap_scope_flags(f);
	bool is_module = f->type == heap_scope_module(h);
	heap_add_slot(h, s, &slot, h->version >= V8_12_9 ? flags : (uint64_t)flags << 32);
	heap_add_slot(h, s, &slot, smi(0));
	heap_add_slot(h, s, &slot, smi((int32_t)f->locals));
	if (h->version >= V8_12_9) {
		heap_add_slot(h, s, &slot, smi(f->start));
		heap_add_slot(h, s, &slot, smi(f->end));
	}
	if (is_module && h->version >= V8_12_4)
		heap_add_slot(h, s, &slot, smi(1));
	uint32_t names = f->locals >= 75 && h->version >= V8_10_2 ? 1 : f->locals;
	for (uint32_t i = 0; i < names; i++)
		heap_add_slot(h, s, &slot, decoy);
	for (uint32_t i = 0; i < f->locals; i++)
		heap_add_slot(h, s, &slot, smi(7));
	if (f->has_saved_class)
		heap_add_slot(h, s, &slot, decoy);
	if (f->has_receiver && h->version < V8_10_2)
		heap_add_slot(h, s, &slot, smi(3));
	if (f->name) {
		heap_add_slot(h, s, &slot, f->name);
		heap_add_slot(h, s, &slot, smi(4));
	}
	if (f->inferred_name)
		heap_add_slot(h, s, &slot, f->inferred_name);
	if (h->version < V8_12_9) {
		heap_add_slot(h, s, &slot, smi(f->start));
		heap_add_slot(h, s, &slot, smi(f->end));
	}
	heap_add_slot(h, s, &slot, decoy);
	return s;
}

struct fake_function {
	uint64_t name_or_scope_info, script, data;
	int32_t literal, number;
};

static inline void heap_set_function(struct heap *h, uint64_t shared, const struct fake_function *f)
{
	bool is_new = h->version >= V8_12_9;
	heap_set(h, shared, 8, f->data);
	heap_set(h, shared, is_new ? 24 : 16, f->name_or_scope_info);
	heap_set(h, shared, is_new ? 40 : 32, f->script);
	heap_set_int(h, shared, is_new ? 60 : 52, f->literal);
	heap_set_int(h, shared, is_new ? 64 : 56, f->number);
}

static inline uint64_t heap_function(struct heap *h, const struct fake_function *f)
{
	uint64_t shared = heap_object_of(h, V8_TYPE_SFI, 80);
	heap_set_function(h, shared, f);
	return shared;
}

/* A function that has a name and begins at a position of a script. */
static inline uint64_t heap_named(struct heap *h, const char *name, uint64_t script, int32_t start)
{
	uint64_t scope = heap_scope(h, &(struct fake_scope){ .type = heap_scope_function(h),
							     .name = heap_string(h, name),
							     .start = start,
							     .end = start + 10 });
	return heap_function(h, &(struct fake_function){ .name_or_scope_info = scope,
							 .script = script,
							 .literal = 1 });
}

static inline uint64_t heap_closure(struct heap *h, uint64_t shared)
{
	uint64_t f = heap_object_of(h, V8_TYPE_FIRST_FUNCTION, 64);
	heap_set_field(h, f, V8_JS_FUNCTION_SHARED, shared);
	return f;
}

static inline uint64_t heap_uncompiled(struct heap *h, uint64_t inferred_name, int32_t start)
{
	uint64_t d = heap_object_of(h, V8_TYPE_FIRST_UNCOMPILED, 32);
	heap_set(h, d, 8, inferred_name);
	heap_set_int(h, d, 16, start);
	return d;
}

static inline uint64_t heap_bytecode(struct heap *h, const uint8_t *bytes, uint32_t n,
				     uint64_t positions)
{
	uint32_t head = (uint32_t)v8_get(&h->layout, V8_BYTECODE_DATA);
	uint64_t a = heap_object_of(h, V8_TYPE_BYTECODE_ARRAY, head + n);
	heap_set(h, a, 8, smi((int32_t)n));
	heap_set_field(h, a, V8_BYTECODE_POSITIONS, positions);
	heap_put(h, v8_address(a) + head, bytes, n);
	return a;
}

/* --- code --- */

/* How far a kind is from that of baseline code. */
enum { KIND_INTERPRETED = -1, KIND_BASELINE = 0, KIND_MAGLEV = 1, KIND_TURBOFAN = 2 };

struct fake_code {
	int32_t kind;
	uint64_t deopt_data, positions;
	uint32_t size_bytes;
	const uint8_t *instructions; /* NULL: such as say nothing */
	uint64_t *object;	     /* is set to the Code, if not NULL */
};

static inline void heap_set_code(struct heap *h, uint64_t code, const struct fake_code *f)
{
	heap_set_field(h, code, V8_CODE_DEOPT_DATA, f->deopt_data);
	heap_set_field(h, code, V8_CODE_POSITIONS, f->positions);
	heap_set_int(h, code, v8_get(&h->layout, V8_CODE_SIZE), (int32_t)f->size_bytes);
	heap_set_int(h, code, v8_get(&h->layout, V8_CODE_FLAGS),
		     v8_get(&h->layout, V8_CODE_KIND_BASELINE) + f->kind);
}

/* Returns where its instructions begin. */
static inline uint64_t heap_code(struct heap *h, const struct fake_code *f)
{
	bool is_inside = h->version < V8_11_3;
	uint64_t holder = HEAP_CODE + h->code_used, code = holder | 1, start;
	if (is_inside) {
		start = holder + (uint64_t)v8_get(&h->layout, V8_CODE_START);
		heap_set(h, holder, 0, heap_map(h, v8_get(&h->layout, V8_TYPE_CODE)));
	} else {
		start = holder + (h->version == V8_11_3 ? 16 : 32);
		code = heap_object_of(h, V8_TYPE_CODE, 96);
		heap_set(h, holder, 0, heap_map(h, v8_get(&h->layout, V8_TYPE_INSTRUCTION_STREAM)));
		heap_set(h, holder, 8, code);
		heap_set_field(h, code, V8_CODE_START, start);
	}
	heap_set_code(h, code, f);
	if (f->instructions)
		heap_put(h, start, f->instructions, f->size_bytes);
	else
		memset(h->bytes + (start - HEAP_BASE), 0x90, f->size_bytes);
	h->code_used = (uint32_t)((start + f->size_bytes + 63) / 64 * 64 - HEAP_CODE);
	if (f->object)
		*f->object = code;
	return start;
}

/* Functions that were put into another one: of each its position, and which literal it is. */
struct fake_inlined {
	uint64_t position;
	int32_t literal, unused;
};

static inline uint64_t heap_deopt_data(struct heap *h, uint64_t shared, uint64_t literals,
				       uint64_t inlined)
{
	uint64_t words[12] = { 0 };
	if (h->version >= V8_12_9) {
		uint64_t wrapper = heap_object_of(h, V8_TYPE_SFI_WRAPPER, 16);
		heap_set(h, wrapper, 8, shared);
		shared = wrapper;
	}
	unsigned later = h->version >= V8_13_6;
	words[2 + later] = literals;
	words[6 + later] = shared;
	words[7 + later] = inlined;
	return heap_array(h, words, ARRAY_SIZE(words));
}

/* A position as code has it; inlined from 1, 0: not. */
static inline uint64_t heap_position(int32_t offset, uint32_t inlined)
{
	return (uint64_t)(uint32_t)(offset + 1) << 1 | (uint64_t)inlined << 31;
}

static inline void heap_add_number(struct buf *b, uint64_t value)
{
	for (; value >> 7; value >>= 7)
		buf_add_char(b, (char)((value & 127) | 128));
	buf_add_char(b, (char)value);
}

static inline void heap_add_signed(struct buf *b, int64_t value)
{
	heap_add_number(b, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

struct fake_position {
	int32_t offset;
	uint64_t position;
	bool is_statement;
};

/* As the version writes them. */
static inline uint64_t heap_positions(struct heap *h, const struct fake_position *list, uint32_t n)
{
	AUTO(buf) struct buf b = { 0 };
	int64_t offset = -1;
	uint64_t position = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t step = list[i].offset - offset;
		if (h->version >= V8_14_1)
			heap_add_number(&b, (uint64_t)step << 2 | list[i].is_statement);
		else
			heap_add_signed(&b, list[i].is_statement ? step : -step - 1);
		heap_add_signed(&b, (int64_t)(list[i].position - position));
		offset = list[i].offset;
		position = list[i].position;
	}
	return heap_bytes(h, b.p, (uint32_t)b.n);
}

/* --- all --- */

static inline void heap_add_mapping(struct heap *h, struct code_mapping m)
{
	vec_push(&h->process->mappings, m);
}

/* All addresses are some mapping's, so that nobody looks for it. */
static inline void heap_add_mappings(struct heap *h)
{
	uint64_t end = HEAP_BASE + HEAP_BYTES, builtins_end = HEAP_BUILTINS + FAKE_V8_BLOB_BYTES;
	heap_add_mapping(h, (struct code_mapping){ .at.start = 0, .at.end = HEAP_CODE });
	heap_add_mapping(
		h, (struct code_mapping){ .at.start = HEAP_CODE, .at.end = end, .is_jit = true });
	heap_add_mapping(h, (struct code_mapping){ .at.start = end, .at.end = HEAP_BUILTINS });
	heap_add_mapping(h, (struct code_mapping){ .at.start = HEAP_BUILTINS,
						   .at.end = builtins_end,
						   .is_of_v8 = true });
	heap_add_mapping(h,
			 (struct code_mapping){ .at.start = builtins_end, .at.end = UINT64_MAX });
}

/* What is behind V8's own code is no code of anybody; nobody looks for it. */
static inline void heap_unmap_last(struct heap *h)
{
	h->process->mappings.n--;
	h->process->look_again_ns = UINT64_MAX;
}

static inline void heap_init(struct heap *h, unsigned version)
{
	struct err e = { 0 };
	*h = (struct heap){ .memory.read = heap_read, .version = version, .used = 64 };
	h->bytes = mem_zalloc(HEAP_BYTES, 1);
	if (!fake_v8_layout(&(struct fake_v8){ .version = version }, &h->layout, &e)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	bytes_process_init(&h->of, &h->memory);
	h->process = v8_process_new(&h->of.process, &h->layout, &h->names);
	heap_add_mappings(h);
}

static inline void heap_fini(struct heap *h)
{
	v8_process_free(h->process);
	v8_names_fini(&h->names);
	v8_layout_fini(&h->layout);
	free(h->bytes);
}
