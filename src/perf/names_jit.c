/* Names of JIT code from the map that its process writes. */
#include "perf/perf_int.h"

#include <limits.h>

struct wanted_address {
	struct jit_address at;
	location_id id;
};

static int compare_wanted(const void *a, const void *b)
{
	const struct jit_address *x = &((const struct wanted_address *)a)->at;
	const struct jit_address *y = &((const struct wanted_address *)b)->at;
	if (x->address != y->address)
		return x->address > y->address ? 1 : -1;
	return (x->state > y->state) - (x->state < y->state);
}

/* Sorts addresses and removes duplicates; index[i] is the position of wanted[i]. */
static uint32_t sort_addresses(struct wanted_address *wanted, uint32_t n,
			       struct jit_address *addresses, uint32_t *index)
{
	uint32_t distinct = 0;
	qsort(wanted, n, sizeof(*wanted), compare_wanted);
	for (uint32_t i = 0; i < n; i++) {
		const struct jit_address *last = distinct ? &addresses[distinct - 1] : NULL;
		if (!last || last->address != wanted[i].at.address ||
		    last->state != wanted[i].at.state)
			addresses[distinct++] = wanted[i].at;
		index[i] = distinct - 1;
	}
	return distinct;
}

/* From the map that the recorder holds, or from what is left of it. */
static void read_map(const struct perf_session *s, int32_t pid, const struct jit_address *addresses,
		     uint32_t n, struct perf_map_names *names, struct map_search *search)
{
	struct processes *p = s->options.names.processes;
	if (p && p->ops->read_map) {
		p->ops->read_map(p, pid, &s->options.names, addresses, n, names, search);
		return;
	}
	AUTO_FREE uint64_t *plain = mem_alloc(n + 1, sizeof(*plain));
	for (uint32_t i = 0; i < n; i++)
		plain[i] = addresses[i].address;
	process_map_read(&s->options.names, perf_session_process(s, pid), plain, n, names, search);
}

/* `/tmp/perf-6.map`, as the process knows it, wherever it was found. */
static void add_module(struct buf *out, const struct mapped *m, const struct map_search *search)
{
	if (search->path && !search->is_guess)
		buf_addf(out, "/tmp/%.*s", STR_ARG(str_basename(str_from(search->path))));
	else if (m->path.n && !search->path)
		buf_add(out, m->path);
	else if (search->path || !m->is_nowhere)
		buf_addf(out, "/tmp/perf-%d.map", m->pid);
}

static void note_guess(struct perf_session *s, const struct mapped *m,
		       const struct map_search *search)
{
	AUTO(buf) struct buf text = { 0 };
	if (!search->path || !search->is_guess || m->is_nowhere)
		return;
	buf_addf(&text, "process %d: its JIT code is named from %s, the best match", m->pid,
		 search->path);
	profile_add_note(s->p, buf_str(&text));
}

static void add_names(struct location_names *n, const struct wanted_address *wanted, uint32_t count,
		      const uint32_t *index, const struct perf_map_names *names, struct str module,
		      bool is_nowhere)
{
	for (uint32_t i = 0; i < count; i++) {
		struct str name = names->names ? names->names[index[i]].name : STR("");
		if (name.n)
			location_add_name(n, wanted[i].id, name, module, FRAME_KIND_COUNT);
		else
			location_add_unnamed(n, wanted[i].id, is_nowhere ? STR("") : module);
	}
}

/* Tries functions that its jitdump added after the sample, or may still add. */
static void name_by_jitdump(struct location_names *n, const struct wanted_address *wanted,
			    uint32_t count, mapped_id of)
{
	struct perf_session *s = n->s;
	bool is_nowhere = s->mapped.list.p[of].is_nowhere;
	mapped_id id = perf_process_get(&s->processes, s->mapped.list.p[of].pid)->jitdump;
	const struct mapped *m = id == INDEX_NONE ? NULL : &s->mapped.list.p[id];
	for (uint32_t i = 0; m && i < count; i++) {
		if (!n->is_unnamed[wanted[i].id])
			continue;
		uint32_t code = m->jitdump
					? jitdump_find(m->jitdump, wanted[i].at.address, UINT64_MAX)
					: INDEX_NONE;
		if (code == INDEX_NONE) {
			if (!is_nowhere)
				late_names_add(n, wanted[i].id, id);
			continue;
		}
		n->is_unnamed[wanted[i].id] = false;
		location_add_name(n, wanted[i].id, jitdump_name(m->jitdump, code), m->path,
				  FRAME_JIT);
	}
}

