/* Functions and lines at an address: combines the results of the dwarf_*.c files. */
#include "debug_info/lookup.h"
#include "debug_info/dwarf_int.h"
#include "debug_info/go_table.h"

#include <time.h>

/*
 * The work allowed grows with the file, so a small one cannot keep plume busy: real files need less
 * than one unit of work per byte.
 */
enum {
	SLICE = 1 << 14,
	BYTES_OF_WORK = 4, /* takes as long as reading this many bytes */
	WORK_TO_START = 1 << 20,
	WORK_OF_BYTE = 8,
	WORK_OF_ADDRESS = 1 << 11,
	MAX_WORK = 400000000, /* a few seconds */
};
#define MAX_KEPT_BYTES (1ull << 30)
#define MAX_CPU_NS     5000000000ull

/* --- budget --- */

bool dwarf_spend_slice(struct dwarf_budget *b, uint32_t work)
{
	uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (b->since_ns)
		b->used_ns += now - b->since_ns;
	b->since_ns = now;
	uint64_t more = SLICE + (uint64_t)work - b->slice;
	/* Each unit of work may touch another page. */
	elf_let_go(b->elf);
	if (b->is_spent || b->work_left < more || b->used_ns > MAX_CPU_NS ||
	    !budget_work(&b->elf->budget, more * BYTES_OF_WORK)) {
		b->is_spent = true;
		b->slice = 0;
		return false;
	}
	b->work_left -= more;
	b->slice = SLICE;
	return true;
}

bool dwarf_keep(struct dwarf_budget *b, uint64_t bytes)
{
	b->kept_bytes += bytes;
	if (b->kept_bytes > MAX_KEPT_BYTES || !budget_hold(&b->elf->budget, bytes))
		b->is_spent = true;
	if (b->is_spent)
		b->slice = 0;
	return !b->is_spent;
}

static void allow(struct dwarf_budget *b, uint64_t work)
{
	uint64_t more = MAX_WORK - b->allowed;
	more = work < more ? work : more;
	b->allowed += more;
	b->work_left += more;
}

void dwarf_allow_bytes(struct dwarf_budget *b, uint64_t bytes)
{
	allow(b, bytes < MAX_WORK ? bytes * WORK_OF_BYTE : MAX_WORK);
}

bool debug_info_gave_up(const struct debug_info *d)
{
	return d->budget.is_spent;
}

/* --- opening --- */

static void find_code(struct debug_info *d)
{
	d->code_low = UINT64_MAX;
	for (uint32_t i = 0; i < d->elf->segments.n; i++) {
		const struct elf_segment *s = &d->elf->segments.p[i];
		if (!s->is_executable)
			continue;
		if (s->address < d->code_low)
			d->code_low = s->address;
		if (s->address + s->memory_bytes > d->code_high)
			d->code_high = s->address + s->memory_bytes;
	}
}

struct debug_info *debug_info_new(struct elf *elf)
{
	struct debug_info *d = mem_zalloc(1, sizeof(*d));
	d->elf = d->budget.elf = elf;
	allow(&d->budget, WORK_TO_START);
	find_code(d);
	if (!dwarf_is_in(elf))
		d->go = go_table_new(elf);
	if (d->code_low < d->code_high && (d->go || dwarf_is_in(elf)))
		return d;
	debug_info_free(d);
	return NULL;
}

void debug_info_skip_lines(struct debug_info *d)
{
	d->skips_lines = true;
}

void debug_info_free(struct debug_info *d)
{
	if (!d)
		return;
	go_table_free(d->go);
	for (uint32_t i = 0; i < d->files.n; i++)
		dwarf_file_free(d->files.p[i]);
	vec_fini(&d->files);
	vec_fini(&d->span_units);
	vec_fini(&d->spans);
	vec_fini(&d->inlines);
	vec_fini(&d->pieces);
	vec_fini(&d->names);
	vec_fini(&d->answers);
	index_map_fini(&d->names_by_die);
	index_map_fini(&d->answers_by_address);
	arena_fini(&d->arena);
	free(d);
}

/* --- answers --- */

static void set_name(const struct debug_info *d, uint32_t number, struct debug_frame *frame)
{
	const struct dwarf_name *name = &d->names.p[number];
	frame->name = name->text;
	frame->is_linkage_name = name->is_linkage_name;
	frame->declared_file = name->declared_file;
	frame->declared_line = name->declared_line;
}

/* Whether a lookup in the line table would add to the frame's place. */
static bool needs_place(const struct debug_info *d, const struct debug_frame *frame)
{
	return !d->skips_lines || !frame->declared_file.n;
}

/* Sets where the code is: in the innermost function; the others are at the call of the next. */
static void set_place(struct dwarf_unit *u, uint64_t address, struct debug_frame *frame)
{
	struct dwarf_lines *lines = dwarf_lines_of(u);
	const struct dwarf_row *row = lines ? dwarf_lines_find(lines, address) : NULL;
	if (!row)
		return;
	frame->file = dwarf_line_file_path(lines, row->file);
	frame->line = row->line;
	frame->column = row->column;
}

