/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h: writes a copy of a run file row by row: for copies in which values are replaced, and
 * for run files from elsewhere. The new file has pages of its own, so it contains nothing but the
 * rows that were written.
 */
#ifndef PS_RUNWRITE_REWRITE_H
#define PS_RUNWRITE_REWRITE_H

#include "base/sqlite.h"
#include "server/runfile/db.h"

/* One row that is copied. The callback may change the cells; their bytes must be valid until the
 * next row. */
struct ps_row {
    struct ps_db *source_db; /* for queries; NULL: the rows are from no shelf */
    const char *table;
    const char *const *columns; /* names of the columns */
    struct ps_cell *cells;
    size_t n;
};

struct ps_rewrite_callbacks {
    /* Called for each column of each table before any row, with its declared type ("" for none).
     * False, with err set, stops the copy. May be NULL. */
    bool (*column)(void *user, const char *table, const char *column, const char *type,
                   struct ps_err *err);
    /* Called for each row. False: the row is left out; if err is set, the copy stops. */
    bool (*row)(void *user, struct ps_row *row, struct ps_err *err);
    /* Called once after all rows, to add some with ps_rewrite_add_meta or ps_rewrite_add_note. May
     * be NULL. */
    enum ps_status (*end)(void *user, struct ps_db *to, struct ps_err *err);
    void *user;
};

/* Copies the run of `from` to the empty file at `path`, except for the rows of meta that its
 * publisher writes (kind, name, created_at, sha256, bytes and label); the file is then as a writer
 * leaves it. If path is NULL nothing is written: the rows are only passed to the callbacks. `from`
 * stays open. */
enum ps_status ps_rewrite_run(struct ps_db *from, const char *path,
                              const struct ps_rewrite_callbacks *how, struct ps_err *err);
/* Add one row to meta, or one to note. */
enum ps_status ps_rewrite_add_meta(struct ps_db *to, const char *key, struct ps_str text,
                                   struct ps_err *err);
enum ps_status ps_rewrite_add_note(struct ps_db *to, struct ps_str text, struct ps_err *err);

/* Drops the views of a file that is written for other shelves: their readers have these views, and
 * do not run SQL from an untrusted file. May be used as `end` of ps_rewrite_callbacks. */
enum ps_status ps_rewrite_drop_views(void *user, struct ps_db *to, struct ps_err *err);

#endif
