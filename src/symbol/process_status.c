/* What /proc says of a process (man 5 proc). */
#include "symbol/process_files.h"

#include <unistd.h>

/* The first bytes of /proc/PID/NAME; false when there is no such process. */
static bool read_status(int32_t pid, const char *name, struct buf *text)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return pid > 0 && text_file_read(path, 64 << 10, text);
}

static struct str next_field(struct str *rest)
{
	size_t start = 0, end;
	while (start < rest->n && is_space(rest->p[start]))
		start++;
	for (end = start; end < rest->n && !is_space(rest->p[end]);)
		end++;
	struct str field = { rest->p + start, end - start };
	*rest = str_from_byte(*rest, end);
	return field;
}

int32_t process_inner_pid(int32_t pid)
{
	AUTO(buf) struct buf text = { 0 };
	int32_t inner = 0, number;
	if (!read_status(pid, "status", &text))
		return 0;
	ptrdiff_t at = str_find(buf_str(&text), STR("\nNSpid:"));
	if (at < 0)
		return 0;
	struct str line = str_from_byte(buf_str(&text), (size_t)at + sizeof("\nNSpid:") - 1);
	ptrdiff_t end = str_find_char(line, '\n');
	line = str_first(line, end < 0 ? line.n : (size_t)end);
	for (struct str field; (field = next_field(&line)).n && str_to_i32(field, &number);)
		inner = number;
	return inner;
}

/* Field 22 of /proc/PID/stat, of which the second is a name in brackets that may hold anything. */
static bool start_ticks(struct str stat, uint64_t *ticks)
{
	enum { START_FIELD = 22, FIRST_AFTER_NAME = 3 };
	ptrdiff_t name_end = str_find_last_char(stat, ')');
	if (name_end < 0)
		return false;
	struct str rest = str_from_byte(stat, (size_t)name_end + 1);
	for (int i = FIRST_AFTER_NAME; i < START_FIELD; i++)
		next_field(&rest);
	return str_to_u64(next_field(&rest), ticks);
}

/* By CLOCK_BOOTTIME. */
static bool start_boot_ns(int32_t pid, uint64_t *start)
{
	AUTO(buf) struct buf text = { 0 };
	uint64_t ticks, ticks_per_second = (uint64_t)sysconf(_SC_CLK_TCK);
	if (!read_status(pid, "stat", &text) || !start_ticks(buf_str(&text), &ticks))
		return false;
	*start = ticks / ticks_per_second * 1000000000u +
		 ticks % ticks_per_second * (1000000000u / ticks_per_second);
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
