/* Finds .gopclntab, in any version, and its functions. */
#include "debug_info/go_int.h"

enum {
	HEADER_BYTES = 8,
	WORK_TO_START = 1 << 20,
	WORK_OF_BYTE = 16, /* real programs need about two if everything is looked up */
	MIN_FUNCTIONS = 1,
};

/* --- header --- */

static bool read_version(struct str bytes, enum go_version *version)
{
	static const uint32_t magics[] = { [GO_1_2] = 0xfffffffb,
					   [GO_1_16] = 0xfffffffa,
					   [GO_1_18] = 0xfffffff0,
					   [GO_1_20] = 0xfffffff1 };
	uint64_t magic;
	if (bytes.n < HEADER_BYTES || !go_read(bytes, 0, 4, &magic))
		return false;
	for (unsigned i = 0; i < ARRAY_SIZE(magics); i++)
		if (magic == magics[i]) {
			*version = (enum go_version)i;
			return true;
		}
	return false;
}

/* Magic number, two zeros, instruction alignment, pointer size. */
static bool read_header(struct go_table *t, struct str bytes)
{
	if (!read_version(bytes, &t->version) || bytes.p[4] || bytes.p[5])
		return false;
	t->bytes = bytes;
	t->quantum = (uint8_t)bytes.p[6];
	t->pointer_bytes = (uint8_t)bytes.p[7];
	return (t->quantum == 1 || t->quantum == 2 || t->quantum == 4) &&
	       t->pointer_bytes == (t->elf->is_64 ? 8 : 4);
}

static uint64_t header_word(const struct go_table *t, unsigned i)
{
	return go_number(t->bytes, HEADER_BYTES + (uint64_t)i * t->pointer_bytes, t->pointer_bytes);
}

static struct str header_part(const struct go_table *t, unsigned i)
{
	return str_from_byte(t->bytes, header_word(t, i));
}

/* A single table, whose offsets count from the header; the files come after the functions. */
static void read_parts_of_1_2(struct go_table *t)
{
	uint64_t entries = header_word(t, 0), list = HEADER_BYTES + t->pointer_bytes;
	t->names = t->values = t->functions = t->bytes;
	t->list = list;
	if (entries > t->bytes.n)
		return;
	uint64_t files = list + (2 * entries + 1) * t->pointer_bytes;
	t->files = str_from_byte(t->bytes, go_number(t->bytes, files, 4));
}

/* Words: functions, files, since 1.18 the text's address, then the offsets of the parts. */
static void read_parts(struct go_table *t)
{
	unsigned first = t->version >= GO_1_18 ? 3 : 2;
	if (t->version >= GO_1_18)
		t->text = header_word(t, 2);
	t->names = header_part(t, first);
	t->units = header_part(t, first + 1);
	t->files = header_part(t, first + 2);
	t->values = header_part(t, first + 3);
	t->functions = header_part(t, first + 4);
}

/* --- functions --- */

/* An entry of the list: the function's start and its record. */
static unsigned entry_bytes(const struct go_table *t)
{
	return t->version >= GO_1_18 ? 4 : t->pointer_bytes;
}

static bool is_code(const struct elf *elf, uint64_t address)
{
	for (uint32_t i = 0; i < elf->segments.n; i++) {
		const struct elf_segment *s = &elf->segments.p[i];
		if (s->is_executable && address >= s->address &&
		    address - s->address < s->memory_bytes)
			return true;
	}
	return false;
}

/* Keeps the entries up to the first one that is out of order. */
static void keep_ascending(struct go_table *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (t->starts[i] >= t->starts[i + 1])
			t->count = i;
}

static bool read_functions(struct go_table *t)
{
	uint64_t count = header_word(t, 0), n = entry_bytes(t);
	struct str list = str_from_byte(t->functions, t->list);
	if (count < MIN_FUNCTIONS || count > UINT32_MAX / 2 || list.n / (2 * n) < count ||
	    list.n - 2 * n * count < n)
		return false;
	t->held_bytes = (count + 1) * sizeof(*t->starts);
	if (!budget_hold(&t->elf->budget, t->held_bytes)) {
		t->held_bytes = 0;
		return false;
	}
	t->count = (uint32_t)count;
	t->starts = mem_alloc(count + 1, sizeof(*t->starts));
	for (uint64_t i = 0; i <= count; i++)
		t->starts[i] = go_number(list, 2 * n * i, (unsigned)n);
	uint64_t list_address = t->address + (uint64_t)(list.p - t->bytes.p);
	if (t->version < GO_1_18 && !t->starts[0])
		go_module_relocate_starts(t, list_address, (unsigned)(2 * n));
	return true;
}

/* Since 1.18 starts are relative to the text, whose address is not always in the header. */
static void move_starts(struct go_table *t)
{
	bool has_module = go_module_find(t);
	const struct elf_section *text = elf_find_section(t->elf, STR(".text"));
	if (!has_module && !t->text && text)
		t->text = text->address;
	for (uint32_t i = 0; i <= t->count; i++)
		t->starts[i] += t->text;
}

