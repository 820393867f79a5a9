/* Progress of something that may take long: written by the thread that does it, read by another. */
#pragma once
#include <stdatomic.h>
#include <stdint.h>

struct progress {
	_Atomic(const char *) what;	/* `reading`, a static text; NULL before it begins */
	atomic_uint_fast64_t done, all; /* all is 0 if not known */
	atomic_uint_fast64_t samples;	/* read so far; 0: not counted */
};

/* p may be NULL if nobody is watching. */
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
