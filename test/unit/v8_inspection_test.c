/*
 * V8 in a process that is bytes: no pid, no /proc, as a core is. Its functions and code are found as in one that
 * lives, and what is in the way is said by the process's own name.
 */
#include "tap.h"

#include "v8_heap.h"

struct dead {
	struct heap h; /* first */
	struct buf elf;
	struct bytes_process process;
};

/* The heap, and V8's own code as it is in the file. */
static bool read_dead(struct memory *m, uint64_t address, void *to, size_t n)
{
	const struct dead *d = (const struct dead *)m;
	if (address < HEAP_BUILTINS)
		return heap_read(m, address, to, n);
	if (address - HEAP_BUILTINS > d->elf.n || n > d->elf.n - (address - HEAP_BUILTINS))
		return false;
	memcpy(to, d->elf.p + (address - HEAP_BUILTINS), n);
	return true;
}

static void dead_init(struct dead *d)
{
	struct heap *h = &d->h;
	*d = (struct dead){ 0 };
	heap_init(h, V8_12_4);
	h->memory.read = read_dead;
	fake_v8_elf(&d->elf, &(struct fake_v8){ .version = V8_12_4 });
	bytes_process_init(&d->process, &h->memory);
	d->process.program = "/app/node";
	d->process.file = buf_str(&d->elf);
	d->process.command_line = STR("node\0--perf-basic-prof\0app.js\0");
	d->process.mappings[0] = (struct process_mapping){ .start = HEAP_BASE,
							   .end = HEAP_CODE,
							   .protection = PROT_READ | PROT_WRITE };
	d->process.mappings[1] = (struct process_mapping){ .start = HEAP_CODE,
							   .end = HEAP_BASE + HEAP_BYTES,
							   .protection = PROT_READ | PROT_EXEC };
	d->process.mappings[2] = (struct process_mapping){
		.start = HEAP_BUILTINS,
		.end = HEAP_BUILTINS + FAKE_V8_BLOB_BYTES,
		.inode = 7,
		.protection = PROT_READ | PROT_EXEC,
		.path = STR("/app/node"),
	};
	d->process.n = 3;
	d->process.thread = (struct process_thread){ .tid = 1, .has_registers = true };
}

static void dead_fini(struct dead *d)
{
	buf_fini(&d->elf);
	heap_fini(&d->h);
}

static void add_program(struct heap *h)
{
	struct fake_position list[] = { { 0, heap_position(5, 0), true } };
	uint64_t ends[] = { smi(9), smi(19) };
	uint64_t script = heap_script(h, &(struct fake_script){ .name = heap_string(h, "/app/a.js"),
								.line_ends = heap_array(h, ends, 2),
								.id = 1 });
	uint64_t f = heap_named(h, "handle", script, 0);
	uint64_t deopt_data = heap_deopt_data(h, f, heap_array(h, NULL, 0), heap_bytes(h, "", 0));
	h->code_used = 256;
	heap_code(h, &(struct fake_code){ .kind = KIND_TURBOFAN,
					  .deopt_data = deopt_data,
					  .positions = heap_positions(h, list, 1),
					  .size_bytes = 300 });
}

static void check_found(void)
{
	struct dead d;
	struct err e = { 0 };
	AUTO(buf) struct buf name = { 0 };
	AUTO(v8_checks) struct v8_checks checks = { 0 };
	struct v8_code_rows rows = { 0 };
	dead_init(&d);
	add_program(&d.h);
	struct v8_inspection *v = v8_inspect(&d.process.process, &e);
	tap_ok(v, "V8 is found in a process without a pid: %s", e.text);
	if (!v)
		return;
	tap_str_eq(str_from(v->file), STR("/app/node"), "... in its program");
	v8_check(v, &checks);
	for (enum v8_check_kind i = 0; i < V8_CHECKS; i++)
		tap_ok(checks.list[i].state != V8_CHECK_FAILED, "... test %s: %.*s",
		       v8_check_name(i), STR_ARG(buf_str(&checks.list[i].what)));
	v8_walk_code(v, &rows);
	tap_num_eq(rows.list.n, 1, "its compiled code is found");
	if (rows.list.n)
		v8_code_row_describe(v->process, &rows.list.p[0], &name);
	tap_ok(str_find(buf_str(&name), STR("handle /app/a.js")) >= 0, "... with its name: %.*s",
	       STR_ARG(buf_str(&name)));
	v8_code_rows_fini(&rows);
	v8_inspection_free(v);
	dead_fini(&d);
}

