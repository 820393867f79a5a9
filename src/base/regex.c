#include "base/base.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { MATCH_LIMIT = 10 << 20, JIT_STACK_BYTES = 1 << 20 };

struct regex {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
	pcre2_jit_stack *jit_stack;
	struct regex_budget *budget;
};

struct regex *regex_new(struct str pattern, struct err *e)
{
	int error;
	PCRE2_SIZE at;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, 0, &error, &at, context);
	pcre2_compile_context_free(context);
	if (!code) {
		char why[128] = "";
		pcre2_get_error_message(error, (PCRE2_UCHAR *)why, sizeof(why));
		err_usage(e, "invalid regular expression '%.*s': %s at character %zu",
			  STR_ARG(pattern), why, at + 1);
		return NULL;
	}
	struct regex *re = mem_zalloc(1, sizeof(*re));
	re->code = code;
	re->match = pcre2_match_data_create_from_pattern(code, NULL);
	re->context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(re->context, MATCH_LIMIT);
	if (pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0) {
		re->jit_stack = pcre2_jit_stack_create(32 << 10, JIT_STACK_BYTES, NULL);
		pcre2_jit_stack_assign(re->context, NULL, re->jit_stack);
	}
	return re;
}

void regex_free(struct regex *re)
{
	if (!re)
		return;
	if (re->jit_stack)
		pcre2_jit_stack_free(re->jit_stack);
	pcre2_match_context_free(re->context);
	pcre2_match_data_free(re->match);
	pcre2_code_free(re->code);
	free(re);
}

void regex_set_budget(struct regex *re, struct regex_budget *budget)
{
	re->budget = budget;
}

static int match(struct regex *re, struct str subject)
{
	return pcre2_match(re->code, (PCRE2_SPTR)(subject.p ? subject.p : ""), subject.n, 0, 0,
			   re->match, re->context);
}

static int match_within(struct regex *re, struct str subject)
{
	uint64_t begin = clock_monotonic_ns();
	int found = match(re, subject);
	uint64_t used = clock_monotonic_ns() - begin;
	re->budget->ns -= used < re->budget->ns ? used : re->budget->ns;
	return found;
}

enum regex_result regex_match(struct regex *re, struct str subject)
{
	if (re->budget && !re->budget->ns)
		return REGEX_GAVE_UP;
	int found = re->budget ? match_within(re, subject) : match(re, subject);
	if (found == PCRE2_ERROR_NOMATCH)
		return REGEX_NO;
	return found >= 0 ? REGEX_YES : REGEX_GAVE_UP;
}
