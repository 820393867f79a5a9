/* What is known of a V8 by its file, and why nothing is. */
#include "tap.h"

#include "v8/layout_int.h"
#include "v8_elf.h"

static void check_refused(const struct fake_v8 *v, const char *want)
{
	struct v8_layout l = { 0 };
	struct err e = { 0 };
	bool ok = fake_v8_layout(v, &l, &e);
	tap_ok(!ok && strstr(e.text, want), "refused: %s", want);
	if (!ok && !strstr(e.text, want))
		printf("# got '%s'\n", e.text);
	v8_layout_fini(&l);
}

static void test_refusals(void)
{
	check_refused(&(struct fake_v8){ .major = 9, .minor = 3 },
		      "its V8 9.3 is not one that plume knows: 9.4, 9.6, 10.2, 10.8, 11.3, 11.8, "
		      "12.4, 12.9, 13.6, 14.1, 14.6");
	check_refused(&(struct fake_v8){ .major = 15, .minor = 0 }, "its V8 15.0 is not one that");
	check_refused(&(struct fake_v8){ .major = 11, .minor = 104 },
		      "its V8 11.104 is not one that");
	check_refused(&(struct fake_v8){ .major = 42949684, .minor = 4 },
		      "its V8 42949684.4 is not one that");
	check_refused(
		&(struct fake_v8){ .version = V8_12_4, .changed = "v8dbg_TaggedSize", .value = 4 },
		"its V8 12.4 compresses pointers, which is not supported yet");
	check_refused(&(struct fake_v8){ .without = "_ZN2v88internal7Version6major_E" },
		      "its V8 does not give its version");
	check_refused(&(struct fake_v8){ .machine = EM_AARCH64 }, "it is not an x86-64 program");
}

static void test_missing(void)
{
	check_refused(&(struct fake_v8){ .version = V8_14_6, .without = "v8dbg_type_Script__" },
		      "its V8 14.6 does not export type of Script");
	check_refused(
		&(struct fake_v8){ .version = V8_9_4, .without = "v8dbg_class_JSFunction__shared" },
		"its V8 9.4 does not export JSFunction.shared");
	/* Without it, text of one byte would be read as of two. */
	check_refused(
		&(struct fake_v8){ .version = V8_11_3, .without = "v8dbg_StringEncodingMask" },
		"its V8 11.3 does not export kStringEncodingMask");
	check_refused(&(struct fake_v8){ .version = V8_11_3,
					 .without = "v8dbg_StringRepresentationMask" },
		      "its V8 11.3 does not export kStringRepresentationMask");
	check_refused(
		&(struct fake_v8){ .version = V8_12_4, .without = "v8dbg_type_InstructionStream" },
		"its V8 12.4 does not export type of InstructionStream");
}

/* The numbers are of a file that anybody may have made. */
static void test_impossible(void)
{
	static const char *const offsets[] = {
		"v8dbg_class_JSFunction__shared",
		"v8dbg_class_Script__name",
		"v8dbg_class_Script__source",
		"v8dbg_class_Code__instruction_start",
		"v8dbg_class_Code__flags",
		"v8dbg_DeoptimizationDataLiteralArrayIndex",
		"v8dbg_DeoptimizationDataWrapped",
		"v8dbg_DeoptimizationDataInlining",
		"v8dbg_class_Map__instance_type",
		"v8dbg_class_FixedArray__data",
		"v8dbg_class_SharedFunctionInfo__script",
	};
	static const int32_t values[] = { 1 << 20, 96, -8, INT32_MIN, INT32_MAX };
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
		for (size_t k = 0; k < ARRAY_SIZE(values); k++)
			check_refused(&(struct fake_v8){ .version = V8_14_6,
							 .changed = offsets[i],
							 .value = values[k] },
				      "which is impossible");
}

static void check_version(unsigned version)
{
	struct v8_layout l;
	struct err e = { 0 };
	struct fake_v8 v = { .version = version };
	uint32_t major = fake_versions[version].major, minor = fake_versions[version].minor;
	bool ok = fake_v8_layout(&v, &l, &e);
	tap_ok(ok && l.major == major && l.minor == minor && l.build == 168, "V8 %u.%u is known",
	       major, minor);
	if (!ok)
		printf("# %s\n", e.text);
	unsigned unknown = 0;
	for (unsigned c = 0; c < V8_CONSTANT_COUNT; c++)
		unknown += !l.origin[c];
	tap_num_eq(unknown,
		   (version < V8_12_9 ? 2 : 0) + (version < V8_11_3 ? 1 : 0) +
			   (version > V8_11_3 ? 1 : 0),
		   "of %u.%u only what it does not have is not known", major, minor);
	tap_ok(l.blob.start == 0 && l.blob.end == FAKE_V8_BLOB_BYTES &&
		       l.blob_address == FAKE_V8_BLOB && l.interpreter[0].start == 0x400 &&
		       l.interpreter[0].end == 0x700,
	       "its own code is where the file has it");
	tap_str_eq(buf_str(&l.bytecode_sizes),
		   (struct str){ (const char *)fake_bytecode_sizes, sizeof(fake_bytecode_sizes) },
		   "lengths of bytecodes are read");
	v8_layout_fini(&l);
}

