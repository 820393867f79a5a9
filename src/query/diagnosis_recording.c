/* What happened while recording: what was lost or cut, and what has no name. */
#include "query/diagnosis_int.h"

/* The percentages from which a finding is a warning, and from which it is bad. */
struct limits {
	double warn, bad;
};

static enum finding_mark mark_of(uint64_t count, uint64_t total, struct limits limits)
{
	double percent = total ? 100.0 * (double)count / (double)total : 100;
	if (!count || percent < limits.warn)
		return FINDING_OK;
	return percent < limits.bad ? FINDING_WARN : FINDING_BAD;
}

enum stack_source stack_source_of(const struct profile *p)
{
	struct str told = profile_fact(p, STR("call graph"));
	struct str command = profile_fact(p, STR("command"));
	if (str_starts(told, STR("dwarf")) || (!told.n && str_find(command, STR("dwarf")) >= 0))
		return STACKS_COPIED;
	if (str_starts(told, STR("unwind tables")) || str_starts(told, STR("tables")))
		return STACKS_JOINED;
	if (str_starts(told, STR("lbr")) || (!told.n && str_find(command, STR(" lbr")) >= 0))
		return STACKS_LBR;
	return told.n || command.n ? STACKS_FRAME_POINTERS : STACKS_UNKNOWN;
}

/* A perf.data written by plume has only its command line. */
bool is_by_plume(const struct profile *p)
{
	return profile_fact(p, STR("plume")).n ||
	       str_starts(profile_fact(p, STR("command")), STR("plume "));
}

const char *recorder_of(const struct profile *p)
{
	return is_by_plume(p) ? "plume record" : "perf record";
}

static bool stack_has_callers(const struct profile *p, node_id node)
{
	unsigned frames = 0;
	for (; node != NODE_ROOT && frames < 2; node = p->nodes.p[node].parent)
		frames += !(p->frames.p[p->nodes.p[node].frame].flags & FRAME_INLINED);
	return frames > 1;
}

bool has_callers(const struct profile *p)
{
	for (uint32_t row = 0; row < p->samples.n; row++)
		if (stack_has_callers(p, p->samples.node[row]))
			return true;
	return false;
}

static void add_lost(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	uint64_t ignored = 0, lost = p->ledger.count[LEDGER_LOST];
	uint64_t total = saturating_add(lost, p->ledger.count[LEDGER_SAMPLES], &ignored);
	struct finding f = { mark_of(lost, total, (struct limits){ 0, 5 }), "lost", .count = lost,
			     .total = total };
	if (!lost) {
		diagnosis_add_plain(d, f.key, FINDING_OK, STR("no samples were lost"));
		return;
	}
	finding_add_count(&t.what, lost, "sample was", "samples were");
	buf_add(&t.what, STR(" lost while recording ("));
	buf_add_percent(&t.what, lost, total);
	buf_add_char(&t.what, ')');
	buf_addf(
		&t.why,
		"the recorder did not empty the kernel's buffer in time; busy moments suffer most");
	buf_addf(&t.fix,
		 "record with a larger buffer (%s -m 16M) or a lower rate (-F "
		 "99)%s",
		 recorder_of(p),
		 stack_source_of(p) == STACKS_COPIED ? ", or with smaller copies of the stack "
						       "(--call-graph dwarf,4096)"
						     : "");
	diagnosis_add(d, f, &t);
}

static void add_throttled(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	uint64_t times = p->ledger.count[LEDGER_THROTTLED];
	if (!times) {
		diagnosis_add_plain(d, "throttled", FINDING_OK, STR("sampling was not throttled"));
		return;
	}
	buf_addf(&t.what, "sampling was throttled ");
	finding_add_count(&t.what, times, "time", "times");
	buf_addf(&t.why, "sampling took more time than the kernel allows, so the kernel paused it: "
			 "busy moments have too few samples");
	buf_addf(&t.fix,
		 "record at a lower rate (%s -F 99), or lift the limit: sudo "
		 "sysctl kernel.perf_cpu_time_max_percent=0",
		 recorder_of(p));
	diagnosis_add(d, (struct finding){ FINDING_WARN, "throttled", .count = times }, &t);
}

