#pragma once
#include "model/model.h"
struct record_screen;
struct record_progress { uint64_t elapsed_ns, duration_ns, samples, lost; double on_cpu; uint64_t output_bytes; const char *state; };
static inline struct record_screen *record_screen_new(int fd, const char *t) { (void)fd; (void)t; return NULL; }
static inline void record_screen_update(struct record_screen *s, const struct record_progress *p, const struct profile *q) { (void)s; (void)p; (void)q; }
static inline void record_screen_free(struct record_screen *s) { (void)s; }
static inline void record_screen_forget(struct record_screen *s) { (void)s; }
