#include "target/user_int.h"
#include "target/near_int.h"
#include "target/pids_int.h"

enum { MAX_PASSWD_BYTES = 16 << 20 };

struct user {
	struct str name, home;
	uint32_t number;
};

static void read_passwd(const char *root, struct buf *text)
{
	AUTO(buf) struct buf path = { 0 };
	buf_addf(&path, "%s/etc/passwd", root);
	text_file_read(buf_c_string(&path), MAX_PASSWD_BYTES, text);
}

/* NAME:PASSWORD:NUMBER:GROUP:COMMENT:HOME:SHELL */
static bool parse_user(struct str line, struct user *u)
{
	enum { NAME, NUMBER = 2, HOME = 5, FIELDS };
	struct str field[FIELDS];
	uint64_t number;
	for (int i = 0; i < FIELDS; i++) {
		ptrdiff_t end = str_find_char(line, ':');
		field[i] = str_first(line, end < 0 ? line.n : (size_t)end);
		line = str_from_byte(line, field[i].n + 1);
	}
	*u = (struct user){ .name = field[NAME], .home = field[HOME] };
	if (!u->name.n || !str_to_u64(field[NUMBER], &number) || number >= UINT32_MAX)
		return false;
	u->number = (uint32_t)number;
	return true;
}

bool user_find(const char *root, const char *name, uint32_t *user, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf known = { 0 };
	AUTO(near_names) struct near_names near = { .word = str_from(name) };
	uint64_t number;
	struct user u;
	if (str_to_u64(str_from(name), &number) && number < UINT32_MAX) {
		*user = (uint32_t)number;
		return true;
	}
	read_passwd(root, &text);
	struct str rest = buf_str(&text);
	for (struct str line; str_take_line(&rest, &line);) {
		if (!parse_user(line, &u))
			continue;
		*user = u.number;
		if (str_eq(u.name, str_from(name)))
			return true;
		near_names_add(&near, u.name);
	}
	if (near.n)
		buf_add(&known, STR(" (similar: "));
	near_names_write(&near, &known);
	if (near.n)
		buf_add_char(&known, ')');
	return err_usage(e,
			 "--uid %s: no such user in /etc/passwd%s; give users of a directory "
			 "server by number: --uid \"$(id -u %s)\"",
			 name, buf_c_string(&known), name);
}

bool user_home(const char *root, uint32_t user, struct buf *home)
{
	AUTO(buf) struct buf text = { 0 };
	struct user u;
	read_passwd(root, &text);
	struct str rest = buf_str(&text);
	home->n = 0;
	for (struct str line; str_take_line(&rest, &line);) {
		if (!parse_user(line, &u) || u.number != user || !u.home.n || u.home.p[0] != '/')
			continue;
		buf_add(home, u.home);
		return true;
	}
	return false;
}
