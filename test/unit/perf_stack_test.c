/* A walk by tables that ended early goes on by the kernel's chain of frame pointers. */
#include "perf/perf_int.h"
#include "tap.h"

#include <linux/perf_event.h>

enum { MAX = 64 };

static struct unwound_stack walk;
static struct stack_address chain[MAX];

/* Addresses are single letters: the leaf first. */
static uint32_t set(const char *walked, const char *chained)
{
	walk.n = (uint32_t)strlen(walked);
	for (uint32_t i = 0; i < walk.n; i++)
		walk.addresses[i] = (uint64_t)walked[i];
	uint32_t n = (uint32_t)strlen(chained);
	for (uint32_t i = 0; i < n; i++)
		chain[i] = (struct stack_address){ (uint64_t)chained[i], PART_USER, i > 0 };
	return n;
}

static void expect(const char *walked, const char *chained, const char *joined, const char *name)
{
	uint32_t n = set(walked, chained);
	struct stack_meeting met = { 0 };
	char text[2 * MAX + 1] = "";
	size_t at = 0;
	if (perf_stack_meet(&walk, chain, n, &met)) {
		for (uint32_t i = 0; i < met.walked; i++)
			text[at++] = (char)walk.addresses[i];
		for (uint32_t i = met.from; i < n; i++)
			text[at++] = (char)chain[i].ip;
	}
	text[at] = 0;
	tap_str_eq(str_from(text), str_from(joined), "%s", name);
}

/* --- a chain without a copy --- */

/* Frames of the only stack that samples of such a chain make. */
static uint32_t depth_of_chain(const struct perf_live *live, const uint64_t *chained, uint32_t n)
{
	struct profile *p = profile_new(0);
	struct perf_options options = { .live = live };
	struct perf_session *s = perf_session_new(&options, p);
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CALLCHAIN };
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t time_ns, n, context, chain[MAX];
	} r = { .h = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER },
		.pid = 1,
		.tid = 1,
		.time_ns = 1,
		.n = n + 1,
		.context = (uint64_t)PERF_CONTEXT_USER };
	r.h.size = (uint16_t)(offsetof(typeof(r), chain) + n * sizeof(*chained));
	memcpy(r.chain, chained, n * sizeof(*chained));
	perf_events_add(perf_session_events(s), &attr, "clock");
	perf_session_add_records(s, (struct str){ (const char *)&r, r.h.size });
	perf_session_flush(s, true);
	uint32_t depth = 0;
	for (node_id node = p->samples.n ? p->samples.node[0] : NODE_ROOT; node;
	     node = p->nodes.p[node].parent)
		depth++;
	tap_num_eq(p->samples.n, 1, "the sample is there");
	perf_session_free(s);
	profile_unref(p);
	return depth;
}

static void check_chains(void)
{
	static const uint64_t chained[] = { 0x1000, 0x2000, 0x3000 };
	static const struct perf_live live = { 0 };
	tap_num_eq(
		depth_of_chain(&live, chained, ARRAY_SIZE(chained)), 1,
		"a recorder, who knows what is mapped, believes of a chain in nothing the first");
	tap_num_eq(depth_of_chain(NULL, chained, ARRAY_SIZE(chained)), 3,
		   "of a recording that is only read all is kept");
}

/* --- an address where nothing is mapped, of a process with a jitdump that is not there --- */

