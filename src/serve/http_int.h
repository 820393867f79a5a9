/* HTTP/1.1 as text, without sockets: reading the head of a request, and what may be requested. */
#pragma once
#include "serve/serve.h"

enum {
	HTTP_HEAD_BYTES = 16 << 10, /* the request line and all headers */
	HTTP_TOKEN_BYTES = 32,	    /* 16 random bytes, in hexadecimal */
};

/* Borrowed from the bytes that were read. */
struct http_head {
	struct str method, path, query; /* path still encoded, with its '/' */
	struct str host, origin, if_none_match;
	uint64_t body_bytes;
	bool has_length, keeps_alive, accepts_gzip, wants_continue;
};

/*
 * The length of the head at the start of bytes, with its empty line; 0 if it is incomplete. The
 * first `searched` bytes were looked through before.
 */
size_t http_head_length(struct str bytes, size_t searched);
/* Reads a complete head. Returns 200, or the status to refuse it with. */
unsigned http_head_read(struct str bytes, struct http_head *h);

/* Who may ask: names of the server that a Host header may have. */
struct http_names {
	uint16_t port;
	bool is_public;	     /* the address that the client reached is also a name */
	const char *reached; /* that address, numeric, without brackets */
};
/* Against DNS rebinding: a page of another site that resolves its own name to our address. */
bool http_is_our_host(struct str host, const struct http_names *names);
/* Whether a request that changes something comes from our own page, or not from a page at all. */
bool http_is_our_origin(const struct http_head *h);
/*
 * Takes "/TOKEN" off a path and leaves "/..." or "". Takes the same time for every wrong token of
 * the right length.
 */
bool http_take_token(struct str *path, const char *token);
/* Decodes "/a%20b" to "a b", once. Returns false for what struct serve_request rules out. */
bool http_decode_path(struct str path, struct buf *to);

struct http_peer {
	bool accepts_gzip, is_near; /* is_near: on this machine */
};
/* Compresses or unpacks the body of an answer, as suits the client. */
void http_encode_body(struct serve_answer *a, struct http_peer peer);
/* Writes the status line and the headers. `more`: further headers. */
void http_write_head(struct buf *to, const struct serve_answer *a, bool keeps_alive,
		     struct str more);
/* The sentence for a status that the server itself answers with. */
const char *http_sentence(unsigned status);
