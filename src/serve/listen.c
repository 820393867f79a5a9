/* The listening sockets: their addresses, and one port for both. */
#include "serve/server_int.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_TRIES = 32 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage space;
};

static bool parse(const char *text, union address *a)
{
	*a = (union address){ 0 };
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1)
		a->any.sa_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1)
		a->any.sa_family = AF_INET6;
	return a->any.sa_family != 0;
}

static socklen_t address_bytes(const union address *a)
{
	return a->any.sa_family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

static void set_port(union address *a, uint16_t port)
{
	if (a->any.sa_family == AF_INET)
		a->v4.sin_port = htons(port);
	else
		a->v6.sin6_port = htons(port);
}

static uint16_t bound_port(int fd)
{
	union address a = { 0 };
	socklen_t n = sizeof(a);
	getsockname(fd, &a.any, &n);
	return ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
}

/* Returns 0, or the error number. `::` also accepts IPv4; ::1 does not. */
static int open_one(struct listeners *l, const char *text, uint16_t port)
{
	union address a;
	parse(text, &a);
	set_port(&a, port);
	int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	int on = 1, off = 0;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a.any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, &a.any, address_bytes(&a)) != 0 || listen(fd, SOMAXCONN) != 0) {
		int error = errno;
		close(fd);
		return error;
	}
	l->fds[l->n++] = fd;
	l->port = bound_port(fd);
	return 0;
}

static bool explain(int error, const char *address, uint16_t port, struct err *e)
{
	if (error == EADDRINUSE)
		return err_set(e, "port %u is already in use; choose another, or 0 for any", port);
	if (error == EACCES)
		return err_set(e, "port %u needs root; choose one above 1023, or 0 for any", port);
	if (error == EADDRNOTAVAIL)
		return err_set(e, "%s is not an address of this machine", address);
	return err_set(e, "cannot listen on %s: %s", address, strerror(error));
}

static bool open_given(struct listeners *l, const char *address, uint16_t port, struct err *e)
{
	union address a;
	if (!parse(address, &a))
		return err_usage(e, "%s is not an IP address", address);
	int error = open_one(l, address, port);
	if (error)
		return explain(error, address, port, e);
	snprintf(l->address, sizeof(l->address), a.any.sa_family == AF_INET6 ? "[%s]" : "%s",
		 address);
	return true;
}

/*
 * If another program has our port on ::1, `localhost` would send browsers there, with our token.
 * So this fails, or tries another port.
 */
static bool open_loopback(struct listeners *l, uint16_t port, struct err *e)
{
	int error = 0;
	for (unsigned i = 0; i < (port ? 1 : MAX_TRIES); i++) {
		listeners_close(l);
		error = open_one(l, "127.0.0.1", port);
		if (error)
			break;
		error = open_one(l, "::1", l->port);
		if (error == EADDRINUSE)
			continue;
		if (error)
			snprintf(l->no_ipv6, sizeof(l->no_ipv6), "%s", strerror(error));
		error = 0;
		break;
	}
	if (error)
		return explain(error, "127.0.0.1", l->port ? l->port : port, e);
	snprintf(l->address, sizeof(l->address), "127.0.0.1");
	return true;
}

bool listeners_open(struct listeners *l, const char *address, uint16_t port, struct err *e)
{
	return address ? open_given(l, address, port, e) : open_loopback(l, port, e);
}

void listeners_close(struct listeners *l)
{
	while (l->n)
		close(l->fds[--l->n]);
}

/* ::ffff:192.0.2.1 is an IPv4 address. */
static void unmap(union address *a)
{
	if (a->any.sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&a->v6.sin6_addr))
		return;
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	memcpy(&v4.sin_addr, a->v6.sin6_addr.s6_addr + 12, 4);
	a->v4 = v4;
}

void socket_own_address(int fd, char text[ADDRESS_BYTES])
{
	union address a = { 0 };
	socklen_t n = sizeof(a);
	text[0] = '\0';
	if (getsockname(fd, &a.any, &n) != 0)
		return;
	unmap(&a);
	const void *bytes = a.any.sa_family == AF_INET ? (const void *)&a.v4.sin_addr
						       : (const void *)&a.v6.sin6_addr;
	inet_ntop(a.any.sa_family, bytes, text, ADDRESS_BYTES);
}

bool socket_peer_is_near(int fd)
{
	union address a = { 0 };
	socklen_t n = sizeof(a);
	if (getpeername(fd, &a.any, &n) != 0)
		return false;
	unmap(&a);
	if (a.any.sa_family == AF_INET)
		return ntohl(a.v4.sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(&a.v6.sin6_addr);
}
