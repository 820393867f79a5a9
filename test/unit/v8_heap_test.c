/* Objects of V8's heap: types, strings of all representations, and ScopeInfo by its flags. */
#include "tap.h"

#include "v8_heap.h"

static const unsigned versions[] = { V8_9_4, V8_10_2, V8_11_3, V8_12_4, V8_12_9, V8_14_6 };

static const char *name_of(unsigned version)
{
	static char text[16];
	snprintf(text, sizeof(text), "%u.%u", fake_versions[version].major,
		 fake_versions[version].minor);
	return text;
}

/* --- types --- */

static void test_types(void)
{
	struct heap h;
	heap_init(&h, V8_12_4);
	struct v8_heap *v = &h.process->heap;
	uint64_t script = heap_script(&h, &(struct fake_script){ .id = 1 });
	int32_t type = v8_get(&h.layout, V8_TYPE_SCRIPT);
	tap_num_eq((uint64_t)v8_type_of(v, script), (uint64_t)type, "an object has its map's type");
	tap_num_eq((uint64_t)v8_type_of(v, script | 2), (uint64_t)type, "a weak one, too");
	tap_ok(v8_type_of(v, script - 1) == V8_NO_TYPE, "a number has none");
	tap_ok(v8_type_of(v, smi(5)) == V8_NO_TYPE, "a small integer has none");
	uint64_t not_a_map = heap_alloc(&h, 32);
	heap_set(&h, not_a_map, 0, script);
	tap_ok(v8_type_of_map(v, not_a_map) == V8_NO_TYPE, "what has no map of maps is no map");
	uint64_t before = h.memory.reads;
	v8_type_of_map(v, h.maps[type]);
	tap_num_eq(h.memory.reads, before, "a map is read once");
	heap_set(&h, not_a_map, 0, h.meta_map);
	heap_set_int(&h, not_a_map, 12, 77);
	tap_num_eq((uint64_t)v8_type_of_map(v, not_a_map), 77, "what becomes a map is one then");
	h.is_gone[(v8_address(script) - HEAP_BASE) / HEAP_PAGE] = true;
	tap_ok(v8_type_of(v, script) == V8_NO_TYPE, "what cannot be read has none");
	heap_fini(&h);
}

static void test_words(void)
{
	struct heap h;
	uint32_t n = 0;
	heap_init(&h, V8_9_4);
	struct v8_heap *v = &h.process->heap;
	uint64_t words[3] = { smi(1), smi(2), smi(3) }, array = heap_array(&h, words, 3), got;
	tap_ok(v8_array_length(v, array, 3, &n) && n == 3, "an array has a length");
	tap_ok(!v8_array_length(v, array, 2, &n), "one that is too long has none");
	heap_set(&h, array, 8, smi(-1));
	tap_ok(!v8_array_length(v, array, 3, &n), "a negative one is none");
	heap_set(&h, array, 8, smi(2) + 4);
	tap_ok(!v8_array_length(v, array, 3, &n), "what is no small integer is none");
	tap_ok(v8_read_word(v, array, 24, &got) && got == smi(2), "a field is read");
	tap_ok(!v8_read_word(v, array - 1, 24, &got), "of no object nothing is read");
	tap_ok(!v8_is_pointer(1) && !v8_is_pointer(array | 2) && !v8_is_pointer(array - 1) &&
		       !v8_is_pointer(array | 1ull << 47) && v8_is_pointer(array),
	       "a pointer is what may be one");
	heap_fini(&h);
}

/* --- strings --- */

static void check_string(struct heap *h, uint64_t string, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	bool ok = v8_read_string(&h->process->heap, string, 1024, &got);
	tap_str_eq(ok ? buf_str(&got) : STR("(false)"), str_from(want), "%s", what);
}

static void check_no_string(struct heap *h, uint64_t string, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	tap_ok(!v8_read_string(&h->process->heap, string, 1024, &got), "%s", what);
}