static void set_call(struct dwarf_unit *u, const struct dwarf_inline *call,
		     struct debug_frame *frame)
{
	struct dwarf_lines *lines = dwarf_lines_of(u);
	if (lines)
		frame->file = dwarf_line_file_path(lines, call->call_file);
	frame->line = call->call_line;
	frame->column = call->call_column;
}

/* Go up to 1.20 says only in which file a function is declared: its first instruction gives the line. */
static void set_declared_line(struct dwarf_unit *u, const struct dwarf_unit *full, uint64_t address,
			      struct debug_frame *frame)
{
	uint32_t span = dwarf_spans_find(u->file->info, &full->spans, address);
	struct debug_frame first = { 0 };
	if (span == INDEX_NONE || frame->declared_line || !frame->declared_file.n)
		return;
	set_place(u, full->spans.p[span].low, &first);
	if (str_eq(first.file, frame->declared_file))
		frame->declared_line = first.line;
}

static uint32_t find_chain(struct debug_info *d, struct dwarf_unit *u, uint64_t address,
			   struct debug_frame *frames)
{
	uint32_t chain[DEBUG_MAX_INLINES], n = 0;
	struct dwarf_unit *full = dwarf_full_unit(u);
	uint32_t function = full ? dwarf_function_at(full, address) : INDEX_NONE;
	frames[0] = (struct debug_frame){ 0 };
	if (function != INDEX_NONE) {
		uint64_t die = full->functions.p[function].die;
		n = dwarf_inlines_at(full, function, address, chain);
		set_name(d, dwarf_name_of(full, die), &frames[0]);
		set_declared_line(u, full, address, &frames[0]);
	}
	for (uint32_t i = 0; i < n; i++) {
		struct dwarf_inline *call = &d->inlines.p[chain[i]];
		if (call->name == INDEX_NONE)
			call->name = dwarf_name_of(full, call->die);
		frames[i + 1] = (struct debug_frame){ 0 };
		set_name(d, call->name, &frames[i + 1]);
		if (needs_place(d, &frames[i]))
			set_call(u, call, &frames[i]);
	}
	if (needs_place(d, &frames[n]))
		set_place(u, address, &frames[n]);
	/* Generated code without a file, and no function: nothing is known. */
	return function == INDEX_NONE && !frames[0].file.n ? 0 : n + 1;
}

static bool is_answer(const void *array, uint32_t i, const void *key)
{
	return ((const struct dwarf_answer *)array)[i].address == *(const uint64_t *)key;
}

static uint32_t find_by_dwarf(struct debug_info *d, uint64_t address, struct debug_frame *frames)
{
	/* Sections may be compressed, so open them only when there is something to look up. */
	if (!d->files.n && !dwarf_file_new(d, d->elf, false))
		return 0;
	struct dwarf_unit *u = dwarf_unit_of_address(d, address);
	return u ? find_chain(d, u, address, frames) : 0;
}

static uint32_t find_by_go(struct debug_info *d, uint64_t address, struct debug_frame *frames)
{
	uint32_t n = go_table_lines(d->go, address, frames);
	d->budget.is_spent |= go_table_gave_up(d->go);
	return n;
}

static struct dwarf_answer look_up(struct debug_info *d, uint64_t address)
{
	struct debug_frame frames[DEBUG_MAX_INLINES + 1];
	struct dwarf_answer answer = { .address = address };
	uint32_t n = d->go ? find_by_go(d, address, frames) : find_by_dwarf(d, address, frames);
	/* An answer found with only half of the entries could be wrong. */
	if (!n || d->budget.is_spent)
		return answer;
	dwarf_keep(&d->budget, n * sizeof(frames[0]));
	void *kept = arena_alloc(&d->arena, n * sizeof(frames[0]));
	answer.frames = memcpy(kept, frames, n * sizeof(frames[0]));
	answer.count = n;
	return answer;
}

uint32_t debug_info_find(struct debug_info *d, uint64_t address, const struct debug_frame **frames)
{
	uint32_t hash = dwarf_hash(address, 0);
	uint32_t i =
		index_map_find(&d->answers_by_address, hash, is_answer, d->answers.p, &address);
	*frames = NULL;
	if (i == INDEX_NONE) {
		if (d->budget.is_spent || address < d->code_low || address >= d->code_high)
			return 0;
		d->budget.since_ns = 0;
		allow(&d->budget, WORK_OF_ADDRESS);
		struct dwarf_answer answer = look_up(d, address);
		i = d->answers.n;
		index_map_add(&d->answers_by_address, hash, i);
		vec_push(&d->answers, answer);
	}
	*frames = d->answers.p[i].frames;
	return d->answers.p[i].count;
}
