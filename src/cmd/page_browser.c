/*
 * The URL holds the token, and every user of the machine can read a process's arguments. So plume
 * passes the browser a file that only its owner may read, and the file redirects to the page.
 */
#include "cmd/page_browser.h"

#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_file(int fd, const char *url)
{
	AUTO(buf) struct buf page = { 0 };
	buf_addf(&page,
		 "<!DOCTYPE html><meta charset=\"utf-8\"><title>plume</title>"
		 "<meta name=\"referrer\" content=\"no-referrer\">"
		 "<meta http-equiv=\"refresh\" content=\"0; url=%s\">",
		 url);
	return write(fd, page.p, page.n) == (ssize_t)page.n;
}

/* In the user's runtime folder, which is removed when the session ends. */
static bool make_file(struct browser *b, const char *url)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%s/plume-XXXXXX.html", folder && *folder == '/' ? folder : "/tmp");
	b->path = mem_strdup(buf_c_string(&path));
	int fd = mkostemps(b->path, 5, O_CLOEXEC);
	bool ok = fd >= 0 && write_file(fd, url);
	if (fd >= 0)
		close(fd);
	return ok;
}

static void run(const char *path)
{
	static const char *const programs[] = { "xdg-open", "sensible-browser", "x-www-browser",
						"open" };
	const char *browser = getenv("BROWSER");
	int nothing = open("/dev/null", O_RDWR);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int fd = 0; nothing >= 0 && fd < 3; fd++)
		dup2(nothing, fd);
	setsid(); /* Ctrl-C is for plume */
	if (browser && *browser)
		execlp(browser, browser, path, (char *)NULL);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		execlp(programs[i], programs[i], path, (char *)NULL);
	_exit(127);
}

/* Forks twice, so that plume does not have to wait for the browser. */
static bool start(const char *path)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			run(path);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

void browser_open(struct browser *b, const char *url)
{
	bool has_screen = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") || getenv("BROWSER");
	if (!has_screen)
		say("--open: no display found; open the URL in a browser");
	else if (!make_file(b, url) || !start(b->path))
		say("--open: cannot start a browser: %s", strerror(errno));
}

void browser_close(struct browser *b)
{
	if (b->path)
		unlink(b->path);
	free(b->path);
}
