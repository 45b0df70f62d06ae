/* SPDX-License-Identifier: MIT */
/* reports.h: printed tables, measurements, and what limits a command. */
#ifndef PS_QUERY_REPORTS_REPORTS_H
#define PS_QUERY_REPORTS_REPORTS_H

#include "server/query/view.h"

ps_view_answer ps_view_report_rows, ps_view_measurement, ps_view_bound;

/* What limited the first command of a run of `time`. Times are NaN if the report lacks them. */
struct ps_command_verdict {
    char command[400], reason[300];
    const char *verdict; /* "cpu-bound", "waiting", "mixed", "system-heavy", "memory-heavy",
                            "unknown"; NULL: the run has no command */
    double real_s, user_s, system_s;
    int64_t n_commands; /* number of commands in the run; 2: two or more */
};
enum ps_status ps_command_verdict_read(struct ps_db *db, struct ps_command_verdict *out,
                                       struct ps_err *err);

#endif
