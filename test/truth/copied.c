/*
 * What CPython does for -X perf and -X perf_jit (Python/perf_trampoline.c, perf_jit_trampoline.c), in small: each
 * function of a made-up language is entered through a copy of a few instructions, which calls the interpreter. The
 * interpreter is compiled without frame pointers, and no table describes the copies.
 *
 *	copied map TRUTH [SECONDS]	names in /tmp/perf-PID.map
 *	copied jitdump TRUTH [SECONDS]	names and unwinding records in jit-PID.dump, of which nothing is written
 *					before the program ends
 * See turns.h. Linked with -rdynamic, as programs that embed Python are.
 */
#define _GNU_SOURCE
#include "turns.h"

#include <string.h>
#include <sys/mman.h>

#define OWN_FRAME __attribute__((noinline, noclone))

struct function;
typedef void evaluator(const struct function *f, unsigned long rounds, int depth);
typedef void copied(const struct function *f, unsigned long rounds, int depth, evaluator *e);

struct function {
	const char *name;
	const struct function *callee;
	copied *code;
};

extern const char trampoline_start[] __asm__("_Py_trampoline_func_start");
extern const char trampoline_end[] __asm__("_Py_trampoline_func_end");
__asm__("	.text\n"
	"	.globl _Py_trampoline_func_start, _Py_trampoline_func_end\n"
	"_Py_trampoline_func_start:\n"
	"	sub $8, %rsp\n"
	"	call *%rcx\n"
	"	add $8, %rsp\n"
	"	ret\n"
	"_Py_trampoline_func_end:\n");

enum { ARENA_BYTES = 1 << 16, CODE_ALIGNMENT = 32 };

static volatile unsigned long sink;

/* --- the interpreter --- */

OWN_FRAME static void add(unsigned long rounds)
{
	unsigned long sum = sink;
	for (unsigned long i = 0; i < rounds; i++) {
		sum += i ^ (sum << 1);
		__asm__ volatile("" : "+r"(sum));
	}
	sink = sum;
}

/* Functions without a callee work; the others call theirs, some of them several times over. */
OWN_FRAME static void evaluate(const struct function *f, unsigned long rounds, int depth)
{
	if (depth)
		f->code(f, rounds, depth - 1, evaluate);
	else if (f->callee)
		f->callee->code(f->callee, rounds, 3, evaluate);
	else
		add(rounds);
	sink++;
}

/* --- the functions --- */

static struct function adds = { .name = "adds" }, sums = { .name = "sums", .callee = &adds },
		       counts = { .name = "counts" },
		       rows = { .name = "Table.rows", .callee = &counts };

static void run_sums(unsigned long rounds)
{
	sums.code(&sums, rounds, 0, evaluate);
}

static void run_counts(unsigned long rounds)
{
	rows.code(&rows, rounds, 0, evaluate);
}

static void run_native(unsigned long rounds)
{
	add(rounds);
}

/* --- copies --- */

static char *new_arena(size_t each)
{
	size_t size = (size_t)(trampoline_end - trampoline_start);
	char *arena =
		mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		exit(1);
	for (size_t at = 0; at + size <= ARENA_BYTES; at += each)
		memcpy(arena + at, trampoline_start, size);
	if (mprotect(arena, ARENA_BYTES, PROT_READ | PROT_EXEC) != 0)
		exit(1);
	return arena;
}

static void write_map_row(FILE *map, const struct function *f, size_t size)
{
	fprintf(map, "%lx %zx py::%s:/app/main.py\n", (unsigned long)f->code, size, f->name);
	fflush(map);
}

/* --- jitdump (tools/perf/Documentation/jitdump-specification.txt of Linux) --- */

struct head {
	uint32_t magic, version, size_bytes, machine, padding, pid;
	uint64_t time_us, flags;
};
struct prefix {
	uint32_t id, size_bytes;
	uint64_t time_ns;
};
struct load {
	struct prefix prefix;
	uint32_t pid, tid;
	uint64_t vma, address, size_bytes, index;
};
struct unwinding {
	struct prefix prefix;
	uint64_t size_bytes, header_bytes, mapped_bytes;
};
enum { LOAD, CLOSE = 3, UNWINDING };

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static FILE *new_jitdump(void)
{
	static char buffer[2 << 20];
	char path[64];
	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	FILE *out = fopen(path, "w+");
	if (!out ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0) == MAP_FAILED)
		exit(1);
	setvbuf(out, buffer, _IOFBF, sizeof(buffer));
	struct head head = { .magic = 0x4A695444,
			     .version = 1,
			     .size_bytes = sizeof(head),
			     .machine = 62,
			     .pid = (uint32_t)getpid() };
	fwrite(&head, sizeof(head), 1, out);
	return out;
}

