/* Names, lines and inlined functions from the table that Go programs keep when they are stripped. */
#include "debug_info/debug_info.h"
#include "elf/elf.h"
#include "go_program.h"
#include "tap.h"

static const char *const layout_names[] = { "Go 1.2", "Go 1.16", "Go 1.18", "Go 1.20" };

struct program {
	struct buf file;
	struct elf *elf;
	struct debug_info *debug;
};

static void program_init(struct program *p, const struct go_options *options)
{
	struct err e = { 0 };
	*p = (struct program){ 0 };
	go_program(&p->file, options);
	p->elf = elf_of_memory(buf_str(&p->file), "program", &e);
	p->debug = p->elf ? debug_info_new(p->elf) : NULL;
}

static void program_fini(struct program *p)
{
	debug_info_free(p->debug);
	elf_free(p->elf);
	buf_fini(&p->file);
}

/* `NAME FILE:LINE (DECLARED)` of each, outermost first. */
static void add_frames(struct buf *to, struct debug_info *d, uint64_t address)
{
	const struct debug_frame *frames;
	uint32_t n = d ? debug_info_find(d, address, &frames) : 0;
	for (uint32_t i = 0; i < n; i++)
		buf_addf(to, "%s%.*s %.*s:%u (%u)", i ? "; " : "", STR_ARG(frames[i].name),
			 STR_ARG(frames[i].file), frames[i].line, frames[i].declared_line);
}

static void expect(struct program *p, uint64_t address, const char *want, const char *text,
		   const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	add_frames(&got, p->debug, address);
	tap_str_eq(buf_str(&got), str_from(want), "%s: %s", text, what);
}

static void check(const struct go_options *options, const char *text)
{
	struct program p;
	bool has_start_lines = options->layout == GO_LAYOUT_1_20;
	bool has_inlines = options->layout >= GO_LAYOUT_1_18 ||
			   (options->layout == GO_LAYOUT_1_16 && !options->is_pie);
	program_init(&p, options);
	expect(&p, GO_MAIN + 2,
	       has_start_lines ? "main.main /src/main.go:10 (9)" : "main.main /src/main.go:10 (10)",
	       text, "the first instruction");
	expect(&p, GO_MAIN + 0xff,
	       has_start_lines ? "main.main /src/main.go:12 (9)" : "main.main /src/main.go:12 (10)",
	       text, "the last one");
	expect(&p, GO_LEAF + 0x31,
	       has_start_lines ? "main.leaf /src/main.go:20 (19); main.outer /src/main.go:30 (29); "
				 "main.inner /src/main.go:40 (39)"
	       : has_inlines   ? "main.leaf /src/main.go:20 (20); main.outer /src/main.go:30 (0); "
				 "main.inner /src/main.go:40 (0)"
			       : "main.leaf /src/main.go:40 (20)",
	       text, "two functions inlined into another");
	expect(&p, GO_END, "", text, "behind the last function");
	expect(&p, GO_MAIN - 1, "", text, "before the first one");
	program_fini(&p);
}

static void test_layouts(void)
{
	char text[100];
	for (int layout = 0; layout < GO_LAYOUTS; layout++)
		for (unsigned i = 0; i < 8; i++) {
			struct go_options o = { .layout = (enum go_layout)layout,
						.is_pie = i & 1,
						.has_section = i & 2,
						.has_no_text = i & 4 };
			if (o.has_no_text && layout != GO_LAYOUT_1_20)
				continue;
			snprintf(text, sizeof(text), "%s%s%s%s", layout_names[layout],
				 o.is_pie ? ", PIE" : "",
				 o.has_section ? "" : ", without a section of its own",
				 o.has_no_text ? ", without the text's address" : "");
			check(&o, text);
		}
}

static void test_circle(void)
{
	struct program p;
	const struct debug_frame *frames;
	struct go_options o = { .layout = GO_LAYOUT_1_20,
				.has_section = true,
				.wraps_inline = true };
	program_init(&p, &o);
	tap_num_eq(debug_info_find(p.debug, GO_LEAF + 0x31, &frames), DEBUG_MAX_INLINES + 1,
		   "a function that is inlined into itself: so many are shown, and no more");
	program_fini(&p);
}

static void test_frame_sizes(void)
{
	AUTO(buf) struct buf got = { 0 };
	struct program p;
	struct go_function f;
	struct go_values v;
	struct go_options o = { .layout = GO_LAYOUT_1_20, .has_section = true };
	program_init(&p, &o);
	struct go_table *t = go_table_new(p.elf);
	tap_num_eq(go_table_count(t), GO_FUNCTIONS, "its functions are counted");
	if (go_table_find(t, GO_MAIN + 5, &f) && go_frame_sizes(t, &f, &v))
		while (go_values_next(&v))
			buf_addf(&got, "%llx-%llx %d; ", (unsigned long long)v.start,
				 (unsigned long long)v.end, (int)v.value);
	tap_str_eq(buf_str(&got), STR("1000-1004 0; 1004-10f0 32; 10f0-1100 0; "),
		   "frame sizes of a function");
	go_table_free(t);
	program_fini(&p);
}

/* Each byte of the header, the list and the first records, with each of a few values: no crash, and no end. */
static void test_damage(void)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	enum { DAMAGED = 512 };
	uint64_t found = 0;
	for (int layout = 0; layout < GO_LAYOUTS; layout++) {
		AUTO(buf) struct buf file = { 0 };
		struct err e;
		go_program(&file, &(struct go_options){ .layout = (enum go_layout)layout });
		ptrdiff_t table = str_find(buf_str(&file), STR("\xff\xff\xff\0\0\1\x08"));
		for (size_t i = 0; table > 0 && i < DAMAGED && (size_t)table + i < file.n; i++) {
			char *byte = &file.p[(size_t)table - 1 + i], was = *byte;
			for (unsigned k = 0; k < sizeof(values); k++) {
				*byte = (char)values[k];
				struct elf *elf = elf_of_memory(buf_str(&file), "program", &e);
				struct debug_info *d = debug_info_new(elf);
				const struct debug_frame *frames;
				for (uint64_t a = GO_MAIN; d && a < GO_END; a += 8)
					found += debug_info_find(d, a, &frames);
				debug_info_free(d);
				elf_free(elf);
			}
			*byte = was;
		}
	}
	tap_ok(found > 0, "damaged tables are read as far as they go");
}

/* A C program's data may begin like a table. */
static void test_no_table(void)
{
	AUTO(buf) struct buf file = { 0 };
	struct err e;
	static const char data[] = "\xf1\xff\xff\xff\0\0\1\x08"
				   "\xff\xff\xff\xff\0\0\0\0\0\0\0\0";
	fake_elf(&file, &(struct fake_parts){ .data = { data, sizeof(data) } });
	struct elf *elf = elf_of_memory(buf_str(&file), "program", &e);
	struct go_table *t = go_table_new(elf);
	tap_ok(!t, "a program that is not Go has no table");
	go_table_free(t);
	elf_free(elf);
}

int main(void)
{
	test_layouts();
	test_circle();
	test_frame_sizes();
	test_damage();
	test_no_table();
	return tap_done();
}
