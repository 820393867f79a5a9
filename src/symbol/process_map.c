/* Names of a process's JIT code, from the best candidate file, and what is missing, in words. */
#include "symbol/process_files.h"

#include <errno.h>

struct map_choice {
	struct perf_map_names names; /* of the best so far */
	const struct map_candidate *best;
	bool is_denied;		  /* a candidate is there and may not be read */
	bool is_stale;		  /* a candidate is there and of another process */
	struct err why;		  /* of the candidate that tells most */
	const char *missing_path; /* of the first exact one that is not there */
	uint32_t missing;
};

/* Pids come again, and maps in /tmp stay. */
static bool is_stale(struct map_choice *choice, const struct map_candidate *candidate,
		     struct recorded_process process, struct reader *r)
{
	if (candidate->is_given ||
	    !process_map_is_older(reader_changed_unix_ns(r), process.began_unix_ns))
		return false;
	if (!choice->is_denied && !choice->is_stale)
		err_set(&choice->why,
			"%s is older than the process: it belongs to an earlier process with that "
			"pid",
			candidate->path);
	choice->is_stale = true;
	return true;
}

void map_search_note(struct map_search *search, struct budget *budget, struct budgets *budgets,
		     const char *path)
{
	budgets_note(budgets, str_from(path), budget);
	if (budget->is_spent && !search->over_budget.n)
		budget_explain(budget, &search->over_budget);
	budget_end(budget);
}

/* Reads a candidate; the one that names more is kept. */
static void try_candidate(struct map_choice *choice, const struct map_candidate *candidate,
			  struct recorded_process process, const uint64_t *addresses, uint32_t n,
			  struct budgets *budgets, struct map_search *search)
{
	struct err e = { 0 };
	struct perf_map_names names;
	struct reader *r = process_map_open(candidate, &e);
	if (!r) {
		bool is_missing = errno == ENOENT || errno == ENOTDIR;
		if (is_missing && !choice->missing++)
			choice->missing_path = candidate->path;
		if (!is_missing && !choice->is_denied)
			choice->why = e;
		choice->is_denied |= !is_missing;
		return;
	}
	if (is_stale(choice, candidate, process, r)) {
		reader_free(r);
		return;
	}
	struct budget budget = budget_of_owner(reader_owner(r));
	budgets_join(budgets, &budget, process.pid, reader_owner(r));
	reader_spend(r, &budget);
	perf_map_read(r, addresses, n, &names);
	reader_free(r);
	map_search_note(search, &budget, budgets, candidate->path);
	if (choice->best && names.found <= choice->names.found) {
		perf_map_names_fini(&names);
		return;
	}
	perf_map_names_fini(&choice->names);
	choice->names = names;
	choice->best = candidate;
}

void map_search_explain(struct map_search *search, const char *path,
			const struct perf_map_names *names)
{
	buf_addf(&search->reason, "%s ", path);
	if (search->over_budget.n) {
		buf_addf(&search->reason,
			 "has no entry for these addresses in the part that was read: ");
		buf_add(&search->reason, buf_str(&search->over_budget));
		buf_add(&search->fix, str_from(budget_advice));
		return;
	}
	if (!names->rows)
		buf_add(&search->reason, STR("is empty"));
	else if (names->bad_rows == names->rows)
		buf_add(&search->reason, STR("is not a map: its lines are not `START SIZE NAME`"));
	else
		buf_add(&search->reason, STR("has no entry for these addresses: it is from another "
					     "run or was written too early"));
	search->wants_map = true;
	buf_add(&search->fix,
		STR(", and copy its map when the recording ends; give the copy with --map FILE"));
}

static void explain_missing(const struct map_choice *choice, struct recorded_process process,
			    struct map_search *search)
{
	if (choice->is_denied) {
		buf_add(&search->reason, str_from(choice->why.text));
		buf_add(&search->fix, STR("run as root, or give a copy with --map FILE"));
		return;
	}
	buf_add(&search->reason, STR("no perf map: "));
	if (choice->is_stale)
		buf_add(&search->reason, str_from(choice->why.text));
	else if (choice->missing_path)
		buf_addf(&search->reason, "%s is missing", choice->missing_path);
	else
		buf_addf(&search->reason, "perf-%d.map is only on the recorded machine",
			 process.pid);
	search->wants_map = true;
	buf_add(&search->fix, STR(", or give a copy with --map FILE"));
}

bool process_map_read(const struct symbol_options *options, struct recorded_process process,
		      const uint64_t *addresses, uint32_t n, struct perf_map_names *names,
		      struct map_search *search)
{
	AUTO(map_candidates) struct map_candidates candidates = { 0 };
	struct map_choice choice = { 0 };
	*search = (struct map_search){ 0 };
	if (process.is_alive && options->is_of_this_machine && !process.began_unix_ns)
		process.began_unix_ns = process_began_unix_ns(process.pid);
	process_map_candidates(options, process, &candidates);
	for (uint32_t i = 0; i < candidates.list.n; i++) {
		const struct map_candidate *candidate = &candidates.list.p[i];
		if (choice.names.found && (choice.best->is_exact || candidate->is_exact))
			break;
		try_candidate(&choice, candidate, process, addresses, n, options->budgets, search);
	}
	if (!choice.best) {
		explain_missing(&choice, process, search);
		*names = (struct perf_map_names){ .names = mem_zalloc(n, sizeof(*names->names)),
						  .n = n };
		return false;
	}
	if (!choice.names.found)
		map_search_explain(search, choice.best->path, &choice.names);
	search->path = mem_strdup(choice.best->path);
	search->is_guess = !choice.best->is_exact;
	*names = choice.names;
	return names->found > 0;
}

void map_search_fini(struct map_search *search)
{
	free(search->path);
	buf_fini(&search->reason);
	buf_fini(&search->over_budget);
	buf_fini(&search->fix);
	*search = (struct map_search){ 0 };
}
