/* Any bytes as a file of a container runtime's, whole and in pieces: the same states, and texts that are fit to print. */
#include "fuzz.h"
#include "target/container_int.h"

static void add_text(struct buf *seen, const char *text)
{
	for (const char *p = text; p && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			abort();
	buf_addf(seen, "%s|", text ? text : "-");
}

static void on_state(void *context, const struct container_state *s)
{
	struct buf *seen = context;
	if (s->id && (strchr(s->id, '/') || s->id[0] == '.' || !s->id[0]))
		abort();
	add_text(seen, s->id);
	add_text(seen, s->name);
	add_text(seen, s->pod);
	add_text(seen, s->kubernetes_name);
	add_text(seen, s->manager);
	add_text(seen, s->bundle);
	add_text(seen, s->data_root);
	buf_addf(seen, "%lld %lld\n", (long long)s->pid, (long long)s->start_ticks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 0, 1, 7, 64 };
	AUTO(buf) struct buf whole = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		AUTO(buf) struct buf pieces = { 0 };
		struct reader *r =
			reader_of_memory((struct str){ (const char *)data, size }, steps[i]);
		container_states_read(r, on_state, i ? &pieces : &whole);
		reader_free(r);
		if (i && !str_eq(buf_str(&whole), buf_str(&pieces)))
			abort();
	}
	return 0;
}
