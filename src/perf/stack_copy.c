/* Stacks from a copy of registers and memory: what perf record --call-graph dwarf keeps. */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

enum { MAX_FRAMES = 1024, ABI_64 = 2 };

/* perf's numbers of registers (arch/x86/include/uapi/asm/perf_regs.h) as DWARF has them. */
static const int8_t x86_64_registers[] = {
	0,			    /* ax */
	3,			    /* bx */
	2,			    /* cx */
	1,			    /* dx */
	4,			    /* si */
	5,			    /* di */
	6,			    /* bp */
	7,			    /* sp */
	16,			    /* ip */
	-1, -1, -1, -1, -1, -1, -1, /* flags and segments */
	8,  9,	10, 11, 12, 13, 14, 15,
};

static void read_registers(uint64_t mask, struct cursor c, struct unwind_registers *registers)
{
	*registers = (struct unwind_registers){ 0 };
	for (unsigned i = 0; i < 64; i++) {
		if (!(mask >> i & 1))
			continue;
		uint64_t value = cursor_u64(&c);
		int number = i < ARRAY_SIZE(x86_64_registers) ? x86_64_registers[i] : -1;
		if (number < 0)
			continue;
		registers->value[number] = value;
		registers->is_known |= 1ull << number;
	}
}

struct finder {
	struct perf_session *s;
	const struct address_space *space;
};

static void find_place(void *context, uint64_t address, struct unwind_place *place)
{
	const struct finder *f = context;
	const struct mapping_row *row = address_space_find(f->space, address);
	*place = (struct unwind_place){ 0 };
	if (!row)
		return;
	place->start = row->start;
	place->end = row->end;
	place->is_code = true;
	if (f->s->mapped.list.p[row->mapped].kind == MAPPED_JIT)
		return;
	place->table = mapped_unwind(&f->s->mapped, row->mapped);
	struct binary *b = place->table ? mapped_binary(&f->s->mapped, row->mapped) : NULL;
	struct elf *code = b ? binary_code(b) : NULL;
	uint64_t in_file;
	uint64_t offset = address - row->start + row->file_offset;
	if (code && elf_address_of_offset(code, offset, &in_file))
		place->bias = address - in_file;
	else
		place->table = NULL;
}

void perf_session_unwind(struct perf_session *s, const struct perf_event *event,
			 const struct perf_sample *sample, struct perf_process *process)
{
	if (s->machine != EM_X86_64 || sample->user_abi != ABI_64) {
		s->other_abi++;
		return;
	}
	uint64_t addresses[MAX_FRAMES], is_return[MAX_FRAMES / 64];
	struct unwind_registers registers;
	enum unwind_end end;
	memset(is_return, 0, sizeof(is_return));
	read_registers(event->user_registers, sample->user_registers, &registers);
	struct finder f = { s, &s->processes.spaces.p[process->space] };
	struct unwinder u = { s->machine, find_place, &f };
	enum { STACK_POINTER = 7 };
	struct unwind_memory memory = { registers.value[STACK_POINTER], sample->user_stack };
	uint32_t n = unwind_stack(&u, &registers, &memory, addresses, is_return, MAX_FRAMES, &end);
	for (uint32_t i = 0; i < n; i++) {
		bool is_call = is_return[i / 64] >> i % 64 & 1;
		vec_push(&s->stack, perf_session_locate(s, process, addresses[i], is_call,
							sample->ids.time_ns));
	}
	s->p->ledger.count[LEDGER_TRUNCATED] += end == UNWIND_TRUNCATED || end == UNWIND_FULL;
}
