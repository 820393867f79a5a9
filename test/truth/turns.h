/*
 * Parts of a program take turns on the CPU, and what each one used is measured by the thread's own CPU clock: the
 * split of time that a recorder must find. Turns come in a random order and have random lengths, so that no rate of
 * sampling can beat in time with them; each deck of turns holds every part as often as its weight says, so that any
 * stretch of the run has the same split as all of it.
 */
#pragma once
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { DECK = 64 };

struct part {
	const char *name;
	unsigned weight;      /* turns in a deck */
	unsigned long rounds; /* of a turn, on average */
	void (*run)(unsigned long rounds);
	uint64_t used_ns;
};

static volatile sig_atomic_t turns_are_over;

static void end_turns(int signal_number)
{
	turns_are_over = signal_number;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t turns_random(void)
{
	static uint32_t state = 2463534242u;
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static unsigned fill_deck(const struct part *parts, unsigned count, unsigned char *deck)
{
	unsigned size = 0;
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < parts[i].weight && size < DECK; k++)
			deck[size++] = (unsigned char)i;
	return size;
}

static void shuffle(unsigned char *deck, unsigned size)
{
	for (unsigned i = size; i > 1; i--) {
		unsigned other = turns_random() % i;
		unsigned char card = deck[i - 1];
		deck[i - 1] = deck[other];
		deck[other] = card;
	}
}

static void take_turn(struct part *part)
{
	unsigned long rounds = part->rounds * (512 + turns_random() % 1024) / 1024;
	uint64_t start = thread_cpu_ns();
	part->run(rounds);
	part->used_ns += thread_cpu_ns() - start;
}

static int write_truth(const struct part *parts, unsigned count, const char *path)
{
	FILE *out = fopen(path, "w");
	if (!out)
		return 1;
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "%s %llu\n", parts[i].name, (unsigned long long)parts[i].used_ns);
	return fclose(out) != 0;
}

/*
 * PROGRAM TRUTH [SECONDS]: says `ready`, lets the parts take turns until it is told to end or has used SECONDS of CPU
 * time (60 when not told), and writes what each part used to the file TRUTH.
 */
static int take_turns(struct part *parts, unsigned count, int argc, char **argv)
{
	unsigned char deck[DECK];
	unsigned size = fill_deck(parts, count, deck);
	uint64_t limit_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 60) * 1000000000u;
	if (argc < 2)
		return 2;
	signal(SIGTERM, end_turns);
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	while (!turns_are_over && thread_cpu_ns() < limit_ns) {
		shuffle(deck, size);
		for (unsigned i = 0; i < size; i++)
			take_turn(&parts[deck[i]]);
	}
	return write_truth(parts, count, argv[1]);
}
