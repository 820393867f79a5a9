/*
 * A HotSpot JVM asked over its attach socket, from outside, in whatever namespace it lives: what jcmd
 * does. Nothing is loaded into it. Waits are bounded; a JVM that does not answer is left alone.
 */
#pragma once
#include "base/base.h"

/*
 * libjvm.so is mapped, and it has a handler for SIGQUIT, without which the signal would end it, or its socket
 * is there already (-Xrs).
 */
bool jvm_is_one(int32_t pid);
/*
 * A command of jcmd, `Compiler.perfmap`, begun, then looked after now and then. The socket is asked for by SIGQUIT where
 * it is not there yet. An error says why in words: it has another user, attaching is disabled, it has no such
 * command (older than 17), it did not answer in time.
 */
struct jvm_call;
struct jvm_call *jvm_call_new(int32_t pid, const char *command, uint64_t now_ns);
enum jvm_call_state { JVM_CALL_WAITS, JVM_CALL_DONE, JVM_CALL_FAILED };
/* Goes on as far as it can without waiting; gives up 10 s after the start. */
enum jvm_call_state jvm_call_go_on(struct jvm_call *c, uint64_t now_ns);
/* Output of one that is done; at most about 1 MB of it. */
struct str jvm_call_output(const struct jvm_call *c);
const struct err *jvm_call_error(const struct jvm_call *c);
void jvm_call_free(struct jvm_call *c);
/*
 * The map that a JVM writes into its /tmp when it is asked for one. To be called before the first call. NULL:
 * it is there already, or its /tmp may not be looked at; so it is not ours to remove.
 */
struct jvm_map;
struct jvm_map *jvm_map_expect(int32_t pid);
/* Removes what was written since, and frees. */
void jvm_map_remove(struct jvm_map *m);
/* Frees alone. */
void jvm_map_free(struct jvm_map *m);
