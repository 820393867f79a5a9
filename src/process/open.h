/* Files as a process sees them: below its root, opened so that hostile ones do no harm. */
#pragma once
#include "elf/elf.h"

enum open_trust {
	OPEN_CHECKED, /* another user's file is refused, except root's */
	OPEN_GIVEN,   /* the user named it */
};

/* The root folder of a living process, through any of its threads. False: it may not be seen. */
bool process_root_path(int32_t pid, struct buf *root);
/*
 * A plain file for reading: -1, e and errno when there is none. Never waits. root: where symbolic links
 * may lead, or NULL; inside: its path in there, or the whole path. path is what messages call it.
 */
int process_plain_file(const char *root, const char *inside, const char *path,
		       enum open_trust trust, struct err *e);
/* The same as a stream; NULL instead of -1. */
struct reader *process_plain_reader(const char *root, const char *inside, const char *path,
				    enum open_trust trust, struct err *e);
/* A folder below a root, O_PATH: -1 and errno. Links stay below the root; where the kernel cannot see to that, none is followed. */
int process_open_folder(const char *root, const char *inside);
/* Opens a file of ours anew, with an offset of its own: -1 and errno. */
int process_reopen(int fd);
/* Closes fd. NULL: it is -1, or no ELF file. path: for messages. */
struct elf *process_take_elf(int fd, struct str path);
