/* Names as people read them, and functions that are one whatever they were compiled to. */
#include "folded_tree.h"
#include "sink/sink.h"
#include "tap.h"

static void check_parts(const char *name, const char *file, const char *want)
{
	struct name_parts parts;
	AUTO(buf) struct buf got = { 0 };
	if (name_parts_of(str_from(name), str_from(file), &parts))
		buf_addf(&got, "%.*s|%.*s|%u|%u", STR_ARG(parts.function), STR_ARG(parts.file),
			 parts.line, parts.column);
	tap_str_eq(buf_str(&got), str_from(want), "parts of '%s'", name);
}

static void check_all_parts(void)
{
	check_parts("JS:*parse /srv/a.js:12:3", "", "parse|/srv/a.js|12|3");
	check_parts("LazyCompile:~get size /srv/a.js:12:3", "/srv/a.js", "get size|/srv/a.js|12|3");
	check_parts("JS:^f /srv/my app/a b.js:1:2", "/srv/my app/a b.js",
		    "f|/srv/my app/a b.js|1|2");
	check_parts("JS: /srv/a.js:4:5", "/srv/a.js", "|/srv/a.js|4|5");
	check_parts("JS:~f [worker eval]:1:2", "", "f|[worker eval]|1|2");
	check_parts("emit node:events:465:44", "", "emit|node:events|465|44");
	check_parts("main file.c:12", "", "main|file.c|12|0");
	check_parts("JS:*run", "", "run||0|0");
	check_parts("py::JSONEncoder.encode:/usr/lib/python3.12/json/encoder.py", "",
		    "JSONEncoder.encode|/usr/lib/python3.12/json/encoder.py|0|0");
	check_parts("py::f.<locals>.<lambda>:/srv/my app/a b.py", "",
		    "f.<locals>.<lambda>|/srv/my app/a b.py|0|0");
	check_parts("py::_find_and_load:<frozen importlib._bootstrap>", "",
		    "_find_and_load|<frozen importlib._bootstrap>|0|0");
	check_parts("py::list::append", "", "");
	check_parts("py::f:", "", "");
	check_parts("py::", "", "");
	check_parts("std::vector<int, 3>::at", "", "");
	check_parts("operator new", "", "");
	check_parts("JS::Call", "", "");
	check_parts("f /a.js:99999999999:1", "", "f|/a.js:99999999999|1|0");
	check_parts(":1", "", "");
	check_parts(" :1", "", "");
	check_parts("", "", "");
	check_parts("JS:", "", "");
}

static void check_short(const char *file, const char *folder, const char *want)
{
	tap_str_eq(short_path(str_from(file), str_from(folder)), str_from(want), "%s below %s",
		   file, folder);
}

static void check_short_paths(void)
{
	check_short("/srv/app/lib/a.js", "/srv/app/", "lib/a.js");
	check_short("file:///srv/app/lib/a.js", "/srv/app/", "lib/a.js");
	check_short("/srv/app/node_modules/router/index.js", "/srv/app/", "router/index.js");
	check_short("/a/node_modules/x/node_modules/@s/y/lib/z.js", "/a/", "@s/y/lib/z.js");
	check_short("/usr/lib/python3/site-packages/flask/app.py", "", "flask/app.py");
	check_short("/usr/lib/python3.12/site-packages/flask/app.py", "", "flask/app.py");
	check_short("/usr/lib/python3.12/json/encoder.py", "/srv/", "json/encoder.py");
	check_short("/opt/lib64/python3.13t/re/__init__.py", "", "re/__init__.py");
	check_short("/usr/lib/python-apt/apt/cache.py", "", "apt/cache.py");
	check_short("node:internal/fs", "/srv/", "node:internal/fs");
	check_short("/srv/app/lib/a.js", "", "lib/a.js");
	check_short("/srv/app/lib/a.js", "/", "lib/a.js");
	check_short("/a.js", "", "a.js");
	check_short("a.js", "/srv/", "a.js");
	check_short("", "", "");
}

static struct tree *tree_of(const char *folded, const struct query *q)
{
	struct query_ledger ledger;
	struct err e = { 0 };
	struct profile *p = profile_of_folded(str_from(folded), false, false, 0);
	struct tree *t = query_tree(p, q, &ledger, &e);
	profile_unref(p);
	return t;
}

/* `NAME TOTAL` of each node below the root, in preorder. */
static void check_tree(const char *folded, struct query q, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	struct tree *t = tree_of(folded, &q);
	for (uint32_t i = 1; t && i < t->n; i++) {
		buf_addf(&got, "%*s", (int)t->depth[i] - 1, "");
		label_add_brief(&got, tree_label_of(t, i));
		buf_addf(&got, " %llu\n", (unsigned long long)t->total[0][i]);
	}
	tree_free(t);
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
}

static const char two_tiers[] = "node;JS:^app /srv/x/a.js:1:2;inner_[i] 3\n"
				"node;JS:*app /srv/x/a.js:1:2;inner 4\n"
				"node;JS:~app /srv/x/lib/a.js:1:2 5\n"
				"node;JS:app /srv/x/a.js:9:2 6\n";

