/* What each sample contains: struct perf_event_attr (man 2 perf_event_open). */
#include "record/opened.h"
#include "record/v8_walker_record_int.h"

#include <time.h>
#include <unistd.h>

enum { SELDOM_HZ = 2500 };		    /* up to this rate copies are cheap */
#define ALL_BYTES_PER_SECOND (128ull << 20) /* for the copies of all cpus together */

/*
 * The copy is most of a sample's cost, but a stack that does not fit is cut: libuv alone uses 12
 * KB. So the copy is as large as the rate allows, per cpu and in total.
 */
static uint32_t affordable_bytes(uint64_t rate_hz, uint32_t cpus)
{
	enum { LEAST = 8 << 10, MOST = 65528, SMALL_BUFFER_BYTES = 512 << 10 };
	uint64_t bytes = rate_hz <= 200		? MOST
			 : rate_hz <= 1000	? 32 << 10
			 : rate_hz <= SELDOM_HZ ? 16 << 10
						: LEAST;
	uint64_t share = ALL_BYTES_PER_SECOND / (rate_hz * cpus) / 8 * 8;
	/* Without root, each cpu's buffer is limited to 516 KB, which must hold a quarter of a second. */
	if (geteuid() != 0 && share > 4 * SMALL_BUFFER_BYTES / rate_hz)
		share = 4 * SMALL_BUFFER_BYTES / rate_hz / 8 * 8;
	if (bytes > share)
		bytes = share;
	return (uint32_t)(bytes < LEAST ? LEAST : bytes);
}

/* For events without a known rate, assumes one. */
static uint64_t rate_of(const struct record_options *o)
{
	enum { SUPPOSED_HZ = 2000 };
	const struct perf_event_attr *first = &o->events->list.p[0].attr;
	return first->freq && first->sample_freq ? first->sample_freq : SUPPOSED_HZ;
}

uint32_t attributes_call_bytes(const struct record_options *o, uint32_t cpus)
{
	enum { ENOUGH = 24 << 10, OF_SAMPLES = 2 }; /* in the long run, every second at most */
	uint64_t share = OF_SAMPLES * ALL_BYTES_PER_SECOND / (rate_of(o) * cpus) / 8 * 8;
	return (uint32_t)(share > ENOUGH	    ? ENOUGH
			  : share < NEAR_LEAF_BYTES ? NEAR_LEAF_BYTES
						    : share);
}

uint32_t attributes_walked_frames(const struct record_options *o)
{
	/*
	 * A frame costs the kernel some 60 ns. This allows for a quarter of the time of a program
	 * whose stack is always this deep.
	 */
	enum { LEAST = 512, PER_SECOND = 4000000 };
	uint64_t frames = PER_SECOND / rate_of(o);
	return (uint32_t)(frames < LEAST ? LEAST : frames > WALKER_FRAMES ? WALKER_FRAMES : frames);
}

uint32_t attributes_stack_bytes(const struct record_options *o, uint32_t cpus)
{
	if (o->call_graph == CALL_GRAPH_FP || o->call_graph == CALL_GRAPH_NONE || o->kernel_only ||
	    !USER_REGISTERS)
		return 0;
	if (o->stack_bytes)
		return o->stack_bytes;
	uint64_t rate = rate_of(o);
	if (rate > SELDOM_HZ && o->call_graph == CALL_GRAPH_AUTO && choice_is_chained(o))
		return NEAR_LEAF_BYTES;
	return affordable_bytes(rate, cpus);
}

static void ask_for_stacks(struct perf_event_attr *attr, const struct record_options *o,
			   uint32_t stack_bytes)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_kernel = o->user_only;
	attr->exclude_callchain_user = o->kernel_only || o->call_graph == CALL_GRAPH_DWARF;
	if (!stack_bytes)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = USER_REGISTERS;
	attr->sample_stack_user = stack_bytes;
}

void attributes_complete(struct perf_event_attr *attr, const struct record_options *o, bool tells,
			 uint32_t stack_bytes)
{
	attr->size = sizeof(*attr);
	attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			     PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	/*
	 * With a period it is known. Asking for it makes the kernel write one sample per occurrence
	 * of its software events (perf_swevent_event).
	 */
	if (attr->freq)
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	if (o->call_graph != CALL_GRAPH_NONE)
		ask_for_stacks(attr, o, stack_bytes);
	attr->read_format = PERF_FORMAT_ID | READ_LOST;
	attr->disabled = 1;
	attr->sample_id_all = 1;
	attr->exclude_hv = 1;
	attr->exclude_guest = 1;
	attr->exclude_idle = 1;
	attr->exclude_user |= o->kernel_only;
	attr->exclude_kernel |= o->user_only;
	/* The clock of jitdump, which every process can read. */
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	if (!tells)
		return;
	attr->mmap = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
}
