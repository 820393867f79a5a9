/* The loaded BPF program, as v8_walker.c gets it from v8_walker_load.c. */
#pragma once
#include "record/collector.h"
#include "record/v8_walker.h"

struct loaded_program {
	bool is_loaded;
	/* Descriptors. Maps have the same names as in the program. */
	int program, processes, outputs, lost, thinning, others;
};
/* Loads the program. Returns false and sets e on failure; calling unload is harmless then. */
bool v8_walker_load(struct loaded_program *l, struct err *e);
void v8_walker_unload(struct loaded_program *l);

/* A cpu's event and its latest output. */
struct walker_output {
	int cpu, fd;
	uint64_t id;
	int32_t tid; /* 0 if nothing is pending */
	uint64_t time_ns;
	struct buf bytes; /* struct walker_record, up to what was written */
};

struct v8_walker {
	struct collecting *collecting;
	struct loaded_program loaded;
	struct err trouble;	     /* why the program is not loaded */
	struct perf_events *formats; /* of its own records */
	VEC(struct walker_output) outputs;
	struct v8_walked walked; /* the current stack */
};
/* A record that the program wrote. */
struct walker_output_record {
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	struct str bytes;
};
/* The decoded output (v8_walker_records.c). */
struct written {
	struct walker_output_record record;
	struct walker_head head;
	const char *words;
	uint32_t frame_words; /* the part of head.words with frames; the chain follows */
	bool has_context;     /* the chain begins with PERF_CONTEXT_USER */
};
static inline uint64_t written_word(const char *words, size_t i)
{
	uint64_t word;
	memcpy(&word, words + i * sizeof(word), sizeof(word));
	return word;
}
/* Returns the index of the frame's words, which a repeated frame shares, and sets *next to the next frame. */
uint32_t written_frame(const char *words, uint32_t at, uint32_t *next);
/*
 * bytes is a struct walker_record, possibly padded by the kernel; out->record is not set. Returns
 * false if it is invalid.
 */
bool written_decode(struct str bytes, struct written *out);
/* The words of the first piece of the stack, with 0 for words that were dropped. */
void written_top(const struct written *w, uint64_t words[static THIN_WORDS]);
/* For struct collector and struct collector_kernel. */
bool v8_walker_wrote(const void *walker, const struct perf_record *r);
void v8_walker_fresh_record(void *walker, const struct perf_record *r);
void v8_walker_fresh_sample(void *walker, struct fresh_sample *s);
size_t thin_whole_bytes(const void *walker, const char *bytes, size_t n);
void thin_make_whole(void *walker, const char *bytes, size_t n, char *to);
/*
 * thin_sample_bytes returns the size of the PERF_RECORD_SAMPLE that the output stands for.
 * thin_put_sample writes it and returns its end.
 */
size_t thin_sample_bytes(const struct perf_event_attr *attr, const struct written *w);
char *thin_put_sample(char *to, const struct perf_event_attr *attr, uint64_t id,
		      const struct written *w);
/* bytes as in written_decode. Returns false if the record is incomplete or has no frames. */
bool v8_walker_decode(struct str bytes, struct v8_walked *out);
/* The compiled BPF object; empty if this build has none. */
extern const struct str v8_walker_object;
