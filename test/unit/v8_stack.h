/* A stack with frames of JavaScript on it, beside a heap made up in memory. */
#pragma once
#include "v8_heap.h"

enum { STACK_BASE = 0x7000000, STACK_WORDS = 96, STACK_FRAME_WORDS = 10 };

struct stack {
	struct heap h;
	uint64_t words[STACK_WORDS];
	uint32_t used; /* from the top on */
	uint32_t last; /* where the last frame's link is; 0: none yet */
	uint64_t context;
	struct v8_registers r;
};

static inline uint64_t stack_address(uint32_t word)
{
	return STACK_BASE + 8ull * word;
}

static inline void stack_init(struct stack *s, unsigned version)
{
	*s = (struct stack){ 0 };
	heap_init(&s->h, version);
	s->context = heap_object(&s->h, 1002, 32);
	s->r.sp = STACK_BASE;
	s->r.top = (struct str){ (const char *)s->words, sizeof(s->words) };
}

/* A frame, the innermost first, whose function was called from where returns_to is. */
static inline uint32_t stack_add(struct stack *s, uint64_t closure, uint64_t returns_to)
{
	uint32_t link = s->used + STACK_FRAME_WORDS - 2;
	s->words[link + 1] = returns_to;
	s->words[link - 1] = closure ? s->context : 2 * 3; /* else the kind of frame */
	s->words[link - 2] = closure;
	if (s->last)
		s->words[s->last] = stack_address(link);
	else
		s->r.fp = stack_address(link);
	s->last = link;
	s->used += STACK_FRAME_WORDS;
	return link;
}

/* What the interpreter has in its frames besides. */
static inline void stack_set_bytecode(struct stack *s, uint32_t link, uint64_t bytecode, int32_t at)
{
	int32_t head = v8_get(&s->h.layout, V8_BYTECODE_DATA) - 1;
	s->words[link - 4] = bytecode;
	s->words[link - 5] = smi(at + head);
}

static inline uint64_t stack_interpreter_pc(void)
{
	return HEAP_BUILTINS + 0x400 + 0x250;
}

static inline void stack_fini(struct stack *s)
{
	heap_fini(&s->h);
}
