/*
 * Where to reach a JVM: a socket in its own /tmp, as in src/hotspot/os/posix/attachListener_posix.cpp of OpenJDK. It
 * creates the socket when it gets SIGQUIT and finds a file `.attach_pidN` there.
 */
#pragma once
#include "target/jvm.h"

struct jvm_place {
	int32_t pid;
	int32_t inner_pid; /* the JVM's pid in its own namespace */
	uint32_t uid, gid; /* its user, which it talks to exclusively, apart from root */
	int process;	   /* pidfd, so that no other process can get the signal */
	int tmp;	   /* its /tmp, O_PATH */
	bool has_trigger;  /* our trigger file is there */
};

/* Returns false and sets e on failure. */
bool jvm_place_open(struct jvm_place *p, int32_t pid, struct err *e);
/* Removes what it left there. */
void jvm_place_close(struct jvm_place *p);

/* Connects a non-blocking socket to the JVM. Returns -1 and sets e, or sets *is_absent if nobody listens yet. */
int jvm_place_connect(const struct jvm_place *p, bool *is_absent, struct err *e);
/* Whether there is a socket, possibly left by an earlier process. */
bool jvm_place_has_socket(const struct jvm_place *p);
/* Creates the trigger file and sends SIGQUIT. The caller has checked that the JVM handles it. */
bool jvm_place_ask(struct jvm_place *p, struct err *e);
void jvm_place_remove_trigger(struct jvm_place *p);
/* Whether the path of the JVM's map, perf-PID.map, exists. */
bool jvm_place_has_map(const struct jvm_place *p);
/* Removes it, if it is a file of the JVM's own user. */
void jvm_place_remove_map(const struct jvm_place *p);
