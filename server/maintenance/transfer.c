/* SPDX-License-Identifier: MIT */
/* transfer.c: a shelf into another one: from the opening of both to what is told in the end. */
#include "server/maintenance/transfer.h"
#include "server/catalog/state.h"
#include "server/replica/replica.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/maintenance/snapshot.h"
#include "server/maintenance/transfer_impl.h"
#include "server/replica/mirror.h"

#define CACHE_BYTES                                                                                \
    ((uint64_t)256 << 20)                /* of what is on its way, of which nothing is read twice */
#define BATCH_BYTES ((uint64_t)64 << 20) /* of runs that are published together */

void ps_transfer_found(struct ps_transfer *t, const char *what, const char *name, const char *hint,
                       const char *fmt, ...)
{
    char text[sizeof((struct ps_err *)0)->text];
    const struct ps_finding finding = {what, name, text, hint};
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    t->out->findings++;
    t->how->found(t->how->user, &finding);
}

void ps_transfer_updated(struct ps_transfer *t, const char *what, const char *name,
                         const char *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf told = {0};

    ps_buf_printf(&told, "the %s %s", what, text);
    t->out->updated++;
    t->how->found(t->how->user, &(struct ps_finding){"updated", name, told.at, ""});
}

/* --- which shelves ---------------------------------------------------------------------------- */

struct shelf_at {
    const char *url; /* of one that many share; NULL: the folder is the shelf */
    char *dir;       /* or what is on its way */
};

static void shelf_at_free(struct shelf_at *at)
{
    if (at->url && at->dir)
        ps_remove_tree(at->dir);
    free(at->dir);
}

static enum ps_status find_place(const char *said, struct shelf_at *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const char *folder = getenv("TMPDIR");

    if (!ps_pg_is_url(said)) {
        out->dir = ps_strdup(ps_str_of(said));
        return PS_OK;
    }
    out->url = said;
    ps_buf_printf(&path, "%s/perfshelf-XXXXXX", folder && folder[0] ? folder : P_tmpdir);
    if (!mkdtemp(path.at))
        return ps_fail_errno(err, "cannot create folder", path.at);
    out->dir = ps_strdup(ps_buf_slice(&path));
    return PS_OK;
}

static enum ps_status open_from(const struct shelf_at *at, struct ps_store **out,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf catalog = {0};

    ps_buf_printf(&catalog, "%s/catalog.db", at->dir);
    if (!at->url && access(catalog.at, F_OK) != 0)
        return ps_fail(err, PS_NOT_FOUND, "%s is not a shelf", at->dir);
    return ps_store_open_shared(at->url, at->dir, CACHE_BYTES, out, err);
}

static enum ps_status check_target(const char *dir, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf catalog = {0};

    ps_buf_printf(&catalog, "%s/catalog.db", dir);
    if (access(dir, F_OK) != 0 || access(catalog.at, F_OK) == 0 || ps_dir_is_empty(dir))
        return PS_OK;
    ps_hint(err, "use an empty folder, or a shelf");
    return ps_fail(err, PS_CONFLICT, "%s is not a shelf", dir);
}

static enum ps_status open_to(const struct shelf_at *from, const struct shelf_at *to,
                              struct ps_store **out, struct ps_err *err)
{
    const bool made = access(to->dir, F_OK) != 0;
    enum ps_status status = to->url ? PS_OK : check_target(to->dir, err);

    if (status == PS_OK)
        status = ps_make_dir(to->dir, err);
    if (status == PS_OK && !from->url && !to->url)
        status = ps_check_apart(from->dir, to->dir, err);
    if (status != PS_OK && made)
        (void)rmdir(to->dir);
    return status == PS_OK ? ps_store_open_shared(to->url, to->dir, CACHE_BYTES, out, err) : status;
}

/* The name that a store has among others; "" for a folder. */
static enum ps_status name_of(struct ps_store *store, char out[64], struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status =
        ps_db_prepare(ps_catalog_lock(store), ps_sql_text("mirror_get"), &stmt, err);

    out[0] = '\0';
    if (status == PS_OK && ps_stmt_row(stmt, err))
        ps_col_copy(stmt, 1, out, 64);
    ps_stmt_done(stmt);
    ps_catalog_unlock(store);
    return err->code;
}

