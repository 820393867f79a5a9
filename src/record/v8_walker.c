/*
 * JavaScript frames, read in the kernel at the time of the sample (v8_walker.bpf.c). The program's output is in the
 * same buffer as the sample, directly before it, as a record of a separate event, one per cpu.
 */
#include "record/v8_walker_int.h"

#include "record/permission.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void walker_detach(void *state)
{
	struct v8_walker *w = state;
	for (uint32_t i = 0; i < w->outputs.n; i++) {
		close(w->outputs.p[i].fd);
		buf_fini(&w->outputs.p[i].bytes);
	}
	w->outputs.n = 0;
}

static void walker_free(void *state)
{
	struct v8_walker *w = state;
	walker_detach(w);
	vec_fini(&w->outputs);
	perf_events_free(w->formats);
	v8_walker_unload(&w->loaded);
	free(w);
}

bool recorder_tries_walker(struct err *e)
{
	struct loaded_program loaded;
	bool is_loaded = v8_walker_load(&loaded, e);
	v8_walker_unload(&loaded);
	return is_loaded;
}

const struct err *v8_walker_trouble(const struct v8_walker *w)
{
	return w->loaded.is_loaded ? NULL : &w->trouble;
}

/* --- maps (man 2 bpf) --- */

static bool map_call(int command, int map, const void *key, const void *value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)map,
				.key = (uint64_t)(uintptr_t)key,
				.value = (uint64_t)(uintptr_t)value };
	return syscall(SYS_bpf, command, &attr, sizeof(attr)) == 0;
}

/* The index of a slot among the words of a frame. */
static uint32_t word_of(const struct v8_layout *l, enum v8_constant c)
{
	int32_t i = WALKER_SLOTS + v8_get(l, c) / (int32_t)sizeof(uint64_t);
	return i >= 0 && i < WALKER_SLOTS ? (uint32_t)i : WALKER_SLOTS;
}

void v8_walker_add_process(struct v8_walker *w, int32_t pid, const struct v8_layout *l)
{
	struct walker_layout layout = {
		.function_shared = v8_get(l, V8_JS_FUNCTION_SHARED) - 1,
		.map_instance_type = v8_get(l, V8_MAP_INSTANCE_TYPE) - 1,
		.first_function_type = v8_get(l, V8_TYPE_FIRST_FUNCTION),
		.last_function_type = v8_get(l, V8_TYPE_LAST_FUNCTION),
		.context = word_of(l, V8_FRAME_CONTEXT),
		.function = word_of(l, V8_FRAME_FUNCTION),
		.bytecode_array = word_of(l, V8_FRAME_BYTECODE_ARRAY),
		.bytecode_offset = word_of(l, V8_FRAME_BYTECODE_OFFSET),
	};
	/* If there is no room, stack copies still work. */
	if (w->loaded.is_loaded)
		map_call(BPF_MAP_UPDATE_ELEM, w->loaded.processes, &pid, &layout);
}

void v8_walker_remove_process(struct v8_walker *w, int32_t pid)
{
	if (w->loaded.is_loaded)
		map_call(BPF_MAP_DELETE_ELEM, w->loaded.processes, &pid, NULL);
}

static void walker_leave_out(void *state, int32_t pid)
{
	const struct v8_walker *w = state;
	struct process_status s;
	if (w->loaded.is_loaded && process_stat_read("", pid, &s))
		map_call(BPF_MAP_UPDATE_ELEM, w->loaded.others, &pid, &s.start_ticks);
}

static uint64_t walker_lost(const void *state)
{
	const struct v8_walker *w = state;
	uint32_t zero = 0;
	uint64_t lost = 0;
	if (w->loaded.is_loaded)
		map_call(BPF_MAP_LOOKUP_ELEM, w->loaded.lost, &zero, &lost);
	return lost;
}

