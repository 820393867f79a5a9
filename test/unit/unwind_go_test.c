/* Stacks of Go programs: rules from the frame sizes in their own table. */
#include "go_program.h"
#include "tap.h"
#include "unwind/unwind_int.h"

/* `sub $32,%rsp; mov %rbp,24(%rsp); lea 24(%rsp),%rbp` and `push %rbp; mov %rsp,%rbp; sub $24,%rsp`, at 0x1000. */
static const char prologue_of_old[] = "\x48\x83\xec\x20\x48\x89\x6c\x24\x18\x48\x8d\x6c\x24\x18";
static const char prologue_of_new[] = "\x90\x90\x90\x55\x48\x89\xe5";

enum { STACK = 0x7000000, RBP = 6, RSP = 7, RBX = 3 };

static struct unwind_table *table_of(const struct go_options *options)
{
	AUTO(buf) struct buf file = { 0 };
	struct err e = { 0 };
	go_program(&file, options);
	struct elf *elf = elf_of_memory(buf_str(&file), "program", &e);
	struct unwind_table *t = elf ? unwind_table_new(elf, &e) : NULL;
	elf_free(elf);
	return t;
}

static struct rule_head head_of(const uint32_t *rule)
{
	struct rule_head head = { 0 };
	if (rule)
		memcpy(&head, rule, sizeof(head));
	return head;
}

/* How the caller's register is found; SAVED_SAME where the rule says nothing. */
static struct saved_word saved_of(const uint32_t *rule, unsigned reg)
{
	struct saved_word word = { reg, SAVED_SAME, 0 };
	for (unsigned i = 0; rule && i < head_of(rule).saved; i++) {
		struct saved_word w;
		memcpy(&w, &rule[2 + i], sizeof(w));
		if (w.reg == reg)
			word = w;
	}
	return word;
}

static void expect_cfa(const struct unwind_table *t, uint64_t address, uint32_t want,
		       const char *text)
{
	const uint32_t *rule = t ? table_find(t, address) : NULL;
	tap_ok(rule && head_of(rule).cfa_register == RSP && rule[1] == want,
	       "%s: the caller's stack pointer is %u bytes above", text, want);
}

static void expect_rbp(const struct unwind_table *t, uint64_t address, enum saved_kind want,
		       const char *text)
{
	struct saved_word word = saved_of(t ? table_find(t, address) : NULL, RBP);
	tap_ok(word.kind == (unsigned)want && (want != SAVED_AT_OFFSET || word.value == -16), "%s",
	       text);
}

static void test_layouts(void)
{
	for (int layout = 0; layout < GO_LAYOUTS; layout++) {
		struct unwind_table *t = table_of(&(struct go_options){
			.layout = (enum go_layout)layout, .has_section = layout % 2 });
		expect_cfa(t, GO_MAIN, 8, "before the frame is made");
		expect_cfa(t, GO_MAIN + 4, 40, "in a frame of 32 bytes");
		expect_cfa(t, GO_MAIN + 0xf0, 8, "when it is gone");
		expect_cfa(t, GO_LEAF + 0x31, 8, "without a frame");
		tap_ok(t && !table_find(t, GO_END), "behind the last function nothing is known");
		tap_ok(t && head_of(table_find(t, GO_EXIT + 1)).flags & RULE_IS_ROOT,
		       "goexit is where a goroutine begins");
		unwind_table_free(t);
	}
}

