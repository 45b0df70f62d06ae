/* SPDX-License-Identifier: MIT */
/* transfer_impl.h: what transfer*.c share. Nobody else includes it. */
#ifndef PS_MAINTENANCE_TRANSFER_IMPL_H
#define PS_MAINTENANCE_TRANSFER_IMPL_H

#include "server/catalog/backend.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"
#include "server/maintenance/transfer.h"

#define PS_TRANSFER_RUNS 64 /* that are published by one transaction, at most */

/* A file on its way. */
struct ps_piece {
    const char *folder;
    char key[PS_SHA256_SIZE];
    char sha256[PS_SHA256_SIZE]; /* of the original, or of what is in the file */
    struct ps_transfer_run *run; /* the first that wants it */
    bool there;                  /* `to` has it already */
    struct ps_err wrong;         /* it cannot be copied, for it is missing or damaged */
    char *path;                  /* else a part of `to` */
    struct ps_sending sent;
};

struct ps_transfer_run {
    int64_t seq;
    char id[PS_ID_SIZE], sha256[PS_SHA256_SIZE];
    uint64_t bytes; /* of its run file and original, as its row says */
    bool known;     /* `to` has its row */
    bool whole;     /* and all its files and sources */
    bool out;       /* it is not copied */
};

struct ps_transfer {
    const struct ps_transfer_how *how;
    struct ps_transferred *out;
    struct ps_store *from, *to;
    char *dir;          /* of this copy, in the spool of `to`; it goes with its session */
    char *taken;        /* the file of the snapshot, in that */
    struct ps_db *snap; /* where it is open; also attached to the catalog of `to`, as old */
    bool renumber;      /* runs of `to` have numbers of runs that are to come */
    struct ps_transfer_run runs[PS_TRANSFER_RUNS];
    size_t n;
    struct ps_piece *pieces; /* of these */
    size_t n_pieces, cap_pieces;
    uint64_t done, total;
};

/* printf into the text of a finding; hint may be "". */
void ps_transfer_found(struct ps_transfer *t, const char *what, const char *name, const char *hint,
                       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Tells of what became as it is in `from`: "the <what> <text>". */
void ps_transfer_updated(struct ps_transfer *t, const char *what, const char *name,
                         const char *text);

/* --- the snapshot and its rows (transfer_rows.c) */

/* Takes it, makes its values such as the other side takes them, and attaches it. */
enum ps_status ps_transfer_snapshot(struct ps_transfer *t, struct ps_err *err);
/* It is not attached any more, closed, and gone. */
void ps_transfer_forget(struct ps_transfer *t);
/* Attaches it to another catalog of `to`, and lets it go. */
enum ps_status ps_transfer_attach(struct ps_db *db, const char *taken, struct ps_err *err);
void ps_transfer_detach(struct ps_db *db);

/* The rows of a run whose files are in their places; inside the transaction that puts them there.
 * Sources only as far as the files of the batch, or of `to`, go. A run that was deleted there is
 * back: what of its old sources nobody refers to goes with the doom. */
enum ps_status ps_transfer_put_run(struct ps_transfer *t, const struct ps_transfer_run *run,
                                   struct ps_pending_delete *pending, struct ps_err *err);
/* Tokens, baselines, saved queries and logs, in transactions of their own; with `update` also in
 * place of those that differ. */
enum ps_status ps_transfer_tables(struct ps_transfer *t, struct ps_err *err);

/* --- what both have (transfer_update.c) */

/* Leaves out of the snapshot, and tells of, runs that were taken off `to`. */
enum ps_status ps_transfer_stay_away(struct ps_transfer *t, struct ps_err *err);
/* Runs that went there go, and those of both get the names, series, people, notes and tags of
 * there. */
enum ps_status ps_transfer_update(struct ps_transfer *t, struct ps_err *err);

/* --- files (transfer_files.c) */

bool ps_transfer_has(struct ps_store *store, const char *folder, const char *key);
/* The files of a run into t->pieces. */
enum ps_status ps_transfer_plan(struct ps_transfer *t, struct ps_transfer_run *run,
                                struct ps_err *err);
/* Copies those that `to` has not, looks through the copies, and sends them. */
enum ps_status ps_transfer_fetch(struct ps_transfer *t, struct ps_err *err);
/* Tells of those that are missing or damaged; leaves out, or does without. */
enum ps_status ps_transfer_look(struct ps_transfer *t, struct ps_err *err);
/* Gives doom its name; writes down, in a folder, which files are about to come. */
enum ps_status ps_transfer_doom(struct ps_transfer *t, struct ps_pending_delete *pending,
                                struct ps_err *err);
/* Inside the transaction: each to its place. */
enum ps_status ps_transfer_place(struct ps_transfer *t, const struct ps_pending_delete *pending,
                                 struct ps_err *err);
void ps_transfer_drop_pieces(struct ps_transfer *t);

/* --- what differs (transfer_compare.c) */

/* Tells of all that `to`, opened anew, has not as the snapshot. */
enum ps_status ps_transfer_compare(struct ps_transfer *t, struct ps_store *to, struct ps_err *err);

/* --- columns (transfer_rows.c) */

/* Adds "<before>column" for each column of a table but those named in `but` (between blanks), with
 * commas between them. */
enum ps_status ps_transfer_columns(struct ps_db *db, const char *table, const char *before,
                                   const char *but, struct ps_buf *out, struct ps_err *err);

/* One statement that returns at most a number. */
enum ps_status ps_transfer_ask(struct ps_db *db, const char *sql, int64_t *out, struct ps_err *err);

/* --- tables by themselves (transfer_tables.c) */

/* A table that is copied by itself, beside the runs. */
struct ps_transfer_table {
    const char *name;
    const char *what;   /* word of a finding */
    const char *key;    /* its primary key, one column */
    const char *label;  /* the column that people know a row by */
    const char *number; /* a key that is given anew where the other shelf has it; or "" */
    const char *same;   /* SQL: a row m of `to` stands for a row o of the snapshot; or NULL: all
                           columns but number are the same, and one is `at` */
    const char *apart;  /* columns that may differ, between blanks */
    const char *fit;    /* SQL: only such rows o are copied, or NULL */
    const char *labels; /* the file of labels/ that holds them, or NULL */
};
#define PS_TRANSFER_TABLES 5
extern const struct ps_transfer_table ps_transfer_tables_of[PS_TRANSFER_TABLES];
/* The condition of `same`. */
enum ps_status ps_transfer_same(struct ps_db *db, const struct ps_transfer_table *table,
                                struct ps_buf *out, struct ps_err *err);

/* SQL: the names of the columns in which m differs from o, a blank before each. */
enum ps_status ps_transfer_differing(struct ps_db *db, const char *table, const char *but,
                                     struct ps_buf *out, struct ps_err *err);

#endif