static bool script_text(struct v8_inspection *v, const char *file, struct buf *text, struct err *e)
{
	text->n = 0;
	return v8_script_text(v, str_from(file), 100, text, e);
}

static void check_script_text(void)
{
	struct dead d;
	struct err e = { 0 };
	AUTO(buf) struct buf text = { 0 };
	dead_init(&d);
	struct heap *h = &d.h;
	uint64_t name = heap_string(h, "/app/a.js"), old = heap_string(h, "old();");
	heap_script(h, &(struct fake_script){
			       .name = name, .source = heap_string(h, "new();"), .id = 7 });
	heap_script(h, &(struct fake_script){ .name = name, .source = old, .id = 6 });
	heap_script(h, &(struct fake_script){ .name = heap_string(h, "part.html"),
					      .source = heap_string(h, "f()"),
					      .id = 8,
					      .line_offset = 2 });
	heap_script(h, &(struct fake_script){
			       .name = heap_string(h, "gone.js"), .source = smi(3), .id = 9 });
	struct v8_inspection *v = v8_inspect(&d.process.process, &e);
	tap_ok(v && script_text(v, "/app/a.js", &text, &e) && str_eq(buf_str(&text), STR("new();")),
	       "the newest script of that name is read");
	tap_ok(v && script_text(v, "part.html", &text, &e) &&
		       str_eq(buf_str(&text), STR("\n\nf()")),
	       "a script within a file begins on its line there");
	tap_ok(v && !script_text(v, "/app/b.js", &text, &e) &&
		       strstr(e.text, "core has no script /app/b.js"),
	       "%s", e.text);
	e = (struct err){ 0 };
	tap_ok(v && !script_text(v, "gone.js", &text, &e) &&
		       strstr(e.text, "no longer has the text") && !text.n,
	       "%s", e.text);
	v8_inspection_free(v);
	dead_fini(&d);
}

static void check_refused(struct dead *d, const char *want)
{
	struct err e = { 0 };
	struct v8_inspection *v = v8_inspect(&d->process.process, &e);
	tap_ok(!v && strstr(e.text, want), "%s", e.text);
	v8_inspection_free(v);
}

static void check_refusals(void)
{
	struct dead d;
	dead_init(&d);
	check_refused(&d, "core cannot be read from outside: /app/node contains V8 12.4");
	d.process.file.n = 0;
	check_refused(&d, "core is not running Node.js: /app/node contains no V8");
	d.process.program = NULL;
	check_refused(&d, "core has exited");
	dead_fini(&d);
}

static void count_registers(void *context, const struct process_thread *t)
{
	*(uint32_t *)context += t->has_registers;
}

/* What else reads a process reads this one. */
static void check_others(void)
{
	struct dead d;
	struct runtime runtime;
	uint32_t threads = 0;
	uint64_t address;
	char bytes[64];
	dead_init(&d);
	struct process *p = &d.process.process;
	runtime_of_process(p, &runtime);
	tap_ok(runtime.kind == RUNTIME_NODE && runtime.has_map_flag, "what it runs, and its flags");
	runtime_fini(&runtime);
	tap_num_eq(process_stack_begin(p, HEAP_BASE + 100, &address, bytes, sizeof(bytes)),
		   sizeof(bytes), "where a stack begins");
	tap_num_eq(address, HEAP_CODE - sizeof(bytes), "... is the end of what is mapped there");
	p->ops->visit_threads(p, count_registers, &threads);
	tap_num_eq(threads, 1, "its thread has registers");
	dead_fini(&d);
}

int main(void)
{
	check_script_text();
	check_found();
	check_refusals();
	check_others();
	return tap_done();
}