static void test_frame_pointer(void)
{
	struct go_options o = { .layout = GO_LAYOUT_1_20, .has_section = true };
	o.code = (struct str){ prologue_of_old, sizeof(prologue_of_old) - 1 };
	struct unwind_table *t = table_of(&o);
	expect_rbp(t, GO_MAIN, SAVED_SAME, "before the frame, the frame pointer is the caller's");
	expect_rbp(t, GO_MAIN + 4, SAVED_SAME,
		   "and where there is room for it, but it is not there yet");
	expect_rbp(t, GO_MAIN + 9, SAVED_AT_OFFSET, "then it is below the return address");
	expect_rbp(t, GO_MAIN + 0xef, SAVED_AT_OFFSET, "up to the end of the frame");
	expect_rbp(t, GO_MAIN + 0xf0, SAVED_SAME, "behind which it is the caller's again");
	tap_ok(t && saved_of(table_find(t, GO_MAIN + 9), RBX).kind == SAVED_UNDEFINED,
	       "other registers are not kept by Go");
	unwind_table_free(t);
	o.code = STR("\x90\x90\x90\x90");
	t = table_of(&o);
	expect_rbp(t, GO_MAIN + 9, SAVED_UNDEFINED,
		   "where the code does not save it, as assembly may, nobody knows it");
	unwind_table_free(t);
}

static void test_prologues(void)
{
	struct str old = { prologue_of_old, sizeof(prologue_of_old) - 1 };
	struct str new = { prologue_of_new, sizeof(prologue_of_new) - 1 };
	struct str far = STR("\x48\x89\xac\x24\xf8\x01\x00\x00");
	tap_num_eq(go_saves_frame_pointer_x86_64(old, 4, 32), 9, "Go 1.7 to 1.20");
	tap_ok(go_saves_frame_pointer_x86_64(old, 4, 40) == UINT64_MAX,
	       "... but not where something else is saved");
	tap_num_eq(go_saves_frame_pointer_x86_64(far, 0, 512), 8, "... in a large frame");
	tap_num_eq(go_saves_frame_pointer_x86_64(STR("\x48\x89\x2c\x24"), 0, 8), 4,
		   "... in the smallest");
	tap_num_eq(go_saves_frame_pointer_x86_64(new, 4, 8), 4, "from Go 1.21 on");
	tap_ok(go_saves_frame_pointer_x86_64(STR("\x48\x89\x6c\x24"), 0, 32) == UINT64_MAX &&
		       go_saves_frame_pointer_x86_64(STR(""), 100, 32) == UINT64_MAX,
	       "code that ends too early");
}

static void find(void *context, uint64_t address, struct unwind_place *place)
{
	*place = (struct unwind_place){ .table = context,
					.start = GO_CODE,
					.end = GO_END,
					.is_code = address >= GO_CODE && address < GO_END };
}

static void test_walk(void)
{
	/* In main.leaf, called by main.main, called by goexit's first instruction, as the runtime makes it look. */
	uint64_t stack[8] = { GO_MAIN + 0x50, [1] = 1, [4] = STACK + 64, [5] = GO_EXIT + 1 };
	uint64_t addresses[8], is_return[1];
	enum unwind_end end;
	struct unwind_table *t =
		table_of(&(struct go_options){ .layout = GO_LAYOUT_1_20, .has_section = true });
	struct unwinder u = { EM_X86_64, find, t };
	struct unwind_registers registers = { .is_known = 1 << RBP | 1 << RSP | 1 << 16 };
	struct unwind_memory memory = { STACK, { (const char *)stack, sizeof(stack) } };
	registers.value[RBP] = 0xdead;
	registers.value[RSP] = STACK;
	registers.value[16] = GO_LEAF + 0x31;
	uint32_t n = unwind_stack(&u, &registers, &memory, addresses, is_return, 8, &end);
	tap_ok(n == 3 && addresses[0] == GO_LEAF + 0x31 && addresses[1] == GO_MAIN + 0x50 &&
		       addresses[2] == GO_EXIT + 1,
	       "a stack without a frame pointer, from a leaf to the start of its goroutine");
	tap_num_eq(end, UNWIND_ROOTED, "which is known to be its start");
	unwind_table_free(t);
}

int main(void)
{
	test_layouts();
	test_frame_pointer();
	test_prologues();
	test_walk();
	return tap_done();
}