static void add_share(struct buf *out, uint64_t count, uint64_t total, const char *words)
{
	buf_add_percent(out, count, total);
	buf_addf(out, " %s (", words);
	buf_add_grouped(out, count);
	buf_addf(out, " of ");
	buf_add_grouped(out, total);
	buf_add_char(out, ')');
}

/* Compiled Java keeps frame pointers only if told to. */
static bool has_java(const struct profile *p)
{
	for (uint32_t i = 0; i < p->frames.n; i++)
		if (str_eq(str_basename(profile_str(p, p->frames.p[i].module)), STR("libjvm.so")))
			return true;
	for (uint32_t i = 0; i < p->threads.n; i++)
		if (str_eq(profile_str(p, p->threads.p[i].comm), STR("java")))
			return true;
	return false;
}

/* The kernel does not make larger ones. */
static bool has_largest_copies(const struct profile *p)
{
	return str_find(profile_fact(p, STR("call graph")), STR("(65,528 bytes")) >= 0 ||
	       str_find(profile_fact(p, STR("call graph")), STR("copies of 65528 bytes")) >= 0;
}

static void add_truncated(const struct profile *p, struct diagnosis *d)
{
	static const char *const reasons[] = {
		[STACKS_UNKNOWN] =
			"the recorder keeps a limited number of frames, or bytes, of each stack",
		[STACKS_FRAME_POINTERS] = "they were deeper than the kernel records: "
					  "kernel.perf_event_max_stack, 127 frames by default",
		[STACKS_COPIED] = "they were longer than the recorded copy of the stack",
		[STACKS_LBR] = "the processor remembers only the last 8 to 32 calls",
		[STACKS_JOINED] = "they were longer than the recorded copy of the stack, and frame "
				  "pointers lead no further",
	};
	static const char *const fixes[] = {
		[STACKS_UNKNOWN] = "sudo sysctl kernel.perf_event_max_stack=512; for --call-graph "
				   "dwarf: --call-graph dwarf,65528",
		[STACKS_FRAME_POINTERS] = "sudo sysctl kernel.perf_event_max_stack=512, then "
					  "record again",
		[STACKS_COPIED] = "record with larger copies: perf record --call-graph dwarf,65528",
		[STACKS_LBR] = "perf record --call-graph dwarf",
		[STACKS_JOINED] = "copy more of each stack, and sample less often: plume record -F "
				  "99 --call-graph auto,65528",
	};
	AUTO(finding_text) struct finding_text t = { 0 };
	uint64_t count = p->ledger.count[LEDGER_TRUNCATED];
	uint64_t total = p->ledger.count[LEDGER_SAMPLES];
	enum stack_source source = stack_source_of(p);
	struct limits limits = { 1, 20 };
	if (!count) {
		diagnosis_add_plain(d, "truncated", FINDING_OK,
				    STR("no stack was cut while recording"));
		return;
	}
	add_share(&t.what, count, total, "of stacks were cut while recording");
	if (source == STACKS_JOINED && has_largest_copies(p)) {
		buf_addf(&t.why, "they were longer than 64 KB, the largest copy of a stack the "
				 "kernel makes, and frame pointers lead no further");
		buf_addf(&t.fix,
			 "build with frame pointers (%s); plume follows them furthest at "
			 "up to 99 Hz (-F 99)",
			 has_java(p) ? "Java: -XX:+PreserveFramePointer, C and C++: "
				       "-fno-omit-frame-pointer"
				     : "-fno-omit-frame-pointer");
	} else {
		buf_addf(&t.why, "%s", reasons[source]);
		buf_addf(&t.fix, "%s", fixes[source]);
	}
	diagnosis_add(d,
		      (struct finding){ mark_of(count, total, limits), "truncated", .count = count,
					.total = total },
		      &t);
}

/* A stack counts as rooted by the name of its outermost frame, so missing names look like missing frames. */
static void add_unrooted_names(struct buf *why, enum finding_mark mark,
			       const struct unnamed_rows *u)
{
	enum { MANY_PERCENT = 20 };
	if (u->frames && 100.0 * (double)u->unnamed / (double)u->frames > MANY_PERCENT)
		buf_addf(why, ", or the names of the outermost frames are missing (see %s)",
			 mark == FINDING_BAD ? "below" : "above");
}

