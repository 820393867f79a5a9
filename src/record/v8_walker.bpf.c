/*
 * Runs in the kernel at each sample. Follows the frame pointers of a process that runs V8, and writes the contents of
 * its frames before the sample, or in its place together with a copy of the stack. So the depth is not limited by a
 * stack copy, and functions cannot move before they are read: the program reads their SharedFunctionInfo, which
 * stays. Other processes are walked if their stack is deeper than the kernel's own chains.
 *
 * Whatever is in the process's memory, the walk is bounded, only goes upwards, and reads with helpers that fail
 * instead of faulting.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "record/registers_x86_64.bpf.h"
#include "record/v8_walker_record_int.h"

/* Helpers that read memory require a GPL-compatible licence. */
char program_license[] SEC("license") = "Dual BSD/GPL";

struct bpf_perf_event_data {
	struct pt_regs regs;
	uint64_t sample_period, addr;
};

/* Only the members that are needed; CO-RE finds their offsets when the program is loaded. */
struct mm_struct {
	unsigned long start_stack;
} __attribute__((preserve_access_index));

struct task_struct {
	struct mm_struct *mm;
	struct task_struct *group_leader;
	uint64_t start_boottime;
	struct thread_struct thread;
} __attribute__((preserve_access_index));

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

/* Number of records lost for lack of room. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} lost SEC(".maps");

/* A frame that was written, to recognize repeats. */
struct seen_frame {
	uint64_t pc, function, bytecode_array, bytecode_offset;
	uint32_t at;   /* index of its first word */
	uint32_t look; /* the sample it belongs to */
};

struct scratch {
	uint64_t sp;	       /* where raw was copied from */
	uint64_t pc, fp;       /* the next frame */
	uint64_t fp_before;    /* of the previous frame */
	uint64_t function_map; /* map of the last object that was a function: others share it */
	uint64_t js_end;       /* end of the first few JavaScript frames; 0 if there are none */
	uint32_t js_frames;    /* ... their number */
	uint32_t n;	       /* words in the record */
	uint32_t raw_words;    /* valid words in raw */
	uint32_t look;	       /* number of the sample on this cpu */
	uint32_t max_frames;   /* to walk */
	struct seen_frame seen[WALKER_SEEN];
	uint64_t words[WALKER_WORDS];
	uint64_t raw[THIN_PIECES * THIN_WORDS];
	struct walker_record record;
};

/*
 * One per cpu: too large for a per-cpu map. The kernel ensures that a program on a perf event is
 * not interrupted by another one.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct scratch);
} scratches SEC(".maps");

static struct scratch *scratch_of_cpu(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	return bpf_map_lookup_elem(&scratches, &cpu);
}

/*
 * The verifier checks every path through a program, with what is known at each call. Global
 * functions are checked on their own, once; otherwise there would be far too many paths.
 */
#define CHECKED_ONCE __attribute__((noinline))

/* Processes whose samples are dropped, with their start time in ticks, as pids may be reused. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, WALKER_OTHERS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} others SEC(".maps");

/* The pid in the recorder's namespace; 0 if it is invisible there. */
static uint32_t pid_of_current(void)
{
	struct bpf_pidns_info in_namespace;
	if (!recorder.inode)
		return bpf_get_current_pid_tgid() >> 32;
	if (bpf_get_ns_current_pid_tgid(recorder.device, recorder.inode, &in_namespace,
					sizeof(in_namespace)) != 0)
		return 0;
	return in_namespace.tgid;
}

