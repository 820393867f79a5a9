/* What makes a program write down the names of the code that it compiles at run time. */
#include "symbol/process_files.h"

struct jit_advice {
	const char *file; /* its name begins so */
	const char *words;
};

/* Programs that have others inside come first: Python in a JVM is a JVM. */
static const struct jit_advice advices[] = {
	{ "libjvm.so", "start java with -XX:+DumpPerfMapAtExit" },
	{ "libnode.so", "start node with --perf-basic-prof" },
	{ "node", "start node with --perf-basic-prof" },
	{ "bun", "start bun with BUN_JSC_useJITDump=1 in its environment" },
	{ "deno", "start deno with --v8-flags=--perf-basic-prof" },
	{ "libcoreclr.so", "start .NET with DOTNET_PerfMapEnabled=1 in its environment" },
	{ "wasmtime", "start wasmtime with --profile=perfmap" },
	{ "beam.smp", "start erl with +JPperf true" },
	{ "libjulia", "start julia with ENABLE_JITPROFILING=1 in its environment" },
	{ "libruby", "start ruby with --yjit-perf" },
	{ "ruby", "start ruby with --yjit-perf" },
	{ "libphp", "start php with -d opcache.jit_debug=0x10" },
	{ "php", "start php with -d opcache.jit_debug=0x10" },
	{ "libpython3", "start python3 with -X perf (3.12 and later)" },
	{ "python3", "start python3 with -X perf (3.12 and later)" },
};

/* `node`, `php8.2`, `libnode.so.108`: not `nodemon`, `phpunit`. */
static bool is_called(struct str name, const char *start)
{
	struct str rest = str_from_byte(name, strlen(start));
	return str_starts(name, str_from(start)) &&
	       (!rest.n || rest.p[0] == '.' || rest.p[0] == '-' || is_digit(rest.p[0]));
}

unsigned jit_advice_of_file(struct str path)
{
	struct str name = str_basename(path);
	unsigned i = 0;
	while (i < ARRAY_SIZE(advices) && !is_called(name, advices[i].file))
		i++;
	return i;
}

const char *jit_advice_words(unsigned advice)
{
	return advice < ARRAY_SIZE(advices) ? advices[advice].words
					    : "have its JIT compiler write a perf map";
}
