/* When processes began. Start times are in ticks since boot, and PIDs are reused. */
#include "process/status.h"

#include <unistd.h>

/* By CLOCK_BOOTTIME. */
static bool start_boot_ns(int32_t pid, uint64_t *start)
{
	struct process_status s;
	uint64_t ticks_per_second = (uint64_t)sysconf(_SC_CLK_TCK);
	if (pid <= 0 || !process_stat_read("", pid, &s))
		return false;
	*start = s.start_ticks / ticks_per_second * 1000000000u +
		 s.start_ticks % ticks_per_second * (1000000000u / ticks_per_second);
	return true;
}

uint64_t process_began_unix_ns(int32_t pid)
{
	uint64_t start, wall = clock_realtime_ns(), boot = clock_ns(CLOCK_BOOTTIME);
	if (!start_boot_ns(pid, &start) || start > boot || boot - start > wall)
		return 0;
	return wall - (boot - start);
}

bool process_map_is_older(uint64_t changed_unix_ns, uint64_t began_unix_ns)
{
	/* The wall clock may have been set since, by a little. */
	const uint64_t slack_ns = 60000000000u;
	return changed_unix_ns && began_unix_ns && changed_unix_ns < began_unix_ns &&
	       began_unix_ns - changed_unix_ns > slack_ns;
}

bool process_started_before(int32_t pid, uint64_t time_ns)
{
	uint64_t start;
	if (!start_boot_ns(pid, &start))
		return false;
	/* Start times count the time the machine slept, perf's clock does not. */
	uint64_t boot = clock_ns(CLOCK_BOOTTIME), awake = clock_monotonic_ns();
	uint64_t asleep = boot > awake ? boot - awake : 0;
	/* perf's clock is not corrected by NTP, so the two drift apart. */
	uint64_t slack = 1000000000u + time_ns / 10000;
	uint64_t limit;
	return __builtin_add_overflow(time_ns, asleep + slack, &limit) || start <= limit;
}
