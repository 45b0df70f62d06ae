/* SPDX-License-Identifier: MIT */
/* remote.h: profiles put on a shelf that is served elsewhere: `add --server`. */
#ifndef PS_CLI_REMOTE_H
#define PS_CLI_REMOTE_H

#include "server/cli/client.h"
#include "server/cli/shelve.h"

/* What ps_cli_shelve does, on the shelf of the client, wherever that is. */
int ps_client_shelve(struct ps_client *client, const struct ps_label *label,
                     const struct ps_shelving *profile, bool json, struct ps_shelved *out);

#endif
