/* SPDX-License-Identifier: MIT */
/* shelve.h: one profile put on the shelf, with a line that says so; what `add` and `record` share.
 */
#ifndef PS_CLI_SHELVE_H
#define PS_CLI_SHELVE_H

#include "server/cli/options.h"
#include "server/cli/sources.h"
#include "server/jobs/import.h"
#include "server/sandbox/sandbox.h"

/* What a run is given beside its bytes. */
struct ps_label {
    const char *name, *series, *note; /* NULL: none given */
    const char *who;
    const struct ps_tag *tags;
    size_t n_tags;
    bool update; /* also of runs that are on the shelf already */
};

/* What became runs of the shelf: how many, and the last of them. */
struct ps_shelved {
    const char *url; /* where the shelf is served, for JSON; NULL: nowhere */
    size_t n;
    char id[PS_ID_SIZE];
    /* Called with a run that was there already, before its line is printed; NULL: nothing is. It
     * may give the run new labels, and sets *name to its name then (malloc'ed) or leaves it.
     * Returns 0, or 1 after telling a failure. */
    int (*label_known)(void *user, const char *path, const char *id, char **name);
    void *user;
};

/* A profile that can be read from offset 0. */
struct ps_shelving {
    int fd;
    const char *path;     /* what messages call it */
    const char *filename; /* what its run is called after; "" when it has none */
    bool again;           /* of a run of the shelf: its sources stay as they are */
    bool found;           /* in a folder: what is no profile there is no failure */
    struct ps_provenance from;
    const struct ps_sandbox_limits *limits; /* of the import; NULL: the usual ones */
};

/*
 * Imports it, prints its line (an object with `json`) to stdout and attaches its sources; of an
 * archive each profile in it. Shows progress; an interrupt ends it where
 * ps_progress_catch_interrupts was called. The runs are added to *out (may be NULL). Returns 0, or
 * 1 after telling the failure.
 */
int ps_cli_shelve(struct ps_store *store, const struct ps_label *label,
                  const struct ps_shelving *profile, bool json, struct ps_shelved *out);

/* Prints the line of one run to stdout and counts it. Returns 0, or 1 after telling that its new
 * labels cannot be. */
int ps_shelved_add(struct ps_shelved *shelved, const char *path, bool json,
                   const struct ps_import_result *result);

/* Of the person who runs the process; "" when it has no name. */
const char *ps_cli_login_name(void);

#endif
