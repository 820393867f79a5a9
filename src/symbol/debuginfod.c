/*
 * Files from debuginfod servers, through elfutils' own library (`man debuginfod_find_debuginfo`).
 * It is loaded only on request, because it brings a whole HTTP client with it.
 */
#include "symbol/binary_int.h"

#ifdef PLUME_STATIC
struct elf *debuginfod_find(struct str build_id, bool wants_code, const char **failure)
{
	(void)build_id, (void)wants_code;
	*failure = "debuginfod was not used: this plume is statically linked and cannot load "
		   "libdebuginfod.so.1; use another build of plume";
	return NULL;
}
#else

#include <dlfcn.h>
#include <unistd.h>

enum { MAX_WAIT_SECONDS = 20, MAX_ALL_WAITS_SECONDS = 60 };

typedef struct debuginfod_client debuginfod_client;
typedef int find_file(debuginfod_client *client, const unsigned char *build_id, int n, char **path);

struct debuginfod {
	debuginfod_client *(*begin)(void);
	void (*end)(debuginfod_client *client);
	find_file *find_executable, *find_debug;
	void (*set_progress)(debuginfod_client *client,
			     int (*progress)(debuginfod_client *client, long done, long all));
};

/*
 * How long this thread has waited in vain. It outlives the binaries: a server that is down must not
 * cost its time again for each of a hundred of them.
 */
static _Thread_local double waited_seconds;
/* The library's callback can be given nothing of ours. */
static _Thread_local double wait_until_seconds;

static double now_seconds(void)
{
	return (double)clock_monotonic_ns() / 1e9;
}

/* ISO C has no way from an object pointer to a function pointer; POSIX says that this one works. */
static bool load_function(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);
	memcpy(function, &found, sizeof(found));
	return found;
}

static bool load(struct debuginfod *d)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	return library && load_function(library, "debuginfod_begin", &d->begin) &&
	       load_function(library, "debuginfod_end", &d->end) &&
	       load_function(library, "debuginfod_find_executable", &d->find_executable) &&
	       load_function(library, "debuginfod_find_debuginfo", &d->find_debug) &&
	       load_function(library, "debuginfod_set_progressfn", &d->set_progress);
}

/* The library calls this now and then while it waits. */
static int stop_when_late(debuginfod_client *client, long done, long all)
{
	(void)client, (void)done, (void)all;
	return now_seconds() > wait_until_seconds;
}

static int ask(const struct debuginfod *d, struct str build_id, bool wants_code, char **path)
{
	debuginfod_client *client = d->begin();
	if (!client)
		return -1;
	double begun = now_seconds();
	wait_until_seconds = begun + MAX_WAIT_SECONDS;
	d->set_progress(client, stop_when_late);
	find_file *find = wants_code ? d->find_executable : d->find_debug;
	int fd = find(client, (const unsigned char *)build_id.p, (int)build_id.n, path);
	d->end(client);
	if (fd < 0)
		waited_seconds += now_seconds() - begun;
	return fd;
}

struct elf *debuginfod_find(struct str build_id, bool wants_code, const char **failure)
{
	struct debuginfod d;
	struct err e = { 0 };
	AUTO_FREE char *path = NULL;
	const char *urls = getenv("DEBUGINFOD_URLS");
	if (!urls || !urls[0]) {
		*failure = "debuginfod was not used: DEBUGINFOD_URLS is not set";
		return NULL;
	}
	if (waited_seconds > MAX_ALL_WAITS_SECONDS) {
		*failure = "plume stopped using debuginfod: its servers do not answer";
		return NULL;
	}
	if (!load(&d)) {
		*failure = "debuginfod was not used: libdebuginfod.so.1 (package libdebuginfod1) "
			   "is missing";
		return NULL;
	}
	int fd = ask(&d, build_id, wants_code, &path);
	struct elf *elf = fd >= 0 ? elf_open_fd(fd, path ? path : "debuginfod", &e) : NULL;
	if (fd >= 0)
		close(fd);
	*failure = elf ? NULL : "the servers in DEBUGINFOD_URLS do not have it";
	return elf;
}
#endif