static void test_flat_strings(struct heap *h)
{
	static const uint16_t text[] = { 'n', 0xe4, 0x4e2d };
	static const uint16_t pair[] = { 'x', 0xd83d, 0xde00, 'y' };
	static const uint16_t lone[] = { 0xde00, 'x', 0xd83d };
	static const uint16_t high[] = { 0xd83d, 0xd83d, 0xde00 };
	check_string(h, heap_string(h, "hello"), "hello", "a string of one byte");
	check_string(h, heap_string(h, ""), "", "an empty string");
	check_string(h, heap_string(h, "\xe9t\xe9"), "été", "one byte is Latin-1");
	check_string(h, heap_two_byte(h, text, 3), "nä中", "a string of two bytes");
	check_string(h, heap_two_byte(h, pair, 4), "x😀y", "surrogates are one character");
	check_string(h, heap_two_byte(h, lone, 3), "\xef\xbf\xbdx\xef\xbf\xbd",
		     "half of one is replaced");
	check_string(h, heap_two_byte(h, high, 3), "\xef\xbf\xbd😀",
		     "a half before a whole one is replaced");
}

static void test_tree_strings(struct heap *h)
{
	static const uint16_t left[] = { 'a', 0xd83d }, right[] = { 0xde00, 'b' };
	uint64_t hello = heap_string(h, "hello"), world = heap_string(h, ", world");
	uint64_t cons = heap_cons(h, hello, world, 12);
	check_string(h, cons, "hello, world", "a cons string");
	check_string(h, heap_cons(h, cons, heap_string(h, ""), 12), "hello, world",
		     "one that was made flat");
	check_string(h, heap_cons(h, heap_string(h, ""), cons, 12), "hello, world",
		     "one with nothing in front");
	check_string(h, heap_sliced(h, cons, 3, 6), "lo, wo", "a slice over both halves");
	check_string(h, heap_sliced(h, cons, 7, 5), "world", "a slice of the second half");
	check_string(h, heap_sliced(h, cons, 0, 5), "hello", "a slice of the first half");
	check_string(h, heap_thin(h, hello, 5), "hello", "a thin string");
	check_string(h, heap_sliced(h, heap_thin(h, hello, 5), 1, 3), "ell",
		     "a slice of a thin one");
	check_string(h, heap_external(h, v8_address(hello) + 16, 5, false), "hello",
		     "an external string");
	check_string(h, heap_cons(h, heap_two_byte(h, left, 2), heap_two_byte(h, right, 2), 4),
		     "a😀b", "surrogates in two pieces are one character");
	uint64_t two = heap_two_byte(h, left, 2);
	check_string(h, heap_external(h, v8_address(two) + 16, 1, true), "a",
		     "an external string of two bytes");
	check_string(h, heap_external(h, v8_address(hello) + 17, 3, false), "ell",
		     "external characters need no alignment");
}

static void test_broken_strings(struct heap *h)
{
	uint64_t hello = heap_string(h, "hello"), cycle = heap_cons(h, hello, hello, 10);
	check_no_string(h, smi(1), "a small integer is no string");
	check_no_string(h, heap_script(h, &(struct fake_script){ .id = 1 }), "a script is none");
	check_no_string(h, heap_sliced(h, hello, 3, 3), "a slice beyond the end is none");
	check_no_string(h, heap_sliced(h, hello, -1, 3), "a slice before the begin is none");
	check_no_string(h, heap_sliced(h, hello, INT32_MAX, UINT32_MAX), "nor far beyond");
	check_no_string(h, heap_cons(h, hello, smi(0), 10), "a cons with half of it gone is none");
	check_no_string(h, heap_cons(h, hello, hello, 11), "one longer than its halves is none");
	check_no_string(h, heap_thin(h, hello, 6), "a thin one longer than it is, is none");
	check_no_string(h, heap_external(h, 0x1234, 5, false),
			"external text that is gone is none");
	heap_set(h, cycle, 16, cycle);
	check_no_string(h, cycle, "a cons of itself is none");
	heap_set(h, cycle, 16, heap_string(h, ""));
	heap_set(h, cycle, 24, cycle);
	check_no_string(h, cycle, "a cons of itself behind nothing is none");
	uint64_t thin = heap_thin(h, hello, 5);
	heap_set(h, thin, 16, thin);
	check_no_string(h, thin, "a thin string of itself is none");
}

