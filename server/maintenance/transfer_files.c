/* SPDX-License-Identifier: MIT */
/* transfer_files.c: files of one shelf into parts of another, each looked through on the way. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/copy_file.h"
#include "server/maintenance/snapshot.h"
#include "server/maintenance/transfer_impl.h"
#include "server/runwrite/checks.h"

#define FETCHERS 4 /* files that are copied at once */

bool ps_transfer_has(struct ps_store *store, const char *folder, const char *key)
{
    return ps_file_has(store, NULL, folder, key);
}

/* --- one file --------------------------------------------------------------------------------- */

/* Those who fetch the files of a batch, each the next one. */
struct fetching {
    struct ps_transfer *t;
    pthread_t leader; /* who asks whether to go on */
    atomic_size_t next;
    atomic_bool stopped;
    pthread_mutex_t lock; /* of err */
    struct ps_err err;
};

static bool go_on(void *user, uint64_t bytes)
{
    struct fetching *f = user;
    struct ps_transfer *t = f->t;

    (void)bytes;
    if (pthread_equal(f->leader, pthread_self()) &&
        !t->how->progress(t->how->user, t->done, t->total, t->out->runs))
        atomic_store(&f->stopped, true);
    return !atomic_load(&f->stopped);
}

static enum ps_status check(struct fetching *f, const struct ps_piece *piece, struct ps_err *err)
{
    const struct ps_check_watch watch = {go_on, f};

    return strcmp(piece->folder, "runs") == 0
               ? ps_check_run(piece->path, piece->sha256, true, err)
               : ps_check_kept(piece->path, piece->sha256, true, &watch, err);
}

/* A run that was removed since is left out, though its files may be there still; a file that is not
 * there is of such a run, or the shelf is damaged. */
static bool is_there_still(struct ps_transfer *t, const struct ps_transfer_run *run)
{
    char id[PS_ID_SIZE];

    return ps_store_find(t->from, run->sha256, id, NULL) != PS_NOT_FOUND;
}

/* What is wrong with the file stands in the piece, what keeps it from being copied in err. */
static enum ps_status fetch(struct fetching *f, struct ps_piece *piece, struct ps_err *err)
{
    struct ps_transfer *t = f->t;
    PS_AUTO(ps_close_fd) int from = -1;
    PS_AUTO(ps_close_fd) int to = -1;
    struct ps_err *wrong = &piece->wrong;
    enum ps_status status;

    if (strcmp(piece->folder, "sources") != 0 && !is_there_still(t, piece->run)) {
        (void)ps_fail(wrong, PS_NOT_FOUND, "its run was deleted");
        return PS_OK;
    }
    status = ps_file_open(t->from, piece->folder, piece->key, &from, wrong);
    if (status == PS_UNAVAILABLE)
        return ps_fail_as(err, wrong);
    if (status != PS_OK)
        return PS_OK;
    status = ps_new_part(t->to, piece->folder, &piece->path, &to, err);
    if (status == PS_OK)
        status = ps_copy_whole(from, to, piece->path, err);
    if (status != PS_OK)
        return status;
    status = check(f, piece, wrong);
    if (status == PS_CANCELLED)
        return ps_fail(err, status, "stopped; the next copy continues from here");
    return status == PS_OK ? ps_file_send(t->to, piece->folder, piece->path, &piece->sent, err)
                           : PS_OK;
}

static void *work(void *user)
{
    struct fetching *f = user;

    while (!atomic_load(&f->stopped)) {
        const size_t i = atomic_fetch_add(&f->next, 1);
        struct ps_err err = PS_ERR_INIT;

        if (i >= f->t->n_pieces)
            break;
        if (f->t->pieces[i].there || f->t->pieces[i].wrong.code != PS_OK ||
            fetch(f, &f->t->pieces[i], &err) == PS_OK)
            continue;
        (void)pthread_mutex_lock(&f->lock);
        (void)ps_fail_as(&f->err, &err);
        (void)pthread_mutex_unlock(&f->lock);
        atomic_store(&f->stopped, true);
    }
    return NULL;
}

/* Several at once: most of the time is spent waiting for disks and for the database. */
enum ps_status ps_transfer_fetch(struct ps_transfer *t, struct ps_err *err)
{
    struct fetching f = {.t = t, .leader = pthread_self(), .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t others[FETCHERS - 1];
    size_t n = 0;

