#include "v8/inlined.h"

#include <sys/mman.h>

struct v8_process *v8_process_new(struct process *process, const struct v8_layout *layout,
				  struct v8_names *names)
{
	struct v8_process *p = mem_zalloc(1, sizeof(*p));
	p->heap.memory = process->memory;
	p->heap.layout = layout;
	p->process = process;
	p->layout = layout;
	p->names = names;
	p->generation = names->generation;
	p->functions = mem_zalloc(KNOWN_FUNCTIONS, sizeof(*p->functions));
	p->pcs = mem_zalloc(KNOWN_PCS, sizeof(*p->pcs));
	p->scripts = mem_zalloc(KNOWN_SCRIPTS, sizeof(*p->scripts));
	p->inlined = mem_zalloc(KNOWN_INLINED, sizeof(*p->inlined));
	return p;
}

void v8_process_free(struct v8_process *p)
{
	if (!p)
		return;
	v8_scripts_fini(p);
	inlined_forget(p);
	v8_wasm_free(p->wasm);
	vec_fini(&p->mappings);
	vec_fini(&p->told_moved);
	vec_fini(&p->last_code);
	free(p->functions);
	free(p->pcs);
	free(p->file);
	buf_fini(&p->scratch);
	buf_fini(&p->name);
	free(p);
}

/* --- what it may take --- */

/*
 * A heap may be made to keep us busy. One look is bounded; what many take beyond the usual is a debt, which
 * usual ones pay back. Heaps of V8's own take 20 to 40 reads a look, 700 where 400 functions call each
 * other; all that is new at first is a debt of some 10,000.
 */
enum { MAX_READS = 20000, USUAL_READS = 300, USUAL_PER_FRAME = 10, MAX_DEBT = 32 * MAX_READS };

uint64_t v8_begin_look(struct v8_process *p)
{
	struct memory *m = p->heap.memory;
	p->look = ++p->looks;
	m->limit = m->cost + MAX_READS;
	return m->cost;
}

void v8_end_look(struct v8_process *p, uint64_t begin, uint32_t frames)
{
	uint64_t debt = p->debt + (p->heap.memory->cost - begin);
	uint64_t usual = USUAL_READS + (uint64_t)USUAL_PER_FRAME * frames;
	p->debt = debt > usual ? debt - usual : 0;
	p->look = 0;
	p->heap.memory->limit = 0;
}

bool v8_process_is_endless(const struct v8_process *p)
{
	return p->debt > MAX_DEBT;
}

/* --- what is where --- */

bool v8_has_blob(const struct v8_process *p, uint64_t offset, uint64_t n)
{
	return offset < p->layout->blob.end && offset + n > p->layout->blob.start;
}

static void take_mapping(void *context, const struct process_mapping *m)
{
	struct v8_process *p = context;
	struct code_mapping c = { .at = *m };
	c.at.path = STR(""); /* good for this call only */
	c.is_jit = !m->inode && !m->path.n;
	c.is_of_v8 = m->inode && v8_has_blob(p, m->offset, m->end - m->start) &&
		     (!p->file || str_eq(m->path, str_from(p->file)));
	vec_push(&p->mappings, c);
}

uint64_t v8_look_pause_ns(uint64_t before_ns, uint64_t took_ns, bool is_useful)
{
	enum { LEAST_NS = 20000000, MOST_NS = 1000000000, TIMES_AS_LONG = 16 };
	uint64_t pause_ns = is_useful ? LEAST_NS : 2 * before_ns;
	if (pause_ns < took_ns * TIMES_AS_LONG)
		pause_ns = took_ns * TIMES_AS_LONG;
	return pause_ns < MOST_NS ? pause_ns : MOST_NS;
}