static void test_origins(void)
{
	struct v8_layout l;
	struct err e = { 0 };
	fake_v8_layout(&(struct fake_v8){ .version = V8_9_4, .is_only_in_symtab = true }, &l, &e);
	tap_num_eq((uint64_t)v8_get(&l, V8_TYPE_LAST_FUNCTION), 1059 + 13,
		   "9.4: the last type of functions follows from the first");
	tap_num_eq(l.origin[V8_TYPE_LAST_FUNCTION], V8_INFERRED, "that is inferred");
	tap_num_eq(l.origin[V8_CODE_FLAGS], V8_TABLED, "what is not exported is tabled");
	tap_num_eq(l.origin[V8_CODE_SIZE], V8_EXPORTED, "what is in .symtab is exported");
	tap_str_eq(str_from(v8_origin_name(V8_UNKNOWN)), STR("absent"), "origins have names");
	tap_str_eq(str_from(v8_constant_name(V8_SFI_FLAGS)), STR("SharedFunctionInfo.flags"),
		   "constants have names");
	v8_layout_fini(&l);
	fake_v8_layout(&(struct fake_v8){ .version = V8_12_4 }, &l, &e);
	tap_num_eq((uint64_t)v8_get(&l, V8_TYPE_LAST_UNCOMPILED), 203,
		   "of two symbols for one number the better one counts, whatever comes first");
	v8_layout_fini(&l);
}

/* Without V8's own code, and with lengths of bytecodes that cannot be. */
static void test_optional(void)
{
	struct v8_layout l;
	struct err e = { 0 };
	bool ok = fake_v8_layout(&(struct fake_v8){ .version = V8_14_6, .without = "v8_Default" },
				 &l, &e);
	tap_ok(ok && l.blob.end == 0, "a V8 whose own code is not found can be read");
	v8_layout_fini(&l);
	ok = fake_v8_layout(&(struct fake_v8){ .version = V8_14_6,
					       .changed = "_ZN2v88internal11interpreter9Byte" },
			    &l, &e);
	tap_ok(ok && l.bytecode_sizes.n == 0, "lengths that are not of three rows are not taken");
	v8_layout_fini(&l);
}

/* --- a V8 that was stripped: functions are left that say where its own code is --- */

enum form { DIRECT, LOADED, BEHIND, FRAMED, OTHER, FORMS };

struct stripped {
	unsigned version;
	enum form form;
	uint32_t row_bytes, entry, at_bytecode; /* of the table of what is in its own code */
	uint32_t entry_at;
	bool has_no_entry; /* code of another kind is there */
	struct buf front, code;
};

static void add_bytes(struct buf *b, const void *bytes, size_t n)
{
	buf_add(b, (struct str){ bytes, n });
}

/* rip is behind the operand, which is the last of so many bytes. */
static void add_relative(struct buf *b, uint64_t start, struct str instruction, uint64_t address)
{
	buf_add(b, instruction);
	uint32_t distance = (uint32_t)(address - (start + instruction.n + 4));
	add_bytes(b, &distance, sizeof(distance));
}

/* `return value;`, where it is an address, or is found at one. */
static void add_function(struct stripped *s, unsigned i, uint32_t value, uint64_t at,
			 bool is_number)
{
	uint32_t from = FAKE_V8_FUNCTION_AT + i * FAKE_V8_FUNCTION_BYTES;
	struct buf *b = &s->code;
	while (b->n < from - FAKE_V8_CODE_AT)
		buf_add_char(b, 0);
	if (s->form == OTHER) {
		buf_add(b, STR("\x31\xc0\xc3")); /* xor eax, eax; ret */
	} else if (s->form == BEHIND) {
		add_relative(b, FAKE_V8_BLOB + from, STR("\x48\x8d\x05"), at);
		buf_add(b, is_number ? STR("\x8b\x00\xc3") : STR("\x48\x8b\x00\xc3"));
	} else if (s->form == LOADED || is_number) {
		add_relative(b, FAKE_V8_BLOB + from,
			     is_number ? STR("\x8b\x05") : STR("\x48\x8b\x05"), at);
		buf_add(b, STR("\xc3"));
	} else {
		if (s->form == FRAMED)
			buf_add(b, STR("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5"));
		buf_add(b, STR("\xb8"));
		add_bytes(b, &value, sizeof(value));
		buf_add(b, STR("\x5d\xc3"));
	}
}

static void set_row(struct stripped *s, uint32_t i, uint32_t offset, uint32_t length)
{
	uint32_t row[] = { offset, length };
	memcpy(s->front.p + 24 + i * s->row_bytes, row, sizeof(row));
}

