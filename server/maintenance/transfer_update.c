/* SPDX-License-Identifier: MIT */
/*
 * transfer_update.c: what a shelf said or took off since another one was copied to it, or that one
 * by itself.
 *
 * Of what is said of a run nobody knows when it was said, nor which of two shelves had it first: so
 * what the other says stays, or goes when that is asked for, and either is told.
 */
#include <stdlib.h>

#include "server/maintenance/snapshot.h"
#include "server/maintenance/transfer_impl.h"

#define RUNS_AT_ONCE 500 /* of one transaction */

/* What a query returns: the id of a run and a text, each with its NUL. */
static enum ps_status list(struct ps_transfer *t, const char *query, struct ps_buf *out,
                           struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(t->to);
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(db, ps_sql_text(query), &stmt, &own);

    while (status == PS_OK && ps_stmt_row(stmt, &own))
        for (int i = 0; i < 2; i++) {
            PS_AUTO(ps_free_ptr) char *text = ps_strdup(ps_col_text(stmt, i));

            ps_buf_add(out, text, strlen(text) + 1);
        }
    ps_stmt_done(stmt);
    ps_catalog_unlock(t->to);
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

struct told {
    const char *id, *text;
};

/* False: there is no other one. */
static bool next(const struct ps_buf *list, size_t *at, struct told *out)
{
    if (*at >= list->len)
        return false;
    out->id = list->at + *at;
    out->text = out->id + strlen(out->id) + 1;
    *at = (size_t)(out->text - list->at) + strlen(out->text) + 1;
    return true;
}

enum ps_status ps_transfer_stay_away(struct ps_transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf away = {0};
    struct told run;
    enum ps_status status = list(t, "copy_away", &away, err);

    for (size_t at = 0; status == PS_OK && next(&away, &at, &run);) {
        ps_transfer_found(t, "run", run.id, "--update copies it again", "%s", run.text);
        status = ps_snapshot_leave_out(t->snap, run.id, err);
    }
    return status;
}

static enum ps_status remove_gone(struct ps_transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf gone = {0};
    struct told run;
    enum ps_status status = list(t, "copy_gone", &gone, err);

    for (size_t at = 0; status == PS_OK && next(&gone, &at, &run);) {
        struct ps_err own = PS_ERR_INIT;

        status = ps_store_remove(t->to, run.id, "copy --update", &own);
        if (status == PS_OK)
            ps_transfer_updated(t, "run", run.id, run.text);
        else /* PS_NOT_FOUND: somebody else was faster */
            status = status == PS_NOT_FOUND ? PS_OK : ps_fail_as(err, &own);
    }
    return status;
}

static enum ps_status run_for(struct ps_db *db, const char *query, const char *id,
                              struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text(query), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":id", ps_str_of(id));
    return ps_stmt_finish(stmt, err);
}

/* Inside a transaction. A run that went meanwhile has no label any more. */
static enum ps_status put_label(struct ps_transfer *t, const char *id, struct ps_err *err)
{
    static const char *const queries[] = {"copy_label_run", "tag_delete", "copy_label_tags"};
    enum ps_status status = PS_OK;

    for (size_t i = 0; status == PS_OK && i < sizeof queries / sizeof *queries; i++)
        status = run_for(t->to->catalog, queries[i], id, err);
    if (status == PS_OK)
        status = ps_label_save(t->to, id, err);
    return status == PS_NOT_FOUND ? PS_OK : status;
}

/* The next runs of the list. */
static enum ps_status put_labels(struct ps_transfer *t, const struct ps_buf *labels, size_t *at,
                                 struct ps_err *err)
{
    size_t from = *at, n = 0;
    struct told run;
    enum ps_status status = ps_catalog_begin(t->to, PS_DURABLE, err);

    while (status == PS_OK && n < RUNS_AT_ONCE && next(labels, at, &run)) {
        status = put_label(t, run.id, err);
        n++;
    }
    status = ps_catalog_end(t->to, status, err);
    while (status == PS_OK && n-- && next(labels, &from, &run))
        ps_transfer_updated(t, "run", run.id, run.text);
    if (status == PS_OK && !t->how->progress(t->how->user, t->done, t->total, t->out->runs))
        status = ps_fail(err, PS_CANCELLED, "stopped; the next copy continues from here");
    return status;
}

enum ps_status ps_transfer_update(struct ps_transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf labels = {0};
    enum ps_status status = remove_gone(t, err);

    if (status == PS_OK)
        status = list(t, "copy_labels", &labels, err);
    for (size_t at = 0; status == PS_OK && at < labels.len;)
        status = put_labels(t, &labels, &at, err);
    return status;
}
