/* The numbers that V8 exports for debuggers, read from its file. */
#include "v8/layout_int.h"

#define PREFIX STR("v8dbg_")

static const struct {
	const char *name, *symbols;
} constants[V8_CONSTANT_COUNT] = {
#define X(name, text, symbols) { text, symbols },
	V8_CONSTANTS(X)
#undef X
};

const char *v8_constant_name(enum v8_constant c)
{
	return constants[c].name;
}

const char *v8_origin_name(enum v8_origin origin)
{
	static const char *const names[] = { "absent", "exported", "inferred", "tabled" };
	return names[origin];
}

void v8_layout_fini(struct v8_layout *l)
{
	buf_fini(&l->bytecode_sizes);
}

/* --- symbols --- */

struct symbol_table {
	struct str rows, names;
};

static struct symbol_table table_named(struct elf *elf, struct str symbols, struct str strings)
{
	return (struct symbol_table){ elf_section_scan(elf, elf_find_section(elf, symbols)),
				      elf_section_bytes(elf, elf_find_section(elf, strings)) };
}

struct found_symbol {
	struct str name;
	uint64_t address, size_bytes;
};

/* Longer names are none of those looked for; the end of them is not looked for, either. */
static size_t name_bytes(struct str names, uint64_t at)
{
	enum { MAX_NAME_BYTES = 4 << 10 };
	return strnlen(names.p + at, names.n - at < MAX_NAME_BYTES ? names.n - at : MAX_NAME_BYTES);
}

static bool symbol_at(const struct symbol_table *t, uint64_t i, struct found_symbol *found)
{
	Elf64_Sym s;
	memcpy(&s, t->rows.p + i * sizeof(s), sizeof(s));
	if (s.st_shndx == SHN_UNDEF || s.st_name >= t->names.n)
		return false;
	const char *name = t->names.p + s.st_name;
	*found = (struct found_symbol){ { name, name_bytes(t->names, s.st_name) },
					s.st_value,
					s.st_size };
	return true;
}

/* Which of the names that a constant goes by this is; 0: none. Earlier ones count more. */
static unsigned rank_of(enum v8_constant c, struct str name)
{
	const char *rest = constants[c].symbols;
	for (unsigned rank = 1; *rest; rank++) {
		struct str wanted = { rest, strcspn(rest, "|") };
		bool is_start = str_ends(wanted, STR("_"));
		if (is_start ? str_starts(name, wanted) : str_eq(name, wanted))
			return rank;
		rest += wanted.n + (rest[wanted.n] == '|');
	}
	return 0;
}

static void take_constant(struct elf *elf, const struct found_symbol *s, struct v8_layout *l,
			  uint8_t *ranks)
{
	struct str name = str_from_byte(s->name, PREFIX.n);
	for (unsigned c = 0; c < V8_CONSTANT_COUNT; c++) {
		unsigned rank = rank_of(c, name);
		if (!rank || (ranks[c] && ranks[c] <= rank) ||
		    !v8_file_read(elf, s->address, &l->value[c], sizeof(l->value[c])))
			continue;
		l->origin[c] = V8_EXPORTED;
		ranks[c] = (uint8_t)rank;
	}
}

/* --- what is in the program besides --- */

struct other_symbols {
	uint64_t version[3]; /* where major, minor and build are */
	struct blob_symbols blob;
	struct found_symbol sizes;
	int32_t tagged_bytes;
};

static void take_interpreter(const struct found_symbol *s, struct elf *elf, struct v8_layout *l)
{
	static const struct str names[V8_INTERPRETER_RANGES] = {
		STR("Builtins_InterpreterEntryTrampoline"),
		STR("Builtins_InterpreterEnterAtBytecode"),
		STR("Builtins_InterpreterEnterAtNextBytecode"),
		STR("Builtins_InterpreterEntryTrampolineForProfiling"),
	};
	uint64_t offset;
	for (unsigned i = 0; i < V8_INTERPRETER_RANGES; i++)
		if (str_eq(s->name, names[i]) && elf_offset_of_address(elf, s->address, &offset))
			l->interpreter[i] = (struct v8_range){ offset, offset + s->size_bytes };
}