static void expect_reason(const struct perf_live *live, const char *part, const char *name)
{
	struct profile *p = profile_new(0);
	struct perf_options options = { .live = live };
	struct perf_session *s = perf_session_new(&options, p);
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						       PERF_SAMPLE_TIME };
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t start, size_bytes, offset;
		char path[32];
	} map = { .h = { .type = PERF_RECORD_MMAP,
			 .misc = PERF_RECORD_MISC_USER,
			 .size = sizeof(map) },
		  .pid = 1,
		  .tid = 1,
		  .start = 0x5000,
		  .size_bytes = 0x1000,
		  .path = "/is-not-there/jit-1.dump" };
	struct {
		struct perf_event_header h;
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t time_ns;
	} r = { .h = { .type = PERF_RECORD_SAMPLE,
		       .misc = PERF_RECORD_MISC_USER,
		       .size = sizeof(r) },
		.ip = 0x9000,
		.pid = 1,
		.tid = 1,
		.time_ns = 1 };
	perf_events_add(perf_session_events(s), &attr, "clock");
	perf_session_add_records(s, (struct str){ (const char *)&map, map.h.size });
	perf_session_add_records(s, (struct str){ (const char *)&r, r.h.size });
	perf_session_flush(s, true);
	struct str reason = p->unnamed.n ? profile_str(p, p->unnamed.p[0].reason) : STR("");
	tap_ok(p->unnamed.n == 1 && str_find(reason, str_from(part)) >= 0, "%s: %.*s", name,
	       STR_ARG(reason));
	perf_session_free(s);
	profile_unref(p);
}

static void check_reasons(void)
{
	static const struct perf_live live = { 0 };
	expect_reason(NULL, "jitdump", "perf.data may lack the mapping of its code");
	expect_reason(&live, "nothing is", "a recorder knows that no code is there");
}

/* --- a chain that goes astray behind the copy --- */

enum { CODE = 0x10000, CODE_BYTES = 0x1000, STACK = 0x7000, NOWHERE = 0x90000 };

static void map_code(struct perf_session *s)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t start, size_bytes, offset;
		char path[8];
	} r = { .h = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER, .size = sizeof(r) },
		.pid = 1,
		.tid = 1,
		.start = CODE,
		.size_bytes = CODE_BYTES,
		.path = "//anon" };
	perf_session_add_records(s, (struct str){ (const char *)&r, r.h.size });
}

/* Registers and a copy of two words: the leaf's frame, which was called from CODE + 2. */
static void add_copied(struct perf_session *s, const uint64_t *chained, uint32_t n)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t time_ns, n, chain[8], abi, bp, sp, ip, copied, copy[2], copied_bytes;
	} r = { .h = { .type = PERF_RECORD_SAMPLE,
		       .misc = PERF_RECORD_MISC_USER,
		       .size = sizeof(r) },
		.pid = 1,
		.tid = 1,
		.time_ns = 1,
		.n = 8,
		.chain = { (uint64_t)PERF_CONTEXT_USER },
		.abi = PERF_SAMPLE_REGS_ABI_64,
		.bp = STACK,
		.sp = STACK,
		.ip = CODE + 1,
		.copied = sizeof(r.copy),
		.copy = { STACK + 64, CODE + 2 },
		.copied_bytes = sizeof(r.copy) };
	for (uint32_t i = 1; i < ARRAY_SIZE(r.chain); i++)
		r.chain[i] = i <= n ? chained[i - 1] : NOWHERE;
	perf_session_add_records(s, (struct str){ (const char *)&r, r.h.size });
}

static uint32_t depth_of_copied(const struct perf_live *live, const uint64_t *chained, uint32_t n)
{
	struct profile *p = profile_new(0);
	struct perf_options options = { .live = live };
	struct perf_session *s = perf_session_new(&options, p);
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CALLCHAIN |
						       PERF_SAMPLE_REGS_USER |
						       PERF_SAMPLE_STACK_USER,
					.sample_regs_user = 1 << 6 | 1 << 7 | 1 << 8,
					.sample_stack_user = 16 };
	perf_events_add(perf_session_events(s), &attr, "clock");
	map_code(s);
	add_copied(s, chained, n);
	perf_session_flush(s, true);
	uint32_t depth = 0;
	for (node_id node = p->samples.n ? p->samples.node[0] : NODE_ROOT; node;
	     node = p->nodes.p[node].parent)
		depth++;
	tap_num_eq(p->ledger.count[LEDGER_TRUNCATED], live != NULL,
		   "whether the stack was cut is told");
	perf_session_free(s);
	profile_unref(p);
	return depth;
}

