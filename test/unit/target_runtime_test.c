/* What processes are, how they were started, and how their functions begin. */
#include "process/runtime_int.h"
#include "target/frame_pointers_int.h"
#include "target/target.h"
#include "tap.h"

#include <sys/wait.h>
#include <unistd.h>

/* --- flags --- */

static void check_flags(enum runtime_kind kind, struct str cmdline, struct str variables,
			const char *want)
{
	struct runtime r = { .kind = kind };
	AUTO(buf) struct buf got = { 0 };
	runtime_take_flags(cmdline, variables, &r);
	buf_addf(&got, "%s%s%s%s%s%s", r.has_map_flag ? "map " : "",
		 r.has_jitdump_flag ? "jitdump " : "",
		 r.has_interpreted_frames ? "interpreted " : "",
		 r.has_no_inlining ? "no-inlining " : "", r.keeps_frame_pointers ? "keeps " : "",
		 r.has_no_attach ? "no-attach " : "");
	tap_str_eq(buf_str(&got), str_from(want), "flags of %.*s", STR_ARG(cmdline));
}

static void check_node_flags(void)
{
	check_flags(RUNTIME_NODE, STR("node\0--perf-basic-prof\0app.js\0"), STR(""), "map ");
	check_flags(RUNTIME_NODE, STR("node\0--perf_basic_prof_only_functions\0app.js\0"), STR(""),
		    "map ");
	check_flags(RUNTIME_NODE, STR("node\0app.js\0--perf-basic-prof\0"), STR(""), "");
	check_flags(RUNTIME_NODE, STR("node\0-r\0x.js\0--perf-prof\0app.js\0"), STR(""),
		    "jitdump ");
	check_flags(RUNTIME_NODE,
		    STR("node\0--interpreted-frames-native-stack\0--no-turbo-inlining\0app.js\0"),
		    STR(""), "interpreted no-inlining ");
	check_flags(RUNTIME_NODE, STR("node\0--noturbo_inlining\0app.js\0"), STR(""),
		    "no-inlining ");
	check_flags(RUNTIME_NODE, STR("node\0--turbo-inlining\0app.js\0"), STR(""), "");
	check_flags(RUNTIME_NODE, STR("node\0--no-perf-basic-prof\0app.js\0"),
		    STR("A=1\0NODE_OPTIONS=--perf-basic-prof  --perf-prof\0B=2\0"), "jitdump ");
	check_flags(RUNTIME_NODE, STR("node\0--\0--perf-basic-prof\0"), STR(""), "");
	check_flags(RUNTIME_NODE, STR("node\0app.js\0"), STR("XNODE_OPTIONS=--perf-prof\0"), "");
	check_flags(RUNTIME_NODE, STR("no end"), STR("NODE_OPTIONS=--perf-prof"), "jitdump ");
}

static void check_jvm_flags(void)
{
	check_flags(RUNTIME_JVM, STR("java\0-XX:+PreserveFramePointer\0-jar\0a.jar\0"), STR(""),
		    "keeps ");
	check_flags(RUNTIME_JVM, STR("java\0-cp\0x\0-XX:+PreserveFramePointer\0Main\0"), STR(""),
		    "keeps ");
	check_flags(RUNTIME_JVM, STR("java\0Main\0-XX:+PreserveFramePointer\0"), STR(""), "");
	check_flags(RUNTIME_JVM, STR("java\0-XX:-PreserveFramePointer\0Main\0"),
		    STR("JAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer\0"), "");
	check_flags(RUNTIME_JVM, STR("java\0-XX:-PreserveFramePointer\0Main\0"),
		    STR("_JAVA_OPTIONS=-XX:+PreserveFramePointer\0"), "keeps ");
	check_flags(RUNTIME_JVM, STR("java\0-XX:+DisableAttachMechanism\0Main\0"), STR(""),
		    "no-attach ");
	/* With -Xrs the socket is there from the start. */
	check_flags(RUNTIME_JVM, STR("java\0-Xrs\0-XX:\0-XX:+\0Main\0"), STR(""), "");
}

