/*
 * A library whose own functions lose their names when it is stripped. Built with -fno-toplevel-reorder they stand
 * between a label of stripped_labels.S and the next exported name.
 */
#define OWN_FRAME __attribute__((noinline, noclone))

unsigned long quiet(unsigned long rounds);
void run_first(unsigned long rounds), run_second(unsigned long rounds),
	run_quiet(unsigned long rounds);

static volatile unsigned long sink;

#ifdef IS_EDITED /* all functions behind it move */
OWN_FRAME void added(unsigned long rounds);
OWN_FRAME void added(unsigned long rounds)
{
	sink ^= rounds * 7;
}
#endif

OWN_FRAME static void first(unsigned long rounds)
{
	unsigned long sum = sink;
	for (unsigned long i = 0; i < rounds; i++) {
		sum += i ^ (sum << 1);
		__asm__ volatile("" : "+r"(sum));
	}
	sink = sum;
}

OWN_FRAME static void second(unsigned long rounds)
{
	unsigned long sum = sink;
	for (unsigned long i = 0; i < rounds; i++) {
		sum ^= i * (sum | 1);
		__asm__ volatile("" : "+r"(sum));
	}
	sink = sum;
}

void run_first(unsigned long rounds)
{
	first(rounds);
	sink++;
}

void run_second(unsigned long rounds)
{
	second(rounds);
	sink++;
}

void run_quiet(unsigned long rounds)
{
	sink += quiet(rounds + 1);
}
