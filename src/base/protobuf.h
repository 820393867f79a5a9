/*
 * The protocol buffers wire format (protobuf.dev/programming-guides/encoding): reads the fields of
 * a message one after the other. Nothing is copied, and every length is checked against what is
 * left.
 *
 *	struct protobuf m = protobuf_open(bytes);
 *	while (protobuf_next(&m))
 *		if (m.field == 5 && m.type == PROTOBUF_BYTES)
 *			read_function(protobuf_inside(&m));
 *	if (m.fault)
 *		... at byte protobuf_offset(&m) ...
 */
#pragma once
#include "base/buf.h"
#include "base/cursor.h"

enum protobuf_type {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2, /* text, bytes, a message, or packed numbers */
	PROTOBUF_FIXED32 = 5,
};

/* A message being read, field by field. */
struct protobuf {
	struct cursor rest;
	const char *start; /* byte 0 of the outermost message; offsets count from here */
	const char *fault; /* what is wrong, or NULL */
	/* The current field. */
	const char *at; /* where it begins */
	uint32_t field; /* 0 after a fault before its number was known */
	enum protobuf_type type;
	uint64_t number;  /* of all types but PROTOBUF_BYTES */
	struct str bytes; /* of PROTOBUF_BYTES */
};

struct protobuf protobuf_open(struct str message);

/* The message, or the packed numbers, in the current field. Offsets continue to count from the outermost message. */
static inline struct protobuf protobuf_inside(const struct protobuf *m)
{
	return (struct protobuf){ .rest = cursor_over(m->bytes),
				  .start = m->start,
				  .at = m->bytes.p };
}

bool protobuf_next_slow(struct protobuf *m);
/* Takes the next field, whatever it is. Returns false at the end and at a fault. */
static inline bool protobuf_next(struct protobuf *m)
{
	/* Most are a number below 128 in one of the first 15 fields: two bytes. */
	if (cursor_left(&m->rest) >= 2) {
		uint8_t tag = (uint8_t)m->rest.p[0], number = (uint8_t)m->rest.p[1];
		if ((tag & 0x87) == PROTOBUF_VARINT && tag && number < 0x80) {
			m->at = m->rest.p;
			m->field = tag >> 3;
			m->type = PROTOBUF_VARINT;
			m->number = number;
			m->rest.p += 2;
			return true;
		}
	}
	return protobuf_next_slow(m);
}
bool protobuf_next_packed_slow(struct protobuf *m, uint64_t *number);
/* Takes the next packed number. Returns false at the end and at a fault. */
static inline bool protobuf_next_packed(struct protobuf *m, uint64_t *number)
{
	if (cursor_has_short_number(&m->rest)) {
		*number = cursor_u8(&m->rest);
		return true;
	}
	return protobuf_next_packed_slow(m, number);
}
/* The offset of the current field; after a fault, of the broken one. */
uint64_t protobuf_offset(const struct protobuf *m);
/* True if the fault is that the input ended early. */
bool protobuf_is_cut(const struct protobuf *m);

/* A field of type varint; negative numbers are written as two's complement, as int64 is. */
void protobuf_add_number(struct buf *out, uint32_t field, uint64_t number);
void protobuf_add_bytes(struct buf *out, uint32_t field, struct str bytes);
/* Whatever is added before protobuf_end goes inside the field; pass it what protobuf_begin returned. */
size_t protobuf_begin(struct buf *out, uint32_t field);
void protobuf_end(struct buf *out, size_t begun);
