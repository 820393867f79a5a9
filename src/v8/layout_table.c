/*
 * What V8 does not export, by version. Every row was proven on builds of all versions it covers, by
 * comparing names and lines with V8's own (test/suite/js_names.sh).
 */
#include "v8/layout_int.h"

/* Versions of V8 in Node.js 16 to 26, each as major * 100 + minor. */
static const uint16_t known_versions[] = { 904,	 906,  1002, 1008, 1103, 1108,
					   1204, 1209, 1306, 1401, 1406 };

enum { FIRST = 904, LAST = 1406 };

static const struct {
	uint16_t constant, from, to;
	int32_t value;
} rows[] = {
	{ V8_SFI_DATA, 1204, LAST, 8 },
	{ V8_DEBUG_INFO_SCRIPT, FIRST, 1103, 16 },
	{ V8_SCRIPT_SOURCE, 904, 904, 8 },
	{ V8_SCRIPT_LINE_OFFSET, FIRST, LAST, 24 },
	{ V8_SCRIPT_COLUMN_OFFSET, FIRST, LAST, 32 },
	{ V8_SCRIPT_ID, FIRST, LAST, 64 },
	{ V8_EXTERNAL_DATA, FIRST, LAST, 24 },
	{ V8_CODE_DEOPT_DATA, FIRST, 1103, 16 },
	{ V8_CODE_DEOPT_DATA, 1108, LAST, 8 },
	{ V8_CODE_POSITIONS, FIRST, 1103, 24 },
	{ V8_CODE_POSITIONS, 1108, LAST, 16 },
	{ V8_CODE_START, 1103, 1103, 40 },
	{ V8_CODE_START, 1108, 1108, 32 },
	{ V8_CODE_SIZE, 1103, 1103, 56 },
	{ V8_CODE_SIZE, 1108, 1108, 44 },
	{ V8_CODE_FLAGS, FIRST, 1103, 48 },
	{ V8_CODE_FLAGS, 1108, 1108, 40 },
	{ V8_CODE_KIND_BASELINE, 904, 904, 11 },
	{ V8_BYTECODE_DATA, 904, 904, 54 },
	{ V8_BYTECODE_POSITIONS, FIRST, 1108, 32 },
	{ V8_BYTECODE_POSITIONS, 1204, LAST, 24 },
	{ V8_DEOPT_LITERALS, FIRST, 1002, 2 },
	{ V8_DEOPT_SFI, FIRST, 1002, 6 },
	{ V8_DEOPT_INLINING, FIRST, 1002, 7 },
	{ V8_FRAME_BYTECODE_ARRAY, 904, 904, -32 },
	{ V8_FRAME_BYTECODE_OFFSET, 904, 904, -40 },
};

/* V8's TRANSLATION_OPCODE_LIST. */
static const struct v8_translations translations[] = {
	{ FIRST, 1002, "2103113131111111115334111112", { 3, 3 }, { 18, 18 }, 0, true },
	{ 1008, 1008, "103113131111121111111153340111112", { 2, 2 }, { 22, 22 }, 0, false },
	{ 1103, 1103, "103311313111112111111115333401111121", { 2, 3 }, { 23, 24 }, 35, false },
	{ 1108, 1204, "5333213432103311111111111111111101111121", { 12, 13 }, { 0, 1 }, 39, false },
	{ 1209,
	  1209,
	  "53332134332100331111111111111111111101111121",
	  { 14, 15 },
	  { 0, 1 },
	  43,
	  false },
	{ 1306,
	  LAST,
	  "643321343331003311101111111111111111101111121",
	  { 14, 15 },
	  { 0, 1 },
	  44,
	  false },
};

static void find_translations(struct v8_layout *l, uint32_t version)
{
	for (size_t i = 0; i < ARRAY_SIZE(translations); i++)
		if (version >= translations[i].from && version <= translations[i].to)
			l->translations = &translations[i];
}

static uint8_t jump_loop(uint32_t version)
{
	static const struct {
		uint16_t to;
		uint8_t bytecode;
	} of[] = { { 906, 0x88 },  { 1103, 0x89 }, { 1108, 0x8a },
		   { 1209, 0x8e }, { 1306, 0x92 }, { LAST, 0x95 } };
	size_t i = 0;
	while (i + 1 < ARRAY_SIZE(of) && version > of[i].to)
		i++;
	return of[i].bytecode;
}

/*
 * The types of functions are one behind the other, that of constructors of classes (from 9.6 on) last; how
 * many there are was not always exported.
 */
static void infer(struct v8_layout *l)
{
	if (!l->origin[V8_TYPE_LAST_FUNCTION] && l->origin[V8_TYPE_FIRST_FUNCTION]) {
		l->value[V8_TYPE_LAST_FUNCTION] =
			l->value[V8_TYPE_FIRST_FUNCTION] + (v8_version(l) < 906 ? 13 : 15);
		l->origin[V8_TYPE_LAST_FUNCTION] = V8_INFERRED;
	}
}

static bool is_known(const struct v8_layout *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_versions); i++)
		if (known_versions[i] / 100 == l->major && known_versions[i] % 100 == l->minor)
			return true;
	return false;
}

void v8_layout_known(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_versions); i++)
		buf_addf(out, "%s%u.%u", i ? ", " : "", known_versions[i] / 100u,
			 known_versions[i] % 100u);
}

bool v8_layout_complete(struct v8_layout *l)
{
	uint32_t version = v8_version(l);
	if (!is_known(l))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (l->origin[rows[i].constant] || version < rows[i].from || version > rows[i].to)
			continue;
		l->value[rows[i].constant] = rows[i].value;
		l->origin[rows[i].constant] = V8_TABLED;
	}
	infer(l);
	l->has_code_inside = version < 1100;
	l->code_alignment = l->major == 11 ? 8 : 32;
	l->has_raw_scope_flags = version >= 1209;
	l->has_early_modules = version >= 1204;
	l->has_hashed_names = version >= 1000;
	l->has_receiver_info = version < 1000;
	l->has_class_positions = version >= 1000;
	l->has_debug_info = version <= 1103;
	l->has_shared_wrapper = version >= 1209;
	l->has_numbers = version >= 1108;
	l->has_unsigned_offsets = version >= 1401;
	l->has_maglev = version >= 1008;
	l->regexp_kind = version >= 1406 ? 4 : 3;
	l->jump_loop = jump_loop(version);
	l->exit_bytes = version == 904 ? 7 : 4;
	l->has_frame_size = version >= 1306;
	l->has_all_positions = version >= 1204; /* Turboshaft; before, allocations had none */
	find_translations(l, version);
	return true;
}
