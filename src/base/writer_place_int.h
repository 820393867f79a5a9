/*
 * Where an output file goes: a folder that is held open and a name in it, so that nobody can swap a part
 * of the path between a check and its use. Links are followed only where the user or root made them: in
 * /tmp anybody could have put one that leads to a file of the user.
 */
#pragma once
#include "base/base.h"

#include <sys/stat.h>

enum place_kind {
	PLACE_FREE, /* nothing has the name */
	PLACE_FILE, /* a regular file: to be replaced */
	PLACE_OTHERS, /* the same, but of another user: nothing of it, such as its mode, is to be kept */
	PLACE_DIRECT, /* a pipe, a device, a descriptor in /proc: to be opened as it is */
};

struct writer_place {
	enum place_kind kind;
	int folder; /* -1: none */
	char *name;
	struct stat status; /* unless it is free */
};

/* False: e, and errno. */
bool writer_place_find(struct writer_place *p, const char *path, struct err *e);
/* The same for a name that must not be a link, and whatever has it is replaced: it is always free. */
bool writer_place_find_new(struct writer_place *p, const char *path, struct err *e);
void writer_place_fini(struct writer_place *p);
/* A new file in the folder without a name, or where that cannot be, with a name that it returns. -1: errno. */
int writer_place_temporary(const struct writer_place *p, char **name);
/* Gives a file of writer_place_temporary that has no name one. NULL: errno. */
char *writer_place_name_temporary(const struct writer_place *p, int fd);
/* The file itself, empty, with no content or mode that another user chose. -1: errno. */
int writer_place_open_live(const struct writer_place *p);
/* PLACE_DIRECT. -1: errno. */
int writer_place_open_direct(const struct writer_place *p);