static void take_other(struct elf *elf, const struct found_symbol *s, struct v8_layout *l,
		       struct other_symbols *o)
{
	const struct {
		struct str name;
		uint64_t *address;
	} wanted[] = {
		{ STR("_ZN2v88internal7Version6major_E"), &o->version[0] },
		{ STR("_ZN2v88internal7Version6minor_E"), &o->version[1] },
		{ STR("_ZN2v88internal7Version6build_E"), &o->version[2] },
		{ STR("v8_Default_embedded_blob_code_"), &o->blob.code },
		{ STR("v8_Default_embedded_blob_code_data_"), &o->blob.code_bytes },
		{ STR("v8_Default_embedded_blob_code_size_"), &o->blob.code_size },
		{ STR("_ZN2v88internal23DefaultEmbeddedBlobCodeEv"), &o->blob.code_function },
		{ STR("_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv"),
		  &o->blob.code_size_function },
		{ STR("_ZN2v88internal23DefaultEmbeddedBlobDataEv"), &o->blob.data_function },
	};
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (str_eq(s->name, wanted[i].name))
			*wanted[i].address = s->address;
	if (str_starts(s->name, STR("Builtins_Interpreter")))
		take_interpreter(s, elf, l);
	else if (str_eq(s->name, STR("_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE")))
		o->sizes = *s;
	else if (str_eq(s->name, STR("v8dbg_TaggedSize")))
		v8_file_read(elf, s->address, &o->tagged_bytes, sizeof(o->tagged_bytes));
}

static void read_symbols(struct elf *elf, const struct symbol_table *t, struct v8_layout *l,
			 struct other_symbols *o)
{
	uint8_t ranks[V8_CONSTANT_COUNT] = { 0 };
	struct found_symbol s;
	for (uint64_t i = 0; i < t->rows.n / sizeof(Elf64_Sym); i++) {
		if (!symbol_at(t, i, &s))
			continue;
		if (str_starts(s.name, PREFIX))
			take_constant(elf, &s, l, ranks);
		take_other(elf, &s, l, o);
	}
}

static bool read_version(struct elf *elf, const struct other_symbols *o, struct v8_layout *l)
{
	return o->version[0] && o->version[1] &&
	       v8_file_read(elf, o->version[0], &l->major, sizeof(l->major)) &&
	       v8_file_read(elf, o->version[1], &l->minor, sizeof(l->minor)) &&
	       (!o->version[2] || v8_file_read(elf, o->version[2], &l->build, sizeof(l->build)));
}

static void find_bytecode_sizes(struct elf *elf, const struct other_symbols *o, struct v8_layout *l)
{
	enum { SCALES = 3, MAX_BYTECODES = 256 };
	uint64_t n = o->sizes.size_bytes;
	if (!n || n % SCALES || n / SCALES > MAX_BYTECODES)
		return;
	if (v8_file_read(elf, o->sizes.address, buf_reserve(&l->bytecode_sizes, n), n))
		l->bytecode_sizes.n = n;
}

/* --- all --- */

bool v8_is_inside(struct elf *elf)
{
	/* One that lacks its constants is to be told from a program without V8. */
	static const struct str signs[] = { STR("v8dbg_class_SharedFunctionInfo"),
					    STR("_ZN2v88internal7Version6major_E") };
	struct str dynamic = elf_section_scan(elf, elf_find_section(elf, STR(".dynstr")));
	struct str all = elf_section_scan(elf, elf_find_section(elf, STR(".strtab")));
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (str_find(dynamic, signs[i]) >= 0 || str_find(all, signs[i]) >= 0)
			return true;
	return false;
}