/* Pieces per copy; 0 if these events have no copies to thin out. */
static uint32_t thin_pieces_of(const struct opened_events *x)
{
	const struct perf_event_attr *attr = &x->attrs.p[0];
	const uint64_t stacks =
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	const uint32_t piece_bytes = THIN_WORDS * sizeof(uint64_t);
	/* With several events, plume could not tell whose sample it is. */
	bool can = x->attrs.n == 1 && attr->type != PERF_TYPE_TRACEPOINT &&
		   (attr->sample_type & stacks) == stacks;
	return can && attr->sample_stack_user <= THIN_PIECES * piece_bytes
		       ? attr->sample_stack_user / piece_bytes
		       : 0;
}

/*
 * If only frames near the leaf are needed and the program makes the copies, the kernel's own copies
 * are only of system calls. So they may be larger: libuv waits in a function with 15 KB on its
 * stack, below one that uses the frame pointer for something else.
 */
static void walker_ask(void *state)
{
	struct v8_walker *w = state;
	struct opened_events *x = w->collecting->events;
	const struct record_options *o = w->collecting->options;
	uint32_t zero = 0, pieces = thin_pieces_of(x);
	struct permission p;
	if (!w->loaded.is_loaded)
		return;
	bool is_near_leaf = !o->stack_bytes && x->stack_bytes == NEAR_LEAF_BYTES;
	if (pieces && is_near_leaf)
		x->attrs.p[0].sample_stack_user = attributes_call_bytes(o, x->cpus.n);
	permission_find(&p);
	/* A chain of the maximum length for a BPF program may be truncated. */
	uint32_t max_chain = p.max_stack > 2 ? (uint32_t)p.max_stack - 2 : 0;
	struct thin_settings settings = { pieces, max_chain, is_near_leaf,
					  attributes_walked_frames(o) };
	map_call(BPF_MAP_UPDATE_ELEM, w->loaded.thinning, &zero, &settings);
}

/* --- events --- */

static bool has_output(const struct v8_walker *w, int cpu)
{
	for (uint32_t i = 0; i < w->outputs.n; i++)
		if (w->outputs.p[i].cpu == cpu)
			return true;
	return false;
}

/* Has the same trailing fields as other records, as it may report losses. */
static struct perf_event_attr output_attr(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX, /* the buffer has its own */
	};
}

static bool open_output(struct v8_walker *w, int cpu, int ring_fd)
{
	struct perf_event_attr attr = output_attr();
	struct walker_output o = { .cpu = cpu };
	o.fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (o.fd < 0)
		return false;
	if (ioctl(o.fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) == 0 &&
	    ioctl(o.fd, PERF_EVENT_IOC_ID, &o.id) == 0 &&
	    map_call(BPF_MAP_UPDATE_ELEM, w->loaded.outputs, &cpu, &o.fd)) {
		vec_push(&w->outputs, o);
		return true;
	}
	close(o.fd);
	return false;
}

static void walker_attach(void *state, int fd, int cpu, int ring_fd)
{
	struct v8_walker *w = state;
	/* Tracepoints only accept another type of program: their samples have copies. */
	if (w->loaded.is_loaded && (has_output(w, cpu) || open_output(w, cpu, ring_fd)))
		ioctl(fd, PERF_EVENT_IOC_SET_BPF, w->loaded.program);
}

static void *walker_begin(struct collecting *c, unsigned number)
{
	struct v8_walker *w = mem_zalloc(1, sizeof(*w));
	struct perf_event_attr attr = output_attr();
	(void)number;
	w->collecting = c;
	w->formats = perf_events_new();
	perf_events_add(w->formats, &attr, NULL);
	c->shares_buffers = v8_walker_load(&w->loaded, &w->trouble);
	c->walker = w;
	return w;
}

static const struct collector_kernel walker_kernel = {
	.attach = walker_attach,
	.detach = walker_detach,
	.wrote = v8_walker_wrote,
	.lost = walker_lost,
	.leave_out = walker_leave_out,
	.whole_bytes = thin_whole_bytes,
	.make_whole = thin_make_whole,
};

const struct collector walker_collector = {
	.begin = walker_begin,
	.ask = walker_ask,
	.free = walker_free,
	.fresh_record = v8_walker_fresh_record,
	.fresh_sample = v8_walker_fresh_sample,
	.kernel = &walker_kernel,
};
