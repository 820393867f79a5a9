/*
 * Optimized code of a living Node.js, instruction by instruction, as plume sees it.
 *	code PID [FILE]		FILE: only functions of files whose name ends so
 * Lines: `code START SIZE TIER FUNCTION ...`, then of that code `told OFFSET CHAIN` for each entry of V8's table of
 * positions, `at OFFSET BYTES CHAIN` for each instruction, `exit OFFSET CHAIN` for those that may lead back to the
 * interpreter, as V8 would have it do (of calls: their last byte), and `blind OFFSET CHAIN` for what plume would
 * tell from there on if there were no table, as in code of Maglev up to 12.9. A chain is FUNCTION@PLACE;...,
 * outermost first, a function is NAME:LINE:COLUMN of where it begins, a place is LINE:COLUMN.
 */
#include "instruction/instruction.h"
#include "target/target.h"
#include "v8/flow_int.h"

#include <stdio.h>
#include <stdlib.h>

static void add_function(const struct v8_names *names, v8_function_id id, struct buf *out)
{
	const struct v8_function *f = &names->functions.p[id];
	buf_addf(out, "%.*s:%u:%u", (int)f->name.n, f->name.p, f->line, f->column);
}

static void add_chain(const struct v8_names *names, v8_place_id id, struct buf *out)
{
	if (id == V8_NONE) {
		buf_add(out, STR("?"));
		return;
	}
	const struct v8_place *place = &names->places.p[id];
	if (place->caller != V8_NONE) {
		add_chain(names, place->caller, out);
		buf_add_char(out, ';');
	}
	add_function(names, place->function, out);
	buf_addf(out, "@%u:%u", place->line, place->column);
}

/* --- V8's own table --- */

static void add_step(struct v8_process *p, uint64_t shared, uint64_t position, struct buf *out)
{
	const struct known_function *k = v8_function_get(p, shared);
	uint32_t line = 0, column = 0;
	if (!k) {
		buf_add(out, STR("?"));
		return;
	}
	if (k->script_slot != V8_NONE && v8_offset_of(position) >= 0)
		v8_script_line(&p->scripts[k->script_slot], v8_offset_of(position), &line, &column);
	add_function(p->names, k->function, out);
	buf_addf(out, "@%u:%u", line, column);
}

static void add_told(struct v8_process *p, const struct deopt_data *d,
		     const struct inlined_at *inlined, uint64_t position, struct buf *out)
{
	uint32_t id = v8_inlining_of(position);
	uint64_t shared = d->shared;
	if (id > d->inlined_count) {
		buf_add(out, STR("?"));
		return;
	}
	if (id) {
		add_told(p, d, inlined, inlined[id - 1].position, out);
		buf_add_char(out, ';');
		deopt_function(p, d, inlined[id - 1].literal, &shared);
	}
	add_step(p, shared, position, out);
}

static void print_table(struct v8_process *p, const struct code *code, struct buf *out)
{
	struct deopt_data d;
	struct v8_position at = V8_POSITION_START;
	AUTO(buf) struct buf table = { 0 };
	if (!deopt_data_read(p, code, &d) || !v8_position_table_read(p, code->positions, &table))
		return;
	AUTO_FREE struct inlined_at *inlined = mem_zalloc(d.inlined_count + 1, sizeof(*inlined));
	deopt_inlined(p, &d, inlined);
	struct cursor rest = cursor_over(buf_str(&table));
	while (v8_position_next(p->layout, &rest, &at)) {
		buf_addf(out, "told %lld ", (long long)at.offset);
		add_told(p, &d, inlined, at.position, out);
		buf_add_char(out, '\n');
	}
}

/* --- instructions --- */

static void add_spot(struct v8_process *p, const struct deopt_data *d,
		     const struct inlined_code *in, struct spot spot, struct buf *out)
{
	const struct inlined *node = &in->nodes.p[spot.node];
	uint64_t shared = d->shared;
	if (spot.node) {
		add_spot(p, d, in, (struct spot){ node->parent, node->call }, out);
		buf_add_char(out, ';');
		deopt_function(p, d, node->literal, &shared);
	}
	add_step(p, shared, (uint64_t)(spot.offset + 1) << 1, out);
}

static void print_instructions(struct v8_process *p, const struct code *code, uint64_t shared,
			       struct buf *out)
{
	AUTO(buf) struct buf bytes = { 0 };
	struct instruction in;
	struct deopt_data d;
	uint32_t n = code->size_bytes;
	if (deopt_data_read(p, code, &d) && d.exit_start && d.exit_start < n)
		n = d.exit_start;
	if (!memory_read(p->heap.memory, code->start, buf_reserve(&bytes, n), n))
		return;
	bytes.n = n;
	struct flow flow = { .code = buf_str(&bytes), .address = code->start };
	for (uint32_t at = 0; at < n; at += in.size_bytes) {
		if (!instruction_read(buf_str(&bytes), at, &in))
			in = (struct instruction){ .kind = GOES_ON, .size_bytes = 1 };
		buf_addf(out, "at %u ", at);
		for (uint32_t i = 0; i < in.size_bytes; i++)
			buf_addf(out, "%02x", (uint8_t)bytes.p[at + i]);
		buf_add_char(out, ' ');
		add_chain(p->names, v8_place_of_pc(p, code->start + at, true, shared), out);
		buf_add_char(out, '\n');
		if (in.kind == VANISHES)
			in.size_bytes += flow_list_bytes(&flow, at + in.size_bytes);
	}
}

