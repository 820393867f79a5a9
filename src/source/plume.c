/* .plume files: the store reads them; this fits it to the other formats. */
#include "source/source_int.h"
#include "store/store.h"

struct plume_source {
	struct profile *p;
	struct store_reader *reader;
	uint64_t offset; /* behind the last whole block */
	uint64_t end;	 /* of what has been seen */
};

static unsigned plume_probe(struct str head)
{
	return str_starts(head, store_magic) ? 100 : 0;
}

static void *plume_begin(struct profile *p, const struct source_options *options, struct str first)
{
	(void)options;
	(void)first;
	struct plume_source *s = mem_zalloc(1, sizeof(*s));
	s->p = p;
	s->reader = store_reader_new(p);
	return s;
}

static size_t plume_feed(void *state, struct str bytes, uint64_t offset, bool is_last)
{
	struct plume_source *s = state;
	size_t done = store_reader_feed(s->reader, bytes, offset);
	s->offset = offset + done;
	s->end = offset + bytes.n;
	return is_last ? bytes.n : done;
}

/* What ended the reading early, in words. */
static void add_reason(const struct plume_source *s, struct buf *out)
{
	unsigned long long blocks = (unsigned long long)store_reader_blocks(s->reader);
	switch (store_reader_state(s->reader)) {
	case STORE_BROKEN:
		buf_addf(out, "%s, at byte ", store_reader_fault(s->reader));
		buf_add_grouped(out, store_reader_fault_offset(s->reader));
		break;
	case STORE_OPEN:
		if (s->offset < s->end)
			buf_addf(out, "it ends inside a block, at byte ");
		else
			buf_addf(out,
				 "it has no end mark (its writer was killed, or still writes), "
				 "at byte ");
		buf_add_grouped(out, s->end);
		break;
	case STORE_ENDED:
		buf_addf(out, "more bytes follow its end mark, at byte ");
		buf_add_grouped(out, s->offset);
		break;
	}
	buf_addf(out, "; ");
	buf_add_grouped(out, s->p->ledger.count[LEDGER_SAMPLES]);
	buf_addf(out, " samples of the %llu whole blocks before it were read", blocks);
}

static void plume_end(void *state, bool was_cut)
{
	struct plume_source *s = state;
	(void)was_cut;
	if (store_reader_state(s->reader) != STORE_ENDED || s->offset < s->end) {
		AUTO(buf) struct buf text = { 0 };
		buf_addf(&text, ".plume file: ");
		add_reason(s, &text);
		source_damage_text(s->p, buf_str(&text));
	}
	if (store_reader_unknown_parts(s->reader))
		profile_add_note(s->p,
				 STR("a newer plume wrote this file; parts that this one does "
				     "not know were passed over"));
	store_reader_free(s->reader);
	free(s);
}

const struct source_format plume_format = {
	.name = "plume",
	.title = "a .plume file",
	.is_binary = true,
	.probe = plume_probe,
	.begin = plume_begin,
	.feed = plume_feed,
	.end = plume_end,
};
