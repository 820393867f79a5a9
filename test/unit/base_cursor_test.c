/* The bounded cursor: every field, every cut, and LEB128 that is padded, too long or without an end. */
#include "base/base.h"
#include "tap.h"

static struct cursor over(const void *bytes, size_t n)
{
	return cursor_over((struct str){ bytes, n });
}

static void fixed_fields(void)
{
	static const char bytes[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f";
	struct cursor c = over(bytes, 15);
	bool ok = cursor_u8(&c) == 1 && cursor_u16(&c) == 0x0302;
	ok &= cursor_u32(&c) == 0x07060504 && cursor_u64(&c) == 0x0f0e0d0c0b0a0908;
	tap_ok(ok && !c.is_short && !cursor_left(&c), "fields of this byte order");

	c = over(bytes, 15);
	c.is_swapped = true;
	ok = cursor_u8(&c) == 1 && cursor_u16(&c) == 0x0203;
	ok &= cursor_u32(&c) == 0x04050607 && cursor_u64(&c) == 0x08090a0b0c0d0e0f;
	tap_ok(ok && !c.is_short, "fields of the other byte order");

	c = over("\xff\xff\xfe\xff\xff", 5);
	ok = cursor_unsigned(&c, 2) == 0xffff && cursor_signed(&c, 3) == -2;
	tap_ok(ok && !c.is_short, "numbers of any width");
}

/* Reads every kind of field with `left` bytes there; the ones that do not fit are 0 and make it short. */
static bool reads_cut_field(unsigned kind, size_t left)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 3, 3, 5, 5 };
	char *bytes = mem_alloc(left + 1, 1); /* so that ASan sees a byte too many */
	bytes = mem_realloc(bytes, left ? left : 1, 1);
	memset(bytes, 0x11, left);
	struct cursor c = over(bytes, left);
	bool fits = left >= sizes[kind], is_there = false;
	switch (kind) {
	case 0:
		is_there = cursor_u8(&c) != 0;
		break;
	case 1:
		is_there = cursor_u16(&c) != 0;
		break;
	case 2:
		is_there = cursor_u32(&c) != 0;
		break;
	case 3:
		is_there = cursor_u64(&c) != 0;
		break;
	case 4:
		is_there = cursor_unsigned(&c, 3) != 0;
		break;
	case 5:
		is_there = cursor_signed(&c, 3) != 0;
		break;
	case 6:
		is_there = cursor_bytes(&c, 5).n == 5;
		break;
	default: {
		struct cursor part = cursor_part(&c, 5);
		is_there = cursor_left(&part) == 5;
		fits &= part.is_short == !is_there;
	}
	}
	bool ok = is_there == fits && c.is_short == !fits;
	ok &= cursor_left(&c) == (fits ? left - sizes[kind] : 0);
	free(bytes);
	return ok;
}

static void cuts(void)
{
	bool ok = true;
	for (unsigned kind = 0; kind < 8; kind++)
		for (size_t left = 0; left < 10; left++)
			ok &= reads_cut_field(kind, left);
	tap_ok(ok, "a field that is cut reads as 0 and ends the bytes");
	struct cursor c = over("abc", 3);
	ok = !cursor_take(&c, UINT64_MAX) && c.is_short;
	c = cursor_at(STR("abc"), 4);
	ok &= c.is_short && !cursor_left(&c);
	c = cursor_at(STR("abc"), 3);
	ok &= !c.is_short && !cursor_left(&c);
	c = cursor_over((struct str){ 0 });
	ok &= cursor_take(&c, 0) && !cursor_u8(&c) && c.is_short;
	tap_ok(ok, "lengths and offsets beyond the end");
}

/* --- LEB128 --- */

static void put_leb(struct buf *b, uint64_t value, bool is_signed, unsigned padding)
{
	bool is_negative = is_signed && (int64_t)value < 0;
	for (;;) {
		uint8_t byte = value & 0x7f;
		value = is_negative ? ~(~value >> 7) : value >> 7;
		bool is_last = !is_signed ? !value : byte & 0x40 ? value == UINT64_MAX : !value;
		buf_add_char(b, (char)(is_last && !padding ? byte : byte | 0x80));
		if (!is_last)
			continue;
		for (; padding; padding--)
			buf_add_char(b,
				     (char)((is_negative ? 0x7f : 0) | (padding > 1 ? 0x80 : 0)));
		return;
	}
}

