/* Decodes the lengths of x86-64 instructions: Intel's manual, volume 2, chapter 2 and appendix A. */
#include "instruction/instruction.h"

/*
 * What follows each opcode: . nothing, m ModRM (and what it requires), b w d v an immediate of 1,
 * 2, 4 (2 with prefix 66), 4 (8 with REX.W) bytes, B D ModRM and then that, j J a distance of 1 and
 * 4 bytes, g G ModRM and for some an immediate, a an address, s 3 bytes, p a prefix, r REX, x y VEX
 * of 2 and 3 bytes, 2 a second opcode byte, - no instruction.
 */
static const char one_byte[] = "mmmmbd--mmmmbd-2" /* 00 */
			       "mmmmbd--mmmmbd--"
			       "mmmmbdp-mmmmbdp-" /* 20 */
			       "mmmmbdp-mmmmbdp-"
			       "rrrrrrrrrrrrrrrr" /* 40 */
			       "................"
			       "--emppppdDbB...." /* 60 */
			       "jjjjjjjjjjjjjjjj"
			       "BD-Bmmmmmmmmmmmm" /* 80 */
			       "..........-....."
			       "aaaa....bd......" /* a0 */
			       "bbbbbbbbvvvvvvvv"
			       "BBw.yxBDs.w..b-." /* c0 */
			       "mmmm---.mmmmmmmm"
			       "jjjjbbbbJJ-j...." /* e0 */
			       "p.pp..gG......mm";

/* After 0f, and in VEX: 3 and 8 lead to maps in which all have ModRM, the former's also a byte. */
static const char two_bytes[] = "mmmm-.....-.-m.-" /* 00 */
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm" /* 20 */
				"......-.8-3-----"
				"mmmmmmmmmmmmmmmm" /* 40 */
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm" /* 60 */
				"BBBBmmm.mmmmmmmm"
				"JJJJJJJJJJJJJJJJ" /* 80 */
				"mmmmmmmmmmmmmmmm"
				"...mBm--...mBmmm" /* a0 */
				"mmmmmmmmmmBmmmmm"
				"mmBmBBBm........" /* c0 */
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm" /* e0 */
				"mmmmmmmmmmmmmmmm";

struct decoding {
	struct str code;
	size_t at;
	bool is_short; /* prefix 66 */
	uint8_t rex;   /* its four bits */
	uint8_t opcode, modrm;
	bool has_memory; /* has a memory operand, with this base: */
	uint8_t base;	 /* as in ModRM or SIB, without REX */
	bool is_two_bytes, is_vex, is_bad;
};

static uint8_t next(struct decoding *d)
{
	if (d->at >= d->code.n) {
		d->is_bad = true;
		return 0;
	}
	return (uint8_t)d->code.p[d->at++];
}

static void skip(struct decoding *d, size_t n)
{
	d->is_bad |= n > d->code.n - d->at;
	d->at = d->is_bad ? d->at : d->at + n;
}

static void skip_modrm(struct decoding *d)
{
	d->modrm = next(d);
	uint8_t mod = d->modrm >> 6, base = d->modrm & 7;
	if (mod == 3)
		return;
	if (base == 4)
		base = next(d) & 7; /* SIB */
	d->has_memory = true;
	d->base = base;
	if (mod == 1)
		skip(d, 1);
	else if (mod == 2 || base == 5)
		skip(d, 4);
}

/* EVEX has VEX's maps, and 5 and 6 for half-precision numbers. */
static char vex(struct decoding *d, char form)
{
	uint8_t map = 1;
	if (form == 'y')
		map = next(d) & 31;
	if (form == 'e') {
		map = next(d) & 7;
		next(d);
	}
	next(d);
	d->opcode = next(d);
	d->is_two_bytes = d->is_vex = true;
	if (map == 1)
		return two_bytes[d->opcode] == 'J' ? '-' : two_bytes[d->opcode];
	if (form == 'e' && (map == 5 || map == 6))
		return 'm';
	return map == 2 ? 'm' : map == 3 ? 'B' : '-';
}

static char opcode(struct decoding *d)
{
	enum { MAX_PREFIXES = 8 };
	for (unsigned i = 0; i < MAX_PREFIXES; i++) {
		uint8_t byte = next(d);
		char form = one_byte[byte];
		if (form == 'p') {
			d->is_short |= byte == 0x66;
			continue;
		}
		if (form == 'r') {
			d->rex = byte & 15;
			byte = next(d);
			form = one_byte[byte];
		}
		d->opcode = byte;
		if (form == 'x' || form == 'y' || form == 'e')
			return vex(d, form);
		if (form != '2')
			return form;
		d->is_two_bytes = true;
		d->opcode = next(d);
		form = two_bytes[d->opcode];
		if (form == '3' || form == '8')
			next(d);
		return form == '3' ? 'B' : form == '8' ? 'm' : form;
	}
	return '-';
}