static int is_other(uint32_t pid)
{
	enum { TICK_NS = 10000000 }; /* of /proc/PID/stat: USER_HZ */
	const uint64_t *ticks = bpf_map_lookup_elem(&others, &pid);
	const struct task_struct *task = bpf_get_current_task_btf();
	return ticks && task->group_leader->start_boottime / TICK_NS == *ticks;
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

/* The SharedFunctionInfo of a JSFunction; 0 if it is not one. */
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

/* The words around a frame pointer, from raw if they are there. */
static int read_words(struct scratch *s, uint64_t fp)
{
	uint64_t from = fp - WALKER_SLOTS * 8, i = (from - s->sp) / 8;
	if ((from - s->sp) % 8 != 0 || i >= THIN_PIECES * THIN_WORDS - WALKER_WORDS ||
	    i + WALKER_WORDS > s->raw_words)
		return bpf_probe_read_user(s->words, sizeof(s->words), (void *)from) == 0;
	for (uint32_t k = 0; k < WALKER_WORDS; k++)
		s->words[k] = s->raw[i + k];
	return 1;
}

static uint64_t slot(const struct scratch *s, uint32_t i)
{
	return s->words[i & (WALKER_WORDS - 1)];
}

static void put(struct scratch *s, uint32_t i, uint64_t word)
{
	s->record.words[i & (WALKER_ROOM_WORDS - 1)] = word;
}

/* Frames of WebAssembly and others have a small integer for their type instead of a context. */
static int is_kind(uint64_t word)
{
	return word && word < 256 && !(word & 1);
}

/* Reads the slots of a frame with a context: it may be JavaScript. */
static void take_slots(struct scratch *s, const struct walker_layout *l, struct seen_frame *f)
{
	uint64_t context = slot(s, l->context), function = slot(s, l->function);
	f->pc = s->pc & ~WALKER_FLAGS;
	f->function = f->bytecode_array = f->bytecode_offset = 0;
	if (!is_pointer(context) && !(is_kind(context) && is_pointer(function)))
		return;
	f->pc |= WALKER_HAS_SLOTS;
	f->function = function;
	if (!is_pointer(context))
		return;
	f->bytecode_array = slot(s, l->bytecode_array);
	f->bytecode_offset = slot(s, l->bytecode_offset);
	/* Compiled code has other values there, which would make all of its frames differ. */
	if (!is_pointer(f->bytecode_array))
		f->bytecode_array = f->bytecode_offset = 0;
}

static int is_same(const struct seen_frame *a, const struct seen_frame *b)
{
	return a->pc == b->pc && a->function == b->function &&
	       a->bytecode_array == b->bytecode_array && a->bytecode_offset == b->bytecode_offset;
}

/* Writes one word for a repeated frame. Returns 0 if it is not repeated. */
static int put_repeated(struct scratch *s, const struct seen_frame *f, struct seen_frame *seen,
			uint64_t above)
{
	if (seen->look != s->look || !is_same(seen, f) || above & 7 || above >> 35)
		return 0;
	put(s, s->n, WALKER_IS_REPEATED | (uint64_t)seen->at << 32 | above >> 3);
	s->n++;
	return 1;
}

static void put_frame(struct scratch *s, const struct walker_layout *l, struct seen_frame *f)
{
	/* Enough consecutive frames to be unique in a chain. */
	enum { SURELY = 4 };
	uint32_t n = s->n;
	uint64_t has_slots = f->pc & WALKER_HAS_SLOTS;
	uint64_t shared = 0;
	if (has_slots && is_pointer(slot(s, l->context)))
		shared = shared_of(s, l, f->function);
	put(s, n, f->pc | (shared ? WALKER_IS_SHARED : 0));
	put(s, n + 1, s->fp);
	if (has_slots) {
		put(s, n + 2, slot(s, l->context));
		put(s, n + 3, shared ? shared : f->function);
		put(s, n + 4, f->bytecode_array);
		put(s, n + 5, f->bytecode_offset);
	}
	if (shared && s->js_frames++ < SURELY)
		s->js_end = s->fp + 2 * sizeof(uint64_t);
	s->n = n + (has_slots ? WALKER_FRAME_WORDS : 2);
}

/* Writes a frame and goes on to its caller, whose fp is higher. Returns 0 at the end. */
CHECKED_ONCE int step(const struct walker_layout *l, struct scratch *s)
{
	struct seen_frame f;
	if (!l || !s)
		return 0;
	uint64_t fp = s->fp;
	int is_read = fp >= s->sp && read_words(s, fp);
	s->record.head.frames++;
	if (!is_read) {
		put(s, s->n, s->pc & ~WALKER_FLAGS);
		put(s, s->n + 1, fp);
		s->n += 2;
		return 0;
	}
	take_slots(s, l, &f);
	/* Two slots each, so that functions that call each other do not keep evicting each other. */
	uint64_t key = (f.pc ^ f.function ^ f.bytecode_offset) * 0x9E3779B97F4A7C15ull;
	struct seen_frame *first = &s->seen[key >> 56 & (WALKER_SEEN - 1)];
	struct seen_frame *second = &s->seen[key >> 48 & (WALKER_SEEN - 1)];
	if (!put_repeated(s, &f, first, fp - s->fp_before) &&
	    !put_repeated(s, &f, second, fp - s->fp_before)) {
		f.at = s->n;
		f.look = s->look;
		*(first->look == s->look ? second : first) = f;
		put_frame(s, l, &f);
	}
	s->fp_before = fp;
	/* Upwards only. The last frame's return address still follows, in code that keeps no frame pointer. */
	s->fp = s->words[WALKER_SLOTS] > fp ? s->words[WALKER_SLOTS] : 0;
	s->pc = s->words[WALKER_SLOTS + 1];
	return s->pc != 0;
}

enum { AT_A_TIME = 64 }; /* frames: the verifier cannot handle loops of thousands */

/* Returns 0 at the end of the stack. */
CHECKED_ONCE int walk_some(struct scratch *s, const struct walker_layout *l)
{
	if (!s || !l)
		return 0;
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < AT_A_TIME; i++)
		if (!step(l, s))
			return 0;
	return 1;
}

