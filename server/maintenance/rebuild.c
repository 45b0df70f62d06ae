/* SPDX-License-Identifier: MIT */
/*
 * rebuild.c: builds a new catalog from the run files and labels. The new catalog is a separate file
 * until it is complete.
 *
 * Data that only the old catalog has (logs, waiting uploads) is copied row by row, as far as the
 * rows can be read. Damaged files and the old catalog are not deleted but moved to lost/.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/catalog/catalog_tables.h"
#include "server/catalog/deleted.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"
#include "server/maintenance/maintenance.h"
#include "server/runwrite/checks.h"

struct found { /* an intact run file */
    char id[PS_ID_SIZE];
    int64_t created_ms, seq;
};

struct invalid_run {    /* a run file to move to lost/ */
    struct dirent file; /* only d_name is set */
    char *label;        /* label at the publication, or ""; malloc'ed */
    char *problem;      /* malloc'ed */
};

struct rebuild_state {
    const struct ps_rebuild_options *options;
    struct ps_rebuild_result *out;
    struct ps_store *store; /* store->catalog is the new catalog */
    struct ps_db *old;      /* old catalog; NULL: missing or unreadable */
    bool old_whole;         /* SQLite finds no damage */
    bool has_old_labels;    /* it is whole, and no other program changed the labels of its runs */
    char *new_path, *old_path;
    struct found *runs;
    size_t n, cap;
    struct invalid_run *invalid;
    size_t n_invalid, cap_invalid;
};

static void report_finding(struct rebuild_state *r, const char *file, const char *text)
{
    r->options->on_report(r->options->user, file, text);
}

/* Moves a file to lost/ and reports it. Creates lost/ if necessary. */
static void set_aside(struct rebuild_state *r, const char *folder, const struct dirent *file,
                      const char *why)
{
    PS_AUTO(ps_free_ptr) char *lost = ps_store_folder_path(r->store, "lost");
    PS_AUTO(ps_free_ptr) char *from = ps_store_entry_path(r->store, folder, file);
    PS_AUTO(ps_free_ptr) char *to = ps_store_entry_path(r->store, "lost", file);
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    (void)mkdir(lost, 0777);
    if (rename(from, to) == 0)
        ps_buf_printf(&text, "%s; moved to lost/%s", why, file->d_name);
    else
        ps_buf_printf(&text, "%s; it cannot be moved to lost/: %s", why, strerror(errno));
    report_finding(r, from + strlen(r->store->dir) + 1, text.ptr);
    r->out->moved_to_lost++;
}

/* --- Old catalog --- */

/* Reports the tables of the old catalog of which damage or another program changed rows. */
static void check_old_rows(struct rebuild_state *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_err err = PS_ERR_INIT;

    r->has_old_labels = true;
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++) {
        if (ps_digest_matches(r->old, table->name, &err))
            continue;
        r->has_old_labels = r->has_old_labels && table->copy != PS_COPY_WITH_RUNS;
        ps_buf_printf(&text, "%s%s%s",
                      text.len ? ", " : "damage or another program changed rows of ", table->name,
                      table->salvage == PS_SALVAGE_ROWS ? " (kept as they are)" : "");
    }
    if (text.len)
        report_finding(r, "catalog.db", text.ptr);
}

static void open_old(struct rebuild_state *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    struct ps_err err = PS_ERR_INIT;

    if (access(r->old_path, F_OK) != 0) {
        report_finding(r, "catalog.db", "it is missing");
        return;
    }
    ps_uri_append_path(&uri, r->old_path);
    if (ps_db_open(uri.ptr, true, &r->old, &err) == PS_OK)
        r->old_whole =
            ps_check_db(r->old, false, &err) == PS_OK && ps_catalog_migrate(r->old, &err) == PS_OK;
    if (!r->old_whole)
        report_finding(r, "catalog.db", err.text);
    else
        check_old_rows(r);
}

/* Copies rows of a table from the old catalog, which may be damaged: stops at the first unreadable
 * row, and skips rows that violate a constraint. Columns that an older catalog lacks get their
 * default values. */
