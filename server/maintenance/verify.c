/* SPDX-License-Identifier: MIT */
/* verify.c: checks that the catalog, the run files, their originals and sources are intact and
 * consistent. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/catalog/backend.h"
#include "server/catalog/catalog_tables.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"
#include "server/maintenance/maintenance.h"
#include "server/replica/replica.h"
#include "server/runwrite/checks.h"

#define REBUILD "`perfshelf rebuild` restores it"

struct expected { /* a run of the catalog */
    char id[PS_ID_SIZE], sha256[PS_SHA256_SIZE];
    uint64_t bytes, db_bytes;
    bool is_deleted; /* it can still be recovered */
};

struct verify_state {
    const struct ps_verify_options *options;
    struct ps_verify_result *out;
    struct ps_store *store;
    struct expected *runs;
    size_t n, cap;
    uint64_t done, total;
    bool stopped;
    bool unreadable;          /* the catalog was reported as unreadable */
    struct ps_err access_err; /* error of reading the database or a file */
};

static void report_finding(struct verify_state *v, const char *what, const char *file,
                           const char *text, const char *hint)
{
    const struct ps_finding finding = {what, file, text, hint};

    v->out->findings++;
    v->options->on_finding(v->options->user, &finding);
}

static bool read_on(void *user, uint64_t bytes)
{
    struct verify_state *v = user;

    v->done += bytes;
    v->out->bytes += bytes;
    if (v->options->progress &&
        !v->options->progress(v->options->user, v->done < v->total ? v->done : v->total, v->total,
                              v->out->files))
        v->stopped = true;
    return !v->stopped;
}

/* Reports the catalog as unreadable if err has an error. */
static void report_catalog(struct verify_state *v, const struct ps_err *err)
{
    if (err->code == PS_OK)
        return;
    v->unreadable = true;
    report_finding(v, "catalog", "catalog.db", err->text, REBUILD);
}

/* Evaluates a yes/no query on the catalog, which is locked. Returns true if the query fails, so
 * that the file is not reported; the failure is reported once. */
static bool ask_locked(struct verify_state *v, const char *query, const char *folder,
                       const char *key)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err err = PS_ERR_INIT;
    bool yes;

    ps_db_prepare(v->store->catalog, ps_query_sql(query), &stmt, &err);
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":key", ps_str_from_c(key));
    yes = ps_stmt_step(stmt, &err) && ps_col_int(stmt, 0) != 0;
    if (!v->unreadable)
        report_catalog(v, &err);
    return yes || err.code != PS_OK;
}

/* Like ask_locked, but locks the catalog, and repeats a "no" in a write transaction, so that it
 * cannot be caused by a concurrent change. */
static bool evaluate(struct verify_state *v, const char *query, const char *folder, const char *key)
{
    struct ps_err ignored = PS_ERR_INIT; /* this user may not have the right to write */
    bool yes;

    (void)ps_catalog_lock(v->store);
    yes = ask_locked(v, query, folder, key);
    ps_catalog_unlock(v->store);
    if (yes)
        return true;
    ps_catalog_begin(v->store, PS_NOT_DURABLE, &ignored);
    yes = ask_locked(v, query, folder, key);
    ps_catalog_end(v->store, ignored.code, &ignored);
    return yes;
}

/* --- Catalog --- */

static void list_runs(struct verify_state *v, const char *query, bool are_deleted)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(v->store);

    ps_db_prepare(db, ps_query_sql(query), &stmt, &err);
    while (ps_stmt_step(stmt, &err)) {
        struct expected *run;

        PS_RESERVE_ONE(v->runs, v->n, v->cap);
        run = &v->runs[v->n++];
        ps_col_id(stmt, run->id);
        ps_col_copy(stmt, 1, run->sha256, sizeof run->sha256);
        run->bytes = (uint64_t)ps_col_int(stmt, 2);
        run->db_bytes = (uint64_t)ps_col_int(stmt, 3);
        run->is_deleted = are_deleted;
        v->total += run->db_bytes + run->bytes;
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(v->store);
    report_catalog(v, &err);
}

