#include "cmd/invoker.h"

#include "base/base.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <unistd.h>

static bool id_of(const char *variable, uid_t *id)
{
	const char *text = getenv(variable);
	uint64_t value;
	if (!text || !str_to_u64(str_from(text), &value) || value > INT32_MAX)
		return false;
	*id = (uid_t)value;
	return true;
}

static bool invoking_ids(uid_t *user, gid_t *group)
{
	return geteuid() == 0 && id_of("SUDO_UID", user) && id_of("SUDO_GID", group) && *user != 0;
}

void invoker_enter(void)
{
	uid_t user;
	gid_t group;
	if (!invoking_ids(&user, &group))
		return;
	setfsgid(group); /* first: we lack the permission afterwards */
	setfsuid(user);
}

void invoker_leave(void)
{
	uid_t user;
	gid_t group;
	if (!invoking_ids(&user, &group))
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
}

uid_t invoker_user(void)
{
	uid_t user;
	gid_t group;
	return invoking_ids(&user, &group) ? user : geteuid();
}

/*
 * Users and groups come from the files: for other sources, the C library would load modules at run
 * time, which a static program cannot do.
 */

/* A browser started with root's environment would write to root's folders. */
static void set_home(uid_t user)
{
	FILE *users = fopen("/etc/passwd", "re");
	for (const struct passwd *each; users && (each = fgetpwent(users)) != NULL;) {
		if (each->pw_uid != user)
			continue;
		setenv("HOME", each->pw_dir, 1);
		setenv("USER", each->pw_name, 1);
		setenv("LOGNAME", each->pw_name, 1);
	}
	if (users)
		fclose(users);
}

static bool is_member(const struct group *g, const char *name)
{
	for (char **each = g->gr_mem; *each; each++)
		if (strcmp(*each, name) == 0)
			return true;
	return false;
}

/* Joins the user's groups, so that files readable by a group can be read. */
static bool set_groups(const char *name, gid_t first)
{
	enum { MOST_GROUPS = 256 };
	gid_t list[MOST_GROUPS] = { first };
	size_t n = 1;
	FILE *groups = name ? fopen("/etc/group", "re") : NULL;
	for (const struct group *each; groups && (each = fgetgrent(groups)) != NULL;)
		if (n < MOST_GROUPS && each->gr_gid != 0 && is_member(each, name))
			list[n++] = each->gr_gid;
	if (groups)
		fclose(groups);
	return setgroups(n, list) == 0;
}

bool invoker_become(struct err *e)
{
	uid_t user;
	gid_t group;
	if (!invoking_ids(&user, &group))
		return true;
	set_home(user);
	if (set_groups(getenv("SUDO_USER"), group) && setgid(group) == 0 && setuid(user) == 0 &&
	    setuid(0) < 0) /* for good */
		return true;
	return err_set(e, "cannot become the user who ran sudo: %s", strerror(errno));
}
