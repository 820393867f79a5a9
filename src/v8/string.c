/*
 * Strings. A string that a program builds from pieces is a tree until somebody needs it whole: cons, sliced and thin
 * strings refer to others. plume walks the tree with its own stack and a limit, because it may be damaged.
 */
#include "v8/heap.h"

enum { REPRESENTATION_SEQ = 0, REPRESENTATION_CONS = 1, REPRESENTATION_EXTERNAL = 2 };
enum { REPRESENTATION_SLICED = 3, REPRESENTATION_THIN = 5 };
enum { HEAD_WORDS = 4, MAX_WAITING = 64, MAX_STEPS = 4096, PIECE_CHARS = 4096 };

/* A string, or a part of one, that is still to be visited. */
struct waiting {
	uint64_t string;
	uint32_t skipped, n; /* characters of it */
};

struct visit {
	struct v8_heap *heap;
	struct waiting stack[MAX_WAITING];
	uint32_t waiting, steps;
	v8_on_piece *on;
	void *context;
};

struct head {
	uint64_t words[HEAD_WORDS];
	int32_t type;
	uint32_t length;
};

static bool read_head(struct v8_heap *h, uint64_t string, struct head *head)
{
	int32_t at = v8_get(h->layout, V8_STRING_LENGTH);
	*head = (struct head){ 0 };
	if (!v8_is_pointer(string))
		return false;
	/* The shortest are of two words, and may be the last of their page. */
	if (!v8_read(h, string, 0, head->words, sizeof(head->words)) &&
	    !v8_read(h, string, 0, head->words, 2 * sizeof(uint64_t)))
		return false;
	head->type = v8_type_of_map(h, head->words[0]);
	if (!v8_is_string_type(h, head->type) || at < 0 ||
	    (size_t)at > sizeof(head->words) - sizeof(head->length))
		return false;
	memcpy(&head->length, (const char *)head->words + at, sizeof(head->length));
	return true;
}

static uint64_t word_of(const struct head *head, int32_t offset)
{
	uint32_t i = (uint32_t)offset / sizeof(uint64_t);
	return i < HEAD_WORDS ? head->words[i] : 0;
}

static bool push(struct visit *v, uint64_t string, uint32_t skipped, uint32_t n)
{
	if (!n)
		return true;
	if (v->waiting == MAX_WAITING)
		return false;
	v->stack[v->waiting++] = (struct waiting){ string, skipped, n };
	return true;
}

static bool visit_chars(struct visit *v, uint64_t address, bool is_two_byte, uint32_t n)
{
	uint16_t chars[PIECE_CHARS];
	uint32_t bytes = is_two_byte ? 2 : 1;
	while (n) {
		uint32_t step = n < PIECE_CHARS ? n : PIECE_CHARS;
		if (!memory_read(v->heap->memory, address, chars, (size_t)step * bytes))
			return false;
		struct v8_piece piece = { chars, step, is_two_byte };
		if (!v->on(v->context, &piece))
			return false;
		address += (uint64_t)step * bytes;
		n -= step;
	}
	return true;
}

static bool visit_flat(struct visit *v, const struct waiting *w, const struct head *head,
		       uint64_t chars)
{
	const struct v8_layout *l = v->heap->layout;
	bool is_one_byte =
		(head->type & v8_get(l, V8_STRING_ENCODING_MASK)) == v8_get(l, V8_ONE_BYTE_TAG);
	return visit_chars(v, chars + (uint64_t)w->skipped * (is_one_byte ? 1 : 2), !is_one_byte,
			   w->n);
}

static bool visit_cons(struct visit *v, const struct waiting *w, const struct head *head)
{
	const struct v8_layout *l = v->heap->layout;
	uint64_t first = word_of(head, v8_get(l, V8_CONS_FIRST));
	uint64_t second = word_of(head, v8_get(l, V8_CONS_SECOND));
	struct head first_head;
	if (!read_head(v->heap, first, &first_head))
		return false;
	uint32_t n = first_head.length;
	uint32_t of_first = w->skipped >= n ? 0 : n - w->skipped;
	if (of_first > w->n)
		of_first = w->n;
	/* What comes first is visited first: it is pushed last. */
	return push(v, second, w->skipped > n ? w->skipped - n : 0, w->n - of_first) &&
	       push(v, first, w->skipped, of_first);
}