static void check_astray(void)
{
	static const uint64_t chained[] = { CODE + 1, CODE + 2, CODE + 3, CODE + 4 };
	static const uint64_t holed[] = { CODE + 1, CODE + 2, NOWHERE, CODE + 4 };
	static const struct perf_live live = { 0 };
	tap_num_eq(depth_of_copied(&live, chained, ARRAY_SIZE(chained)), 4,
		   "a chain that goes on behind a copy, up to its last address in code");
	tap_num_eq(depth_of_copied(&live, holed, ARRAY_SIZE(holed)), 4,
		   "... with what is in its middle");
	tap_num_eq(depth_of_copied(NULL, chained, ARRAY_SIZE(chained)), 7,
		   "of a recording that is only read all is kept");
}

/* --- where stacks begin --- */

static void learn(struct stack_roots *roots, const char *stack)
{
	uint32_t n = set("", stack);
	stack_roots_learn(roots, chain, n);
}

static void expect_root(struct stack_roots *roots, char last, const char *behind, const char *name)
{
	char text[STACK_ROOT_BEHIND + 1] = "";
	bool is_new;
	const struct stack_root *root = stack_roots_find(roots, (uint64_t)last, &is_new);
	for (uint8_t i = 0; root && i < root->n; i++)
		text[i] = (char)root->behind[i];
	tap_str_eq(str_from(text), str_from(behind), "%s", name);
}

static void check_roots(void)
{
	struct stack_roots roots = { 0 };
	learn(&roots, "abmls");
	expect_root(&roots, 'm', "", "a root that nobody asked for is not kept");
	learn(&roots, "abmls");
	expect_root(&roots, 'm', "ls", "a chain's end goes on as a walk did");
	learn(&roots, "cdtx");
	expect_root(&roots, 't', "", "another one's end is not known");
	learn(&roots, "cdtx");
	expect_root(&roots, 't', "x", "... until a walk comes by");
	learn(&roots, "efgmhikls");
	expect_root(&roots, 'm', "ls", "the same address far from the root says nothing");
	learn(&roots, "abmks");
	expect_root(&roots, 'm', "", "an address with two ways to the root is not used");
	learn(&roots, "bs");
	expect_root(&roots, 'b', "", "what ran is no caller");
	for (char c = 'A'; c <= 'Z'; c++)
		stack_roots_find(&roots, (uint64_t)c, &(bool){ false });
	expect_root(&roots, 't', "x", "ends that are asked for in vain push out only each other");
	learn(&roots, "aZs");
	expect_root(&roots, 'Z', "s", "... and the last ones are still learnt");
}

int main(void)
{
	check_chains();
	check_astray();
	expect("lcba", "lbaxyz", "lcbaxyz", "a caller that the chain skipped stays");
	expect("lab", "labxyz", "labxyz", "the chain goes on where the copy ended");
	expect("lab", "lpq", "", "a chain that went astray at once has nothing to add");
	expect("lab", "lab", "lab", "a chain that ends there, too");
	expect("lab?", "labxyz", "labxyz", "a last address that is no caller is dropped");
	expect("lrrr", "lrrrrrrm", "lrrrrrrm", "a function that calls itself keeps its depth");
	expect("lfrrr", "lrrrrm", "lfrrrrm", "... also behind a caller that the chain skipped");
	expect("lrsrs", "lrsrsrsm", "lrsrsrsm", "two that call each other");
	expect("l?", "labc", "labc", "a walk that came to nothing behind the leaf");
	expect("", "labc", "", "a walk that found nothing");
	expect("lab", "", "", "no chain");
	expect("jkabcd", "jkxyz", "", "a walk that ended by itself is believed");
	walk.is_cut = true;
	expect("jkabcd", "jkxyz", "jkabcdxyz", "callers that only the walk knows, more than two");
	expect("ljkabcd", "ljkxyz", "ljkabcdxyz", "... of which all are kept");
	expect("labcd", "lxyz", "", "the leaf alone proves nothing about the chain");
	expect("ljabcd", "mjxyz", "", "nor does one address in both");
	expect("jkabcd", "jk", "jkabcd", "a chain that ends there");
	check_roots();
	check_reasons();
	return tap_done();
}
