/*
 * Runs in the kernel at each sample: follows the frame pointers of a process that runs V8, and writes what its
 * frames hold in front of the sample. Neither is the depth bounded by a copy of the stack then, nor does a
 * function move before it is looked at: what stays, its SharedFunctionInfo, is taken at once.
 *
 * Whatever the process has in its memory, the walk is bounded, goes upwards only, and reads by calls that
 * fail instead of faulting.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "record/v8_walker_record_int.h"

/* Functions that read memory are for programs that say so. */
char program_license[] SEC("license") = "Dual BSD/GPL";

/* As the kernel has them on its stack (arch/x86/include/asm/ptrace.h); it refuses the program otherwise. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

struct bpf_perf_event_data {
	struct pt_regs regs;
	uint64_t sample_period, addr;
};

const volatile struct walker_namespace recorder = { 0 };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WALKER_PROCESSES);
	__type(key, uint32_t);
	__type(value, struct walker_layout);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
} outputs SEC(".maps");

/* Records that found no room. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} lost SEC(".maps");

struct scratch {
	uint64_t pc, fp;       /* of the frame that is next */
	uint64_t function_map; /* of the last object that was a function: others have the same */
	uint64_t words[WALKER_WORDS];
	struct walker_record record;
};

/* A program on a perf event is not interrupted by another one: the kernel sees to that. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct scratch);
} scratches SEC(".maps");

static struct walker_layout *layout_of_current(void)
{
	struct bpf_pidns_info in_namespace;
	uint32_t pid = bpf_get_current_pid_tgid() >> 32;
	if (recorder.inode) {
		if (bpf_get_ns_current_pid_tgid(recorder.device, recorder.inode, &in_namespace,
						sizeof(in_namespace)) != 0)
			return 0;
		pid = in_namespace.tgid;
	}
	return bpf_map_lookup_elem(&processes, &pid);
}

/* 0: there was no room for it. */
static int write_record(void *context, void *record, uint64_t n)
{
	uint32_t zero = 0;
	if (bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, record, n) == 0)
		return 1;
	uint64_t *count = bpf_map_lookup_elem(&lost, &zero);
	if (count)
		__sync_fetch_and_add(count, 1);
	return 0;
}

#include "record/thin_stack.bpf.h"

static int is_pointer(uint64_t word)
{
	return (word & 3) == 1 && word > 4096 && !(word >> 47);
}

static int is_function_map(struct scratch *s, const struct walker_layout *l, uint64_t map)
{
	uint16_t type = 0;
	if (map == s->function_map)
		return 1;
	if (!is_pointer(map) ||
	    bpf_probe_read_user(&type, sizeof(type), (void *)(map + l->map_instance_type)) != 0 ||
	    type < l->first_function_type || type > l->last_function_type)
		return 0;
	s->function_map = map;
	return 1;
}

/* The SharedFunctionInfo of a JSFunction; 0: it is none. */
static uint64_t shared_of(struct scratch *s, const struct walker_layout *l, uint64_t function)
{
	uint64_t words[4], shared = 0; /* most have it there */
	if (!is_pointer(function) ||
	    bpf_probe_read_user(words, sizeof(words), (void *)(function - 1)) != 0 ||
	    !is_function_map(s, l, words[0]))
		return 0;
	if (l->function_shared == 3 * sizeof(uint64_t) - 1)
		shared = words[3];
	else if (bpf_probe_read_user(&shared, sizeof(shared),
				     (void *)(function + l->function_shared)) != 0)
		return 0;
	return is_pointer(shared) ? shared : 0;
}

static void fill(struct walker_frame *f, struct scratch *s, const struct walker_layout *l)
{
	f->context = s->words[l->context & (WALKER_WORDS - 1)];
	f->function = s->words[l->function & (WALKER_WORDS - 1)];
	f->bytecode_array = s->words[l->bytecode_array & (WALKER_WORDS - 1)];
	f->bytecode_offset = s->words[l->bytecode_offset & (WALKER_WORDS - 1)];
	uint64_t shared = is_pointer(f->context) ? shared_of(s, l, f->function) : 0;
	if (shared) {
		f->function = shared;
		f->pc |= WALKER_IS_SHARED;
	}
}

