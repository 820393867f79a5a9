/*
 * The stack of a sample, from its parts: the kernel's call chain, which follows frame pointers; a copy of registers
 * and stack, which is unwound by tables and, in code without tables, by frame pointers; or both. The copy is right
 * about the frames near the leaf, where functions without frame pointers make the chain skip their callers or go
 * astray. The chain reaches the root where the copy is too small. So the result of the walk goes first, and the chain
 * continues from the last address that both have.
 */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

enum stack_part stack_part_of_mode(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
	case PERF_RECORD_MISC_HYPERVISOR:
		return PART_KERNEL;
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return PART_GUEST;
	default:
		return PART_USER;
	}
}

/* --- unwinding the copy --- */

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
	/* The callee pushes the register first, if it uses it. */
	bool has_pointer = at >= sizeof(pc);
	if (has_pointer)
		memcpy(&frame_pointer, memory->bytes.p + at - sizeof(pc), sizeof(frame_pointer));
	unwind_registers_at(s->machine, pc - 1 /* within the call instruction */,
			    memory->address + at + sizeof(pc), has_pointer ? &frame_pointer : NULL,
			    &registers);
	struct finder f = finder_of(s, process, UINT64_MAX);
	unwind(&f, &registers, memory, out);
}

/* --- the kernel's chain --- */

/* In code without frame pointers, chains contain arbitrary numbers; only these few are the kernel's marks. */
static bool is_context(uint64_t ip)
{
	return ip == PERF_CONTEXT_KERNEL || ip == PERF_CONTEXT_USER || ip == PERF_CONTEXT_HV ||
	       ip == CONTEXT_USER_DEFERRED || ip == PERF_CONTEXT_GUEST ||
	       ip == PERF_CONTEXT_GUEST_KERNEL || ip == PERF_CONTEXT_GUEST_USER;
}

static enum stack_part part_of_context(uint64_t context)
{
	return context == PERF_CONTEXT_KERNEL || context == PERF_CONTEXT_HV ? PART_KERNEL
	       : context == PERF_CONTEXT_USER				    ? PART_USER
									    : PART_GUEST;
}

/* Adds addresses; PERF_CONTEXT_ marks among them say which part of the stack follows. */
static void push_chain(struct stack *st, struct cursor c, enum stack_part part)
{
	/* The first address of each part is the interrupted one, so it is exact. */
	bool is_call = false;
	st->user_first = UINT32_MAX;
	while (cursor_left(&c) >= 8) {
		uint64_t ip = cursor_u64(&c);
		if (!is_context(ip)) {
			if (part == PART_USER && st->user_first == UINT32_MAX)
				st->user_first = st->list.n;
			vec_push(&st->list, (struct stack_address){ ip, part, is_call });
			st->chain_addresses++;
			is_call = true;
			continue;
		}
		is_call = false;
		if (ip == CONTEXT_USER_DEFERRED) {
			st->is_deferred = true;
			st->cookie = cursor_u64(&c);
		}
		part = part_of_context(ip);
	}
	if (st->user_first == UINT32_MAX)
		st->user_first = st->list.n;
	st->is_chain_last = st->user_first < st->list.n;
}

static void clear(struct stack *st)
{
	st->list.n = 0;
	st->chain_addresses = 0;
	st->user_first = 0;
	st->is_rooted = st->is_cut = st->is_deferred = st->is_chain_last = false;
}

void perf_session_stack_of_chain(struct perf_session *s, struct cursor chain, uint16_t misc)
{
	clear(&s->stack);
	push_chain(&s->stack, chain, stack_part_of_mode(misc));
}

/* --- combining both --- */

/* How many addresses are equal, going back from these two, which are included. */
static uint32_t run_before(const struct unwound_stack *u, uint32_t i,
			   const struct stack_address *chain, uint32_t k)
{
	uint32_t n = 0;
	while (n <= i && n <= k && u->addresses[i - n] == chain[k - n].ip)
		n++;
	return n;
}

/*
 * Finds the walk's address i in the chain; UINT32_MAX if it is not there. A recursive function is
 * there several times: most equal addresses before it win, then the first one.
 */
static uint32_t find_in_chain(const struct unwound_stack *u, uint32_t i,
			      const struct stack_address *chain, uint32_t n)
{
	uint32_t best = UINT32_MAX, best_run = 0;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t run = run_before(u, i, chain, k);
		if (run > best_run) {
			best = k;
			best_run = run;
		}
	}
	return best;
}

static void put_unwound(struct stack *st, const struct unwound_stack *u, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vec_push(&st->list,
			 (struct stack_address){ .ip = u->addresses[i],
						 .part = PART_USER,
						 .is_call = u->is_return[i / 64] >> i % 64 & 1,
						 .frame_pointer = u->frame_pointers[i] });
}

