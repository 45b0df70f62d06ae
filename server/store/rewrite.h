/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h: a run file written anew row by row: for copies in which values are replaced, and for
 * run files that came from elsewhere. The new file has pages of its own, so nothing but the rows
 * that were written is in its bytes.
 */
#ifndef PS_STORE_REWRITE_H
#define PS_STORE_REWRITE_H

#include "base/sqlite.h"
#include "server/store/db.h"

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

/* Writes the run `id` anew into the empty file at `path`, but for what only its publisher says
 * (kind, name, created_at, sha256, bytes, label of meta): a part is left as a writer leaves it.
 * With path NULL nothing is written, rows are only shown. PS_CONFLICT: of another layout. */
enum ps_status ps_rewrite_run(struct ps_store *store, const char *id, const char *path,
                              const struct ps_rewrite *how, struct ps_err *err);
/* One row of meta, and one of the ledger. */
enum ps_status ps_rewrite_meta(struct ps_db *to, const char *key, struct ps_str text,
                               struct ps_err *err);
enum ps_status ps_rewrite_note(struct ps_db *to, struct ps_str text, struct ps_err *err);

/* Takes the views out of a file that is written for other shelves: whoever reads it has them, and
 * reads no SQL of a stranger. Fits `end` of ps_rewrite. */
enum ps_status ps_rewrite_bare(void *user, struct ps_db *to, struct ps_err *err);

/* The row of meta that tells a run file which was made to be shared: a JSON object with kind,
 * perfshelf (the version that wrote it) and redacted (an array of words). */
#define PS_SHARED_KEY "shared"

/* Whether the file is a run file, by its head. */
bool ps_is_run_file(int fd);
/* Takes all rows of the run file at fd, which nobody vouches for, into the file that `writer` laid
 * out, in place of what its sink would be told: ps_writer_end is not called. Only one that has
 * PS_SHARED_KEY and our layout. kind_out: as it says. */
enum ps_status ps_writer_take(struct ps_writer *writer, int fd, char kind_out[32],
                              struct ps_err *err);

#endif