static void copy_table(struct rebuild_state *r, const char *table, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf read = {0};
    PS_AUTO(ps_buf_free) struct ps_buf write = {0};
    sqlite3_stmt *from = NULL, *to = NULL;
    int columns;

    if (!r->old)
        return;
    ps_buf_printf(&read, "SELECT * FROM %s", table);
    if (sqlite3_prepare_v2(r->old->handle, read.ptr, -1, &from, NULL) != SQLITE_OK)
        return;
    columns = sqlite3_column_count(from);
    ps_buf_printf(&write, "INSERT OR IGNORE INTO %s(", table);
    for (int i = 0; i < columns; i++)
        ps_buf_printf(&write, "%s\"%s\"", i ? ", " : "", sqlite3_column_name(from, i));
    for (int i = 0; i < columns; i++)
        ps_buf_puts(&write, i ? ", ?" : ") VALUES (?");
    ps_buf_puts(&write, ")");
    if (sqlite3_prepare_v2(r->store->catalog->handle, write.ptr, -1, &to, NULL) == SQLITE_OK)
        while (err->code == PS_OK && sqlite3_step(from) == SQLITE_ROW) {
            int code;

            for (int i = 0; i < columns; i++)
                sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
            code = sqlite3_step(to) & 0xff;
            if (code != SQLITE_DONE && code != SQLITE_CONSTRAINT && code != SQLITE_MISMATCH)
                ps_db_fail(r->store->catalog, err, "catalog.db");
            sqlite3_reset(to);
        }
    sqlite3_finalize(from);
    sqlite3_finalize(to);
}

static void tell_label(struct rebuild_state *r, const char *label, const struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf file = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (err->code == PS_OK)
        return;
    ps_buf_printf(&file, "labels/%s.json", label);
    ps_buf_printf(&text, "it could not be restored: %s", err->text);
    report_finding(r, file.ptr, text.ptr);
}

/* Passes the content of labels/<label>.json to a query that inserts its rows into the catalog. */
static void apply_label(struct rebuild_state *r, const char *label, const char *query)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_stmt *stmt = NULL;
    struct ps_err err = PS_ERR_INIT;

    if (!ps_label_read(r->store, label, &text))
        return;
    ps_db_prepare(r->store->catalog, ps_query_sql(query), &stmt, &err);
    ps_bind_text(stmt, ":label", ps_buf_slice(&text));
    ps_stmt_execute(stmt, &err);
    tell_label(r, label, &err);
}

static void copy_tables(struct rebuild_state *r, struct ps_err *err)
{
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        if (table->salvage == PS_SALVAGE_ROWS ||
            (table->salvage == PS_SALVAGE_IF_INTACT && r->old_whole &&
             ps_digest_matches(r->old, table->name, PS_ERR_IGNORED)))
            copy_table(r, table->name, err);
    apply_label(r, "baselines", "baselines_put");
    if (!r->old_whole) /* otherwise copy_table has copied the saved queries from the old catalog */
        apply_label(r, "queries", "queries_put");
}

/* --- Labels --- */

/* Reads the time and the sequence number of the publication from a label. Does not change *out if
 * the label lacks them. False: invalid label. */
static bool read_when(struct ps_db *db, struct ps_str label, struct found *out)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (ps_db_prepare(db, ps_query_sql("label_when"), &stmt, PS_ERR_IGNORED) != PS_OK)
        return false;
    ps_bind_text(stmt, ":label", label);
    if (!ps_stmt_step(stmt, PS_ERR_IGNORED))
        return false;
    if (!ps_col_is_null(stmt, 0))
        out->created_ms = ps_col_int(stmt, 0);
    if (!ps_col_is_null(stmt, 1))
        out->seq = ps_col_int(stmt, 1);
    return true;
}

/* Reads the latest label of a run: from the old catalog if its labels are intact, else from
 * labels/. *when: time and sequence number in the label. False: there is no label except that of
 * the run file. */
static bool last_label(struct rebuild_state *r, const char *id, struct ps_buf *out,
                       struct found *when)
{
    if (r->has_old_labels && ps_label_text(r->old, id, out, PS_ERR_IGNORED) == PS_OK)
        return read_when(r->store->catalog, ps_buf_slice(out), when);
    out->len = 0;
    return ps_label_read(r->store, id, out) &&
           read_when(r->store->catalog, ps_buf_slice(out), when);
}

