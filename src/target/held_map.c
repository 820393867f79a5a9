/* JIT maps: found in the process's own root, watched as they grow, read through held files. */
#include "target/held_int.h"

#include <sys/stat.h>
#include <unistd.h>

enum { MAP_PATH_BYTES = 64 };

/* --- watching --- */

/* As the process calls it. */
static void map_path(const struct held_process *p, char path[MAP_PATH_BYTES])
{
	snprintf(path, MAP_PATH_BYTES, "/tmp/perf-%d.map", p->inner_pid);
}

/* Pids come again, and maps in /tmp stay. */
static bool is_left_over(int fd, const struct held_process *p)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || status.st_mtim.tv_sec < 0)
		return false;
	uint64_t changed = (uint64_t)status.st_mtim.tv_sec * 1000000000u;
	return process_map_is_older(changed, p->began_unix_ns);
}

static int open_map(struct held_files *h, const struct held_process *p)
{
	char root[OWN_FD_PATH_BYTES], path[MAP_PATH_BYTES];
	struct err ignored;
	if (p->root == INDEX_NONE || !p->inner_pid || !held_make_room(h, 1))
		return -1;
	map_path(p, path);
	held_own_path(h->roots.p[p->root].fd, root);
	int fd = process_plain_file(root, path, path, OPEN_CHECKED, &ignored);
	if (fd >= 0 && is_left_over(fd, p)) {
		close(fd);
		return -1;
	}
	h->used += fd >= 0;
	return fd;
}

/* A file that has no name any more was replaced, if there is another one. */
static uint32_t follow_name(struct held_files *h, uint32_t process, uint64_t now_ns)
{
	struct held_process *p = &h->processes.p[process];
	struct stat status;
	if (p->map_fd < 0) {
		p->map_fd = open_map(h, p);
		return process;
	}
	if (fstat(p->map_fd, &status) != 0 || status.st_nlink)
		return process;
	int fd = open_map(h, p);
	if (fd < 0)
		return process;
	process = held_split_process(h, process, now_ns);
	h->processes.p[process].map_fd = fd;
	return process;
}

void held_look_at_map(struct held_files *h, uint32_t process, uint64_t now_ns)
{
	process = follow_name(h, process, now_ns);
	struct held_process *p = &h->processes.p[process];
	struct stat status;
	if (p->map_fd < 0 || fstat(p->map_fd, &status) != 0 || status.st_size < 0)
		return;
	uint64_t size = (uint64_t)status.st_size;
	if (size == p->map_bytes)
		return;
	/* What earlier states were is gone: for them all that is there now is later. */
	if (size < p->map_bytes)
		p->states.n = 0;
	p->map_bytes = size;
	vec_push(&p->states, (struct map_state){ ++h->last_state, now_ns, size });
}

/* Many that make code at run time never write a map. */
static bool is_due(struct held_process *p, uint64_t now_ns)
{
	enum { TRY_EVERY_NS = 1000000000 };
	if (p->map_fd < 0 && now_ns < p->next_try_ns)
		return false;
	p->next_try_ns = now_ns + TRY_EVERY_NS;
	return true;
}

void held_files_look(struct held_files *h, uint64_t now_ns)
{
	uint32_t n = h->processes.n; /* those that come meanwhile have just been looked at */
	for (uint32_t i = 0; i < n; i++) {
		struct held_process *p = &h->processes.p[i];
		if (p->lives && p->may_be_over && !held_is_running(p->pid))
			held_end_process(h, i, now_ns);
		else if (p->lives && p->has_jit && is_due(p, now_ns))
			held_look_at_map(h, i, now_ns);
	}
}

/* --- states --- */

uint32_t held_map_state(struct processes *p, int32_t pid, uint64_t time_ns)
{
	const struct held_files *h = held_of(p);
	uint32_t i = held_find_process(h, pid);
	if (i == INDEX_NONE)
		return 0;
	while (h->processes.p[i].begin_ns > time_ns && h->processes.p[i].older != INDEX_NONE)
		i = h->processes.p[i].older;
	const struct held_process *process = &h->processes.p[i];
	uint32_t state = process->states.n;
	while (state && process->states.p[state - 1].time_ns > time_ns)
		state--;
	return state ? process->states.p[state - 1].number : process->first_state;
}