static void check_python_flags(void)
{
	check_flags(RUNTIME_PYTHON, STR("python3\0-X\0perf\0a.py\0"), STR(""), "map ");
	check_flags(RUNTIME_PYTHON, STR("python3\0-X\0dev\0-Xperf\0a.py\0"), STR(""), "map ");
	check_flags(RUNTIME_PYTHON, STR("python3\0a.py\0-Xperf\0"), STR(""), "");
	check_flags(RUNTIME_PYTHON, STR("python3\0a.py\0"), STR("PYTHONPERFSUPPORT=1\0"), "map ");
	check_flags(RUNTIME_PYTHON, STR("python3\0a.py\0"), STR("PYTHONPERFSUPPORT=0\0"), "");
}

/* --- functions --- */

static void check_prologues(void)
{
	static const struct {
		struct str code;
		enum prologue want;
		const char *what;
	} cases[] = {
		{ { "\x55\x48\x89\xe5\xc3", 5 }, PROLOGUE_KEEPS_FRAME_POINTER, "push, mov" },
		{ { "\xf3\x0f\x1e\xfa\x55\x48\x8b\xec", 8 },
		  PROLOGUE_KEEPS_FRAME_POINTER,
		  "endbr64, push, the other mov" },
		{ { "\x55\x48\x89\xf8\x48\x89\xe5", 7 },
		  PROLOGUE_KEEPS_FRAME_POINTER,
		  "something between push and mov" },
		{ { "\x55\x53\x48\x83\xec\x08", 6 },
		  PROLOGUE_OMITS_FRAME_POINTER,
		  "rbp is one of those that are kept" },
		{ { "\x41\x57\x41\x56", 4 }, PROLOGUE_OMITS_FRAME_POINTER, "push r15" },
		{ { "\x41\x50\x41\x56", 4 }, PROLOGUE_NONE, "push r8: an argument" },
		{ { "\xf3\x0f\x1e\xfa\x48\x83\xec\x08", 8 },
		  PROLOGUE_OMITS_FRAME_POINTER,
		  "sub rsp" },
		{ { "\x8d\x04\x37\xc3", 4 }, PROLOGUE_NONE, "a leaf" },
		{ { "\x49\x3b\x66\x10\x76\x20\x55\x48\x89\xe5", 10 },
		  PROLOGUE_KEEPS_FRAME_POINTER,
		  "Go 1.21" },
		{ { "\x49\x3b\x66\x10\x76\x20\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24"
		    "\x10",
		    20 },
		  PROLOGUE_KEEPS_FRAME_POINTER,
		  "Go 1.19" },
		{ { "\x4c\x8d\x64\x24\xe0\x4d\x3b\x66\x10\x0f\x86\x01\x02\x03\x04\x55\x48\x89\xe5",
		    19 },
		  PROLOGUE_KEEPS_FRAME_POINTER,
		  "Go with a large frame" },
		{ { "\x49\x3b\x66\x10", 4 }, PROLOGUE_NONE, "cut behind a comparison" },
		{ { "\xf3\x0f\x1e\xfa", 4 }, PROLOGUE_NONE, "endbr64 alone" },
		{ { "\x41", 1 }, PROLOGUE_NONE, "half an instruction" },
		{ { "", 0 }, PROLOGUE_NONE, "nothing" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		tap_num_eq(prologue_x86_64(cases[i].code), cases[i].want, "prologue: %s",
			   cases[i].what);
}

static void check_file(const char *path, enum frame_pointer_use want)
{
	struct err e = { 0 };
	struct elf *elf = elf_open(path, &e);
	if (elf)
		tap_num_eq(frame_pointers_of(elf), want, "frame pointers of %s", path);
	else
		tap_ok(true, "frame pointers of %s # skip not there", path);
	elf_free(elf);
}

static char folder[] = "/tmp/plume-test-XXXXXX";

/* Functions that call, so that they need frames. */
static const char program[] =
	"int f(int); int main(void) { return f(1) + f(2); }\n"
	"int g(int a) { return f(a) * f(a + 1); }\n"
	"int h(int a) { return f(g(a)) + 1; }\n"
	"__attribute__((noinline)) int f(int a) { return a < 2 ? a : h(a - 1) + g(a - 2); }\n";

static void check_compiled(const char *options, enum frame_pointer_use want)
{
	char path[64], command[256];
	snprintf(path, sizeof(path), "%s/program", folder);
	snprintf(command, sizeof(command), "gcc -x c %s -o %s %s.c >/dev/null 2>&1", options, path,
		 path);
	if (system(command) == 0)
		check_file(path, want);
	else
		tap_ok(true, "gcc %s # skip it is not there", options);
}

static void check_compiled_files(void)
{
	char path[64];
	if (!mkdtemp(folder))
		exit(1);
	snprintf(path, sizeof(path), "%s/program.c", folder);
	FILE *f = fopen(path, "w");
	if (f) {
		fputs(program, f);
		fclose(f);
	}
#ifdef __x86_64__
	check_compiled("-O1 -fno-omit-frame-pointer", FRAME_POINTERS_KEPT);
	check_compiled("-O1 -fomit-frame-pointer", FRAME_POINTERS_OMITTED);
	check_compiled("-O2 -fno-omit-frame-pointer -s", FRAME_POINTERS_KEPT);
	check_compiled("-O1 -fomit-frame-pointer -s", FRAME_POINTERS_OMITTED);
	check_file("/usr/lib/x86_64-linux-gnu/libc.so.6", FRAME_POINTERS_OMITTED);
#endif
	snprintf(path, sizeof(path), "rm -r %s", folder);
	tap_ok(system(path) == 0, "the files are removed");
}

/* An .eh_frame_hdr that says nonsense is read inside of its bounds. */
static void check_damaged(void)
{
	struct err e = { 0 };
	tap_num_eq(frame_pointers_of(NULL), FRAME_POINTERS_UNKNOWN, "no file");
	struct elf *elf = elf_open("/proc/self/exe", &e);
	if (!elf)
		return;
	elf->machine = EM_AARCH64;
	tap_num_eq(frame_pointers_of(elf), FRAME_POINTERS_UNKNOWN, "another machine");
	elf_free(elf);
	elf = elf_open("/proc/self/exe", &e);
	for (uint32_t i = 0; i < elf->sections.n; i++) {
		elf->sections.p[i].address = UINT64_MAX - 8 * i;
		if (elf->sections.p[i].type == SHT_SYMTAB)
			elf->sections.p[i].name = STR("gone");
	}
	tap_num_eq(frame_pointers_of(elf), FRAME_POINTERS_UNKNOWN, "addresses outside of the file");
	elf_free(elf);
}

/* --- processes --- */

static void check_process(int32_t pid, enum runtime_kind kind, const char *what)
{
	struct runtime r;
	struct living_process p;
	living_process_init(&p, pid);
	runtime_of_process(&p.process, &r);
	tap_num_eq(r.kind, kind, "%s: its kind", what);
	tap_ok(kind != RUNTIME_NATIVE || !r.version.n, "%s: its version", what);
	runtime_fini(&r);
}

/* A program that is called node and has no Node.js in it has it in a library. */
static void check_program(struct str name, enum runtime_kind kind, bool is_in_library)
{
	struct err e = { 0 };
	struct runtime r = { 0 };
	struct elf *elf = elf_open("/proc/self/exe", &e);
	runtime_of_program(elf, name, &r);
	tap_num_eq(r.kind, kind, "a program called %.*s: its kind", STR_ARG(name));
	tap_num_eq(r.is_in_library, is_in_library, "... and whether it is a library");
	elf_free(elf);
	runtime_fini(&r);
}

int main(void)
{
	check_node_flags();
	check_jvm_flags();
	check_python_flags();
	check_prologues();
	check_compiled_files();
	check_damaged();
	check_process(getpid(), RUNTIME_NATIVE, "this one");
	check_process(0x7ffffff0, RUNTIME_NATIVE, "a process that is not there");
	check_process(-1, RUNTIME_NATIVE, "no pid");
	check_program(STR("node"), RUNTIME_NODE, true);
	check_program(STR("other"), RUNTIME_NATIVE, false);
	return tap_done();
}
