/* Any bytes as JSON, whole and in pieces: the same values, the same fault at the same place. */
#include "fuzz.h"
#include "base/base.h"

/* What is read, as text. The first byte of the input says what is taken and what is skipped. */
struct walk {
	struct json *j;
	struct buf seen;
	unsigned takes; /* bits, used in turn */
};

static bool next_bit(struct walk *w)
{
	w->takes = w->takes >> 1 | w->takes << 31;
	return w->takes & 1;
}

static void scalar(struct walk *w, enum json_type type)
{
	struct json_decimal d;
	struct str text;
	int64_t number = 0;
	bool flag = false;
	if (type == JSON_STRING && json_string(w->j, &text))
		buf_add(&w->seen, text);
	else if (type == JSON_NUMBER && next_bit(w) && json_number(w->j, 3, &number))
		buf_addf(&w->seen, "%lld", (long long)number);
	else if (type == JSON_NUMBER && json_decimal(w->j, 9, &d))
		buf_addf(&w->seen, "%llu/%u", (unsigned long long)d.units, d.decimals);
	else if (type == JSON_BOOL && json_bool(w->j, &flag))
		buf_add_char(&w->seen, flag ? 't' : 'f');
	else if (type == JSON_NULL)
		json_skip(w->j);
}

static void indices(struct walk *w)
{
	uint32_t index;
	json_array(w->j);
	while (json_index(w->j, &index))
		buf_addf(&w->seen, "%u,", index);
}

/* Without recursion, so that depth is no matter of the stack. is_object: by depth. */
static void walk(struct walk *w)
{
	VEC(bool) is_object = { 0 };
	struct str key;
	bool has_value = true;
	for (;;) {
		if (has_value) {
			enum json_type type = json_peek(w->j);
			bool nests = type == JSON_OBJECT || type == JSON_ARRAY;
			if (nests && next_bit(w))
				json_skip(w->j);
			else if (type == JSON_ARRAY && next_bit(w))
				indices(w);
			else if (nests &&
				 (type == JSON_OBJECT ? json_object(w->j) : json_array(w->j)))
				vec_push(&is_object, type == JSON_OBJECT);
			else
				scalar(w, type);
		}
		if (!is_object.n || json_fault(w->j))
			break;
		if (json_depth(w->j) != is_object.n)
			abort();
		if (is_object.p[is_object.n - 1]) {
			has_value = json_key(w->j, &key);
			if (has_value)
				buf_add(&w->seen, key);
		} else {
			has_value = json_element(w->j);
		}
		is_object.n -= !has_value;
	}
	json_at_end(w->j);
	vec_fini(&is_object);
}

static void look(struct str text, size_t step, unsigned takes, struct buf *seen)
{
	struct reader *r = reader_of_memory(text, step);
	struct walk w = { json_new(r), { 0 }, takes };
	walk(&w);
	buf_addf(&w.seen, " %s at %llu %d", json_fault(w.j) ? json_fault(w.j) : "",
		 (unsigned long long)json_offset(w.j), json_is_cut(w.j));
	if (json_offset(w.j) > text.n || (json_is_cut(w.j) && json_offset(w.j) != text.n))
		abort();
	json_free(w.j);
	reader_free(r);
	*seen = w.seen;
}

/* What is written is read back to the byte. */
static void write_and_read(struct str text)
{
	struct json_out written = { .strings = JSON_BYTES };
	struct str back;
	json_out_string(&written, NULL, text);
	struct reader *r = reader_of_memory(buf_str(&written.text), 0);
	struct json *j = json_new(r);
	if (!json_string(j, &back) || !str_eq(back, text) || !json_at_end(j))
		abort();
	json_free(j);
	reader_free(r);
	buf_fini(&written.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 1, 2, 3, 7, 64 };
	if (!size)
		return 0;
	struct str text = { (const char *)data + 1, size - 1 };
	unsigned takes = data[0] * 0x01010101u;
	AUTO(buf) struct buf whole = { 0 };
	look(text, 0, takes, &whole);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		AUTO(buf) struct buf pieces = { 0 };
		look(text, steps[i], takes, &pieces);
		if (!str_eq(buf_str(&whole), buf_str(&pieces)))
			abort();
	}
	write_and_read(text);
	return 0;
}