static void add_unrooted(const struct profile *p, const struct unnamed_rows *unnamed,
			 struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	uint64_t count = p->ledger.count[LEDGER_UNROOTED];
	uint64_t total = p->ledger.count[LEDGER_SAMPLES];
	enum finding_mark mark = mark_of(count, total, (struct limits){ 5, 30 });
	if (!has_callers(p))
		return; /* another finding covers this */
	if (!count) {
		diagnosis_add_plain(d, "unrooted", FINDING_OK,
				    p->ledger.count[LEDGER_TRUNCATED]
					    ? STR("every stack that was not cut is complete")
					    : STR("every stack is complete"));
		return;
	}
	add_share(&t.what, count, total, "of stacks are incomplete");
	const char *java = has_java(p) ? "Java: -XX:+PreserveFramePointer; others: " : "";
	if (stack_source_of(p) == STACKS_JOINED) {
		buf_addf(&t.why,
			 "the outermost callers are missing: the code has neither frame pointers "
			 "nor unwind tables%s, or the process was about to run another program "
			 "(exec)",
			 *java ? " (compiled Java, for example)"
			       : ", or runs on a stack of its own (a coroutine)");
		add_unrooted_names(&t.why, mark, unnamed);
		buf_addf(&t.fix, "%sbuild with -fno-omit-frame-pointer", java);
	} else if (stack_source_of(p) == STACKS_COPIED) {
		buf_addf(&t.why, "the copy of the stack was too small, or a binary or its unwind "
				 "tables could not be read");
		buf_addf(&t.fix,
			 "record larger copies (%s --call-graph dwarf,65528), and run plume where "
			 "the binaries are (or give --symfs DIR)",
			 recorder_of(p));
	} else {
		buf_addf(&t.why, "code without frame pointers breaks the chain of callers");
		add_unrooted_names(&t.why, mark, unnamed);
		buf_addf(&t.fix,
			 "%s --call-graph %s; or build with "
			 "-fno-omit-frame-pointer%s",
			 recorder_of(p), is_by_plume(p) ? "auto" : "dwarf",
			 *java ? "; Java: -XX:+PreserveFramePointer" : "");
	}
	diagnosis_add(d, (struct finding){ mark, "unrooted", .count = count, .total = total }, &t);
}

/* The rows of the files follow if there is room; this names only the worst one. */
static void add_names(const struct unnamed_rows *u, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	struct limits limits = { 1, 10 };
	if (!u->frames)
		return;
	if (!u->unnamed) {
		diagnosis_add_plain(d, "names", FINDING_OK, STR("every frame has a name"));
		return;
	}
	add_share(&t.what, u->unnamed, u->frames, "of frames have no name");
	if (!u->has_reasons)
		buf_addf(&t.why, "this format does not say why; perf.data does: plume doctor "
				 "perf.data");
	diagnosis_add(d,
		      (struct finding){ mark_of(u->unnamed, u->frames, limits), "names",
					.count = u->unnamed, .total = u->frames },
		      &t);
}

static void add_inlines(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	uint64_t count = p->ledger.count[LEDGER_NO_INLINES];
	if (!count)
		return;
	buf_addf(&t.what, "inlined functions of ");
	finding_add_count(&t.what, count, "address were", "addresses were");
	buf_addf(&t.what, " not looked up");
	buf_addf(&t.why, "it would have taken too long; names are right, but functions inlined at "
			 "these addresses are not shown");
	diagnosis_add(d, (struct finding){ FINDING_WARN, "inlines", .count = count }, &t);
}

void diagnose_recording(const struct profile *p, const struct unnamed_rows *unnamed,
			struct diagnosis *d)
{
	bool is_known = knows_recording(p), is_cut = is_cut_before_samples(p);
	if (is_known && (!is_cut || p->ledger.count[LEDGER_LOST]))
		add_lost(p, d);
	if (is_known && (!is_cut || p->ledger.count[LEDGER_THROTTLED]))
		add_throttled(p, d);
	diagnose_charged(p, d);
	if (is_known && p->samples.n) {
		add_truncated(p, d);
		add_unrooted(p, unnamed, d);
	}
	add_names(unnamed, d);
	add_inlines(p, d);
}
