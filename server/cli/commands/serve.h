/* SPDX-License-Identifier: MIT */
/* serve.h: `perfshelf serve`, the HTTP server. */
#ifndef PS_CLI_SERVE_H
#define PS_CLI_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/catalog/retention.h"
#include "server/sandbox/sandbox.h"

struct ps_serve_options {
    const char *data;  /* never NULL: the caller fills in the default */
    const char *store; /* URL of a shared store; NULL: the folder is the shelf */
    /* "ADDR:PORT", "[::1]:PORT"; port 0: any free one; NULL: 127.0.0.1:7700, or a free port */
    const char *listen;
    bool is_demo;    /* add the samples to the shelf; other commands do not choose it themselves */
    int *start_lock; /* of ps_server_lock_start, closed when the server has started; may be NULL */
    bool open;       /* show the shelf (or the first of the files) in the browser */
    const char *run; /* with open: the run to show; NULL: the shelf */
    const char *const *files; /* profiles that the started server imports */
    size_t n_files;
    uint64_t upload_max;           /* maximum bytes of one upload; 0: 8 GiB */
    uint64_t cache;                /* maximum bytes of the cache of a store; 0: the default */
    uint64_t quota;                /* maximum bytes of the shelf; 0: no limit */
    struct ps_retention retention; /* retention rules; n 0: keep all runs */
    size_t queue;                  /* maximum number of unfinished imports; 0: no limit */
    const struct ps_sandbox_limits *limits; /* of each import; NULL: the defaults */
    /* further names accepted in the Host header (of a proxy or container) */
    const char *const *hosts;
    size_t n_hosts;
    bool tokens;     /* require tokens on the loopback too */
    bool is_proxied; /* behind a trusted proxy: requires tokens and uses X-Forwarded-For */
    const char *tls_cert, *tls_key; /* PEM files; both set or both NULL */
};

/* Serves until SIGTERM or SIGINT; reports failures on stderr. Returns the exit status: 0 stopped
 * cleanly, 1 failed. */
int ps_cli_serve(const struct ps_serve_options *options);

#endif