static bool is_in_code(const struct perf_session *s, const struct perf_process *process,
		       const struct stack_address *a)
{
	const struct address_space *space = &s->processes.spaces.p[process->space];
	const struct mapping_row *row = address_space_find(space, a->ip - a->is_call);
	return row && row->is_code;
}

uint32_t perf_stack_plausible(const struct perf_session *s, const struct perf_process *process,
			      const struct stack_address *chain, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!is_in_code(s, process, &chain[i]))
			return i;
	return n;
}

/*
 * After a library that uses the register for something else, a chain goes astray for good: what follows its last
 * address in code is dropped. A live recording knows all mapped code. Returns the number of dropped addresses.
 */
static uint32_t drop_astray(struct perf_session *s, const struct perf_process *process)
{
	struct stack *st = &s->stack;
	uint32_t before = st->list.n;
	while (s->options.live && st->list.n > st->user_first + 1 &&
	       !is_in_code(s, process, &st->list.p[st->list.n - 1]))
		st->list.n--;
	st->chain_addresses -= before - st->list.n;
	return before - st->list.n;
}

/* Limits the part of the chain that is searched, as a made-up sample could keep plume busy. */
enum { MAX_DROPPED = 2, MAX_CHAIN = 1024, MAX_WALKED_ALONE = 128, SURE_RUN = 2 };

/*
 * The last addresses of a walk may not be callers, but no more than these. Both have the leaf in
 * common, which proves nothing about a chain that went astray after it.
 */
static bool meet_at_end(const struct unwound_stack *u, const struct stack_address *chain,
			uint32_t n, struct stack_meeting *at)
{
	for (uint32_t i = u->n; i-- > 0 && u->n - 1 - i <= MAX_DROPPED;) {
		uint32_t k = find_in_chain(u, i, chain, n);
		if (k == UINT32_MAX || (i == 0 && u->n > 2))
			continue;
		*at = (struct stack_meeting){ .walked = i + 1, .from = k + 1 };
		return true;
	}
	return false;
}

/*
 * The copy ended within functions without frame pointers, which had called others with them. The
 * chain has skipped all of the former, as it has none of what the walk found after the last common
 * address. Its next address belongs after the end of the walk.
 */
static bool meet_before(const struct unwound_stack *u, const struct stack_address *chain,
			uint32_t n, struct stack_meeting *at)
{
	if (!u->is_cut)
		return false;
	for (uint32_t i = u->n; i-- > 1 && u->n - i <= MAX_WALKED_ALONE;) {
		uint32_t k = find_in_chain(u, i, chain, n);
		if (k == UINT32_MAX)
			continue;
		*at = (struct stack_meeting){ .walked = u->n, .from = k + 1, .is_before = true };
		return run_before(u, i, chain, k) >= SURE_RUN;
	}
	return false;
}

/*
 * The copy ended in a frame as large as uv__io_poll's: the register has not changed from the leaf
 * to there, so the first link that the chain followed is that frame's.
 */
static bool meet_by_register(const struct unwound_stack *u, const struct stack_address *chain,
			     uint32_t n, struct stack_meeting *at)
{
	if (!u->is_cut || u->n < 2 || n < 2 || chain[0].ip != u->addresses[0] ||
	    !u->frame_pointers[0] || u->frame_pointers[u->n - 1] != u->frame_pointers[0])
		return false;
	*at = (struct stack_meeting){ .walked = u->n, .from = 1, .is_before = true };
	return true;
}

bool perf_stack_meet(const struct unwound_stack *u, const struct stack_address *chain, uint32_t n,
		     struct stack_meeting *at)
{
	uint32_t searched = n < MAX_CHAIN ? n : MAX_CHAIN;
	bool at_end = meet_at_end(u, chain, searched, at);
	if (at_end && at->walked > 1)
		return true;
	return meet_by_register(u, chain, searched, at) || at_end ||
	       meet_before(u, chain, searched, at);
}

