/* SPDX-License-Identifier: MIT */
/*
 * served.h: which shelves this user serves on this machine. Each server keeps a record: a file in
 * $XDG_RUNTIME_DIR/perfshelf, else in $XDG_STATE_HOME/perfshelf or ~/.local/state/perfshelf, that
 * names its URL and its folder. The server holds a lock on it, so a record without one is stale and
 * never believed.
 */
#ifndef PS_CLI_SERVED_H
#define PS_CLI_SERVED_H

#include "server/cli/options.h"

struct ps_served_record;
struct ps_shelved; /* shelve.h */

/* Records this server until ps_served_withdraw, or until the process ends. */
enum ps_status ps_served_announce(const char *url, const char *data, struct ps_served_record **out,
                                  struct ps_err *err);
void ps_served_withdraw(struct ps_served_record *record); /* NULL is fine */

/* The URL, with its last slash, at which the shelf of a command line is served: --server, or the
 * server of this user whose folder it is. False: it is not served. */
bool ps_shelf_url(const struct ps_options *options, struct ps_buf *url);

/* Of a command line that names no shelf: where the default shelf is not served but others are, the
 * one whose server started last becomes its shelf, and a note on stderr says so. */
void ps_served_choose(struct ps_options *options);

/* One line on stdout: which shelf the runs are on, and where a browser shows them. Nothing of a
 * shelf that the command line names and nobody serves. */
void ps_served_say(const struct ps_options *options, const struct ps_shelved *runs);

#endif
