/*
 * The JVM may live in other namespaces (pid, mount, user), so plume does everything through its
 * root directory and with its user id. Others who may write there are not trusted: plume follows no
 * links, the socket must belong to the JVM, and the JVM must be the one listening.
 */
#include "process/process.h"
#include "target/jvm_int.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME_BYTES = 32 };

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* --- its /tmp --- */

static bool explain_closed(int32_t pid, uint32_t uid, struct err *e)
{
	if (errno == EACCES || errno == EPERM)
		return err_set(e,
			       "the JVM (pid %d) belongs to user %u, and only that user and root "
			       "may connect to it: run plume with sudo",
			       pid, uid);
	return err_set(e, "the /tmp of the JVM (pid %d): %s", pid, strerror(errno));
}

bool jvm_place_open(struct jvm_place *p, int32_t pid, struct err *e)
{
	struct process_status status;
	char root[64];
	*p = (struct jvm_place){ .pid = pid, .process = -1, .tmp = -1 };
	if (pid > 0)
		p->process = (int)syscall(SYS_pidfd_open, pid, 0);
	/* Of the process behind the pidfd: should the number be another's by now, no signal gets there. */
	if (p->process < 0 || !process_status_read("", pid, &status) || !status.inner_pid)
		return err_set(e, "no such process: %d", pid);
	p->inner_pid = status.inner_pid;
	p->uid = status.user;
	p->gid = status.group;
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	p->tmp = process_open_folder(root, "tmp");
	return p->tmp >= 0 || explain_closed(pid, p->uid, e);
}

void jvm_place_close(struct jvm_place *p)
{
	jvm_place_remove_trigger(p);
	close_if_open(&p->process);
	close_if_open(&p->tmp);
}

/* --- as its user --- */

/* Something to be done with the ids of the JVM's user. False: errno. */
struct owner_act {
	bool (*run)(const struct owner_act *act);
	int folder; /* of the file `name` */
	char name[NAME_BYTES];
	int socket, file; /* what to connect, and to what (O_PATH) */
};

static int become_owner_and(const struct jvm_place *p, const struct owner_act *act)
{
	/* The other groups are this program's: the JVM's user is not in them. */
	if (setgroups(0, NULL) != 0 || setresgid(p->gid, p->gid, p->gid) != 0 ||
	    setresuid(p->uid, p->uid, p->uid) != 0)
		return errno;
	return act->run(act) ? 0 : errno;
}

/* Its file system may hang, and with it the child: not this program. 0, or errno. */
static int wait_for_child(pid_t child)
{
	enum { MOST_MS = 2000 };
	int status = 0;
	pid_t ended = 0;
	for (int ms = 0; ms < MOST_MS && ended == 0; ms++) {
		ended = waitpid(child, &status, WNOHANG);
		if (ended == 0)
			poll(NULL, 0, 1);
	}
	if (ended == child)
		return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	if (ended < 0)
		return errno;
	kill(child, SIGKILL);
	/* One that hangs in the kernel ends when that lets it; then it is for whoever reaps ours. */
	for (int ms = 0; ms < MOST_MS / 10 && waitpid(child, &status, WNOHANG) == 0; ms++)
		poll(NULL, 0, 1);
	return ETIMEDOUT;
}

/*
 * In another user namespace root is nobody, to the socket's listener and to the file system. What needs
 * other ids is done in a process of its own, as they are of whole processes. 0, or errno.
 */
static int as_owner(const struct jvm_place *p, const struct owner_act *act)
{
	if (geteuid() == p->uid && getegid() == p->gid)
		return act->run(act) ? 0 : errno;
	pid_t child = fork();
	if (child < 0)
		return errno;
	if (child == 0)
		_exit(become_owner_and(p, act));
	return wait_for_child(child);
}

/* --- the socket --- */

static void name_socket(const struct jvm_place *p, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, ".java_pid%d", p->inner_pid);
}

