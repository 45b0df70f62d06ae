/* SPDX-License-Identifier: MIT */
/* serve_files.h: imports the profiles on the command line of `serve`, and opens the browser. */
#ifndef PS_CLI_SERVE_FILES_H
#define PS_CLI_SERVE_FILES_H

#include "server/cli/serve.h"
#include "server/jobs/jobs.h"

/* Queues the imports. Failures are logged, and sources are attached as by `add`. With
 * options->open, shows the shelf, or the run of the first file when it is imported. */
void ps_serve_files(struct ps_store *store, struct ps_jobs *jobs,
                    const struct ps_serve_options *options, const char *url);

#endif
