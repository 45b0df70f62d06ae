/* SPDX-License-Identifier: MIT */
/* remote_sources.h: uploads the sources of a line-level profile to a remote server. */
#ifndef PS_CLI_REMOTE_SOURCES_H
#define PS_CLI_REMOTE_SOURCES_H

#include "server/cli/remote_http.h"
#include "server/cli/sources.h"

/* Like ps_cli_attach_sources, for a run (its id) of the remote server. */
void ps_remote_upload_sources(struct ps_remote_http *http, const char *run,
                              const struct ps_provenance *from);

#endif
