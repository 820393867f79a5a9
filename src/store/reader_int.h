/* The reader's state, shared by its files. */
#pragma once
#include "store/store_int.h"

#include <zstd.h>

/* Maps ids of the file to ids of the profile. */
struct ids {
	uint32_t *p;
	uint32_t n, capacity;
};

/* What the ledger needs to know about a stack. */
struct stack_facts {
	uint32_t frames, unknown;
};

/* A line of the file's ledger and the fact that counts it, to which the file's blocks add. */
struct ledger_fact {
	str_id name;
	uint32_t fact;
	uint64_t count;
};

struct store_reader {
	struct profile *p;
	enum store_state state;
	char fault[256];
	uint64_t fault_offset;
	bool has_head;
	uint64_t blocks, unknown_parts, rows;
	uint32_t block_rows;	/* of the block being read */
	uint64_t table_rows;	/* of all tables but samples */
	uint64_t bytes_at_hand; /* of the blocks so far, including this one */
	ZSTD_DCtx *zstd;
	struct buf raw;
	uint64_t *columns[STORE_COLUMNS]; /* of the samples being read */
	uint32_t column_room;

	struct ids strings, frames, nodes, threads, events, label_sets;
	VEC(struct label) labels;
	VEC(bool) has_only_sums;       /* by event of the file */
	VEC(uint8_t) decimals;	       /* by event of the file, as used by weights to come */
	uint64_t last_name, last_file; /* of the frame read last */
	uint64_t *frame_columns[STORE_FRAME_COLUMN_COUNT]; /* of the frames to come; NULL: zeros */
	uint32_t frame_rows;				   /* in them */
	bool keeps_lines, has_lines;
	bool is_copy; /* the ledger is that of the profile itself */
	uint16_t minor;
	VEC(struct stack_facts) stacks; /* by node of the file */
	VEC(struct ledger_fact) ledger;
};

/* Sets the fault, unless there is one already. */
void store_set_fault(struct store_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A macro, so that compilers see the false, like err_set. */
/* clang-format off */
#define fail(r, ...) ({ store_set_fault((r), __VA_ARGS__); false; })
/* clang-format on */

/* --- numbers --- */

/* The profile's id for an id in the file. */
static inline bool known(struct store_reader *r, const struct ids *ids, const char *what,
			 uint64_t id, uint32_t *to)
{
	if (id >= ids->n)
		return fail(r, "%s %llu does not exist", what, (unsigned long long)id);
	*to = ids->p[id];
	return true;
}

static inline bool in_range(struct store_reader *r, const char *what, uint64_t value,
			    uint64_t limit)
{
	return value <= limit || fail(r, "%s %llu is too large", what, (unsigned long long)value);
}

/* Returns false if a file of this size cannot have that many rows. */
static inline bool is_believable(struct store_reader *r, uint64_t rows, uint64_t free_rows)
{
	return rows <= free_rows + STORE_ROWS_PER_BYTE * r->bytes_at_hand ||
	       fail(r, "it claims %llu rows, more than a file of its size can hold",
		    (unsigned long long)rows);
}

/* Reads the values of a column, in the encoding that the file states. */
bool store_take_values(struct store_reader *r, struct cursor *c, uint64_t *values, uint32_t n);

/* --- parts: tables in reader_tables.c, samples in reader_samples.c --- */

bool store_read_table(struct store_reader *r, enum store_part part, struct cursor *c);
bool store_read_samples(struct store_reader *r, struct cursor *c);