static enum ps_status check_others(struct ps_store *from, struct ps_store *to, struct ps_err *err)
{
    char a[64], b[64];
    enum ps_status status = name_of(from, a, err);

    if (status == PS_OK)
        status = name_of(to, b, err);
    if (status == PS_OK && a[0] && strcmp(a, b) == 0)
        return ps_fail(err, PS_CONFLICT, "--from and --to are the same store");
    return status;
}

/* --- runs ------------------------------------------------------------------------------------- */

static enum ps_status list_runs(struct ps_transfer *t, int64_t after, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(t->to);
    enum ps_status status = ps_db_prepare(db, ps_sql_text("copy_runs"), &stmt, err);

    t->n = 0;
    if (status == PS_OK) {
        ps_bind_int(stmt, ":after", after);
        ps_bind_int(stmt, ":n", PS_TRANSFER_RUNS);
    }
    while (status == PS_OK && ps_stmt_row(stmt, err)) {
        struct ps_transfer_run *run = &t->runs[t->n++];

        *run = (struct ps_transfer_run){.seq = ps_col_int(stmt, 0),
                                        .bytes = (uint64_t)ps_col_int(stmt, 3),
                                        .known = ps_col_int(stmt, 4) != 0};
        ps_col_copy(stmt, 1, run->id, sizeof run->id);
        ps_col_copy(stmt, 2, run->sha256, sizeof run->sha256);
    }
    ps_stmt_done(stmt);
    ps_catalog_unlock(t->to);
    return err->code;
}

static enum ps_status put_rows(struct ps_transfer *t, const struct ps_transfer_run *runs, size_t n,
                               struct ps_pending_delete *pending, struct ps_err *err)
{
    enum ps_status status = ps_transfer_place(t, pending, err);

    for (size_t i = 0; status == PS_OK && i < n; i++)
        if (!runs[i].out && !runs[i].whole)
            status = ps_transfer_put_run(t, &runs[i], pending, err);
    return status;
}

/* All of it in one transaction. */
static enum ps_status publish(struct ps_transfer *t, const struct ps_transfer_run *runs, size_t n,
                              struct ps_err *err)
{
    struct ps_pending_delete pending = {""};
    enum ps_status status = ps_transfer_doom(t, &pending, err);

    if (status != PS_OK)
        return status;
    status = ps_catalog_begin(t->to, PS_DURABLE, err);
    if (status == PS_OK)
        status = put_rows(t, runs, n, &pending, err);
    status = ps_catalog_end(t->to, status, err);
    ps_pending_delete_end(t->to, &pending);
    return status;
}

static void count(struct ps_transfer *t, const struct ps_transfer_run *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t->out->already += runs[i].known && !runs[i].out;
        t->out->runs += !runs[i].known && !runs[i].out;
    }
    for (size_t i = 0; i < t->n_pieces; i++)
        if (t->pieces[i].path && !t->pieces[i].run->out) {
            t->out->files++;
            t->out->bytes += t->pieces[i].sent.bytes;
        }
}

/* Whether a failure is that of these rows, which the next ones do not have. */
static bool is_of_rows(enum ps_status status)
{
    return status == PS_BAD_REQUEST || status == PS_INTERNAL || status == PS_CONFLICT ||
           status == PS_LIMIT;
}

/* The files of these runs, as far as they have to be copied, into t->pieces. */
static enum ps_status take(struct ps_transfer *t, struct ps_transfer_run *runs, size_t n,
                           bool *whole, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; status == PS_OK && i < n; i++)
        if (!runs[i].out)
            status = ps_transfer_plan(t, &runs[i], err);
    if (status == PS_OK)
        status = ps_transfer_fetch(t, err);
    if (status == PS_OK)
        status = ps_transfer_look(t, err);
    *whole = true;
    for (size_t i = 0; i < n; i++)
        *whole = *whole && (runs[i].out || runs[i].whole);
    return status;
}