/* How large the map was in a state. */
static uint64_t size_in_state(const struct held_process *p, uint32_t number)
{
	uint32_t low = 0,
		 high = p->states.n; /* states below low are not later, from high on they are */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (p->states.p[middle].number <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? p->states.p[low - 1].size_bytes : 0;
}

/* --- reading --- */

/* What is asked of one map: which of the wanted, and as of which size. */
struct map_part {
	uint32_t process;
	VEC(struct perf_map_wanted) wanted;
	VEC(uint32_t) index;
};
struct map_parts {
	VEC(struct map_part) list; /* newest first */
};

static void map_parts_fini(struct map_parts *parts)
{
	for (uint32_t i = 0; i < parts->list.n; i++) {
		vec_fini(&parts->list.p[i].wanted);
		vec_fini(&parts->list.p[i].index);
	}
	vec_fini(&parts->list);
}

/* The maps of all that had the pid. */
static void find_parts(struct held_files *h, int32_t pid, struct map_parts *parts)
{
	uint32_t i = held_find_process(h, pid);
	if (i != INDEX_NONE && h->processes.p[i].lives) {
		h->processes.p[i].has_jit = true; /* or nobody would ask */
		if (h->processes.p[i].map_fd < 0)
			held_look_at_map(h, i, clock_monotonic_ns());
	}
	for (; i != INDEX_NONE; i = h->processes.p[i].older)
		if (h->processes.p[i].map_fd >= 0)
			vec_push(&parts->list, (struct map_part){ .process = i });
}

/* Each goes to the map of its state; what is older than all maps, to the oldest. */
static void share_out(const struct held_files *h, struct map_parts *parts,
		      const struct jit_address *wanted, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = 0;
		while (at + 1 < parts->list.n &&
		       h->processes.p[parts->list.p[at].process].first_state > wanted[i].state)
			at++;
		struct map_part *part = &parts->list.p[at];
		uint64_t limit = size_in_state(&h->processes.p[part->process], wanted[i].state);
		vec_push(&part->wanted, (struct perf_map_wanted){ wanted[i].address, limit });
		vec_push(&part->index, i);
	}
}

/* Names of one map go to where they belong; their text moves later, when all is there. */
static void add_part(struct perf_map_names *names, const struct map_part *part,
		     const struct perf_map_names *found)
{
	size_t text_at = names->text.n;
	buf_add(&names->text, buf_str(&found->text));
	for (uint32_t i = 0; i < found->n; i++) {
		struct perf_map_name name = found->names[i];
		if (name.name.n) /* an offset until move_names */
			name.name.p =
				(const char *)(text_at + (size_t)(name.name.p - found->text.p));
		names->names[part->index.p[i]] = name;
	}
	names->rows += found->rows;
	names->bad_rows += found->bad_rows;
	names->found += found->found;
	names->ends_in_half_line |= found->ends_in_half_line;
}

static void move_names(struct perf_map_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		if (names->names[i].name.n)
			names->names[i].name.p = names->text.p + (size_t)names->names[i].name.p;
}

/*
 * A map of that size was not made by a compiler; whoever made it shall not keep us busy. The newest rows
 * are at its end.
 */
#define MAX_MAP_BYTES (1ull << 30)

static void skip_to_newest(const struct held_process *p, int fd, uint64_t most_bytes,
			   struct map_part *part)
{
	most_bytes = most_bytes < MAX_MAP_BYTES ? most_bytes : MAX_MAP_BYTES;
	uint64_t skipped = p->map_bytes > most_bytes ? p->map_bytes - most_bytes : 0;
	if (!skipped || lseek(fd, (off_t)skipped, SEEK_SET) < 0)
		return;
	for (uint32_t i = 0; i < part->wanted.n; i++) {
		uint64_t *limit = &part->wanted.p[i].limit;
		if (*limit != UINT64_MAX)
			*limit = *limit > skipped ? *limit - skipped : 0;
	}
}

