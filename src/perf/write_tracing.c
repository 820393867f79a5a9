/*
 * The fields of tracepoints, as described by the kernel. Samples written by plume have none of them, but perf refuses
 * files with tracepoints that lack this section (tools/perf/util/trace-event-info.c).
 */
#include "perf/write_int.h"

#include <unistd.h>

enum { MAX_FORMAT_BYTES = 1 << 20 };

/* A u64 with the size, and the file; size 0 if it cannot be read. */
static void add_file(struct buf *section, const char *name)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	AUTO(buf) struct buf path = { 0 };
	struct err e = { 0 };
	struct reader *r = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !r; i++) {
		path.n = 0;
		buf_addf(&path, "%s/events/%s", places[i], name);
		r = reader_open(buf_c_string(&path), &e);
	}
	bool is_read = r && reader_fill_all(r, MAX_FORMAT_BYTES);
	struct str text = is_read ? reader_window(r) : STR("");
	put_u64(section, text.n);
	buf_add(section, text);
	reader_free(r);
}

static void add_c_string(struct buf *section, struct str text)
{
	buf_add(section, text);
	buf_add_char(section, 0);
}

/* A tracepoint `sched:sched_switch`, as the only one of its system. A system may occur several times. */
static void add_tracepoint(struct buf *section, struct str name)
{
	AUTO(buf) struct buf path = { 0 };
	ptrdiff_t colon = str_find_char(name, ':');
	struct str system = str_first(name, (size_t)colon);
	buf_addf(&path, "%.*s/%.*s/format", STR_ARG(system),
		 STR_ARG(str_from_byte(name, (size_t)colon + 1)));
	add_c_string(section, system);
	put_u32(section, 1);
	add_file(section, buf_c_string(&path));
}

static bool is_tracepoint(const struct written_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT && strchr(event->name, ':') &&
	       !strchr(event->name, '/');
}

void written_tracing_add(const struct perf_data_writer *w, struct buf *section)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->events.n; i++)
		n += is_tracepoint(&w->events.p[i]);
	if (!n)
		return;
	add_c_string(section, STR("\x17\x08\x44tracing0.6"));
	buf_add_char(section, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	buf_add_char(section, sizeof(long));
	put_u32(section, (uint32_t)sysconf(_SC_PAGESIZE));
	add_c_string(section, STR("header_page"));
	add_file(section, "header_page");
	add_c_string(section, STR("header_event"));
	add_file(section, "header_event");
	put_u32(section, 0); /* events of ftrace itself */
	put_u32(section, n);
	for (uint32_t i = 0; i < w->events.n; i++)
		if (is_tracepoint(&w->events.p[i]))
			add_tracepoint(section, str_from(w->events.p[i].name));
	put_u32(section, 0); /* the kernel's symbols */
	put_u32(section, 0); /* printk formats */
	put_u64(section, 0); /* thread names */
}
