/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h: a run file written anew row by row: for copies in which values are replaced, and for
 * run files that came from elsewhere. The new file has pages of its own, so nothing but the rows
 * that were written is in its bytes.
 */
#ifndef PS_RUNWRITE_REWRITE_H
#define PS_RUNWRITE_REWRITE_H

#include "base/sqlite.h"
#include "server/runfile/db.h"

/* One row on its way; the cells may be changed, to bytes that live until the next row. */
struct ps_row {
    struct ps_db *from; /* for what else has to be known; NULL: of no shelf */
    const char *table;
    const char *const *columns; /* their names */
    struct ps_cell *cells;
    size_t n;
};

struct ps_rewrite {
    /* Each column of each table before any row, with its declared type, "" for none. False, with
     * err filled, ends it all. May be NULL. */
    bool (*column)(void *user, const char *table, const char *column, const char *type,
                   struct ps_err *err);
    /* False: the row is left out, for good when err is filled, which ends it all. */
    bool (*row)(void *user, struct ps_row *row, struct ps_err *err);
    /* Once, when all rows have passed: to add some with ps_rewrite_add. May be NULL. */
    enum ps_status (*end)(void *user, struct ps_db *to, struct ps_err *err);
    void *user;
};

/* Writes the run that `from` reads anew into the empty file at `path`, except for what only its
 * publisher knows (kind, name, created_at, sha256, bytes and label of meta), so the file is as a
 * writer leaves it. With path NULL nothing is written and rows are only shown. `from` stays open.
 */
enum ps_status ps_rewrite_run(struct ps_db *from, const char *path, const struct ps_rewrite *how,
                              struct ps_err *err);
/* One row of meta, and one of the ledger. */
enum ps_status ps_rewrite_meta(struct ps_db *to, const char *key, struct ps_str text,
                               struct ps_err *err);
enum ps_status ps_rewrite_note(struct ps_db *to, struct ps_str text, struct ps_err *err);

/* Takes the views out of a file that is written for other shelves: whoever reads it has them, and
 * reads no SQL of a stranger. Fits `end` of ps_rewrite. */
enum ps_status ps_rewrite_bare(void *user, struct ps_db *to, struct ps_err *err);

#endif