static bool read_stripped(struct stripped *s, struct v8_layout *l)
{
	struct err e = { 0 };
	size_t table_bytes = (24 + (s->at_bytecode + 2) * s->row_bytes + 7) / 8 * 8;
	uint64_t numbers[] = { FAKE_V8_BLOB_BYTES, FAKE_V8_BLOB, FAKE_V8_DATA };
	memset(buf_reserve(&s->front, table_bytes), 0, table_bytes);
	s->front.n = table_bytes;
	add_bytes(&s->front, numbers, sizeof(numbers));
	set_row(s, s->entry, s->entry_at, 0x200);
	set_row(s, s->entry + 1, 0x600, 0x80);
	set_row(s, s->at_bytecode, 0x700, 0x40);
	set_row(s, s->at_bytecode + 1, 0x740, 0x60);
	buf_add(&s->code, STR("\x90\x90"));
	if (!s->has_no_entry)
		buf_add(&s->code, STR("\x55\x48\x89\xe5\x56\x57"));
	uint64_t at = FAKE_V8_DATA + table_bytes;
	add_function(s, 0, FAKE_V8_BLOB, at + 8, false);
	add_function(s, 1, 0, at, true);
	add_function(s, 2, FAKE_V8_DATA, at + 16, false);
	bool is_read = fake_v8_layout(&(struct fake_v8){ .version = s->version,
							 .code = buf_str(&s->code),
							 .front = buf_str(&s->front) },
				      l, &e);
	buf_fini(&s->front);
	buf_fini(&s->code);
	return is_read;
}

static bool is_range(struct v8_range r, uint64_t start, uint64_t end)
{
	return r.start == start && r.end == end;
}

static void check_stripped(unsigned version, uint32_t row_bytes, uint32_t entry,
			   uint32_t at_bytecode)
{
	for (enum form form = 0; form < FORMS; form++) {
		struct v8_layout l;
		struct stripped s = { .version = version,
				      .form = form,
				      .row_bytes = row_bytes,
				      .entry = entry,
				      .at_bytecode = at_bytecode,
				      .entry_at = 0x400 };
		bool is_read = read_stripped(&s, &l);
		bool has_profiling = version >= V8_10_8;
		bool is_found = l.blob.end == FAKE_V8_BLOB_BYTES &&
				is_range(l.interpreter[0], 0x400, 0x600) &&
				is_range(l.interpreter[1], 0x700, 0x740) &&
				is_range(l.interpreter[2], 0x740, 0x7a0) &&
				is_range(l.interpreter[3], has_profiling ? 0x600 : 0,
					 has_profiling ? 0x680 : 0);
		bool is_nothing = !l.blob.end && !l.interpreter[0].end;
		tap_ok(is_read && (form == OTHER ? is_nothing : is_found),
		       "stripped V8 %u.%u, functions of form %d: its own code is %s", l.major,
		       l.minor, form, form == OTHER ? "not known" : "found");
		v8_layout_fini(&l);
	}
}

/* Where the table cannot be right, nothing is taken of it. */
static void check_not_taken(struct stripped *s, const char *what)
{
	struct v8_layout l;
	s->version = V8_12_4;
	s->row_bytes = 12;
	s->entry = 76;
	s->at_bytecode = 86;
	tap_ok(read_stripped(s, &l) && l.blob.end && !l.interpreter[0].end,
	       "stripped: %s is not the interpreter", what);
	v8_layout_fini(&l);
}

static void test_stripped(void)
{
	check_stripped(V8_9_4, 16, 69, 76);
	check_stripped(V8_10_2, 28, 72, 79);
	check_stripped(V8_11_3, 32, 70, 78);
	check_stripped(V8_12_4, 12, 76, 86);
	check_not_taken(&(struct stripped){ .entry_at = 0x400, .has_no_entry = true },
			"other code");
	check_not_taken(&(struct stripped){ .entry_at = 0x404 }, "what begins anywhere");
	check_not_taken(&(struct stripped){ .entry_at = 0xf00 }, "what ends behind the code");
	check_not_taken(&(struct stripped){ .entry_at = UINT32_MAX }, "what is far away");
}

static void test_others(void)
{
	AUTO(buf) struct buf file = { 0 };
	struct err e = { 0 };
	fake_v8_elf(&file, &(struct fake_v8){ .without = "v8dbg_" });
	struct elf *elf = elf_of_memory(buf_str(&file), "node", &e);
	tap_ok(elf && v8_is_inside(elf), "a V8 without its constants is one");
	elf_free(elf);
	file.n = 0;
	fake_v8_elf(&file, &(struct fake_v8){ .without = "" });
	elf = elf_of_memory(buf_str(&file), "node", &e);
	tap_ok(elf && !v8_is_inside(elf), "a program without any of the symbols has no V8 inside");
	elf_free(elf);
}

int main(void)
{
	test_refusals();
	test_missing();
	test_impossible();
	for (unsigned i = 0; i < FAKE_VERSIONS; i++)
		check_version(i);
	test_origins();
	test_optional();
	test_stripped();
	test_others();
	return tap_done();
}
