/* Functions and scripts: names by all rules, lines by all line ends, and objects that become others. */
#include "tap.h"

#include "v8_heap.h"

static const unsigned versions[] = { V8_9_4, V8_11_3, V8_12_4, V8_14_6 };

/* As V8 would write it: `JS:name file:line:column`. */
static void describe(struct heap *h, uint64_t shared, struct buf *out)
{
	const struct known_function *k = v8_function_get(h->process, shared);
	out->n = 0;
	if (k)
		v8_function_describe(&h->names.functions.p[k->function], 0, out);
	else
		buf_add(out, STR("(none)"));
}

static void check_function(struct heap *h, uint64_t shared, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	describe(h, shared, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%u.%u: %s", h->layout.major, h->layout.minor,
		   what);
}

static uint64_t make_script(struct heap *h, const char *name, const char *text, int32_t id)
{
	return heap_script(h, &(struct fake_script){ .name = heap_string(h, name),
						     .source = heap_string(h, text),
						     .id = id });
}

/* --- names --- */

static uint64_t scoped(struct heap *h, uint64_t script, uint64_t name, uint64_t inferred)
{
	uint64_t scope = heap_scope(h, &(struct fake_scope){ .type = heap_scope_function(h),
							     .name = name,
							     .inferred_name = inferred,
							     .start = 3,
							     .end = 9 });
	return heap_function(h, &(struct fake_function){ scope, script, 0, 1 });
}

static void check_names(unsigned version)
{
	struct heap h;
	heap_init(&h, version);
	uint64_t script = make_script(&h, "/app/a.js", "1\n345678\n", 1);
	uint64_t name = heap_string(&h, "own"), inferred = heap_string(&h, "Class.inferred");
	check_function(&h, scoped(&h, script, name, inferred), "JS:own /app/a.js:2:2",
		       "its own name comes first");
	check_function(&h, scoped(&h, script, 0, inferred), "JS:Class.inferred /app/a.js:2:2",
		       "then the one that was made out");
	check_function(&h, scoped(&h, script, heap_string(&h, ""), inferred),
		       "JS:Class.inferred /app/a.js:2:2", "also where its own is empty");
	/* Smi 0: no shared name. The flag says that there is a slot, so any non-zero marks it here. */
	uint64_t scope = heap_scope(&h, &(struct fake_scope){ .type = heap_scope_function(&h),
							      .name = smi(1),
							      .inferred_name = inferred,
							      .start = 3 });
	check_function(&h, heap_function(&h, &(struct fake_function){ scope, script, 0, 1 }),
		       "JS:Class.inferred /app/a.js:2:2", "also where its own is no string");
	check_function(&h, scoped(&h, script, 0, 0), "JS: /app/a.js:2:2", "else it has none");
	check_function(&h, heap_function(&h, &(struct fake_function){ name, script, 0, 1 }),
		       "JS:own /app/a.js", "a name without a scope");
	uint64_t data = heap_uncompiled(&h, inferred, 2);
	check_function(&h, heap_function(&h, &(struct fake_function){ smi(0), script, data, 1 }),
		       "JS:Class.inferred /app/a.js:2:1", "what was not compiled yet");
	check_function(&h, heap_function(&h, &(struct fake_function){ name, 0, smi(77), 1 }),
		       "JS:own", "a function of V8 itself has no file");
	check_function(&h, script, "(none)", "a script is no function");
	check_function(&h, smi(3), "(none)", "a number is none");
	heap_fini(&h);
}

static void test_closures(void)
{
	struct heap h;
	heap_init(&h, V8_9_4);
	uint64_t shared = heap_named(&h, "f", 0, 0), closure = heap_closure(&h, shared);
	int32_t last = v8_get(&h.layout, V8_TYPE_LAST_FUNCTION);
	tap_num_eq(v8_shared_of(h.process, closure), shared, "a closure has its function");
	heap_set(&h, closure, 0, heap_map(&h, last));
	tap_num_eq(v8_shared_of(h.process, closure), shared, "one of the last type, too");
	heap_set(&h, closure, 0, heap_map(&h, last + 1));
	tap_num_eq(v8_shared_of(h.process, closure), 0, "an object of the type behind has none");
	tap_num_eq(v8_shared_of(h.process, shared), 0, "a function is no closure");
	tap_num_eq(v8_shared_of(h.process, 0), 0, "nothing is none");
	heap_fini(&h);
}