static bool visit_one(struct visit *v, const struct waiting *w)
{
	const struct v8_layout *l = v->heap->layout;
	struct head head;
	if (!read_head(v->heap, w->string, &head) || w->skipped > head.length ||
	    w->n > head.length - w->skipped)
		return false;
	uint64_t address = v8_address(w->string), offset;
	bool is_one_byte =
		(head.type & v8_get(l, V8_STRING_ENCODING_MASK)) == v8_get(l, V8_ONE_BYTE_TAG);
	switch (head.type & v8_get(l, V8_STRING_REPRESENTATION_MASK)) {
	case REPRESENTATION_SEQ:
		return visit_flat(v, w, &head,
				  address + (uint64_t)v8_get(l, is_one_byte
									? V8_SEQ_ONE_BYTE_CHARS
									: V8_SEQ_TWO_BYTE_CHARS));
	case REPRESENTATION_EXTERNAL:
		return visit_flat(v, w, &head, word_of(&head, v8_get(l, V8_EXTERNAL_DATA)));
	case REPRESENTATION_CONS:
		return visit_cons(v, w, &head);
	case REPRESENTATION_THIN:
		return push(v, word_of(&head, v8_get(l, V8_THIN_ACTUAL)), w->skipped, w->n);
	case REPRESENTATION_SLICED:
		offset = word_of(&head, v8_get(l, V8_SLICED_OFFSET));
		return v8_is_smi(offset) && v8_smi(offset) >= 0 &&
		       w->skipped <= UINT32_MAX - (uint32_t)v8_smi(offset) &&
		       push(v, word_of(&head, v8_get(l, V8_SLICED_PARENT)),
			    (uint32_t)v8_smi(offset) + w->skipped, w->n);
	default:
		return false;
	}
}

static bool visit_all(struct visit *v)
{
	while (v->waiting) {
		struct waiting w = v->stack[--v->waiting];
		if (v->steps++ == MAX_STEPS || !visit_one(v, &w))
			return false;
	}
	return true;
}

bool v8_visit_string(struct v8_heap *h, uint64_t string, uint32_t most, v8_on_piece *on,
		     void *context)
{
	struct head head;
	if (!read_head(h, string, &head) || head.length > most)
		return false;
	struct visit v = { .heap = h, .on = on, .context = context };
	return push(&v, string, 0, head.length) && visit_all(&v);
}

/* --- as UTF-8 --- */

struct text {
	struct buf *out;
	uint32_t high; /* the first half of a character beyond U+FFFF; 0: none waits */
};

static void add_unit(struct text *t, uint32_t unit)
{
	bool is_high = unit >> 10 == 0xd800 >> 10, is_low = unit >> 10 == 0xdc00 >> 10;
	if (t->high && is_low) {
		utf8_add(t->out, 0x10000 + ((t->high & 0x3ff) << 10) + (unit & 0x3ff));
		t->high = 0;
		return;
	}
	if (t->high)
		utf8_add(t->out, 0xfffd);
	t->high = is_high ? unit : 0;
	if (!is_high)
		utf8_add(t->out, is_low ? 0xfffd : unit);
}

static bool add_piece(void *context, const struct v8_piece *piece)
{
	struct text *t = context;
	for (uint32_t i = 0; i < piece->n; i++)
		add_unit(t, piece->is_two_byte ? ((const uint16_t *)piece->chars)[i]
					       : ((const uint8_t *)piece->chars)[i]);
	return true;
}

bool v8_read_string(struct v8_heap *h, uint64_t string, uint32_t most, struct buf *out)
{
	struct head head;
	struct text t = { .out = out };
	if (!read_head(h, string, &head))
		return false;
	struct visit v = { .heap = h, .on = add_piece, .context = &t };
	bool ok = push(&v, string, 0, head.length < most ? head.length : most) && visit_all(&v);
	if (t.high)
		utf8_add(out, 0xfffd);
	return ok;
}