/* --- Run files --- */

/* Reads the metadata of a run file. *label: the label at its publication; "": none. */
static enum ps_status read_run(const char *path, struct ps_arena *arena, struct ps_catalog_row *row,
                               const char **label, struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct ps_run_metadata about = {.row = {.name = NULL}};
    struct stat file;

    ps_check_open_run(path, &db, err);
    if (ps_run_metadata_read(db, arena, &about, err) == PS_OK) {
        *row = about.row;
        *label = about.label;
        row->db_bytes = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    }
    ps_db_close(db);
    return err->code;
}

/* Moves an invalid run file to lost/, and writes its latest label to labels/: a later import of the
 * original uses that label. */
static void give_up(struct rebuild_state *r, const struct invalid_run *run)
{
    PS_AUTO(ps_buf_free) struct ps_buf last = {0};
    char id[PS_ID_SIZE];
    struct found when = {.seq = 0};
    struct ps_err err = PS_ERR_INIT;

    (void)snprintf(id, sizeof id, "%.16s", run->file.d_name);
    if (last_label(r, id, &last, &when))
        (void)ps_label_write(r->store, id, ps_buf_slice(&last), &err);
    else if (read_when(r->store->catalog, ps_str_from_c(run->label), &when))
        (void)ps_label_write(r->store, id, ps_str_from_c(run->label), &err);
    tell_label(r, id, &err);
    set_aside(r, "runs", &run->file, run->problem);
}

/* Compares a run file with the hash of the old catalog. A changed file without an original, from
 * which it could be imported again, is only reported. */
static enum ps_status check_hash(struct rebuild_state *r, const struct found *run, const char *path,
                                 const char *sha256, struct ps_err *err)
{
    struct ps_file_row kept;
    struct ps_sent_file sent;
    struct ps_err own = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (!r->old_whole ||
        ps_file_read_row(r->old, "runs", run->id, &kept, PS_ERR_IGNORED) != PS_OK ||
        ps_file_compare_hash(r->store, path, &kept, &sent, &own) == PS_OK)
        return err->code;
    if (ps_file_has(r->store, NULL, "originals", sha256))
        return ps_fail_copy(err, &own);
    ps_buf_printf(&text, "%s; it has no original to import again, so it is kept", own.text);
    report_finding(r, path + strlen(r->store->dir) + 1, text.ptr);
    return err->code;
}

static void look_at(struct rebuild_state *r, const struct dirent *file)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_entry_path(r->store, "runs", file);
    PS_AUTO(ps_buf_free) struct ps_buf last = {0};
    struct ps_arena arena = {0};
    struct ps_catalog_row row = {.name = NULL};
    struct found run = {.seq = 0};
    struct ps_err err = PS_ERR_INIT;
    const char *label = "";

    (void)snprintf(run.id, sizeof run.id, "%.16s", file->d_name);
    if (read_run(path, &arena, &row, &label, &err) == PS_OK &&
        (!ps_file_name_is_valid("originals", row.sha256) || strncmp(row.sha256, run.id, 16) != 0))
        (void)ps_fail(&err, PS_CONFLICT, "it belongs to another original");
    if (ps_check_run(path, row.sha256, true, &err) == PS_OK &&
        check_hash(r, &run, path, row.sha256, &err) == PS_OK) {
        run.created_ms = row.created_ms;
        (void)last_label(r, run.id, &last, &run);
        PS_RESERVE_ONE(r->runs, r->n, r->cap);
        r->runs[r->n++] = run;
    } else {
        PS_RESERVE_ONE(r->invalid, r->n_invalid, r->cap_invalid);
        r->invalid[r->n_invalid] = (struct invalid_run){
            .label = ps_strdup(ps_str_from_c(label)),
            .problem = ps_strdup(ps_str_from_c(err.text)),
        };
        memcpy(r->invalid[r->n_invalid++].file.d_name, file->d_name, strlen(file->d_name) + 1);
    }
    ps_arena_free(&arena);
}

