/*
 * Holds back records of processes that may or may not be targets. Each cpu has its own buffer, so a child's samples
 * may be read from one before the record of its fork is read from another. All buffers are read in rounds, so the
 * fork turns up in the same round or the next; a record is then passed on or dropped.
 */
#include "record/follow.h"

void strangers_fini(struct strangers *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(s->rounds); i++)
		vec_fini(&s->rounds[i]);
}

void strangers_add(struct strangers *s, int32_t pid, const struct perf_record *record)
{
	vec_push(&s->rounds[1], (struct strange_record){ pid, *record });
}

bool strangers_take(struct strangers *s, int32_t pid, struct strangers_place *at,
		    struct perf_record *record)
{
	for (; at->round < ARRAY_SIZE(s->rounds); at->round++, at->i = 0)
		while (at->i < s->rounds[at->round].n) {
			struct strange_record *each = &s->rounds[at->round].p[at->i++];
			if (each->pid != pid)
				continue;
			each->pid = 0;
			*record = each->record;
			return true;
		}
	return false;
}

void strangers_end_round(struct strangers *s)
{
	struct strange_records done = s->rounds[0];
	s->rounds[0] = s->rounds[1];
	s->rounds[1] = done;
	s->rounds[1].n = 0;
}
