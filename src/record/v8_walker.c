/*
 * Frames of JavaScript, taken in the kernel at the moment of the sample (v8_walker.bpf.c). What the program
 * there writes stands in the same buffer as the sample, directly in front of it, as a record of an event of
 * its own, one for each cpu.
 */
#include "record/v8_walker_int.h"

#include "record/permission.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A cpu's event, and what it wrote last. */
struct walker_output {
	int cpu, fd;
	uint64_t id;
	int32_t tid; /* 0: nothing waits */
	uint64_t time_ns;
	struct buf bytes; /* struct walker_record, as far as it was written */
};

struct v8_walker {
	struct loaded_program loaded;
	VEC(struct walker_output) outputs;
};

struct v8_walker *v8_walker_new(struct err *e)
{
	struct v8_walker *w = mem_zalloc(1, sizeof(*w));
	w->loaded = (struct loaded_program){ -1, -1, -1, -1, -1, -1 };
	if (v8_walker_load(&w->loaded, e))
		return w;
	v8_walker_free(w);
	return NULL;
}

bool recorder_tries_walker(struct err *e)
{
	struct v8_walker *w = v8_walker_new(e);
	v8_walker_free(w);
	return w != NULL;
}

void v8_walker_close_outputs(struct v8_walker *w)
{
	for (uint32_t i = 0; i < w->outputs.n; i++) {
		close(w->outputs.p[i].fd);
		buf_fini(&w->outputs.p[i].bytes);
	}
	w->outputs.n = 0;
}

void v8_walker_free(struct v8_walker *w)
{
	if (!w)
		return;
	v8_walker_close_outputs(w);
	vec_fini(&w->outputs);
	const int fds[] = { w->loaded.program, w->loaded.processes, w->loaded.outputs,
			    w->loaded.lost,    w->loaded.thinning,  w->loaded.others };
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(w);
}

/* --- maps (man 2 bpf) --- */

static bool map_call(int command, int map, const void *key, const void *value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)map,
				.key = (uint64_t)(uintptr_t)key,
				.value = (uint64_t)(uintptr_t)value };
	return syscall(SYS_bpf, command, &attr, sizeof(attr)) == 0;
}

/* Which of the words of a frame it is. */
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
	/* Without room for it its copies do. */
	map_call(BPF_MAP_UPDATE_ELEM, w->loaded.processes, &pid, &layout);
}

void v8_walker_remove_process(struct v8_walker *w, int32_t pid)
{
	map_call(BPF_MAP_DELETE_ELEM, w->loaded.processes, &pid, NULL);
}

void v8_walker_leave_out(struct v8_walker *w, int32_t pid, uint64_t start_ticks)
{
	if (w)
		map_call(BPF_MAP_UPDATE_ELEM, w->loaded.others, &pid, &start_ticks);
}

uint64_t v8_walker_lost(const struct v8_walker *w)
{
	uint32_t zero = 0;
	uint64_t lost = 0;
	map_call(BPF_MAP_LOOKUP_ELEM, w->loaded.lost, &zero, &lost);
	return lost;
}

void v8_walker_thin(struct v8_walker *w, uint32_t pieces, bool is_near_leaf, uint32_t max_frames)
{
	uint32_t zero = 0;
	struct permission p;
	permission_find(&p);
	/* A chain as long as a program in the kernel may have it can be a longer one's beginning. */
	uint32_t max_chain = p.max_stack > 2 ? (uint32_t)p.max_stack - 2 : 0;
	struct thin_settings settings = { pieces, max_chain, is_near_leaf, max_frames };
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

/* The same fields at the end as of other records (struct record_trailer): it may tell of lost ones. */
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

void v8_walker_attach(struct v8_walker *w, int fd, int cpu, int ring_fd)
{
	/* Tracepoints take programs of another kind only: their samples have copies. */
	if (has_output(w, cpu) || open_output(w, cpu, ring_fd))
		ioctl(fd, PERF_EVENT_IOC_SET_BPF, w->loaded.program);
}

/* --- records --- */

struct output_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, unused;
	uint32_t size; /* of what follows: padded */
} __attribute__((packed));

