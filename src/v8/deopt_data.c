/*
 * DeoptimizationData: what V8 keeps to return from compiled code to the interpreter. It is an
 * array: some fields, then an entry of three words per exit: a bytecode, the start of its
 * translation, and the address to which a call returns.
 */
#include "v8/inlined.h"

enum { MAX_FIELDS = 20, MAX_LENGTH = 1 << 24, MAX_EXITS = 1 << 13 };
/* Fields behind that of inlining positions, the same in all versions. */
enum { EXIT_START = 1, CHECKS, CALLS_COUNT, ENTRIES };
enum { WORDS_OF_ENTRY = 3, TRANSLATION_OF_ENTRY = 1, PC_OF_ENTRY };

static uint32_t count_of(uint64_t word, uint32_t most)
{
	return v8_is_smi(word) && v8_smi(word) >= 0 && (uint32_t)v8_smi(word) <= most
		       ? (uint32_t)v8_smi(word)
		       : 0;
}

bool deopt_data_read(struct v8_process *p, const struct code *code, struct deopt_data *d)
{
	const struct v8_layout *l = p->layout;
	uint64_t words[MAX_FIELDS];
	uint32_t n = 0, inlined = (uint32_t)v8_get(l, V8_DEOPT_INLINING), bytes;
	uint32_t fields = inlined + ENTRIES;
	if (inlined + ENTRIES > MAX_FIELDS || !v8_is_pointer(code->deopt_data) ||
	    !v8_array_length(&p->heap, code->deopt_data, MAX_LENGTH, &n) || n <= inlined)
		return false;
	fields = n < fields ? n : fields;
	memset(words, 0, sizeof(words));
	if (!v8_read(&p->heap, code->deopt_data, v8_get(l, V8_ARRAY_DATA), words,
		     fields * sizeof(*words)))
		return false;
	*d = (struct deopt_data){ .shared = words[v8_get(l, V8_DEOPT_SFI)],
				  .literals = words[v8_get(l, V8_DEOPT_LITERALS)],
				  .inlined = words[inlined],
				  .translations = words[0],
				  .exit_start = count_of(words[inlined + EXIT_START], INT32_MAX),
				  .checks = count_of(words[inlined + CHECKS], MAX_EXITS),
				  .calls = count_of(words[inlined + CALLS_COUNT], MAX_EXITS) };
	if (l->origin[V8_TYPE_SFI_WRAPPER] &&
	    v8_type_of(&p->heap, d->shared) == v8_get(l, V8_TYPE_SFI_WRAPPER) &&
	    !v8_read_word(&p->heap, d->shared, v8_get(l, V8_SFI_WRAPPER_SHARED), &d->shared))
		return false;
	if (v8_is_pointer(d->inlined) && v8_array_length(&p->heap, d->inlined, MAX_LENGTH, &bytes))
		d->inlined_count = bytes / (uint32_t)sizeof(struct inlined_at);
	return true;
}

bool deopt_function(struct v8_process *p, const struct deopt_data *d, int32_t literal,
		    uint64_t *shared)
{
	uint32_t n;
	*shared = d->shared;
	if (literal < 0)
		return true;
	if (!v8_array_length(&p->heap, d->literals, MAX_LENGTH, &n) || (uint32_t)literal >= n ||
	    !v8_read_word(&p->heap, d->literals, v8_get(p->layout, V8_ARRAY_DATA) + literal * 8,
			  shared))
		return false;
	*shared = v8_address(*shared) | 1; /* it may be weak */
	return true;
}

bool deopt_inlined(struct v8_process *p, const struct deopt_data *d, struct inlined_at *out)
{
	return v8_read(&p->heap, d->inlined, v8_get(p->layout, V8_ARRAY_DATA), out,
		       d->inlined_count * sizeof(*out));
}

