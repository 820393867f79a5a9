/* Finds the starts of functions, and the state of the stack at an instruction. */
#include "unwind/code_int.h"

enum {
	MAX_STEPS = 1 << 15, /* instructions of one function */
	MAX_WORK = 1 << 26,  /* ... of a file */
	MAX_STARTS = 1 << 24,
	MAX_ANSWERS = 1 << 19,
	FUNCTION_ALIGNMENT = 16,
};

/* A symbol. */
struct known_start {
	uint64_t address;
	uint32_t size_bytes; /* 0: not known */
};

/* What the code of a segment may call, and what it jumps to: a bit for each of its bytes. */
struct called {
	uint64_t address;
	uint64_t *bits, *jumped;
	uint64_t words;
};

/* What was found, so that it need not be found again. */
struct answer {
	uint64_t address;
	uint32_t skip;
	bool is_found;
	struct code_start start;
	struct code_state state;
};

struct unwind_code {
	struct elf *elf;
	const struct unwind_machine *machine;
	bool has_starts, is_off;
	VEC(struct known_start) known;
	VEC(struct called) called;
	VEC(struct answer) answers;
	struct index_map by_address;
	uint64_t work_left;
	uint8_t *is_visited; /* a bit for each byte of the window */
};

struct unwind_code *unwind_code_new(struct elf *elf)
{
	const struct unwind_machine *m = unwind_machine_of(elf->machine);
	if (!m || !elf->is_64)
		return NULL;
	struct unwind_code *c = mem_zalloc(1, sizeof(*c));
	c->elf = elf;
	c->machine = m;
	c->work_left = MAX_WORK;
	return c;
}

void unwind_code_free(struct unwind_code *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->called.n; i++) {
		free(c->called.p[i].bits);
		free(c->called.p[i].jumped);
	}
	vec_fini(&c->called);
	vec_fini(&c->known);
	vec_fini(&c->answers);
	index_map_fini(&c->by_address);
	free(c->is_visited);
	free(c);
}

/* --- bytes --- */

static struct str segment_bytes(const struct unwind_code *c, const struct elf_segment *s)
{
	return str_first(str_from_byte(c->elf->bytes, s->offset), s->file_bytes);
}

static const struct elf_segment *segment_of(const struct unwind_code *c, uint64_t address)
{
	for (uint32_t i = 0; i < c->elf->segments.n; i++) {
		const struct elf_segment *s = &c->elf->segments.p[i];
		if (s->is_executable && address >= s->address &&
		    address - s->address < s->file_bytes)
			return s;
	}
	return NULL;
}

struct str code_bytes_from(const struct unwind_code *c, uint64_t address)
{
	const struct elf_segment *s = segment_of(c, address);
	return s ? str_from_byte(segment_bytes(c, s), address - s->address) : STR("");
}

struct str code_bytes_before(const struct unwind_code *c, uint64_t address, size_t most)
{
	const struct elf_segment *s = segment_of(c, address - 1);
	if (!s)
		return STR("");
	struct str bytes = str_first(segment_bytes(c, s), address - s->address);
	return str_from_byte(bytes, bytes.n > most ? bytes.n - most : 0);
}

bool code_is_in_entry(const struct unwind_code *c, uint64_t address)
{
	return elf_is_in_entry(c->elf, address);
}

/* --- starts --- */

static void add_known(struct unwind_code *c, uint64_t address, uint64_t size)
{
	if (segment_of(c, address) && budget_hold(&c->elf->budget, sizeof(struct known_start)))
		vec_push(&c->known,
			 (struct known_start){ address, size < UINT32_MAX ? (uint32_t)size : 0 });
}

/*
 * The code that V8 brings along calls by its own rules: callees take arguments off the stack. It keeps frame pointers,
 * and who names its functions relies on them.
 */
static bool is_of_v8(struct str name)
{
	return str_starts(name, STR("v8dbg_")) || str_starts(name, STR("Builtins_"));
}

