/* SPDX-License-Identifier: MIT */
/*
 * redact.h: copies of runs for people outside, without what these are not to see.
 *
 * What a run reveals is told apart in six categories. Redacting one replaces or drops every value
 * of it, in all tables of the run, its labels and its attached sources; figures stay as they are.
 * Equal values become equal ones throughout one copy, so that rows of its runs can still be
 * compared.
 */
#ifndef PS_SHARE_REDACT_H
#define PS_SHARE_REDACT_H

#include "server/catalog/store.h"

enum ps_reveal {                       /* a bit each */
                 PS_REVEAL_PATHS = 1,  /* folders of files; what stands below site-packages or
                                          lib/pythonX.Y stays */
                 PS_REVEAL_HOSTS = 2,  /* names and addresses of machines */
                 PS_REVEAL_PEOPLE = 4, /* names of users, in paths and labels; who added the run */
                 PS_REVEAL_ARGUMENTS = 8, /* command lines, also in names; the environment, values
                                             of secrets, arguments of slices */
                 PS_REVEAL_SOURCE = 16,   /* lines of source, attached source files */
                 PS_REVEAL_LABELS = 32,   /* name, series, note and tags */
};
#define PS_REVEALS         6
#define PS_REVEAL_ALL      63u
#define PS_REVEAL_EXAMPLES 5 /* values of a category that a preview shows */

/* The word of a category, as command lines and URLs write it: bit `1 << index`. */
extern const char *const ps_reveal_words[PS_REVEALS];
/* Words with commas between them, or "all". PS_BAD_REQUEST: no word, or one that names no category.
 */
enum ps_status ps_reveal_parse(const char *words, unsigned *out, struct ps_err *err);

/* Some runs on a shelf of their own, each under the id it has. */
struct ps_share_copy {
    struct ps_store *store; /* asked like any store; without originals */
    unsigned redacted;      /* bits of enum ps_reveal */
};

/* Copies runs, whole ids, into the spool of `from`. The copy is the caller's, also its redacted
 * files: ps_share_copy_free removes them. PS_NOT_FOUND: there is no such run. */
enum ps_status ps_share_copy(struct ps_store *from, const char (*ids)[PS_ID_SIZE], size_t n,
                             unsigned redact, struct ps_share_copy *out, struct ps_err *err);
void ps_share_copy_free(struct ps_share_copy *copy); /* {0} is fine */

#endif
