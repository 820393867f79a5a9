/*
 * Where a JVM is met: a socket in its own /tmp, as in src/hotspot/os/posix/attachListener_posix.cpp of
 * OpenJDK. It makes the socket when it gets SIGQUIT and finds a file `.attach_pidN` in there.
 */
#pragma once
#include "target/jvm.h"

struct jvm_place {
	int32_t pid;
	int32_t inner_pid; /* as the JVM knows itself */
	uint32_t uid, gid; /* whom it runs as: it talks to nobody else, except root */
	int process;	   /* pidfd: a signal reaches this process or none */
	int tmp;	   /* its /tmp, O_PATH */
	bool has_trigger;  /* a file of ours is in there */
};

/* False: e. */
bool jvm_place_open(struct jvm_place *p, int32_t pid, struct err *e);
/* Takes away what was left there. */
void jvm_place_close(struct jvm_place *p);

/* A socket that does not wait, connected to that JVM; -1: e, or nobody is there yet (*is_absent). */
int jvm_place_connect(const struct jvm_place *p, bool *is_absent, struct err *e);
/* Whether there is a socket; it may be of an earlier process. */
bool jvm_place_has_socket(const struct jvm_place *p);
/* Puts the file there and sends SIGQUIT. The caller has made sure that it is caught. */
bool jvm_place_ask(struct jvm_place *p, struct err *e);
void jvm_place_remove_trigger(struct jvm_place *p);
/* Whether something has the name of the map that the JVM writes: perf-PID.map. */
bool jvm_place_has_map(const struct jvm_place *p);
/* Removes it, if it is a file of the JVM's own user. */
void jvm_place_remove_map(const struct jvm_place *p);
