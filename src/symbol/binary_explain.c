/* Explains in words why names are missing. */
#include "symbol/binary_int.h"
#include "symbol/process_files.h"

#include <errno.h>
#include <stdarg.h>

/* --- what is kept for later --- */

struct str text_without_name(const struct err *e, const char *name)
{
	struct str text = str_from(e->text), prefix = str_from(name);
	bool is_named =
		str_starts(text, prefix) && str_starts(str_from_byte(text, prefix.n), STR(": "));
	return is_named ? str_from_byte(text, prefix.n + strlen(": ")) : text;
}

static void keep_obstacle(struct binary *b, enum binary_trouble trouble, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void keep_obstacle(struct binary *b, enum binary_trouble trouble, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	if (b->obstacle.trouble != BINARY_MISSING)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	b->obstacle.trouble = trouble;
	buf_add(&b->obstacle.text, str_from(text));
}

/* Whether it was replaced is not known: another machine or container has other files there. */
void binary_keep_difference(struct binary *b, const struct elf *elf, enum binary_agreement how)
{
	static const char other[] = "it is not the recorded file";
	if (how == AGREEMENT_NO_CODE)
		keep_obstacle(b, BINARY_DAMAGED, "the file contains no code");
	else if (how == AGREEMENT_CHANGED)
		keep_obstacle(b, BINARY_DIFFERS, "it was changed after the recording");
	else if (how == AGREEMENT_NOT_INODE)
		keep_obstacle(b, BINARY_DIFFERS, "the inode of %s differs: %s", elf->path, other);
	else if (elf->build_id.n)
		keep_obstacle(b, BINARY_DIFFERS, "the build id of %s differs: %s", elf->path,
			      other);
	else
		keep_obstacle(b, BINARY_DIFFERS,
			      "%s has no build id, but the recorded file had one: %s", elf->path,
			      other);
}

void binary_keep_failure(struct binary *b, const char *name, int why, const struct err *e)
{
	/* The place counts: below /proc/PID/root others are denied what they may read elsewhere. */
	if (why == EACCES || why == EPERM)
		keep_obstacle(b, BINARY_DENIED, "no permission to read %s", name);
	else if (why == ENOEXEC)
		keep_obstacle(b, BINARY_DAMAGED, "%.*s", STR_ARG(text_without_name(e, name)));
}

void binary_keep_useless_debug(struct binary *b, const char *path, const char *what)
{
	if (!b->useless_debug.n)
		buf_addf(&b->useless_debug, "%s %s", path, what);
}

/* --- what is said --- */

static void add_short_build_id(struct buf *text, struct str build_id)
{
	for (size_t i = 0; i < build_id.n && i < 4; i++)
		buf_addf(text, "%02x", (unsigned char)build_id.p[i]);
	buf_add(text, STR("…"));
}

static void explain_missing(const struct binary *b, struct buf *reason, struct buf *fix)
{
	const char *below = b->options->symfs;
	/* It is a part of the kernel: there is no file that could be copied. */
	if (binary_is_vdso(b)) {
		buf_add(reason, STR("it is part of the recorded machine's kernel, not a file"));
		return;
	}
	buf_addf(reason, "not found at %.*s", STR_ARG(b->id.path));
	if (below)
		buf_addf(reason, " below %s", below);
	if (b->id.build_id.n) {
		buf_add(reason, STR(", nor by its build id "));
		add_short_build_id(reason, b->id.build_id);
	} else {
		buf_add(reason, STR(", and its build id is unknown"));
	}
	buf_add(fix, below ? STR("put a copy of it into that folder")
			   : STR("give a copy of it with --symfs DIR or --container-root DIR"));
	if (b->id.build_id.n && !below && !b->options->asks_debuginfod)
		buf_add(fix, STR(", or --debuginfod"));
}

/* No distribution has debug symbols of these, but they name the code that they compile. */
static bool add_runtime_fix(struct str path, struct buf *fix)
{
	enum runtime_kind kind = runtime_of_file(path);
	if (kind != RUNTIME_BUN && kind != RUNTIME_DENO)
		return false;
	buf_addf(fix, "there are no debug symbols to install; to name JavaScript, %s",
		 runtime_rows[kind].advice);
	return true;
}

static void explain_stripped(const struct binary *b, struct buf *reason, struct buf *fix)
{
	buf_add(reason, b->table.rows.n ? STR("it is stripped: only exported functions have names")
					: STR("it is stripped"));
	if (b->useless_debug.n)
		buf_addf(reason, ", and %.*s", STR_ARG(buf_str(&b->useless_debug)));
	if (b->is_unverified)
		buf_add(reason, STR(", and may not be the recorded version"));
	if (add_runtime_fix(b->id.path, fix))
		return;
	buf_add(fix, STR("install its debug symbols"));
	if (!b->options->asks_debuginfod)
		buf_add(fix, STR(", or use --debuginfod"));
}

static void explain_unverified(const struct binary *b, struct buf *reason, struct buf *fix)
{
	buf_addf(reason,
		 "the recording has no build id to check it against: %s may be another version",
		 b->code->path);
	buf_add(fix, STR("record with --buildid-all"));
}

void binary_explain(struct binary *b, struct buf *reason, struct buf *fix)
{
	switch (binary_trouble_of(b)) {
	case BINARY_FINE:
		return;
	case BINARY_MISSING:
		explain_missing(b, reason, fix);
		break;
	case BINARY_DENIED:
		buf_add(reason, buf_str(&b->obstacle.text));
		buf_add(fix, STR("run as root, or give a copy with --symfs DIR"));
		break;
	case BINARY_DIFFERS:
		buf_add(reason, buf_str(&b->obstacle.text));
		buf_add(fix, STR("give the recorded file with --symfs DIR"));
		break;
	case BINARY_DAMAGED:
		buf_add(reason, buf_str(&b->obstacle.text));
		if (!binary_is_vdso(b))
			buf_add(fix, STR("give an intact copy with --symfs DIR"));
		break;
	case BINARY_OVER_BUDGET:
		budget_explain(binary_spent_budget(b), reason);
		buf_add(fix, str_from(budget_advice));
		break;
	case BINARY_STRIPPED:
		explain_stripped(b, reason, fix);
		break;
	case BINARY_UNVERIFIED:
		explain_unverified(b, reason, fix);
		break;
	}
	if (b->debuginfod_failure)
		buf_addf(reason, "; %s", b->debuginfod_failure);
}
