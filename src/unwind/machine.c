/* The supported machines. A new one is a file of its own and a line here. */
#include "unwind/unwind_int.h"

static const struct unwind_machine *const machines[] = { &unwind_x86_64 };

const struct unwind_machine *unwind_machine_of(uint16_t elf_machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i]->elf_machine == elf_machine)
			return machines[i];
	return NULL;
}

static void set(struct unwind_registers *registers, unsigned number, uint64_t value)
{
	registers->value[number] = value;
	registers->is_known |= 1ull << number;
}

bool unwind_registers_of_perf(uint16_t elf_machine, uint64_t mask, const uint64_t *values,
			      struct unwind_registers *registers)
{
	const struct unwind_machine *machine = unwind_machine_of(elf_machine);
	memset(registers, 0, sizeof(*registers));
	if (!machine)
		return false;
	for (unsigned i = 0; i < machine->perf_registers; i++) {
		if (!(mask >> i & 1))
			continue;
		uint64_t value = *values++;
		uint8_t number = machine->of_perf[i];
		if (number >= machine->registers)
			continue;
		set(registers, number, value);
	}
	uint64_t needed = 1ull << machine->program_counter | 1ull << machine->stack_pointer;
	return (registers->is_known & needed) == needed;
}

void unwind_registers_at(uint16_t elf_machine, uint64_t pc, uint64_t stack_pointer,
			 const uint64_t *frame_pointer, struct unwind_registers *registers)
{
	const struct unwind_machine *machine = unwind_machine_of(elf_machine);
	memset(registers, 0, sizeof(*registers));
	if (!machine)
		return;
	set(registers, machine->program_counter, pc);
	set(registers, machine->stack_pointer, stack_pointer);
	if (frame_pointer)
		set(registers, machine->frame_pointer, *frame_pointer);
}

uint64_t unwind_stack_pointer(uint16_t elf_machine, const struct unwind_registers *registers)
{
	return registers->value[unwind_machine_of(elf_machine)->stack_pointer];
}