/* All of them are, but for those of objects that came or went with a version. */
static bool is_needed(const struct v8_layout *l, enum v8_constant c)
{
	switch (c) {
	case V8_TYPE_INSTRUCTION_STREAM:
		return !l->has_code_inside;
	case V8_DEBUG_INFO_SCRIPT:
	case V8_TYPE_DEBUG_INFO:
		return l->has_debug_info;
	case V8_SFI_WRAPPER_SHARED:
	case V8_TYPE_SFI_WRAPPER:
		return l->has_shared_wrapper;
	default:
		return true;
	}
}

/* What is exported is in a file that anybody may have made: no object that is looked at is so large. */
static bool is_possible(const struct v8_layout *l, enum v8_constant c)
{
	enum { MAX_FIELD = 88, MAX_OF_CODE = 56, MAX_CODE_HEAD = 256 };
	enum { MAX_SHARED = 32, MAX_DEOPT = 15, SLOTS = 64 };
	int32_t value = l->value[c], most = MAX_FIELD;
	if (c >= V8_FRAME_CONTEXT && c <= V8_FRAME_BYTECODE_OFFSET)
		return value < 0 && value >= -SLOTS;
	if (c >= V8_TYPE_SFI || c == V8_FIRST_NONSTRING_TYPE)
		most = UINT16_MAX;
	else if (c == V8_JS_FUNCTION_SHARED)
		most = MAX_SHARED;
	else if (c == V8_CODE_START && l->has_code_inside)
		most = MAX_CODE_HEAD;
	else if (c >= V8_CODE_DEOPT_DATA && c <= V8_CODE_FLAGS)
		most = MAX_OF_CODE;
	else if (c == V8_DEOPT_INLINING)
		most = MAX_DEOPT;
	else if (c == V8_DEOPT_SFI || c == V8_DEOPT_LITERALS)
		most = l->value[V8_DEOPT_INLINING];
	return value >= 0 && value <= most;
}

static bool is_complete(const struct v8_layout *l, struct err *e)
{
	for (unsigned c = 0; c < V8_CONSTANT_COUNT; c++) {
		if (!l->origin[c] && is_needed(l, c))
			return err_set(e,
				       "its V8 %u.%u does not export %s, so JavaScript functions "
				       "cannot be named from outside",
				       l->major, l->minor, constants[c].name);
		if (l->origin[c] && !is_possible(l, c))
			return err_set(e,
				       "its V8 %u.%u says that %s is %d, which is impossible: is "
				       "the file damaged?",
				       l->major, l->minor, constants[c].name, l->value[c]);
	}
	return true;
}

bool v8_layout_read(struct elf *elf, struct v8_layout *l, struct err *e)
{
	struct other_symbols o = { 0 };
	AUTO(buf) struct buf known = { 0 };
	*l = (struct v8_layout){ 0 };
	struct symbol_table all = table_named(elf, STR(".symtab"), STR(".strtab"));
	struct symbol_table dynamic = table_named(elf, STR(".dynsym"), STR(".dynstr"));
	if (!elf->is_64 || elf->machine != EM_X86_64)
		return err_set(e, "it is not an x86-64 program, and plume cannot read V8 on other "
				  "machines yet");
	read_symbols(elf, &all, l, &o);
	read_symbols(elf, &dynamic, l, &o);
	if (!read_version(elf, &o, l))
		return err_set(
			e, "its V8 does not give its version: were its exported symbols stripped?");
	if (o.tagged_bytes && o.tagged_bytes != sizeof(uint64_t))
		return err_set(e, "its V8 %u.%u compresses pointers, which is not supported yet",
			       l->major, l->minor);
	if (!v8_layout_complete(l)) {
		v8_layout_known(&known);
		return err_set(e, "its V8 %u.%u is not one that plume knows: %.*s", l->major,
			       l->minor, STR_ARG(buf_str(&known)));
	}
	if (!is_complete(l, e))
		return false;
	v8_layout_find_blob(elf, &o.blob, l);
	find_bytecode_sizes(elf, &o, l);
	return true;
}
