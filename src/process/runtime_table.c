/* The table of runtimes. A new one is a row here, its kind in runtime.h, and a function for its version. */
#include "process/runtime_int.h"

enum { MAX_VERSION_BYTES = 40 };

/* --- versions --- */

/* The digits and dots at the start. */
static struct str version_at(struct str text)
{
	size_t n = 0;
	while (n < text.n && n < MAX_VERSION_BYTES && (is_digit(text.p[n]) || text.p[n] == '.'))
		n++;
	while (n && text.p[n - 1] == '.')
		n--;
	return str_first(text, n);
}

/* `python3.11`, `libpython3.11.so.1.0`, `libruby-3.1.so.3.1` */
static void add_version_of_name(struct elf *elf, struct str name, struct buf *version)
{
	size_t at = 0;
	(void)elf;
	while (at < name.n && !is_digit(name.p[at]))
		at++;
	buf_add(version, version_at(str_from_byte(name, at)));
}

/* What follows `mark` in the file's constants; empty: it is not there. */
static struct str constant_after(struct elf *elf, struct str mark)
{
	struct str constants = runtime_section(elf, ".rodata");
	ptrdiff_t at = str_find(constants, mark);
	return at < 0 ? STR("") : str_from_byte(constants, (size_t)at + mark.n);
}

/* How the inspector of Node.js names itself: `node.js/v20.20.2`. */
static void add_node_version(struct elf *elf, struct str name, struct buf *version)
{
	(void)name;
	buf_add(version, version_at(constant_after(elf, STR("node.js/v"))));
}

/* `OpenJDK 64-Bit Server VM (17.0.15+6-...) for linux-amd64 JRE (17.0.15+6-...), built on ...` */
static void add_jvm_version(struct elf *elf, struct str name, struct buf *version)
{
	struct str text = str_first(constant_after(elf, STR(" JRE (")), MAX_VERSION_BYTES);
	size_t n = 0;
	(void)name;
	while (n < text.n && (is_digit(text.p[n]) || text.p[n] == '.' || text.p[n] == '_'))
		n++;
	buf_add(version, str_first(text, n));
}

/*
 * Section .go.buildinfo (src/debug/buildinfo of Go): a head of 32 bytes whose 16th says by bit 1 that texts
 * follow it, each behind its length. Older ones have pointers instead.
 */
static void add_go_version(struct elf *elf, struct str name, struct buf *version)
{
	enum { HEAD_BYTES = 32, FLAGS_AT = 15, HAS_TEXTS = 2 };
	struct str info = runtime_section(elf, ".go.buildinfo");
	struct str text = str_from_byte(info, HEAD_BYTES + 1);
	(void)name;
	if (info.n <= HEAD_BYTES || !(info.p[FLAGS_AT] & HAS_TEXTS) || !str_starts(text, STR("go")))
		return;
	text = str_first(text, (unsigned char)info.p[HEAD_BYTES] & 0x7f);
	buf_add(version, version_at(str_from_byte(text, 2)));
}

/* --- the table --- */

const struct runtime_row runtime_rows[RUNTIMES] = {
	[RUNTIME_NATIVE] = { .name = "native code",
			     .advice = "have its JIT compiler write a perf map" },
	[RUNTIME_JVM] = { .name = "Java",
			  .libraries = { "libjvm.so" },
			  .add_version = add_jvm_version,
			  .take_flag = runtime_take_jvm_flag,
			  .variables = { "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS" },
			  .last_variable = "_JAVA_OPTIONS",
			  .advice = "start java with -XX:+DumpPerfMapAtExit" },
	/* Its add-ons link against that symbol: Electron and others that have Node.js inside export it, too. */
	[RUNTIME_NODE] = { .name = "Node.js",
			   .programs = { "node", "nodejs" },
			   .libraries = { "libnode.so" },
			   .symbol = "napi_module_register",
			   .add_version = add_node_version,
			   .take_flag = runtime_take_node_flag,
			   .variables = { "NODE_OPTIONS" },
			   .advice = "start node with --perf-basic-prof" },
	[RUNTIME_BUN] = { .name = "Bun",
			  .programs = { "bun" },
			  .advice = "start bun with BUN_JSC_useJITDump=1 in its environment" },
	[RUNTIME_DENO] = { .name = "Deno",
			   .programs = { "deno" },
			   .advice = "start deno with --v8-flags=--perf-basic-prof" },
	[RUNTIME_DOTNET] = { .name = ".NET",
			     .libraries = { "libcoreclr.so" },
			     .advice =
				     "start .NET with DOTNET_PerfMapEnabled=1 in its environment" },
	[RUNTIME_WASMTIME] = { .name = "Wasmtime",
			       .programs = { "wasmtime" },
			       .advice = "start wasmtime with --profile=perfmap" },
	[RUNTIME_BEAM] = { .name = "Erlang",
			   .programs = { "beam.smp" },
			   .advice = "start erl with +JPperf true" },
	[RUNTIME_JULIA] = { .name = "Julia",
			    .libraries = { "libjulia" },
			    .add_version = add_version_of_name,
			    .advice = "start julia with ENABLE_JITPROFILING=1 in its environment" },
	[RUNTIME_RUBY] = { .name = "Ruby",
			   .programs = { "ruby" },
			   .libraries = { "libruby" },
			   .add_version = add_version_of_name,
			   .advice = "start ruby with --yjit-perf" },
	[RUNTIME_PHP] = { .name = "PHP",
			  .programs = { "php" },
			  .libraries = { "libphp" },
			  .add_version = add_version_of_name,
			  .advice = "start php with -d opcache.jit_debug=0x10" },
	[RUNTIME_PYTHON] = { .name = "Python",
			     .programs = { "python" },
			     .libraries = { "libpython" },
			     .add_version = add_version_of_name,
			     .take_flag = runtime_take_python_flag,
			     .map_variable = "PYTHONPERFSUPPORT",
			     .advice = "start python3 with -X perf (3.12 and later)" },
	[RUNTIME_GO] = { .name = "Go",
			 .section = ".go.buildinfo",
			 .add_version = add_go_version,
			 .advice = "have its JIT compiler write a perf map" },
};
