#include "base/budget.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/index_map.h"
#include "base/mem.h"
#include "base/vec.h"

#include <unistd.h>

#define MB ((uint64_t)1 << 20)

struct allowance {
	uint64_t held_bytes, work_bytes;
	uint64_t more_work_bytes; /* each second */
};

/* Together they cost a recorder of the whole machine about a second, and less memory than itself. */
static const struct allowance strict[BUDGET_SCOPES] = {
	[BUDGET_FILE] = { 64 * MB, 256 * MB, 0 },
	[BUDGET_PROCESS] = { 72 * MB, 320 * MB, 8 * MB },
	[BUDGET_USER] = { 80 * MB, 512 * MB, 16 * MB },
	[BUDGET_ALL] = { 96 * MB, 768 * MB, 32 * MB },
};

/* For the debug files of the largest programs. */
static const struct allowance ample[BUDGET_SCOPES] = {
	[BUDGET_FILE] = { 2048 * MB, 8192 * MB, 0 },
	[BUDGET_PROCESS] = { 3072 * MB, 16384 * MB, 64 * MB },
	[BUDGET_USER] = { 4096 * MB, 65536 * MB, 128 * MB },
	[BUDGET_ALL] = { 4096 * MB, 65536 * MB, 128 * MB },
};

const char budget_advice[] = "record only that process (plume record -p PID), or run plume as its "
			     "user: the limits are higher then";

static const struct allowance *allowance_of(const struct budget *b)
{
	return (b->is_ample ? ample : strict) + b->scope;
}

static struct budget budget_of_scope(enum budget_scope scope, bool is_ample)
{
	struct budget b = { .scope = scope, .is_ample = is_ample };
	const struct allowance *a = allowance_of(&b);
	b.most_held_bytes = a->held_bytes;
	b.most_work_bytes = a->work_bytes;
	return b;
}

static bool is_trusted(uid_t owner)
{
	return owner == 0 || owner == geteuid();
}

struct budget budget_of_owner(uid_t owner)
{
	return budget_of_scope(BUDGET_FILE, is_trusted(owner));
}

static bool refuse(struct budget *b, const struct budget *limit, bool was_memory)
{
	if (!b->is_spent) {
		b->was_memory = was_memory;
		b->limit = limit->scope;
	}
	b->is_spent = true;
	return false;
}

bool budget_hold(struct budget *b, uint64_t bytes)
{
	for (struct budget *at = b; at; at = at->above)
		if (bytes > at->most_held_bytes - at->held_bytes)
			return refuse(b, at, true);
	for (struct budget *at = b; at; at = at->above)
		at->held_bytes += bytes;
	return true;
}

void budget_release(struct budget *b, uint64_t bytes)
{
	for (; b; b = b->above)
		b->held_bytes -= bytes < b->held_bytes ? bytes : b->held_bytes;
}

bool budget_work(struct budget *b, uint64_t bytes)
{
	for (struct budget *at = b; at; at = at->above)
		if (bytes > at->most_work_bytes - at->work_bytes)
			return refuse(b, at, false);
	for (struct budget *at = b; at; at = at->above)
		at->work_bytes += bytes;
	return true;
}

uint64_t budget_work_left(const struct budget *b)
{
	uint64_t left = UINT64_MAX;
	for (; b; b = b->above)
		if (b->most_work_bytes - b->work_bytes < left)
			left = b->most_work_bytes - b->work_bytes;
	return left;
}

void budget_nest(struct budget *b, struct budget *above)
{
	budget_end(b);
	b->above = above;
	above->parts++;
}

void budget_end(struct budget *b)
{
	budget_release(b, b->held_bytes);
	if (b->above)
		b->above->parts--;
	b->above = NULL;
}

void budget_explain(const struct budget *b, struct buf *reason)
{
	static const char *const whose[] = {
		[BUDGET_FILE] = "one file",
		[BUDGET_PROCESS] = "the files of one process",
		[BUDGET_USER] = "the files of one user",
		[BUDGET_ALL] = "the files of all users",
	};
	const struct allowance *a = (b->is_ample ? ample : strict) + b->limit;
	uint64_t most = b->was_memory ? a->held_bytes : a->work_bytes;
	buf_addf(reason, "plume stopped reading it: over the limit of %llu MB %s for %s",
		 (unsigned long long)(most / MB), b->was_memory ? "of memory" : "read or unpacked",
		 whose[b->limit]);
}

/* --- of a recording --- */

struct shared_budget {
	struct budget budget;
	uint32_t id;
};

enum { MAX_LISTED = 3, MAX_NOTED = 1024, LEAST_PRUNED = 256 };

struct budgets {
	bool is_ample;
	uid_t caller;
	struct budget of_trusted, of_others; /* BUDGET_ALL */
	VEC(struct shared_budget *) list;    /* processes and users */
	struct index_map by_id;
	struct buf listed;
	VEC(uint32_t) noted; /* hashes of paths */
	uint32_t prune_above;
};