static void read_part(struct held_files *h, struct map_part *part, struct budgets *budgets,
		      struct perf_map_names *names, struct map_search *search)
{
	AUTO(perf_map_names) struct perf_map_names found = { 0 };
	const struct held_process *process = &h->processes.p[part->process];
	int fd = part->wanted.n ? process_reopen(process->map_fd) : -1;
	if (fd < 0)
		return;
	struct stat status = { 0 };
	char path[MAP_PATH_BYTES];
	map_path(process, path);
	if (fstat(fd, &status) != 0) {
		close(fd);
		return;
	}
	struct budget budget = budget_of_owner(status.st_uid);
	budgets_join(budgets, &budget, process->pid, status.st_uid);
	skip_to_newest(process, fd, budget_work_left(&budget), part);
	struct reader *r = reader_of_fd(fd, path);
	reader_spend(r, &budget);
	perf_map_read_as_of(r, part->wanted.p, part->wanted.n, &found);
	reader_free(r);
	map_search_note(search, &budget, budgets, path);
	add_part(names, part, &found);
}

/* By the maps that are held. False: there are none. */
static bool read_held(struct held_files *h, int32_t pid, const struct jit_address *wanted,
		      uint32_t n, struct budgets *budgets, struct perf_map_names *names,
		      struct map_search *search)
{
	AUTO(map_parts) struct map_parts parts = { 0 };
	char path[MAP_PATH_BYTES];
	find_parts(h, pid, &parts);
	if (!parts.list.n)
		return false;
	share_out(h, &parts, wanted, n);
	*names = (struct perf_map_names){ .names = mem_zalloc(n, sizeof(*names->names)), .n = n };
	for (uint32_t i = 0; i < parts.list.n; i++)
		read_part(h, &parts.list.p[i], budgets, names, search);
	move_names(names);
	map_path(&h->processes.p[parts.list.p[0].process], path);
	search->path = mem_strdup(path);
	return true;
}

/* By whatever map process_map_read finds, without states. */
static bool read_found(struct held_files *h, int32_t pid, const struct symbol_options *options,
		       const struct jit_address *wanted, uint32_t n, struct perf_map_names *names,
		       struct map_search *search)
{
	uint32_t i = held_find_process(h, pid), distinct = 0;
	struct recorded_process process = { .pid = pid };
	if (i != INDEX_NONE)
		process.began_unix_ns = h->processes.p[i].began_unix_ns;
	if (i != INDEX_NONE && h->processes.p[i].lives)
		process.is_alive = process_started_before(pid, h->processes.p[i].seen_ns);
	AUTO_FREE uint64_t *addresses = mem_alloc(n, sizeof(*addresses));
	for (uint32_t w = 0; w < n; w++)
		if (!distinct || addresses[distinct - 1] != wanted[w].address)
			addresses[distinct++] = wanted[w].address;
	process_map_read(options, process, addresses, distinct, names, search);
	struct perf_map_name *all = mem_zalloc(n, sizeof(*all));
	names->found = 0;
	for (uint32_t w = 0, a = 0; w < n; w++) {
		a += wanted[w].address != addresses[a];
		all[w] = names->names[a];
		names->found += all[w].name.n > 0;
	}
	free(names->names);
	names->names = all;
	names->n = n;
	return names->found > 0;
}

bool held_read_map(struct processes *p, int32_t pid, const struct symbol_options *options,
		   const struct jit_address *wanted, uint32_t n, struct perf_map_names *names,
		   struct map_search *search)
{
	struct held_files *h = held_of(p);
	*search = (struct map_search){ 0 };
	if (!read_held(h, pid, wanted, n, options->budgets, names, search))
		return read_found(h, pid, options, wanted, n, names, search);
	if (names->found)
		return true;
	/* A map that the user gave may be the better one. */
	struct perf_map_names others = { 0 };
	struct map_search other_search = { 0 };
	if (options->map_count && read_found(h, pid, options, wanted, n, &others, &other_search)) {
		perf_map_names_fini(names);
		map_search_fini(search);
		*names = others;
		*search = other_search;
		return true;
	}
	perf_map_names_fini(&others);
	map_search_fini(&other_search);
	map_search_explain(search, search->path, names);
	return false;
}
