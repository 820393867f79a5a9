/* How far something that may take long has come: written by whoever does it, read by another thread. */
#pragma once
#include <stdatomic.h>
#include <stdint.h>

struct progress {
	_Atomic(const char *) what;	/* `reading`, a text that stays; NULL: it has not begun */
	atomic_uint_fast64_t done, all; /* all 0: not known */
	atomic_uint_fast64_t samples;	/* that came so far; 0: not counted */
};

/* p may be NULL: nobody looks. */
static inline void progress_begin(struct progress *p, const char *what, uint64_t all)
{
	if (!p)
		return;
	atomic_store(&p->done, 0);
	atomic_store(&p->all, all);
	atomic_store(&p->what, what);
}

static inline void progress_add(struct progress *p, uint64_t n)
{
	if (p)
		atomic_fetch_add(&p->done, n);
}
