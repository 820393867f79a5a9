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

/* A browser started with root's environment would write to root's folders. */
static void set_home(uid_t user)
{
	const struct passwd *entry = getpwuid(user);
	if (!entry)
		return;
	setenv("HOME", entry->pw_dir, 1);
	setenv("USER", entry->pw_name, 1);
	setenv("LOGNAME", entry->pw_name, 1);
}

bool invoker_become(struct err *e)
{
	uid_t user;
	gid_t group;
	if (!invoking_ids(&user, &group))
		return true;
	set_home(user);
	const char *name = getenv("USER");
	if ((name && initgroups(name, group) == 0) || setgroups(0, NULL) == 0)
		if (setgid(group) == 0 && setuid(user) == 0 && setuid(0) < 0)
			return true;
	return err_set(e, "cannot become the user who ran sudo: %s", strerror(errno));
}
