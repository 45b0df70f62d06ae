/* SPDX-License-Identifier: MIT */
/* remote.h: adds profiles to the shelf of a client, also with --server. */
#ifndef PS_CLI_REMOTE_H
#define PS_CLI_REMOTE_H

#include "server/cli/client.h"
#include "server/cli/shelve.h"

/* Like ps_cli_shelve, for the shelf of the client, local or remote. */
int ps_client_shelve(struct ps_client *client, const struct ps_label *label,
                     const struct ps_shelving *profile, bool json, struct ps_shelved *out);

#endif
