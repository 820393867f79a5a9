/*
 * Writes a recording of perf again, as plume record would: records in the order of their times, stacks as
 * call chains, also those that perf left as copies.
 *	rewrite IN OUT [N]	N: killed after so many records, without an end
 */
#include "perf/perf_int.h"

#include <signal.h>
#include <stdio.h>

enum { FLUSH_EVERY = 100, HEADER_BYTES = 104, EVENT_DESC = 12 };

struct rewriting {
	struct perf_session s;
	struct perf_data_writer *w;
	uint64_t records, killed_after;
};

static uint64_t number_at(struct str file, uint64_t offset)
{
	uint64_t value = 0;
	memcpy(&value, file.p + offset, sizeof(value));
	return value;
}

static void deliver(void *context, const struct perf_record *r)
{
	struct rewriting *rw = context;
	perf_session_deliver(&rw->s, r);
	if (++rw->records == rw->killed_after)
		raise(SIGKILL);
	if (rw->records % FLUSH_EVERY == 0)
		perf_data_writer_flush(rw->w);
}

static void add_events(struct rewriting *rw, struct str file)
{
	uint64_t entry = number_at(file, 16), attrs = number_at(file, 24);
	uint64_t end = attrs + number_at(file, 32);
	struct perf_event event;
	for (; attrs < end; attrs += entry) {
		struct cursor c = { file.p + attrs, file.p + end, false, false };
		perf_event_read(&event, &c, entry - 16);
		vec_push(&rw->s.events.list, event);
		uint64_t ids = cursor_u64(&c), n = cursor_u64(&c) / 8;
		for (uint64_t i = 0; i < n; i++)
			perf_events_add_id(&rw->s.events, number_at(file, ids + i * 8),
					   rw->s.events.list.n - 1);
	}
}

static void read_names(struct rewriting *rw, struct str file)
{
	uint64_t table = number_at(file, 40) + number_at(file, 48), present = number_at(file, 72);
	for (unsigned i = 0; i <= EVENT_DESC; i++) {
		if (!(present >> i & 1))
			continue;
		uint64_t at = number_at(file, table), n = number_at(file, table + 8);
		table += 16;
		struct cursor c = { file.p + at, file.p + at + n, false, false };
		if (i == EVENT_DESC)
			perf_feature_read(&rw->s, i, c);
	}
}

static void give_events(struct rewriting *rw, struct str file)
{
	uint64_t entry = number_at(file, 16), attrs = number_at(file, 24);
	for (uint32_t i = 0; i < rw->s.events.list.n; i++) {
		const char *p = file.p + attrs + i * entry;
		struct perf_event_attr attr = { 0 };
		memcpy(&attr, p, entry - 16 < sizeof(attr) ? entry - 16 : sizeof(attr));
		uint64_t ids = number_at(file, attrs + (i + 1) * entry - 16);
		uint64_t n = number_at(file, attrs + (i + 1) * entry - 8) / 8;
		perf_data_writer_add_event(rw->w, &attr, rw->s.events.list.p[i].name,
					   (const uint64_t *)(file.p + ids), (uint32_t)n);
	}
}

/* What perf made up when it began has no time, and does not wait for its turn. */
static void give_record(struct rewriting *rw, const struct perf_record *r)
{
	const char *body_end;
	if (r->misc == PERF_RECORD_MISC_KERNEL && r->type == PERF_RECORD_MMAP)
		return; /* where the kernel is, the writer says itself */
	if (r->type != PERF_RECORD_SAMPLE &&
	    !perf_ids_read(rw->s.events.list.p, r, false, &body_end).time_ns)
		deliver(rw, r);
	else
		perf_session_queue(&rw->s, r);
}

static void give_records(struct rewriting *rw, struct str data, uint64_t offset)
{
	while (data.n) {
		struct perf_record r = perf_record_at(data.p, offset, false);
		if (r.type == RECORD_FINISHED_ROUND)
			perf_order_end_round(&rw->s.order);
		else if (r.type < RECORD_HEADER_ATTR)
			give_record(rw, &r);
		data = str_from_byte(data, r.size);
		offset += r.size;
	}
	perf_order_flush(&rw->s.order);
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	struct perf_options options = { .unwind_cache = NULL };
	struct perf_data_facts facts = { "plume record -- work", 1700000000000000000, 1000000000 };
	struct reader *in = argc >= 3 ? reader_open(argv[1], &e) : NULL;
	struct rewriting rw = { .w = in ? perf_data_writer_new(argv[2], &facts, &e) : NULL };
	struct profile *p = profile_new(COLUMNS_ALL);
	if (!rw.w || !reader_fill_all(in, 1 << 30) || reader_window(in).n < HEADER_BYTES) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	struct str file = reader_window(in);
	uint64_t data = number_at(file, 40), n = number_at(file, 48);
	rw.killed_after = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	perf_session_init(&rw.s, &options, p);
	rw.s.order.deliver = deliver;
	rw.s.order.context = &rw;
	add_events(&rw, file);
	read_names(&rw, file);
	give_events(&rw, file);
	perf_session_write_to(&rw.s, rw.w);
	give_records(&rw, str_first(str_from_byte(file, data), n), data);
	bool ok = perf_data_writer_end(rw.w, &e);
	if (!ok)
		fprintf(stderr, "%s\n", e.text);
	perf_data_writer_free(rw.w);
	perf_session_fini(&rw.s);
	profile_unref(p);
	reader_free(in);
	return !ok;
}