/* The words around a frame pointer: from what was read of the stack already, if they are there. */
static int read_words(struct scratch *s, uint64_t fp)
{
	const struct thin_scratch *t = thin_scratch();
	uint64_t from = fp - WALKER_SLOTS * 8, i = t ? (from - t->sp) / 8 : 0;
	if (!t || (from - t->sp) % 8 != 0 || i >= THIN_PIECES * THIN_WORDS - WALKER_WORDS ||
	    i + WALKER_WORDS > t->words)
		return bpf_probe_read_user(s->words, sizeof(s->words), (void *)from) == 0;
	for (uint32_t k = 0; k < WALKER_WORDS; k++)
		s->words[k] = t->raw[i + k];
	return 1;
}

/*
 * Writes down a frame and goes to its caller; 0: there is none. It is no static function, so that the kernel
 * checks it once, not for each frame.
 */
__attribute__((noinline)) int step(const struct walker_layout *l, uint32_t i)
{
	uint32_t zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero);
	if (!l || !s || i >= WALKER_FRAMES)
		return 0;
	struct walker_frame *f = &s->record.frame[i];
	uint64_t fp = s->fp;
	s->record.head.frames = i + 1;
	f->pc = s->pc & ~WALKER_IS_SHARED;
	f->fp = fp;
	f->context = f->function = f->bytecode_array = f->bytecode_offset = 0;
	if (fp < s->record.head.sp || !read_words(s, fp))
		return 0;
	fill(f, s, l);
	/* Upwards only. Behind the last one is where it returns to still, in code that keeps none. */
	s->fp = s->words[WALKER_SLOTS] > fp ? s->words[WALKER_SLOTS] : 0;
	s->pc = s->words[WALKER_SLOTS + 1];
	return s->pc != 0;
}

static void walk(struct scratch *s, const struct walker_layout *l)
{
	s->pc = s->record.head.pc;
	s->fp = s->record.head.fp;
	s->record.head.has_more = 0;
	s->function_map = 0;
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < WALKER_FRAMES; i++)
		if (!step(l, i))
			return;
	s->record.head.has_more = 1;
}

static void take_registers(struct walker_head *r)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	r->pc = regs->ip;
	r->sp = regs->sp;
	r->fp = regs->bp;
	r->di = regs->di;
	r->cx = regs->cx;
	r->r9 = regs->r9;
}

static void take_top(struct walker_head *r, const struct thin_scratch *t)
{
	if (t->words >= WALKER_TOP_WORDS)
		__builtin_memcpy(r->top, t->raw, sizeof(r->top));
	else
		__builtin_memset(r->top, 0, sizeof(r->top));
}

static void write_walked(void *context, struct walker_record *r)
{
	uint64_t n = r->head.frames;
	if (n > WALKER_FRAMES)
		return;
	n = offsetof(struct walker_record, frame) + n * sizeof(struct walker_frame);
	write_record(context, r, n);
}

/*
 * Returns 1: the sample itself is taken. It is not, and this does not run, where it hits another BPF program
 * that traces (kernel/events/core.c: bpf_overflow_handler).
 */
SEC("perf_event") int on_sample(struct bpf_perf_event_data *context)
{
	uint32_t zero = 0;
	const struct thin_settings *settings = thin_settings();
	const struct walker_layout *l = layout_of_current();
	struct scratch *s = l ? bpf_map_lookup_elem(&scratches, &zero) : 0;
	struct thin_scratch *t = thin_scratch();
	if (!t || !settings)
		return 1;
	int is_thin = settings->pieces && is_user_code(context);
	uint32_t pieces = is_thin ? settings->pieces : THIN_LEAST_PIECES;
	/* Of a stack that is walked only the part near the leaf is needed, and V8's are full of addresses. */
	if (s && pieces > THIN_WALKED_PIECES)
		pieces = THIN_WALKED_PIECES;
	if (s) {
		take_registers(&s->record.head);
		read_raw(t, s->record.head.sp, pieces);
		take_top(&s->record.head, t);
		walk(s, l);
		write_walked(context, &s->record);
	} else {
		t->sp = context->regs.sp;
		t->words = 0;
	}
	return !(is_thin && write_thin(context, t, settings));
}
