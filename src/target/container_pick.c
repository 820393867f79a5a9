/* Finds the container that the user named. */
#include "target/container_int.h"
#include "target/near_int.h"

#include <unistd.h>

enum { MAX_LISTED = 6, WHOLE_ID_DIGITS = 64, SHORT_ID_DIGITS = 12 };

/* From the weakest to the strongest. */
enum fit { FIT_NOT, FIT_ID_BEGINS, FIT_POD, FIT_NAME, FIT_ID };

static struct str short_id(const struct container *c)
{
	struct str id = str_from(c->id);
	/* Those of crun and runc are names. */
	return id.n == WHOLE_ID_DIGITS ? str_first(id, SHORT_ID_DIGITS) : id;
}

void container_title(const struct container *c, struct buf *out)
{
	if (c->pod)
		buf_addf(out, "%s%s%s", c->pod, c->name ? "/" : "", c->name ? c->name : "");
	else if (c->name)
		buf_addf(out, "%s", c->name);
	else
		buf_add(out, short_id(c));
}

static bool is_pod_and_name(const struct container *c, struct str wish)
{
	AUTO(buf) struct buf title = { 0 };
	if (!c->pod || !c->name)
		return false;
	container_title(c, &title);
	return str_eq(buf_str(&title), wish);
}

static enum fit fit_of(const struct container *c, struct str wish)
{
	struct str id = str_from(c->id);
	if (str_eq(id, wish))
		return FIT_ID;
	if ((c->name && str_eq(str_from(c->name), wish)) || is_pod_and_name(c, wish))
		return FIT_NAME;
	if (c->pod && c->name && str_eq(str_from(c->pod), wish))
		return FIT_POD;
	return id.n == WHOLE_ID_DIGITS && str_starts(id, wish) ? FIT_ID_BEGINS : FIT_NOT;
}

/* --- messages --- */

/* `web (podman 53c055bdead3)` */
static void describe(const struct container *c, struct buf *out)
{
	container_title(c, out);
	buf_addf(out, " (%s", c->runtime ? c->runtime : "container");
	if (c->pod || c->name)
		buf_addf(out, " %.*s", STR_ARG(short_id(c)));
	buf_add_char(out, ')');
}

/* Running ones that fit like this; FIT_NOT: all that run. */
static void list_running(const struct containers *all, struct str wish, enum fit fit,
			 struct buf *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < all->list.n; i++) {
		const struct container *c = &all->list.p[i];
		if (!c->pid || (fit != FIT_NOT && fit_of(c, wish) != fit) || ++n > MAX_LISTED)
			continue;
		buf_add(out, n > 1 ? STR(", ") : STR(""));
		describe(c, out);
	}
	if (n > MAX_LISTED)
		buf_addf(out, " and %u more", n - MAX_LISTED);
}

static void explain_none(const struct containers *all, const char *wish, struct err *e)
{
	AUTO(buf) struct buf others = { 0 };
	AUTO(buf) struct buf running = { 0 };
	AUTO(near_names) struct near_names near = { .word = str_from(wish) };
	for (uint32_t i = 0; i < all->list.n; i++) {
		AUTO(buf) struct buf title = { 0 };
		container_title(&all->list.p[i], &title);
		near_names_add(&near, buf_str(&title));
	}
	if (near.n)
		buf_add(&others, STR("; similar: "));
	near_names_write(&near, &others);
	list_running(all, (struct str){ 0 }, FIT_NOT, &running);
	if (running.n)
		buf_addf(&others, "; running: %s", buf_c_string(&running));
	else
		buf_add(&others, STR(" (no containers are running)"));
	if (geteuid() != 0)
		buf_add(&others, STR("; only root sees root's containers: use sudo"));
	err_set(e, "no such container: %s%s", wish, buf_c_string(&others));
}

static void explain_ended(const struct container *c, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	const char *runtime = c->runtime ? c->runtime : "";
	bool is_startable = strcmp(runtime, "docker") == 0 || strcmp(runtime, "podman") == 0;
	describe(c, &text);
	buf_add(&text, STR(" is not running"));
	if (is_startable)
		buf_addf(&text, "; to start it: %s start %s", runtime, c->name ? c->name : c->id);
	err_set(e, "container %s", buf_c_string(&text));
}

static void explain_several(const struct containers *all, const char *wish, enum fit fit,
			    struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	list_running(all, str_from(wish), fit, &text);
	err_set(e, "`%s` matches several containers: %s; give more of the id", wish,
		buf_c_string(&text));
}

const struct container *containers_pick(const struct containers *all, const char *wish,
					struct err *e)
{
	enum fit best = FIT_ID_BEGINS;
	const struct container *found = NULL, *ended = NULL;
	unsigned running = 0;
	for (uint32_t i = 0; i < all->list.n && *wish; i++) {
		const struct container *c = &all->list.p[i];
		enum fit fit = fit_of(c, str_from(wish));
		if (fit < best)
			continue;
		running = (fit > best ? 0 : running) + (c->pid > 0);
		best = fit;
		*(c->pid ? &found : &ended) = c;
	}
	if (running == 1)
		return found;
	if (running > 1)
		explain_several(all, wish, best, e);
	else if (ended)
		explain_ended(ended, e);
	else
		explain_none(all, wish, e);
	return NULL;
}
