/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "server/http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

struct listen_address {
    char host[256], port[8];
};

static enum ps_status fail_address(const char *where, struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST,
                   "%s is not an address to listen on" PS_HINT
                   "use ADDRESS:PORT, for example 127.0.0.1:7700 or [::1]:7700",
                   where);
}

static enum ps_status split_address(const char *where, struct listen_address *out,
                                    struct ps_err *err)
{
    struct ps_str host = ps_str_from_c(where), port;
    const char *colon = strrchr(where, ':');
    int64_t number;

    if (!colon)
        return fail_address(where, err);
    host.len = (size_t)(colon - where);
    port = ps_str_from_c(colon + 1);
    if (host.len > 1 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
        host = (struct ps_str){host.ptr + 1, host.len - 2};
    else if (memchr(host.ptr, ':', host.len))
        return fail_address(where, err);
    if (!ps_str_parse_i64(port, &number) || number < 0 || number > 65535 ||
        port.len >= sizeof out->port || host.len >= sizeof out->host)
        return fail_address(where, err);
    (void)snprintf(out->host, sizeof out->host, "%.*s", (int)host.len, host.len ? host.ptr : "");
    (void)snprintf(out->port, sizeof out->port, "%d", (int)number);
    return PS_OK;
}

enum ps_status ps_listen_check(const char *where, struct ps_err *err)
{
    struct listen_address listen_address;

    return split_address(where, &listen_address, err);
}

static enum ps_status fail_bind(const char *where, int code, struct ps_err *err)
{
    const char *hint = "";

    if (code == EADDRINUSE)
        return ps_fail(err, PS_CONFLICT,
                       "cannot listen on %s: it is in use" PS_HINT
                       "stop the other program (another perfshelf?), or use a free port with "
                       "--listen 127.0.0.1:0",
                       where);
    if (code == EACCES)
        hint = "ports below 1024 need root: use a higher one";
    if (code == EADDRNOTAVAIL)
        hint = "this machine does not have that address: use 127.0.0.1 or one of its own";
    return ps_fail(err, PS_IO, "cannot listen on %s: %s" PS_HINT "%s", where, strerror(code), hint);
}

static int open_socket(const struct addrinfo *info, int *code)
{
    const int yes = 1;
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, 512) == 0)
        return fd;
    *code = errno;
    ps_close_fd(&fd);
    return -1;
}

static bool is_loopback(const struct sockaddr_storage *at)
{
    const struct sockaddr_in *four = (const void *)at;
    const struct sockaddr_in6 *six = (const void *)at;

    if (at->ss_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static bool is_wildcard_address(const struct sockaddr_storage *at)
{
    const struct sockaddr_in *four = (const void *)at;
    const struct sockaddr_in6 *six = (const void *)at;

    return at->ss_family == AF_INET ? four->sin_addr.s_addr == 0
                                    : IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
}

static enum ps_status describe_listener(struct ps_listener *out, struct ps_err *err)
{
    struct sockaddr_storage at;
    socklen_t len = sizeof at;
    char host[INET6_ADDRSTRLEN], port[8];

    if (getsockname(out->fd, (struct sockaddr *)&at, &len) != 0 ||
        getnameinfo((struct sockaddr *)&at, len, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return ps_fail(err, PS_IO, "cannot read the address on which the server listens");
    (void)snprintf(out->host, sizeof out->host, at.ss_family == AF_INET6 ? "[%s]" : "%s", host);
    (void)snprintf(out->address, sizeof out->address, "%s:%s", out->host, port);
    (void)sscanf(port, "%u", &out->port);
    out->is_loopback = is_loopback(&at);
    out->is_wildcard = is_wildcard_address(&at);
    return PS_OK;
}

enum ps_status ps_listen(const char *where, struct ps_listener *out, struct ps_err *err)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    struct listen_address listen_address;
    int code = 0;
    enum ps_status status = split_address(where, &listen_address, err);

    *out = (struct ps_listener){.fd = -1};
    if (status != PS_OK)
        return status;
    if (getaddrinfo(listen_address.host[0] ? listen_address.host : "127.0.0.1", listen_address.port,
                    &hints, &found) != 0)
        return fail_address(where, err);
    for (struct addrinfo *at = found; at && out->fd < 0; at = at->ai_next)
        out->fd = open_socket(at, &code);
    freeaddrinfo(found);
    if (out->fd < 0)
        return fail_bind(where, code, err);
    status = describe_listener(out, err);
    if (status != PS_OK)
        ps_close_fd(&out->fd);
    return status;
}