/* Up to 11.3. */
static void test_debug_info(void)
{
	struct heap h;
	heap_init(&h, V8_11_3);
	uint64_t script = make_script(&h, "/app/a.js", "x\ny\n", 1);
	uint64_t info = heap_object_of(&h, V8_TYPE_DEBUG_INFO, 64);
	heap_set(&h, info, 16, script);
	check_function(&h, heap_named(&h, "f", info, 2), "JS:f /app/a.js:2:1",
		       "a function that a debugger has looked at");
	heap_fini(&h);
}

/* --- lines --- */

static void check_line(const struct script *s, int32_t position, uint32_t line, uint32_t column,
		       const char *what)
{
	uint32_t got_line, got_column;
	v8_script_line(s, position, &got_line, &got_column);
	tap_ok(got_line == line && got_column == column, "%s: %d is %u:%u", what, position, line,
	       column);
	if (got_line != line || got_column != column)
		printf("# got %u:%u\n", got_line, got_column);
}

static const struct script *get_script(struct heap *h, const struct fake_script *f)
{
	uint32_t slot = v8_script_get(h->process, heap_script(h, f));
	return slot == V8_NONE ? NULL : &h->process->scripts[slot];
}

static void test_line_ends(struct heap *h)
{
	/*                            0  1  2   3   4  5   6  7   8  9 */
	const struct fake_script f = { .source = heap_string(h, "a\nb\r\nc\rd\r"), .id = 2 };
	const struct script *s = get_script(h, &f);
	check_line(s, 0, 1, 1, "counted");
	check_line(s, 1, 1, 2, "counted: a line ends with its end");
	check_line(s, 2, 2, 1, "counted");
	check_line(s, 3, 2, 2, "counted: \\r is no end before \\n");
	check_line(s, 4, 2, 3, "counted");
	check_line(s, 5, 3, 1, "counted");
	check_line(s, 7, 4, 1, "counted: behind \\r");
	check_line(s, 9, 5, 1, "counted: behind the last");
	check_line(s, 10, 0, 0, "counted: beyond the text");
	check_line(s, -1, 0, 0, "counted: before the text");
	static const uint16_t wide[] = { 'a', 0x2028, 'b', 0x2029, 'c' };
	const struct fake_script two = { .source = heap_two_byte(h, wide, 5), .id = 3 };
	s = get_script(h, &two);
	check_line(s, 2, 2, 1, "U+2028");
	check_line(s, 4, 3, 1, "U+2029");
	uint64_t left = heap_string(h, "a\r"), right = heap_string(h, "\nb");
	s = get_script(h, &(struct fake_script){ .source = heap_cons(h, left, right, 4), .id = 4 });
	check_line(s, 3, 2, 1, "\\r and \\n in two pieces are one end");
	s = get_script(h, &(struct fake_script){ .source = heap_string(h, ""), .id = 5 });
	check_line(s, 0, 1, 1, "an empty text");
}

static void test_offsets(struct heap *h)
{
	uint64_t ends[] = { smi(1), smi(4), smi(6) }, array = heap_array(h, ends, 3);
	struct fake_script f = { .source = heap_string(h, "\n\n\n\n\n\n"),
				 .line_ends = array,
				 .line_offset = 10,
				 .column_offset = 5,
				 .id = 6 };
	const struct script *s = get_script(h, &f);
	check_line(s, 0, 11, 6, "V8's ends and offsets");
	check_line(s, 2, 12, 1, "the column's offset is of the first line only");
	check_line(s, 6, 13, 2, "the last end counts");
	check_line(s, 7, 0, 0, "beyond it is nothing");
	f.line_offset = -20;
	f.column_offset = -3;
	f.id = 7;
	check_line(get_script(h, &f), 0, 0, 0, "offsets that lead nowhere");
	f = (struct fake_script){
		.line_offset = INT32_MAX, .column_offset = INT32_MAX, .line_ends = array, .id = 8
	};
	check_line(get_script(h, &f), 0, 2147483648u, 2147483648u, "offsets that are too large");
	f = (struct fake_script){ .source = smi(0), .line_ends = smi(0), .id = 9 };
	check_line(get_script(h, &f), 0, 0, 0, "no text, no lines");
	f.line_ends = heap_array(h, NULL, 0);
	f.source = heap_string(h, "x");
	f.id = 10;
	check_line(get_script(h, &f), 0, 1, 1, "an empty array of ends is none");
}

