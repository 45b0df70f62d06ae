/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h: copies a run file row by row, so that a caller can replace values. The pages of the
 * new file are written anew, so it contains no remains of deleted or replaced values.
 */
#ifndef PS_RUNWRITE_REWRITE_H
#define PS_RUNWRITE_REWRITE_H

#include "base/sqlite.h"
#include "server/runfile/db.h"

/* A row that is copied. The callback may change the cells; their bytes must stay valid until the
 * next call. */
struct ps_rewritten_row {
    struct ps_db *source_db; /* the file that is copied; NULL: the row is from no file */
    const char *table;
    const char *const *columns; /* names of the n columns */
    struct ps_cell *cells;
    size_t n;
};

struct ps_rewrite_callbacks {
    /* Called for each row. False: do not copy the row; with err set: stop the copy. */
    bool (*on_row)(void *user, struct ps_rewritten_row *on_row, struct ps_err *err);
    /* Called once after all rows; may add rows with ps_rewrite_add_meta and ps_rewrite_add_note.
     * May be NULL. */
    enum ps_status (*on_end)(void *user, struct ps_db *to, struct ps_err *err);
    void *user;
};

/* Copies the run file `from`, whose layout may be older, to the empty file at `path`, except for
 * the rows of meta that ps_part_publish writes (kind, name, created_at, sha256, bytes and label):
 * the copy can then be published like a new run. `path` NULL: passes the rows to the callbacks and
 * writes nothing. Does not close `from`. */
enum ps_status ps_rewrite_run(struct ps_db *from, const char *path,
                              const struct ps_rewrite_callbacks *how, struct ps_err *err);
/* Add a row to table meta, or to table note. */
enum ps_status ps_rewrite_add_meta(struct ps_db *to, const char *key, struct ps_str text,
                                   struct ps_err *err);
enum ps_status ps_rewrite_add_note(struct ps_db *to, struct ps_str text, struct ps_err *err);

/* Drops the views of an exported file: an importing shelf creates the views itself, and does not
 * run SQL from an untrusted file. Can be the `end` of ps_rewrite_callbacks. */
enum ps_status ps_rewrite_drop_views(void *user, struct ps_db *to, struct ps_err *err);

#endif
