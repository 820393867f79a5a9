/*
 * Unwinds the samples of a recording by plume and by libdwfl, and says how far they agree and what each
 * costs.
 *	oracle [--differences N] [--print] [--cache DIR] FILE
 */
#include "dwfl.h"
#include "unwind/unwind_int.h"

#include <stdio.h>
#include <time.h>

enum { MAX_FRAMES = 1024, ROUNDS = 3 };

struct dso {
	bool is_tried;
	struct elf *elf;
	struct unwind_table *table;
	double build_seconds;
};

struct oracle {
	struct recording recording;
	struct dso *dsos;	    /* by path */
	struct dwfl_process *dwfls; /* by process */
	const char *cache;
	const struct process *process; /* of the sample being unwound */
	double build_seconds;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- ours --- */

static struct dso *dso_of(struct oracle *o, uint32_t path)
{
	struct dso *d = &o->dsos[path];
	const char *name = o->recording.paths.p[path];
	struct err e;
	if (d->is_tried)
		return d;
	d->is_tried = true;
	if (strcmp(name, "[vdso]") == 0)
		name = vdso_path();
	if (!name || name[0] != '/' || !(d->elf = elf_open(name, &e)))
		return d;
	double start = now();
	d->table =
		o->cache ? unwind_table_cached(d->elf, o->cache, &e) : unwind_table_new(d->elf, &e);
	d->build_seconds = now() - start;
	o->build_seconds += d->build_seconds;
	return d;
}

static void find(void *context, uint64_t address, struct unwind_place *place)
{
	struct oracle *o = context;
	uint64_t of_elf;
	const struct map *map = process_find(o->process, address);
	if (!map)
		return;
	struct dso *d = map->is_code ? dso_of(o, map->path) : &(struct dso){ 0 };
	place->start = map->start;
	place->end = map->end;
	place->is_code = map->is_code;
	if (!d->table ||
	    !elf_address_of_offset(d->elf, address - map->start + map->file_offset, &of_elf))
		return;
	place->table = d->table;
	place->bias = address - of_elf;
}

static uint32_t unwind(struct oracle *o, const struct sample *s, uint64_t *addresses,
		       uint64_t *is_return, enum unwind_end *end)
{
	struct unwinder u = { EM_X86_64, find, o };
	o->process = &o->recording.processes.p[s->process];
	return unwind_stack(&u, &s->registers, &s->memory, addresses, is_return, MAX_FRAMES, end);
}

/* --- theirs --- */

/* Where in the program's own addresses the executable part of a mapping is. */
static bool find_bias(void *context, const struct map *map, uint64_t *bias)
{
	struct elf *elf = map->is_code ? dso_of(context, map->path)->elf : NULL;
	for (uint32_t i = 0; elf && i < elf->segments.n; i++) {
		const struct elf_segment *s = &elf->segments.p[i];
		uint64_t end = map->file_offset + (map->end - map->start);
		if (!s->is_executable || s->offset >= end ||
		    s->offset + s->file_bytes <= map->file_offset)
			continue;
		*bias = map->start - map->file_offset - (s->address - s->offset);
		/* node maps a part of itself once more; libdwfl cannot have that. */
		return elf->type != ET_EXEC || !*bias;
	}
	return false;
}

static uint32_t unwind_theirs(struct oracle *o, const struct sample *s, uint64_t *addresses)
{
	struct dwfl_process *d = &o->dwfls[s->process];
	if (!d->dwfl)
		dwfl_process_init(d, &o->recording, &o->recording.processes.p[s->process],
				  find_bias, o);
	return dwfl_unwind(d, s, addresses, MAX_FRAMES);
}

/* --- the comparison --- */

struct counts {
	uint32_t identical, shorter, longer, diverging, last_not_code;
	uint64_t frames, their_frames;
	uint32_t ends[UNWIND_FULL + 1];
};

static void print_difference(const struct oracle *o, uint32_t sample, const uint64_t *ours,
			     uint32_t n, const uint64_t *theirs, uint32_t their_n, int end)
{
	const struct process *p = &o->recording.processes.p[o->recording.samples.p[sample].process];
	uint32_t more = n > their_n ? n : their_n;
	printf("sample %u: %u frames, libdwfl %u, end %d\n", sample, n, their_n, end);
	for (uint32_t i = 0; i < more; i++) {
		uint64_t a = i < n ? ours[i] : 0, b = i < their_n ? theirs[i] : 0;
		const struct map *map = process_find(p, a ? a : b);
		printf("  %c %12llx %12llx  %s+%llx\n", a == b ? ' ' : '!', (unsigned long long)a,
		       (unsigned long long)b, map ? o->recording.paths.p[map->path] : "?",
		       map ? (unsigned long long)((a ? a : b) - map->start + map->file_offset)
			   : 0ull);
	}
}

static bool is_code(const struct process *p, uint64_t address)
{
	const struct map *map = process_find(p, address - 1);
	return map && map->is_code;
}

static void compare(struct oracle *o, uint32_t differences, struct counts *c)
{
	static uint64_t ours[MAX_FRAMES], theirs[MAX_FRAMES], is_return[MAX_FRAMES / 64];
	for (uint32_t i = 0; i < o->recording.samples.n; i++) {
		const struct sample *s = &o->recording.samples.p[i];
		enum unwind_end end;
		uint32_t n = unwind(o, s, ours, is_return, &end);
		uint32_t their_n = unwind_theirs(o, s, theirs);
		uint32_t shared = n < their_n ? n : their_n;
		bool is_same = memcmp(ours, theirs, shared * sizeof(*ours)) == 0;
		c->frames += n;
		c->their_frames += their_n;
		c->ends[end]++;
		c->identical += is_same && n == their_n;
		c->shorter += is_same && n < their_n;
		c->longer += is_same && n > their_n;
		c->diverging += !is_same;
		if (is_same && n + 1 == their_n && !is_code(o->process, theirs[n]))
			c->last_not_code++;
		if ((!is_same || n != their_n) && differences) {
			differences--;
			print_difference(o, i, ours, n, theirs, their_n, end);
		}
	}
}

/* The best of some rounds, in microseconds for each sample. */
static double measure(struct oracle *o, bool is_theirs)
{
	static uint64_t addresses[MAX_FRAMES], is_return[MAX_FRAMES / 64];
	double best = 1e9;
	enum unwind_end end;
	for (unsigned round = 0; round < ROUNDS; round++) {
		double start = now();
		for (uint32_t i = 0; i < o->recording.samples.n; i++) {
			const struct sample *s = &o->recording.samples.p[i];
			if (is_theirs)
				unwind_theirs(o, s, addresses);
			else
				unwind(o, s, addresses, is_return, &end);
		}
		double took = now() - start;
		best = took < best ? took : best;
	}
	return best * 1e6 / o->recording.samples.n;
}

static void print_tables(const struct oracle *o)
{
	for (uint32_t i = 0; i < o->recording.paths.n; i++) {
		const struct dso *d = &o->dsos[i];
		if (d->table)
			printf("  %8.2f ms %8u rows %7u words %6u bytes of expressions %7.1f KB  "
			       "%s\n",
			       d->build_seconds * 1e3, d->table->rows, d->table->words,
			       d->table->expression_bytes,
			       (d->table->rows * 8.0 + d->table->words * 4.0 +
				d->table->buckets * 4.0) /
				       1e3,
			       o->recording.paths.p[i]);
	}
}

static void print_counts(struct oracle *o, const struct counts *c)
{
	double n = o->recording.samples.n, percent = 100 / n;
	printf("samples %u identical %.2f%% prefix %.2f%% longer %.2f%% diverging %.2f%%\n",
	       o->recording.samples.n, c->identical * percent, c->shorter * percent,
	       c->longer * percent, c->diverging * percent);
	printf("frames per sample %.1f, libdwfl %.1f; of the prefixes %u lack only a last address "
	       "that is "
	       "no code\n",
	       (double)c->frames / n, (double)c->their_frames / n, c->last_not_code);
	printf("rooted %.1f%% truncated %.1f%% lost %.1f%% full %.1f%%\n",
	       c->ends[UNWIND_ROOTED] * percent, c->ends[UNWIND_TRUNCATED] * percent,
	       c->ends[UNWIND_LOST] * percent, c->ends[UNWIND_FULL] * percent);
	double ours = measure(o, false), theirs = measure(o, true);
	printf("%.2f us per sample, libdwfl %.2f: %.1fx; tables built in %.1f ms\n", ours, theirs,
	       theirs / ours, o->build_seconds * 1e3);
}

/* As perf script prints it: where in its file, and of code that was called, the byte before. */
static uint64_t as_perf_says(const struct process *p, uint64_t address)
{
	const struct map *map = process_find(p, address);
	return map ? address - map->start + map->file_offset : address;
}

/* One line per sample: its time, addresses from the innermost on, how it ended. */
static void print_stacks(struct oracle *o)
{
	static uint64_t addresses[MAX_FRAMES], is_return[MAX_FRAMES / 64];
	enum unwind_end end;
	for (uint32_t i = 0; i < o->recording.samples.n; i++) {
		uint32_t n = unwind(o, &o->recording.samples.p[i], addresses, is_return, &end);
		printf("%llu", (unsigned long long)o->recording.samples.p[i].time_ns);
		for (uint32_t k = 0; k < n; k++)
			printf(" %llx", (unsigned long long)as_perf_says(
						o->process,
						addresses[k] - (is_return[k / 64] >> k % 64 & 1)));
		printf(" %d\n", end);
	}
}

static void oracle_fini(struct oracle *o)
{
	for (uint32_t i = 0; i < o->recording.processes.n; i++)
		dwfl_process_fini(&o->dwfls[i]);
	for (uint32_t i = 0; i < o->recording.paths.n; i++) {
		unwind_table_free(o->dsos[i].table);
		elf_free(o->dsos[i].elf);
	}
	free(o->dsos);
	free(o->dwfls);
	recording_fini(&o->recording);
}

int main(int argc, char **argv)
{
	struct oracle o = { 0 };
	struct counts counts = { 0 };
	struct err e;
	uint32_t differences = 0;
	bool prints = false;
	const char *path = NULL;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--differences") == 0 && i + 1 < argc)
			differences = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--cache") == 0 && i + 1 < argc)
			o.cache = argv[++i];
		else if (strcmp(argv[i], "--print") == 0)
			prints = true;
		else
			path = argv[i];
	}
	unsetenv("DEBUGINFOD_URLS");
	if (!path || !recording_init(&o.recording, path, &e)) {
		fprintf(stderr, "%s\n", path ? e.text : "no file");
		return 1;
	}
	o.dsos = mem_zalloc(o.recording.paths.n + 1, sizeof(*o.dsos));
	o.dwfls = mem_zalloc(o.recording.processes.n + 1, sizeof(*o.dwfls));
	if (prints) {
		print_stacks(&o);
	} else {
		compare(&o, differences, &counts);
		print_counts(&o, &counts);
		print_tables(&o);
	}
	oracle_fini(&o);
	return 0;
}
