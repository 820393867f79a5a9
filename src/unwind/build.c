/*
 * Builds a table from .eh_frame. Where that has no entry, uses Go's own table, which knows where
 * functions save the frame pointer, or .debug_frame.
 */
#include "unwind/table_int.h"

enum {
	EH_FRAME,
	DEBUG_FRAME,
	SECTIONS,
	GO_TABLE = SECTIONS,
	CIES_KEPT = 16,
	MAX_PROGRAM_BYTES = 1 << 20,
	BYTES_OF_FUNCTION = 64, /* while it is built, with its place in the order */
};

struct function {
	uint32_t start, size_bytes; /* from the base on */
	uint32_t cie;		    /* of Go: the function's number */
	uint32_t section;
	struct str program;
};

/* A CIE whose program has run. */
struct ready_cie {
	bool is_used, is_good;
	uint32_t at, section;
	struct cfi_cie cie;
	struct cfi_state state;
};

struct build {
	const struct unwind_machine *machine;
	struct elf *elf; /* NULL: there is no file, only .eh_frame of this code */
	uint64_t code_start, code_end;
	struct budget *budget;
	struct cfi_section sections[SECTIONS];
	struct go_table *go; /* NULL: none */
	uint64_t base;
	VEC(struct function) functions;
	struct ready_cie cies[CIES_KEPT];
	struct table_rows rows;
	uint64_t held_bytes; /* of the budget, for rows */
	bool is_full;	     /* there is no budget for more of them */
};

static void build_fini(struct build *b)
{
	go_table_free(b->go);
	vec_fini(&b->functions);
	vec_fini(&b->rows.starts);
	vec_fini(&b->rows.rules);
	rule_pool_fini(&b->rows.pool);
}

/* --- what there is --- */

static uint64_t address_of(const struct elf *elf, struct str name)
{
	const struct elf_section *s = elf_find_section(elf, name);
	return s ? s->address : 0;
}

static void find_section(struct build *b, uint32_t which, struct str name)
{
	const struct elf_section *s = elf_find_section(b->elf, name);
	struct str bytes = elf_section_scan(b->elf, s);
	uint64_t got = address_of(b->elf, STR(".got.plt"));
	b->sections[which] = (struct cfi_section){
		.elf = b->elf,
		.bytes = str_first(bytes, UINT32_MAX),
		.address = s ? s->address : 0,
		.text_address = address_of(b->elf, STR(".text")),
		.data_address = got ? got : address_of(b->elf, STR(".got")),
		.is_eh_frame = which == EH_FRAME,
	};
}

/* Linkers leave entries of functions that they removed; those begin at 0 or at the end of everything. */
static bool is_code(const struct build *b, uint64_t address)
{
	const struct elf *elf = b->elf;
	bool has_code = false;
	if (!elf)
		return address >= b->code_start && address < b->code_end;
	for (uint32_t i = 0; i < elf->segments.n; i++) {
		const struct elf_segment *s = &elf->segments.p[i];
		if (!s->is_executable)
			continue;
		has_code = true;
		if (address >= s->address && address - s->address < s->memory_bytes)
			return true;
	}
	return !has_code;
}

/* False: there is no budget for more of them. */
static bool add_function(struct build *b, uint32_t section, const struct cfi_fde *fde)
{
	uint64_t start = fde->start - b->base, size_bytes = fde->end - fde->start;
	if (!b->elf && fde->end > b->code_end)
		size_bytes = b->code_end - fde->start;
	if (fde->start < b->base || start >= UINT32_MAX || !is_code(b, fde->start))
		return true;
	if (!budget_hold(b->budget, BYTES_OF_FUNCTION))
		return false;
	if (size_bytes > UINT32_MAX - start)
		size_bytes = UINT32_MAX - start;
	vec_push(&b->functions,
		 (struct function){ (uint32_t)start, (uint32_t)size_bytes, (uint32_t)fde->cie,
				    section, str_first(fde->program, MAX_PROGRAM_BYTES) });
	return true;
}

static void list_functions(struct build *b, uint32_t section)
{
	struct cfi_list list = { .section = &b->sections[section] };
	struct cfi_fde fde;
	bool has_fde;
	while (cfi_next(&list, &has_fde, &fde))
		if (has_fde && !add_function(b, section, &fde))
			return;
}

static void list_go_functions(struct build *b)
{
	struct go_function f;
	if (b->machine->go_saves_frame_pointer)
		b->go = go_table_new(b->elf);
	for (uint32_t i = 0; b->go && i < go_table_count(b->go); i++)
		if (go_table_get(b->go, i, &f) &&
		    !add_function(b, GO_TABLE,
				  &(struct cfi_fde){ .start = f.start, .end = f.end, .cie = i }))
			return;
}

