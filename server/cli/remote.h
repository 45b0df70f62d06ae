/* SPDX-License-Identifier: MIT */
/* remote.h: profiles put on a shelf that is served elsewhere: `add --server`. */
#ifndef PS_CLI_REMOTE_H
#define PS_CLI_REMOTE_H

#include "server/cli/client.h"
#include "server/cli/shelve.h"

/* What ps_cli_shelve does, on the shelf of the client, wherever that is. */
int ps_client_shelve(struct ps_client *client, const struct ps_label *label,
                     const struct ps_shelving *profile, bool json, struct ps_shelved *out);

/*
 * The same on the shelf of `http`: sends the file in pieces, goes on where a
 * dropped connection left off, waits for the import and prints its line, or one for each profile of
 * an archive. Sources are not sent. Returns 0, or 1 after telling the failure.
 */
int ps_remote_shelve(struct ps_remote_http *http, const struct ps_label *label,
                     const struct ps_shelving *profile, bool json, struct ps_shelved *out);

#endif