/* The process's jitdump if it could not be read, else NULL. */
static const struct mapped *missing_jitdump(struct perf_session *s, int32_t pid)
{
	mapped_id id = perf_process_get(&s->processes, pid)->jitdump;
	const struct mapped *m = id == INDEX_NONE ? NULL : &s->mapped.list.p[id];
	return m && m->pid == pid && !m->is_used && !m->jitdump ? m : NULL;
}

/* The process's jitdump if it was not read to its end, else NULL. */
static const struct mapped *spent_jitdump(struct perf_session *s, int32_t pid)
{
	mapped_id id = perf_process_get(&s->processes, pid)->jitdump;
	const struct mapped *m = id == INDEX_NONE ? NULL : &s->mapped.list.p[id];
	return m && m->jitdump && m->jitdump_budget.is_spent ? m : NULL;
}

static const char *map_advice(struct perf_session *s, int32_t pid)
{
	enum runtime_kind outer = RUNTIME_NATIVE;
	const struct perf_process *process = perf_process_get(&s->processes, pid);
	const struct address_space *space = &s->processes.spaces.p[process->space];
	for (uint32_t i = 0; i < space->rows.n; i++) {
		const struct mapped *m = &s->mapped.list.p[space->rows.p[i].mapped];
		if (m->kind == MAPPED_FILE)
			outer = runtime_outer(outer, runtime_of_file(m->path));
	}
	return runtime_rows[outer].advice;
}

static void explain(struct perf_session *s, const struct mapped *m, const struct map_search *search,
		    struct buf *reason, struct buf *fix)
{
	const struct mapped *jitdump = missing_jitdump(s, m->pid);
	const struct mapped *spent = spent_jitdump(s, m->pid);
	/*
	 * A live recording knows all mappings: without one there is no code, such as after
	 * unmapping in the middle of exec.
	 */
	bool is_no_code = m->is_nowhere && s->options.live;
	if (jitdump && !is_no_code) {
		buf_addf(reason, "its jitdump, %.*s, is missing", STR_ARG(jitdump->path));
		buf_addf(fix, "give a copy of it, or the folder of one, with --map");
	} else if (spent && !is_no_code) {
		buf_addf(reason, "its jitdump, %.*s: ", STR_ARG(spent->path));
		budget_explain(&spent->jitdump_budget, reason);
		buf_add(fix, str_from(budget_advice));
	} else if (m->is_nowhere) {
		buf_addf(reason, "nothing is known to be mapped at these addresses");
		buf_addf(fix, "perf record --call-graph dwarf: in code without frame pointers such "
			      "addresses are not real callers");
	} else if (!search->path && perf_process_get(&s->processes, m->pid)->has_found) {
		buf_addf(reason, "V8 code that could not be identified");
		buf_addf(fix, "plume js doctor -p %d shows what plume can read", m->pid);
	} else if (search->reason.n) {
		buf_add(reason, buf_str(&search->reason));
		buf_addf(fix, "%s", search->wants_map ? map_advice(s, m->pid) : "");
		buf_add(fix, buf_str(&search->fix));
	} else {
		buf_addf(reason, "the map has no entry for these addresses%s",
			 s->options.live ? ", as for code compiled after it was last written" : "");
	}
}

void names_of_jit(struct location_names *n, mapped_id mapped, const location_id *ids,
		  uint32_t count, struct buf *reason, struct buf *fix, struct buf *module)
{
	const struct mapped *m = &n->s->mapped.list.p[mapped];
	AUTO_FREE struct wanted_address *wanted = mem_alloc(count, sizeof(*wanted));
	AUTO_FREE struct jit_address *addresses = mem_alloc(count, sizeof(*addresses));
	AUTO_FREE uint32_t *index = mem_alloc(count, sizeof(*index));
	struct map_search search = { 0 };
	struct perf_map_names names = { 0 };
	for (uint32_t i = 0; i < count; i++) {
		const struct location *l = &n->s->locations.list.p[ids[i]];
		wanted[i] = (struct wanted_address){ { l->address, l->code }, ids[i] };
	}
	uint32_t distinct = sort_addresses(wanted, count, addresses, index);
	read_map(n->s, m->pid, addresses, distinct, &names, &search);
	add_module(module, m, &search);
	note_guess(n->s, m, &search);
	add_names(n, wanted, count, index, &names, buf_str(module), m->is_nowhere);
	if (n->s->options.live)
		name_by_jitdump(n, wanted, count, mapped);
	explain(n->s, m, &search, reason, fix);
	if (m->is_nowhere) /* a map that names other addresses is not to blame for these */
		module->n = 0;
	perf_map_names_fini(&names);
	map_search_fini(&search);
}
