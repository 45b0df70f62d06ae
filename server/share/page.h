/* SPDX-License-Identifier: MIT */
/*
 * page.h: writes copied runs as one HTML file that shows them as the shelf does, without a server
 * or network. It contains the page, the query engine as WebAssembly (server/offline), and the files
 * of the copy.
 */
#ifndef PS_SHARE_PAGE_H
#define PS_SHARE_PAGE_H

#include "base/buf.h"
#include "server/share/redact.h"

/* Maximum total size of the files of the copied runs: a browser keeps them in memory, for a moment
 * twice. */
#define PS_SHARE_PAGE_MAX ((uint64_t)512 << 20)

/* Appends the address of a report, "#/run/ID", or of a comparison of two groups, each a list of ids
 * separated by commas; base "": one group only. */
void ps_share_run_address(const char *id, struct ps_buf *out);
void ps_share_compare_address(const char *base, const char *fresh, struct ps_buf *out);

/* Writes the file to fd. `shell`: the page without runs, gzip (server/http/assets.h); `start`: the
 * address that it opens first, with complete ids. Uses some megabytes of memory, whatever the size
 * of the runs. PS_LIMIT: the runs are larger than PS_SHARE_PAGE_MAX; PS_CONFLICT: there is no
 * shell. */
enum ps_status ps_share_write_page(const struct ps_share_copy *copy, const char *start,
                                   struct ps_str shell, int fd, struct ps_err *err);

#endif
