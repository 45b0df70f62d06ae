/* SPDX-License-Identifier: MIT */
/*
 * cli.h: the commands of the command line, one file each. A command does its work, prints to
 * stdout, reports each failure in one line on stderr, and returns the exit status: 0 success, 1
 * something failed, 2 wrong usage.
 */
#ifndef PS_CLI_CLI_H
#define PS_CLI_CLI_H

#include "server/cli/options/options.h"
#include "server/cli/progress.h"

int ps_cli_add(const struct ps_options *options);
int ps_cli_open(const struct ps_options *options);
int ps_cli_demo(const struct ps_options *options);
int ps_cli_record(const struct ps_options *options);
int ps_cli_list(const struct ps_options *options);
int ps_cli_show(const struct ps_options *options);
int ps_cli_edit(const struct ps_options *options);
int ps_cli_rm(const struct ps_options *options);
int ps_cli_undelete(const struct ps_options *options);
int ps_cli_renew(const struct ps_options *options);
int ps_cli_formats(const struct ps_options *options);
int ps_cli_sql(const struct ps_options *options);
int ps_cli_diff(const struct ps_options *options);
int ps_cli_token(const struct ps_options *options);
int ps_cli_check(const struct ps_options *options);
int ps_cli_trend(const struct ps_options *options);
int ps_cli_report(const struct ps_options *options);
int ps_cli_bisect(const struct ps_options *options);
int ps_cli_whatif(const struct ps_options *options);
int ps_cli_baseline(const struct ps_options *options);
int ps_cli_verify(const struct ps_options *options);
int ps_cli_rebuild(const struct ps_options *options);
int ps_cli_backup(const struct ps_options *options);
int ps_cli_copy(const struct ps_options *options);
int ps_cli_export(const struct ps_options *options);
int ps_cli_prune(const struct ps_options *options);
int ps_cli_explore(const struct ps_options *options);
int ps_cli_mcp(const struct ps_options *options);
int ps_cli_config(const struct ps_options *options);

/* (print.c) Prints "perfshelf: SUBJECT: TEXT at byte N; HINT" on stderr, with control characters
 * escaped; an unknown offset or hint is omitted. Returns 1. */
int ps_print_failure(const char *subject, const struct ps_err *err);
/* Like ps_print_failure, with the shelf (its folder or shared store) as the subject. */
int ps_print_shelf_failure(const struct ps_options *options, const struct ps_err *err);
/* Prints "perfshelf: SUBJECT: skipped: TEXT" on stderr. */
void ps_print_skipped(const char *subject, const struct ps_err *err);
/* Prints "perfshelf: SUBJECT: note: TEXT" on stderr, for information that is not a failure. */
void ps_print_note(const char *subject, const struct ps_err *note);
/* Writes a buffer to stdout. */
void ps_print(const struct ps_buf *text);
/* Flushes stdout. Returns the status, or 1 after an error message if the output could not be
 * written (such as a full disk). */
int ps_flush_stdout(int status);

/* Output of a check of the shelf (verify.c): progress, and one line on stdout for each problem,
 * "FILE: WHAT: TEXT; HINT" or, if `json`, an object. */
struct ps_finding;
struct ps_check_output {
    struct ps_progress progress;
    bool json;
};
void ps_check_output_finding(void *user, const struct ps_finding *finding);
bool ps_check_output_progress(void *user, uint64_t done, uint64_t total, uint64_t files);

/* Checks that the folder is a shelf, for commands that do not create one. PS_NOT_FOUND: it is not a
 * shelf. */
enum ps_status ps_check_shelf(const char *dir, struct ps_err *err);
/* Prints on stderr that the folder is a new shelf. */
void ps_print_created(const char *dir);
/* Opens the shelf of --data or --store; add and record create it. NULL after reporting a
 * failure. */
struct ps_store *ps_cli_open_store(const struct ps_options *options);
void ps_store_close_ptr(struct ps_store **store); /* for PS_AUTO */

#endif
