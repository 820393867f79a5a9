/* Stacks from a copy of registers and memory: what perf record --call-graph dwarf keeps. */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

static bool registers_of(const struct perf_session *s, const struct perf_sample *sample,
			 struct unwind_registers *registers)
{
	uint64_t values[64], mask = sample->user_registers_mask;
	struct cursor c = sample->user_registers;
	for (int i = 0; i < __builtin_popcountll(mask); i++)
		values[i] = cursor_u64(&c);
	return sample->user_abi == PERF_SAMPLE_REGS_ABI_64 &&
	       unwind_registers_of_perf(s->machine, mask, values, registers);
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

enum { FRAME_POINTER = 6, STACK_POINTER = 7, PC = 16 }; /* by DWARF number */

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
	struct unwind_memory memory = { registers.value[STACK_POINTER], sample->user_stack };
	struct finder f = finder_of(s, process, sample->ids.time_ns);
	unwind(&f, &registers, &memory, out);
	return true;
}

uint64_t perf_session_stack_pointer(const struct perf_session *s, const struct perf_sample *sample)
{
	struct unwind_registers registers;
	bool is_known = sample->has_user_registers && registers_of(s, sample, &registers);
	return is_known ? registers.value[STACK_POINTER] : 0;
}

void perf_session_unwind_from(struct perf_session *s, const struct perf_process *process,
			      const struct unwind_memory *memory, size_t at,
			      struct unwound_stack *out)
{
	uint64_t pc;
	struct unwind_registers registers = { .is_known = 1ull << STACK_POINTER | 1ull << PC };
	memcpy(&pc, memory->bytes.p + at, sizeof(pc));
	registers.value[PC] = pc - 1; /* within the call */
	registers.value[STACK_POINTER] = memory->address + at + sizeof(pc);
	/* What was called has saved the register first, if it has a use for it. */
	if (at >= sizeof(pc)) {
		memcpy(&registers.value[FRAME_POINTER], memory->bytes.p + at - sizeof(pc),
		       sizeof(pc));
		registers.is_known |= 1ull << FRAME_POINTER;
	}
	struct finder f = finder_of(s, process, UINT64_MAX);
	unwind(&f, &registers, memory, out);
}