static void leb(void)
{
	static const uint64_t numbers[] = { 0,
					    1,
					    63,
					    64,
					    127,
					    128,
					    8191,
					    8192,
					    624485,
					    1ull << 31,
					    1ull << 35,
					    INT64_MAX,
					    1ull << 63,
					    UINT64_MAX - 64,
					    UINT64_MAX - 63,
					    UINT64_MAX };
	bool is_right = true, is_cut_right = true, is_varint_right = true;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		for (unsigned padding = 0; padding <= 10; padding++) {
			AUTO(buf) struct buf u = { 0 }, s = { 0 };
			put_leb(&u, numbers[i], false, padding);
			put_leb(&s, numbers[i], true, padding);
			struct cursor c = over(u.p, u.n);
			is_right &=
				cursor_uleb(&c) == numbers[i] && !c.is_short && !cursor_left(&c);
			c = over(s.p, s.n);
			is_right &= cursor_sleb(&c) == (int64_t)numbers[i] && !c.is_short &&
				    !cursor_left(&c);
			c = over(u.p, u.n);
			uint64_t number = cursor_varint(&c);
			is_varint_right &= u.n > MAX_VARINT_BYTES
						   ? c.is_short && !number
						   : !c.is_short && number == numbers[i];
			for (size_t n = 0; n < u.n; n++) {
				c = over(u.p, n);
				is_cut_right &= !cursor_uleb(&c) && c.is_short && !cursor_left(&c);
				c = over(u.p, n);
				is_cut_right &=
					!cursor_varint(&c) && c.is_short && !cursor_left(&c);
			}
			for (size_t n = 0; n < s.n; n++) {
				c = over(s.p, n);
				is_cut_right &= !cursor_sleb(&c) && c.is_short && !cursor_left(&c);
			}
		}
	tap_ok(is_right, "LEB128 of all sizes, padded or not");
	tap_ok(is_varint_right, "varints of up to ten bytes");
	tap_ok(is_cut_right, "LEB128 that is cut at any byte");
}

static void long_leb(void)
{
	char bytes[64];
	memset(bytes, 0xff, sizeof(bytes));
	struct cursor c = over(bytes, sizeof(bytes));
	bool ok = !cursor_uleb(&c) && c.is_short;
	c = over(bytes, sizeof(bytes));
	ok &= !cursor_sleb(&c) && c.is_short;
	c = over(bytes, sizeof(bytes));
	ok &= !cursor_varint(&c) && c.is_short;
	tap_ok(ok, "numbers that do not end");
	c = over("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", 10);
	ok = cursor_uleb(&c) == UINT64_MAX && !c.is_short;
	c = over("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", 10);
	ok &= !cursor_varint(&c) && c.is_short;
	tap_ok(ok, "more than 64 bits: LEB128 drops them, a varint is not accepted");
}

static void zigzags(void)
{
	static const int64_t numbers[] = { 0, -1, 1, -2, 2, INT64_MAX, INT64_MIN };
	bool ok = zigzag(0) == 0 && zigzag(-1) == 1 && zigzag(1) == 2 &&
		  zigzag(INT64_MIN) == UINT64_MAX;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		ok &= unzigzag(zigzag(numbers[i])) == numbers[i];
	tap_ok(ok, "zigzag");
}

static void texts(void)
{
	struct cursor c = over("ab\0cd", 5);
	bool ok = str_eq(cursor_text(&c), STR("ab")) && str_eq(cursor_text(&c), STR("cd"));
	ok &= !cursor_text(&c).n && !c.is_short;
	tap_ok(ok, "text that ends at a NUL or at the end");
	c = over("ab\0cd", 5);
	ok = str_eq(cursor_c_string(&c), STR("ab")) && !c.is_short && cursor_left(&c) == 2;
	ok &= !cursor_c_string(&c).n && c.is_short && !cursor_left(&c);
	tap_ok(ok, "text that must end at a NUL");
}

int main(void)
{
	fixed_fields();
	cuts();
	leb();
	long_leb();
	zigzags();
	texts();
	return tap_done();
}
