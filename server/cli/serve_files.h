/* SPDX-License-Identifier: MIT */
/* serve_files.h: the profiles named on the command line of `serve`, and the browser. */
#ifndef PS_CLI_SERVE_FILES_H
#define PS_CLI_SERVE_FILES_H

#include "server/cli/serve.h"
#include "server/jobs/jobs.h"

/* Queues the imports; failures are told on stderr, sources attached as `add` does. With
 * options->open, shows the shelf, or the first file's run once it is there. */
void ps_serve_files(struct ps_store *store, struct ps_jobs *jobs,
                    const struct ps_serve_options *options, const char *url);

#endif
