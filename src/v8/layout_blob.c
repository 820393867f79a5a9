/*
 * V8's own code in its file: the embedded blob. The symbols that locate it are removed by `strip`.
 * What remains are the exported functions that return it, one or two instructions each, and the
 * blob's own table of contents, which has no names but is in the order of V8's list of builtins.
 */
#include "v8/layout_int.h"

bool v8_file_read(struct elf *elf, uint64_t address, void *to, size_t n)
{
	uint64_t offset;
	if (!elf_offset_of_address(elf, address, &offset) || offset > elf->bytes.n ||
	    elf->bytes.n - offset < n)
		return false;
	memcpy(to, elf->bytes.p + offset, n);
	return true;
}

/* --- what a function returns --- */

/* n: bytes of what it returns. */
static bool returned_by(struct elf *elf, uint64_t function, void *to, size_t n)
{
	enum { MOST_BYTES = 24 };
	char code[MOST_BYTES];
	struct v8_answer answer;
	if (!function || !v8_file_read(elf, function, code, sizeof(code)) ||
	    !v8_answer_of((struct str){ code, sizeof(code) }, function, &answer))
		return false;
	if (answer.is_behind)
		return v8_file_read(elf, answer.address, to, n);
	memcpy(to, &answer.address, n);
	return true;
}

/* --- where it is --- */

/* Up to 10.2 the symbol is a pointer to the code, which has one of its own. */
static bool find_code(struct elf *elf, const struct blob_symbols *s, uint64_t *address,
		      uint32_t *size_bytes)
{
	*address = s->code_bytes ? s->code_bytes : s->code;
	if (*address && s->code_size)
		return v8_file_read(elf, s->code_size, size_bytes, sizeof(*size_bytes));
	return returned_by(elf, s->code_function, address, sizeof(*address)) &&
	       returned_by(elf, s->code_size_function, size_bytes, sizeof(*size_bytes));
}

/* --- the interpreter in it --- */

/* Of each version: which of the builtins it is, from 0, and how many bytes the table has for each. */
static const struct {
	uint16_t version;
	uint8_t row_bytes, entry, at_bytecode;
} tables[] = {
	{ 904, 16, 69, 76 },  { 906, 16, 75, 82 },  { 1002, 28, 72, 79 }, { 1008, 32, 69, 77 },
	{ 1103, 32, 70, 78 }, { 1108, 12, 73, 82 }, { 1204, 12, 76, 86 }, { 1209, 12, 75, 85 },
	{ 1306, 12, 81, 91 }, { 1401, 12, 83, 93 }, { 1406, 12, 83, 93 },
};

struct builtin_table {
	struct elf *elf;
	const struct v8_layout *l;
	uint64_t address;
	uint32_t row_bytes;
};

/* Empty: there is none. */
static struct v8_range builtin(const struct builtin_table *t, uint32_t i)
{
	enum { HASHES = 24 };
	uint32_t row[2]; /* offset and length */
	uint64_t most = t->l->blob.end - t->l->blob.start;
	if (!v8_file_read(t->elf, t->address + HASHES + (uint64_t)i * t->row_bytes, row,
			  sizeof(row)) ||
	    row[0] > most || row[1] > most - row[0] || row[0] % 32)
		return (struct v8_range){ 0 };
	uint64_t start = t->l->blob.start + row[0];
	return (struct v8_range){ start, start + row[1] };
}

static bool is_entry(struct elf *elf, struct v8_range r)
{
	struct str code = str_from_byte(elf->bytes, r.start);
	return v8_is_interpreter_entry(str_first(code, r.end - r.start));
}

static void find_interpreter(const struct builtin_table *t, uint32_t entry, uint32_t at_bytecode,
			     struct v8_layout *l)
{
	bool has_profiling = v8_version(l) >= 1008;
	if (builtin(t, 0).start != l->blob.start || !is_entry(t->elf, builtin(t, entry)))
		return;
	l->interpreter[0] = builtin(t, entry);
	l->interpreter[1] = builtin(t, at_bytecode);
	l->interpreter[2] = builtin(t, at_bytecode + 1);
	if (has_profiling)
		l->interpreter[3] = builtin(t, entry + 1);
}

void v8_layout_find_blob(struct elf *elf, const struct blob_symbols *s, struct v8_layout *l)
{
	uint32_t size = 0;
	uint64_t address, offset;
	struct builtin_table t = { .elf = elf, .l = l };
	if (!find_code(elf, s, &address, &size) || !elf_offset_of_address(elf, address, &offset))
		return;
	l->blob_address = address;
	l->blob = (struct v8_range){ offset, offset + size };
	if (l->interpreter[0].end ||
	    !returned_by(elf, s->data_function, &t.address, sizeof(t.address)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (tables[i].version != v8_version(l))
			continue;
		t.row_bytes = tables[i].row_bytes;
		find_interpreter(&t, tables[i].entry, tables[i].at_bytecode, l);
	}
}
