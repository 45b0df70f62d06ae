/* SPDX-License-Identifier: MIT */
/*
 * redact.h: copies runs for people outside of the team, without the data that these people must not
 * see.
 *
 * The data that a run reveals is divided into six categories. Redacting a category replaces or
 * removes each of its values, in all tables of the run, its labels and its attached sources;
 * measured numbers are not changed. Within one copy, equal values have equal replacements, so that
 * its runs can still be compared with each other.
 */
#ifndef PS_SHARE_REDACT_H
#define PS_SHARE_REDACT_H

#include "server/catalog/store.h"

/* Categories of data that a run may reveal, as bits. */
enum ps_reveal {
    /* folders of paths; the parts from site-packages or lib/pythonX.Y on are kept */
    PS_REVEAL_PATHS = 1,
    PS_REVEAL_HOSTS = 2,  /* names and addresses of machines */
    PS_REVEAL_PEOPLE = 4, /* user names, also in paths and labels; the user who added the run */
    /* command lines, also in names; environment variables, secrets, arguments of slices */
    PS_REVEAL_ARGUMENTS = 8,
    PS_REVEAL_SOURCE = 16, /* source lines and attached source files */
    PS_REVEAL_LABELS = 32, /* name, series, note and tags */
};
#define PS_N_REVEALS       6
#define PS_REVEAL_ALL      63u
#define PS_REVEAL_EXAMPLES 5 /* maximum example values of a category in a preview */

/* Names of the categories in command lines and URLs. Index i belongs to the bit 1 << i. */
extern const char *const ps_reveal_names[PS_N_REVEALS];
/* Parses names separated by commas, or "all", into bits. PS_BAD_REQUEST: no name, or an unknown
 * name. */
enum ps_status ps_reveal_parse(const char *words, unsigned *out, struct ps_err *err);

/* Copies of runs in a private shelf (temp_shelf.h), with the ids of the runs. */
struct ps_share_copy {
    struct ps_store *store; /* a store without originals; owned */
    unsigned redacted;      /* redacted categories, bits of enum ps_reveal */
};

/* Copies n runs, given by complete ids, to a private shelf, and redacts the categories in `redact`.
 * ps_share_copy_free deletes the shelf. PS_NOT_FOUND: there is no such run. */
enum ps_status ps_share_copy_runs(struct ps_store *from, const char (*ids)[PS_ID_SIZE], size_t n,
                                  unsigned redact, struct ps_share_copy *out, struct ps_err *err);
void ps_share_copy_free(struct ps_share_copy *copy); /* {0} is fine */

#endif
