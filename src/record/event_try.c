/* What this machine supports, found out by trying. */
#include "record/event_int.h"

#include <dirent.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int event_try(const struct perf_event_attr *attr)
{
	struct perf_event_attr a = *attr;
	a.size = sizeof(a);
	a.disabled = 1;
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int why = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return why;
}

bool event_is_processor(struct str unit)
{
	return str_starts(unit, STR("cpu")) || str_starts(unit, STR("armv"));
}

static bool is_listed(const char *pmus)
{
	bool is_found = false;
	DIR *dir = opendir(pmus);
	struct dirent *entry;
	while (dir && !is_found && (entry = readdir(dir)))
		is_found = event_is_processor(str_from(entry->d_name));
	if (dir)
		closedir(dir);
	return is_found;
}

/* PMUs of some processors list them in `cpus`; others have a `cpumask`. */
static void add_unit(const char *pmus, const char *name, struct event_units *units)
{
	AUTO(buf) struct buf path = { 0 }, cpus = { 0 };
	buf_addf(&path, "%s/%s/cpus", pmus, name);
	if (!text_file_setting(buf_c_string(&path), &cpus) || !cpus.n ||
	    cpus.n >= EVENT_CPUS_BYTES || units->n == EVENT_MAX_UNITS)
		return;
	path.n = 0;
	buf_addf(&path, "%s/%s/type", pmus, name);
	int64_t type = text_file_number(buf_c_string(&path), -1);
	if (type < 0)
		return;
	struct event_unit *unit = &units->p[units->n++];
	unit->type = (uint32_t)type;
	memcpy(unit->cpus, buf_c_string(&cpus), cpus.n + 1);
}

void event_find_units(const struct event_places *places, struct event_units *units)
{
	struct dirent **entries;
	int n = scandir(places->pmus, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.')
			add_unit(places->pmus, entries[i]->d_name, units);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

bool event_has_pmu(const struct event_places *places)
{
	/* Sampling needs an interrupt, which some virtual machines lack even if they have counters. */
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE,
					  .config = PERF_COUNT_HW_CPU_CYCLES,
					  .freq = 1,
					  .sample_freq = 99,
					  .exclude_kernel = 1,
					  .exclude_hv = 1 };
	int why = places->try_open(&cycles);
	if (why == EACCES || why == EPERM || why == ENOSYS || why == EMFILE)
		return is_listed(places->pmus);
	return why == 0 || why == EBUSY;
}

static bool is_virtual_machine(void)
{
	AUTO(buf) struct buf text = { 0 };
	return text_file_setting("/proc/cpuinfo", &text) &&
	       str_find(buf_str(&text), STR(" hypervisor")) >= 0;
}

void event_explain_no_pmu(struct buf *out)
{
	buf_add(out, STR("no hardware counters here"));
	if (is_virtual_machine())
		buf_add(out, STR(" (a virtual machine without any)"));
}

bool event_is_there(const struct event_word *w, const struct perf_event_attr *attr, struct err *e)
{
	AUTO(buf) struct buf why = { 0 };
	struct perf_event_attr probe = *attr;
	probe.exclude_kernel = probe.exclude_hv = 1;
	int error = w->places->try_open(&probe);
	if (error != ENOENT && error != EOPNOTSUPP && error != ENODEV && error != EINVAL)
		return true;
	if (event_has_pmu(w->places))
		return err_set(e, "%.*s: this processor cannot count that%s", STR_ARG(w->text),
			       w->precise ? ", or not that precisely" : "");
	event_explain_no_pmu(&why);
	return err_set(e, "%.*s: %s; -e cpu-clock samples time without them", STR_ARG(w->text),
		       buf_c_string(&why));
}

void record_events_default(const struct record_event_wish *wish, struct record_events *events,
			   struct buf *why)
{
	struct err ignored = { 0 };
	why->n = 0;
	if (event_has_pmu(&event_kernel_places) &&
	    record_events_parse("cycles", wish, events, &ignored))
		return;
	event_explain_no_pmu(why);
	buf_add(why, STR(": cpu-clock"));
	record_events_parse("cpu-clock", wish, events, &ignored);
}
