/* .plume files: the store reads them; this fits it to the other formats. */
#include "source/source_int.h"
#include "store/store.h"

const struct str source_lines_key = STR("source lines");

static unsigned plume_probe(struct str head)
{
	return str_starts(head, store_magic) ? PROBE_MAGIC : 0;
}

/* What ended the reading early; offset: behind the last whole block, end: of all that came. */
static void note_damage(struct profile *p, struct reader *r, const struct store_reader *store,
			uint64_t offset, uint64_t end)
{
	switch (store_reader_state(store)) {
	case STORE_BROKEN:
		source_damage(p, r, NULL, store_reader_fault(store),
			      store_reader_fault_offset(store));
		break;
	case STORE_OPEN:
		if (reader_damage(r))
			break; /* which is told, and is the reason */
		if (offset < end || !offset)
			source_damage(p, r, NULL, "truncated", end);
		else
			source_damage(p, r, NULL,
				      "incomplete: its writer was killed or is still writing", 0);
		break;
	case STORE_ENDED:
		if (offset < end)
			source_damage(p, r, NULL, "unexpected data after the end", offset);
		break;
	}
}

static void plume_read(struct reader *r, const struct source_options *options, struct profile *p)
{
	struct store_reader *store = store_reader_new(p, options->names.wants_lines);
	uint64_t offset = 0, end = 0;
	do {
		struct str window = reader_window(r);
		bool is_reading = store_reader_state(store) == STORE_OPEN;
		size_t done = store_reader_feed(store, window, reader_offset(r));
		end = reader_offset(r) + window.n;
		if (is_reading)
			offset = reader_offset(r) + done;
		/* What follows the end is only counted. */
		reader_consume(r, store_reader_state(store) == STORE_OPEN ? done : window.n);
		if (options->progress && !options->progress(options->progress_context, p))
			break;
	} while (reader_fill(r));
	note_damage(p, r, store, offset, end);
	if (store_reader_unknown_parts(store)) {
		AUTO(buf) struct buf note = { 0 };
		buf_addf(&note,
			 "%s: a newer plume wrote this file; parts that this version does not know "
			 "were skipped",
			 reader_name(r));
		profile_add_note(p, buf_str(&note));
	}
	if (options->names.wants_lines && store_reader_lacks_lines(store))
		profile_add_fact(p, source_lines_key, STR("one per function"));
	store_reader_free(store);
}

const struct source_format plume_format = {
	.title = ".plume file",
	.probe = plume_probe,
	.read = plume_read,
};
