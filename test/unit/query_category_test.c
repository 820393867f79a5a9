/* Whose code a frame is. */
#include "query/category.h"
#include "tap.h"

struct labelled {
	uint8_t kind;
	const char *name, *module, *category;
};

static const struct labelled cases[] = {
	{ FRAME_KERNEL, "vfs_read", "", "kernel" },
	{ FRAME_KERNEL, "v8::x", "node", "kernel" },
	{ FRAME_UNKNOWN, "[libc.so.6]", "libc.so.6", "unknown" },
	{ FRAME_GC, "x", "", "gc" },
	{ FRAME_BUILTIN, "x", "", "builtin" },
	{ FRAME_USER, "main", "myapp", "app" },
	{ FRAME_USER, "main", "", "native" },
	{ FRAME_USER, "memcpy", "libc.so.6", "native" },
	{ FRAME_USER, "memcpy", "ld-linux-x86-64", "native" },
	{ FRAME_USER, "__vdso_gettime", "[vdso]", "native" },
	{ FRAME_USER, "uv_run", "node", "runtime" },
	{ FRAME_USER, "JVM_Sleep", "libjvm.so", "runtime" },
	{ FRAME_USER, "PyEval", "python3.11", "runtime" },
	{ FRAME_USER, "v8::internal::Execution::Call", "myapp", "runtime" },
	{ FRAME_USER, "v8::internal::Scavenger::Process", "node", "gc" },
	{ FRAME_USER, "v8::internal::Heap::CollectGarbage", "node", "gc" },
	{ FRAME_USER, "node::Start", "myapp", "runtime" },
	{ FRAME_USER, "Builtins_JSEntry", "node", "builtin" },
	{ FRAME_USER, "G1ParTask::work", "libjvm.so", "gc" },
	{ FRAME_USER, "runtime.gcBgMarkWorker", "server", "gc" },
	{ FRAME_USER, "runtime.mallocgc", "server", "runtime" },
	{ FRAME_USER, "main.handle", "server", "app" },
	{ FRAME_USER, "JS:*f /srv/app/a.js:1:2", "", "app" },
	{ FRAME_JIT, "JS:*f /srv/app/a.js:1:2", "", "app" },
	{ FRAME_JIT, "JS:*f /srv/node_modules/x/a.js:1:2", "", "dependency" },
	{ FRAME_JIT, "py::collatz:/srv/app/t.py", "", "app" },
	{ FRAME_USER, "py::collatz:/srv/app/t.py", "", "app" },
	{ FRAME_JIT, "py::<module>:<string>", "", "app" },
	{ FRAME_JIT, "py::dumps:/usr/lib/python3.12/json/__init__.py", "", "runtime" },
	{ FRAME_JIT, "py::dumps:/opt/lib/python3.13t/json/__init__.py", "", "runtime" },
	{ FRAME_JIT, "py::_find_and_load:<frozen importlib._bootstrap>", "", "runtime" },
	{ FRAME_JIT, "py::Flask.run:/srv/v/lib/python3.12/site-packages/flask/app.py", "",
	  "dependency" },
	{ FRAME_JIT, "py::Cache.open:/usr/lib/python3/dist-packages/apt/cache.py", "",
	  "dependency" },
	{ FRAME_USER, "py::list::append", "myapp", "app" },
	/* A runtime is known by its whole name, with a version. */
	{ FRAME_USER, "f", "bunzip2", "app" },
	{ FRAME_USER, "f", "node_exporter", "app" },
	{ FRAME_USER, "f", "phpize", "app" },
	{ FRAME_USER, "f", "denoise", "app" },
	{ FRAME_USER, "f", "my.sock.tool", "app" },
	{ FRAME_USER, "G1_unpack_texture", "game", "app" },
	{ FRAME_USER, "G1ParScanThreadState::copy_to_survivor_space", "libjvm.so", "gc" },
	{ FRAME_USER, "f", "python3.11", "runtime" },
	{ FRAME_USER, "f", "libpython3.11.so.1.0", "runtime" },
	{ FRAME_USER, "f", "php-fpm8.2", "runtime" },
	{ FRAME_USER, "f", "libnode.so.108", "runtime" },
	{ FRAME_USER, "LazyCompile:~f /srv/node_modules/x.js", "", "dependency" },
	{ FRAME_JIT, "JS:*f node:internal/timers:1:2", "", "runtime" },
	{ FRAME_JIT, "JS:~g internal/fs.js:1", "", "runtime" },
	{ FRAME_JIT, "Builtin:Call", "", "builtin" },
	{ FRAME_JIT, "RegExp:a+", "", "regexp" },
	{ FRAME_JIT, "RegExp", "", "regexp" },
	{ FRAME_BUILTIN, "RegExp: a+", "", "regexp" },
	{ FRAME_USER, "RegExp:a+", "", "regexp" },
	{ FRAME_USER, "v8::internal::RegExpImpl::Compile", "node", "regexp" },
	{ FRAME_USER, "v8::internal::IrregexpInterpreter::Match", "node", "regexp" },
	{ FRAME_USER, "Builtins_RegExpReplace", "node", "builtin" },
	{ FRAME_JIT, "JS:RegExp /app/a.js:1:2", "", "app" },
	{ FRAME_JIT, "RegExpUtil.match", "", "app" },
	{ FRAME_JIT, "Interpreter", "", "builtin" },
	{ FRAME_JIT, "Ljava/lang/String;::hashCode", "", "runtime" },
	{ FRAME_JIT, "java.lang.String.hashCode", "", "runtime" },
	{ FRAME_JIT, "javax.crypto.Cipher.update", "", "runtime" },
	{ FRAME_JIT, "sun.nio.ch.IOUtil.read", "", "runtime" },
	{ FRAME_JIT, "com.acme.App.run", "", "app" },
	{ FRAME_JIT, "java.util.List::add", "", "runtime" },
	{ FRAME_JIT, "Lcom/acme/App;::run", "", "app" },
	/* As V8's profiles have them: the place is a part of the name. */
	{ FRAME_JIT, "handle /srv/app/a.js:1:2", "", "app" },
	{ FRAME_JIT, "(anonymous) /srv/app/node_modules/x/a.js:1:2", "", "dependency" },
	{ FRAME_JIT, "readSync node:fs:10:3", "", "runtime" },
	{ FRAME_JIT, "(anonymous) node:internal/main/run_main_module:1:1", "", "runtime" },
	{ FRAME_JIT, "Interpreter /srv/app/a.js:1:2", "", "app" },
	{ FRAME_JIT, "BuiltinLoader.load https://example.org/a.js:7", "", "app" },
	{ FRAME_JIT, "(anonymous)", "", "app" },
	{ FRAME_GC, "(garbage collector)", "", "gc" },
	{ FRAME_BUILTIN, "now", "", "builtin" },
	{ FRAME_BUILTIN, "[runtime]", "", "runtime" },
	{ FRAME_USER, "(program)", "", "native" },
	{ FRAME_WASM, "wasm-function[1] wasm://wasm/0a1b", "", "app" },
	{ FRAME_INTERPRETED, "f", "", "app" },
	{ FRAME_WASM, "wasm-function[1]", "", "app" },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree_label l = { .name = str_from(cases[i].name),
					.module = str_from(cases[i].module),
					.kind = cases[i].kind };
		const char *got = category_name(category_of_label(&l));
		tap_str_eq(str_from(got), str_from(cases[i].category), "%s of '%s', %s",
			   cases[i].name, cases[i].module, cases[i].category);
	}
	struct tree_label process = { .name = STR("node"), .is_process = true };
	tap_ok(category_of_label(&process) == CATEGORY_PROCESS, "a thread's name is a process");
	struct tree_label tier = { .name = STR("f"), .module = STR("x"), .tier = '*' };
	tap_ok(category_of_label(&tier) == CATEGORY_APP, "what has a tier is script");
	struct tree_label unnamed = { .name = STR("[jit-7.dump]"),
				      .module = STR("jit-7.dump"),
				      .kind = FRAME_UNKNOWN };
	tap_ok(label_may_be_yours(&unnamed), "compiled code whose name was not written yet stays");
	unnamed.module = STR("libc.so.6");
	tap_ok(!label_may_be_yours(&unnamed), "... that of a stripped library does not");
	for (enum category c = 0; c < CATEGORY_COUNT; c++)
		tap_ok(category_name(c)[0] && category_text(c)[0], "%s has a name and a text",
		       category_name(c));
	return tap_done();
}
