/* Follows recordings that are still being written. */
#include "workspace/workspace_int.h"

#include "base/base.h"
#include "store/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	RECENT_S = 15,	  /* a recorder writes every second */
	STILL_TICKS = 20, /* without growth for this long, it is not shown as live */
};

static bool lacks_end(int fd)
{
	char bytes[STORE_TAIL_BYTES];
	ssize_t n = pread(fd, bytes, 16, 0);
	off_t size = lseek(fd, 0, SEEK_END);
	off_t from = size > STORE_TAIL_BYTES ? size - STORE_TAIL_BYTES : 0;
	if (n <= 0 || !str_starts((struct str){ bytes, (size_t)n }, store_magic))
		return false;
	n = pread(fd, bytes, sizeof(bytes), from);
	return n > 0 && !store_tail_is_end((struct str){ bytes, (size_t)n });
}

bool item_is_growing(const struct item *i)
{
	const uint64_t now = clock_realtime_ns(), recent = RECENT_S * 1000000000ull;
	if (i->modified_ns + recent < now || i->modified_ns > now + recent)
		return false;
	int fd = item_open(i);
	bool is_growing = fd >= 0 && lacks_end(fd);
	if (fd >= 0)
		close(fd);
	return is_growing;
}

bool live_begin(struct workspace *w, struct item *i)
{
	struct err e = { 0 };
	char path[40];
	int fd = item_open(i);
	if (fd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	i->followed = source_follow(path, COLUMNS_ALL, w->source.names.wants_lines, &e);
	close(fd);
	if (!i->followed)
		return false;
	i->state.state = API_LIVE;
	i->still_ticks = 0;
	live_poll(w, i);
	return true;
}

void workspace_add_live(struct workspace *w, const char *path)
{
	struct item *i = item_add(w, path, str_basename(str_from(path)).p, "");
	i->state.is_shown = true;
	i->is_certainly_live = true;
	if (!live_begin(w, i))
		item_fail(w, i, "cannot read the recording");
}

/* The recording has ended: the profile is complete. */
static void end(struct workspace *w, struct item *i, struct profile *p)
{
	profile_ref(p);
	followed_free(i->followed);
	i->followed = NULL;
	profile_seal(p);
	profile_unref(i->state.profile);
	i->state.state = API_READY;
	item_take_profile(w, i, p);
}

/*
 * The recorder has gone, or the program sleeps: the file is still followed, and live again when it
 * grows.
 */
static void rest(struct workspace *w, struct item *i)
{
	if (i->state.state == API_READY)
		return;
	i->state.state = API_READY;
	item_publish(w, i);
}

/*
 * Whoever asks next computes everything again, in proportion to the samples: the more there are,
 * the less often the growth is told.
 */
static bool is_time_to_tell(struct item *i, const struct profile *p)
{
	enum { ROWS_PER_SECOND = 250000 };
	uint64_t now = clock_monotonic_ns();
	uint64_t pause = 900000000ull * (1 + p->samples.n / ROWS_PER_SECOND);
	if (i->state.profile && now - i->published_ns < pause)
		return false;
	i->published_ns = now;
	return true;
}

void live_poll(struct workspace *w, struct item *i)
{
	struct err e = { 0 };
	struct profile *p = followed_profile(i->followed);
	uint64_t before = p->ledger.count[LEDGER_SAMPLES];
	bool goes_on = followed_poll(i->followed, &e);
	bool has_grown = p->ledger.count[LEDGER_SAMPLES] != before;
	struct stat status;
	if (stat(i->path, &status) == 0)
		i->bytes = (uint64_t)status.st_size;
	i->still_ticks = has_grown ? 0 : i->still_ticks + 1;
	i->modified_ns = has_grown ? clock_realtime_ns() : i->modified_ns;
	if (e.kind) {
		followed_free(i->followed);
		i->followed = NULL;
		err_rename(&e, i->name);
		item_fail(w, i, e.text);
	} else if (!goes_on) {
		end(w, i, p);
	} else if (i->still_ticks > STILL_TICKS && !i->is_certainly_live) {
		rest(w, i);
	} else if (is_time_to_tell(i, p) && (i->told_rows != p->samples.n || !i->state.profile)) {
		i->told_rows = p->samples.n;
		i->state.state = API_LIVE;
		if (!i->state.profile)
			profile_ref(p);
		item_take_profile(w, i, p);
	}
}