static void print_blind(struct v8_process *p, const struct code *code, struct buf *out)
{
	struct deopt_data d;
	struct code blind = *code;
	blind.positions = 0;
	const struct inlined_code *in = inlined_get(p, &blind);
	if (!in || !in->is_flow_known || !deopt_data_read(p, code, &d))
		return;
	for (uint32_t i = 0; i < in->spans.n; i++) {
		buf_addf(out, "blind %u ", in->spans.p[i].start);
		add_spot(p, &d, in, in->spans.p[i].spot, out);
		buf_add_char(out, '\n');
	}
}

/* --- exits to the interpreter --- */

static void print_point(struct v8_process *p, const struct deopt_data *d,
			const struct inlined_code *in, uint32_t at, const struct point *point,
			struct buf *out)
{
	if (point->spot.node >= in->nodes.n)
		return;
	buf_addf(out, "exit %u ", at);
	add_spot(p, d, in, point->spot, out);
	buf_add_char(out, '\n');
}

static void print_checks(struct v8_process *p, const struct deopt_data *d,
			 const struct inlined_code *in, const struct flow *f, struct buf *out)
{
	struct instruction instruction;
	for (uint32_t at = 0; at < f->code.n; at += instruction.size_bytes) {
		if (!instruction_read(f->code, at, &instruction))
			return;
		const struct point *exit = flow_exit(f, &instruction);
		if (exit)
			print_point(p, d, in, at, exit, out);
		if (instruction.kind == VANISHES)
			instruction.size_bytes += flow_list_bytes(f, at + instruction.size_bytes);
	}
}

static void print_exits(struct v8_process *p, const struct code *code, struct buf *out)
{
	struct deopt_data d;
	struct flow flow = { 0 };
	struct inlined_code all = { 0 };
	AUTO(buf) struct buf bytes = { 0 };
	const struct inlined_code *in = inlined_get(p, code);
	for (uint32_t i = 0; in && i < in->nodes.n; i++)
		vec_push(&all.nodes, in->nodes.p[i]);
	if (in && deopt_data_read(p, code, &d) &&
	    flow_read(p, code, &d, &flow, &bytes, &all.nodes)) {
		print_checks(p, &d, &all, &flow, out);
		for (uint32_t i = 0; i < flow.calls.n; i++)
			print_point(p, &d, &all, flow.calls.p[i].at - 1, &flow.calls.p[i].point,
				    out);
	}
	flow_fini(&flow);
	vec_fini(&all.nodes);
}

static bool is_wanted(const struct v8_process *p, const struct v8_code_row *row, struct str ending)
{
	if ((row->sort != V8_CODE_MAGLEV && row->sort != V8_CODE_OPTIMIZED) ||
	    row->function == V8_NONE)
		return false;
	struct str file = p->names->functions.p[row->function].file;
	return file.n >= ending.n && !memcmp(file.p + file.n - ending.n, ending.p, ending.n);
}

static void print_code(struct v8_process *p, const struct v8_code_row *row)
{
	AUTO(buf) struct buf out = { 0 };
	struct code code;
	uint64_t shared = v8_shared_of_pc(p, row->start);
	if (!shared || !v8_code_find(p, row->start, &code))
		return;
	const struct inlined_code *in = inlined_get(p, &code);
	buf_addf(&out, "code %llx %u %c ", (unsigned long long)row->start, row->size_bytes,
		 row->sort == V8_CODE_MAGLEV ? '+' : '*');
	add_function(p->names, row->function, &out);
	buf_addf(&out, " %s %u\n",
		 !in		     ? "alone"
		 : in->is_flow_known ? "known"
				     : "unknown",
		 in ? in->nodes.n : 1);
	print_table(p, &code, &out);
	print_instructions(p, &code, shared, &out);
	print_exits(p, &code, &out);
	print_blind(p, &code, &out);
	fwrite(out.p, 1, out.n, stdout);
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	struct v8_code_rows rows = { 0 };
	if (argc < 2) {
		fprintf(stderr, "code PID [FILE]\n");
		return 2;
	}
	struct living_process p;
	living_process_init(&p, (int32_t)strtol(argv[1], NULL, 10));
	struct v8_inspection *v = v8_inspect(&p.process, &e);
	if (!v) {
		fprintf(stderr, "code: %s\n", e.text);
		return 1;
	}
	v8_walk_code(v, &rows);
	for (uint32_t i = 0; i < rows.list.n; i++)
		if (is_wanted(v->process, &rows.list.p[i], str_from(argc > 2 ? argv[2] : "")))
			print_code(v->process, &rows.list.p[i]);
	v8_code_rows_fini(&rows);
	v8_inspection_free(v);
	return 0;
}