/* Reports the tables whose rows are not those that perfshelf wrote. The catalog is locked. */
static void check_digests(struct verify_state *v, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_db *db = v->store->catalog;
    bool is_rebuilt = true;

    ps_db_exec(db, "BEGIN", err); /* other processes may write meanwhile */
    if (!ps_digest_matches(db, "sqlite_schema", err))
        report_finding(v, "catalog", "catalog.db", "the definitions of its tables were changed",
                       REBUILD);
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        if (!ps_digest_matches(db, table->name, err)) {
            ps_buf_printf(&text, "%s%s",
                          text.len ? ", " : "damage or another program changed rows of ",
                          table->name);
            is_rebuilt = is_rebuilt && table->salvage != PS_SALVAGE_ROWS;
        }
    (void)ps_db_exec(db, "COMMIT", PS_ERR_IGNORED); /* nothing was written */
    if (text.len)
        report_finding(v, "catalog", "catalog.db", text.ptr,
                       is_rebuilt ? REBUILD
                                  : "restore it from a backup; `perfshelf rebuild` keeps its rows");
}

static void check_catalog(struct verify_state *v)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(v->store);

    ps_check_db(db, v->options->is_quick, &err);
    check_digests(v, &err);
    ps_db_prepare(db, ps_query_sql("catalog_orphans"), &stmt, &err);
    while (ps_stmt_step(stmt, &err)) {
        PS_AUTO(ps_free_ptr) char *text = ps_strdup(ps_col_text(stmt, 0));

        report_finding(v, "catalog", "catalog.db", text, REBUILD);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(v->store);
    report_catalog(v, &err);
    v->out->files++;
    list_runs(v, "run_files", false);
    list_runs(v, "deleted_files", true);
}

/* --- Files in the catalog --- */

/* Reports a missing or damaged file, unless its row was deleted meanwhile. If *err says that the
 * file could not be read, stops the verification. */
static void report_file(struct verify_state *v, const char *what, const char *folder,
                        const char *key, const char *ending, const struct ps_err *err,
                        const char *hint)
{
    PS_AUTO(ps_buf_free) struct ps_buf file = {0};

    if (err->code == PS_UNAVAILABLE || err->code == PS_FORBIDDEN) {
        v->access_err = *err;
        v->stopped = true;
    }
    if (v->stopped || !evaluate(v, "kept_wanted", folder, key))
        return;
    ps_buf_printf(&file, "%s/%s%s", folder, key, ending);
    report_finding(v, what, file.ptr, err->text, hint);
}

static void check_label(struct verify_state *v, const char *id)
{
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};
    PS_AUTO(ps_buf_free) struct ps_buf file = {0};

    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_err err = PS_ERR_INIT;

    if (ps_store_path(v->store, "labels", id, ".json", &path, PS_ERR_IGNORED) == PS_OK &&
        access(path, R_OK) != 0 && errno == EACCES) {
        ps_fail_errno(&err, "cannot read", path);
        err.code = PS_FORBIDDEN;
        report_file(v, "label", "runs", id, "", &err, "");
        return;
    }
    if (!ps_label_read(v->store, id, &label))
        return;
    v->out->files++;
    if (!evaluate(v, "label_valid", NULL, label.ptr ? label.ptr : "")) {
        ps_buf_printf(&file, "labels/%s.json", id);
        report_finding(v, "label", file.ptr, "the file is damaged",
                       "`perfshelf rebuild` writes it again");
    }
}

/* Checks that the catalog has no baselines and saved queries that are missing in their label files.
 */
static void check_lists(struct verify_state *v)
{
    static const struct {
        const char *label, *query, *text;
    } lists[] = {
        {"baselines", "baselines_differ", "it has a baseline that labels/baselines.json lacks"},
        {"queries", "queries_differ", "it has a saved query that labels/queries.json lacks"}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf label = {0};
        struct ps_stmt *stmt = NULL;
        struct ps_err err = PS_ERR_INIT;
        struct ps_db *db;
        bool differs = false;

        db = ps_catalog_lock(v->store); /* writers of the file hold this lock */
        if (ps_label_read(v->store, lists[i].label, &label) &&
            ask_locked(v, "label_valid", NULL, label.ptr)) {
            ps_db_prepare(db, ps_query_sql(lists[i].query), &stmt, &err);
            ps_bind_text(stmt, ":label", ps_buf_slice(&label));
            differs = ps_stmt_step(stmt, &err) && ps_col_int(stmt, 0) != 0;
        }
        ps_stmt_release(stmt);
        ps_catalog_unlock(v->store);
        report_catalog(v, &err);
        if (differs)
            report_finding(v, "catalog", "catalog.db", lists[i].text, REBUILD);
    }
}

