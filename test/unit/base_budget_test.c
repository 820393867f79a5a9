/* Budgets: what is refused, whose bound it was, and that nobody takes what is another one's. */
#include "base/base.h"
#include "tap.h"

enum { NOBODY = 65534, SOMEBODY = 65533, CALLER = 65532 };
#define MB ((uint64_t)1 << 20)

static struct budget file_of(struct budgets *all, int32_t pid, uid_t owner)
{
	struct budget b = budget_of_owner(owner);
	budgets_join(all, &b, pid, owner);
	return b;
}

/* How many MB of memory can be held, one by one. */
static uint64_t holds(struct budget *b)
{
	uint64_t n = 0;
	while (n < 100000 && budget_hold(b, MB))
		n++;
	return n;
}

static void check_none(void)
{
	tap_ok(budget_hold(NULL, UINT64_MAX) && budget_work(NULL, UINT64_MAX),
	       "no budget, no bound");
	struct budget root = budget_of_owner(0), other = budget_of_owner(NOBODY);
	tap_ok(root.is_ample && !other.is_ample, "files of root may cost more than a stranger's");
	tap_ok(!budget_hold(&other, UINT64_MAX) && other.is_spent && other.was_memory,
	       "too much memory is refused, however much it is");
	tap_num_eq(other.held_bytes, 0, "... and is not held");
	tap_ok(budget_hold(&other, MB), "... and less is not");
}

static void check_nesting(void)
{
	struct budgets *all = budgets_new(false, CALLER);
	struct budget first = file_of(all, 1, NOBODY), second = file_of(all, 1, NOBODY);
	struct budget third = file_of(all, 2, NOBODY), other = file_of(all, 3, SOMEBODY);
	uint64_t alone = holds(&first);
	tap_ok(alone > 16 && first.limit == BUDGET_FILE, "a file has its bound");
	tap_ok(holds(&second) < alone && second.limit == BUDGET_PROCESS, "and its process");
	tap_ok(holds(&third) < alone && third.limit == BUDGET_USER, "and its user");
	tap_ok(holds(&other) > 8 && other.limit == BUDGET_ALL,
	       "and all together, but another user has some");
	budget_end(&first);
	tap_ok(budget_hold(&second, 8 * MB), "what a file held comes back");
	struct budget roots = file_of(all, 1, 0);
	tap_ok(holds(&roots) > 1000, "files of root are not bound by it");
	budget_end(&second);
	budget_end(&third);
	budget_end(&other);
	struct budget ours = file_of(all, 1, CALLER);
	tap_ok(ours.is_ample && holds(&ours) > 1000, "nor are those of who called sudo");
	budget_end(&roots);
	budget_end(&ours);
	budgets_free(all);
}

static void check_work(void)
{
	struct budgets *all = budgets_new(false, CALLER);
	struct budget b = file_of(all, 1, NOBODY);
	while (budget_work(&b, MB))
		;
	tap_ok(b.is_spent && !b.was_memory && b.limit == BUDGET_FILE, "work is bounded");
	budget_end(&b);
	uint64_t before, after;
	for (int i = 0; i < 10; i++) {
		b = file_of(all, 1, NOBODY);
		while (budget_work(&b, MB))
			;
		budget_end(&b);
	}
	b = file_of(all, 1, NOBODY);
	before = budget_work_left(&b);
	tap_ok(before < MB, "a process cannot begin again with another file");
	budgets_refill(all, 2000000000u);
	after = budget_work_left(&b);
	tap_ok(after > before && after < 100 * MB, "but there is more of it each second");
	budget_end(&b);
	budgets_refill(all, UINT64_MAX);
	for (int32_t pid = 1; pid < 2000; pid++) {
		b = file_of(all, pid, NOBODY);
		budget_hold(&b, 1);
		budget_end(&b);
		budgets_refill(all, 1);
	}
	b = file_of(all, 5000, NOBODY);
	tap_num_eq(holds(&b), 64, "processes that have ended hold nothing");
	budget_end(&b);
	budgets_free(all);
}

static void check_words(void)
{
	AUTO(buf) struct buf text = { 0 };
	struct budgets *all = budgets_new(false, CALLER);
	struct budget b = file_of(all, 1, NOBODY);
	budgets_note(all, STR("/fine"), &b);
	tap_ok(!budgets_describe(all, &text), "nothing to say of what was read");
	budget_hold(&b, UINT64_MAX);
	for (int i = 0; i < 3; i++)
		budgets_note(all, STR("/large"), &b);
	tap_ok(budgets_describe(all, &text) &&
		       str_starts(buf_str(&text), STR("1 file was not read to the end")) &&
		       str_find(buf_str(&text), STR("/large (plume stopped reading it: over the "
						    "limit of 64 MB of memory for one file)")) > 0,
	       "what was not read is said once: %.*s", STR_ARG(buf_str(&text)));
	tap_ok(!budgets_describe(all, &text), "... and not again");
	budget_end(&b);
	budgets_free(all);
}

/* What unpacks without end, and what has holes, ends where the budget does. */
static void check_reader(void)
{
	static char zeros[1 << 20];
	struct budget b = budget_of_owner(NOBODY);
	struct reader *r = reader_of_memory((struct str){ zeros, sizeof(zeros) }, 1000);
	b.most_work_bytes = 10000;
	reader_spend(r, &b);
	uint64_t n = 0;
	do {
		n += reader_window(r).n;
		reader_consume(r, reader_window(r).n);
	} while (reader_fill(r));
	tap_num_eq(n, 10000, "a reader reads what its budget allows");
	tap_ok(b.is_spent && reader_damage(r), "... and says that there was more");
	reader_free(r);
}

int main(void)
{
	check_none();
	check_nesting();
	check_work();
	check_words();
	check_reader();
	return tap_done();
}
