/* From an address of WebAssembly code to its function; wasm.h describes the path. */
#include "v8/v8_int.h"
#include "v8/wasm.h"

#include <stdlib.h>

enum { MODULE_WORDS = 128, INSTANCE_WORDS = 80, CODE_BYTES = 64, MAX_MODULES = 64, TRIED = 16 };

struct wasm_module {
	uint64_t address; /* the NativeModule */
	uint64_t table;	  /* its WasmCode, by function */
	struct wasm_names names;
	uint64_t *seen; /* what the table had, by function */
};

struct wasm_code {
	uint64_t start, object;
	uint32_t size, number, module;
};

struct wasm {
	struct wasm_module *modules[MAX_MODULES];
	uint32_t n;
	VEC(struct wasm_code) codes; /* by address */
	uint64_t tried[TRIED];	     /* instances that led to no module */
	uint32_t next_tried;
	uint64_t look_again_ns, look_pause_ns;
};

void v8_wasm_free(struct wasm *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n; i++) {
		wasm_names_fini(&w->modules[i]->names);
		free(w->modules[i]->seen);
		free(w->modules[i]);
	}
	vec_fini(&w->codes);
	free(w);
}

/* --- what V8 keeps --- */

/* Where WasmCode has its size and the number of its function; up to which version. */
struct code_fields {
	uint32_t until_major;
	uint8_t size, number;
};

static const struct code_fields *fields_of(const struct v8_layout *l)
{
	static const struct code_fields fields[] = { { 10, 32, 48 },
						     { 12, 24, 44 },
						     { UINT32_MAX, 32, 56 } };
	uint32_t i = 0;
	while (l->major > fields[i].until_major)
		i++;
	return &fields[i];
}

static bool is_native(uint64_t word)
{
	return word % 8 == 0 && word > 65536 && !(word >> 47);
}

/* The code of a module. False: it is none (any more). */
static bool read_code(struct v8_process *p, uint64_t module, uint64_t object,
		      struct wasm_code *code)
{
	const struct code_fields *f = fields_of(p->layout);
	char bytes[CODE_BYTES];
	uint64_t back;
	enum { MAX_BYTES = 128 << 20 };
	if (!is_native(object) || !memory_read(p->heap.memory, object, bytes, sizeof(bytes)))
		return false;
	memcpy(&back, bytes, sizeof(back));
	memcpy(&code->start, bytes + sizeof(back), sizeof(code->start));
	memcpy(&code->size, bytes + f->size, sizeof(code->size));
	memcpy(&code->number, bytes + f->number, sizeof(code->number));
	code->object = object;
	return back == module && code->size && code->size <= MAX_BYTES;
}

/* --- modules --- */

/* Its bytes are behind one of its words: where they are, and how many. */
static bool find_names(struct v8_process *p, const uint64_t *words, struct wasm_names *n)
{
	enum { MAX_BYTES = 1 << 30 };
	uint64_t bytes[2];
	for (uint32_t i = 0; i < MODULE_WORDS; i++)
		if (is_native(words[i]) &&
		    memory_read(p->heap.memory, words[i], bytes, sizeof(bytes)) &&
		    bytes[0] > 4096 && !(bytes[0] >> 47) && bytes[1] <= MAX_BYTES) {
			if (wasm_names_read(p->heap.memory, bytes[0], bytes[1], n))
				return true;
			wasm_names_fini(n);
		}
	return false;
}

/*
 * How many of its functions a table of the module's code has, in their order; it is not looked at any further than is
 * needed to be sure. 0: something in it does not fit.
 */
static uint32_t fits_table(struct v8_process *p, uint64_t module, uint64_t table,
			   const struct wasm_names *n)
{
	enum { AT_ONCE = 64, SURE = 64, MAX_LOOKED_AT = 1 << 16 };
	uint64_t entries[AT_ONCE];
	uint32_t found = 0;
	struct wasm_code code;
	if (!is_native(table))
		return 0;
	for (uint32_t i = 0; i < n->functions && i < MAX_LOOKED_AT && found < SURE; i++) {
		uint32_t at = i % AT_ONCE, left = n->functions - i;
		if (!at && !memory_read(p->heap.memory, table + i * sizeof(*entries), entries,
					(left < AT_ONCE ? left : AT_ONCE) * sizeof(*entries)))
			return 0;
		if (!entries[at])
			continue;
		if (!read_code(p, module, entries[at], &code) || code.number != n->imports + i ||
		    v8_pc_kind(p, code.start) != PC_JIT)
			return 0;
		found++;
	}
	return found;
}