static bool is_run_file(const char *name)
{
    return strspn(name, "0123456789abcdef") == 16 && strcmp(name + 16, ".db") == 0;
}

static int by_age(const void *left, const void *right)
{
    const struct found *a = left, *b = right;

    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static enum ps_status find_runs(struct rebuild_state *r, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(r->store, "runs");
    DIR *dir = opendir(path);
    uint64_t looked = 0;

    if (!dir)
        return ps_fail_errno(err, "cannot read", path);
    for (struct dirent *entry; !err->code && (entry = readdir(dir));) {
        if (!is_run_file(entry->d_name))
            continue;
        look_at(r, entry);
        looked++;
        if (!r->options->progress(r->options->user, looked, 0, looked))
            (void)ps_fail(err, PS_CANCELLED, "stopped; the shelf is unchanged");
    }
    (void)closedir(dir);
    if (r->n)
        qsort(r->runs, r->n, sizeof *r->runs, by_age);
    return err->code;
}

static enum ps_status put_run(struct rebuild_state *r, const struct found *run, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_free_ptr) char *name = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf last = {0};
    struct ps_arena arena = {0};
    struct ps_catalog_row row = {.name = NULL};
    struct found when;
    struct ps_sent_file sent;
    const char *label = "";
    bool is_deleted = false;

    ps_store_path(r->store, "runs", run->id, ".db", &path, err);
    if (read_run(path, &arena, &row, &label, err) == PS_OK) {
        memcpy(row.id, run->id, sizeof row.id);
        row.created_ms = run->created_ms;
        ps_catalog_put_run(r->store->catalog, &row, &name, err);
        ps_file_send(r->store, "runs", path, &sent, err);
        ps_file_change_row(r->store->catalog, "kept_put", "runs", run->id, &sent, err);
    }
    if (err->code == PS_OK && last_label(r, run->id, &last, &when))
        ps_label_apply(r->store->catalog, run->id, ps_buf_slice(&last), err);
    else if (err->code == PS_OK && label[0])
        ps_label_apply(r->store->catalog, run->id, ps_str_from_c(label), err);
    /* Without a hash, verify compares the row with labels/, where a killed edit may have written
     * what the catalog never had. */
    ps_label_record_hash(r->store, run->id, err);
    ps_arena_free(&arena);
    ps_deleted_apply_label(r->store, run->id, ps_buf_slice(&last), &is_deleted, err);
    r->out->runs += !is_deleted;
    return err->code;
}

static enum ps_status fill_catalog(struct rebuild_state *r, struct ps_err *err)
{
    ps_catalog_begin(r->store, PS_DURABLE, err);
    for (size_t i = 0; err->code == PS_OK && i < r->n; i++)
        put_run(r, &r->runs[i], err);
    if (err->code == PS_OK)
        copy_tables(r, err);
    ps_file_sizes_complete(r->store, err);
    return ps_catalog_end(r->store, err->code, err);
}

/* --- End of the rebuild --- */

/* Whether the run of this original was deleted, so that the original needs no import. */
static bool is_deleted(struct rebuild_state *r, const char *sha256)
{
    char id[PS_ID_SIZE];
    struct ps_deleted_run deleted;

    (void)snprintf(id, sizeof id, "%.16s", sha256);
    if (ps_deleted_find(r->store, id, &deleted, PS_ERR_IGNORED) != PS_OK)
        return false;
    ps_deleted_free(&deleted);
    return true;
}

static void list_orphans(struct rebuild_state *r)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(r->store, "originals");
    DIR *dir = opendir(path);

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char sha256[PS_SHA256_SIZE], id[PS_ID_SIZE];

        if (strspn(entry->d_name, "0123456789abcdef") != 64)
            continue;
        (void)snprintf(sha256, sizeof sha256, "%.64s", entry->d_name);
        if (ps_store_find_by_hash(r->store, sha256, id, PS_ERR_IGNORED) != PS_OK &&
            !is_deleted(r, sha256))
            ps_buf_add(&r->out->originals, sha256, sizeof sha256);
    }
    if (dir)
        (void)closedir(dir);
}

