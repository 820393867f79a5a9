#include "cmd/screen.h"

#include <unistd.h>

bool screen_is_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *value = getenv(variables[i]);
		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

bool screen_wants_colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

bool goes_to_terminal(const char *output)
{
	return (!output || strcmp(output, "-") == 0) && isatty(STDOUT_FILENO);
}

bool screen_style(struct report_style *s, const char *output, const char *width_text, struct err *e)
{
	enum { USUAL_WIDTH = 80 };
	bool to_terminal = goes_to_terminal(output);
	uint64_t width = to_terminal ? terminal_width(STDOUT_FILENO, USUAL_WIDTH) : 0;
	if (width && width < REPORT_MIN_WIDTH)
		width = REPORT_MIN_WIDTH;
	if (width_text && !option_parse_number("width", width_text, REPORT_MIN_WIDTH,
					       REPORT_MAX_WIDTH, &width, e))
		return false;
	*s = (struct report_style){ .columns = (unsigned)width,
				    .has_colours = to_terminal && screen_wants_colours(),
				    .is_unicode = width && screen_is_utf8() };
	return true;
}
