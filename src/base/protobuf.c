#include "base/base.h"

enum { LONGEST_VARINT = 10, MAX_FIELD = (1 << 29) - 1 };

static const char cut_field[] = "a truncated field";
static const char cut_number[] = "a truncated number";

struct protobuf protobuf_open(struct str message)
{
	if (!message.p)
		message.p = ""; /* nothing may come as NULL */
	return protobuf_inside(&(struct protobuf){ .start = message.p, .bytes = message });
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
	m->next = m->end;
	return false;
}

static bool take_long_varint(struct protobuf *m, uint64_t *number)
{
	size_t left = (size_t)(m->end - m->next);
	uint64_t value = 0;
	for (size_t i = 0; i < LONGEST_VARINT && i < left; i++) {
		uint8_t byte = (uint8_t)m->next[i];
		if (i == LONGEST_VARINT - 1 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			m->next += i + 1;
			*number = value;
			return true;
		}
	}
	return set_fault(m, left < LONGEST_VARINT ? cut_number : "a number of more than 64 bits");
}

/* Most numbers are small. */
static inline bool take_varint(struct protobuf *m, uint64_t *number)
{
	if (m->next < m->end && (uint8_t)*m->next < 0x80) {
		*number = (uint8_t)*m->next++;
		return true;
	}
	return take_long_varint(m, number);
}

static bool take_fixed(struct protobuf *m, size_t n)
{
	if ((size_t)(m->end - m->next) < n)
		return set_fault(m, cut_number);
	m->number = 0;
	for (size_t i = 0; i < n; i++)
		m->number |= (uint64_t)(uint8_t)m->next[i] << (8 * i);
	m->next += n;
	return true;
}

static inline bool take_bytes(struct protobuf *m)
{
	uint64_t n;
	if (!take_varint(m, &n))
		return false;
	if (n > (uint64_t)(m->end - m->next))
		return set_fault(m, cut_field);
	m->bytes = (struct str){ m->next, (size_t)n };
	m->next += n;
	return true;
}

bool protobuf_next_slow(struct protobuf *m)
{
	uint64_t tag;
	if (m->next == m->end)
		return false;
	m->at = m->next;
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
	if (m->next == m->end)
		return false;
	m->at = m->next;
	return take_long_varint(m, number);
}

/* --- writing --- */

static size_t put_varint(char *to, uint64_t number)
{
	size_t n = 0;
	for (; number >= 0x80; number >>= 7)
		to[n++] = (char)(number | 0x80);
	to[n++] = (char)number;
	return n;
}

void protobuf_add_varint(struct buf *out, uint64_t number)
{
	out->n += put_varint(buf_reserve(out, LONGEST_VARINT), number);
}

static void add_tag(struct buf *out, uint32_t field, enum protobuf_type type)
{
	protobuf_add_varint(out, (uint64_t)field << 3 | type);
}

void protobuf_add_number(struct buf *out, uint32_t field, uint64_t number)
{
	add_tag(out, field, PROTOBUF_VARINT);
	protobuf_add_varint(out, number);
}

void protobuf_add_bytes(struct buf *out, uint32_t field, struct str bytes)
{
	add_tag(out, field, PROTOBUF_BYTES);
	protobuf_add_varint(out, bytes.n);
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
	char length[LONGEST_VARINT];
	size_t n = out->n - begun, length_bytes = put_varint(length, n);
	if (length_bytes > 1) {
		buf_reserve(out, length_bytes - 1);
		memmove(out->p + begun + length_bytes - 1, out->p + begun, n);
		out->n += length_bytes - 1;
	}
	memcpy(out->p + begun - 1, length, length_bytes);
}