/* How deep and how long. */
static void test_string_limits(struct heap *h)
{
	AUTO(buf) struct buf got = { 0 };
	uint64_t x = heap_string(h, "x"), left = x, right = x;
	uint32_t n = 1;
	for (; n < 60; n++) {
		left = heap_cons(h, left, x, n + 1);
		right = heap_cons(h, x, right, n + 1);
	}
	tap_ok(v8_read_string(&h->process->heap, left, 1024, &got) && got.n == 60,
	       "a string of 60 pieces, each behind the others");
	for (; n < 500; n++) {
		left = heap_cons(h, left, x, n + 1);
		right = heap_cons(h, x, right, n + 1);
	}
	got.n = 0;
	tap_ok(v8_read_string(&h->process->heap, right, 1024, &got) && got.n == 500,
	       "a string of 500 pieces, each before the others");
	check_no_string(h, left, "one that is too deep is none");
	got.n = 0;
	tap_ok(v8_read_string(&h->process->heap, heap_string(h, "hello"), 2, &got) &&
		       str_eq(buf_str(&got), STR("he")),
	       "a string is cut where it is too long");
}

static bool count_chars(void *context, const struct v8_piece *piece)
{
	*(uint32_t *)context += piece->n;
	return piece->n != 3;
}

static void test_visit(struct heap *h)
{
	uint32_t n = 0;
	struct v8_heap *v = &h->process->heap;
	uint64_t hello = heap_string(h, "hello");
	tap_ok(v8_visit_string(v, heap_cons(h, hello, hello, 10), 10, count_chars, &n) && n == 10,
	       "all pieces are visited");
	tap_ok(!v8_visit_string(v, hello, 4, count_chars, &n), "not of a string that is too long");
	n = 0;
	uint64_t three = heap_string(h, "one");
	tap_ok(!v8_visit_string(v, heap_cons(h, three, hello, 8), 10, count_chars, &n) && n == 3,
	       "a visit ends when it is told to");
	/* More than a piece, the last of it on a page that is gone. */
	uint64_t large = heap_string_of(h, HEAP_ONE_BYTE, 20000, 20016);
	tap_ok(v8_visit_string(v, large, 20000, count_chars, (n = 0, &n)) && n == 20000,
	       "a long string comes in pieces");
	h->is_gone[(v8_address(large) + 16 + 20000 - 1 - HEAP_BASE) / HEAP_PAGE] = true;
	tap_ok(!v8_visit_string(v, large, 20000, count_chars, &n),
	       "a string that ends early is none");
}

/* A string may be the last object before what cannot be read. */
static void test_last_string(struct heap *h)
{
	h->used = (h->used + HEAP_PAGE - 1) / HEAP_PAGE * HEAP_PAGE + HEAP_PAGE - 24;
	uint64_t last = heap_string(h, "last");
	h->is_gone[h->used / HEAP_PAGE] = true;
	check_string(h, last, "last", "a string at the end of a page before one that is gone");
	h->used += HEAP_PAGE;
}

static void test_strings(void)
{
	struct heap h;
	heap_init(&h, V8_12_4);
	test_flat_strings(&h);
	test_tree_strings(&h);
	test_broken_strings(&h);
	test_string_limits(&h);
	test_last_string(&h);
	test_visit(&h);
	heap_fini(&h);
}

/* --- scopes --- */

static void check_scope(struct heap *h, const struct fake_scope *f, const char *what)
{
	struct v8_scope got;
	bool ok = v8_read_scope(&h->process->heap, heap_scope(h, f), &got);
	bool is_same = ok && got.name == f->name && got.inferred_name == f->inferred_name &&
		       got.start == f->start && got.end == f->end;
	tap_ok(is_same, "%s: scope %s", name_of(h->version), what);
	if (!is_same)
		printf("# %d name %llx inferred %llx positions %d to %d\n", ok,
		       (unsigned long long)got.name, (unsigned long long)got.inferred_name,
		       got.start, got.end);
}

