/*
 * A continuous recording: one .plume per period, in a folder of bounded size. Files stay readable
 * whatever happens: plume is killed, the disk is full, the folder is removed.
 */
#pragma once
#include "cmd/cmd.h"
#include "record/record.h"

struct period_files;

/*
 * Creates the folder if it does not exist, and the first file. The caller keeps o. Returns NULL and
 * sets e on failure.
 */
struct period_files *period_files_new(const struct rotation_options *o, struct err *e);
void period_files_free(struct period_files *f);
/* Writes what p has gained. Reports an error once, and tries again next time. */
void period_files_append(struct period_files *f, const struct profile *p);
/* Ends the period: p is complete. */
void period_files_end(struct period_files *f, const struct profile *p);
/* Begins the next period. */
void period_files_begin(struct period_files *f);
/* The current file has used up its share of the total size: the period should end now. */
bool period_files_is_large(const struct period_files *f);
/* The size of the current file. */
uint64_t period_files_bytes(const struct period_files *f);
/* Tells the user which files were made and removed, and what could not be written. */
void period_files_say_summary(const struct period_files *f);
