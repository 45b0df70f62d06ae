/* SPDX-License-Identifier: MIT */
/*
 * server_record.h: the shelves that the current user serves on this machine. Each server writes a
 * record: a file in $XDG_RUNTIME_DIR/perfshelf, else in $XDG_STATE_HOME/perfshelf or
 * ~/.local/state/perfshelf, with its URL and its folder. The server locks the file, so an unlocked
 * record is stale and ignored.
 */
#ifndef PS_CLI_SERVER_RECORD_H
#define PS_CLI_SERVER_RECORD_H

#include "server/cli/options/options.h"

struct ps_server_record;
struct ps_imported_runs; /* import_profile.h */

/* Waits, a few seconds at most, until no other server of this user is being started, and keeps
 * others from starting until the descriptor is closed. -1: that is not possible. */
int ps_server_lock_start(void);

/* Records this server until ps_server_record_delete or the end of the process. */
enum ps_status ps_server_record_write(const char *url, const char *data, bool is_demo,
                                      struct ps_server_record **out, struct ps_err *err);
void ps_server_record_delete(struct ps_server_record *record); /* NULL is allowed */

/* Appends the URL of the server for the shelf of a command line, with a trailing slash: --server,
 * or the server of this user for its folder. False: there is none. */
bool ps_server_find_url(const struct ps_options *options, struct ps_buf *url);

/* Appends the folder of the shelf that a server of this user serves at the port. False: there is
 * none. */
bool ps_server_find_shelf(unsigned port, struct ps_buf *data);

/* For a command line that selects no shelf: if the default shelf is not served but others are,
 * selects the one whose server started last and prints a note on stderr. The samples of `demo` are
 * never selected. */
void ps_server_select_shelf(struct ps_options *options);

/* Prints one line on stdout: the shelf of the runs and its URL. Prints nothing with --json, or if
 * no server serves a shelf that the command line selects. */
void ps_server_print_url(const struct ps_options *options, const struct ps_imported_runs *runs);

#endif