/* --- order --- */

static bool are_sorted(const uint64_t *keys, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (keys[i - 1] > keys[i])
			return false;
	return true;
}

/* By the upper half of each key, byte by byte from the lowest; equal ones stay as they are. */
static void sort_keys(uint64_t *keys, uint64_t *room, uint32_t n)
{
	for (unsigned shift = 32; shift < 64 && !are_sorted(keys, n); shift += 8) {
		uint32_t first[257] = { 0 };
		for (uint32_t i = 0; i < n; i++)
			first[(keys[i] >> shift & 0xff) + 1]++;
		for (unsigned i = 1; i < 257; i++)
			first[i] += first[i - 1];
		for (uint32_t i = 0; i < n; i++)
			room[first[keys[i] >> shift & 0xff]++] = keys[i];
		memcpy(keys, room, n * sizeof(*keys));
	}
}

/* .eh_frame comes first in the list, then Go's table: that is the order where several know a function. */
static uint64_t *order_functions(const struct build *b)
{
	uint32_t n = b->functions.n;
	uint64_t *keys = mem_alloc(n, sizeof(*keys));
	AUTO_FREE uint64_t *room = mem_alloc(n, sizeof(*room));
	for (uint32_t i = 0; i < n; i++)
		keys[i] = (uint64_t)b->functions.p[i].start << 32 | i;
	sort_keys(keys, room, n);
	return keys;
}

/* --- rows --- */

static void add_row(struct build *b, uint32_t start, uint32_t rule)
{
	struct table_rows *rows = &b->rows;
	if (rows->starts.n && rows->starts.p[rows->starts.n - 1] == start)
		rows->rules.p[rows->rules.n - 1] = rule;
	else if (rows->rules.n ? rows->rules.p[rows->rules.n - 1] != rule : rule != RULE_NONE) {
		vec_push(&rows->starts, start);
		vec_push(&rows->rules, rule);
	}
}

static uint64_t rows_bytes(const struct table_rows *rows)
{
	return 2 * sizeof(uint32_t) * (uint64_t)rows->starts.n +
	       sizeof(uint32_t) * (uint64_t)rows->pool.words.n + rows->pool.expressions.n;
}

/* A few bytes of a program can make a row of a hundred. */
static bool has_room(struct build *b)
{
	enum { STEP_BYTES = 1 << 20, SMALL_STEP_BYTES = 1 << 10 };
	uint64_t step_bytes = b->elf ? STEP_BYTES : SMALL_STEP_BYTES;
	if (rows_bytes(&b->rows) >= b->held_bytes) {
		b->is_full = b->is_full || !budget_hold(b->budget, step_bytes);
		b->held_bytes += b->is_full ? 0 : step_bytes;
	}
	return !b->is_full;
}

static void on_row(void *context, uint64_t start, uint32_t rule)
{
	struct build *b = context;
	if (!has_room(b))
		return;
	add_row(b, (uint32_t)(start - b->base), rule);
}

static struct ready_cie *ready_cie(struct build *b, const struct function *f,
				   struct cfi_program *program)
{
	struct ready_cie *c = &b->cies[(f->cie / 4 + f->section) % CIES_KEPT];
	program->cie = &c->cie;
	if (c->is_used && c->at == f->cie && c->section == f->section)
		return c;
	c->is_used = true;
	c->at = f->cie;
	c->section = f->section;
	c->is_good =
		cfi_read_cie(program->section, f->cie, &c->cie) && cfi_run_cie(program, &c->state);
	return c;
}

static void add_go_rows(struct build *b, const struct function *f, uint32_t end)
{
	struct go_rules rules = { b->machine, b->elf, b->go, &b->rows.pool, on_row, b };
	struct go_function function;
	if (go_table_get(b->go, f->cie, &function))
		go_rules_run(&rules, &function, b->base + end);
	add_row(b, end, RULE_NONE);
}

/* Rows of f up to `end`, where the next one begins. */
static void add_function_rows(struct build *b, const struct function *f, uint32_t end)
{
	if (f->section == GO_TABLE) {
		add_go_rows(b, f, end);
		return;
	}
	struct cfi_program program = { .machine = b->machine,
				       .section = &b->sections[f->section],
				       .pool = &b->rows.pool };
	struct ready_cie *cie = ready_cie(b, f, &program);
	struct cfi_fde fde = { .start = b->base + f->start,
			       .end = b->base + end,
			       .cie = f->cie,
			       .program = f->program };
	if (!cie->is_good || b->is_full)
		return;
	program.initial = &cie->state;
	program.emit = on_row;
	program.context = b;
	cfi_run_fde(&program, &fde);
	add_row(b, end, RULE_NONE);
}