bool jvm_place_has_socket(const struct jvm_place *p)
{
	char name[NAME_BYTES];
	struct stat status;
	name_socket(p, name);
	return fstatat(p->tmp, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISSOCK(status.st_mode) && status.st_uid == p->uid;
}

/* The socket's file, found but not opened, so that what is checked is what is connected to. */
static int find_socket(const struct jvm_place *p, bool *is_absent, struct err *e)
{
	char name[NAME_BYTES];
	struct stat status;
	name_socket(p, name);
	int file = openat(p->tmp, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	*is_absent = file < 0 && errno == ENOENT;
	if (file < 0) {
		err_set(e, "/tmp/%s of the JVM (pid %d): %s", name, p->pid, strerror(errno));
		return -1;
	}
	if (fstat(file, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_uid == p->uid)
		return file;
	err_set(e, "/tmp/%s is not a socket of the JVM (pid %d): someone else created it", name,
		p->pid);
	close(file);
	return -1;
}

static bool connect_to_file(const struct owner_act *act)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", act->file);
	return connect(act->socket, (struct sockaddr *)&address, sizeof(address)) == 0;
}

/* The kernel knows who listens: not another process of the same user. */
static bool check_listener(const struct jvm_place *p, int connected, struct err *e)
{
	struct ucred listener = { 0 };
	socklen_t n = sizeof(listener);
	if (getsockopt(connected, SOL_SOCKET, SO_PEERCRED, &listener, &n) == 0 &&
	    listener.pid == p->pid)
		return true;
	return err_set(e, "the socket of the JVM (pid %d) belongs to process %d", p->pid,
		       listener.pid);
}

int jvm_place_connect(const struct jvm_place *p, bool *is_absent, struct err *e)
{
	int file = find_socket(p, is_absent, e);
	if (file < 0)
		return -1;
	int own = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct owner_act act = { .run = connect_to_file, .socket = own, .file = file };
	int why = own < 0 ? errno : as_owner(p, &act);
	close(file);
	/* Left by an earlier process that had the same number, or more callers than it can take. */
	*is_absent = why == ECONNREFUSED || why == EAGAIN;
	if (why)
		err_set(e, "the socket of the JVM (pid %d): %s", p->pid, strerror(why));
	if (!why && check_listener(p, own, e))
		return own;
	close_if_open(&own);
	return -1;
}

/* --- asking for the socket --- */

static bool create_trigger(const struct owner_act *act)
{
	int fd = openat(act->folder, act->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool remove_file(const struct owner_act *act)
{
	return unlinkat(act->folder, act->name, 0) == 0;
}

static void name_map(const struct jvm_place *p, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "perf-%d.map", p->inner_pid);
}

bool jvm_place_has_map(const struct jvm_place *p)
{
	char name[NAME_BYTES];
	struct stat status;
	name_map(p, name);
	return fstatat(p->tmp, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

void jvm_place_remove_map(const struct jvm_place *p)
{
	struct stat status;
	struct owner_act act = { .run = remove_file, .folder = p->tmp };
	name_map(p, act.name);
	if (fstatat(p->tmp, act.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(status.st_mode) && status.st_uid == p->uid)
		as_owner(p, &act);
}

static struct owner_act trigger_act(const struct jvm_place *p,
				    bool (*run)(const struct owner_act *act))
{
	struct owner_act act = { .run = run, .folder = p->tmp };
	snprintf(act.name, sizeof(act.name), ".attach_pid%d", p->inner_pid);
	return act;
}

/* One that is there already is as good, if the JVM believes it; it was forgotten, so it goes with ours. */
static bool has_usable_trigger(const struct jvm_place *p, const char *name)
{
	struct stat status;
	return fstatat(p->tmp, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode) && status.st_uid == p->uid;
}

bool jvm_place_ask(struct jvm_place *p, struct err *e)
{
	struct owner_act act = trigger_act(p, create_trigger);
	int why = as_owner(p, &act);
	p->has_trigger = !why || (why == EEXIST && has_usable_trigger(p, act.name));
	if (!p->has_trigger)
		return err_set(e, "cannot create %s in the /tmp of the JVM (pid %d): %s", act.name,
			       p->pid, strerror(why));
	if (syscall(SYS_pidfd_send_signal, p->process, SIGQUIT, NULL, 0) == 0)
		return true;
	return err_set(e, "cannot ask the JVM (pid %d) to open its socket: %s", p->pid,
		       strerror(errno));
}

void jvm_place_remove_trigger(struct jvm_place *p)
{
	struct owner_act act = trigger_act(p, remove_file);
	if (p->has_trigger)
		as_owner(p, &act);
	p->has_trigger = false;
}
