/* SPDX-License-Identifier: MIT */
/*
 * page.h: copied runs as one HTML file that shows them as the shelf does, with no server and no
 * network: the page itself, the queries as WebAssembly (server/offline), and the files of the copy.
 */
#ifndef PS_SHARE_PAGE_H
#define PS_SHARE_PAGE_H

#include "base/buf.h"
#include "server/share/redact.h"

/* Bytes that the files of the copied runs may have in all: a browser holds them in memory, for a
 * moment twice. */
#define PS_SHARE_PAGE_MAX ((uint64_t)512 << 20)

/* The address of a report, "#/run/ID", and of a comparison of two groups, each ids with commas
 * between them; base "": of one group. */
void ps_share_run_start(const char *id, struct ps_buf *out);
void ps_share_compare_start(const char *base, const char *fresh, struct ps_buf *out);

/* Writes the file to fd. `shell`: the page without runs, gzip (server/http/assets.h); `start`: the
 * address that it opens with, of whole ids. Memory: some megabytes, whatever the runs are.
 * PS_LIMIT: they are more than PS_SHARE_PAGE_MAX; PS_CONFLICT: there is no shell. */
enum ps_status ps_share_page(const struct ps_share_copy *copy, const char *start,
                             struct ps_str shell, int fd, struct ps_err *err);

#endif
