/* SPDX-License-Identifier: MIT */
/*
 * served.h: the shelves that the current user serves on this machine. Each server writes a record:
 * a file in $XDG_RUNTIME_DIR/perfshelf, else in $XDG_STATE_HOME/perfshelf or
 * ~/.local/state/perfshelf, with its URL and its folder. The server locks the file, so an unlocked
 * record is stale and ignored.
 */
#ifndef PS_CLI_SERVED_H
#define PS_CLI_SERVED_H

#include "server/cli/options.h"

struct ps_served_record;
struct ps_shelved; /* shelve.h */

/* Records this server until ps_served_withdraw or the end of the process. */
enum ps_status ps_served_announce(const char *url, const char *data, struct ps_served_record **out,
                                  struct ps_err *err);
void ps_served_withdraw(struct ps_served_record *record); /* NULL is allowed */

/* The URL of the server for the shelf of a command line, with a trailing slash: --server, or the
 * server of this user for its folder. False: it is not served. */
bool ps_shelf_url(const struct ps_options *options, struct ps_buf *url);

/* For a command line that selects no shelf: if the default shelf is not served but others are,
 * selects the one whose server started last and prints a note on stderr. */
void ps_served_choose(struct ps_options *options);

/* Prints one line on stdout: the shelf of the runs and its URL. Prints nothing for a selected shelf
 * that is not served. */
void ps_served_say(const struct ps_options *options, const struct ps_shelved *runs);

#endif
