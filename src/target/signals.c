#include "target/signals_int.h"

/* The second of the numbers in a line: real, effective, saved. */
static struct str effective_of(struct str line)
{
	next_word(&line);
	return next_word(&line);
}

static uint64_t number_of(struct str text)
{
	uint64_t value = 0;
	return str_to_u64(text, &value) ? value : 0;
}

static uint64_t mask_of(struct str text)
{
	char digits[32];
	snprintf(digits, sizeof(digits), "%.*s", STR_ARG(text));
	return strtoull(digits, NULL, 16);
}

bool signal_status_read(int32_t pid, struct signal_status *s)
{
	enum { MOST_BYTES = 64 << 10 };
	AUTO(buf) struct buf text = { 0 };
	if (pid <= 0 || !process_file_read("", pid, "status", MOST_BYTES, &text))
		return false;
	struct str status = buf_str(&text);
	struct str state = status_field(status, STR("State"));
	*s = (struct signal_status){
		.uid = (uint32_t)number_of(effective_of(status_field(status, STR("Uid")))),
		.gid = (uint32_t)number_of(effective_of(status_field(status, STR("Gid")))),
		.threads = (uint32_t)number_of(status_field(status, STR("Threads"))),
		.state = state.n ? state.p[0] : 'X',
		.caught_signals = mask_of(status_field(status, STR("SigCgt"))),
	};
	return state.n > 0;
}