/* Code that was made a moment ago is in a list, too, which may be in order by chance: the table has at least as much. */
static uint64_t find_table(struct v8_process *p, uint64_t module, const uint64_t *words,
			   const struct wasm_names *n)
{
	uint64_t table = 0;
	uint32_t most = 1;
	for (uint32_t i = 0; i < MODULE_WORDS; i++) {
		uint32_t found = fits_table(p, module, words[i], n);
		if (found < most)
			continue;
		most = found;
		table = words[i];
	}
	return table;
}

static bool is_known(const struct wasm *w, uint64_t module)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->modules[i]->address == module)
			return true;
	return false;
}

/* False: it is no module, or one that is known, or none of its code was made yet. */
static bool take_module(struct v8_process *p, struct wasm *w, uint64_t address)
{
	uint64_t words[MODULE_WORDS];
	struct wasm_names names;
	if (!is_native(address) || w->n == MAX_MODULES || is_known(w, address) ||
	    !memory_read(p->heap.memory, address, words, sizeof(words)) ||
	    !find_names(p, words, &names))
		return false;
	uint64_t table = find_table(p, address, words, &names);
	if (!table) {
		wasm_names_fini(&names);
		return false;
	}
	struct wasm_module *m = w->modules[w->n++] = mem_zalloc(1, sizeof(*m));
	*m = (struct wasm_module){ .address = address,
				   .table = table,
				   .names = names,
				   .seen = mem_zalloc(names.functions + 1, sizeof(*m->seen)) };
	return true;
}

/* From a word on: fields that lead from one object to the next. 0: not so far. */
static uint64_t follow(struct v8_process *p, uint64_t word, const uint8_t *path)
{
	enum { END = 255 };
	for (; *path != END; path++)
		if (word < 65536 || word >> 47 ||
		    !memory_read(p->heap.memory, (word & ~1ull) + *path, &word, sizeof(word)))
			return 0;
	return word;
}

/*
 * An instance, or its trusted data, has its module by way of Managed<NativeModule>: a Foreign of the one that will
 * destroy it, which has a shared_ptr. Where in the instance that is differs: what is found tells.
 */
static bool find_module(struct v8_process *p, struct wasm *w, uint64_t instance)
{
	static const uint8_t paths[][6] = { { 24, 8, 24, 0, 255 },
					    { 8, 24, 0, 255 },
					    { 32, 24, 8, 24, 0, 255 } };
	uint64_t words[INSTANCE_WORDS];
	for (uint32_t i = 0; i < TRIED; i++)
		if (w->tried[i] == instance)
			return false;
	if (!memory_read(p->heap.memory, v8_address(instance), words, sizeof(words)))
		return false;
	for (uint32_t i = 0; i < INSTANCE_WORDS; i++)
		for (size_t k = 0; v8_is_pointer(words[i]) && k < ARRAY_SIZE(paths); k++)
			if (take_module(p, w, follow(p, words[i], paths[k])))
				return true;
	w->tried[w->next_tried++ % TRIED] = instance;
	return false;
}

/* --- code --- */

