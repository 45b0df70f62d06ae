/* SPDX-License-Identifier: MIT */
/*
 * settings.h: which values a command uses. A value is that of the option, else that of the
 * environment variable, else that of the user's file, else that of the system's file, else the
 * default.
 *
 * --server, --store and --data name a shelf. The first of these places that names one decides
 * alone:
 * --data on the command line replaces a server of a file, and --store does not use the folder of a
 * file as its cache. If a place names several shelves, the command uses the first of server, store
 * and folder that it can use; the folder next to a store is its cache.
 *
 * Three keys of a file belong to what the files name, because using them elsewhere would do harm.
 * token-file and ca are for the server of the files: a token is not sent to another one. keep is
 * for the shelf of the files or the default shelf: no other shelf loses runs.
 */
#ifndef PS_CLI_SETTINGS_H
#define PS_CLI_SETTINGS_H

#include "server/cli/options/options.h"

struct ps_option_row;

/* Fills the options that the command line does not set, from the environment, options->config and
 * the defaults. Strings that are not copied, which are all but the names of default folders, are
 * those of their source. Does not read the file of a token. */
enum ps_status ps_settings_apply(struct ps_options *options, struct ps_err *err);

/* Sets an option to the value, or to the n values if it can be repeated. `values` is not copied. */
void ps_settings_set(struct ps_options *options, const struct ps_option_row *option,
                     const char **values, size_t n);

/* The value of an option, or its first one; NULL: it has none. */
const char *ps_settings_get(const struct ps_options *options, const struct ps_option_row *option);

/* Reads options->token from options->token_file if that is what the command uses. */
enum ps_status ps_settings_read_token(struct ps_options *options, struct ps_err *err);

/* Checks the URL of a store; `what` names its place in messages. Refuses a password if
 * `can_be_seen`: all users of the machine can read a command line, but not the environment of a
 * process. */
enum ps_status ps_settings_check_store(const char *what, const char *url, bool can_be_seen,
                                       struct ps_err *err);

#endif
