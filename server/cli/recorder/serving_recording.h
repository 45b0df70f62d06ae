/* SPDX-License-Identifier: MIT */
/*
 * serving_recording.h: records a load test of an engine that serves a language model. Starts and
 * stops the profiler of the engine, runs the client, and collects what both wrote: results, traces
 * and the lines that the log of the engine gained.
 */
#ifndef PS_CLI_SERVING_RECORDING_H
#define PS_CLI_SERVING_RECORDING_H

#include "server/cli/options/options.h"
#include "server/cli/recorder/child.h"

/* Fails if an option of serving is wrong, or is given although the recorder is another. */
enum ps_status ps_serving_check_options(const struct ps_options *options, bool is_serving,
                                        struct ps_err *err);

/* Runs the client once and writes the files that were found to fd: one as it is, several as a tar
 * file. *exit_status is that of the client. PS_NOT_FOUND: neither wrote a file that perfshelf
 * reads. *name: name of a single file, in `arena`; NULL: there are several. */
enum ps_status ps_serving_record(const struct ps_options *options, const struct ps_child *client,
                                 int fd, int *exit_status, struct ps_arena *arena,
                                 const char **name, struct ps_err *err);

#endif
