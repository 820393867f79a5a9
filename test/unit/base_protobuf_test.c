/* The wire format of protocol buffers: what is written is read, and no length is believed. */
#include "base/base.h"
#include "tap.h"

static void check_numbers(void)
{
	static const uint64_t numbers[] = { 0,		1,	    127,	128,
					    300,	UINT32_MAX, 1ull << 35, INT64_MAX,
					    1ull << 63, UINT64_MAX };
	AUTO(buf) struct buf out = { 0 };
	bool ok = true;
	uint64_t number;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		protobuf_add_number(&out, (uint32_t)i + 1, numbers[i]);
	struct protobuf m = protobuf_open(buf_str(&out));
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		ok &= protobuf_next(&m) && m.field == i + 1 && m.type == PROTOBUF_VARINT &&
		      m.number == numbers[i];
	tap_ok(ok && !protobuf_next(&m) && !m.fault, "numbers of all sizes");
	out.n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		buf_add_varint(&out, numbers[i]);
	m = protobuf_open(buf_str(&out));
	ok = true;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		ok &= protobuf_next_packed(&m, &number) && number == numbers[i];
	tap_ok(ok && !protobuf_next_packed(&m, &number) && !m.fault, "packed numbers");
	tap_str_eq(str_first(buf_str(&out), 6), STR("\x00\x01\x7f\x80\x01\xac"),
		   "small numbers take one byte");
}

static void check_nesting(void)
{
	static const size_t sizes[] = { 0, 1, 127, 128, 16383, 16384, 70000 };
	AUTO(buf) struct buf text = { 0 };
	bool ok = true;
	for (size_t i = 0; i < 70000; i++)
		buf_add_char(&text, (char)i);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		AUTO(buf) struct buf out = { 0 };
		struct str want = str_first(buf_str(&text), sizes[i]);
		size_t outer = protobuf_begin(&out, 15);
		size_t inner = protobuf_begin(&out, 16);
		protobuf_add_bytes(&out, 3, want);
		protobuf_end(&out, inner);
		protobuf_add_number(&out, 4, 7);
		protobuf_end(&out, outer);
		struct protobuf a = protobuf_open(buf_str(&out));
		ok &= protobuf_next(&a) && a.field == 15 && a.type == PROTOBUF_BYTES;
		struct protobuf b = protobuf_inside(&a);
		ok &= protobuf_next(&b) && b.field == 16;
		struct protobuf c = protobuf_inside(&b);
		ok &= protobuf_next(&c) && c.field == 3 && str_eq(c.bytes, want);
		ok &= !protobuf_next(&c) && !c.fault;
		ok &= protobuf_next(&b) && b.field == 4 && b.number == 7;
		ok &= protobuf_offset(&b) == out.n - 2;
		ok &= !protobuf_next(&b) && !protobuf_next(&a) && !a.fault && !b.fault;
	}
	tap_ok(ok, "messages in messages, of lengths of one to three bytes");
}

static void check_fault(struct str bytes, bool is_cut, uint64_t offset, const char *name)
{
	struct protobuf m = protobuf_open(bytes);
	while (protobuf_next(&m))
		;
	tap_ok(m.fault && protobuf_is_cut(&m) == is_cut && protobuf_offset(&m) == offset &&
		       !protobuf_next(&m),
	       "%s: %s at byte %llu", name, m.fault ? m.fault : "no fault",
	       (unsigned long long)protobuf_offset(&m));
}

static void check_faults(void)
{
	check_fault(STR("\x08\x01\x12\x05"
			"abcd"),
		    true, 2, "a length past the end");
	check_fault(STR("\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
			"a"),
		    true, 0, "a length of 2^63");
	check_fault(STR("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
			"a"),
		    true, 0, "a length of 2^64-1");
	check_fault(STR("\x08\x01\x08\x80"), true, 2, "a truncated number");
	check_fault(STR("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), false, 0,
		    "a number of 65 bits");
	check_fault(STR("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), false, 0,
		    "a number of eleven bytes");
	check_fault(STR("\x00\x01"), false, 0, "field 0");
	check_fault(STR("\x80\x80\x80\x80\x10\x01"), false, 0, "field 2^29");
	check_fault(STR("\x0b\x0c"), false, 0, "a group");
	check_fault(STR("\x0f"), false, 0, "type 7");
	check_fault(STR("\x09\x01\x02\x03\x04\x05\x06\x07"), true, 0, "64 bits of which 56 came");
	check_fault(STR("\x0d\x01\x02\x03"), true, 0, "32 bits of which 24 came");
	check_fault(STR("\x80"), true, 0, "a tag without its end");
	struct protobuf m = protobuf_open(STR("\x0d\x01\x02\x03\x04\x09\x01\0\0\0\0\0\0\x80"));
	tap_ok(protobuf_next(&m) && m.number == 0x04030201 && protobuf_next(&m) &&
		       m.number == 0x8000000000000001 && !protobuf_next(&m) && !m.fault,
	       "numbers of fixed size");
	m = protobuf_open(STR("\x0a\x02\x0a\x05"));
	protobuf_next(&m);
	struct protobuf inside = protobuf_inside(&m);
	tap_ok(!protobuf_next(&inside) && inside.fault && protobuf_offset(&inside) == 2,
	       "a length past the end of its message, inside a whole one");
}

int main(void)
{
	check_numbers();
	check_nesting();
	check_faults();
	return tap_done();
}
