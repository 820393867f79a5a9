/* Processes: the current owner of a PID, and its former owners. */
#include "target/held_int.h"

static bool has_pid(const void *list, uint32_t i, const void *pid)
{
	const struct held_process *p = &((const struct held_process *)list)[i];
	return p->is_newest && p->pid == *(const int32_t *)pid;
}

uint32_t held_find_process(const struct held_files *h, int32_t pid)
{
	return index_map_find(&h->by_pid, hash_pair((uint32_t)pid, 0), has_pid, h->processes.p,
			      &pid);
}

/* Ends whoever has the pid. p is a user of its root already. */
static uint32_t begin_process(struct held_files *h, struct held_process p)
{
	uint32_t id = h->processes.n;
	p.older = held_find_process(h, p.pid);
	if (p.older != INDEX_NONE) {
		struct held_process *older = &h->processes.p[p.older];
		older->is_newest = false;
		older->end_ns = older->lives ? p.begin_ns : older->end_ns;
		older->lives = false;
	}
	p.lives = p.is_newest = true;
	p.map_fd = -1;
	p.first_state = ++h->last_state;
	vec_push(&h->processes, p);
	index_map_add(&h->by_pid, hash_pair((uint32_t)p.pid, 0), id);
	return id;
}

uint32_t held_split_process(struct held_files *h, uint32_t process, uint64_t begin_ns)
{
	const struct held_process *p = &h->processes.p[process];
	struct held_process next = { .pid = p->pid,
				     .inner_pid = p->inner_pid,
				     .begin_ns = begin_ns,
				     .seen_ns = p->seen_ns,
				     .began_unix_ns = p->began_unix_ns,
				     .has_jit = p->has_jit,
				     .root = held_share_root(h, p->root) };
	return begin_process(h, next);
}

/* The pid may be another process's by now, and nobody has said that the former one ended. */
static bool is_still_there(const struct held_process *p)
{
	return p->lives && process_started_before(p->pid, p->seen_ns);
}

bool held_is_running(int32_t pid)
{
	AUTO(buf) struct buf ignored = { 0 };
	return process_root_path(pid, &ignored);
}

void held_end_process(struct held_files *h, uint32_t process, uint64_t now_ns)
{
	int32_t pid = h->processes.p[process].pid;
	/* Its root is held, so that its map can still be found. */
	if (h->processes.p[process].has_jit)
		held_look_at_map(h, process, now_ns);
	process = held_find_process(h, pid); /* it may have been split */
	h->processes.p[process].lives = false;
	h->processes.p[process].end_ns = now_ns;
	h->has_ended = true;
}

void held_files_end_process(struct held_files *h, int32_t pid)
{
	uint32_t i = held_find_process(h, pid);
	if (i == INDEX_NONE || !h->processes.p[i].lives)
		return;
	if (held_is_running(pid))
		h->processes.p[i].may_be_over = true;
	else
		held_end_process(h, i, clock_monotonic_ns());
}

/* What a process has from its parent, or from the program that it ran before. */
static void inherit(struct held_files *h, struct held_process *p, const struct held_process *from)
{
	bool is_same = from->pid == p->pid;
	if (p->root == INDEX_NONE)
		p->root = held_share_root(h, from->root);
	/* Gone before it could be asked: a child is in the namespace of its parent, mostly. */
	if (is_same && !p->began_unix_ns)
		p->began_unix_ns = from->began_unix_ns;
	if (!p->inner_pid && (is_same || from->inner_pid == from->pid))
		p->inner_pid = is_same ? from->inner_pid : p->pid;
	/* A fork has the memory of its parent; another program has nothing yet. */
	p->has_jit = !is_same && from->has_jit;
}

void held_files_add_process(struct held_files *h, int32_t pid, int32_t parent, bool is_exec,
			    uint64_t time_ns)
{
	uint32_t known = held_find_process(h, pid), from = held_find_process(h, parent);
	if (known != INDEX_NONE && !is_exec && is_still_there(&h->processes.p[known]))
		return;
	uint64_t now_ns = clock_monotonic_ns();
	/* The last that is seen of the map of the program before. */
	if (known != INDEX_NONE && h->processes.p[known].lives)
		held_end_process(h, known, now_ns);
	struct held_process p = { .pid = pid,
				  .inner_pid = process_inner_pid(pid),
				  .begin_ns = time_ns ? time_ns : now_ns,
				  .seen_ns = now_ns,
				  .began_unix_ns = process_began_unix_ns(pid),
				  .root = held_take_root(h, pid) };
	if (is_exec && known != INDEX_NONE)
		from = held_find_process(h, pid);
	if (from != INDEX_NONE)
		inherit(h, &p, &h->processes.p[from]);
	p.has_jit &= !is_exec;
	begin_process(h, p);
}

/* --- forgetting --- */

static void drop_process(struct held_files *h, struct held_process *p)
{
	held_leave_root(h, p->root);
	held_close(h, &p->map_fd);
	vec_fini(&p->states);
}

/* States that were over before then; the one that lasted until then stays. */
static void forget_states(struct held_process *p, uint64_t before_ns)
{
	uint32_t first = 0;
	while (first + 1 < p->states.n && p->states.p[first + 1].time_ns <= before_ns)
		first++;
	if (first)
		memmove(p->states.p, p->states.p + first,
			(p->states.n - first) * sizeof(*p->states.p));
	p->states.n -= first;
}

void held_files_forget_states(struct held_files *h, uint64_t before_ns)
{
	/* Programs come again soon; held for longer, they would take room on the disk after they are deleted. */
	const uint64_t file_rest_ns = 60000000000u;
	AUTO_FREE uint32_t *new_id = mem_alloc(h->processes.n, sizeof(*new_id));
	uint32_t kept = 0;
	for (uint32_t i = 0; i < h->processes.n; i++) {
		struct held_process p = h->processes.p[i];
		new_id[i] = INDEX_NONE;
		if (!p.lives && p.end_ns < before_ns) {
			drop_process(h, &p);
			continue;
		}
		forget_states(&p, before_ns);
		/* Older ones come first in the list. */
		p.older = p.older == INDEX_NONE ? INDEX_NONE : new_id[p.older];
		h->processes.p[kept] = p;
		new_id[i] = kept++;
	}
	h->processes.n = kept;
	index_map_clear(&h->by_pid);
	for (uint32_t i = 0; i < kept; i++)
		if (h->processes.p[i].is_newest)
			index_map_add(&h->by_pid, hash_pair((uint32_t)h->processes.p[i].pid, 0), i);
	if (before_ns > file_rest_ns)
		held_drop_files(h, before_ns - file_rest_ns);
}

void held_processes_fini(struct held_files *h)
{
	for (uint32_t i = 0; i < h->processes.n; i++)
		drop_process(h, &h->processes.p[i]);
	vec_fini(&h->processes);
	vec_fini(&h->roots);
	index_map_fini(&h->by_pid);
}