static void test_files(struct heap *h)
{
	uint64_t outer = make_script(h, "/app/outer.js", "x", 20);
	uint64_t maker = heap_named(h, "maker", outer, 0);
	const struct script *s =
		get_script(h, &(struct fake_script){ .eval_from = maker, .id = 21 });
	tap_str_eq(s->file, STR("[eval] /app/outer.js"), "what eval made has its maker's file");
	s = get_script(h, &(struct fake_script){ .eval_from = outer, .id = 22 });
	tap_str_eq(s->file, STR(""), "else none");
	tap_ok(v8_script_get(h->process, maker) == V8_NONE, "a function is no script");
	tap_ok(v8_script_get(h->process, 0) == V8_NONE, "nothing is none");
}

static void test_scripts(void)
{
	struct heap h;
	heap_init(&h, V8_14_6);
	test_line_ends(&h);
	test_offsets(&h);
	test_files(&h);
	heap_fini(&h);
}

/* --- what is known already --- */

static void check_known(unsigned version)
{
	struct heap h;
	heap_init(&h, version);
	uint64_t script = make_script(&h, "/a.js", "x\ny", 1),
		 other = make_script(&h, "/b.js", "x", 2);
	uint64_t shared = heap_named(&h, "first", script, 0);
	check_function(&h, shared, "JS:first /a.js:1:1", "a function");
	uint64_t before = h.memory.reads;
	check_function(&h, shared, "JS:first /a.js:1:1", "the same again");
	tap_ok(h.memory.reads - before <= 2, "is looked at with two reads at most");
	heap_set_function(&h, shared,
			  &(struct fake_function){ heap_string(&h, "second"), script, 0, 1 });
	check_function(&h, shared, "JS:second /a.js", "another name at the same address");
	heap_set_function(&h, shared,
			  &(struct fake_function){ heap_string(&h, "second"), other, 0, 1 });
	check_function(&h, shared, "JS:second /b.js", "another script at the same address");
	heap_set(&h, shared, 0, heap_map(&h, 500));
	check_function(&h, shared, "(none)", "no function any more");
	heap_fini(&h);
}

/* The same words, but what they refer to is another script and another scope now. */
static void check_reused(unsigned version)
{
	struct heap h;
	heap_init(&h, version);
	uint64_t script = make_script(&h, "/old.js", "x\ny", 1);
	struct fake_scope f = { .type = heap_scope_function(&h), .name = heap_string(&h, "old") };
	uint64_t scope = heap_scope(&h, &f);
	uint64_t shared = heap_function(&h, &(struct fake_function){ scope, script, 0, 1 });
	check_function(&h, shared, "JS:old /old.js:1:1", "a function that will be collected");
	heap_set_script(&h, script,
			&(struct fake_script){ .name = heap_string(&h, "/new.js"),
					       .source = heap_string(&h, "z"),
					       .id = 2 });
	heap_set_function(&h, shared, &(struct fake_function){ scope, script, 0, 1, 2 });
	uint64_t name = heap_string(&h, "new");
	f.name = name;
	uint64_t copy = heap_scope(&h, &f);
	memcpy(h.bytes + (v8_address(scope) - HEAP_BASE), h.bytes + (v8_address(copy) - HEAP_BASE),
	       8 * 24);
	check_function(&h, shared, "JS:new /new.js:1:1",
		       "one that came where it was, with the same words, has its own name");
	heap_fini(&h);
}

static void test_uncompiled(void)
{
	struct heap h;
	heap_init(&h, V8_12_4);
	uint64_t script = make_script(&h, "/a.js", "x\ny", 1), name = heap_string(&h, "f");
	uint64_t data = heap_uncompiled(&h, 0, 2);
	uint64_t shared = heap_function(&h, &(struct fake_function){ name, script, data, 1 });
	check_function(&h, shared, "JS:f /a.js:2:1", "before it was compiled");
	heap_set_int(&h, data, 16, 0);
	check_function(&h, shared, "JS:f /a.js:1:1", "what is not compiled is never believed");
	heap_fini(&h);
}

