/* Moments in nanoseconds, by the clocks of the kernel (man 2 clock_gettime). */
#pragma once
#include <stdint.h>
#include <time.h>

/* 0: there is no such clock, as that of a process which has ended. */
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

/* For functions that wait until a moment of their clock. */
static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000u),
				  .tv_nsec = (long)(ns % 1000000000u) };
}