bool deopt_entries(struct v8_process *p, const struct code *code, const struct deopt_data *d,
		   struct deopt_entry *out)
{
	const struct v8_layout *l = p->layout;
	uint32_t count = d->checks + d->calls, n;
	uint32_t first = (uint32_t)v8_get(l, V8_DEOPT_INLINING) + ENTRIES;
	if (!count || !v8_array_length(&p->heap, code->deopt_data, MAX_LENGTH, &n) ||
	    n < first + count * WORDS_OF_ENTRY)
		return false;
	AUTO_FREE uint64_t *words = mem_alloc(count * WORDS_OF_ENTRY, sizeof(*words));
	if (!v8_read(&p->heap, code->deopt_data,
		     v8_get(l, V8_ARRAY_DATA) + (int32_t)(first * sizeof(*words)), words,
		     count * WORDS_OF_ENTRY * sizeof(*words)))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t *entry = words + (size_t)i * WORDS_OF_ENTRY;
		out[i] = (struct deopt_entry){ .translation = v8_smi(entry[TRANSLATION_OF_ENTRY]),
					       .pc = v8_smi(entry[PC_OF_ENTRY]) };
	}
	return true;
}

/* --- safepoints --- */

/*
 * Maglev's table is behind the code: four numbers, of which two are how many entries there are and how they
 * are written (a bit whether there are exits, then sizes of numbers, three bits each); then the entries.
 */
struct safepoints {
	struct str rest;
	uint32_t pc_bytes, index_bytes, other_bytes, count;
};

static uint32_t next_bytes(struct str *rest, uint32_t n)
{
	uint32_t value = 0;
	for (uint32_t i = 0; i < n && i < 4 && i < rest->n; i++)
		value |= (uint32_t)(uint8_t)rest->p[i] << 8 * i;
	*rest = str_from_byte(*rest, n);
	return value;
}

static bool read_safepoints(struct v8_process *p, const struct code *code, struct buf *bytes,
			    struct safepoints *s)
{
	enum { MAX_SAFEPOINTS = 1 << 14 };
	uint64_t at = code->start + code->size_bytes;
	uint32_t header[4], first = p->layout->has_frame_size;
	if (!memory_read(p->heap.memory, at, header, sizeof(header)))
		return false;
	s->count = header[first];
	uint32_t written = header[first + 1];
	s->pc_bytes = written >> 4 & 7;
	s->index_bytes = written >> 7 & 7;
	s->other_bytes = 1 + (written >> 1 & 7); /* registers: how many, and which */
	size_t n = (size_t)s->count * (2 * s->pc_bytes + s->index_bytes + s->other_bytes);
	if (!(written & 1) || s->count > MAX_SAFEPOINTS ||
	    !memory_read(p->heap.memory, at + sizeof(header), buf_reserve(bytes, n), n))
		return false;
	bytes->n = n;
	s->rest = buf_str(bytes);
	return true;
}

bool deopt_safepoints(struct v8_process *p, const struct code *code, const struct deopt_data *d,
		      struct deopt_entry *entries)
{
	AUTO(buf) struct buf bytes = { 0 };
	struct safepoints s;
	uint32_t found = 0;
	if (!d->calls)
		return true;
	if (!read_safepoints(p, code, &bytes, &s))
		return false;
	for (uint32_t i = 0; i < s.count; i++) {
		uint32_t pc = next_bytes(&s.rest, s.pc_bytes);
		uint32_t index = next_bytes(&s.rest, s.index_bytes); /* from 1 */
		uint32_t exit = next_bytes(&s.rest, s.pc_bytes);     /* from 1 */
		next_bytes(&s.rest, s.other_bytes);
		if (!index)
			continue;
		/* The entry has the exit's address, which tells that it is the right one. */
		if (index <= d->checks || index > d->checks + d->calls ||
		    entries[index - 1].pc != (int64_t)exit - 1)
			return false;
		entries[index - 1].pc = pc;
		found++;
	}
	return found == d->calls;
}
