/* SPDX-License-Identifier: MIT */
/*
 * page.h: writes copied runs as one HTML file that shows them like the web page of perfshelf,
 * without a server or a network. The file contains the page, the query engine as WebAssembly
 * (server/offline), and the files of the copied runs.
 */
#ifndef PS_SHARE_PAGE_H
#define PS_SHARE_PAGE_H

#include "base/buf.h"
#include "server/share/redact.h"

/* Maximum uncompressed bytes of the files of all copied runs. A browser has them in memory, twice
 * while it decodes them. */
#define PS_SHARE_PAGE_MAX ((uint64_t)512 << 20)

/* Append the fragment of the URL of a report, "#/run/ID", or of a comparison of two groups, each a
 * list of ids separated by commas. base "": there is only the group `fresh`. */
void ps_share_run_address(const char *id, struct ps_buf *out);
void ps_share_compare_address(const char *base, const char *fresh, struct ps_buf *out);

/* Writes the file to fd. `shell`: the page without runs, compressed with gzip
 * (server/http/assets.h). `start`: the URL fragment that the page opens first, with complete ids.
 * The memory that it needs does not depend on the size of the runs. PS_LIMIT: the runs are larger
 * than PS_SHARE_PAGE_MAX. PS_CONFLICT: `shell` is empty, since the program was built without it. */
enum ps_status ps_share_write_page(const struct ps_share_copy *copy, const char *start,
                                   struct ps_str shell, int fd, struct ps_err *err);

#endif
