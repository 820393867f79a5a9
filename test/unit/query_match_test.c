/* Functions of edited code are found again: each case says what AFTER calls those of BEFORE. */
#include "query/query.h"
#include "folded_tree.h"
#include "tap.h"

static struct tree *tree_of(struct str folded)
{
	struct query q = { .names = NAMES_SHOWN, .by_kind = true };
	struct query_ledger ledger;
	struct err e = { 0 };
	struct profile *p = profile_of_folded(folded, false, false, 0);
	struct tree *t = query_tree(p, &q, &ledger, &e);
	profile_unref(p);
	return t;
}

/* `NAME BEFORE AFTER` of each node of the pair below the root. */
static void check(const char *before, const char *after, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	struct tree *b = tree_of(str_from(before)), *a = tree_of(str_from(after));
	struct tree *named = tree_named_like(b, a);
	struct tree *pair = tree_pair(named ? named : b, a);
	for (uint32_t i = 1; i < pair->n; i++) {
		buf_addf(&got, "%*s", (int)pair->depth[i] - 1, "");
		label_add_brief(&got, tree_label_of(pair, i));
		buf_addf(&got, " %llu %llu\n", (unsigned long long)pair->total[BEFORE][i],
			 (unsigned long long)pair->total[AFTER][i]);
	}
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	tree_free(pair);
	tree_free(named);
	tree_free(a);
	tree_free(b);
}

static void check_moved_lines(void)
{
	check("n;JS:*main /s/a.js:1:1;JS:*f /s/a.js:10:5 3\nn;JS:*main /s/a.js:1:1;JS:*g "
	      "/s/a.js:20:5 4\n",
	      "n;JS:*main /s/a.js:3:1;JS:^f /s/a.js:12:5 5\nn;JS:*main /s/a.js:3:1;JS:*g "
	      "/s/a.js:22:5 6\n",
	      "n 7 11\n main a.js:3 7 11\n  f a.js:12 3 5\n  g a.js:22 4 6\n",
	      "two lines added on top");
	check("n;JS:*f /s/a.js:10:5 3\nn;JS:*g /s/a.js:20:5 4\n",
	      "n;JS:*g /s/a.js:10:5 5\nn;JS:*f /s/a.js:20:5 6\n",
	      "n 7 11\n f a.js:20 3 6\n g a.js:10 4 5\n", "two functions changed places");
	check("n;JS:*f /s/a.js:10:5 3\n", "n;JS:*g /s/a.js:10:5 5\n",
	      "n 3 5\n f a.js:10 3 0\n g a.js:10 0 5\n", "another function at the same place");
}

static void check_namesakes(void)
{
	check("n;JS:*get /s/a.js:2:5 3\nn;JS:*get /s/a.js:9:5 4\n",
	      "n;JS:*get /s/a.js:4:5 5\nn;JS:*get /s/a.js:11:5 6\n",
	      "n 7 11\n get a.js:11 4 6\n get a.js:4 3 5\n", "methods of one name, by their order");
	check("n;JS:* /s/a.js:5:5 1\nn;JS:*f /s/a.js:6:5 2\nn;JS:* /s/a.js:7:5 3\nn;JS:*g "
	      "/s/a.js:8:5 4\n",
	      "n;JS:* /s/a.js:9:5 5\nn;JS:*f /s/a.js:16:5 6\nn;JS:*g /s/a.js:18:5 7\n",
	      "n 10 18\n (anonymous) a.js:7 3 0\n (anonymous) a.js:9 1 5\n f a.js:16 2 6\n g "
	      "a.js:18 4 7\n",
	      "of two functions without a name, the one that is left");
	check("n;JS:* /s/a.js:5:5 1\nn;JS:* /s/a.js:9:5 2\n",
	      "n;JS:* /s/a.js:5:5 3\nn;JS:* /s/a.js:7:5 4\nn;JS:* /s/a.js:9:5 5\n",
	      "n 3 12\n (anonymous) a.js:5 1 3\n (anonymous) a.js:7 0 4\n (anonymous) a.js:9 2 5\n",
	      "a function without a name was added in between");
	check("n;JS:* /s/a.js:1:1;JS:* /s/a.js:4:4 1\n", "n;JS:* /s/a.js:1:1;JS:* /s/a.js:9:9 2\n",
	      "n 1 2\n (anonymous) a.js:1 1 2\n  (anonymous) a.js:9 1 2\n", "the top of a script");
}

static void check_files(void)
{
	check("n;JS:*f /s/node_modules/lib@4.2.12/a.js:1:5 1\n",
	      "n;JS:*f /s/node_modules/lib@4.3.0-beta.1/a.js:2:5 2\n",
	      "n 1 2\n f lib@4.3.0-beta.1/a.js:2 1 2\n", "another version of a package");
	check("n;JS:*f /one/x/a.js:1:5 1\nn;JS:*g /one/b.js:1:5 1\n",
	      "n;JS:*f /two/y/x/a.js:2:5 2\nn;JS:*g /two/y/b.js:2:5 2\n",
	      "n 2 4\n f x/a.js:2 1 2\n g b.js:2 1 2\n", "another folder");
	check("n;JS:*f /s/old.js:1:5 1\nn;JS:*g /s/old.js:3:5 2\nn;JS:*h /s/b.js:3:5 3\n",
	      "n;JS:*f /s/new.js:1:5 4\nn;JS:*g /s/new.js:3:5 5\nn;JS:*h /s/b.js:3:5 6\n",
	      "n 6 15\n f new.js:1 1 4\n g new.js:3 2 5\n h b.js:3 3 6\n",
	      "a file that was renamed");
	check("n;JS:*f /s/a.js:1:5 1\nn;JS:*f /s/b.js:1:5 2\n",
	      "n;JS:*f /s/a.js:1:5 3\nn;JS:*f /s/b.js:1:5 4\n",
	      "n 3 7\n f a.js:1 1 3\n f b.js:1 2 4\n", "functions of one name in two files");
	check("n;malloc 1\nn;JS:*f /s/a.js:1:5 1\n", "n;malloc 2\nn;JS:*f /s/a.js:1:5 2\n",
	      "n 2 4\n f a.js:1 1 2\n malloc 1 2\n", "what did not change stays as it is");
}

int main(void)
{
	check_moved_lines();
	check_namesakes();
	check_files();
	return tap_done();
}
