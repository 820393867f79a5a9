/*
 * Records of processes that nobody asked for, kept until that is sure. Each cpu has a buffer: what a child did on one
 * may be read before the record of its fork, which another one has. All buffers are read in rounds, so that record
 * comes in the same round or in the next.
 */
#include "record/record_int.h"

void strangers_fini(struct strangers *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(s->rounds); i++)
		vec_fini(&s->rounds[i]);
}

void strangers_add(struct strangers *s, int32_t pid, const char *record)
{
	vec_push(&s->rounds[1], (struct strange_record){ pid, record });
}

const char *strangers_take(struct strangers *s, int32_t pid, struct strangers_place *at)
{
	for (; at->round < ARRAY_SIZE(s->rounds); at->round++, at->i = 0)
		while (at->i < s->rounds[at->round].n) {
			struct strange_record *each = &s->rounds[at->round].p[at->i++];
			const char *record = each->record;
			each->record = each->pid == pid ? NULL : record;
			if (record && !each->record)
				return record;
		}
	return NULL;
}

void strangers_end_round(struct strangers *s)
{
	struct strange_records done = s->rounds[0];
	s->rounds[0] = s->rounds[1];
	s->rounds[1] = done;
	s->rounds[1].n = 0;
}