struct budgets *budgets_new(bool is_ample, uid_t caller)
{
	struct budgets *all = mem_zalloc(1, sizeof(*all));
	all->is_ample = is_ample;
	all->caller = caller;
	all->prune_above = LEAST_PRUNED;
	all->of_trusted = budget_of_scope(BUDGET_ALL, true);
	all->of_others = budget_of_scope(BUDGET_ALL, is_ample);
	return all;
}

void budgets_free(struct budgets *all)
{
	if (!all)
		return;
	for (uint32_t i = 0; i < all->list.n; i++)
		free(all->list.p[i]);
	vec_fini(&all->list);
	index_map_fini(&all->by_id);
	buf_fini(&all->listed);
	vec_fini(&all->noted);
	free(all);
}

static bool is_shared(const void *list, uint32_t i, const void *key)
{
	const struct shared_budget *a = ((struct shared_budget *const *)list)[i], *b = key;
	return a->id == b->id && a->budget.scope == b->budget.scope;
}

static uint32_t hash_shared(const struct shared_budget *s)
{
	return hash_pair(s->id, s->budget.scope);
}

static struct budget *shared(struct budgets *all, enum budget_scope scope, uint32_t id,
			     struct budget *above)
{
	struct shared_budget like = { .budget = { .scope = scope }, .id = id };
	uint32_t i = index_map_find(&all->by_id, hash_shared(&like), is_shared, all->list.p, &like);
	if (i == INDEX_NONE) {
		struct shared_budget *s = mem_zalloc(1, sizeof(*s));
		s->id = id;
		s->budget = budget_of_scope(scope, all->is_ample);
		budget_nest(&s->budget, above);
		i = all->list.n;
		index_map_add(&all->by_id, hash_shared(s), i);
		vec_push(&all->list, s);
	}
	return &all->list.p[i]->budget;
}

void budgets_join(struct budgets *all, struct budget *file, int32_t pid, uid_t owner)
{
	if (!all)
		return;
	budget_end(file);
	if (is_trusted(owner) || owner == all->caller) {
		*file = budget_of_scope(BUDGET_FILE, true);
		budget_nest(file, &all->of_trusted);
		return;
	}
	struct budget *above = shared(all, BUDGET_USER, owner, &all->of_others);
	if (pid > 0)
		above = shared(all, BUDGET_PROCESS, (uint32_t)pid, above);
	*file = budget_of_scope(BUDGET_FILE, all->is_ample);
	budget_nest(file, above);
}

static void refill(struct budget *b, uint64_t elapsed_ns)
{
	double more = (double)allowance_of(b)->more_work_bytes * (double)elapsed_ns / 1e9;
	b->work_bytes -= more < (double)b->work_bytes ? (uint64_t)more : b->work_bytes;
}

/* Processes come and go: what costs nothing any more is forgotten. Processes come behind their users. */
static void prune(struct budgets *all)
{
	uint32_t kept = 0;
	for (uint32_t i = all->list.n; i-- > 0;) {
		struct budget *b = &all->list.p[i]->budget;
		if (b->parts || b->held_bytes || b->work_bytes)
			continue;
		budget_end(b);
		free(all->list.p[i]);
		all->list.p[i] = NULL;
	}
	index_map_clear(&all->by_id);
	for (uint32_t i = 0; i < all->list.n; i++)
		if (all->list.p[i]) {
			index_map_add(&all->by_id, hash_shared(all->list.p[i]), kept);
			all->list.p[kept++] = all->list.p[i];
		}
	all->list.n = kept;
	all->prune_above = 2 * kept + LEAST_PRUNED;
}

void budgets_refill(struct budgets *all, uint64_t elapsed_ns)
{
	if (!all)
		return;
	refill(&all->of_trusted, elapsed_ns);
	refill(&all->of_others, elapsed_ns);
	for (uint32_t i = 0; i < all->list.n; i++)
		refill(&all->list.p[i]->budget, elapsed_ns);
	if (all->list.n > all->prune_above)
		prune(all);
}

/* --- what is said --- */

void budgets_note(struct budgets *all, struct str path, const struct budget *file)
{
	if (!all || !file->is_spent)
		return;
	uint32_t hash = hash_str(path);
	for (uint32_t i = 0; i < all->noted.n; i++)
		if (all->noted.p[i] == hash)
			return;
	if (all->noted.n == MAX_NOTED)
		return;
	vec_push(&all->noted, hash);
	if (all->noted.n > MAX_LISTED)
		return;
	buf_addf(&all->listed, "%s%.*s (", all->listed.n ? "; " : "", STR_ARG(path));
	budget_explain(file, &all->listed);
	buf_add_char(&all->listed, ')');
}

bool budgets_describe(struct budgets *all, struct buf *out)
{
	uint32_t n = all ? all->noted.n : 0;
	if (!n)
		return false;
	buf_addf(out,
		 "%u %s not read to the end, so names may be missing: %.*s%s. To read more, %s", n,
		 n == 1 ? "file was" : "files were", STR_ARG(buf_str(&all->listed)),
		 n > MAX_LISTED ? "; ..." : "", budget_advice);
	all->noted.n = 0;
	all->listed.n = 0;
	return true;
}