static void forget_starts(struct go_table *t)
{
	budget_release(&t->elf->budget, t->held_bytes);
	free(t->starts);
}

static bool read_table(struct go_table *t, struct str bytes, uint64_t address)
{
	forget_starts(t);
	*t = (struct go_table){ .elf = t->elf, .address = address };
	if (!read_header(t, bytes))
		return false;
	t->work_left = WORK_TO_START + (uint64_t)WORK_OF_BYTE * bytes.n;
	if (t->version == GO_1_2)
		read_parts_of_1_2(t);
	else
		read_parts(t);
	if (!read_functions(t))
		return false;
	if (t->version >= GO_1_18)
		move_starts(t);
	else if (t->version == GO_1_16)
		t->has_inlines = go_funcdata_is_at(t, 0);
	keep_ascending(t);
	return t->count && is_code(t->elf, t->starts[0]);
}

/* --- location --- */

struct str go_bytes_at(const struct elf *elf, uint64_t address)
{
	for (uint32_t i = 0; i < elf->segments.n; i++) {
		const struct elf_segment *s = &elf->segments.p[i];
		if (address < s->address || address - s->address >= s->file_bytes)
			continue;
		struct str all = str_from_byte(elf->bytes, s->offset);
		return str_from_byte(str_first(all, s->file_bytes), address - s->address);
	}
	return STR("");
}

static bool read_section(struct go_table *t, const struct elf_section *s)
{
	struct str bytes = elf_section_bytes(t->elf, s);
	return bytes.n && read_table(t, bytes, s->address);
}

/* Whether the file may hold a table that has no section of its own: C linkers put it into .data.rel.ro. */
static bool may_have_table(const struct elf *elf)
{
	if (!elf->sections.n)
		return true;
	for (uint32_t i = 0; i < elf->sections.n; i++)
		if (str_starts(elf->sections.p[i].name, STR(".go.")) ||
		    str_eq(elf->sections.p[i].name, STR(".note.go.buildid")))
			return true;
	return false;
}

static bool scan_segment(struct go_table *t, const struct elf_segment *s)
{
	enum { MAX_TRIED = 64 };
	struct str bytes = str_first(str_from_byte(t->elf->bytes, s->offset), s->file_bytes);
	enum go_version version;
	unsigned tried = 0;
	if (!budget_work(&t->elf->budget, bytes.n))
		return false;
	for (size_t at = 0; at + HEADER_BYTES <= bytes.n && tried < MAX_TRIED; at += 8) {
		if (!read_version(str_from_byte(bytes, at), &version))
			continue;
		tried++;
		if (read_table(t, str_from_byte(bytes, at), s->address + at))
			return true;
	}
	return false;
}

static bool find_table(struct go_table *t)
{
	static const struct str names[] = { { ".gopclntab", 10 },
					    { ".data.rel.ro.gopclntab", 22 } };
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		const struct elf_section *s = elf_find_section(t->elf, names[i]);
		if (s)
			return read_section(t, s);
	}
	for (uint32_t i = 0; may_have_table(t->elf) && i < t->elf->segments.n; i++)
		if (!t->elf->segments.p[i].is_executable && scan_segment(t, &t->elf->segments.p[i]))
			return true;
	return false;
}

struct go_table *go_table_new(struct elf *elf)
{
	struct go_table *t = mem_zalloc(1, sizeof(*t));
	t->elf = elf;
	if (find_table(t))
		return t;
	go_table_free(t);
	return NULL;
}

void go_table_free(struct go_table *t)
{
	if (!t)
		return;
	forget_starts(t);
	free(t);
}

uint64_t go_table_address(const struct go_table *t)
{
	return t->address;
}

struct str go_table_names(const struct go_table *t)
{
	return t->names;
}

bool go_table_gave_up(const struct go_table *t)
{
	return !t->work_left;
}

/* --- lookup --- */

uint32_t go_table_count(const struct go_table *t)
{
	return t->count;
}

bool go_table_get(const struct go_table *t, uint32_t i, struct go_function *f)
{
	uint64_t n = entry_bytes(t), record;
	if (i >= t->count ||
	    !go_read(t->functions, t->list + (2 * (uint64_t)i + 1) * n, (unsigned)n, &record))
		return false;
	*f = (struct go_function){ .start = t->starts[i],
				   .end = t->starts[i + 1],
				   .record = record };
	return go_field(t, f, GO_NAME, &f->name);
}

bool go_table_find(const struct go_table *t, uint64_t address, struct go_function *f)
{
	uint32_t low = 0, high = t->count;
	if (address < t->starts[0] || address >= t->starts[t->count])
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (t->starts[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return go_table_get(t, low - 1, f);
}
