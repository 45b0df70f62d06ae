/* SPDX-License-Identifier: MIT */
/* remote_import.h: adds profiles to the shelf of a client, local or remote. */
#ifndef PS_CLI_REMOTE_IMPORT_H
#define PS_CLI_REMOTE_IMPORT_H

#include "server/cli/client/client.h"
#include "server/cli/commands/import_profile.h"

/* Like ps_cli_import_profile, for the shelf of the client, local or remote. */
int ps_client_import(struct ps_client *client, const struct ps_label *label,
                     const struct ps_import_profile *profile, bool json,
                     struct ps_imported_runs *out);

#endif
