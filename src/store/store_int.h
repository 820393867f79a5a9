/* The layout of a .plume file, shared by writer.c and reader.c. doc/formats/plume.md explains it. */
#pragma once
#include "store/store.h"

#include <endian.h>

enum {
	STORE_HEAD_BYTES = 16,
	STORE_BLOCK_HEAD_BYTES = 32,
	STORE_CHECKED_BYTES = 24, /* of the block's header, before its checksum */
	/* Larger blocks are neither written nor read. */
	STORE_MAX_BLOCK_BYTES = 1 << 27,
	STORE_MAX_ROWS = 1 << 20, /* of a block */
	/*
	 * A small file must not claim unbounded memory: this many rows of tables and of samples are
	 * free, and each byte of the file allows this many more.
	 */
	STORE_FREE_TABLE_ROWS = 1 << 22,
	STORE_FREE_ROWS = 1 << 24,
	STORE_ROWS_PER_BYTE = 64,
	STORE_MAX_STACK_FRAMES = 1 << 20,
	STORE_MAX_LEDGER_LINES = 1 << 10,
};

/* "PLBK", little-endian. */
static const uint32_t STORE_BLOCK_MAGIC = 0x4b424c50;

enum store_codec { STORE_CODEC_NONE, STORE_CODEC_ZSTD };
enum store_block_kind { STORE_BLOCK_DATA, STORE_BLOCK_END };

enum store_part {
	STORE_STRINGS = 1,
	STORE_FRAMES,
	STORE_NODES,
	STORE_THREADS,
	STORE_EVENTS,
	STORE_DECIMALS,
	STORE_LABELS,
	STORE_LABEL_SETS,
	STORE_SAMPLES,
	STORE_MARKS,
	STORE_FACTS,
	STORE_MODULES,
	STORE_LEDGER,
	STORE_FLAGS,
	STORE_UNNAMED,	     /* since version 1.1 */
	STORE_FRAME_COLUMNS, /* since version 1.2: more about the frames that follow */
	STORE_CHANGED,	     /* also since 1.2: frames that are replaced from now on */
	STORE_READING,	     /* only in copies: how the profile was read; before its ledger */
	STORE_PARTS
};

/* The first version that keeps lines of addresses. */
enum { STORE_MINOR_WITH_LINES = 2 };

/* In STORE_FRAME_COLUMNS; missing ones are 0. */
enum store_frame_column {
	STORE_FRAME_FUNCTION_FILE,
	STORE_FRAME_FUNCTION_LINE,
	STORE_FRAME_FUNCTION_COLUMN,
	STORE_FRAME_START,
	STORE_FRAME_COLUMN_COUNT
};

enum { STORE_IS_DIFFERENTIAL = 1 };
enum { STORE_COUNTS_PERIODS = 1, STORE_HAS_ONLY_SUMS = 2 };

enum store_column {
	STORE_COLUMN_NODE,
	STORE_COLUMN_THREAD,
	STORE_COLUMN_EVENT,
	STORE_COLUMN_COUNT,
	STORE_COLUMN_PERIOD,
	STORE_COLUMN_TIME,
	STORE_COLUMN_CPU,
	STORE_COLUMN_LABELS,
	STORE_COLUMNS
};

/* How a column's values are encoded. */
enum store_encoding {
	STORE_SAME,   /* one value for all rows */
	STORE_PLAIN,  /* a varint each */
	STORE_DELTAS, /* zigzag-encoded difference to the previous row */
};

struct store_head {
	uint8_t magic[8];
	uint16_t major, minor;
	uint32_t reserved;
};
_Static_assert(sizeof(struct store_head) == STORE_HEAD_BYTES, "as on disk");

struct store_block_head {
	uint32_t magic;
	uint8_t codec, kind;
	uint16_t reserved;
	uint32_t stored_bytes, raw_bytes;
	uint64_t number; /* of the block, from 0 */
	uint64_t checksum;
};
_Static_assert(sizeof(struct store_block_head) == STORE_BLOCK_HEAD_BYTES, "as on disk");

uint64_t store_checksum(const void *block_head, struct str stored);
