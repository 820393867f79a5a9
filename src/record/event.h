/* Events by the names that users type after -e. */
#pragma once
#include "base/base.h"

#include <linux/perf_event.h>

/* An event to be opened. Whatever does not depend on its name (stacks, times, targets) is not set yet. */
struct record_event {
	/* type, config, config1, config2, bp_*; sample_period or sample_freq with freq; exclude_*. */
	struct perf_event_attr attr;
	char *name; /* for display: `cycles`, `sched:sched_switch`, `uprobe:/bin/x:main` */
	char *file; /* uprobe: what attr.config1 (uprobe_path) points to; owned */
	/*
	 * The processors that have this event, `0-7,16`; NULL if all do. On hybrid CPUs `cycles` becomes one event
	 * per kind of core, all with the same name. Opening it on other processors fails with ENOENT.
	 */
	char *cpus;
	bool samples_time;  /* a clock, or cycles: samples measure time */
	bool is_tracepoint; /* or a probe: period 1, and samples can have PERF_SAMPLE_RAW */
};
/* An event driven by the kernel's timers, which sees all CPU time. */
static inline bool record_event_is_clock(const struct record_event *e)
{
	return e->samples_time && e->attr.type == PERF_TYPE_SOFTWARE;
}

struct record_events {
	VEC(struct record_event) list;
};
void record_events_fini(struct record_events *e);

struct pid_list;
struct record_event_wish {
	uint32_t rate_hz; /* of events that sample time, and of hardware counters */
	uint64_t period;  /* -c: sample every n-th occurrence, for all events; 0 to use the rate */
	bool user_only, kernel_only; /* an event's own modifier takes precedence */
	/* Processes whose libraries `uprobe:libc:malloc` refers to; NULL for this machine's. */
	const struct pid_list *pids;
};
/*
 * Adds the events of `text`: `cycles`, `cpu-clock`, `page-faults`, `sched:sched_switch`, `syscalls:*enter*`
 * (bounded), `uprobe:FILE:FUNCTION[+OFFSET]` or `uprobe:FILE:0xADDRESS`, `uretprobe:...`, `r01c2`,
 * `cpu/event=0x3c,umask=0/`, with modifiers `:u`, `:k`, `:p` to `:ppp`, separated by commas. Tracepoints and software
 * events other than clocks get period 1 unless a period is given. Returns false and sets e, which lists similar names
 * if a name is unknown, or says that this machine lacks the event (no PMU), or that tracefs is not mounted and how to
 * mount it.
 */
bool record_events_parse(const char *text, const struct record_event_wish *wish,
			 struct record_events *events, struct err *e);
/* cycles if there is a PMU, else cpu-clock. *why is empty for cycles, else it says why. */
void record_events_default(const struct record_event_wish *wish, struct record_events *events,
			   struct buf *why);
