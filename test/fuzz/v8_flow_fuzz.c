/*
 * Any bytes as compiled code: instructions, what is known of some of them, and translations. Input: how many
 * functions, loops, exits, calls and entries of the table of positions there are, then these, then the code;
 * all of it is read as a translation, too.
 */
#include "fuzz.h"

#include "v8/inlined.h"

struct input {
	struct str rest;
};

static uint32_t take(struct input *in, uint32_t below)
{
	uint8_t byte = in->rest.n ? (uint8_t)*in->rest.p : 0;
	in->rest = str_from_byte(in->rest, 1);
	return below ? byte % below : 0;
}

/* As those who fill it do: parents come first, loops around come behind. */
static void take_nodes(struct input *in, inlined_vec *nodes, uint32_t n, uint32_t loops)
{
	vec_push(nodes, (struct inlined){ 0, -1, -1, V8_NONE });
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t loop = take(in, loops + 2);
		vec_push(nodes, (struct inlined){ take(in, i), (int32_t)take(in, 4) - 1,
						  (int32_t)take(in, 16) - 1,
						  loop < loops ? loop : V8_NONE - (loop - loops) });
	}
}

static void take_loops(struct input *in, struct flow *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = i + 1 + take(in, 4);
		vec_push(&f->loops, (struct text_loop){ .parent = parent < n ? parent : V8_NONE });
	}
}

static struct point take_point(struct input *in, uint32_t nodes, uint32_t loops)
{
	uint32_t node = take(in, nodes + 1), loop = take(in, loops + 2);
	return (struct point){ { node < nodes ? node : V8_NONE, (int32_t)take(in, 16) - 1 },
			       loop < loops ? loop : V8_NONE - (loop - loops) };
}

static void take_points(struct input *in, point_vec *list, uint32_t n, const inlined_vec *nodes,
			uint32_t loops)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < n; i++) {
		at += 1 + take(in, 32);
		vec_push(list, (struct point_at){ at, take_point(in, nodes->n, loops) });
	}
}

static void check(const struct inlined_code *out, size_t size)
{
	struct spot spot;
	for (int64_t at = 0; out->is_flow_known && at <= (int64_t)size; at++)
		if (!inlined_find(out, at, &spot) || spot.node >= out->nodes.n)
			abort();
}

static void follow(struct input *in)
{
	struct flow f = { .exit_bytes = 4, .address = 0x10000 };
	struct inlined_code out = { 0 };
	uint32_t first = take(in, 256);
	uint32_t loops = first % 8, nodes = take(in, 16), exits = take(in, 16);
	uint32_t calls = take(in, 8), told = take(in, 16);
	take_loops(in, &f, loops);
	take_nodes(in, &out.nodes, nodes, loops);
	for (uint32_t i = 0; i < exits; i++)
		vec_push(&f.exits, take_point(in, out.nodes.n, loops));
	take_points(in, &f.calls, calls, &out.nodes, loops);
	take_points(in, &f.told, told, &out.nodes, loops);
	f.code = in->rest;
	f.is_all_told = first & 8;
	if (first & 16)
		flow_unite_copies(&f, &out.nodes);
	out.is_flow_known = flow_follow(&f, &out);
	check(&out, in->rest.n);
	flow_fini(&f);
	vec_fini(&out.nodes);
	vec_fini(&out.spans);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct v8_translations formats[] = {
		{ 0, 0, "2103113131111111115334111112", { 3, 3 }, { 18, 18 }, 0, true },
		{ 0,
		  0,
		  "5333213432103311111111111111111101111121",
		  { 12, 13 },
		  { 0, 1 },
		  39,
		  false },
	};
	struct input in = { { (const char *)data, size } };
	struct exit_frame frames[MAX_DEPTH];
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (translation_frames(&formats[i], in.rest, size / 2, frames, MAX_DEPTH) >
		    MAX_DEPTH)
			abort();
	follow(&in);
	return 0;
}
