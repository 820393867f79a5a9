/*
 * Where an output file goes: an open folder and a name in it, so that nobody can swap part of the
 * path between a check and its use. Links are followed only if the user or root made them: in /tmp
 * anyone could have put one that leads to one of the user's files.
 */
#pragma once
#include "base/base.h"

#include <sys/stat.h>

enum place_kind {
	PLACE_FREE,   /* nothing has the name */
	PLACE_FILE,   /* a regular file, to be replaced */
	PLACE_OTHERS, /* the same, but another user's: keep nothing of it, such as its mode */
	PLACE_DIRECT, /* a pipe, a device, a descriptor in /proc: open it as it is */
};

struct writer_place {
	enum place_kind kind;
	int folder; /* -1 if there is none */
	char *name;
	struct stat status; /* unless it is free */
};

/* Returns false and sets e and errno on failure. */
bool writer_place_find(struct writer_place *p, const char *path, struct err *e);
/* The same for a name that must not be a link; whatever has the name is replaced, so the place is always free. */
bool writer_place_find_new(struct writer_place *p, const char *path, struct err *e);
void writer_place_fini(struct writer_place *p);
/*
 * Makes a nameless file in the folder or, if that is not possible, a named one and returns its
 * name. Returns -1 and sets errno on failure.
 */
int writer_place_temporary(const struct writer_place *p, char **name);
/* Names a nameless file of writer_place_temporary. Returns NULL and sets errno on failure. */
char *writer_place_name_temporary(const struct writer_place *p, int fd);
/*
 * Opens the file itself, empty, with no content or mode that another user chose. Returns -1 and
 * sets errno on failure.
 */
int writer_place_open_live(const struct writer_place *p);
/* Opens a PLACE_DIRECT. Returns -1 and sets errno on failure. */
int writer_place_open_direct(const struct writer_place *p);
