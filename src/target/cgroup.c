/* Where cgroups are mounted, and which cgroup a process is in. */
#include "target/cgroup_int.h"

#include <sys/stat.h>

enum { MAX_CGROUP_BYTES = 64 << 10, MAX_MOUNTS_BYTES = 8 << 20 };

/* --- of a process --- */

static bool has_word(struct str list, struct str word)
{
	while (list.n) {
		ptrdiff_t end = str_find_char(list, ',');
		struct str one = str_first(list, end < 0 ? list.n : (size_t)end);
		if (str_eq(one, word))
			return true;
		list = str_from_byte(list, one.n + 1);
	}
	return false;
}

/* Lines are NUMBER:CONTROLLERS:PATH; version 2 is 0 and has no controllers. */
bool cgroup_in_text(struct str text, const char *controller, struct str *path)
{
	for (struct str line; str_take_line(&text, &line);) {
		ptrdiff_t first = str_find_char(line, ':');
		struct str rest = str_from_byte(line, first < 0 ? line.n : (size_t)first + 1);
		ptrdiff_t second = str_find_char(rest, ':');
		if (first < 0 || second < 0)
			continue;
		struct str controllers = str_first(rest, (size_t)second);
		*path = str_from_byte(rest, (size_t)second + 1);
		if (*controller ? has_word(controllers, str_from(controller))
				: !controllers.n && line.p[0] == '0')
			return true;
	}
	return false;
}

char *cgroup_of_process(const char *root, int32_t pid, const char *controller)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf c_path = { 0 };
	struct str path;
	if (!process_file_read(root, pid, "cgroup", MAX_CGROUP_BYTES, &text) ||
	    !cgroup_in_text(buf_str(&text), controller, &path))
		return NULL;
	buf_add(&c_path, path);
	return mem_strdup(buf_c_string(&c_path));
}

/* --- where it is mounted --- */

static int octal(struct str s)
{
	int value = 0;
	for (size_t i = 0; i < 3; i++) {
		if (i >= s.n || s.p[i] < '0' || s.p[i] > '7')
			return -1;
		value = value * 8 + (s.p[i] - '0');
	}
	return value;
}

/* Blanks in paths are \040. */
static char *unescape(const char *before, struct str word)
{
	AUTO(buf) struct buf out = { 0 };
	buf_add(&out, str_from(before));
	for (size_t i = 0; i < word.n; i++) {
		int code = word.p[i] == '\\' ? octal(str_from_byte(word, i + 1)) : -1;
		buf_add_char(&out, code > 0 ? (char)code : word.p[i]);
		i += code > 0 ? 3 : 0;
	}
	return mem_strdup(buf_c_string(&out));
}

/* A line of /proc/self/mountinfo: `31 23 0:28 TOP MOUNT OPTIONS... - TYPE SOURCE OPTIONS`. */
static bool is_mount_of(struct str line, const char *controller, struct str *top, struct str *mount)
{
	for (int i = 0; i < 3; i++)
		str_take_word(&line);
	*top = str_take_word(&line);
	*mount = str_take_word(&line);
	struct str word;
	while ((word = str_take_word(&line)).n && !str_eq(word, STR("-")))
		;
	struct str type = str_take_word(&line);
	str_take_word(&line);
	if (!*controller)
		return str_eq(type, STR("cgroup2"));
	return str_eq(type, STR("cgroup")) && has_word(str_take_word(&line), str_from(controller));
}

bool cgroup_hierarchy_find(const char *root, const char *controller, struct cgroup_hierarchy *h)
{
	AUTO(buf) struct buf text = { 0 };
	struct str line, top, mount;
	*h = (struct cgroup_hierarchy){ 0 };
	process_file_read(root, 0, "mountinfo", MAX_MOUNTS_BYTES, &text);
	for (struct str rest = buf_str(&text); str_take_line(&rest, &line);) {
		if (!is_mount_of(line, controller, &top, &mount))
			continue;
		/* All of it is better than a part; a later mount may lie on top of an earlier one. */
		if (h->mount && strcmp(h->top, "/") == 0 && !str_eq(top, STR("/")))
			continue;
		cgroup_hierarchy_fini(h);
		h->controller = mem_strdup(controller);
		h->mount = unescape(root, mount);
		h->top = unescape("", top);
	}
	return h->mount;
}

bool cgroup_hierarchy_of_perf(const char *root, struct cgroup_hierarchy *h)
{
	/* A controller is in one hierarchy only: in version 1's when a process has a line for it. */
	AUTO_FREE char *first = cgroup_of_process(root, 0, "perf_event");
	return cgroup_hierarchy_find(root, first ? "perf_event" : "", h);
}

void cgroup_hierarchy_fini(struct cgroup_hierarchy *h)
{
	free(h->controller);
	free(h->mount);
	free(h->top);
	*h = (struct cgroup_hierarchy){ 0 };
}

static bool is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *cgroup_folder(const struct cgroup_hierarchy *h, const char *path)
{
	AUTO(buf) struct buf folder = { 0 };
	struct str inside = str_from(path), top = str_from(h->top);
	/* `/..`: outside of this program's cgroup namespace. */
	if (str_find(inside, STR("/../")) >= 0 || str_ends(inside, STR("/..")))
		return NULL;
	if (!str_eq(top, STR("/"))) {
		if (!str_starts(inside, top) || (inside.n > top.n && inside.p[top.n] != '/'))
			return NULL;
		inside = str_from_byte(inside, top.n);
	}
	while (inside.n && inside.p[inside.n - 1] == '/')
		inside.n--;
	buf_add(&folder, str_from(h->mount));
	if (inside.n && inside.p[0] != '/')
		buf_add_char(&folder, '/');
	buf_add(&folder, inside);
	return is_folder(buf_c_string(&folder)) ? mem_strdup(buf_c_string(&folder)) : NULL;
}
