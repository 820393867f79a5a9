// The parts are functions that the compiler inlines into one, and into each other: only debug information can tell
// them apart. See turns.h.
#include "turns.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#define INLINED static inline __attribute__((always_inline))

static volatile unsigned long sink;

INLINED unsigned long mix(unsigned long sum, unsigned long i)
{
	sum += i ^ (sum << 1);
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

INLINED void sums(unsigned long rounds)
{
	unsigned long sum = sink;
	for (unsigned long i = 0; i < rounds; i++)
		sum = mix(sum, i);
	sink = sum;
}

INLINED void divides(unsigned long rounds)
{
	unsigned long sum = sink | 1;
	for (unsigned long i = 0; i < rounds; i++) {
		sum = 0xfedcba9876543210 / ((sum & 0xffff) | 1) + i;
		__asm__ volatile("" : "+r"(sum));
	}
	sink = sum;
}

INLINED void sorts(unsigned long rounds)
{
	std::vector<int> numbers(rounds);
	for (unsigned long i = 0; i < rounds; i++)
		numbers[i] = int((i + sink) * 2654435761u);
	std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 1000 < b % 1000; });
	sink = sink + numbers[rounds / 2];
}

INLINED void texts(unsigned long rounds)
{
	std::map<std::string, unsigned long> counts;
	for (unsigned long i = 0; i < rounds; i++)
		counts["a key that is too long to be kept inside " +
		       std::to_string(i * 7919 % 101)]++;
	sink = sink + counts.size();
}

enum { SUMS, DIVIDES, SORTS, TEXTS };

__attribute__((noinline, noclone)) static void work(int what, unsigned long rounds)
{
	if (what == SUMS)
		sums(rounds);
	else if (what == DIVIDES)
		divides(rounds);
	else if (what == SORTS)
		sorts(rounds);
	else
		texts(rounds);
	sink = sink + 1;
}

template <int what> static void run(unsigned long rounds)
{
	work(what, rounds);
	sink = sink + 1;
}

int main(int argc, char **argv)
{
	struct part parts[] = {
		{ "sums", 8, 200000, run<SUMS>, 0 },
		{ "divides", 6, 40000, run<DIVIDES>, 0 },
		{ "sorts", 4, 2600, run<SORTS>, 0 },
		{ "texts", 2, 1600, run<TEXTS>, 0 },
	};
	return take_turns(parts, sizeof parts / sizeof parts[0], argc, argv);
}
