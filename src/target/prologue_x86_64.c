/*
 * How an x86-64 function begins. With frame pointers:
 *	endbr64; push %rbp; [others]; mov %rsp,%rbp		gcc, clang, Go from 1.21
 *	sub $N,%rsp; mov %rbp,N-8(%rsp); lea N-8(%rsp),%rbp	Go before
 * Without: it pushes callee-saved registers, or makes room, and leaves %rbp alone or uses it for
 * other things. Go first checks whether there is stack left.
 */
#include "target/frame_pointers_int.h"

static struct str skip_bytes(struct str code, struct str bytes)
{
	return str_starts(code, bytes) ? str_from_byte(code, bytes.n) : code;
}

/* `cmp 16(%r14),%rsp` or `lea -N(%rsp),%r12; cmp 16(%r14),%r12`, then `jbe` near or far. */
static struct str skip_stack_check(struct str code)
{
	enum { LEA_NEAR_BYTES = 5, LEA_FAR_BYTES = 8, JUMP_NEAR_BYTES = 2, JUMP_FAR_BYTES = 6 };
	struct str rest = code;
	if (str_starts(rest, STR("\x4c\x8d\x64\x24")))
		rest = str_from_byte(rest, LEA_NEAR_BYTES);
	else if (str_starts(rest, STR("\x4c\x8d\xa4\x24")))
		rest = str_from_byte(rest, LEA_FAR_BYTES);
	if (!str_starts(rest, STR("\x49\x3b\x66\x10")) &&
	    !str_starts(rest, STR("\x4d\x3b\x66\x10")))
		return code;
	rest = str_from_byte(rest, 4);
	if (str_starts(rest, STR("\x76")))
		return str_from_byte(rest, JUMP_NEAR_BYTES);
	return str_starts(rest, STR("\x0f\x86")) ? str_from_byte(rest, JUMP_FAR_BYTES) : code;
}

/* `mov %rsp,%rbp`, in both ways to write it. */
static bool sets_frame_pointer(struct str code)
{
	return str_find(code, STR("\x48\x89\xe5")) >= 0 || str_find(code, STR("\x48\x8b\xec")) >= 0;
}

/* `mov %rbp,N(%rsp)`, `lea N(%rsp),%rbp`. */
static bool sets_frame_pointer_of_go(struct str code)
{
	ptrdiff_t near = str_find(code, STR("\x48\x8d\x6c\x24"));
	ptrdiff_t far = str_find(code, STR("\x48\x8d\xac\x24"));
	return near >= 0 || far >= 0;
}

static bool pushes_kept_register(struct str code)
{
	/* %rbx; %rbp; %r12 to %r15 */
	if (code.n >= 2 && code.p[0] == '\x41')
		return code.p[1] >= '\x54' && code.p[1] <= '\x57';
	return code.n && (code.p[0] == '\x53' || code.p[0] == '\x55');
}

static bool makes_room(struct str code)
{
	return str_starts(code, STR("\x48\x83\xec")) || str_starts(code, STR("\x48\x81\xec"));
}

enum prologue prologue_x86_64(struct str code)
{
	/* A compiler may put a few other instructions between the two. */
	enum { NEAR_BYTES = 24 };
	code = skip_stack_check(
		skip_bytes(str_first(code, PROLOGUE_BYTES), STR("\xf3\x0f\x1e\xfa")));
	struct str near = str_first(code, NEAR_BYTES);
	if (str_starts(code, STR("\x55")) && sets_frame_pointer(near))
		return PROLOGUE_KEEPS_FRAME_POINTER;
	if (makes_room(code) && sets_frame_pointer_of_go(near))
		return PROLOGUE_KEEPS_FRAME_POINTER;
	if (pushes_kept_register(code) || makes_room(code))
		return PROLOGUE_OMITS_FRAME_POINTER;
	return PROLOGUE_NONE;
}