static enum ps_status copy_runs(struct ps_transfer *t, struct ps_transfer_run *runs, size_t n,
                                struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    bool whole;
    enum ps_status status = take(t, runs, n, &whole, &own);

    if (status == PS_OK && !whole)
        status = publish(t, runs, n, &own);
    if (status == PS_OK)
        count(t, runs, n);
    ps_transfer_drop_pieces(t);
    if (status == PS_OK || !is_of_rows(status))
        return status == PS_OK ? PS_OK : ps_fail_as(err, &own);
    if (n == 1) {
        ps_transfer_found(t, "run", runs->id, "not copied", "%s", own.text);
        return ps_snapshot_leave_out(t->snap, runs->id, err);
    }
    status = PS_OK; /* which one is it? */
    for (size_t i = 0; status == PS_OK && i < n; i++)
        status = copy_runs(t, &runs[i], 1, err);
    return status;
}

/* How many of the runs that were listed, from one on, are published together. */
static size_t batch_from(const struct ps_transfer *t, size_t first)
{
    uint64_t bytes = 0;
    size_t n = 0;

    while (first + n < t->n && (n == 0 || bytes + t->runs[first + n].bytes <= BATCH_BYTES))
        bytes += t->runs[first + n++].bytes;
    return n;
}

static enum ps_status copy_listed(struct ps_transfer *t, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    for (size_t at = 0, n; status == PS_OK && at < t->n; at += n) {
        n = batch_from(t, at);
        status = copy_runs(t, &t->runs[at], n, err);
        for (size_t i = at; i < at + n; i++)
            t->done += t->runs[i].bytes;
        if (status == PS_OK && !t->how->progress(t->how->user, t->done, t->total, t->out->runs))
            status = ps_fail(err, PS_CANCELLED, "stopped; the next copy continues from here");
    }
    return status;
}

static enum ps_status copy_all(struct ps_transfer *t, struct ps_err *err)
{
    int64_t after = INT64_MIN;
    enum ps_status status = PS_OK;

    do {
        status = list_runs(t, after, err);
        if (t->n)
            after = t->runs[t->n - 1].seq;
        if (status == PS_OK)
            status = copy_listed(t, err);
    } while (status == PS_OK && t->n);
    if (status == PS_OK && t->how->update)
        status = ps_transfer_update(t, err);
    return status == PS_OK ? ps_transfer_tables(t, err) : status;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* What this process has of a store that many share is what it wrote: another mirror, which knows
 * nothing yet, shows what stands there. */
static enum ps_status compare(struct ps_transfer *t, const struct shelf_at *to, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf dir = {0};
    struct ps_store *anew = NULL;
    enum ps_status status;

    ps_buf_printf(&dir, "%s/again", t->dir);
    status = ps_store_open_shared(to->url, to->url ? dir.at : to->dir, CACHE_BYTES, &anew, err);
    if (status == PS_OK)
        status = ps_transfer_compare(t, anew, err);
    ps_store_close(anew);
    return status;
}

static enum ps_status transfer(struct ps_transfer *t, const struct shelf_at *to, struct ps_err *err)
{
    enum ps_status status = ps_transfer_snapshot(t, err);

    if (status == PS_OK)
        status = copy_all(t, err);
    if (t->snap) {
        ps_transfer_detach(ps_catalog_lock(t->to));
        ps_catalog_unlock(t->to);
    }
    if (status == PS_OK)
        status = compare(t, to, err);
    ps_transfer_forget(t);
    return status;
}

enum ps_status ps_store_transfer(const char *from, const char *to,
                                 const struct ps_transfer_how *how, struct ps_transferred *out,
                                 struct ps_err *err)
{
    struct ps_transfer t = {.how = how, .out = out};
    PS_AUTO(shelf_at_free) struct shelf_at a = {NULL, NULL};
    PS_AUTO(shelf_at_free) struct shelf_at b = {NULL, NULL};
    enum ps_status status = find_place(from, &a, err);

    *out = (struct ps_transferred){0};
    if (status == PS_OK)
        status = find_place(to, &b, err);
    if (status == PS_OK)
        status = open_from(&a, &t.from, err);
    if (status == PS_OK)
        status = open_to(&a, &b, &t.to, err);
    if (status == PS_OK)
        status = check_others(t.from, t.to, err);
    if (status == PS_OK)
        status = transfer(&t, &b, err);
    free(t.pieces);
    ps_store_close(t.to);
    ps_store_close(t.from);
    return status;
}