/* Replaces the user part by the combination of walk and chain. */
static void join(struct perf_session *s, const struct unwound_stack *u,
		 const struct perf_process *process)
{
	struct stack *st = &s->stack;
	uint32_t astray = drop_astray(s, process), n = st->list.n - st->user_first;
	struct stack_meeting at = { 0 };
	AUTO_FREE struct stack_address *chain = mem_alloc(n + 1, sizeof(*chain));
	memcpy(chain, st->list.p + st->user_first, n * sizeof(*chain));
	uint32_t plausible = perf_stack_plausible(s, process, chain, n);
	bool meets = perf_stack_meet(u, chain, n, &at);
	bool goes_on = meets && at.from < n && (!at.is_before || plausible == n);
	/* In the middle of exec, the chain follows what is left of the previous program. */
	if (s->options.live && plausible <= 1 && n + astray > 2)
		goes_on = false;
	if (!goes_on && plausible > u->n) {
		s->counts.by_frame_pointer++;
		return; /* the walk found nothing */
	}
	st->list.n = st->user_first;
	put_unwound(st, u, goes_on ? at.walked : u->n);
	for (uint32_t k = at.from; goes_on && k < n; k++)
		vec_push(&st->list, chain[k]);
	st->is_chain_last = goes_on;
	/* If both end at the same address, or the chain ends just before the C library, nothing is missing. */
	bool ends_alike = meets && at.from == n && !at.is_before;
	st->is_cut = u->is_cut && (astray || (!goes_on && !ends_alike));
	s->counts.by_both += goes_on;
	s->counts.by_table += !goes_on;
}

/*
 * Appends the frames that the recorder walked after the copy's last frame. The register identifies
 * that frame, as addresses repeat in recursive functions. Returns false if nothing was walked, or
 * if that frame uses the register for something else.
 */
static bool put_walked_behind(struct perf_session *s, const struct perf_sample *sample,
			      const struct perf_process *process)
{
	struct stack *st = &s->stack;
	const struct unwound_stack *u = s->stack.unwound;
	const struct perf_walked *w = sample->found ? &sample->found->walked : NULL;
	if (!w || !u->n)
		return false;
	uint32_t next = perf_walked_behind(w, u->frame_pointers[u->n - 1]);
	if (next >= w->n)
		return false;
	st->list.n = st->user_first;
	st->is_chain_last = false;
	put_unwound(st, u, u->n);
	perf_session_add_walked(s, process, w, next);
	return true;
}

/* --- samples --- */

static void use_copy(struct perf_session *s, const struct perf_sample *sample,
		     const struct perf_process *process)
{
	struct stack *st = &s->stack;
	if (!s->stack.unwound)
		s->stack.unwound = mem_alloc(1, sizeof(*s->stack.unwound));
	struct unwound_stack *u = s->stack.unwound;
	if (!perf_session_unwind(s, sample, process, u))
		return;
	bool has_chain = st->user_first < st->list.n;
	if (!u->is_rooted && put_walked_behind(s, sample, process)) {
		s->counts.by_both++;
		return;
	}
	if (has_chain && !u->is_rooted) {
		join(s, u, process);
		return;
	}
	st->list.n = st->user_first;
	st->is_chain_last = false;
	put_unwound(st, u, u->n);
	st->is_rooted = u->is_rooted && u->n;
	st->is_cut = u->is_cut;
	s->counts.by_table++;
}

/*
 * Without a copy, such as in the middle of exec, the chain may follow any value in the register. A live recording
 * knows all mapped code: addresses elsewhere are not callers, except for the first, which was executed.
 */
static void use_chain(struct perf_session *s, const struct perf_process *process)
{
	struct stack *st = &s->stack;
	const struct stack_address *chain = st->list.p + st->user_first;
	uint32_t n = st->list.n - st->user_first;
	s->counts.by_frame_pointer++;
	if (!s->options.live)
		return;
	uint32_t plausible = perf_stack_plausible(s, process, chain, n);
	if (plausible < n)
		st->list.n = st->user_first + (plausible ? plausible : 1);
}

/*
 * The kernel's limit is kernel.perf_event_max_stack, which recordings do not contain. A BPF program
 * that requests the chain makes it one shorter, for the mark at its start (kernel/bpf/stackmap.c).
 */
enum { USUAL_MAX_STACK = 127 };

void perf_session_stack(struct perf_session *s, const struct perf_event *event,
			const struct perf_record *r, const struct perf_sample *sample,
			struct perf_process *process)
{
	struct stack *st = &s->stack;
	clear(st);
	if (sample->has_chain)
		push_chain(st, sample->chain, stack_part_of_mode(r->misc));
	bool has_copy = sample->has_user_registers && sample->user_stack.n;
	if (has_copy)
		use_copy(s, sample, process);
	else if (st->user_first < st->list.n)
		use_chain(s, process);
	if (!st->list.n && event->sample_type & PERF_SAMPLE_IP && !sample->has_chain)
		vec_push(&st->list,
			 (struct stack_address){ sample->ip, stack_part_of_mode(r->misc), false });
	uint32_t max = event->max_stack ? event->max_stack : USUAL_MAX_STACK;
	if (st->chain_addresses + 1 >= max && !st->is_rooted)
		st->is_cut = true;
}
