/* Events by the names that people type: -e. */
#pragma once
#include "base/base.h"

#include <linux/perf_event.h>

/* One event to be opened. What does not depend on its name (stacks, times, targets) is not set yet. */
struct record_event {
	/* type, config, config1, config2, bp_*; sample_period or sample_freq with freq; exclude_*. */
	struct perf_event_attr attr;
	char *name; /* as it is shown: `cycles`, `sched:sched_switch`, `uprobe:/bin/x:main` */
	char *file; /* uprobe: what attr.config1 (uprobe_path) points to; owned here */
	/*
	 * The only processors that have it, `0-7,16`; NULL: all. Where they are of several kinds, `cycles`
	 * is one event for each kind, all of the same name. On others opening it says ENOENT.
	 */
	char *cpus;
	bool samples_time;  /* a clock, or cycles: its samples are time */
	bool is_tracepoint; /* or a probe: each is taken, and samples can have PERF_SAMPLE_RAW */
};
/* One that the kernel's timers keep: it sees all CPU time. */
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
	uint32_t rate_hz;	     /* of events that sample time, and of hardware counters */
	uint64_t period;	     /* -c: every so many, of all events; 0: by rate */
	bool user_only, kernel_only; /* what an event's own modifier says goes before */
	/* Whose libraries are meant by `uprobe:libc:malloc`; NULL: those of this machine. */
	const struct pid_list *pids;
};
/*
 * Adds the events of `text`: `cycles`, `cpu-clock`, `page-faults`, `sched:sched_switch`,
 * `syscalls:*enter*` (bounded), `uprobe:FILE:FUNCTION[+OFFSET]` or `uprobe:FILE:0xADDRESS`,
 * `uretprobe:...`, `r01c2`, `cpu/event=0x3c,umask=0/`, with modifiers `:u`, `:k`, `:p` to `:ppp`,
 * several with commas. Tracepoints and software events other than clocks are taken each time (period 1)
 * unless a period was asked for. False: e names what is not known, with the nearest names there are, or
 * says that this machine does not have it (no PMU), or that tracefs is not mounted and how to mount it.
 */
bool record_events_parse(const char *text, const struct record_event_wish *wish,
			 struct record_events *events, struct err *e);
/* cycles where there is a PMU, else cpu-clock. *why: in words, when it is not cycles; else empty. */
void record_events_default(const struct record_event_wish *wish, struct record_events *events,
			   struct buf *why);
