/* A process that does what it is told, if wanted in a mount and pid namespace with a /tmp of its own. */
#pragma once
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct actor {
	int32_t pid;	/* as we see it */
	int32_t keeper; /* our own child, which waits for it */
	int socket;
};

enum act {
	ACT_WRITE,	/* appends text to its map */
	ACT_CUT,	/* makes its map empty, then as WRITE */
	ACT_REPLACE,	/* makes another file of its map, then as WRITE */
	ACT_FIFO,	/* makes a fifo of its map */
	ACT_LINK,	/* makes a link to text of its map */
	ACT_SPARSE,	/* makes its map 5 GB long, with text at its end */
	ACT_END_THREAD, /* its first thread ends; nothing can be asked any more */
};
struct act_message {
	enum act act;
	char text[120];
};

static inline void act_write(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | flags, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(3);
	close(fd);
}

static inline void *act_wait(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static inline int32_t act_one(const struct act_message *m)
{
	char path[64];
	pthread_t thread;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	if (m->act >= ACT_REPLACE && m->act <= ACT_SPARSE)
		unlink(path);
	if (m->act <= ACT_REPLACE)
		act_write(path, m->act == ACT_CUT ? O_TRUNC : 0, m->text);
	else if (m->act == ACT_FIFO)
		return mkfifo(path, 0644);
	else if (m->act == ACT_LINK)
		return symlink(m->text, path);
	if (m->act == ACT_SPARSE) {
		act_write(path, 0, "");
		if (truncate(path, 5ll << 30) != 0)
			return -1;
		act_write(path, 0, m->text);
	}
	if (m->act == ACT_END_THREAD)
		return pthread_create(&thread, NULL, act_wait, NULL);
	return 0;
}

static inline void act_loop(int socket)
{
	struct act_message m;
	int32_t done = 0;
	if (write(socket, &done, sizeof(done)) < 0)
		_exit(3);
	while (read(socket, &m, sizeof(m)) == (ssize_t)sizeof(m)) {
		done = act_one(&m);
		if (write(socket, &done, sizeof(done)) < 0)
			break;
		if (m.act == ACT_END_THREAD)
			pthread_exit(NULL);
	}
	_exit(0);
}

static inline bool act_enter_container(void)
{
	return unshare(CLONE_NEWNS | CLONE_NEWPID) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", "/tmp", "tmpfs", 0, NULL) == 0;
}

static inline void act_keep(int socket, bool is_contained)
{
	int32_t pid = -1;
	if (!is_contained || act_enter_container())
		pid = fork();
	if (pid == 0)
		act_loop(socket);
	if (write(socket, &pid, sizeof(pid)) < 0 || pid < 0)
		_exit(3);
	close(socket);
	waitpid(pid, NULL, 0);
	_exit(0);
}

/* False: this machine does not allow it. */
static inline bool actor_start(struct actor *a, bool is_contained)
{
	int pair[2];
	int32_t words[2] = { 0 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	a->keeper = fork();
	if (a->keeper == 0) {
		close(pair[0]);
		act_keep(pair[1], is_contained);
	}
	close(pair[1]);
	a->socket = pair[0];
	/* Its pid and its 0, in any order. */
	if (recv(a->socket, words, sizeof(words), MSG_WAITALL) != (ssize_t)sizeof(words) ||
	    words[0] + words[1] <= 0) {
		close(a->socket);
		waitpid(a->keeper, NULL, 0);
		return false;
	}
	a->pid = words[0] + words[1];
	return true;
}

/* Waits until it has done it. */
static inline bool actor_do(struct actor *a, enum act act, const char *text)
{
	struct act_message m = { .act = act };
	int32_t done = -1;
	snprintf(m.text, sizeof(m.text), "%s", text);
	return write(a->socket, &m, sizeof(m)) == (ssize_t)sizeof(m) &&
	       recv(a->socket, &done, sizeof(done), MSG_WAITALL) == (ssize_t)sizeof(done) &&
	       done == 0;
}

/* It is killed and gone when this returns. */
static inline void actor_kill(struct actor *a)
{
	kill(a->pid, SIGKILL);
	waitpid(a->keeper, NULL, 0);
	close(a->socket);
}