static struct query shown(void)
{
	return (struct query){ .names = NAMES_SHOWN, .by_kind = true };
}

static void check_one_function(void)
{
	struct query q = shown();
	check_tree(two_tiers, q,
		   "node 18\n app a.js:1 7\n  inner 7\n app a.js:9 6\n app lib/a.js:1 5\n",
		   "a function is one, whatever ran it; another file or line is another function");
	q.split_tiers = true;
	check_tree(two_tiers, q,
		   "node 18\n app a.js:1 4\n  inner 4\n app a.js:1 3\n  inner 3\n app a.js:9 6\n"
		   " app lib/a.js:1 5\n",
		   "tiers apart");
	check_tree(two_tiers, (struct query){ .by_kind = true },
		   "node 18\n JS:*app /srv/x/a.js:1:2 4\n  inner 4\n JS:^app /srv/x/a.js:1:2 3\n"
		   "  inner 3\n JS:app /srv/x/a.js:9:2 6\n JS:~app /srv/x/lib/a.js:1:2 5\n",
		   "folded stacks as they are");
}

static void check_same_short_name(void)
{
	check_tree("n;JS:~f /a/x/node_modules/p/i.js:1:2 1\nn;JS:~f /a/node_modules/p/i.js:1:2 2\n",
		   shown(), "n 3\n f p/i.js:1 2\n f p/i.js:1 1\n",
		   "two functions are not one because they look alike");
}

static void check_same_line(void)
{
	check_tree("n;JS:*f /s/a.js:8:27;JS:~ /s/a.js:8:27 1\nn;JS:~ /s/a.js:8:50 2\n"
		   "n;JS:* /s/a.js:9:50 3\nn;JS:* /s/lib/a.js:8:3 4\n",
		   shown(),
		   "n 10\n (anonymous) a.js:8:50 2\n (anonymous) a.js:9 3\n"
		   " (anonymous) lib/a.js:8 4\n f a.js:8 1\n  (anonymous) a.js:8:27 1\n",
		   "functions of one name and line are shown with their columns");
}

static const char python[] =
	"py;py::<module>:/srv/x/t.py;py::encode:/usr/lib/python3.12/json/encoder.py 2\n"
	"py;py::<module>:/srv/x/t.py;py::App.run:/srv/v/lib/python3.12/site-packages/web/app.py 3\n"
	"py;py::<module>:/srv/x/t.py;py::walk:/srv/x/lib/tree.py 4\n"
	"py;py::_find_and_load:<frozen importlib._bootstrap>;py::list::append 5\n";

static void check_python(void)
{
	struct query q = shown();
	check_tree(python, q,
		   "py 14\n <module> t.py 9\n  App.run web/app.py 3\n  encode json/encoder.py 2\n"
		   "  walk lib/tree.py 4\n _find_and_load <frozen importlib._bootstrap> 5\n"
		   "  py::list::append 5\n",
		   "Python's functions are named as JavaScript's are");
	check_tree(python, (struct query){ .by_kind = true },
		   "py 14\n py::<module>:/srv/x/t.py 9\n"
		   "  py::App.run:/srv/v/lib/python3.12/site-packages/web/app.py 3\n"
		   "  py::encode:/usr/lib/python3.12/json/encoder.py 2\n  "
		   "py::walk:/srv/x/lib/tree.py 4\n"
		   " py::_find_and_load:<frozen importlib._bootstrap> 5\n  py::list::append 5\n",
		   "folded stacks have CPython's names");
	struct tree *t = tree_of(python, &q);
	const struct tree_label *walk =
		tree_label_of(t, node_named(t, "py::walk:/srv/x/lib/tree.py"));
	tap_str_eq(walk->shown, STR("walk /srv/x/lib/tree.py"), "the whole name of Python's");
	tree_free(t);
}

static void check_your_code(void)
{
	struct query q = shown();
	q.your_code = true;
	check_tree("n;uv_run;JS:~emit node:events:1:2;JS:*app /s/a.js:1:2;Builtins_Call;malloc 3\n"
		   "n;JS:*app /s/a.js:1:2;JS:~get /s/node_modules/p/i.js:5:2;write_[k] 4\n"
		   "n;start_thread;v8::internal::ScavengerCollector::Run;"
		   "v8::internal::MarkCompactCollector::Mark 5\n"
		   "n;start_thread;epoll_wait_[k] 6\n",
		   q, "app a.js:1 7\n get p/i.js:5 4\n[garbage collection] 5\n[libraries] 6\n",
		   "what a function calls in others' code is its time");
}

