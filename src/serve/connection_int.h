/*
 * A connection, for the files that make it up: connection.c moves it from state to state,
 * transfer.c reads and writes.
 */
#pragma once
#include "serve/server_int.h"

#include <sys/epoll.h>

enum connection_state {
	CONNECTION_HEAD,      /* reads the head of a request, or idles */
	CONNECTION_BODY,      /* reads the rest of it */
	CONNECTION_ANSWERING, /* waits for the answer; answering has the job */
	CONNECTION_WRITING,   /* writes the answer */
	CONNECTION_ENDING,    /* has said that it closes; lets the client read that first */
};

struct connection {
	struct watch watch; /* must be first: casts between the two */
	struct connection *next_closed;
	unsigned index;	 /* in server->connections */
	uint32_t events; /* watched by epoll */
	enum connection_state state;
	char *input; /* HTTP_HEAD_BYTES: the head, and what came after it */
	size_t input_n, searched;
	struct job *job;
	uint64_t body_left;
	size_t sent;				      /* of the answer's head and body */
	uint64_t deadline_ns, latest_ns, progress_ns; /* latest_ns: of a whole body or answer */
	/*
	 * Since when this client holds a connection for nothing. Requests that are refused do not
	 * count, so that a client without the token cannot keep its connection by sending them.
	 */
	uint64_t unused_ns;
	bool has_begun; /* sent something since then: unused_ns moves once per answered request */
};

/* Moves the deadline of a body or an answer. */
void connection_note_progress(struct server *s, struct connection *c);

/* transfer.c. Each reads or writes what is possible now; false: the connection was closed. */
bool connection_read_input(struct server *s, struct connection *c);
bool connection_read_body(struct server *s, struct connection *c);
bool connection_discard(struct server *s, struct connection *c);
/* *is_done: all of the answer is with the kernel. */
bool connection_write(struct server *s, struct connection *c, bool *is_done);

/*
 * request.c: takes a request from the input once its whole head is there, else NULL. It is refused,
 * and answered already, or has a body to come, or only needs its answer.
 */
struct job *connection_take_request(struct server *s, struct connection *c);
