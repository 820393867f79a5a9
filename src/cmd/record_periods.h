/*
 * A recording that goes on and on: a .plume for each period, in a folder that stays in bounds. What is
 * written stays readable whatever happens: plume is killed, the disk is full, the folder goes away.
 */
#pragma once
#include "cmd/cmd.h"
#include "record/record.h"

struct period_files;

/* Makes the folder where it is not there, and the first file. o stays the caller's. NULL: e. */
struct period_files *period_files_new(const struct rotation_options *o, struct err *e);
void period_files_free(struct period_files *f);
/* Writes what p has gained. Trouble is said, once, and tried again with the next. */
void period_files_append(struct period_files *f, const struct profile *p);
/* The period is over: all of it is in p. */
void period_files_end(struct period_files *f, const struct profile *p);
/* The next one begins. */
void period_files_begin(struct period_files *f);
/* The file at hand has its share of the bytes that all may have: the period is to end now. */
bool period_files_is_large(const struct period_files *f);
/* Bytes of the file at hand. */
uint64_t period_files_bytes(const struct period_files *f);
/* What was made and removed, and what could not be written, for the user. */
void period_files_say_summary(const struct period_files *f);