    while (n < FETCHERS - 1 && n + 1 < t->n_pieces &&
           pthread_create(&others[n], NULL, work, &f) == 0)
        n++;
    (void)work(&f);
    while (n)
        (void)pthread_join(others[--n], NULL);
    (void)pthread_mutex_destroy(&f.lock);
    return f.err.code == PS_OK ? PS_OK : ps_fail_as(err, &f.err);
}

static void piece_free(struct ps_piece *piece)
{
    if (piece->path)
        (void)unlink(piece->path);
    free(piece->path);
    piece->path = NULL;
}

static bool is_planned(const struct ps_transfer *t, const char *folder, const char *key)
{
    for (size_t i = 0; i < t->n_pieces; i++)
        if (strcmp(t->pieces[i].folder, folder) == 0 && strcmp(t->pieces[i].key, key) == 0)
            return true;
    return false;
}

/* A file that `to` may have already. `bad`: it is known to be none. */
static void plan(struct ps_transfer *t, struct ps_transfer_run *run, const char *folder,
                 const char *key, const char *sha256, const char *bad)
{
    struct ps_piece piece = {.folder = folder, .run = run};

    if (is_planned(t, folder, key))
        return;
    (void)snprintf(piece.key, sizeof piece.key, "%s", key);
    (void)snprintf(piece.sha256, sizeof piece.sha256, "%s", sha256);
    if (bad)
        (void)ps_fail(&piece.wrong, PS_IO, "%s", bad);
    else
        piece.there = ps_file_has(t->to, NULL, folder, key);
    PS_PUSH_ROOM(t->pieces, t->n_pieces, t->cap_pieces);
    t->pieces[t->n_pieces++] = piece;
}

/* --- those of a run --------------------------------------------------------------------------- */

static enum ps_status leave_out(struct ps_transfer *t, struct ps_transfer_run *run,
                                const struct ps_err *wrong, struct ps_err *err)
{
    run->out = true;
    if (is_there_still(t, run))
        ps_transfer_found(t, "run", run->id,
                          "it is not copied; `perfshelf verify` of that shelf has details", "%s",
                          wrong->text);
    else
        t->out->removed++;
    return ps_snapshot_leave_out(t->snap, run->id, err);
}

/* A batch may be taken a second time; who was told of a file is not told again. */
static enum ps_status tell_once(struct ps_transfer *t, const char *what, const char *folder,
                                const char *key, const char *hint, const struct ps_err *wrong,
                                struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status =
        ps_db_prepare(t->snap, "INSERT OR IGNORE INTO told VALUES (:folder, :key)", &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":folder", ps_str_of(folder));
    ps_bind_text(stmt, ":key", ps_str_of(key));
    status = ps_stmt_finish(stmt, err);
    if (status == PS_OK && sqlite3_changes(t->snap->handle))
        ps_transfer_found(t, what, key, hint, "%s", wrong->text);
    return status;
}

/* The hashes of what is attached to a run, but where `to` has another file for the same path. */
static enum ps_status list_sources(struct ps_transfer *t, const struct ps_transfer_run *run,
                                   struct ps_buf *out, bool *missing, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(t->to);
    enum ps_status status = ps_db_prepare(db, ps_sql_text("copy_sources"), &stmt, err);

    *missing = false;
    if (status == PS_OK)
        ps_bind_text(stmt, ":id", ps_str_of(run->id));
    while (status == PS_OK && ps_stmt_row(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *sha256 = ps_strdup(ps_col_text(stmt, 0));

        ps_buf_add(out, sha256, strlen(sha256) + 1);
        *missing = *missing || ps_col_int(stmt, 1);
    }
    ps_stmt_done(stmt);
    ps_catalog_unlock(t->to);
    return err->code;
}

static enum ps_status plan_sources(struct ps_transfer *t, struct ps_transfer_run *run,
                                   struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf list = {0};
    bool missing = false;
    enum ps_status status = list_sources(t, run, &list, &missing, err);

    run->whole = run->known && !missing;
    for (size_t at = 0; status == PS_OK && at < list.len; at += strlen(list.at + at) + 1)
        plan(t, run, "sources", list.at + at, list.at + at,
             ps_file_name_is("sources", list.at + at) ? NULL
                                                      : "its catalog has no valid hash for it");
    return status;
}

enum ps_status ps_transfer_plan(struct ps_transfer *t, struct ps_transfer_run *run,
                                struct ps_err *err)
{
    if (!ps_file_name_is("originals", run->sha256) || !ps_file_name_is("runs", run->id) ||
        strncmp(run->id, run->sha256, 16) != 0) {
        plan(t, run, "runs", run->id, run->sha256, "its catalog has no valid hash for it");
        return PS_OK;
    }
    plan(t, run, "runs", run->id, run->sha256, NULL);
    plan(t, run, "originals", run->sha256, run->sha256, NULL);
    return plan_sources(t, run, err);
}

/* A run can be read without its original, and without sources. */
static enum ps_status do_without(struct ps_transfer *t, struct ps_piece *piece, struct ps_err *err)
{
    const bool source = strcmp(piece->folder, "sources") == 0;
    enum ps_status status = PS_OK;

    if (!source && piece->run->out)
        return PS_OK;
    if (is_there_still(t, piece->run))
        status =
            tell_once(t, source ? "source" : "original", piece->folder, piece->key,
                      source ? "the runs are copied without it" : "the run is copied without it",
                      &piece->wrong, err);
    else if (!source)
        status = leave_out(t, piece->run, &piece->wrong, err);
    return status == PS_OK && source ? ps_snapshot_leave_source(t->snap, piece->key, err) : status;
}

enum ps_status ps_transfer_look(struct ps_transfer *t, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; status == PS_OK && i < t->n_pieces; i++) {
        struct ps_piece *piece = &t->pieces[i];

        if (piece->wrong.code == PS_OK) {
            piece->run->whole = piece->run->whole && piece->there;
            continue;
        }
        if (strcmp(piece->folder, "runs") != 0)
            status = do_without(t, piece, err);
        else
            status = leave_out(t, piece->run, &piece->wrong, err);
        piece_free(piece);
    }
    return status;
}

/* --- into their places ------------------------------------------------------------------------ */

/* That they go again unless a row refers to them. */
static enum ps_status write_down(struct ps_transfer *t, const struct ps_pending_delete *pending,
                                 struct ps_err *err)
{
    struct ps_db *db = t->to->catalog;
    enum ps_status status = PS_OK;