/* Two scripts for which there is one place: each is read anew. */
static void test_crowded(void)
{
	struct heap h;
	heap_init(&h, V8_12_4);
	uint64_t first = make_script(&h, "/first.js", "x", 1), second;
	do
		second = make_script(&h, "/second.js", "x", 2);
	while (v8_slot(second, KNOWN_SCRIPTS) != v8_slot(first, KNOWN_SCRIPTS) &&
	       h.used < HEAP_BYTES / 2 - HEAP_PAGE);
	uint64_t f = heap_named(&h, "f", first, 0), g = heap_named(&h, "g", second, 0);
	check_function(&h, f, "JS:f /first.js:1:1", "of two scripts the first");
	check_function(&h, g, "JS:g /second.js:1:1", "of two scripts the second");
	check_function(&h, f, "JS:f /first.js:1:1", "and the first again");
	for (unsigned i = 0; i < 1000; i++)
		v8_function_get(h.process, i % 2 ? g : f);
	check_function(&h, g, "JS:g /second.js:1:1", "a thousand times");
	heap_fini(&h);
}

/* What could not be read just now may be read later. */
static void test_failed(void)
{
	struct heap h;
	heap_init(&h, V8_14_6);
	uint64_t script = make_script(&h, "/a.js", "x", 1);
	h.used = (h.used + HEAP_PAGE - 1) / HEAP_PAGE * HEAP_PAGE;
	uint64_t name = heap_string(&h, "f"), page = h.used / HEAP_PAGE;
	h.used = (h.used + HEAP_PAGE - 1) / HEAP_PAGE * HEAP_PAGE;
	uint64_t shared = heap_function(&h, &(struct fake_function){ name, script, 0, 1 });
	h.is_gone[page] = true;
	check_function(&h, shared, "JS: /a.js", "a name that cannot be read");
	h.is_gone[page] = false;
	check_function(&h, shared, "JS:f /a.js", "and then can");
	heap_fini(&h);
}

/* The last object of a page, with nothing behind: as long as V8 makes it, no longer. */
static void check_last_of_page(unsigned version, uint32_t size_bytes)
{
	struct heap h;
	heap_init(&h, version);
	uint64_t script = make_script(&h, "/a.js", "x", 1);
	uint64_t name = heap_string(&h, "f");
	heap_map(&h, v8_get(&h.layout, V8_TYPE_SFI));
	h.used = (h.used / HEAP_PAGE + 1) * HEAP_PAGE - size_bytes;
	uint64_t shared = heap_function(&h, &(struct fake_function){ name, script, 0, 1 });
	h.is_gone[(v8_address(shared) - HEAP_BASE) / HEAP_PAGE + 1] = true;
	check_function(&h, shared, "JS:f /a.js", "a function at the end of a page");
	heap_fini(&h);
}

static void test_names_clear(void)
{
	struct heap h;
	struct v8_registers r = { 0 };
	heap_init(&h, V8_14_6);
	uint64_t shared = heap_named(&h, "f", make_script(&h, "/a.js", "x", 1), 0);
	check_function(&h, shared, "JS:f /a.js:1:1", "a function");
	v8_names_clear(&h.names);
	struct v8_counts counts = { 0 };
	v8_name_frames(h.process, &r, NULL, 0, NULL, 0, &counts);
	check_function(&h, shared, "JS:f /a.js:1:1", "names that were forgotten come again");
	heap_fini(&h);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		check_names(versions[i]);
		check_known(versions[i]);
		check_reused(versions[i]);
	}
	test_closures();
	test_debug_info();
	test_scripts();
	test_uncompiled();
	test_crowded();
	test_failed();
	check_last_of_page(V8_9_4, 56);
	check_last_of_page(V8_11_3, 56);
	check_last_of_page(V8_12_4, 64);
	check_last_of_page(V8_14_6, 72);
	test_names_clear();
	return tap_done();
}
