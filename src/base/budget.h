/*
 * Limits on the cost of reading other people's files: memory held for them, and work, counted in
 * bytes read, unpacked or searched. The size of a file costs nothing, because mapped files are
 * paged in on demand; holes in a file do count, and a compressed byte counts as what it expands to.
 *
 * Budgets are nested: a file's is part of its process's, which is part of its user's, which is part
 * of the total for all users, so a hostile user cannot starve the others. Files of root and of the
 * user who runs plume get far more, and so do all files if the user named the process.
 *
 * Functions take NULL for an unlimited budget. Not thread-safe.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <sys/types.h>

struct buf;

enum budget_scope { BUDGET_FILE, BUDGET_PROCESS, BUDGET_USER, BUDGET_ALL, BUDGET_SCOPES };

struct budget {
	struct budget *above; /* NULL at the top */
	enum budget_scope scope;
	bool is_ample;
	uint32_t parts; /* nested budgets that have not ended */
	uint64_t held_bytes, most_held_bytes;
	uint64_t work_bytes, most_work_bytes;
	bool is_spent;		 /* something was refused, so the file was not read completely */
	bool was_memory;	 /* ... because of memory; otherwise because of work */
	enum budget_scope limit; /* ... and whose limit it was */
};

/* The budget of one file, by its owner. */
struct budget budget_of_owner(uid_t owner);
/* Holds memory until budget_end. Returns false and sets is_spent if none is left. */
bool budget_hold(struct budget *b, uint64_t bytes);
void budget_release(struct budget *b, uint64_t bytes);
bool budget_work(struct budget *b, uint64_t bytes);
/* The work that is left. */
uint64_t budget_work_left(const struct budget *b);
/* Makes b a part of another budget, like a file inside a file. */
void budget_nest(struct budget *b, struct budget *above);
/* Releases all its memory. */
void budget_end(struct budget *b);
/* Appends part of a sentence: why the file was not read to its end. */
void budget_explain(const struct budget *b, struct buf *reason);
/* What the user can do about it. */
extern const char budget_advice[];

/* The budgets of the processes and users in a recording, and the files that ran out of budget. */
struct budgets;

/*
 * is_ample: the user named what is read, or it was recorded earlier (perf.data). caller: the user
 * whose files are trusted like our own, as under sudo.
 */
struct budgets *budgets_new(bool is_ample, uid_t caller);
void budgets_free(struct budgets *all);
/* Nests a file's budget in those of its process and owner. all may be NULL. */
void budgets_join(struct budgets *all, struct budget *file, int32_t pid, uid_t owner);
/* Adds to the work budget for each second that a recording runs. */
void budgets_refill(struct budgets *all, uint64_t elapsed_ns);
/* Remembers a file that ran out of budget, once; does nothing for other files. */
void budgets_note(struct budgets *all, struct str path, const struct budget *file);
/* Appends a sentence or two about such files since the last call. Returns false if none. */
bool budgets_describe(struct budgets *all, struct buf *out);
