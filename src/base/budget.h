/*
 * What reading other people's files may cost: memory that is held because of them, and work, in bytes that
 * are read, unpacked or looked through. The size of a file is no cost, as mapped files are paged in where
 * they are needed; holes do count, and a compressed byte counts as what it becomes.
 *
 * Budgets are nested: a file's is part of its process's, that one of its user's, and that one of what all
 * users may have together, so that a hostile user takes nothing from others. Files of root and of the user
 * who runs plume, and all files where the user named the process, have far more.
 *
 * Functions take NULL for a budget that has no bounds. Not for several threads at once.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <sys/types.h>

struct buf;

enum budget_scope { BUDGET_FILE, BUDGET_PROCESS, BUDGET_USER, BUDGET_ALL, BUDGET_SCOPES };

struct budget {
	struct budget *above; /* NULL: none */
	enum budget_scope scope;
	bool is_ample;
	uint32_t parts; /* of others: what is below it and not ended */
	uint64_t held_bytes, most_held_bytes;
	uint64_t work_bytes, most_work_bytes;
	bool is_spent;	 /* something was refused: what comes of the file is not all of it */
	bool was_memory; /* ... for its memory; else for the work */
	enum budget_scope limit; /* ... and whose bound it was */
};

/* A file's own, by its owner. */
struct budget budget_of_owner(uid_t owner);
/* Memory that stays until budget_end. False: there is no more, and is_spent is set. */
bool budget_hold(struct budget *b, uint64_t bytes);
void budget_release(struct budget *b, uint64_t bytes);
bool budget_work(struct budget *b, uint64_t bytes);
/* How much work is left. */
uint64_t budget_work_left(const struct budget *b);
/* It is a part of another one, as a file inside of a file. */
void budget_nest(struct budget *b, struct budget *above);
/* Its memory is free. */
void budget_end(struct budget *b);
/* Part of a sentence: why the file was not read to its end. */
void budget_explain(const struct budget *b, struct buf *reason);
/* What would help. */
extern const char budget_advice[];

/* Those of the processes and users of a recording, and which files had too little. */
struct budgets;

/*
 * is_ample: the user named what is read, or it was read before (perf.data). caller: whose files are as
 * good as one's own, as under sudo.
 */
struct budgets *budgets_new(bool is_ample, uid_t caller);
void budgets_free(struct budgets *all);
/* Makes a file's budget a part of the others. all may be NULL. */
void budgets_join(struct budgets *all, struct budget *file, int32_t pid, uid_t owner);
/* A recording goes on: for each second there is some more work to be had. */
void budgets_refill(struct budgets *all, uint64_t elapsed_ns);
/* Remembers a file that had too little, once; does nothing for others. */
void budgets_note(struct budgets *all, struct str path, const struct budget *file);
/* A sentence or two on those since the last call. False: there were none. */
bool budgets_describe(struct budgets *all, struct buf *out);