/* Returns the suffix of a file name, from the first dot on; "" for none. `path` may be NULL. */
static const char *ending_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *dot = slash ? strchr(slash, '.') : NULL;

    return dot ? dot : "";
}

/* Records the hash of a run file that passed all other checks. */
static void record_hash(struct verify_state *v, const char *id, const struct ps_sent_file *found)
{
    struct ps_err ignored = PS_ERR_INIT; /* a failure shows in the count of recorded hashes */

    ps_catalog_begin(v->store, PS_NOT_DURABLE, &ignored);
    if (ask_locked(v, "kept_wanted", "runs", id))
        ps_file_change_row(v->store->catalog, "kept_put", "runs", id, found, &ignored);
    if (ps_catalog_end(v->store, ignored.code, &ignored) == PS_OK)
        v->out->n_recorded_hashes++;
}

/* The metadata of a run file, and the content of its label file (labels.c). */
struct run_record {
    struct ps_arena arena;
    struct ps_run_metadata metadata;
    struct ps_buf label;
};

static void run_record_free(struct run_record *run_record)
{
    ps_arena_free(&run_record->arena);
    ps_buf_free(&run_record->label);
}

static enum ps_status read_run_record(const struct expected *run, const char *path,
                                      struct run_record *out, struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct stat file;

    ps_check_open_run(path, &db, err);
    ps_run_metadata_read(db, &out->arena, &out->metadata, err);
    ps_db_close(db);
    if (stat(path, &file) == 0)
        out->metadata.row.db_bytes = (uint64_t)file.st_size;
    memcpy(out->metadata.row.id, run->id, sizeof run->id);
    return err->code;
}

static void compare_label(struct verify_state *v, const struct run_record *run_record,
                          const char *label, struct ps_buf *differs)
{
    struct ps_err err = PS_ERR_INIT;

    differs->len = 0;
    if (ps_catalog_describe_differences(v->store->catalog, &run_record->metadata.row, label,
                                        differs, &err) != PS_OK)
        ps_buf_printf(differs, "the file cannot be read (%s)", err.text);
}

/* Compares the row of a run with its run file and its label. The catalog is locked. If no label
 * hash is recorded, the row must match the label in the run file or the label in labels/, which a
 * failed change may have written. Appends the names of what differs. */
static void compare_row(struct verify_state *v, struct run_record *run_record, bool is_deleted,
                        struct ps_buf *differs)
{
    const char *id = run_record->metadata.row.id, *label = run_record->metadata.label;
    struct ps_err err = PS_ERR_INIT;
    bool changed = false;

    if (is_deleted) {
        differs->len = 0;
        (void)ps_catalog_describe_differences(v->store->catalog, &run_record->metadata.row, NULL,
                                              differs, &err);
        return;
    }

    if (ps_label_has_hash(v->store->catalog, id, &changed) || !v->store->backend->keeps_labels ||
        !label[0])
        label = NULL;
    compare_label(v, run_record, label, differs);
    run_record->label.len = 0;
    if (differs->len && label && ps_label_read(v->store, id, &run_record->label) &&
        ask_locked(v, "label_valid", NULL, run_record->label.ptr))
        compare_label(v, run_record, run_record->label.ptr, differs);
    if (changed)
        ps_buf_printf(differs, "%slabel", differs->len ? ", " : "");
}

/* Compares the row of a run with its run file, and reports differences. Repeats a failed comparison
 * in a write transaction, so that a difference cannot be caused by a concurrent change. */
static void check_row(struct verify_state *v, const struct expected *run, const char *path)
{
    PS_AUTO(run_record_free) struct run_record run_record = {.metadata = {.title = NULL}};
    PS_AUTO(ps_buf_free) struct ps_buf differs = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_err err = PS_ERR_INIT;

    if (read_run_record(run, path, &run_record, &err) != PS_OK) {
        report_file(v, "run", "runs", run->id, ".db", &err, REBUILD);
        return;
    }
    (void)ps_catalog_lock(v->store);
    compare_row(v, &run_record, run->is_deleted, &differs);
    ps_catalog_unlock(v->store);
    if (!differs.len)
        return;
    ps_catalog_begin(v->store, PS_NOT_DURABLE, &err); /* failures are ignored, as in evaluate() */
    compare_row(v, &run_record, run->is_deleted, &differs);
    ps_catalog_end(v->store, err.code, &err);
    if (!differs.len)
        return;
    ps_buf_printf(&text, "the row of run %s differs from its run file or label file in: ", run->id);
    ps_buf_add_str(&text, ps_buf_slice(&differs));
    report_finding(v, "catalog", "catalog.db", text.ptr, REBUILD);
}

