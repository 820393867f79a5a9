/* Finds labels by name, as the page's search does. */
#include "api/api_int.h"

/* \Q...\E would end at an \E in the text, so each character is escaped. */
static void add_plain(struct buf *out, const char *text)
{
	for (; *text; text++) {
		bool is_plain = (unsigned char)*text >= 0x80 || *text == '_' || is_space(*text) ||
				is_digit(*text) || ((*text | 32) >= 'a' && (*text | 32) <= 'z');
		if (!is_plain)
			buf_add_char(out, '\\');
		buf_add_char(out, *text);
	}
}

bool labels_match(const struct tree *t, const struct api_request *r, const char *pattern,
		  bool *is_match, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add(&text, request_has(r, "case") ? STR("") : STR("(?i)"));
	if (request_has(r, "plain"))
		add_plain(&text, pattern);
	else
		buf_add(&text, str_from(pattern));
	struct regex *re = regex_new(buf_str(&text), e);
	if (!re)
		return false;
	regex_set_budget(re, r->side.view.query.budget);
	for (uint32_t i = 0; i < t->labels.n; i++) {
		const struct tree_label *l = &t->labels.p[i];
		is_match[i] = regex_match(re, tree_label_bare(l)) == REGEX_YES ||
			      regex_match(re, l->shown) == REGEX_YES;
	}
	regex_free(re);
	return true;
}