CHECKED_ONCE int walk(struct scratch *s, const struct walker_layout *l)
{
	enum { MOST = WALKER_MOST_WORDS - WALKER_TOP_WORDS - AT_A_TIME * WALKER_FRAME_WORDS };
	if (!s || !l)
		return 0;
	s->function_map = 0;
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < WALKER_FRAMES / AT_A_TIME; i++) {
		if (i * AT_A_TIME >= s->max_frames || s->n > MOST)
			break;
		if (!walk_some(s, l))
			return 0;
	}
	s->record.head.has_more = 1;
	return 0;
}

static void begin(struct scratch *s, const struct bpf_perf_event_data *context,
		  const struct thin_settings *settings)
{
	struct walker_head *h = &s->record.head;
	take_registers(h->registers, (void *)bpf_task_pt_regs(bpf_get_current_task_btf()));
	s->fp = h->registers[REGISTER_FP];
	s->sp = h->registers[REGISTER_SP];
	s->pc = h->registers[REGISTER_PC];
	s->js_end = s->js_frames = s->n = s->raw_words = 0;
	s->fp_before = s->fp;
	s->max_frames = settings->max_frames;
	s->look++;
	h->is_sample = h->frames = h->has_more = h->chain = h->pieces = 0;
	h->period = context->sample_period;
}

/* Returns 0 if there was no room. */
static int write_record(void *context, struct scratch *s)
{
	uint32_t zero = 0;
	uint64_t n = s->n;
	s->record.head.words = n;
	if (n > WALKER_MOST_WORDS)
		return 0;
	n = sizeof(s->record.head) + n * sizeof(uint64_t);
	if (bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, &s->record, n) == 0)
		return 1;
	uint64_t *count = bpf_map_lookup_elem(&lost, &zero);
	if (count)
		__sync_fetch_and_add(count, 1);
	return 0;
}

/* For a process that runs V8, or a deep stack. Returns 1 to keep the sample itself. */
static int on_walked(struct bpf_perf_event_data *context, struct scratch *s,
		     const struct walker_layout *l, const struct thin_settings *settings,
		     uint32_t pieces)
{
	uint32_t most = pieces ? pieces : THIN_LEAST_PIECES;
	/* A walked stack needs only the part near the leaf, and V8 stacks are full of addresses. */
	if (most > THIN_WALKED_PIECES)
		most = THIN_WALKED_PIECES;
	uint64_t end = stack_end(s->sp);
	most = pieces_before(s, end, most);
	read_raw(s, most);
	walk(s, l);
	if (settings->is_near_leaf && s->js_end) {
		most = pieces_before(s, s->js_end, most);
	} else if (settings->is_near_leaf) {
		/* Frame pointers led nowhere: unwind tables will, given enough of the stack. */
		most = pieces_before(s, end, THIN_WALKED_PIECES);
		s->raw_words = 0;
	}
	uint32_t walked = s->n;
	s->record.head.is_sample = pieces && thin_pieces(s, most);
	if (!s->record.head.is_sample) {
		s->n = walked;
		thin_pieces(s, 1);
	}
	return !(write_record(context, s) && s->record.head.is_sample);
}

/* For a stack without JavaScript that is deeper than the kernel's chain. */
static int on_deep(struct bpf_perf_event_data *context, struct scratch *s,
		   const struct thin_settings *settings, uint32_t pieces)
{
	struct walker_layout none = { .context = WALKER_SLOTS,
				      .function = WALKER_SLOTS,
				      .bytecode_array = WALKER_SLOTS,
				      .bytecode_offset = WALKER_SLOTS };
	s->n = s->record.head.chain = 0;
	return on_walked(context, s, &none, settings, pieces);
}

/*
 * Returns 1 to keep the sample itself; samples of other processes are dropped. If it interrupts another tracing BPF
 * program, this does not run, and the sample is dropped (kernel/events/core.c: bpf_overflow_handler).
 */
SEC("perf_event") int on_sample(struct bpf_perf_event_data *context)
{
	const struct thin_settings *settings = thin_settings();
	uint32_t pid = pid_of_current();
	const struct walker_layout *l = bpf_map_lookup_elem(&processes, &pid);
	struct scratch *s = scratch_of_cpu();
	if (pid && is_other(pid))
		return 0;
	if (!s || !settings)
		return 1;
	uint32_t pieces = is_user_code(context) ? settings->pieces : 0;
	if (!l && !settings->pieces)
		return 1;
	begin(s, context, settings);
	if (l)
		return on_walked(context, s, l, settings, pieces);
	s->record.head.is_sample = 1;
	int is_whole = take_chain(context, s, settings);
	if (is_whole < 0)
		return on_deep(context, s, settings, pieces);
	return !(pieces && is_whole && thin_pieces(s, pieces_before(s, stack_end(s->sp), pieces)) &&
		 write_record(context, s));
}
