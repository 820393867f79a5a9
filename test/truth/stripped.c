/* Spends its time in a stripped library, in functions with and without names. See turns.h, stripped_library.c. */
#include "turns.h"

unsigned long labelled(unsigned long rounds);
void run_first(unsigned long rounds), run_second(unsigned long rounds),
	run_quiet(unsigned long rounds);

static volatile unsigned long sink;

static void run_labelled(unsigned long rounds)
{
	sink += labelled(rounds);
}

int main(int argc, char **argv)
{
	struct part parts[] = {
		{ "labelled", 8, 400000, run_labelled, 0 },
		{ "quiet", 12, 400000, run_quiet, 0 },
		{ "first", 20, 400000, run_first, 0 },
		{ "second", 24, 400000, run_second, 0 },
	};
	return take_turns(parts, sizeof(parts) / sizeof(parts[0]), argc, argv);
}