static void check_matching_in(const char *folded, const char *expression, bool is_found)
{
	struct query q = shown();
	struct query_ledger ledger;
	struct err e = { 0 };
	struct profile *p = profile_of_folded(str_from(folded), false, false, 0);
	text_list_add(&q.root, str_from(expression));
	struct tree *t = query_tree(p, &q, &ledger, &e);
	tap_ok((ledger.shown > 0) == is_found, "--root '%s' %s", expression,
	       is_found ? "is found" : "is not found");
	q.only = q.root;
	q.root = (struct text_list){ 0 };
	tree_free(t);
	t = query_tree(p, &q, &ledger, &e);
	tap_ok((ledger.shown > 0) == is_found || expression[0] == '^', "--only '%s'", expression);
	tree_free(t);
	query_fini(&q);
	profile_unref(p);
}

static void check_matching(const char *expression, bool is_found)
{
	check_matching_in(two_tiers, expression, is_found);
}

static void check_details(void)
{
	struct query q = shown();
	struct tree *t = tree_of(two_tiers, &q);
	const struct tree_label *app = tree_label_of(t, node_named(t, "JS:app /srv/x/a.js:1:2"));
	const struct tree_label *inner = tree_label_of(t, node_named(t, "inner"));
	tap_num_eq(app->tiers, tier_bit('^') | tier_bit('*'), "tiers of a function are known");
	tap_ok(!app->tier, "several tiers are no tier");
	tap_ok(inner->has_inlined && !(inner->flags & FRAME_INLINED), "inlined in places");
	tap_str_eq(app->shown, STR("app /srv/x/a.js:1:2"), "the whole name");
	tree_free(t);
}

/* Two functions without a name in one library, one in a file that says nothing of its functions. */
static struct profile *unnamed_functions(const char *build_id)
{
	struct profile *p = profile_new(0);
	struct frame f = { .module = profile_add_str(p, STR("/lib/libx.so")),
			   .kind = FRAME_UNKNOWN };
	str_id lib = f.module, other = profile_add_str(p, STR("/lib/other.so"));
	struct sample s = { .event = profile_add_event(
				    p, (struct event){ .name = profile_add_str(p, STR("e")) }) };
	for (unsigned i = 0; i < 4; i++) {
		f.module = i < 3 ? lib : other;
		f.start = i < 3 ? 0x1240 + 16 * (i / 2) : 0;
		f.flags = i % 2 ? FRAME_MARKED : 0;
		s.node = profile_add_node(p, NODE_ROOT, profile_add_frame(p, &f));
		s.count = i + 1;
		profile_add_sample(p, &s);
	}
	if (build_id)
		profile_add_module(p,
				   (struct module){ lib, profile_add_str(p, str_from(build_id)) });
	profile_seal(p);
	return p;
}

static void check_unnamed(const char *build_id, const struct query *q, const char *want,
			  const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	struct query_ledger ledger;
	struct err e = { 0 };
	struct profile *p = unnamed_functions(build_id);
	struct tree *t = query_tree(p, q, &ledger, &e);
	for (uint32_t i = 1; t && i < t->n; i++)
		buf_addf(&got, "%.*s %llu\n", STR_ARG(tree_label_of(t, i)->name),
			 (unsigned long long)t->total[0][i]);
	tree_free(t);
	profile_unref(p);
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
}

static void check_unnamed_functions(void)
{
	static const char apart[] = "[libx.so]+0x1240 3\n[libx.so]+0x1250 3\n[other.so] 4\n";
	static const char together[] = "[libx.so] 6\n[other.so] 4\n";
	struct query q = shown();
	check_unnamed("ab", &q, apart, "functions without a name are told apart");
	check_unnamed("ab", &(struct query){ .by_kind = true }, together, "not in folded stacks");
	q.strip_hex = true;
	check_unnamed("ab", &q, "[libx.so]+0x... 6\n[other.so] 4\n", "nor without numbers");
	q.strip_hex = false;
	struct profile *beside = unnamed_functions("ab");
	q.beside = beside;
	check_unnamed("ab", &q, apart, "in comparisons of one build they are");
	check_unnamed("cd", &q, together, "another build has others");
	check_unnamed(NULL, &q, together, "and so may an unknown one");
	profile_unref(beside);
	q.beside = NULL;
	text_list_add(&q.root, STR("^\\[libx\\.so\\]$"));
	check_unnamed("ab", &q, "[libx.so]+0x1240 3\n[libx.so]+0x1250 3\n",
		      "all of them are found by the folded name");
	query_fini(&q);
	q = shown();
	text_list_add(&q.root, STR("1250$"));
	check_unnamed("ab", &q, "[libx.so]+0x1250 3\n", "or one by its start");
	query_fini(&q);
}

int main(void)
{
	check_all_parts();
	check_short_paths();
	check_one_function();
	check_same_short_name();
	check_same_line();
	check_python();
	check_matching_in(python, "^walk lib/tree\\.py$", true);
	check_matching_in(python, "^walk /srv/x/lib", true);
	check_matching_in(python, "^py::walk:/srv", true);
	check_your_code();
	check_matching("^app a\\.js:1$", true);
	check_matching("^app /srv", true);
	check_matching("^JS:\\*app", true);
	check_matching("JS:\\+", false);
	check_details();
	check_unnamed_functions();
	return tap_done();
}
