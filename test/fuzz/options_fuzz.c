/* Words of a command line, separated by newlines. */
#include "fuzz.h"
#include "cmd/read_profiles.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(text_list) struct text_list words = { 0 };
	AUTO(text_list) struct text_list files = { 0 };
	struct profile_request r = { 0 };
	struct query_ledger ledger;
	struct err e = { 0 };
	struct str rest = { (const char *)data, size };
	while (rest.n) {
		ptrdiff_t newline = str_find_char(rest, '\n');
		struct str word = str_first(rest, newline < 0 ? rest.n : (size_t)newline);
		if (!memchr(word.p, '\0', word.n))
			text_list_add(&words, word);
		rest = str_from_byte(rest, word.n + 1);
	}
	const struct option_binding bindings[] = { { &filter_option_set, &r.view },
						   { &time_option_set, &r.view },
						   { &transform_option_set, &r.view },
						   { &input_option_set, &r } };
	struct profile *p = profile_new(COLUMN_TIME);
	if (options_parse(words.p, words.n, bindings, ARRAY_SIZE(bindings), &files, &e)) {
		profile_seal(p);
		tree_free(query_tree(p, &r.view.query, &ledger, &e));
	}
	profile_unref(p);
	profile_request_fini(&r);
	return 0;
}
