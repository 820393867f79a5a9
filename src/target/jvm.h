/*
 * Talks to a HotSpot JVM over its attach socket, from outside, in any namespace: what jcmd does.
 * Nothing is loaded into it. Waits are bounded; plume gives up on a JVM that does not answer.
 */
#pragma once
#include "base/base.h"

/*
 * Whether libjvm.so is mapped and the process handles SIGQUIT, which would otherwise kill it, or
 * its socket exists already (-Xrs).
 */
bool jvm_is_one(int32_t pid);
/*
 * A jcmd command, such as `Compiler.perfmap`: started, then polled. If there is no socket yet,
 * SIGQUIT requests it. An error says why: another user owns the JVM, attaching is disabled, the
 * command is unknown (older than 17), or the JVM did not answer in time.
 */
struct jvm_call;
struct jvm_call *jvm_call_new(int32_t pid, const char *command, uint64_t now_ns);
enum jvm_call_state { JVM_CALL_WAITS, JVM_CALL_DONE, JVM_CALL_FAILED };
/* Goes on as far as possible without blocking; gives up 10 s after the start. */
enum jvm_call_state jvm_call_go_on(struct jvm_call *c, uint64_t now_ns);
/* The output of a finished command; at most about 1 MB. */
struct str jvm_call_output(const struct jvm_call *c);
const struct err *jvm_call_error(const struct jvm_call *c);
void jvm_call_free(struct jvm_call *c);
/*
 * The map that a JVM writes into its /tmp on request. Call before the first command. Returns NULL
 * if the map exists already, and so is not ours to remove, or if its /tmp is not accessible.
 */
struct jvm_map;
struct jvm_map *jvm_map_expect(int32_t pid);
/* Removes a map written since, and frees. */
void jvm_map_remove(struct jvm_map *m);
/* Only frees. */
void jvm_map_free(struct jvm_map *m);