static int by_address(const void *a, const void *b)
{
	const struct wasm_code *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* What the table has that it did not have before. Returns how much. */
static uint32_t read_table(struct v8_process *p, struct wasm *w, uint32_t module)
{
	enum { AT_ONCE = 128 };
	struct wasm_module *m = w->modules[module];
	uint64_t entries[AT_ONCE];
	uint32_t found = 0;
	for (uint32_t first = 0; first < m->names.functions; first += AT_ONCE) {
		uint32_t left = m->names.functions - first, n = left < AT_ONCE ? left : AT_ONCE;
		if (!memory_read(p->heap.memory, m->table + first * sizeof(*entries), entries,
				 n * sizeof(*entries)))
			break;
		for (uint32_t i = 0; i < n; i++) {
			struct wasm_code code = { .module = module };
			if (!entries[i] || entries[i] == m->seen[first + i] ||
			    !read_code(p, m->address, entries[i], &code) ||
			    code.number != m->names.imports + first + i)
				continue;
			m->seen[first + i] = entries[i];
			vec_push(&w->codes, code);
			found++;
		}
	}
	return found;
}

/* How many of the first n codes begin at an address or before. */
static uint32_t codes_up_to(const struct wasm *w, uint32_t n, uint64_t address)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (w->codes.p[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Those before, which are sorted, are gone where the new ones behind them are. */
static void sort_codes(struct wasm *w, uint32_t before)
{
	struct wasm_code *codes = w->codes.p;
	uint32_t kept = 0;
	for (uint32_t k = before; k < w->codes.n; k++) {
		uint32_t i = codes_up_to(w, before, codes[k].start + codes[k].size - 1);
		for (; i-- > 0 && codes[i].start + codes[i].size > codes[k].start;)
			codes[i].size = 0;
	}
	for (uint32_t i = 0; i < w->codes.n; i++)
		if (codes[i].size)
			codes[kept++] = codes[i];
	w->codes.n = kept;
	qsort(codes, kept, sizeof(*codes), by_address);
}

/* NULL: none is known there, or it is another one by now. */
static const struct wasm_code *find_code(struct v8_process *p, const struct wasm *w, uint64_t pc)
{
	uint32_t n = codes_up_to(w, w->codes.n, pc);
	const struct wasm_code *c = n ? &w->codes.p[n - 1] : NULL;
	struct wasm_code now;
	if (!c || pc - c->start > c->size)
		return NULL;
	bool is_same =
		p->has_ended || (read_code(p, w->modules[c->module]->address, c->object, &now) &&
				 now.start == c->start && now.number == c->number);
	return is_same ? c : NULL;
}

/*
 * All code that a module has is in a std::map by address, also what the table has no more, as a function that loops goes
 * on in the code that it began in. Its nodes (libstdc++, stl_tree.h) are colour, parent, left, right, address, WasmCode.
 */
static bool find_in_tree(struct v8_process *p, uint64_t module, uint64_t node, uint64_t pc,
			 struct wasm_code *code)
{
	enum { LEFT = 2, RIGHT, ADDRESS, CODE, NODE_WORDS, MAX_DEPTH = 64 };
	uint64_t words[NODE_WORDS];
	for (uint32_t i = 0; i < MAX_DEPTH; i++) {
		if (!is_native(node) || !memory_read(p->heap.memory, node, words, sizeof(words)) ||
		    !read_code(p, module, words[CODE], code) || code->start != words[ADDRESS])
			return false;
		if (pc >= code->start && pc - code->start <= code->size)
			return true;
		node = words[pc < code->start ? LEFT : RIGHT];
	}
	return false;
}

/* Any word of the module may be the tree's root: what is found there has the address. */
static bool find_old_code(struct v8_process *p, struct wasm *w, uint32_t module, uint64_t pc)
{
	const struct wasm_module *m = w->modules[module];
	struct wasm_code code = { .module = module };
	uint64_t words[MODULE_WORDS];
	uint32_t before = w->codes.n;
	if (!memory_read(p->heap.memory, m->address, words, sizeof(words)))
		return false;
	for (uint32_t i = 0; i < MODULE_WORDS; i++)
		if (find_in_tree(p, m->address, words[i], pc, &code) &&
		    code.number < m->names.imports + m->names.functions) {
			code.module = module;
			vec_push(&w->codes, code);
			sort_codes(w, before);
			return true;
		}
	return false;
}

static void read_tables(struct v8_process *p, struct wasm *w, uint64_t pc)
{
	uint32_t before = w->codes.n, found = 0;
	uint64_t begin_ns = clock_monotonic_ns();
	for (uint32_t i = 0; i < w->n; i++)
		found += read_table(p, w, i);
	if (found)
		sort_codes(w, before);
	for (uint32_t i = 0; i < w->n && !find_code(p, w, pc); i++)
		found += find_old_code(p, w, i, pc);
	uint64_t end_ns = clock_monotonic_ns();
	w->look_pause_ns = v8_look_pause_ns(w->look_pause_ns, end_ns - begin_ns, found > 0);
	w->look_again_ns = end_ns + w->look_pause_ns;
}

static v8_place_id place_of(struct v8_process *p, const struct wasm *w, const struct wasm_code *c)
{
	const struct wasm_names *n = &w->modules[c->module]->names;
	AUTO(buf) struct buf file = { 0 };
	AUTO(buf) struct buf number = { 0 };
	struct str name = n->names[c->number];
	buf_addf(&number, "wasm-function[%u]", c->number);
	buf_addf(&file, "wasm://wasm%s%.*s", n->module.n ? "/" : "", STR_ARG(n->module));
	if (name.n)
		buf_addf(&file, ":%.*s", STR_ARG(buf_str(&number)));
	struct v8_function f = { .name = name.n ? name : buf_str(&number), .file = buf_str(&file) };
	return v8_names_place(p->names,
			      &(struct v8_place){ .function = v8_names_function(p->names, &f),
						  .caller = V8_NONE });
}

v8_place_id v8_place_in_wasm(struct v8_process *p, uint64_t pc, uint64_t instance, uint64_t *start)
{
	const struct wasm_code *c = p->wasm ? find_code(p, p->wasm, pc) : NULL;
	if (!c && instance && !p->has_ended) {
		if (!p->wasm)
			p->wasm = mem_zalloc(1, sizeof(*p->wasm));
		struct wasm *w = p->wasm;
		if (clock_monotonic_ns() >= w->look_again_ns)
			read_tables(p, w, pc);
		c = find_code(p, w, pc);
		if (!c && find_module(p, w, instance)) {
			read_tables(p, w, pc);
			c = find_code(p, w, pc);
		}
	}
	if (!c)
		return V8_NONE;
	*start = c->start;
	return place_of(p, p->wasm, c);
}
