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
    const char *name, *series; /* NULL: none given */
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
    char (*known)[PS_ID_SIZE]; /* those that were there already, until their labels are looked at */
    size_t n_known, cap_known;
};
void ps_shelved_free(struct ps_shelved *shelved); /* forgets `known` */
void ps_shelved_add(struct ps_shelved *shelved, const struct ps_import_result *result);

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

/* The line of one run on stdout; url as in struct ps_shelved. */
void ps_cli_say_run(const char *path, bool json, const char *url,
                    const struct ps_import_result *result);

/* Of the person who runs the process; "" when it has no name. */
const char *ps_cli_login_name(void);

#endif