/* Performs all checks of a run file. In a shared store, fetching the file has verified its hash. */
static enum ps_status check_run_file(struct verify_state *v, const struct expected *run,
                                     const char *path, struct ps_err *err)
{
    const bool hashes = !v->store->backend->evicts_files && !v->options->is_quick;
    struct ps_sent_file found;
    bool known = true;

    ps_check_run(path, run->sha256, false, err);
    if (hashes)
        ps_file_check_hash(v->store, run->id, path, &found, &known, err);
    if (!v->options->is_quick)
        ps_check_run(path, run->sha256, true, err);
    if (err->code == PS_OK && !known)
        record_hash(v, run->id, &found);
    if (err->code == PS_OK && !v->options->is_quick)
        check_row(v, run, path);
    return err->code;
}

/* Compares the size of a stored file with the size that the catalog counts for the quota. */
static void check_size(struct verify_state *v, const char *folder, const char *key,
                       const char *path)
{
    struct ps_stmt *stmt = NULL;
    struct ps_err err = PS_ERR_INIT;
    struct stat file;
    bool differs = false;

    if (v->options->is_quick || v->store->backend->evicts_files || stat(path, &file) != 0)
        return;
    ps_db_prepare(ps_catalog_lock(v->store), ps_query_sql("size_differs"), &stmt, &err);
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":key", ps_str_from_c(key));
    ps_bind_int(stmt, ":bytes", (int64_t)file.st_size);
    differs = ps_stmt_step(stmt, &err) && ps_col_int(stmt, 0) != 0;
    ps_stmt_release(stmt);
    ps_catalog_unlock(v->store);
    report_catalog(v, &err);
    if (differs) {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};

        ps_buf_printf(&text, "its size of %s/%s differs from that of the file", folder, key);
        report_finding(v, "catalog", "catalog.db", text.ptr, REBUILD);
    }
}

static void check_run(struct verify_state *v, const struct expected *run)
{
    const struct ps_check_watch watch = {read_on, v};
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_free_ptr) char *kept = NULL;
    struct ps_err err = PS_ERR_INIT;

    if (ps_file_path(v->store, "runs", run->id, &path, &err) != PS_OK ||
        check_run_file(v, run, path, &err) != PS_OK) {
        PS_AUTO(ps_buf_free) struct ps_buf hint = {0};

        ps_buf_printf(&hint, "`perfshelf %s` imports it again from its original",
                      v->store->backend->repair_command);
        report_file(v, "run", "runs", run->id, ".db", &err, hint.ptr);
    }
    if (v->stopped || !read_on(v, run->db_bytes))
        return;
    err = (struct ps_err)PS_ERR_INIT;
    if (ps_file_path(v->store, "originals", run->sha256, &kept, &err) != PS_OK ||
        ps_check_stored_file(kept, run->sha256, !v->options->is_quick, &watch, &err) != PS_OK)
        report_file(v, "original", "originals", run->sha256, ending_of(kept), &err,
                    "restore it from a backup; the run itself can still be read");
    else
        check_size(v, "originals", run->sha256, kept);
    check_label(v, run->id);
    v->out->files += 2;
    v->out->runs += !run->is_deleted;
}

static void check_sources(struct verify_state *v)
{
    const struct ps_check_watch watch = {read_on, v};
    PS_AUTO(ps_buf_free) struct ps_buf shas = {0};
    struct ps_stmt *stmt = NULL;
    struct ps_err failed = PS_ERR_INIT;
    struct ps_db *db = ps_catalog_lock(v->store);

    ps_db_prepare(db, ps_query_sql("source_shas"), &stmt, &failed);
    while (ps_stmt_step(stmt, &failed))
        ps_col_append(stmt, 0, &shas);
    ps_stmt_release(stmt);
    ps_catalog_unlock(v->store);
    report_catalog(v, &failed);
    for (size_t at = 0; at < shas.len && !v->stopped; at += strlen(shas.ptr + at) + 1) {
        const char *sha256 = shas.ptr + at;
        PS_AUTO(ps_free_ptr) char *kept = NULL;
        struct ps_err err = PS_ERR_INIT;

        if (ps_file_path(v->store, "sources", sha256, &kept, &err) != PS_OK ||
            ps_check_stored_file(kept, sha256, !v->options->is_quick, &watch, &err) != PS_OK)
            report_file(v, "source", "sources", sha256, ending_of(kept), &err,
                        "attach it again with `perfshelf add --source-root`");
        else
            check_size(v, "sources", sha256, kept);
        v->out->files++;
    }
}

