#include "v8/inlined.h"

#include <sys/mman.h>
#include <time.h>

struct v8_process *v8_process_new(int32_t pid, const struct v8_layout *layout,
				  struct memory *memory, struct v8_names *names)
{
	struct v8_process *p = mem_zalloc(1, sizeof(*p));
	p->heap.memory = memory;
	p->heap.layout = layout;
	p->pid = pid;
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
	vec_fini(&p->mappings);
	free(p->functions);
	free(p->pcs);
	free(p->file);
	buf_fini(&p->scratch);
	buf_fini(&p->name);
	free(p);
}

/* --- what is where --- */

static bool overlaps(const struct target_mapping *m, struct v8_range blob)
{
	return m->offset < blob.end && m->offset + (m->end - m->start) > blob.start;
}

static void take_mapping(void *context, const struct target_mapping *m)
{
	struct v8_process *p = context;
	struct code_mapping c = { .start = m->start, .end = m->end, .offset = m->offset };
	c.is_jit = !m->inode && !m->path.n;
	c.is_of_v8 = m->inode && overlaps(m, p->layout->blob) &&
		     (!p->file || str_eq(m->path, str_from(p->file)));
	vec_push(&p->mappings, c);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void v8_process_look(struct v8_process *p)
{
	struct err ignored = { 0 };
	p->mappings.n = 0;
	p->looked_ns = now_ns();
	target_read_mappings(p->pid, false, take_mapping, p, &ignored);
}

static const struct code_mapping *find_mapping(const struct v8_process *p, uint64_t pc)
{
	uint32_t low = 0, high = p->mappings.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (p->mappings.p[middle].end <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	bool is_in = low < p->mappings.n && p->mappings.p[low].start <= pc;
	return is_in ? &p->mappings.p[low] : NULL;
}

/* V8 makes pages executable as it needs them. */
static const struct code_mapping *mapping_of(struct v8_process *p, uint64_t pc)
{
	enum { LOOK_EVERY_NS = 20000000 };
	const struct code_mapping *m = find_mapping(p, pc);
	if (m || pc < 4096 || pc >> 47 || now_ns() - p->looked_ns < LOOK_EVERY_NS)
		return m;
	v8_process_look(p);
	return find_mapping(p, pc);
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
		if (p->mappings.p[i].is_jit && pc + near_bytes > p->mappings.p[i].start &&
		    pc < p->mappings.p[i].end + near_bytes)
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
	uint64_t offset = pc - m->start + m->offset;
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
	uint64_t offset = pc - m->start + m->offset;
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
	return m &&
	       (m->is_jit || (m->is_of_v8 && is_in(p->layout->blob, pc - m->start + m->offset)));
}

uint64_t v8_mapping_start(const struct v8_process *p, uint64_t pc)
{
	const struct code_mapping *m = find_mapping(p, pc);
	return m ? m->start : 0;
}
