/* SPDX-License-Identifier: MIT */
/* serve.h: the shelf as a web page: `perfshelf serve`. */
#ifndef PS_CLI_SERVE_H
#define PS_CLI_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/catalog/retention.h"
#include "server/sandbox/sandbox.h"

struct ps_serve_options {
    const char *data;  /* never NULL: the caller knows the default */
    const char *store; /* the URL of one that servers share; NULL: the folder is the shelf */
    const char
        *listen;     /* "ADDR:PORT", "[::1]:PORT"; port 0 takes a free one; NULL: 127.0.0.1:7700 */
    bool open;       /* show the page (or the first of the files) in the browser */
    const char *run; /* with open: the run to show; NULL: the shelf */
    const char *const *files; /* profiles to import once the server runs */
    size_t n_files;
    uint64_t upload_max;                    /* bytes of one upload; 0: 8 GiB */
    uint64_t cache;                         /* bytes of what is fetched of a store; 0: as usual */
    uint64_t quota;                         /* bytes of the shelf; 0: none */
    struct ps_keep keep;                    /* which runs stay; n 0: all */
    size_t queue;                           /* imports that may wait; 0: any number */
    const struct ps_sandbox_limits *limits; /* of each import; NULL: the usual ones */
    const char *const
        *hosts; /* further names that the Host header may hold (a proxy's, a container's host) */
    size_t n_hosts;
    bool tokens; /* want them on the loopback too */
    bool proxy;  /* a proxy is in front: wants tokens, believes its X-Forwarded-For */
    const char *tls_cert, *tls_key; /* files (PEM), both or neither */
};

/* Serves until SIGTERM or SIGINT; says on stderr what went wrong. Returns the exit code: 0 stopped
 * cleanly, 1 failed. */
int ps_cli_serve(const struct ps_serve_options *options);

#endif