/* Whether .debug_frame has nothing to add to this one. */
static bool is_covered(const struct function *f, uint32_t covered_to)
{
	return f->section == DEBUG_FRAME && f->start < covered_to;
}

/* Where entries overlap, the one that begins later holds, as for who searches by the start. */
static void add_all_rows(struct build *b)
{
	AUTO_FREE uint64_t *keys = order_functions(b);
	const struct function *functions = b->functions.p, *pending = NULL;
	uint32_t covered_to = 0;
	for (uint32_t i = 0; i < b->functions.n; i++) {
		const struct function *f = &functions[(uint32_t)keys[i]];
		if (is_covered(f, covered_to) || (pending && pending->start == f->start))
			continue;
		if (pending) {
			uint32_t end = pending->start + pending->size_bytes;
			add_function_rows(b, pending, end < f->start ? end : f->start);
		}
		pending = f;
		if (f->section != DEBUG_FRAME && f->start + f->size_bytes > covered_to)
			covered_to = f->start + f->size_bytes;
	}
	if (pending)
		add_function_rows(b, pending, pending->start + pending->size_bytes);
}

/* --- the table --- */

static struct unwind_table *finish(struct build *b)
{
	struct unwind_table *t = mem_zalloc(1, sizeof(*t));
	struct table_head head = { .base = b->base,
				   .origin = b->elf ? table_origin(b->elf) : 0,
				   .machine = b->machine->elf_machine };
	struct str build_id = { 0 };
	if (b->elf)
		build_id = str_first(b->elf->build_id, sizeof(head.build_id));
	head.build_id_bytes = (uint32_t)build_id.n;
	if (build_id.n)
		memcpy(head.build_id, build_id.p, build_id.n);
	table_write_image(&b->rows, &head, &t->image);
	table_of_image(t, buf_str(&t->image));
	return t;
}

uint64_t table_origin(struct elf *elf)
{
	static const struct str names[] = { { ".eh_frame", 9 },
					    { ".debug_frame", 12 },
					    { ".gopclntab", 10 },
					    { ".data.rel.ro.gopclntab", 22 } };
	uint64_t facts[2 * ARRAY_SIZE(names)] = { 0 }, bytes = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		const struct elf_section *s = elf_find_section(elf, names[i]);
		if (!s || s->type == SHT_NOBITS)
			continue;
		facts[2 * i] = s->address;
		facts[2 * i + 1] = s->size_bytes;
		bytes += s->size_bytes;
	}
	return bytes ? XXH3_64bits(facts, sizeof(facts)) | 1 : 0;
}

/* NULL: there is not one row. */
static struct unwind_table *build_table(struct build *b)
{
	if (b->functions.n)
		add_all_rows(b);
	if (b->elf)
		elf_let_go(b->elf);
	budget_release(b->budget, (uint64_t)b->functions.n * BYTES_OF_FUNCTION);
	return b->rows.starts.n ? finish(b) : NULL;
}

struct unwind_table *unwind_table_new(struct elf *elf, struct err *e)
{
	struct build b = { .machine = unwind_machine_of(elf->machine),
			   .elf = elf,
			   .budget = &elf->budget };
	if (!b.machine) {
		err_set(e, "%s: plume cannot unwind stacks of this architecture", elf->path);
		return NULL;
	}
	b.base = elf_base_address(elf);
	rule_pool_init(&b.rows.pool);
	find_section(&b, EH_FRAME, STR(".eh_frame"));
	find_section(&b, DEBUG_FRAME, STR(".debug_frame"));
	list_functions(&b, EH_FRAME);
	list_go_functions(&b);
	list_functions(&b, DEBUG_FRAME);
	struct unwind_table *t = build_table(&b);
	if (!t)
		err_set(e, "%s: no unwind information (.eh_frame, .debug_frame, .gopclntab)",
			elf->path);
	build_fini(&b);
	return t;
}

struct unwind_table *unwind_table_of_eh_frame(uint16_t machine, const struct unwind_eh_frame *f)
{
	struct build b = { .machine = unwind_machine_of(machine),
			   .code_start = f->code_start,
			   .code_end = f->code_end,
			   .budget = f->budget,
			   .base = f->code_start };
	if (!b.machine)
		return NULL;
	rule_pool_init(&b.rows.pool);
	b.sections[EH_FRAME] = (struct cfi_section){ .bytes = str_first(f->bytes, UINT32_MAX),
						     .address = f->address,
						     .text_address = f->code_start,
						     .is_eh_frame = true };
	list_functions(&b, EH_FRAME);
	struct unwind_table *t = build_table(&b);
	build_fini(&b);
	return t;
}
