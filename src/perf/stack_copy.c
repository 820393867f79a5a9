/* Stacks from a copy of registers and memory: what perf record --call-graph dwarf keeps. */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

static bool registers_of(const struct perf_session *s, const struct perf_sample *sample,
			 struct unwind_registers *registers)
{
	struct perf_user_state state;
	return perf_user_state_read(sample, &state) &&
	       unwind_registers_of_perf(s->machine, state.mask, state.registers, registers);
}

struct finder {
	struct perf_session *s;
	const struct perf_process *process;
	struct address_space *space;
	uint64_t time_ns; /* of the sample */
};

static struct finder finder_of(struct perf_session *s, const struct perf_process *process,
			       uint64_t time_ns)
{
	return (struct finder){ s, process, &s->processes.spaces.p[process->space], time_ns };
}

static void find_in_file(struct perf_session *s, const struct mapping_row *row, uint64_t address,
			 struct unwind_place *place)
{
	struct binary *b = mapped_binary(&s->mapped, row->mapped);
	struct elf *code = b ? binary_code(b) : NULL;
	uint64_t in_file, offset = address - row->start + row->file_offset;
	if (!code || !elf_address_of_offset(code, offset, &in_file))
		return;
	place->bias = address - in_file;
	place->table = mapped_unwind(&s->mapped, row->mapped);
	place->code = mapped_code(&s->mapped, row->mapped);
	place->bytes =
		str_first(str_from_byte(code->bytes, row->file_offset), row->end - row->start);
}

static void find_place(void *context, uint64_t address, struct unwind_place *place)
{
	struct finder *f = context;
	const struct mapping_row *row = address_space_find(f->space, address);
	*place = (struct unwind_place){ 0 };
	if (!row)
		return;
	place->start = row->start;
	place->end = row->end;
	place->is_code = row->is_code;
	if (f->s->mapped.list.p[row->mapped].kind != MAPPED_JIT)
		find_in_file(f->s, row, address, place);
	else if (!perf_session_jit_place(f->s, f->process, address, f->time_ns, place))
		place->copied = perf_session_copied(f->s, f->space);
}

static void unwind(struct finder *f, const struct unwind_registers *registers,
		   const struct unwind_memory *memory, struct unwound_stack *out)
{
	enum unwind_end end;
	struct unwinder u = { f->s->machine, find_place, f, out->frame_pointers };
	out->n = unwind_stack(&u, registers, memory, out->addresses, out->is_return,
			      STACK_MAX_UNWOUND, &end);
	out->is_rooted = end == UNWIND_ROOTED;
	out->is_cut = end == UNWIND_TRUNCATED || end == UNWIND_FULL;
}

bool perf_session_unwind(struct perf_session *s, const struct perf_sample *sample,
			 const struct perf_process *process, struct unwound_stack *out)
{
	struct unwind_registers registers;
	if (!registers_of(s, sample, &registers)) {
		s->other_abi++;
		return false;
	}
	struct unwind_memory memory = { unwind_stack_pointer(s->machine, &registers),
					sample->user_stack };
	struct finder f = finder_of(s, process, sample->ids.time_ns);
	unwind(&f, &registers, &memory, out);
	return true;
}

uint64_t perf_session_stack_pointer(const struct perf_session *s, const struct perf_sample *sample)
{
	struct unwind_registers registers;
	return registers_of(s, sample, &registers) ? unwind_stack_pointer(s->machine, &registers)
						   : 0;
}

void perf_session_unwind_from(struct perf_session *s, const struct perf_process *process,
			      const struct unwind_memory *memory, size_t at,
			      struct unwound_stack *out)
{
	uint64_t pc, frame_pointer;
	struct unwind_registers registers;
	memcpy(&pc, memory->bytes.p + at, sizeof(pc));
	/* What was called has saved the register first, if it has a use for it. */
	bool has_pointer = at >= sizeof(pc);
	if (has_pointer)
		memcpy(&frame_pointer, memory->bytes.p + at - sizeof(pc), sizeof(frame_pointer));
	unwind_registers_at(s->machine, pc - 1 /* within the call */,
			    memory->address + at + sizeof(pc), has_pointer ? &frame_pointer : NULL,
			    &registers);
	struct finder f = finder_of(s, process, UINT64_MAX);
	unwind(&f, &registers, memory, out);
}
