/* The parts of the server and what they share. Unless it says otherwise, all belongs to the thread of server_run. */
#pragma once
#include "serve/http_int.h"

#include <pthread.h>

enum { MAX_LISTENERS = 2, ADDRESS_BYTES = 48 };

/* A request on its way to an answer. Owns its strings, since its connection may close meanwhile. */
struct job {
	struct job *next;
	struct connection *from; /* NULL: the client is gone */
	struct serve_request request;
	struct buf strings, body, head, more_headers;
	struct serve_answer answer;
	struct http_peer peer;
	uint64_t body_bytes; /* that the client announced */
	bool keeps_alive, is_refused, wants_continue;
};

/* NULL: the path is not one that can be asked for. */
struct job *job_new(const struct http_head *h, struct http_peer peer);
void job_free(struct job *job);
/* Makes the head and the encoded body of the answer. */
void job_encode(struct job *job);

/* The thread that computes answers, and its queue (answering.c). */
struct answering {
	const struct serve_options *options;
	pthread_t thread;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t news;
	struct job *first, **last; /* waiting */
	struct job *done, **done_last;
	unsigned waiting;
	bool needs_tick, is_stopping;
	bool is_computing; /* atomic, and without the mutex: `answer` runs */
	int done_fd;	   /* an eventfd: there is something in `done` */
};

bool answering_init(struct answering *a, const struct serve_options *options, struct err *e);
void answering_fini(struct answering *a);
bool answering_start(struct answering *a, struct err *e);
/* Waits for the answer being computed; what still waits is freed. */
void answering_stop(struct answering *a);
/* Takes the job over. Returns false, and does not, if max wait already. */
bool answering_add(struct answering *a, struct job *job, unsigned max);
/* The client is gone: frees the job, now or when its answer is computed. */
void answering_forget(struct answering *a, struct job *job);
/* The answered jobs, linked by next; the caller owns them. */
struct job *answering_take_done(struct answering *a);
void answering_wake(struct answering *a);

/* Something that epoll watches. */
struct watch {
	int fd; /* -1: closed */
	void (*ready)(struct server *s, struct watch *w, uint32_t events);
};

/* Sockets that accept connections (listen.c). */
struct listeners {
	int fds[MAX_LISTENERS];
	unsigned n;
	uint16_t port;
	char address[ADDRESS_BYTES]; /* for a URL */
	char no_ipv6[128];
};

bool listeners_open(struct listeners *l, const char *address, uint16_t port, struct err *e);
void listeners_close(struct listeners *l);

/* The numeric address at one end of a socket; IPv4 as such even if it came by way of IPv6. */
void socket_own_address(int fd, char text[ADDRESS_BYTES]);
bool socket_peer_is_near(int fd);

struct server {
	struct serve_options options;
	struct serve_limits limits; /* with the defaults filled in */
	char *listen;		    /* a copy */
	char token[HTTP_TOKEN_BYTES + 1];
	struct listeners listeners;
	struct answering answering;
	int epoll_fd;
	struct watch stop, done, accepting[MAX_LISTENERS];
	bool is_stopping, is_paused; /* is_paused: accepts no more connections until resume_ns */
	uint64_t resume_ns;
	struct connection **connections, *closed;
	unsigned n_connections;
	uint64_t body_bytes; /* that clients were allowed to send and that are not answered yet */
	uint64_t pending_bytes; /* of answers that clients have not taken */
	uint64_t now_ns;
};

bool server_watch(struct server *s, struct watch *w, uint32_t events);

/* A client's connection (connection.c). */
void connection_new(struct server *s, int fd);
void connection_close(struct server *s, struct connection *c);
/* Frees what was closed; not earlier, since epoll may have reported something about it. */
void connections_free_closed(struct server *s);
/* An answer was computed for this connection. */
void connection_answer(struct server *s, struct connection *c, struct job *job);
/* Closes what is past its time. */
void connections_expire(struct server *s);
/*
 * Closes the connection that has gone longest without a complete request that has the token. Returns
 * false if all have one, or are too new to tell.
 */
bool connections_make_room(struct server *s);
