/* A binary, and the search for its files. */
#pragma once
#include "symbol/table_int.h"

/* Where a file may be: a path below a root; without a root, below that of this process. */
struct file_place {
	const char *root;
	const char *path;
};

enum binary_agreement {
	AGREEMENT_SURE,
	AGREEMENT_UNKNOWN, /* the recording has nothing to compare */
	AGREEMENT_NOT_BUILD_ID,
	AGREEMENT_NOT_INODE,
	AGREEMENT_CHANGED, /* the inode is the same, but the file was written after the recording */
	AGREEMENT_NO_CODE, /* a debug file */
};

/* What was found at the first location that had an unusable file. */
struct binary_obstacle {
	enum binary_trouble trouble;
	struct buf text;
};

struct binary {
	struct binary_id id; /* copies path and build id */
	const struct symbol_options *options;
	VEC(int32_t) processes;
	struct str image; /* of binary_of_memory */

	bool is_code_searched, is_debug_searched, is_table_loaded;
	bool is_unverified, has_symtab;
	struct elf *code, *debug; /* debug is another file than code, or NULL */
	char *root, *path;	  /* where code was found */
	struct binary_obstacle obstacle;
	struct buf useless_debug; /* in words: the first debug file that was found but unusable */
	const char *debuginfod_failure; /* in words; NULL if it was not asked, or helped */

	struct symbol_table table;
	struct elf *inner; /* the ELF file in .gnu_debugdata */
	struct buf inner_bytes;
};

/* A part of the kernel that looks like a library. */
bool binary_is_vdso(const struct binary *b);

/* The root of a process, `/proc/12/root` or one that is held open; empty if not known. */
enum { PROCESS_ROOT_BYTES = 32 };
void binary_process_root(const struct binary *b, int32_t pid, char root[PROCESS_ROOT_BYTES]);

/* Opens an ELF file at a place. Returns NULL and sets e, and errno like elf_open. */
struct elf *file_place_open(struct file_place place, struct err *e);
/* Its path on this machine. */
void file_place_path(struct file_place place, struct buf *path);
/* Its name in messages: its path; but files in a root that is held open are named as their process names them. */
void file_place_name(struct file_place place, struct buf *name);

/* Calls `visit` with the folders that hold `.build-id`, best first, until it returns true. */
typedef bool build_id_folder_visit(struct binary *b, const char *root, const char *folder);
bool binary_visit_build_id_folders(struct binary *b, build_id_folder_visit *visit);
/* `FOLDER/.build-id/ab/cdef...` */
void build_id_path(struct buf *path, const char *folder, struct str build_id);
/* Recordings store build ids in 20 bytes, padded with zeros. */
bool build_ids_agree(struct str recorded, struct str of_file);

/* The text of e without its leading `NAME: `: explanations appear next to the name. */
struct str text_without_name(const struct err *e, const char *name);
/* Remember why a file is not used; only the first reason is kept. */
void binary_keep_difference(struct binary *b, const struct elf *elf, enum binary_agreement how);
void binary_keep_failure(struct binary *b, const char *name, int why, const struct err *e);
/* what: a part of a sentence that follows the path. */
void binary_keep_useless_debug(struct binary *b, const char *path, const char *what);

/* Charges what is derived from a file of b to the budgets of its process and user. */
void binary_share_budget(struct binary *b, struct elf *elf);
/* Finds code, or sets obstacle. */
void binary_search_code(struct binary *b);
/* Finds the debug file of code, if any. */
void binary_search_debug(struct binary *b);

/* Unpacks .gnu_debugdata of code into inner; leaves it NULL if there is none that can be used. */
void binary_unpack_inner(struct binary *b);

/*
 * Asks the servers in DEBUGINFOD_URLS. Returns NULL and sets *failure to the reason in words.
 * Blocks for a few seconds at most.
 */
struct elf *debuginfod_find(struct str build_id, bool wants_code, const char **failure);
