/* Files as a process sees them: below its root, and opened so that hostile ones do no harm. */
#pragma once
#include "elf/elf.h"

enum open_trust {
	OPEN_CHECKED, /* refuse files of other users, except root's */
	OPEN_GIVEN,   /* the user named it */
};

/* The root folder of a live process, through any of its threads. Returns false if permission is denied. */
bool process_root_path(int32_t pid, struct buf *root);
/*
 * Opens a regular file for reading, without blocking. Returns -1 and sets e and errno on failure. root bounds where
 * symbolic links may lead, or is NULL. inside is the path below root, or the whole path. path is for messages.
 */
int process_plain_file(const char *root, const char *inside, const char *path,
		       enum open_trust trust, struct err *e);
/* The same as a stream; returns NULL on failure. */
struct reader *process_plain_reader(const char *root, const char *inside, const char *path,
				    enum open_trust trust, struct err *e);
/*
 * Opens a folder below a root with O_PATH. Returns -1 and sets errno on failure. Symbolic links
 * stay below the root; if the kernel cannot enforce that, none are followed.
 */
int process_open_folder(const char *root, const char *inside);
/* Reopens one of our files, with its own offset. Returns -1 and sets errno on failure. */
int process_reopen(int fd);
/* Opens fd as an ELF file and closes it. Returns NULL if fd is -1 or not ELF. path is for messages. */
struct elf *process_take_elf(int fd, struct str path);
