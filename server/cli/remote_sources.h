/* SPDX-License-Identifier: MIT */
/* remote_sources.h: the sources of a line-level profile, sent to the shelf that has its run. */
#ifndef PS_CLI_REMOTE_SOURCES_H
#define PS_CLI_REMOTE_SOURCES_H

#include "server/cli/remote_http.h"
#include "server/cli/sources.h"

/* As ps_cli_attach, to a run of that shelf (its id). */
void ps_remote_attach(struct ps_remote_http *http, const char *run,
                      const struct ps_provenance *from);

#endif
