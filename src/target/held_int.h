/* What is held: processes with their roots and maps, and mapped files by inode. */
#pragma once
#include "target/container.h"
#include "target/held.h"

/* A root folder, shared by all processes that use it. */
struct held_root {
	uint64_t namespace_inode; /* of the mount namespace; 0 if not known */
	uint64_t device, inode;
	uint64_t serial; /* unique, never reused */
	int fd;		 /* O_PATH */
	/* Keeps the mounts of the namespace alive. */
	int namespace_fd;
	uint32_t users; /* 0 if the slot is free */
};

/* A file that is mapped somewhere, by the device and inode that mappings report. */
struct held_file {
	uint32_t device_major, device_minor;
	uint64_t inode;
	uint64_t path_hash; /* of its path and the root that it is in */
	uint64_t last_use_ns;
	int32_t pid; /* the last process that mapped it */
	int fd;
};

/* The size of a map from a given time on. */
struct map_state {
	uint32_t number;
	uint64_t time_ns, size_bytes;
};

/* A process while it runs one program and has one map. */
struct held_process {
	int32_t pid, inner_pid; /* here, and in its own namespace; 0 if not known */
	uint64_t begin_ns, end_ns;
	uint64_t seen_ns;	/* when it was first seen */
	uint64_t began_unix_ns; /* 0 if not known */
	bool lives;
	bool may_be_over; /* its first thread has ended */
	bool is_newest;	  /* newest with its pid */
	bool has_jit;	  /* it has JIT memory */
	uint32_t older;	  /* the previous process with the pid, or INDEX_NONE */
	uint32_t root;	  /* INDEX_NONE if not known */

	int map_fd;	      /* -1 if none */
	uint64_t next_try_ns; /* when to look for it again */
	uint64_t map_bytes;
	uint32_t first_state; /* since its start */
	VEC(struct map_state) states;
};

struct held_files {
	struct processes shown; /* must be first: what others see */
	struct container_names containers;
	uint32_t max, used; /* descriptors */
	uint64_t refused;

	VEC(struct held_root) roots;
	uint64_t last_serial;

	VEC(struct held_process) processes;
	struct index_map by_pid; /* the newest process of each pid */
	uint32_t last_state;

	VEC(struct held_file) files;
	struct index_map by_inode;
	bool has_ended; /* a process has ended since the last cleanup */
	bool has_no_map_files;
};

/* A path that reopens one of our descriptors. */
enum { OWN_FD_PATH_BYTES = 32 };
void held_own_path(int fd, char path[OWN_FD_PATH_BYTES]);

/* The owner of a struct processes. */
static inline struct held_files *held_of(struct processes *p)
{
	return (struct held_files *)p;
}

/* --- held.c: descriptor limit --- */

/* The root of a held or live process, as a path. Returns false if there is none. */
bool held_root_path(const struct held_files *h, int32_t pid, struct buf *root);

/* Whether n more descriptors may be held. Closes files that are no longer needed. */
bool held_make_room(struct held_files *h, uint32_t n);
void held_close(struct held_files *h, int *fd);

/* --- held_process.c --- */

/* The newest process with that pid, or INDEX_NONE. */
uint32_t held_find_process(const struct held_files *h, int32_t pid);
/* Whether any of its threads is alive. */
bool held_is_running(int32_t pid);
/* The process was seen to have ended at that time. */
void held_end_process(struct held_files *h, uint32_t process, uint64_t now_ns);
/* From that time on it counts as another process with its own map. Returns its index. */
uint32_t held_split_process(struct held_files *h, uint32_t process, uint64_t begin_ns);
void held_processes_fini(struct held_files *h);

/* --- held_root.c --- */

/* The root of a live process, or INDEX_NONE. The caller becomes one of its users. */
uint32_t held_take_root(struct held_files *h, int32_t pid);
uint32_t held_share_root(struct held_files *h, uint32_t root);
void held_leave_root(struct held_files *h, uint32_t root);

/* --- held_inode.c --- */

/* For struct processes_ops. */
int held_open_mapped(struct processes *p, int32_t pid, const struct binary_id *id);
void held_touch(struct processes *p, const struct binary_id *id);

/* Closes files that no live process maps and that were not used since then. */
void held_drop_files(struct held_files *h, uint64_t since_ns);
/* Closes the least recently used half of the files that no live process maps. */
void held_sweep_files(struct held_files *h);
/* A held file by its path in the root of a process, or INDEX_NONE. */
uint32_t held_find_path(const struct held_files *h, int32_t pid, struct str path);
void held_inodes_fini(struct held_files *h);

/* --- held_map.c --- */

/* For struct processes_ops. A state lasts as long as the map looked the same to held_files_look. */
uint32_t held_map_state(struct processes *p, int32_t pid, uint64_t time_ns);
bool held_read_map(struct processes *p, int32_t pid, const struct symbol_options *options,
		   const struct jit_address *wanted, uint32_t n, struct perf_map_names *names,
		   struct map_search *search);

/* Finds the map of a process, or records its size. Splits the process if it has another map. */
void held_look_at_map(struct held_files *h, uint32_t process, uint64_t now_ns);