/* --- Files that nothing refers to --- */

static void check_stray(void *user, const char *folder, const char *name)
{
    struct verify_state *v = user;
    PS_AUTO(ps_free_ptr) char *key = ps_strdup((struct ps_str){name, strcspn(name, ".")});
    PS_AUTO(ps_buf_free) struct ps_buf file = {0};

    if (strstr(name, ".part") || evaluate(v, "kept_used", folder, key))
        return;
    ps_buf_printf(&file, "%s/%s", folder, name);
    report_finding(v, "stray", file.ptr, "no run refers to it",
                   strcmp(folder, "runs") == 0
                       ? "`perfshelf rebuild` adds it as a run; or delete it"
                       : "delete it");
}

/* --- Verification --- */

/* Makes the store fetch all files again, since cached files would hide damage in the database. Does
 * nothing for a quick verification. */
static enum ps_status bypass_cache(struct verify_state *v, char **dir_out, struct ps_err *err)
{
    return v->options->is_quick ? PS_OK : v->store->backend->bypass_cache(v->store, dir_out, err);
}

static enum ps_status verify_open(struct verify_state *v, struct ps_err *err)
{
    struct ps_err listing = PS_ERR_INIT;

    check_catalog(v);
    for (size_t i = 0; i < v->n && !v->stopped; i++)
        check_run(v, &v->runs[i]);
    if (!v->stopped && !v->options->is_quick)
        check_lists(v);
    if (!v->stopped)
        check_sources(v);
    if (!v->stopped)
        (void)v->store->backend->list_files(v->store, check_stray, v, &listing);
    (void)ps_fail_copy(&v->access_err, &listing);
    if (v->access_err.code != PS_OK)
        return ps_fail_copy(err, &v->access_err);
    return v->stopped ? ps_fail(err, PS_CANCELLED, "stopped") : PS_OK;
}

/* Fails if this user may not read the folder, its subfolders or the catalog, which would otherwise
 * be reported as damaged. */
static enum ps_status check_readable(const char *dir, struct ps_err *err)
{
    static const char *const parts[] = {"", "catalog.db", "runs", "labels", "originals", "sources"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};
        const bool is_file = strchr(parts[i], '.') != NULL;

        ps_buf_printf(&path, "%s/%s", dir, parts[i]);
        if (access(path.ptr, is_file ? R_OK : R_OK | X_OK) != 0 && errno != ENOENT)
            return ps_fail_errno(err, "cannot read", path.ptr);
    }
    return PS_OK;
}

enum ps_status ps_store_verify(const char *url, const char *dir,
                               const struct ps_verify_options *how, struct ps_verify_result *out,
                               struct ps_err *err)
{
    struct verify_state v = {.options = how, .out = out};
    struct ps_err opening = PS_ERR_INIT;
    struct stat about;
    char *fetched = NULL;

    *out = (struct ps_verify_result){0};
    if (!url && stat(dir, &about) != 0)
        return errno == ENOENT ? ps_fail(err, PS_NOT_FOUND, "there is no shelf")
                               : ps_fail_errno(err, "cannot examine", dir);
    if (!url && !ps_store_exists(dir))
        return ps_fail(err, PS_NOT_FOUND, "there is no shelf");
    if (!url && check_readable(dir, err) != PS_OK)
        return err->code;
    if (ps_store_open_shared(url, dir, 0, &v.store, &opening) == PS_OK) {
        if (bypass_cache(&v, &fetched, err) == PS_OK)
            verify_open(&v, err);
    } else if (url) {
        (void)ps_fail_copy(err, &opening);
    } else {
        report_finding(&v, "catalog", "catalog.db", opening.text, REBUILD);
    }
    if (fetched)
        ps_remove_tree(fetched);
    ps_store_close(v.store);
    free(fetched);
    free(v.runs);
    return err->code;
}
