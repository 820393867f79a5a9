/* The rows of a line table: the line number program is run once to generate them (6.2.5). */
#include "debug_info/dwarf_int.h"

enum { NO_FILE = UINT16_MAX };

struct machine {
	struct dwarf_lines *lines;
	const struct dwarf_line_program *p;
	struct cursor c;
	uint64_t address, file, column;
	uint64_t line;
	uint32_t first; /* row of the sequence */
};

static void reset(struct machine *m)
{
	m->address = m->column = 0;
	m->file = m->line = 1;
	m->first = m->lines->rows.n;
}

/* Sequences of code that the linker dropped begin at 0 or outside the program. */
static void end_sequence(struct machine *m, uint64_t high)
{
	struct dwarf_lines *lines = m->lines;
	const struct debug_info *d = lines->unit->file->info;
	uint32_t count = lines->rows.n - m->first;
	uint64_t low = count ? lines->rows.p[m->first].address : 0;
	if (!low || low >= high || low < d->code_low || low >= d->code_high) {
		lines->rows.n = m->first;
		return;
	}
	vec_push(&lines->spans,
		 (struct dwarf_span){ .low = low, .high = high, .of = lines->sequences.n });
	vec_push(&lines->sequences, (struct dwarf_sequence){ m->first, count });
	m->first = lines->rows.n;
}

static bool add_row(struct machine *m)
{
	struct dwarf_lines *lines = m->lines;
	struct dwarf_row row = { m->address, m->line > UINT32_MAX ? 0 : (uint32_t)m->line,
				 m->file < NO_FILE ? (uint16_t)m->file : NO_FILE,
				 m->column > UINT16_MAX ? 0 : (uint16_t)m->column };
	if (lines->rows.n > m->first) {
		struct dwarf_row *last = &lines->rows.p[lines->rows.n - 1];
		if (row.address == last->address) {
			*last = row;
			return true;
		}
		if (row.line == last->line && row.file == last->file &&
		    row.column == last->column && row.address > last->address)
			return true;
		/* Addresses must ascend: a row that does not starts a new sequence. */
		if (row.address < last->address)
			end_sequence(m, last->address + 1);
	}
	if (!dwarf_keep(&lines->unit->file->info->budget, sizeof(row)))
		return false;
	vec_push(&lines->rows, row);
	return true;
}

static bool run_extended(struct machine *m)
{
	uint64_t n = cursor_uleb(&m->c);
	struct cursor c = m->c;
	cursor_take(&m->c, n);
	if (m->c.is_short || !n)
		return false;
	c.end = m->c.p;
	switch (cursor_u8(&c)) {
	case DW_LNE_end_sequence:
		end_sequence(m, m->address);
		reset(m);
		break;
	case DW_LNE_set_address:
		m->address =
			cursor_unsigned(&c, cursor_left(&c) < 8 ? (unsigned)cursor_left(&c) : 8);
		break;
	case DW_LNE_define_file: {
		struct dwarf_line_file file = { .name = cursor_c_string(&c) };
		file.folder = cursor_uleb(&c);
		if (!dwarf_keep(&m->lines->unit->file->info->budget, sizeof(file)))
			return false;
		vec_push(&m->lines->files, file);
		break;
	}
	default:
		break;
	}
	return true;
}

static void skip_operands(struct machine *m, uint8_t opcode)
{
	for (unsigned i = 0; i < m->p->operands[opcode]; i++)
		cursor_uleb(&m->c);
}

static bool run_standard(struct machine *m, uint8_t opcode)
{
	const struct dwarf_line_program *p = m->p;
	switch (opcode) {
	case DW_LNS_copy:
		return add_row(m);
	case DW_LNS_advance_pc:
		m->address += cursor_uleb(&m->c) * p->least_instruction;
		break;
	case DW_LNS_advance_line:
		m->line += (uint64_t)cursor_sleb(&m->c);
		break;
	case DW_LNS_set_file:
		m->file = cursor_uleb(&m->c);
		break;
	case DW_LNS_set_column:
		m->column = cursor_uleb(&m->c);
		break;
	case DW_LNS_const_add_pc:
		m->address +=
			(uint64_t)((255 - p->first_special) / p->line_range) * p->least_instruction;
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += cursor_unsigned(&m->c, 2);
		break;
	default:
		skip_operands(m, opcode);
	}
	return true;
}

static bool run_special(struct machine *m, uint8_t opcode)
{
	const struct dwarf_line_program *p = m->p;
	unsigned adjusted = opcode - p->first_special;
	m->address += (uint64_t)(adjusted / p->line_range) * p->least_instruction;
	m->line += (uint64_t)(int64_t)(p->line_base + (int)(adjusted % p->line_range));
	return add_row(m);
}

static void run(struct dwarf_lines *lines, const struct dwarf_line_program *p)
{
	struct dwarf_budget *budget = &lines->unit->file->info->budget;
	struct machine m = { .lines = lines, .p = p, .c = p->c };
	bool is_running = true;
	reset(&m);
	while (is_running && cursor_left(&m.c) && dwarf_spend(budget, 1)) {
		uint8_t opcode = cursor_u8(&m.c);
		if (opcode >= p->first_special)
			is_running = run_special(&m, opcode);
		else if (opcode)
			is_running = run_standard(&m, opcode);
		else
			is_running = run_extended(&m);
	}
	/* Without an end, it is not known how far the last row extends. */
	lines->rows.n = m.first;
	dwarf_spans_sort(&lines->spans);
}

struct dwarf_lines *dwarf_lines_of(struct dwarf_unit *u)
{
	struct dwarf_line_program p = { 0 };
	if (u->lines || !u->has_line_table)
		return u->lines;
	u->lines = mem_zalloc(1, sizeof(*u->lines));
	u->lines->unit = u;
	if (dwarf_read_line_header(u->lines, &p)) {
		u->lines->program = mem_alloc(1, sizeof(p));
		*u->lines->program = p;
	}
	return u->lines;
}

static void make_rows(struct dwarf_lines *lines)
{
	AUTO_FREE struct dwarf_line_program *p = lines->program;
	lines->program = NULL;
	if (p)
		run(lines, p);
}

const struct dwarf_row *dwarf_lines_find(struct dwarf_lines *lines, uint64_t address)
{
	make_rows(lines);
	uint32_t span = dwarf_spans_find(lines->unit->file->info, &lines->spans, address);
	if (span == INDEX_NONE)
		return NULL;
	struct dwarf_sequence s = lines->sequences.p[lines->spans.p[span].of];
	uint32_t from = s.first, to = s.first + s.count;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (lines->rows.p[middle].address <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from > s.first ? &lines->rows.p[from - 1] : NULL;
}

void dwarf_lines_free(struct dwarf_lines *lines)
{
	if (!lines)
		return;
	free(lines->program);
	vec_fini(&lines->folders);
	vec_fini(&lines->files);
	vec_fini(&lines->rows);
	vec_fini(&lines->sequences);
	vec_fini(&lines->spans);
	free(lines);
}