    for (size_t i = 0; status == PS_OK && i < t->n_pieces; i++) {
        const struct ps_piece *piece = &t->pieces[i];

        if (!piece->path)
            continue;
        status = ps_pending_delete_add(db, pending, piece->folder, piece->key, err);
        if (status == PS_OK && !t->to->backend->files_follow_rows &&
            strcmp(piece->folder, "runs") != 0)
            status = ps_size_put(db, piece->folder, piece->key, piece->sent.bytes, err);
    }
    return status;
}

/* In a folder files come into their places before the rows stand (pending_delete.c). */
enum ps_status ps_transfer_doom(struct ps_transfer *t, struct ps_pending_delete *pending,
                                struct ps_err *err)
{
    enum ps_status status;

    ps_pending_delete_name(t->to, pending);
    if (t->to->backend->files_follow_rows)
        return PS_OK;
    status = ps_catalog_begin(t->to, PS_SOON, err);
    if (status == PS_OK)
        status = write_down(t, pending, err);
    return ps_catalog_end(t->to, status, err);
}

enum ps_status ps_transfer_place(struct ps_transfer *t, const struct ps_pending_delete *pending,
                                 struct ps_err *err)
{
    static const char *const folders[] = {"runs", "originals", "sources"};
    enum ps_status status = t->to->backend->files_follow_rows ? write_down(t, pending, err) : PS_OK;

    for (size_t i = 0; status == PS_OK && i < t->n_pieces; i++) {
        struct ps_piece *piece = &t->pieces[i];

        if (piece->path)
            status = ps_file_put(t->to, &piece->sent, piece->folder, piece->key, piece->path, err);
        else if (piece->there && !ps_file_has(t->to, t->to->catalog, piece->folder, piece->key))
            status = ps_fail(err, PS_UNAVAILABLE, "%s/%s was deleted during the copy",
                             piece->folder, piece->key);
    }
    for (size_t i = 0; status == PS_OK && i < sizeof folders / sizeof *folders; i++)
        status = ps_file_settle(t->to, folders[i], err);
    return status;
}

void ps_transfer_drop_pieces(struct ps_transfer *t)
{
    for (size_t i = 0; i < t->n_pieces; i++)
        piece_free(&t->pieces[i]);
    t->n_pieces = 0;
}
