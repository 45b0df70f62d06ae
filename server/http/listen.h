/* SPDX-License-Identifier: MIT */
/* listen.h: opens a listening socket for an address such as "127.0.0.1:7700". */
#ifndef PS_HTTP_LISTEN_H
#define PS_HTTP_LISTEN_H

#include "base/err.h"

struct ps_listener {
    int fd; /* owned by the caller, until it is passed to ps_http_start */
    /* bound address, such as "127.0.0.1:7700" or "[::1]:7700"; port 0 is replaced by the actual
     * port */
    char address[80];
    char host[64];    /* without the port, in the form of a Host header */
    bool is_loopback; /* reachable from this machine only */
    bool is_wildcard; /* 0.0.0.0 or [::]: a URL can use localhost */
    unsigned port;
};

/* Opens the socket. where: "ADDR:PORT", "[ADDR6]:PORT", "NAME:PORT" or ":PORT" (loopback).
 * PS_BAD_REQUEST: another form or an unknown name; PS_CONFLICT: the address is in use; PS_IO. */
enum ps_status ps_listen(const char *where, struct ps_listener *out, struct ps_err *err);

/* Checks that `where` has the form ADDRESS:PORT. PS_BAD_REQUEST: it has another form. */
enum ps_status ps_listen_check(const char *where, struct ps_err *err);

#endif
