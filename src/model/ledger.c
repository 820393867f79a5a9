#include "model/model.h"

static const struct {
	const char *name; /* a key in files */
	bool is_damage;
	const char *text; /* where a person reads better words than the key */
} lines[LEDGER_LINES] = {
	[LEDGER_SAMPLES] = { "samples", false },
	[LEDGER_NO_STACK] = { "samples without a stack", false },
	[LEDGER_NO_TIME] = { "samples without a time", false },
	[LEDGER_FRAMES] = { "frames", false },
	[LEDGER_UNKNOWN_FRAMES] = { "frames without a name", false },
	[LEDGER_LOST] = { "samples lost while recording", false },
	[LEDGER_THROTTLED] = { "times sampling was throttled", false },
	[LEDGER_TRUNCATED] = { "samples whose stack was cut while recording", false },
	[LEDGER_UNROOTED] = { "samples whose stack does not reach its thread's start", false,
			      "samples with an incomplete stack" },
	[LEDGER_NO_INLINES] = { "addresses whose inlined functions took too long to find", false,
				"addresses whose inlined functions were not looked up" },
	[LEDGER_OTHER_EVENTS] = { "samples of other events, left out", false },
	[LEDGER_OTHER_RECORDS] = { "records that are no samples", false,
				   "records other than samples" },
	[LEDGER_BAD_LINES] = { "lines not understood", true },
	[LEDGER_BAD_RECORDS] = { "records not understood", true },
	[LEDGER_NEGATIVE] = { "negative weights, taken as 0", true,
			      "negative weights, counted as 0" },
	[LEDGER_UNCLOSED] = { "calls without an end, ended with the input", false,
			      "calls still open at the end of the input" },
	[LEDGER_LONG_LINES] = { "lines too long, skipped", true },
	[LEDGER_CUT_STACKS] = { "stacks too deep, cut", true },
	[LEDGER_CUT_SAMPLES] = { "samples cut off by the end of the input, left out", true },
	[LEDGER_OVERFLOWS] = { "sums too large, held at their limit", true,
			       "sums too large, capped" },
	[LEDGER_ROUNDED] = { "counts with too many decimals, rounded down", true },
	[LEDGER_INPUT_DAMAGED] = { "inputs damaged or unreadable", true },
};

const char *ledger_line_name(enum ledger_line line)
{
	return lines[line].name;
}

const char *ledger_line_text(enum ledger_line line)
{
	return lines[line].text ? lines[line].text : lines[line].name;
}

bool ledger_line_is_damage(enum ledger_line line)
{
	return lines[line].is_damage;
}

bool ledger_line_is_of_recording(enum ledger_line line)
{
	return line == LEDGER_LOST || line == LEDGER_THROTTLED || line == LEDGER_TRUNCATED ||
	       line == LEDGER_UNROOTED || line == LEDGER_NO_INLINES;
}

enum ledger_line ledger_line_by_name(struct str name)
{
	enum ledger_line line = 0;
	while (line < LEDGER_LINES && !str_eq(name, str_from(lines[line].name)))
		line++;
	return line;
}

bool ledger_is_damaged(const struct ledger *l)
{
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (l->count[line] && ledger_line_is_damage(line))
			return true;
	return false;
}
