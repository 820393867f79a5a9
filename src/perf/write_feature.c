/*
 * Facts about the recording and the machine, as written by perf record
 * (tools/perf/Documentation/perf.data-file-format.txt, HEADER_*).
 */
#include "perf/write_int.h"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_STEP_BYTES = 64 /* strings are padded to it (NAME_ALIGN) */ };

/* A length and that many bytes, padded with NULs. */
static void add_text(struct buf *b, struct str text)
{
	size_t padded = (text.n / TEXT_STEP_BYTES + 1) * TEXT_STEP_BYTES;
	put_u32(b, (uint32_t)padded);
	buf_add(b, text);
	put_zeros(b, padded - text.n);
}

/* Adds a section to the head unless it is empty. Call in the order of numbers. */
static void add_section(struct perf_data_writer *w, struct buf *head, unsigned feature,
			struct buf *content)
{
	struct written_section section = { head->n, content->n };
	if (content->n) {
		buf_add(head, buf_str(content));
		put_zeros(head, -head->n % 8);
		w->features.present |= 1ull << feature;
		vec_push(&w->features.list, section);
	}
	content->n = 0;
}

static void add_text_section(struct perf_data_writer *w, struct buf *head, unsigned feature,
			     const char *text)
{
	AUTO(buf) struct buf content = { 0 };
	if (*text)
		add_text(&content, str_from(text));
	add_section(w, head, feature, &content);
}

/* The kernel's build id tells perf whether it runs on the same kernel. */
static void add_build_ids(struct buf *content)
{
	enum { FIELD_BYTES = 20, ROW_BYTES = RECORD_HEADER_BYTES + 4 + 24 };
	const struct str name = STR("[kernel.kallsyms]");
	AUTO(buf) struct buf id = { 0 };
	kernel_running_build_id(&id);
	if (!id.n || id.n > FIELD_BYTES)
		return;
	size_t padded = (name.n / TEXT_STEP_BYTES + 1) * TEXT_STEP_BYTES;
	put_u32(content, RECORD_BUILD_ID);
	put_u16(content, PERF_RECORD_MISC_KERNEL | MISC_BUILD_ID_SIZE);
	put_u16(content, (uint16_t)(ROW_BYTES + padded));
	put_u32(content, (uint32_t)-1); /* pid */
	buf_add(content, buf_str(&id));
	put_zeros(content, FIELD_BYTES - id.n);
	put_u32(content, (uint32_t)id.n); /* one byte for the size, three for padding */
	buf_add(content, name);
	put_zeros(content, padded - name.n);
}

/* `model name` of the first cpu, on machines that have it. */
static void add_cpu_name(struct buf *content)
{
	const struct str key = STR("\nmodel name");
	struct err e = { 0 };
	struct reader *r = reader_open("/proc/cpuinfo", &e);
	if (!r)
		return;
	reader_fill_all(r, 64 << 10);
	struct str text = reader_window(r);
	ptrdiff_t at = str_find(text, key);
	if (at >= 0) {
		text = str_from_byte(text, (size_t)at + key.n);
		ptrdiff_t end = str_find_char(text, '\n');
		text = str_first(text, end < 0 ? text.n : (size_t)end);
		add_text(content,
			 str_trim(str_from_byte(text, (size_t)(str_find_char(text, ':') + 1))));
	}
	reader_free(r);
}

static void add_command(const struct perf_data_writer *w, struct buf *content)
{
	AUTO(buf) struct buf words = { 0 };
	struct str left = str_trim(str_from(w->command));
	uint32_t n = 0;
	for (; left.n; n++) {
		ptrdiff_t blank = str_find_char(left, ' ');
		struct str word = str_first(left, blank < 0 ? left.n : (size_t)blank);
		add_text(&words, word);
		left = str_trim(str_from_byte(left, word.n));
	}
	if (n)
		put_u32(content, n);
	buf_add(content, buf_str(&words));
}

static void add_event_names(const struct perf_data_writer *w, struct buf *content)
{
	put_u32(content, w->events.n);
	put_u32(content, sizeof(struct perf_event_attr));
	for (uint32_t i = 0; i < w->events.n; i++) {
		const struct written_event *event = &w->events.p[i];
		buf_add(content, (struct str){ (const char *)&event->attr, sizeof(event->attr) });
		put_u32(content, event->ids.n);
		add_text(content, str_from(event->name));
		put_u64s(content, event->ids.p, event->ids.n);
	}
}

/* The clock of the events, if one was chosen. */
static void add_clock(struct perf_data_writer *w, struct buf *head)
{
	enum { CLOCK_DATA_VERSION = 1 };
	AUTO(buf) struct buf content = { 0 };
	const struct perf_event_attr *attr = w->events.n ? &w->events.p[0].attr : NULL;
	struct timespec resolution;
	if (!attr || !attr->use_clockid || clock_getres(attr->clockid, &resolution) != 0)
		return;
	put_u64(&content, (uint64_t)resolution.tv_sec * 1000000000 + (uint64_t)resolution.tv_nsec);
	add_section(w, head, FEATURE_CLOCKID, &content);
	if (attr->clockid != CLOCK_MONOTONIC || !w->wall_ns)
		return;
	put_u32(&content, CLOCK_DATA_VERSION);
	put_u32(&content, (uint32_t)attr->clockid);
	put_u64(&content, w->wall_ns);
	put_u64(&content, w->monotonic_ns);
	add_section(w, head, FEATURE_CLOCK_DATA, &content);
}

static void add_machine(struct perf_data_writer *w, struct buf *head)
{
	AUTO(buf) struct buf content = { 0 };
	struct utsname machine;
	if (uname(&machine) == 0) {
		add_text_section(w, head, FEATURE_HOSTNAME, machine.nodename);
		add_text_section(w, head, FEATURE_OSRELEASE, machine.release);
		add_text_section(w, head, FEATURE_VERSION, "plume " PLUME_VERSION);
		add_text_section(w, head, FEATURE_ARCH, machine.machine);
	}
	put_u32(&content, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	put_u32(&content, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	add_section(w, head, FEATURE_NRCPUS, &content);
	add_cpu_name(&content);
	add_section(w, head, FEATURE_CPUDESC, &content);
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	put_u64(&content, pages * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024));
	add_section(w, head, FEATURE_TOTAL_MEM, &content);
}

void written_features_add(struct perf_data_writer *w, struct buf *head)
{
	AUTO(buf) struct buf content = { 0 };
	written_tracing_add(w, &content);
	add_section(w, head, FEATURE_TRACING_DATA, &content);
	add_build_ids(&content);
	add_section(w, head, FEATURE_BUILD_ID, &content);
	add_machine(w, head);
	add_command(w, &content);
	add_section(w, head, FEATURE_CMDLINE, &content);
	add_event_names(w, &content);
	add_section(w, head, FEATURE_EVENT_DESC, &content);
	put_zeros(&content, 2 * sizeof(uint64_t)); /* of the first and the last sample */
	add_section(w, head, FEATURE_SAMPLE_TIME, &content);
	w->features.times_of_samples = w->features.list.p[w->features.list.n - 1];
	add_clock(w, head);
}
