/*
 * A JIT compiler whose code has no frame pointers, keeps a number in that register, and is described by unwinding records
 * of its jitdump (tools/perf/Documentation/jitdump-specification.txt of Linux). See turns.h.
 *
 *	jit_frames told TRUTH [SECONDS]	with the records
 *	jit_frames bare TRUTH [SECONDS]	without them
 */
#define _GNU_SOURCE
#include "turns.h"

#include <string.h>
#include <sys/mman.h>

#define OWN_FRAME __attribute__((noinline, noclone))

typedef void worker(unsigned long rounds);
typedef void compiled(unsigned long rounds, worker *callee, unsigned long own_rounds);

extern const char code_start[] __asm__("code_start"), code_end[] __asm__("code_end");
__asm__("	.section .rodata\n"
	"code_start:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	sub $0x28, %rsp\n"
	"	mov %rdx, %rbx\n"
	"	mov $77, %ebp\n"
	"	call *%rsi\n"
	"	test %rbx, %rbx\n"
	"	je 2f\n"
	"1:	dec %rbx\n"
	"	jne 1b\n"
	"2:	add $0x28, %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	"code_end:\n"
	"	.text\n");

/* DWARF 5, 6.4: where the caller is behind each of the instructions above that move the stack pointer. */
static const uint8_t cie[] = { 20, 0,	 0,  0, 0,    0,    0, 0, 1,	'z', 'R', 0,
			       1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,	  0 };
static const uint8_t program[] = {
	0,						    /* no augmentation */
	0x41,	   0x0e, 16, 0x86, 2,			    /* push %rbp */
	0x41,	   0x0e, 24, 0x83, 3,			    /* push %rbx */
	0x44,	   0x0e, 64,				    /* sub */
	0x40 | 24, 0x0e, 24, 0x41, 0x0e, 16, 0x41, 0x0e, 8, /* add, pop, pop */
};

static volatile unsigned long sink;
static compiled *first, *second; /* two copies */

/* --- what takes the time --- */

OWN_FRAME static void spin(unsigned long rounds)
{
	unsigned long sum = sink;
	for (unsigned long i = 0; i < rounds; i++) {
		sum += i ^ (sum << 1);
		__asm__ volatile("" : "+r"(sum));
	}
	sink = sum;
}

OWN_FRAME static void through_second(unsigned long rounds)
{
	second(rounds, spin, 0);
	sink++;
}

OWN_FRAME static void run_called(unsigned long rounds)
{
	first(rounds, through_second, 0);
	sink++;
}

OWN_FRAME static void do_nothing(unsigned long rounds)
{
	sink += rounds;
}

OWN_FRAME static void run_own(unsigned long rounds)
{
	second(0, do_nothing, rounds);
	sink++;
}

OWN_FRAME static void run_native(unsigned long rounds)
{
	spin(rounds);
	sink++;
}

/* --- the compiler --- */

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
enum { LOAD, UNWINDING = 4 };

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static FILE *new_jitdump(void)
{
	char path[64];
	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	FILE *out = fopen(path, "w+");
	struct head head = { .magic = 0x4A695444,
			     .version = 1,
			     .size_bytes = sizeof(head),
			     .machine = 62,
			     .pid = (uint32_t)getpid() };
	if (!out)
		exit(1);
	fwrite(&head, sizeof(head), 1, out);
	return out;
}

/* Whoever records sees this, and reads the file. */
static void show_jitdump(FILE *out)
{
	if (fflush(out) != 0 ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0) == MAP_FAILED)
		exit(1);
}

static void write_unwinding(FILE *out, uint32_t code_bytes)
{
	enum { TABLE_BYTES = 20 };
	uint8_t data[128] = { 0 };
	uint32_t fde_bytes = 12 + sizeof(program), to_cie = sizeof(cie) + 4;
	int32_t back = -(int32_t)(((code_bytes + 7) & ~7u) + sizeof(cie) + 8);
	uint8_t *p = data + sizeof(cie);
	memcpy(data, cie, sizeof(cie));
	memcpy(p, &fde_bytes, 4);
	memcpy(p + 4, &to_cie, 4);
	memcpy(p + 8, &back, 4);
	memcpy(p + 12, &code_bytes, 4);
	memcpy(p + 16, program, sizeof(program));
	struct unwinding u = { .size_bytes = sizeof(cie) + 4 + fde_bytes + TABLE_BYTES,
			       .header_bytes = TABLE_BYTES,
			       .mapped_bytes = 96 };
	size_t padded = (u.size_bytes + 7) & ~(size_t)7;
	u.prefix = (struct prefix){ UNWINDING, (uint32_t)(sizeof(u) + padded), now_ns() };
	fwrite(&u, sizeof(u), 1, out);
	fwrite(data, padded, 1, out);
}

static void write_load(FILE *out, const char *name, const char *code, uint32_t code_bytes)
{
	static uint64_t index;
	size_t name_bytes = strlen(name) + 1;
	struct load l = { .pid = (uint32_t)getpid(),
			  .tid = (uint32_t)getpid(),
			  .vma = (uint64_t)code,
			  .address = (uint64_t)code,
			  .size_bytes = code_bytes,
			  .index = index++ };
	l.prefix =
		(struct prefix){ LOAD, (uint32_t)(sizeof(l) + name_bytes + code_bytes), now_ns() };
	fwrite(&l, sizeof(l), 1, out);
	fwrite(name, name_bytes, 1, out);
	fwrite(code, code_bytes, 1, out);
}

static compiled *compile(char *at, FILE *out, const char *name, int tells)
{
	uint32_t n = (uint32_t)(code_end - code_start);
	compiled *code;
	memcpy(at, code_start, n);
	if (tells)
		write_unwinding(out, n);
	write_load(out, name, at, n);
	memcpy(&code, &at, sizeof(code));
	return code;
}

int main(int argc, char **argv)
{
	enum { PAGE = 4096, APART = 1024 };
	struct part parts[] = {
		{ "called", 10, 200000, run_called, 0 },
		{ "own", 6, 400000, run_own, 0 },
		{ "native", 4, 200000, run_native, 0 },
	};
	if (argc < 3)
		return 2;
	int tells = strcmp(argv[1], "told") == 0;
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *out = new_jitdump();
	if (page == MAP_FAILED)
		return 1;
	first = compile(page, out, "compiled_first", tells);
	second = compile(page + APART, out, "compiled_second", tells);
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC) != 0)
		return 1;
	show_jitdump(out);
	return take_turns(parts, sizeof parts / sizeof parts[0], argc - 1, argv + 1);
}