static void check_scopes(unsigned version)
{
	struct heap h;
	heap_init(&h, version);
	uint64_t name = heap_string(&h, "name"), inferred = heap_string(&h, "inferred");
	struct fake_scope f = { .type = heap_scope_function(&h), .start = 10, .end = 20 };
	check_scope(&h, &f, "without names");
	f.name = name;
	check_scope(&h, &f, "with a name");
	f.inferred_name = inferred;
	check_scope(&h, &f, "with both names");
	f.locals = 5;
	check_scope(&h, &f, "with locals");
	f.has_saved_class = f.has_receiver = true;
	check_scope(&h, &f, "with a saved class and a receiver");
	f.locals = 74;
	check_scope(&h, &f, "with 74 locals");
	f.locals = 75;
	check_scope(&h, &f, "with 75 locals");
	f.locals = 300;
	check_scope(&h, &f, "with 300 locals");
	f.name = 0;
	check_scope(&h, &f, "with an inferred name only");
	f = (struct fake_scope){ .type = heap_scope_module(&h),
				 .inferred_name = inferred,
				 .locals = 3,
				 .start = 0,
				 .end = 99 };
	check_scope(&h, &f, "of a module");
	f.locals = 80;
	check_scope(&h, &f, "of a module with 80 locals");
	heap_fini(&h);
}

/* Classes have positions from 10.2 on, unless they are empty; a block has none up to 12.4. */
static void check_positions(unsigned version, uint32_t type, uint32_t flags, bool has,
			    const char *of)
{
	struct heap h;
	struct v8_scope got;
	heap_init(&h, version);
	uint64_t s = heap_scope(&h, &(struct fake_scope){ .type = type,
							  .flags = flags,
							  .name = heap_string(&h, "n"),
							  .start = 4,
							  .end = 9 });
	bool ok = v8_read_scope(&h.process->heap, s, &got);
	tap_ok(ok && got.start == (has ? 4 : -1) && got.end == (has ? 9 : -1),
	       "%s: %s has %s positions", name_of(version), of, has ? "its" : "no");
	heap_fini(&h);
}

static void test_positions(void)
{
	enum { IS_EMPTY = 1 << 29 };
	check_positions(V8_9_4, 0, 0, false, "a class");
	check_positions(V8_10_2, 0, 0, true, "a class");
	check_positions(V8_12_4, 0, IS_EMPTY, false, "an empty class");
	check_positions(V8_14_6, 2, 0, true, "a class");
	check_positions(V8_11_3, 6, 0, false, "a block");
	check_positions(V8_11_3, 5, 0, false, "a catch");
	check_positions(V8_11_3, 1, 0, true, "an eval");
	check_positions(V8_11_3, 4, 0, true, "a script");
	check_positions(V8_11_8, 8, 0, true, "a shadow realm");
	check_positions(V8_14_6, 7, 0, true, "a block");
}

static void test_broken_scopes(void)
{
	struct heap h;
	struct v8_scope got;
	heap_init(&h, V8_14_6);
	struct v8_heap *v = &h.process->heap;
	uint64_t s = heap_scope(&h, &(struct fake_scope){ .type = 4, .start = -5, .end = 1 });
	tap_ok(v8_read_scope(v, s, &got) && got.start == -1, "a position before the text is none");
	heap_set(&h, s, 24, smi(-1));
	tap_ok(!v8_read_scope(v, s, &got), "a negative count of locals is none");
	heap_set(&h, s, 24, smi(1 << 21));
	tap_ok(!v8_read_scope(v, s, &got), "nor is one that is too large");
	heap_set(&h, s, 24, smi(1) + 1);
	tap_ok(!v8_read_scope(v, s, &got), "nor what is no small integer");
	tap_ok(!v8_read_scope(v, heap_string(&h, "x"), &got), "a string is no scope");
	tap_ok(!v8_read_scope(v, 0, &got), "nothing is none");
	s = heap_scope(&h, &(struct fake_scope){ .type = 4, .name = heap_string(&h, "n") });
	heap_set(&h, s, 24, smi(1 << 20));
	tap_ok(!v8_read_scope(v, s, &got), "a scope whose name cannot be there is none");
	heap_fini(&h);
}

int main(void)
{
	test_types();
	test_words();
	test_strings();
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		check_scopes(versions[i]);
	test_positions();
	test_broken_scopes();
	return tap_done();
}
