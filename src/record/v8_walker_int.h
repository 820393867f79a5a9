/* The program in the kernel, loaded: what v8_walker.c gets from v8_walker_load.c. */
#pragma once
#include "record/collector.h"
#include "record/v8_walker.h"

struct loaded_program {
	bool is_loaded;
	int program, processes, outputs, lost, thinning,
		others; /* descriptors; the maps' names are the program's */
};
/* Loads it. False: e; l may be unloaded all the same. */
bool v8_walker_load(struct loaded_program *l, struct err *e);
void v8_walker_unload(struct loaded_program *l);

/* A cpu's event, and what it wrote last. */
struct walker_output {
	int cpu, fd;
	uint64_t id;
	int32_t tid; /* 0: nothing waits */
	uint64_t time_ns;
	struct buf bytes; /* struct walker_record, as far as it was written */
};

struct v8_walker {
	struct collecting *collecting;
	struct loaded_program loaded;
	struct err trouble;	     /* why it is not */
	struct perf_events *formats; /* of its own records */
	VEC(struct walker_output) outputs;
	struct v8_walked walked; /* the stack at hand */
};
/* A record that it wrote. */
struct walker_output_record {
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	struct str bytes;
};
/* What it wrote, taken apart (v8_walker_records.c). */
struct written {
	struct walker_output_record record;
	struct walker_head head;
	const char *words;
	uint32_t frame_words; /* of head.words, for frames; the chain is behind them */
	bool has_context;     /* the chain begins with the mark that it is the program's part */
};
static inline uint64_t written_word(const char *words, size_t i)
{
	uint64_t word;
	memcpy(&word, words + i * sizeof(word), sizeof(word));
	return word;
}
/* Where the words of the frame are that is at an index, and where the next frame is. */
uint32_t written_frame(const char *words, uint32_t at, uint32_t *next);
/* bytes: struct walker_record, which the kernel may have padded; record is left alone. False: it is none. */
bool written_decode(struct str bytes, struct written *out);
/* Words of the first piece of the stack; those that were left out are 0. */
void written_top(const struct written *w, uint64_t words[static THIN_WORDS]);
/* As struct collector and struct collector_kernel have them. */
bool v8_walker_wrote(const void *walker, const struct perf_record *r);
void v8_walker_fresh_record(void *walker, const struct perf_record *r);
void v8_walker_fresh_sample(void *walker, struct fresh_sample *s);
size_t thin_whole_bytes(const void *walker, const char *bytes, size_t n);
void thin_make_whole(void *walker, const char *bytes, size_t n, char *to);
/* How large the sample is that it stands for, as a PERF_RECORD_SAMPLE, and that one; returns its end. */
size_t thin_sample_bytes(const struct perf_event_attr *attr, const struct written *w);
char *thin_put_sample(char *to, const struct perf_event_attr *attr, uint64_t id,
		      const struct written *w);
/* bytes: as for written_decode. False: it is not whole, or has no frames. */
bool v8_walker_decode(struct str bytes, struct v8_walked *out);
/* Bytes of the program, as clang made them; empty: this build has none. */
extern const struct str v8_walker_object;