static void skip_operands(struct decoding *d, char form)
{
	size_t four = d->is_short ? 2 : 4;
	if (form == 'm' || form == 'B' || form == 'D' || form == 'g' || form == 'G')
		skip_modrm(d);
	bool has_value = (d->modrm >> 3 & 7) < 2; /* test, in a group that shares an opcode */
	switch (form) {
	case 'b':
	case 'B':
		skip(d, 1);
		break;
	case 'w':
		skip(d, 2);
		break;
	case 'd':
	case 'D':
		skip(d, four);
		break;
	case 'v':
		skip(d, d->rex & 8 ? 8 : four);
		break;
	case 'g':
		skip(d, has_value);
		break;
	case 'G':
		skip(d, has_value ? four : 0);
		break;
	case 'a':
		skip(d, 8);
		break;
	case 's':
		skip(d, 3);
		break;
	case '-':
		d->is_bad = true;
	}
}

static enum instruction_kind kind_of(const struct decoding *d)
{
	if (d->is_two_bytes)
		return d->opcode == 0x0b && !d->is_vex ? ENDS : GOES_ON; /* ud2 */
	switch (d->opcode) {
	case 0xe8:
		return CALLS;
	case 0xc2:
	case 0xc3:
		return RETURNS;
	case 0xcc:
	case 0xf4:
		return ENDS;
	case 0xff:
		return (d->modrm >> 3 & 7) == 2	  ? CALLS
		       : (d->modrm >> 3 & 7) == 4 ? VANISHES
						  : GOES_ON;
	default:
		return GOES_ON;
	}
}

/* The stack, by rsp (4) or rbp (5); data relative to rip (5); V8's roots, by r13 (5). But not r12 (4). */
static bool is_near(const struct decoding *d)
{
	return !d->has_memory || d->base == 5 || (d->base == 4 && !(d->rex & 1));
}

static bool is_one_of(uint8_t opcode, const char *list)
{
	return opcode && strchr(list, opcode);
}

static bool is_move(const struct decoding *d)
{
	uint8_t to = d->modrm >> 3 & 7, from = d->modrm & 7;
	if (!is_near(d))
		return d->is_two_bytes && d->opcode == 0x1f; /* a long nop */
	if (d->is_two_bytes)
		return is_one_of(d->opcode,
				 "\x10\x11\x1f\x28\x29\x57\x6e\x6f\x72\x73\x76\x7e\x7f\xd6");
	if (d->opcode == 0x31 || d->opcode == 0x33) /* xor with itself: 0 */
		return !d->has_memory && to == from && (d->rex >> 2 & 1) == (d->rex & 1);
	return (d->opcode >= 0x50 && d->opcode < 0x60) || (d->opcode >= 0xb8 && d->opcode < 0xc0) ||
	       (d->opcode == 0xff && to == 6) || /* push */
	       is_one_of(d->opcode, "\x87\x88\x89\x8a\x8b\x8d\x8f\x90\xc6\xc7");
}

static bool is_common(const struct decoding *d)
{
	uint8_t what = d->modrm >> 3 & 7; /* the operation in a group that shares an opcode */
	bool is_group = d->opcode >= 0x80 && d->opcode <= 0x83;
	bool compares = (d->opcode >= 0x38 && d->opcode <= 0x3d) || (is_group && what == 7);
	if (d->is_two_bytes)
		return is_one_of(
			d->opcode,
			"\x10\x11\x16\x28\x29\x2a\x2c\x2d\x3a\x5a\x6e\x6f\x7e\x7f\xd6\xf7");
	return (d->opcode >= 0x88 && d->opcode <= 0x8b) ||
	       is_one_of(d->opcode, "\x8d\xc0\xc1\xc6\xc7\xd0\xd1\xd2\xd3") || d->opcode <= 0x05 ||
	       (is_group && (what == 0 || what == 5)) /* add, sub */ ||
	       (compares && d->has_memory && is_near(d));
}

static void take_distance(struct decoding *d, char form, struct instruction *in)
{
	int8_t near = 0;
	int32_t far = 0;
	size_t size = form == 'j' ? sizeof(near) : sizeof(far), at = d->at;
	skip(d, size);
	if (d->is_bad)
		return;
	memcpy(form == 'j' ? (void *)&near : (void *)&far, d->code.p + at, size);
	in->target = (int64_t)d->at + (form == 'j' ? near : far);
	bool is_jump = !d->is_two_bytes && (d->opcode == 0xe9 || d->opcode == 0xeb);
	in->kind = is_jump ? JUMPS : !d->is_two_bytes && d->opcode == 0xe8 ? CALLS : BRANCHES;
}

bool instruction_read(struct str code, uint32_t at, struct instruction *in)
{
	struct decoding d = { .code = code, .at = at };
	if (at >= code.n)
		return false;
	char form = opcode(&d);
	*in = (struct instruction){ 0 };
	if (form == 'j' || form == 'J') {
		take_distance(&d, form, in);
		in->is_common = true;
	} else {
		skip_operands(&d, form);
		in->kind = kind_of(&d);
		in->is_move = is_move(&d);
		in->is_common = in->kind != GOES_ON || is_common(&d);
	}
	in->size_bytes = (uint32_t)(d.at - at);
	return !d.is_bad;
}
