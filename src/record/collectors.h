/* All collectors of a recording. Each function calls the one of the same name in every collector; see collector.h. */
#pragma once
#include "record/collector.h"

struct chunk;

void collecting_init(struct collecting *c, const struct record_options *options,
		     struct opened_events *events);
void collecting_fini(struct collecting *c);

void collectors_ask(struct collecting *c);
void collectors_attach(struct collecting *c, int fd, int cpu, int ring_fd);
void collectors_detach(struct collecting *c);
void collectors_start(struct collecting *c);
void collectors_came(struct collecting *c, struct known_process *p);
void collectors_went(struct collecting *c, struct known_process *p);
void collectors_record(struct collecting *c, const struct perf_record *r);
bool collectors_look(struct collecting *c, uint64_t now_ns);
void collectors_stop(struct collecting *c, uint64_t now_ns, bool is_part);
void collectors_end(struct collecting *c);
void collectors_describe(struct collecting *c, struct profile *p, bool is_part);
void collectors_next(struct collecting *c, uint64_t now_ns);
void collectors_leave_out(struct collecting *c, int32_t pid);
/* For struct perf_live. */
uint32_t collectors_name(void *collecting, uint32_t code, const struct perf_found_name **names);
/* Records of BPF programs that were lost for lack of room. */
uint64_t collectors_lost(const struct collecting *c);
/* Whether a collector's BPF program wrote the record, so that it is not a sample. */
bool collectors_wrote(const struct collecting *c, const struct perf_record *r);

/* --- on the drain thread --- */

size_t collectors_whole_bytes(const struct collecting *c, const char *bytes, size_t n);
void collectors_make_whole(struct collecting *c, const char *bytes, size_t n, char *to);
/* Shows the records of a chunk to all collectors and stores their findings with the chunk. */
void collectors_look_fresh(struct collecting *c, struct chunk *chunk);
