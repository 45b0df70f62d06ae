/* SPDX-License-Identifier: MIT */
/* time_report.h: writes what a command used in the form of GNU `time -v`, with more digits. The
 * importer `time` reads it. */
#ifndef PS_CLI_TIME_REPORT_H
#define PS_CLI_TIME_REPORT_H

#include "server/cli/recorder/child.h"

/* command: one line, with secrets masked. */
enum ps_status ps_time_report_write(int fd, const char *command, const struct ps_child_usage *usage,
                                    int exit_status, struct ps_err *err);

#endif
