/* Timestamps in nanoseconds from the kernel's clocks (man 2 clock_gettime). */
#pragma once
#include <stdint.h>
#include <time.h>

/* Returns 0 if the clock does not exist, such as that of a process that has exited. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t clock_realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

/* For functions that wait for an absolute time. */
static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000u),
				  .tv_nsec = (long)(ns % 1000000000u) };
}
