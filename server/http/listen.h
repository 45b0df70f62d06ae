/* SPDX-License-Identifier: MIT */
/* listen.h: from "127.0.0.1:7700" to a socket. */
#ifndef PS_HTTP_LISTEN_H
#define PS_HTTP_LISTEN_H

#include "base/err.h"

struct ps_listener {
    int fd;
    char address[80]; /* "127.0.0.1:7700", "[::1]:7700": as bound, with the port that port 0 became
                       */
    char host[64];    /* without the port, as a Host header would have it */
    bool loopback;    /* reachable from this machine only */
    bool any;         /* 0.0.0.0 or [::]: as a URL, localhost will do */
    unsigned port;
};

/* where: "ADDR:PORT", "[ADDR6]:PORT", "NAME:PORT" or ":PORT" (loopback). PS_BAD_REQUEST: not such a
 * thing; PS_CONFLICT: in use; PS_IO. */
enum ps_status ps_listen(const char *where, struct ps_listener *out, struct ps_err *err);

/* Whether that is ADDRESS:PORT; PS_BAD_REQUEST: it is not. */
enum ps_status ps_listen_check(const char *where, struct ps_err *err);

#endif
