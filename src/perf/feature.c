/*
 * What a recording says about itself: sections after the data, or records in a pipe
 * (tools/perf/Documentation/perf.data-file-format.txt).
 */
#include "perf/perf_int.h"

#include <sys/utsname.h>

/* A length and that many bytes, padded with NULs. */
static struct str read_text(struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	const char *p = cursor_take(c, n);
	return p ? (struct str){ p, strnlen(p, n) } : STR("");
}

static void add_fact(struct perf_session *s, struct str key, struct str text)
{
	if (text.n)
		profile_add_fact(s->p, key, text);
}

static void read_command(struct perf_session *s, struct cursor *c)
{
	AUTO(buf) struct buf text = { 0 };
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n && cursor_left(c); i++) {
		struct str word = read_text(c);
		if (i)
			buf_add_char(&text, ' ');
		buf_add(&text, word);
	}
	add_fact(s, STR("command"), buf_str(&text));
}

static void read_number(struct perf_session *s, struct str key, uint64_t value, const char *unit)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add_grouped(&text, value);
	buf_add(&text, str_from(unit));
	if (value)
		add_fact(s, key, buf_str(&text));
}

/* Event names, with the ids of their samples. */
static void read_event_names(struct perf_session *s, struct cursor *c)
{
	uint32_t n = cursor_u32(c), attr_bytes = cursor_u32(c);
	for (uint32_t i = 0; i < n && cursor_left(c); i++) {
		cursor_take(c, attr_bytes);
		uint32_t ids = cursor_u32(c);
		struct str name = read_text(c);
		if (c->is_short)
			return;
		if (i < s->events.list.n)
			perf_event_set_name(&s->events.list.p[i], name);
		for (uint32_t k = 0; k < ids && cursor_left(c) >= 8; k++)
			if (i < s->events.list.n)
				perf_events_add_id(&s->events, cursor_u64(c), i);
	}
}

/* One entry; misc is from its record. The kernel's file is named [kernel.kallsyms]. */
void perf_build_id_read(struct perf_session *s, struct cursor c, uint16_t misc)
{
	enum { FIELD_BYTES = 24, USUAL_BYTES = 20 };
	cursor_u32(&c); /* pid */
	const unsigned char *id = (const unsigned char *)cursor_take(&c, FIELD_BYTES);
	struct str path = cursor_text(&c);
	if (!id || !path.n)
		return;
	size_t n = misc & MISC_BUILD_ID_SIZE && id[USUAL_BYTES] <= USUAL_BYTES ? id[USUAL_BYTES]
									       : USUAL_BYTES;
	struct str build_id = { (const char *)id, n };
	perf_session_add_build_id(s, path, build_id);
	if (str_starts(path, STR("[kernel.kallsyms]")) || str_starts(path, STR("[kernel]")))
		s->kernel.build_id = arena_copy(&s->text, build_id);
}

static void read_build_ids(struct perf_session *s, struct cursor *c)
{
	struct perf_records left = { c->p, cursor_left(c), c->is_swapped };
	struct perf_record r;
	while (perf_records_next(&left, &r)) {
		struct cursor row = { r.bytes + RECORD_HEADER_BYTES, r.bytes + r.size,
				      c->is_swapped, false };
		perf_build_id_read(s, row, r.misc);
	}
}

/* A moment of both the recording's clock and the wall clock, to convert its times. */
static void read_clock(struct perf_session *s, struct cursor *c)
{
	AUTO(buf) struct buf text = { 0 };
	cursor_u32(c); /* version */
	cursor_u32(c); /* clock */
	uint64_t wall_ns = cursor_u64(c);
	if (c->is_short)
		return;
	buf_add_u64(&text, wall_ns);
	add_fact(s, STR("started_unix_ns"), buf_str(&text));
}

static void read_host(struct perf_session *s, struct str host)
{
	add_fact(s, STR("host"), host);
	s->host = arena_copy(&s->text, host);
	s->options.names.is_of_this_machine = perf_session_is_of_here(s);
}

static void read_machine(struct perf_session *s, struct str arch)
{
	add_fact(s, STR("arch"), arch);
	s->machine = str_eq(arch, STR("x86_64"))    ? EM_X86_64
		     : str_eq(arch, STR("aarch64")) ? EM_AARCH64
						    : EM_NONE;
}

void perf_feature_read(struct perf_session *s, unsigned feature, struct cursor c)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		read_build_ids(s, &c);
		break;
	case FEATURE_HOSTNAME:
		read_host(s, read_text(&c));
		break;
	case FEATURE_OSRELEASE:
		s->kernel.release = arena_copy(&s->text, read_text(&c));
		add_fact(s, STR("kernel"), s->kernel.release);
		s->options.names.is_of_this_machine = perf_session_is_of_here(s);
		break;
	case FEATURE_VERSION:
		add_fact(s, STR("perf"), read_text(&c));
		break;
	case FEATURE_ARCH:
		read_machine(s, read_text(&c));
		break;
	case FEATURE_NRCPUS:
		cursor_u32(&c); /* possible cpus */
		read_number(s, STR("cpus"), cursor_u32(&c), "");
		break;
	case FEATURE_CPUDESC:
		add_fact(s, STR("cpu"), read_text(&c));
		break;
	case FEATURE_TOTAL_MEM:
		read_number(s, STR("memory"), cursor_u64(&c) / 1024, " MB");
		break;
	case FEATURE_CMDLINE:
		read_command(s, &c);
		break;
	case FEATURE_EVENT_DESC:
		read_event_names(s, &c);
		break;
	case FEATURE_CLOCK_DATA:
		read_clock(s, &c);
		break;
	default:
		break;
	}
}

struct recorded_process perf_session_process(const struct perf_session *s, int32_t pid)
{
	bool is_alive = s->options.names.is_of_this_machine && s->last_ns &&
			process_started_before(pid, s->last_ns);
	return (struct recorded_process){ pid, is_alive };
}

bool perf_session_is_of_here(const struct perf_session *s)
{
	struct utsname here;
	if (uname(&here) != 0 || (!s->kernel.release.n && !s->host.n))
		return false;
	if (s->kernel.release.n && !str_eq(s->kernel.release, str_from(here.release)))
		return false;
	return !s->host.n || str_eq(s->host, str_from(here.nodename));
}