static void add_symbols(struct unwind_code *c, const struct elf_section *section)
{
	struct str bytes = elf_section_scan(c->elf, section);
	size_t n = bytes.n / (c->elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	/* Where functions that have names begin is not known: a start found by calls could be inside of one. */
	c->is_off = !bytes.n && section->size_bytes;
	for (uint32_t i = 0; i < n && i < MAX_STARTS && !c->is_off; i++) {
		struct elf_symbol s;
		if (!elf_symbol_at(c->elf, section, i, &s))
			continue;
		c->is_off = is_of_v8(s.name);
		if (elf_symbol_is_function(c->elf, &s.fields))
			add_known(c, s.fields.st_value, s.fields.st_size);
	}
}

/* Functions begin where others end, on a round address, or by making room on the stack. */
static bool may_begin(struct str bytes, uint64_t at, uint64_t address)
{
	static const struct str beginnings[] = { { "\xf3\x0f\x1e\xfa", 4 }, /* endbr64 */
						 { "\x48\x83\xec", 3 },
						 { "\x48\x81\xec", 3 } };
	struct str code = str_from_byte(bytes, at);
	uint8_t before = at ? (uint8_t)bytes.p[at - 1] : 0xcc;
	uint8_t first = (uint8_t)code.p[0];
	if (first == 0x41 && code.n > 1) /* a register from %r8 on */
		first = (uint8_t)code.p[1];
	for (unsigned i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (str_starts(code, beginnings[i]))
			return true;
	return address % FUNCTION_ALIGNMENT == 0 || before == 0xc3 || before == 0xcc ||
	       before == 0x90 || (first >= 0x50 && first < 0x58);
}

enum leads { NOWHERE, TO_CALLED, TO_JUMPED };

/* `call` or `jmp` with a distance, or `lea` of an address from here. */
static enum leads leads_to(const char *p)
{
	uint8_t first = (uint8_t)p[-3], last = (uint8_t)p[-1];
	bool loads = (first == 0x48 || first == 0x4c) && p[-2] == (char)0x8d && (last & 0xc7) == 5;
	return last == 0xe8 || loads ? TO_CALLED : last == 0xe9 ? TO_JUMPED : NOWHERE;
}

/* What code may lead to: found byte by byte, as nobody knows where instructions begin. */
static void add_called(struct unwind_code *c, const struct elf_segment *s)
{
	enum { BEFORE = 3, DISTANCE_BYTES = 4 };
	struct str bytes = segment_bytes(c, s);
	struct called called = { .address = s->address, .words = bytes.n / 64 + 1 };
	uint64_t held_bytes = 2 * called.words * sizeof(*called.bits);
	if (!budget_work(&c->elf->budget, bytes.n) || !budget_hold(&c->elf->budget, held_bytes))
		return;
	called.bits = mem_zalloc(called.words, sizeof(*called.bits));
	called.jumped = mem_zalloc(called.words, sizeof(*called.jumped));
	for (size_t at = BEFORE; at + DISTANCE_BYTES <= bytes.n; at++) {
		int32_t distance;
		enum leads how = leads_to(bytes.p + at);
		if (how == NOWHERE)
			continue;
		memcpy(&distance, bytes.p + at, sizeof(distance));
		uint64_t target = at + DISTANCE_BYTES + (uint64_t)(int64_t)distance;
		if (target < bytes.n && may_begin(bytes, target, s->address + target))
			(how == TO_CALLED ? called.bits : called.jumped)[target / 64] |=
				1ull << target % 64;
	}
	vec_push(&c->called, called);
}

static int by_address_and_size(const void *a, const void *b)
{
	const struct known_start *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

static void find_starts(struct unwind_code *c)
{
	c->has_starts = true;
	if (c->elf->entry)
		add_known(c, c->elf->entry, 0);
	for (uint32_t i = 0; i < c->elf->sections.n && !c->is_off; i++)
		if (c->elf->sections.p[i].type == SHT_SYMTAB ||
		    c->elf->sections.p[i].type == SHT_DYNSYM)
			add_symbols(c, &c->elf->sections.p[i]);
	if (c->is_off)
		return;
	for (uint32_t i = 0; i < c->elf->segments.n; i++)
		if (c->elf->segments.p[i].is_executable)
			add_called(c, &c->elf->segments.p[i]);
	if (c->known.n)
		qsort(c->known.p, c->known.n, sizeof(*c->known.p), by_address_and_size);
}

/* The last one at or before address, if it can hold that; of several with the same address the one with a size. */
static const struct known_start *known_before(const struct unwind_code *c, uint64_t address)
{
	uint32_t low = 0, high = c->known.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (c->known.p[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &c->known.p[low - 1] : NULL;
}

/* The last address at or before this one that may be called, or is jumped to; 0: none is near. */
static uint64_t called_before(const struct unwind_code *c, uint64_t address, bool is_jumped)
{
	for (uint32_t i = 0; i < c->called.n; i++) {
		const struct called *s = &c->called.p[i];
		uint64_t at = address - s->address, word = at / 64;
		if (address < s->address || word >= s->words)
			continue;
		const uint64_t *words = is_jumped ? s->jumped : s->bits;
		uint64_t bits = words[word] & ~0ull >> (63 - at % 64);
		for (uint64_t steps = CODE_WINDOW / 64; !bits && word && steps; steps--)
			bits = words[--word];
		if (bits)
			return s->address + word * 64 + 63 - (uint64_t)__builtin_clzll(bits);
	}
	return 0;
}

/*
 * The skip'th start at or before address. Behind the end of a function that is known, only what is called there counts;
 * and nothing before a function that is known, which would have to contain it.
 */
static bool start_before(const struct unwind_code *c, uint64_t address, uint32_t skip,
			 struct code_start *start)
{
	bool is_jumped = skip >= CODE_STARTS_TRIED;
	const struct known_start *known = known_before(c, address);
	uint64_t at = address;
	skip %= CODE_STARTS_TRIED;
	do {
		uint64_t called = called_before(c, at, is_jumped);
		uint64_t end = known && known->size_bytes ? known->address + known->size_bytes
							  : UINT64_MAX;
		bool is_known = known && known->address >= called;
		*start = (struct code_start){ is_known ? known->address : called, is_known,
					      is_jumped };
		if (!start->address || address - start->address >= CODE_WINDOW ||
		    (is_known && address >= end) || (is_known && skip))
			return false;
		at = start->address - 1;
	} while (skip--);
	return true;
}

/* --- following the code --- */

struct place {
	uint32_t at;
	struct code_state state;
};

struct following {
	struct unwind_code *code;
	struct str bytes; /* from the start on */
	uint32_t wanted;
	int64_t wanted_jump; /* 0: none; a jump to there, with nothing left on the stack */
	/* Jumps go first: behind a call that does not return there may be another part of the function. */
	VEC(struct place) jumps, calls;
	uint32_t next_call;
};

static bool visit(struct following *f, uint32_t at)
{
	uint8_t *byte = &f->code->is_visited[at / 8], bit = (uint8_t)(1 << at % 8);
	bool is_new = !(*byte & bit);
	*byte |= bit;
	return is_new;
}

static void go_to(struct following *f, int64_t target, const struct code_state *state)
{
	if (target >= 0 && (uint64_t)target < f->bytes.n)
		vec_push(&f->jumps, (struct place){ (uint32_t)target, *state });
}

/* From a place to where the code does not go on. True: the wanted instruction was met. */
static bool follow_from(struct following *f, struct place *p, uint32_t *steps)
{
	struct instruction in;
	while (p->at < f->bytes.n && visit(f, p->at) && (*steps)++ < MAX_STEPS) {
		if (!instruction_read(f->bytes, p->at, &in))
			return false;
		uint32_t end = p->at + in.size_bytes;
		if (f->wanted >= p->at && f->wanted < end)
			return true;
		bool is_jump = in.kind == JUMPS || in.kind == BRANCHES;
		if (is_jump && f->wanted_jump && in.target == f->wanted_jump &&
		    p->state.has_depth && !p->state.depth)
			return true;
		if (is_jump)
			go_to(f, in.target, &p->state);
		if (in.kind == CALLS)
			vec_push(&f->calls, (struct place){ end, p->state });
		if (in.kind != GOES_ON && in.kind != BRANCHES)
			return false;
		code_step_x86_64(str_first(str_from_byte(f->bytes, p->at), in.size_bytes),
				 f->code->machine->callee_saved, &p->state);
		p->at = end;
	}
	return false;
}

static bool next_place(struct following *f, struct place *p)
{
	if (f->jumps.n) {
		*p = f->jumps.p[--f->jumps.n];
		return true;
	}
	if (f->next_call == f->calls.n)
		return false;
	*p = f->calls.p[f->next_call++];
	return true;
}

static bool follow(struct following *f, uint64_t start, struct code_state *state)
{
	struct unwind_code *c = f->code;
	struct place p = { .state = { .has_depth = true } };
	uint32_t steps = 0;
	bool is_found = false;
	f->bytes = str_first(code_bytes_from(c, start), CODE_WINDOW);
	if (!c->is_visited)
		c->is_visited = mem_alloc(CODE_WINDOW / 8, 1);
	memset(c->is_visited, 0, CODE_WINDOW / 8);
	do
		is_found = follow_from(f, &p, &steps);
	while (!is_found && steps < MAX_STEPS && next_place(f, &p));
	uint64_t work = CODE_WINDOW / 512 + (uint64_t)steps;
	c->work_left -= work < c->work_left ? work : c->work_left;
	vec_fini(&f->jumps);
	vec_fini(&f->calls);
	*state = p.state;
	return is_found;
}

static bool find_state(struct unwind_code *c, uint64_t start, uint64_t address,
		       struct code_state *state)
{
	struct following f = { .code = c, .wanted = (uint32_t)(address - start) };
	return follow(&f, start, state) && (state->has_depth || state->has_frame);
}

bool code_jumps_to(struct unwind_code *c, uint64_t from, uint64_t to)
{
	struct code_state state;
	struct following f = { .code = c,
			       .wanted = UINT32_MAX,
			       .wanted_jump = (int64_t)(to - from) };
	return c->work_left && f.wanted_jump && follow(&f, from, &state);
}

/* --- asking --- */

static bool is_answer(const void *list, uint32_t i, const void *key)
{
	const struct answer *a = &((const struct answer *)list)[i], *k = key;
	return a->address == k->address && a->skip == k->skip;
}

static struct answer find_answer(struct unwind_code *c, uint64_t address, uint32_t skip)
{
	struct answer a = { .address = address, .skip = skip };
	a.is_found = start_before(c, address, skip, &a.start);
	if (a.is_found && !find_state(c, a.start.address, address, &a.state))
		a.state = (struct code_state){ 0 };
	return a;
}

bool code_find(struct unwind_code *c, uint64_t address, uint32_t skip, struct code_start *start,
	       struct code_state *state)
{
	struct answer key = { .address = address, .skip = skip };
	uint32_t hash = hash_pair((uint32_t)address ^ skip, (uint32_t)(address >> 32));
	uint32_t i = index_map_find(&c->by_address, hash, is_answer, c->answers.p, &key);
	if (!c->has_starts)
		find_starts(c);
	if (i == INDEX_NONE) {
		if (c->is_off || !c->work_left || c->answers.n == MAX_ANSWERS)
			return false;
		i = c->answers.n;
		index_map_add(&c->by_address, hash, i);
		struct answer found = find_answer(c, address, skip);
		vec_push(&c->answers, found);
	}
	*start = c->answers.p[i].start;
	*state = c->answers.p[i].state;
	return c->answers.p[i].is_found;
}