static const struct code_mapping *find_mapping(const struct v8_process *p, uint64_t pc)
{
	uint32_t low = 0, high = p->mappings.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (p->mappings.p[middle].at.end <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	bool is_in = low < p->mappings.n && p->mappings.p[low].at.start <= pc;
	return is_in ? &p->mappings.p[low] : NULL;
}

/* pc: that nothing was known of; 0: none. */
static const struct code_mapping *look_for(struct v8_process *p, uint64_t pc)
{
	struct err ignored = { 0 };
	uint32_t known = p->mappings.n;
	uint64_t begin_ns = clock_monotonic_ns();
	p->mappings.n = 0;
	/* Of one that has just ended, what was known stays. */
	if (!p->process->ops->visit_mappings(p->process, false, take_mapping, p, &ignored) &&
	    !p->mappings.n)
		p->mappings.n = known;
	else
		v8_find_moved(p);
	const struct code_mapping *m = find_mapping(p, pc);
	uint64_t end_ns = clock_monotonic_ns();
	p->look_pause_ns = v8_look_pause_ns(p->look_pause_ns, end_ns - begin_ns, m || !pc);
	p->look_again_ns = end_ns + p->look_pause_ns;
	return m;
}

void v8_process_look(struct v8_process *p)
{
	look_for(p, 0);
}

/* V8 makes pages executable as it needs them. */
static const struct code_mapping *mapping_of(struct v8_process *p, uint64_t pc)
{
	const struct code_mapping *m = find_mapping(p, pc);
	if (m || pc < 4096 || pc >> 47 || p->has_ended || clock_monotonic_ns() < p->look_again_ns)
		return m;
	return look_for(p, pc);
}

static bool is_in(struct v8_range range, uint64_t at)
{
	return at >= range.start && at < range.end;
}

/* Pages that were made since: what is there shows whether it is code. V8 keeps its code together. */
static bool is_near_jit(const struct v8_process *p, uint64_t pc)
{
	const uint64_t near_bytes = 256ull << 20;
	for (uint32_t i = 0; i < p->mappings.n; i++)
		if (p->mappings.p[i].is_jit && pc + near_bytes > p->mappings.p[i].at.start &&
		    pc < p->mappings.p[i].at.end + near_bytes)
			return true;
	return false;
}

enum pc_kind v8_pc_kind(struct v8_process *p, uint64_t pc)
{
	const struct code_mapping *m = mapping_of(p, pc);
	if (!m)
		return is_near_jit(p, pc) ? PC_JIT : PC_NATIVE;
	if (m->is_jit)
		return PC_JIT;
	uint64_t offset = pc - m->at.start + m->at.offset;
	if (!m->is_of_v8 || !is_in(p->layout->blob, offset))
		return PC_NATIVE;
	for (unsigned i = 0; i < V8_INTERPRETER_RANGES; i++)
		if (is_in(p->layout->interpreter[i], offset))
			return PC_INTERPRETER;
	return PC_BUILTIN;
}

struct v8_range v8_interpreter_range(struct v8_process *p, uint64_t pc)
{
	const struct code_mapping *m = mapping_of(p, pc);
	if (!m || !m->is_of_v8)
		return (struct v8_range){ 0 };
	uint64_t offset = pc - m->at.start + m->at.offset;
	for (unsigned i = 0; i < V8_INTERPRETER_RANGES; i++) {
		struct v8_range r = p->layout->interpreter[i];
		if (is_in(r, offset))
			return (struct v8_range){ pc - (offset - r.start), pc + (r.end - offset) };
	}
	return (struct v8_range){ 0 };
}

bool v8_is_code(struct v8_process *p, uint64_t pc)
{
	const struct code_mapping *m = find_mapping(p, pc);
	return m && (m->is_jit ||
		     (m->is_of_v8 && is_in(p->layout->blob, pc - m->at.start + m->at.offset)));
}

bool v8_may_be_new_code(const struct v8_process *p, uint64_t pc)
{
	return !find_mapping(p, pc) && is_near_jit(p, pc);
}

uint64_t v8_mapping_start(const struct v8_process *p, uint64_t pc)
{
	const struct code_mapping *m = find_mapping(p, pc);
	return m ? m->at.start : 0;
}
