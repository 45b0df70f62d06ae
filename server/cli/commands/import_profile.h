/* SPDX-License-Identifier: MIT */
/* import_profile.h: imports one profile and prints a line about it; used by `add` and `record`. */
#ifndef PS_CLI_IMPORT_PROFILE_H
#define PS_CLI_IMPORT_PROFILE_H

#include "server/cli/commands/sources.h"
#include "server/cli/options/options.h"
#include "server/jobs/import.h"
#include "server/sandbox/sandbox.h"

/* Labels for new runs. */
struct ps_label {
    const char *name, *series, *note; /* NULL: none */
    const char *user_name;
    const struct ps_tag *tags;
    size_t n_tags;
    bool update; /* also change the labels of existing runs */
};

/* Counts the runs of several imports. `id` is the id of the last run. */
struct ps_imported_runs {
    const char *url; /* URL of the shelf, for the JSON output; NULL: no server serves the shelf */
    size_t n;
    char id[PS_ID_SIZE];
    bool is_quiet; /* no line is printed for a run */
    /* Called for a run that existed before, before its line is printed; may be NULL. The function
     * may change the labels of the run; then it sets *name to the new name (malloc'ed). Returns 0,
     * or 1 after reporting a failure. */
    int (*label_known)(void *user, const char *path, const char *id, char **name);
    void *user;
};

/* A profile that can be read from offset 0. */
struct ps_import_profile {
    int fd;
    const char *path;     /* for messages */
    const char *filename; /* default name of the run; "" if there is none */
    bool is_reimport;     /* an existing run is imported again: its sources are kept */
    bool is_from_folder;  /* found in a folder: skipped with a note if it is not a profile */
    struct ps_provenance provenance;
    const struct ps_sandbox_limits *limits; /* of the import; NULL: the defaults */
};

/*
 * Imports a profile, or each profile of an archive. For each run, prints a line (with `json`, an
 * object) to stdout and attaches the sources. Shows progress. An interrupt stops the import if
 * ps_progress_catch_interrupts was called. The runs are counted in *out, which may be NULL. Returns
 * 0, or 1 after reporting the failure.
 */
int ps_cli_import_profile(struct ps_store *store, const struct ps_label *label,
                          const struct ps_import_profile *profile, bool json,
                          struct ps_imported_runs *out);

/* Prints the line of one run to stdout and counts the run. Returns 0, or 1 after reporting that its
 * labels could not be changed. */
int ps_imported_runs_add(struct ps_imported_runs *imported_runs, const char *path, bool json,
                         const struct ps_import_result *result);

/* (add.c) Adds the files of the command line and prints a line for each run, which *runs counts.
 * Returns the exit status. */
int ps_cli_add_files(const struct ps_options *options, struct ps_imported_runs *runs);

/* Login name of the user of this process; "" if unknown. Static storage. */
const char *ps_cli_login_name(void);

#endif
