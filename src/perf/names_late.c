/*
 * Late names: for code whose jitdump entries are still in the writer's own buffers, as Python's are until it exits.
 * Each such address gets its own frame in the profile, which is named once the file has grown.
 */
#include "naming/naming.h"
#include "perf/perf_int.h"

enum { MAX_LATE = 1 << 16 };

/* `[jit-12.dump <7f0012345678>]`: what remains if the recorder is killed. */
static frame_id add_frame_by_address(struct perf_session *s, const struct late_name *late)
{
	AUTO(buf) struct buf name = { 0 };
	struct frame f = s->p->frames.p[late->unnamed];
	buf_addf(&name, "[%.*s <%llx>]", STR_ARG(str_basename(profile_str(s->p, f.module))),
		 (unsigned long long)late->address);
	f.name = profile_add_str(s->p, buf_str(&name));
	f.kind = FRAME_JIT;
	return profile_add_own_frame(s->p, &f);
}

bool late_names_add(struct location_names *n, location_id id, mapped_id jitdump)
{
	struct perf_session *s = n->s;
	if (s->late.n >= MAX_LATE)
		return false;
	location_add_unnamed(n, id, s->mapped.list.p[jitdump].path);
	struct late_name late = { .jitdump = jitdump, .address = s->locations.list.p[id].address };
	frame_id *frame = &n->frames.p[n->first[id]];
	late.unnamed = *frame;
	late.frame = add_frame_by_address(s, &late);
	*frame = late.frame;
	n->is_unnamed[id] = false; /* not known yet */
	vec_push(&s->late, late);
	return true;
}

static bool find_name(struct perf_session *s, const struct late_name *late)
{
	const struct mapped *m = &s->mapped.list.p[late->jitdump];
	uint32_t code =
		m->jitdump ? jitdump_find(m->jitdump, late->address, UINT64_MAX) : INDEX_NONE;
	if (code == INDEX_NONE)
		return false;
	struct named_frame f = { .name = jitdump_name(m->jitdump, code),
				 .module = m->path,
				 .kind = FRAME_JIT };
	if (s->options.names.wants_lines)
		jitdump_line(m->jitdump, code, late->address, &f.file, &f.line);
	f.function_file = f.file;
	profile_change_frame(s->p, late->frame, naming_add_frame(s->p, &f), 0);
	return true;
}

void late_names_find(struct perf_session *s)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->late.n; i++)
		if (!find_name(s, &s->late.p[i]))
			s->late.p[kept++] = s->late.p[i];
	s->late.n = kept;
}

/* --- frames that stay unnamed --- */

/* Samples by node, including those of its descendants. */
static uint64_t *weigh_nodes(const struct profile *p)
{
	uint64_t *weight = mem_zalloc(p->nodes.n, sizeof(*weight));
	for (uint32_t i = 0; i < p->samples.n; i++)
		weight[p->samples.node[i]] += p->samples.count[i];
	for (uint32_t i = p->nodes.n; i-- > 1;)
		weight[p->nodes.p[i].parent] += weight[i];
	return weight;
}

static uint64_t *weigh_frames(const struct profile *p)
{
	AUTO_FREE uint64_t *of_node = weigh_nodes(p);
	uint64_t *weight = mem_zalloc(p->frames.n + 1, sizeof(*weight));
	for (uint32_t i = 1; i < p->nodes.n; i++)
		weight[p->nodes.p[i].frame] += of_node[i];
	return weight;
}

static void count_unnamed(struct perf_session *s, const struct late_name *late, uint64_t weight)
{
	AUTO(buf) struct buf reason = { 0 };
	struct profile *p = s->p;
	const struct mapped *m = &s->mapped.list.p[late->jitdump];
	buf_addf(&reason, "its jitdump, %.*s, %s", STR_ARG(m->path),
		 m->jitdump ? "did not have these functions yet" : "is missing");
	struct str fix =
		m->jitdump ? STR("the process writes these names when it exits: record until then")
			   : STR("record with --map and a copy of it, or the folder of one");
	profile_change_frame(p, late->frame, late->unnamed, weight);
	p->ledger.count[LEDGER_UNKNOWN_FRAMES] += weight;
	profile_add_unnamed(p, (struct unnamed){ profile_add_str(p, m->path),
						 profile_add_str(p, buf_str(&reason)),
						 profile_add_str(p, fix), weight });
}

void late_names_end(struct perf_session *s)
{
	AUTO_FREE uint64_t *weight = s->late.n ? weigh_frames(s->p) : NULL;
	for (uint32_t i = 0; i < s->late.n; i++)
		count_unnamed(s, &s->late.p[i], weight[s->late.p[i].frame]);
	s->late.n = 0;
}
