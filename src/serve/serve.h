/*
 * A small HTTP/1.1 server for the page: answers requests below a secret path, for browsers on this
 * machine. It knows nothing about profiles; the caller computes every answer.
 *
 * Two threads. server_run's thread reads and writes sockets and never waits for a client. A thread
 * of the server's own calls `answer` and `tick`, one at a time, so they need no locks among
 * themselves. SIGPIPE does not matter here.
 */
#pragma once
#include "base/base.h"

/* Valid until `answer` returns. */
struct serve_request {
	struct str method; /* GET, HEAD or POST */
	/*
	 * What follows the token, decoded: "" or "api/tree". Valid UTF-8 without control
	 * characters, empty segments, "." or "..".
	 */
	struct str path;
	struct str query;	  /* what follows '?', still encoded */
	struct str body;	  /* of a POST */
	struct str if_none_match; /* for serve_has_etag; empty if the client sent none */
	bool accepts_gzip;
};

/*
 * Starts as status 200 with everything else empty. The server adds the other headers, compresses
 * the body where that pays, leaves it out for HEAD, and turns an answer whose etag the client has
 * into a 304.
 */
struct serve_answer {
	unsigned status;
	const char *type;  /* such as "text/html"; must outlive the answer */
	struct buf body;   /* taken over and freed by the server */
	char etag[36];	   /* without quotes; empty: the client cannot revalidate it */
	char download[64]; /* empty: shown; else saved under this name */
	bool is_gzip;	   /* body is gzip data already; unpacked for clients without gzip */
	bool is_immutable; /* this address never changes: clients need not ask again */
};

/* Whether an If-None-Match header lists this etag: then status 304 and no body are enough. */
bool serve_has_etag(struct str if_none_match, const char *etag);
/* Fills an answer with {"error":"text"}. */
void serve_fail(struct serve_answer *answer, unsigned status, const char *text);

/* 0: the default, in parentheses. */
struct serve_limits {
	/*
	 * Connections open at a time (1,200, or what the system allows). For more, those are closed
	 * that go longest without a complete request that has the token, after a grace of 250 ms;
	 * if there are none, more have to wait.
	 */
	unsigned connections;
	/* Requests that wait for `answer`; more get 503 (1,100). */
	unsigned waiting;
	/* Limit for sending a request's head, and for a body or answer without progress (30 s). */
	unsigned request_ms;
	/* Limit for a connection without a request (60 s). */
	unsigned idle_ms;
	/* The body of one POST (256 MiB). Concurrent bodies may total twice as much. */
	uint64_t body_bytes;
	/* Answers that are not sent yet. If there are more, stalled clients are dropped (512 MiB). */
	uint64_t pending_bytes;
};

struct serve_options {
	uint16_t port; /* 0: any free one */
	/* NULL: 127.0.0.1 and ::1. Else this address only, numeric; 0.0.0.0 and :: are all. */
	const char *listen;
	struct serve_limits limits;
	void (*answer)(void *context, const struct serve_request *, struct serve_answer *);
	/* Called about every tick_ms and soon after serve_wake; may be NULL. */
	void (*tick)(void *context);
	unsigned tick_ms; /* 0: only after serve_wake */
	void *context;
};

struct serve_description {
	uint16_t port;
	const char *token; /* the page is at http://ADDRESS:PORT/TOKEN/ */
	/* For that URL: 127.0.0.1, or the given address, in brackets if it is IPv6. */
	const char *address;
	/* Why ::1 is not used; NULL if it is, or if an address was given. */
	const char *no_ipv6;
};

struct server;

/* Binds and makes the token. Connections are accepted once server_run runs. NULL: see e. */
struct server *server_new(const struct serve_options *options, struct err *e);
/* Borrowed from the server. */
struct serve_description server_describe(const struct server *s);
/*
 * Serves until stop_fd is readable, without reading it. Then waits for the answer being computed and
 * closes all connections. Call it once.
 */
bool server_run(struct server *s, int stop_fd, struct err *e);
/* Whether an answer is being computed, for which server_run would wait. From any thread. */
bool server_is_answering(const struct server *s);
void server_free(struct server *s);
/* Asks for a tick, from any thread, at any time between server_new and server_free. */
void serve_wake(struct server *s);
