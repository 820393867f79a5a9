/* What is held: processes with their roots and maps, mapped files by inode. */
#pragma once
#include "target/container.h"
#include "target/held.h"

/* A root folder, shared by all processes that have it. */
struct held_root {
	uint64_t namespace_inode; /* of the mount namespace; 0: not known */
	uint64_t device, inode;
	uint64_t serial; /* never given twice */
	int fd;		 /* O_PATH */
	/* What is mounted in a namespace stays there only as long as somebody has the namespace. */
	int namespace_fd;
	uint32_t users; /* 0: its place is free */
};

/* A file that is mapped somewhere, under the numbers that mappings have for it. */
struct held_file {
	uint32_t device_major, device_minor;
	uint64_t inode;
	uint64_t path_hash; /* of its path and the root that it is in */
	uint64_t last_use_ns;
	int32_t pid; /* who has mapped it last */
	int fd;
};

/* How large a map was from a moment on. */
struct map_state {
	uint32_t number;
	uint64_t time_ns, size_bytes;
};

/* A process as long as it runs one program and has one map. */
struct held_process {
	int32_t pid, inner_pid; /* here, and in its own namespace; 0: not known */
	uint64_t begin_ns, end_ns;
	uint64_t seen_ns;	/* it was there then */
	uint64_t began_unix_ns; /* 0: not known */
	bool lives;
	bool may_be_over; /* its first thread has ended */
	bool is_newest;	  /* of those with its pid */
	bool has_jit;	  /* memory for code of its own making */
	uint32_t older;	  /* who had the pid before, INDEX_NONE */
	uint32_t root;	  /* INDEX_NONE: not known */

	int map_fd;	      /* -1: none */
	uint64_t next_try_ns; /* when it is looked for again */
	uint64_t map_bytes;
	uint32_t first_state; /* from its begin on */
	VEC(struct map_state) states;
};

struct held_files {
	struct processes shown; /* first: what others see of them */
	struct container_names containers;
	uint32_t max, used; /* descriptors */
	uint64_t refused;

	VEC(struct held_root) roots;
	uint64_t last_serial;

	VEC(struct held_process) processes;
	struct index_map by_pid; /* of processes that are the newest of their pid */
	uint32_t last_state;

	VEC(struct held_file) files;
	struct index_map by_inode;
	bool has_ended; /* a process, since room was made last */
	bool has_no_map_files;
};

/* A path to a descriptor of ours that opens it anew. */
enum { OWN_FD_PATH_BYTES = 32 };
void held_own_path(int fd, char path[OWN_FD_PATH_BYTES]);

/* Those that a struct processes is of. */
static inline struct held_files *held_of(struct processes *p)
{
	return (struct held_files *)p;
}

/* --- held.c: descriptors are counted --- */

/* The root of a process as a path, held or of one that lives. False: none. */
bool held_root_path(const struct held_files *h, int32_t pid, struct buf *root);

/* Whether n more may be held; files that nobody needs go. */
bool held_make_room(struct held_files *h, uint32_t n);
void held_close(struct held_files *h, int *fd);

/* --- held_process.c --- */

/* The newest process with that pid, or INDEX_NONE. */
uint32_t held_find_process(const struct held_files *h, int32_t pid);
/* Whether any of its threads is there. */
bool held_is_running(int32_t pid);
/* It has ended, seen at a moment. */
void held_end_process(struct held_files *h, uint32_t process, uint64_t now_ns);
/* Goes on as another one with a map of its own from a moment on; returns its number. */
uint32_t held_split_process(struct held_files *h, uint32_t process, uint64_t begin_ns);
void held_processes_fini(struct held_files *h);

/* --- held_root.c --- */

/* The root of a process that lives, or INDEX_NONE. The caller becomes one of its users. */
uint32_t held_take_root(struct held_files *h, int32_t pid);
uint32_t held_share_root(struct held_files *h, uint32_t root);
void held_leave_root(struct held_files *h, uint32_t root);

/* --- held_inode.c --- */

/* As struct processes_ops has them. */
int held_open_mapped(struct processes *p, int32_t pid, const struct binary_id *id);
void held_touch(struct processes *p, const struct binary_id *id);

/* Closes files that no living process has mapped and nobody has used since then. */
void held_drop_files(struct held_files *h, uint64_t since_ns);
/* Closes half of the files that no living process has mapped, those that were used last longest ago. */
void held_sweep_files(struct held_files *h);
/* A held file by its path in the root of a process, or INDEX_NONE. */
uint32_t held_find_path(const struct held_files *h, int32_t pid, struct str path);
void held_inodes_fini(struct held_files *h);

/* --- held_map.c --- */

/* As struct processes_ops has them: a state stays while the map does, as far as held_files_look has seen it. */
uint32_t held_map_state(struct processes *p, int32_t pid, uint64_t time_ns);
bool held_read_map(struct processes *p, int32_t pid, const struct symbol_options *options,
		   const struct jit_address *wanted, uint32_t n, struct perf_map_names *names,
		   struct map_search *search);

/* Finds the map of a process, or notes how large it is. Splits the process when it has another one. */
void held_look_at_map(struct held_files *h, uint32_t process, uint64_t now_ns);