/* DWARF 5, 6.4: a CIE, and an FDE for the code, which perf puts in front of this section. */
static size_t fill_eh_frame(uint8_t *out, uint32_t code_bytes)
{
	static const uint8_t cie[] = { 20, 0,	 0,  0, 0,    0,    0, 0, 1,	'z', 'R', 0,
				       1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,	  0 };
	static const uint8_t fde[] = { 20, 0, 0, 0, sizeof(cie) + 4, 0, 0, 0 };
	static const uint8_t program[] = { 0, 0x44, 0x0e, 16, 0x46, 0x0e, 8, 0 };
	size_t n = sizeof(cie) + sizeof(fde);
	int32_t back = -(int32_t)(((code_bytes + 7) & ~7u) + n);
	memcpy(out, cie, sizeof(cie));
	memcpy(out + sizeof(cie), fde, sizeof(fde));
	memcpy(out + n, &back, sizeof(back));
	memcpy(out + n + 4, &code_bytes, sizeof(code_bytes));
	memcpy(out + n + 8, program, sizeof(program));
	return n + 8 + sizeof(program);
}

static void write_records(FILE *out, const struct function *f, uint32_t code_bytes)
{
	enum { EH_FRAME_HDR_BYTES = 20 };
	static uint64_t index;
	uint8_t data[128] = { 0 };
	char name[64];
	size_t frame_bytes = fill_eh_frame(data, code_bytes);
	size_t name_bytes =
		1 + (size_t)snprintf(name, sizeof(name), "py::%s:/app/main.py", f->name);
	struct unwinding u = { .size_bytes = frame_bytes + EH_FRAME_HDR_BYTES,
			       .header_bytes = EH_FRAME_HDR_BYTES,
			       .mapped_bytes = 80 };
	size_t padded = (u.size_bytes + 7) & ~(size_t)7;
	u.prefix = (struct prefix){ UNWINDING, (uint32_t)(sizeof(u) + padded), now_ns() };
	fwrite(&u, sizeof(u), 1, out);
	fwrite(data, padded, 1, out);
	struct load l = { .pid = (uint32_t)getpid(),
			  .tid = (uint32_t)getpid(),
			  .vma = (uint64_t)f->code,
			  .address = (uint64_t)f->code,
			  .size_bytes = code_bytes,
			  .index = index++ };
	l.prefix =
		(struct prefix){ LOAD, (uint32_t)(sizeof(l) + name_bytes + code_bytes), now_ns() };
	fwrite(&l, sizeof(l), 1, out);
	fwrite(name, name_bytes, 1, out);
	fwrite((const void *)f->code, code_bytes, 1, out);
}

static void end_jitdump(FILE *out)
{
	struct prefix close = { CLOSE, sizeof(close), now_ns() };
	fwrite(&close, sizeof(close), 1, out);
	fclose(out);
}

static FILE *new_map(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "w");
	if (!map)
		exit(1);
	return map;
}

int main(int argc, char **argv)
{
	struct function *functions[] = { &adds, &sums, &counts, &rows };
	struct part parts[] = {
		{ "sums", 10, 200000, run_sums, 0 },
		{ "rows", 6, 200000, run_counts, 0 },
		{ "native", 4, 200000, run_native, 0 },
	};
	size_t size = (size_t)(trampoline_end - trampoline_start);
	if (argc < 3)
		return 2;
	int is_jitdump = strcmp(argv[1], "jitdump") == 0;
	size_t each = is_jitdump ? 4 * CODE_ALIGNMENT : size;
	char *arena = new_arena(each);
	FILE *out = is_jitdump ? new_jitdump() : new_map();
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		char *code = arena + i * each;
		memcpy(&functions[i]->code, &code, sizeof(code));
		if (is_jitdump)
			write_records(out, functions[i], (uint32_t)size);
		else
			write_map_row(out, functions[i], size);
	}
	int status = take_turns(parts, sizeof parts / sizeof parts[0], argc - 1, argv + 1);
	if (is_jitdump)
		end_jitdump(out);
	return status;
}
