/* Checks whether samples account for the CPU time that the kernel charged to the target. */
#include "query/diagnosis_int.h"

/* `charged 4010000000 sampled 3030303030 error 603712013 clocks of threads`: times in ns; `user`: only user code. */
static void add_account(struct str rest, struct charged *sum)
{
	uint64_t overflows = 0, value;
	while (rest.n) {
		ptrdiff_t end = str_find_char(rest, ' ');
		struct str key = str_first(rest, end < 0 ? rest.n : (size_t)end);
		rest = str_from_byte(rest, key.n + 1);
		uint64_t *to = str_eq(key, STR("charged"))   ? &sum->charged_ns
			       : str_eq(key, STR("sampled")) ? &sum->sampled_ns
			       : str_eq(key, STR("error"))   ? &sum->error_ns
			       : str_eq(key, STR("kernel"))  ? &sum->kernel_ns
							     : NULL;
		sum->is_user |= str_eq(key, STR("user"));
		sum->is_of_threads |= str_eq(key, STR("threads"));
		end = str_find_char(rest, ' ');
		if (to && str_to_u64(str_first(rest, end < 0 ? rest.n : (size_t)end), &value))
			*to = saturating_add(*to, value, &overflows);
	}
}

bool charged_of(const struct profile *p, struct charged *out)
{
	uint64_t overflows = 0;
	*out = (struct charged){ 0 };
	/* A recording in several files has one of each per file. */
	for (uint32_t i = 0; i < p->facts.n; i++)
		if (str_eq(profile_str(p, p->facts.p[i].key), STR("cpu time")))
			add_account(profile_str(p, p->facts.p[i].text), out);
	out->is_missing =
		out->charged_ns > saturating_add(out->sampled_ns, out->error_ns, &overflows);
	return out->charged_ns || out->kernel_ns;
}

static void add_seconds(struct buf *out, uint64_t ns)
{
	buf_add_fixed(out, (double)ns / 1e9, 1);
	buf_add(out, STR(" s"));
}

void charged_add_words(const struct charged *c, struct buf *out)
{
	buf_add(out, STR("the samples account for "));
	add_seconds(out, c->sampled_ns);
	buf_add(out, STR(" of the "));
	add_seconds(out, c->charged_ns);
	buf_addf(out, " of %s time the kernel charged", c->is_user ? "user CPU" : "CPU");
}

/* `cpu-clock, 99 Hz` tells how short-lived a process may be before it goes unnoticed. */
static void add_period(const struct profile *p, struct buf *out)
{
	struct str about = profile_fact(p, STR("event"));
	ptrdiff_t comma = str_find_last_char(about, ',');
	struct str rate = str_trim(str_from_byte(about, comma < 0 ? about.n : (size_t)comma + 1));
	if (str_ends(rate, STR(" Hz")))
		buf_addf(out, "less than 1/%.*s s", STR_ARG(str_first(rate, rate.n - 3)));
	else
		buf_add(out, STR("less than one sampling period"));
}

bool is_user_only(const struct profile *p)
{
	return str_starts(profile_fact(p, STR("sampled")), STR("user space only"));
}

bool lacks_kernel_time(const struct profile *p)
{
	enum { SHARE = 20 };
	struct charged c;
	if (!is_user_only(p))
		return false;
	return !charged_of(p, &c) || c.kernel_ns > (c.charged_ns + c.kernel_ns) / SHARE;
}

void kernel_time_add_words(const struct profile *p, struct buf *out)
{
	struct charged c;
	if (!charged_of(p, &c)) {
		buf_add(out, STR("time in the kernel was not sampled"));
		return;
	}
	add_seconds(out, c.kernel_ns);
	buf_add(out, STR(" of the "));
	add_seconds(out, c.charged_ns + c.kernel_ns);
	buf_add(out, STR(" of CPU time was spent in the kernel, which was not sampled"));
}

/* If the profile looks complete, nobody looks for missing kernel time. */
static void diagnose_user_only(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	struct charged c;
	if (!is_user_only(p))
		return;
	kernel_time_add_words(p, &t.what);
	bool is_asked = str_eq(profile_fact(p, STR("sampled")), STR("user space only"));
	bool is_most = charged_of(p, &c) && c.kernel_ns > c.charged_ns;
	if (is_asked) {
		buf_addf(&t.why, "the recording was limited to user space");
		buf_addf(&t.fix, "record without --user-only and without :u in the event");
	} else {
		buf_addf(&t.why,
			 "the user who made the recording was not allowed to sample the kernel");
		buf_addf(&t.fix, "run plume with sudo, or allow it: sudo sysctl "
				 "kernel.perf_event_paranoid=1");
	}
	enum finding_mark mark = !lacks_kernel_time(p) ? FINDING_OK
				 : is_asked	       ? FINDING_INFO
				 : is_most	       ? FINDING_BAD
						       : FINDING_WARN;
	diagnosis_add(d, (struct finding){ mark, "user_only" }, &t);
}

void diagnose_charged(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	struct charged c;
	diagnose_user_only(p, d);
	if (!charged_of(p, &c) || !c.charged_ns)
		return;
	charged_add_words(&c, &t.what);
	if (!c.is_missing) {
		diagnosis_add(d, (struct finding){ FINDING_OK, "charged" }, &t);
		return;
	}
	if (c.is_of_threads) {
		buf_addf(&t.why, "threads and child processes that live for ");
		add_period(p, &t.why);
		buf_addf(&t.why, " get no samples, and their parents get too few, because each "
				 "thread was sampled by its own timer");
		buf_addf(&t.fix, "run plume with sudo at up to 2,000 Hz, so that it can sample all "
				 "CPUs; without sudo, raise the rate: plume record -F 4999");
	} else {
		buf_addf(&t.why, "the sampling timers fell behind, as they do in a virtual machine "
				 "on a busy host");
		buf_addf(&t.fix, "record again on a quieter machine, or at a lower rate");
	}
	bool is_half = c.sampled_ns < c.charged_ns / 2;
	diagnosis_add(d, (struct finding){ is_half ? FINDING_BAD : FINDING_WARN, "charged" }, &t);
}