/* Moves files of the spool to which no row of an upload refers to lost/: the row may have been
 * unreadable. */
static void save_spool(struct rebuild_state *r)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(r->store, "spool");
    DIR *dir = opendir(path);

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.' && !strstr(entry->d_name, PS_TEMP_SHELF_SUFFIX) &&
            !ps_upload_owns_file(r->store, entry->d_name))
            set_aside(r, "spool", entry, "an upload that was not imported yet, or a part of one");
    if (dir)
        (void)closedir(dir);
}

/* Moves the old catalog to lost/ and renames the new catalog to catalog.db. Moves the write-ahead
 * log of the old catalog first, because SQLite would apply the log to the new catalog. */
static enum ps_status swap_catalogs(struct rebuild_state *r, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *lost = ps_store_folder_path(r->store, "lost");
    PS_AUTO(ps_buf_free) struct ps_buf log = {0}, text = {0};
    PS_AUTO(ps_buf_free) struct ps_buf aside = {0};
    char when[32];
    time_t now = (time_t)(ps_wall_clock_ms() / 1000);
    struct tm utc;

    (void)strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
    ps_buf_printf(&aside, "%scatalog-%s-%ld.db", lost, when, (long)getpid());
    (void)mkdir(lost, 0777);
    if (link(r->old_path, aside.ptr) != 0 && errno != ENOENT) {
        ps_buf_printf(&text, "it cannot be linked into lost/: %s", strerror(errno));
        report_finding(r, "catalog.db", text.ptr);
    }
    ps_buf_printf(&log, "%s-wal", r->old_path);
    ps_buf_puts(&aside, "-wal");
    (void)rename(log.ptr, aside.ptr);
    log.len -= 4;
    ps_buf_puts(&log, "-shm");
    (void)unlink(log.ptr);
    if (rename(r->new_path, r->old_path) != 0)
        return ps_fail_errno(err, "cannot rename to", r->old_path);
    return ps_sync_dir(r->store->dir, err);
}

static void remove_new(const struct rebuild_state *r)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};

        ps_buf_printf(&path, "%s%s", r->new_path, endings[i]);
        (void)unlink(path.ptr);
    }
}

static enum ps_status rebuild_catalog(struct rebuild_state *r, struct ps_err *err)
{
    if (ps_catalog_open(r->new_path, &r->store->catalog, err) != PS_OK ||
        ps_digests_watch(r->store->catalog, err) != PS_OK)
        return err->code;
    open_old(r);
    if (find_runs(r, err) != PS_OK || fill_catalog(r, err) != PS_OK)
        return err->code; /* no file was moved and no label was written yet */
    for (size_t i = 0; i < r->n_invalid; i++)
        give_up(r, &r->invalid[i]);
    list_orphans(r);
    save_spool(r);
    ps_db_close(r->old);
    r->old = NULL;
    ps_db_close(r->store->catalog); /* closing merges the write-ahead log into the file */
    r->store->catalog = NULL;
    return swap_catalogs(r, err);
}

enum ps_status ps_store_rebuild(const char *dir, const struct ps_rebuild_options *how,
                                struct ps_rebuild_result *out, struct ps_err *err)
{
    struct rebuild_state r = {.options = how, .out = out};
    PS_AUTO(ps_close_fd) int lock = -1;

    *out = (struct ps_rebuild_result){.runs = 0};
    if (ps_store_open_exclusive(dir, &r.store, &lock, err) != PS_OK)
        return err->code;
    r.old_path = ps_store_file_path(r.store, "catalog.db");
    r.new_path = ps_store_file_path(r.store, "catalog.new.db");
    remove_new(&r);
    rebuild_catalog(&r, err);
    ps_db_close(r.old);
    ps_store_close(r.store);
    if (err->code != PS_OK)
        remove_new(&r);
    free(r.old_path);
    free(r.new_path);
    free(r.runs);
    for (size_t i = 0; i < r.n_invalid; i++) {
        free(r.invalid[i].label);
        free(r.invalid[i].problem);
    }
    free(r.invalid);
    return err->code;
}
