/* SPDX-License-Identifier: MIT */
/*
 * redact.h: copies runs for people outside, without the data that these must not see.
 *
 * The data that a run reveals is divided into six categories. Redacting a category replaces or
 * removes each of its values, in all tables of the run, its labels and its attached sources;
 * measured numbers are not changed. Equal values have equal replacements throughout one copy, so
 * that rows of its runs can still be compared.
 */
#ifndef PS_SHARE_REDACT_H
#define PS_SHARE_REDACT_H

#include "server/catalog/store.h"

/* What a run may reveal: categories, a bit each. */
enum ps_reveal {
    PS_REVEAL_PATHS = 1, /* folders of files; paths below site-packages or lib/pythonX.Y are kept */
    PS_REVEAL_HOSTS = 2, /* names and addresses of machines */
    PS_REVEAL_PEOPLE = 4,    /* user names, in paths and labels; who added the run */
    PS_REVEAL_ARGUMENTS = 8, /* command lines, also in names; the environment, values of secrets,
                                arguments of slices */
    PS_REVEAL_SOURCE = 16,   /* source lines, attached source files */
    PS_REVEAL_LABELS = 32,   /* name, series, note and tags */
};
#define PS_N_REVEALS       6
#define PS_REVEAL_ALL      63u
#define PS_REVEAL_EXAMPLES 5 /* maximum number of example values per category in a preview */

/* The names of the categories in command lines and URLs; index i is bit 1 << i. */
extern const char *const ps_reveal_words[PS_N_REVEALS];
/* Parses names separated by commas, or "all". PS_BAD_REQUEST: empty, or an unknown category. */
enum ps_status ps_reveal_parse(const char *words, unsigned *out, struct ps_err *err);

/* Copies of some runs in a private store, with their original ids. */
struct ps_share_copy {
    struct ps_store *store; /* used like any store; without originals */
    unsigned redacted;      /* bits of enum ps_reveal */
};

/* Copies runs (complete ids) to a private store in the spool folder of `from`. ps_share_copy_free
 * removes it and its files. PS_NOT_FOUND: there is no such run. */
enum ps_status ps_share_copy(struct ps_store *from, const char (*ids)[PS_ID_SIZE], size_t n,
                             unsigned redact, struct ps_share_copy *out, struct ps_err *err);
void ps_share_copy_free(struct ps_share_copy *copy); /* {0} is fine */

#endif
