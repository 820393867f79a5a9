#include "base/base.h"

enum { MAX_FIELD = (1 << 29) - 1 };

static const char cut_field[] = "a truncated field";
static const char cut_number[] = "a truncated number";
static const char wide_number[] = "a number of more than 64 bits";

struct protobuf protobuf_open(struct str message)
{
	struct cursor rest = cursor_over(message);
	return (struct protobuf){ .rest = rest, .start = rest.p, .at = rest.p };
}

uint64_t protobuf_offset(const struct protobuf *m)
{
	return (uint64_t)(m->at - m->start);
}

bool protobuf_is_cut(const struct protobuf *m)
{
	return m->fault == cut_field || m->fault == cut_number;
}

static bool set_fault(struct protobuf *m, const char *fault)
{
	m->fault = fault;
	cursor_fail(&m->rest);
	return false;
}

static bool take_varint(struct protobuf *m, uint64_t *number)
{
	size_t left = cursor_left(&m->rest);
	*number = cursor_varint(&m->rest);
	return !m->rest.is_short ||
	       set_fault(m, left < MAX_VARINT_BYTES ? cut_number : wide_number);
}

static bool take_fixed(struct protobuf *m, unsigned n)
{
	m->number = cursor_unsigned(&m->rest, n);
	return !m->rest.is_short || set_fault(m, cut_number);
}

static bool take_bytes(struct protobuf *m)
{
	uint64_t n;
	if (!take_varint(m, &n))
		return false;
	m->bytes = cursor_bytes(&m->rest, n);
	return !m->rest.is_short || set_fault(m, cut_field);
}

bool protobuf_next_slow(struct protobuf *m)
{
	uint64_t tag;
	if (!cursor_left(&m->rest))
		return false;
	m->at = m->rest.p;
	m->field = 0;
	if (!take_varint(m, &tag))
		return false;
	if (tag >> 3 == 0 || tag >> 3 > MAX_FIELD)
		return set_fault(m, "an invalid field number");
	m->field = (uint32_t)(tag >> 3);
	m->type = (enum protobuf_type)(tag & 7);
	switch (m->type) {
	case PROTOBUF_VARINT:
		return take_varint(m, &m->number);
	case PROTOBUF_BYTES:
		return take_bytes(m);
	case PROTOBUF_FIXED64:
		return take_fixed(m, 8);
	case PROTOBUF_FIXED32:
		return take_fixed(m, 4);
	default:
		return set_fault(m, "a field of an unknown type");
	}
}

bool protobuf_next_packed_slow(struct protobuf *m, uint64_t *number)
{
	if (!cursor_left(&m->rest))
		return false;
	m->at = m->rest.p;
	return take_varint(m, number);
}

/* --- writing --- */

static void add_tag(struct buf *out, uint32_t field, enum protobuf_type type)
{
	buf_add_varint(out, (uint64_t)field << 3 | type);
}

void protobuf_add_number(struct buf *out, uint32_t field, uint64_t number)
{
	add_tag(out, field, PROTOBUF_VARINT);
	buf_add_varint(out, number);
}

void protobuf_add_bytes(struct buf *out, uint32_t field, struct str bytes)
{
	add_tag(out, field, PROTOBUF_BYTES);
	buf_add_varint(out, bytes.n);
	buf_add(out, bytes);
}

size_t protobuf_begin(struct buf *out, uint32_t field)
{
	add_tag(out, field, PROTOBUF_BYTES);
	buf_add_char(out, 0);
	return out->n;
}

/* One byte was left for the length, which is enough for most; else the content moves. */
void protobuf_end(struct buf *out, size_t begun)
{
	char length[MAX_VARINT_BYTES];
	size_t n = out->n - begun, length_bytes = put_varint(length, n);
	if (length_bytes > 1) {
		buf_reserve(out, length_bytes - 1);
		memmove(out->p + begun + length_bytes - 1, out->p + begun, n);
		out->n += length_bytes - 1;
	}
	memcpy(out->p + begun - 1, length, length_bytes);
}