static struct walker_output *find_output(const struct v8_walker *w, uint64_t id)
{
	for (uint32_t i = 0; i < w->outputs.n; i++)
		if (w->outputs.p[i].id == id)
			return &w->outputs.p[i];
	return NULL;
}

bool v8_walker_wrote(const struct v8_walker *w, const char *record)
{
	uint64_t id;
	memcpy(&id, record + sizeof(struct perf_event_header), sizeof(id));
	return w && find_output(w, id);
}

static struct walker_output *read_output(const struct v8_walker *w, const char *record,
					 struct walker_output_record *out)
{
	struct output_record r;
	struct perf_event_header h;
	memcpy(&h, record, sizeof(h));
	if (h.type != PERF_RECORD_SAMPLE || h.size < sizeof(r))
		return NULL;
	memcpy(&r, record, sizeof(r));
	struct walker_output *o = find_output(w, r.id);
	if (!o || r.size > h.size - sizeof(r))
		return NULL;
	*out = (struct walker_output_record){
		r.pid, r.tid, r.cpu, r.time_ns, { record + sizeof(r), r.size }
	};
	return o;
}

bool v8_walker_read(const struct v8_walker *w, const char *record, struct walker_output_record *out)
{
	return read_output(w, record, out) != NULL;
}

void v8_walker_take(struct v8_walker *w, const char *record)
{
	struct walker_output_record r;
	struct walker_output *o = read_output(w, record, &r);
	if (!o)
		return;
	o->tid = (int32_t)r.tid;
	o->time_ns = r.time_ns;
	o->bytes.n = 0;
	buf_add(&o->bytes, r.bytes);
}

/* before: the fp of the frame before. Returns where the next one is. */
static uint32_t read_frame(const char *words, uint32_t at, uint64_t before, struct v8_raw_frame *f)
{
	uint32_t next, i = written_frame(words, at, &next);
	uint64_t pc = written_word(words, i), fp = written_word(words, i + 1);
	if (i != at)
		fp = before + (written_word(words, at) & UINT32_MAX) * sizeof(uint64_t);
	*f = (struct v8_raw_frame){ .pc = pc & ~WALKER_FLAGS, .fp = fp };
	if (!(pc & WALKER_HAS_SLOTS))
		return next;
	f->is_shared = pc & WALKER_IS_SHARED;
	f->context = written_word(words, i + 2);
	f->function = written_word(words, i + 3);
	f->bytecode_array = written_word(words, i + 4);
	f->bytecode_offset = written_word(words, i + 5);
	return next;
}

bool v8_walker_decode(struct str bytes, struct v8_walked *out)
{
	struct written w;
	if (!written_decode(bytes, &w) || !w.head.frames)
		return false;
	const uint64_t *r = w.head.registers;
	written_top(&w, out->top);
	out->registers =
		(struct v8_registers){ .pc = r[WALKER_IP],
				       .sp = r[WALKER_SP],
				       .fp = r[WALKER_BP],
				       .di = r[WALKER_DI],
				       .cx = r[WALKER_CX],
				       .r9 = r[WALKER_R9],
				       .top = { (const char *)out->top, sizeof(out->top) } };
	out->n = w.head.frames;
	out->has_more = w.head.has_more;
	for (uint32_t i = 0, at = 0; i < w.head.frames; i++)
		at = read_frame(w.words, at, i ? out->frames[i - 1].fp : 0, &out->frames[i]);
	return true;
}

bool v8_walker_is_kept(const struct v8_walker *w, int32_t tid)
{
	for (uint32_t i = 0; i < w->outputs.n; i++)
		if (w->outputs.p[i].tid == tid)
			return true;
	return false;
}

bool v8_walker_find(struct v8_walker *w, int32_t tid, uint64_t time_ns, struct v8_walked *out)
{
	/* Which of the two is stamped first depends on the kernel; both belong to one interrupt. */
	enum { SAME_NS = 10000000 };
	for (uint32_t i = 0; i < w->outputs.n; i++) {
		struct walker_output *o = &w->outputs.p[i];
		if (o->tid != tid)
			continue;
		o->tid = 0;
		if (o->time_ns + SAME_NS > time_ns && time_ns + SAME_NS > o->time_ns)
			return v8_walker_decode(buf_str(&o->bytes), out);
	}
	return false;
}
