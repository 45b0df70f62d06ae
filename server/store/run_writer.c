/* SPDX-License-Identifier: MIT */
/* run_writer.c: a sink that writes a run file, and its publication. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "schema/schema.h"
#include "server/store/db_impl.h"

#define NOTES_MAX                                                                                  \
    10000 /* of the repaired and rejected records of one file; the ledger counts the rest */

enum insert {
    INSERT_IMPORT,
    INSERT_FUNCTION,
    INSERT_FILE,
    INSERT_PACKAGE,
    INSERT_NOTE,
    INSERT_META,
    N_INSERTS
};

static const char *const insert_names[N_INSERTS] = {"insert_import", "insert_function",
                                                    "insert_file",   "insert_package",
                                                    "insert_note",   "insert_meta"};

struct file_slot {
    uint64_t hash;
    uint32_t id;
    struct ps_str path;
};

struct ps_writer {
    struct ps_sink sink; /* first: a sink is a writer */
    struct ps_store *store;
    struct ps_db *db;
    char *part;
    int lock_fd;
    struct ps_arena arena;
    struct ps_catalog_row row;
    const char *filename, *title;
    struct ps_stmt *inserts[N_INSERTS];
    struct ps_buf summary_text;
    struct ps_json summary;
    struct ps_buf blob, blob2;
    uint32_t *low; /* of pending parents, by id: smallest id below */
    uint32_t low_cap;
    struct file_slot *files; /* open addressing */
    uint32_t n_files, cap_files;
    struct ps_str last_path;
    uint32_t last_file;
    uint64_t notes, notes_left_out;
    bool (*progress)(void *user, uint64_t done, uint64_t total, uint64_t records);
    void *user;
};

static struct ps_writer *of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

static sqlite3_stmt *insert_of(struct ps_writer *w, enum insert which)
{
    if (!w->inserts[which] && ps_db_prepare(w->db, ps_sql_text(insert_names[which]),
                                            &w->inserts[which], &w->sink.err) != PS_OK)
        return NULL;
    return w->inserts[which]->handle;
}

static void bind_str(sqlite3_stmt *stmt, int at, struct ps_str text)
{
    sqlite3_bind_text64(stmt, at, text.at ? text.at : "", text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_num(sqlite3_stmt *stmt, int at, struct ps_num n)
{
    if (n.kind == PS_NUM_INT)
        sqlite3_bind_int64(stmt, at, n.i);
    else if (n.kind == PS_NUM_REAL)
        sqlite3_bind_double(stmt, at, n.r);
    else
        sqlite3_bind_null(stmt, at);
}

static void run_insert(struct ps_writer *w, sqlite3_stmt *stmt)
{
    if (sqlite3_step(stmt) != SQLITE_DONE)
        ps_db_fail(w->db, &w->sink.err, "cannot write the run");
    sqlite3_reset(stmt);
}

static void put_meta(struct ps_writer *w, const char *key, struct ps_num number, struct ps_str text)
{
    sqlite3_stmt *stmt = insert_of(w, INSERT_META);

    if (!stmt || !ps_sink_ok(&w->sink))
        return;
    bind_str(stmt, 1, ps_str_of(key));
    if (number.kind != PS_NUM_NONE)
        bind_num(stmt, 2, number);
    else
        bind_str(stmt, 2, text);
    run_insert(w, stmt);
}

static void meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    struct ps_writer *w = of(sink);
    const char **slot = strcmp(key, "tool") == 0           ? &w->row.tool
                        : strcmp(key, "tool_version") == 0 ? &w->row.tool_version
                        : strcmp(key, "title") == 0        ? &w->title
                                                           : NULL;

    if (slot)
        *slot = ps_arena_copy(&w->arena, value).at;
    put_meta(w, key, (struct ps_num){0}, value);
}

static void number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    ps_json_key(&of(sink)->summary, key);
    ps_json_num(&of(sink)->summary, value);
}

static void list(struct ps_sink *sink, const char *key, const struct ps_str *items, size_t n)
{
    struct ps_json *summary = &of(sink)->summary;

    ps_json_key(summary, key);
    ps_json_array(summary);
    for (size_t i = 0; i < n; i++)
        ps_json_str(summary, items[i]);
    ps_json_end(summary);
}

static void note(struct ps_sink *sink, const struct ps_note *note)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = insert_of(w, INSERT_NOTE);

    if (note->severity >= PS_NOTE_REPAIRED && ++w->notes > NOTES_MAX) {
        w->notes_left_out++;
        return;
    }
    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_clear_bindings(stmt);
    sqlite3_bind_int(stmt, 1, (int)note->severity);
    if (note->has_at)
        sqlite3_bind_int64(stmt, 2, (sqlite3_int64)note->at);
    if (note->line)
        sqlite3_bind_int64(stmt, 3, (sqlite3_int64)note->line);
    bind_str(stmt, 4, note->what);
    run_insert(w, stmt);
}

static void package(struct ps_sink *sink, const struct ps_package *package)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = insert_of(w, INSERT_PACKAGE);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, package->id);
    bind_str(stmt, 2, package->name);
    sqlite3_bind_int(stmt, 3, (int)package->origin);
    sqlite3_bind_int64(stmt, 4, package->modules);
    bind_num(stmt, 5, package->self_us);
    bind_num(stmt, 6, package->inclusive_us);
    sqlite3_bind_int64(stmt, 7, package->first);
    run_insert(w, stmt);
}

/* Rows come with children before parents: the smallest id of a subtree is known when its root
 * comes. */
static uint32_t low_of(struct ps_writer *w, const struct ps_import *row)
{
    uint32_t high = row->id > row->parent ? row->id : row->parent, low;

    if (high >= w->low_cap) {
        uint32_t cap = high + high / 2 + 1024;

        w->low = ps_grow(w->low, cap, sizeof *w->low);
        memset(w->low + w->low_cap, 0, (cap - w->low_cap) * sizeof *w->low);
        w->low_cap = cap;
    }
    low = w->low[row->id] ? w->low[row->id] : row->id;
    if (row->parent && (!w->low[row->parent] || low < w->low[row->parent]))
        w->low[row->parent] = low;
    return low;
}

static int import_flags(const struct ps_import *row)
{
    return row->cached | row->startup << 1 | row->unfinished << 2 | row->topmost << 3 |
           row->first << 4 | row->importer_estimated << 5;
}

static void import(struct ps_sink *sink, const struct ps_import *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = insert_of(w, INSERT_IMPORT);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->parent);
    sqlite3_bind_int64(stmt, 3, row->importer);
    sqlite3_bind_int64(stmt, 4, low_of(w, row));
    sqlite3_bind_int64(stmt, 5, row->start);
    sqlite3_bind_int64(stmt, 6, row->depth);
    bind_str(stmt, 7, row->module);
    sqlite3_bind_int64(stmt, 8, row->package);
    bind_num(stmt, 9, row->self_us);
    bind_num(stmt, 10, row->cumulative_us);
    sqlite3_bind_int64(stmt, 11, row->total_us);
    sqlite3_bind_int(stmt, 12, import_flags(row));
    sqlite3_bind_int64(stmt, 13, row->children);
    sqlite3_bind_int64(stmt, 14, row->interpreter);
    sqlite3_bind_int64(stmt, 15, (sqlite3_int64)row->line);
    run_insert(w, stmt);
}

static uint64_t hash_of(struct ps_str text)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, 64 bits */

    for (size_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.at[i]) * 0x100000001b3u;
    return h;
}

static struct file_slot *slot_of(struct ps_writer *w, uint64_t hash, struct ps_str path)
{
    uint32_t at = (uint32_t)hash & (w->cap_files - 1);

    while (w->files[at].id && !(w->files[at].hash == hash && ps_str_eq(w->files[at].path, path)))
        at = (at + 1) & (w->cap_files - 1);
    return &w->files[at];
}

static void grow_files(struct ps_writer *w)
{
    struct file_slot *old = w->files;
    uint32_t n = w->cap_files;

    w->cap_files = n ? n * 2 : 1024;
    w->files = ps_alloc(w->cap_files * sizeof *w->files);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].id)
            *slot_of(w, old[i].hash, old[i].path) = old[i];
    free(old);
}

static uint32_t file_id(struct ps_writer *w, struct ps_str path)
{
    uint64_t hash;
    struct file_slot *slot;
    sqlite3_stmt *stmt;

    if (w->last_file && ps_str_eq(path, w->last_path))
        return w->last_file;
    if (w->n_files * 2 >= w->cap_files)
        grow_files(w);
    hash = hash_of(path);
    slot = slot_of(w, hash, path);
    if (!slot->id) {
        *slot = (struct file_slot){hash, ++w->n_files, ps_arena_copy(&w->arena, path)};
        stmt = insert_of(w, INSERT_FILE);
        if (stmt) {
            sqlite3_bind_int64(stmt, 1, slot->id);
            bind_str(stmt, 2, path);
            run_insert(w, stmt);
        }
    }
    w->last_file = slot->id;
    w->last_path = slot->path;
    return slot->id;
}

static void function(struct ps_sink *sink, const struct ps_function *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = insert_of(w, INSERT_FUNCTION);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, file_id(w, row->file));
    bind_num(stmt, 3, row->line);
    bind_str(stmt, 4, row->name);
    bind_num(stmt, 5, row->ncalls);
    bind_num(stmt, 6, row->primitive_calls);
    bind_num(stmt, 7, row->tottime_s);
    bind_num(stmt, 8, row->cumtime_s);
    sqlite3_bind_int(stmt, 9, (int)row->origin);
    sqlite3_bind_int64(stmt, 10, row->cycle);
    sqlite3_bind_int(stmt, 11, row->listed);
    w->blob.len = w->blob2.len = 0;
    ps_calls_pack(&w->blob, row->callers, row->n_callers);
    ps_ids_pack(&w->blob2, row->callees, row->n_callees);
    sqlite3_bind_blob64(stmt, 12, w->blob.len ? w->blob.at : NULL, w->blob.len, SQLITE_STATIC);
    sqlite3_bind_blob64(stmt, 13, w->blob2.len ? w->blob2.at : NULL, w->blob2.len, SQLITE_STATIC);
    run_insert(w, stmt);
}

static void ledger(struct ps_sink *sink, const struct ps_ledger *ledger)
{
    of(sink)->row.ledger = *ledger;
}

static void headline(struct ps_sink *sink, const struct ps_headline *headline)
{
    of(sink)->row.headline = *headline;
}

static bool progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    struct ps_writer *w = of(sink);

    return !w->progress || w->progress(w->user, done, total, records);
}

static const struct ps_sink_ops writer_ops = {meta,   number,   list,   note,     package,
                                              import, function, ledger, headline, progress};

/* --- life
 * ---------------------------------------------------------------------------------------------------------
 */

static enum ps_status open_part(struct ps_writer *w, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    const char *schema = NULL;
    enum ps_status status = ps_part_create(w->store, &w->part, &w->lock_fd, err);

    if (status != PS_OK)
        return status;
    ps_uri_path(&uri, w->part);
    ps_buf_puts(&uri, "?nolock=1"); /* ours is the flock on lock_fd; nobody else knows the file */
    status = ps_db_open(uri.at, true, &w->db, err);
    if (status == PS_OK)
        status =
            ps_db_exec(w->db,
                       "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                       "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-8192; BEGIN",
                       err);
    for (const struct ps_schema_text *t = ps_schema_texts; t->name; t++)
        if (strcmp(t->name, "run") == 0)
            schema = t->text;
    return status == PS_OK ? ps_db_exec(w->db, schema, err) : status;
}

static void copy_tags(struct ps_writer *w, const struct ps_new_run *run)
{
    struct ps_tag *tags = ps_arena_alloc(&w->arena, run->n_tags * sizeof *tags);

    for (size_t i = 0; i < run->n_tags; i++) {
        tags[i].key = ps_arena_copy(&w->arena, ps_str_of(run->tags[i].key)).at;
        tags[i].value = ps_arena_copy(&w->arena, ps_str_of(run->tags[i].value)).at;
    }
    w->row.tags = tags;
    w->row.n_tags = run->n_tags;
}

enum ps_status ps_writer_create(struct ps_store *store, const struct ps_new_run *run,
                                struct ps_writer **out, struct ps_err *err)
{
    struct ps_writer *w = ps_alloc(sizeof *w);
    struct ps_arena *a = &w->arena;
    enum ps_status status;

    w->sink.ops = &writer_ops;
    w->store = store;
    w->lock_fd = -1;
    w->progress = run->progress;
    w->user = run->user;
    (void)snprintf(w->row.id, sizeof w->row.id, "%.16s", run->original->sha256);
    w->row.sha256 = ps_arena_copy(a, ps_str_of(run->original->sha256)).at;
    w->row.bytes = run->original->bytes;
    w->row.name = ps_arena_copy(a, ps_str_of(run->name)).at;
    w->row.series = ps_arena_copy(a, ps_str_of(run->series)).at;
    w->row.who = ps_arena_copy(a, ps_str_of(run->who)).at;
    w->filename = ps_arena_copy(a, ps_str_of(run->filename)).at;
    copy_tags(w, run);
    w->summary = ps_json_to(&w->summary_text);
    ps_json_object(&w->summary);
    status = open_part(w, err);
    if (status != PS_OK) {
        ps_writer_abort(w);
        return status;
    }
    *out = w;
    return PS_OK;
}

struct ps_sink *ps_writer_sink(struct ps_writer *writer)
{
    return &writer->sink;
}

static void writer_free(struct ps_writer *w)
{
    for (int i = 0; i < N_INSERTS; i++)
        ps_stmt_done(w->inserts[i]);
    ps_db_close(w->db);
    ps_close_fd(&w->lock_fd);
    free(w->part);
    free(w->low);
    free(w->files);
    ps_buf_free(&w->summary_text);
    ps_buf_free(&w->blob);
    ps_buf_free(&w->blob2);
    ps_arena_free(&w->arena);
    free(w);
}

void ps_writer_abort(struct ps_writer *w)
{
    if (!w)
        return;
    if (w->part)
        (void)unlink(w->part);
    writer_free(w);
}

static void choose_name(struct ps_writer *w, const char *kind)
{
    const char *base = strrchr(w->filename, '/');

    if (w->row.name[0])
        return;
    base = base ? base + 1 : w->filename;
    w->row.name = base[0] ? base : w->title && w->title[0] ? w->title : kind;
}

static void put_ledger(struct ps_writer *w)
{
    const struct ps_ledger *l = &w->row.ledger;

    put_meta(w, "ledger_unit", (struct ps_num){0}, ps_str_of(l->unit));
    put_meta(w, "ledger_read", ps_int((int64_t)l->read), PS_STR(""));
    put_meta(w, "ledger_stored", ps_int((int64_t)l->stored), PS_STR(""));
    put_meta(w, "ledger_repaired", ps_int((int64_t)l->repaired), PS_STR(""));
    put_meta(w, "ledger_rejected", ps_int((int64_t)l->rejected), PS_STR(""));
    put_meta(w, "ledger_other", ps_int((int64_t)l->other), PS_STR(""));
}

static void put_identity(struct ps_writer *w)
{
    char created[40];
    time_t seconds = (time_t)(w->row.created_ms / 1000);
    struct tm utc;
    size_t n = strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));

    (void)snprintf(created + n, sizeof created - n, ".%03dZ", (int)(w->row.created_ms % 1000));
    put_meta(w, "kind", (struct ps_num){0}, ps_str_of(w->row.kind));
    put_meta(w, "name", (struct ps_num){0}, ps_str_of(w->row.name));
    put_meta(w, "created_at", (struct ps_num){0}, ps_str_of(created));
    put_meta(w, "sha256", (struct ps_num){0}, ps_str_of(w->row.sha256));
    put_meta(w, "bytes", ps_int((int64_t)w->row.bytes), PS_STR(""));
    put_meta(w, "headline_value", ps_real(w->row.headline.value), PS_STR(""));
    put_meta(w, "headline_unit", (struct ps_num){0}, ps_str_of(w->row.headline.unit));
    put_meta(w, "headline_label", (struct ps_num){0}, ps_str_of(w->row.headline.label));
    put_meta(w, "summary", (struct ps_num){0}, ps_str_of(w->row.summary));
}

static enum ps_status seal(struct ps_writer *w, const char *kind, struct ps_err *err)
{
    struct timespec now;
    struct stat about;

    clock_gettime(CLOCK_REALTIME, &now);
    w->row.created_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    w->row.kind = kind;
    choose_name(w, kind);
    if (w->notes_left_out)
        ps_sink_note(&w->sink, PS_NOTE_WARNING, 0, 0,
                     "%llu more records were repaired or rejected; only the first %d are listed",
                     (unsigned long long)w->notes_left_out, NOTES_MAX);
    ps_json_end(&w->summary);
    w->row.summary = w->summary_text.at;
    put_identity(w);
    put_ledger(w);
    if (!ps_sink_ok(&w->sink)) {
        *err = w->sink.err;
        return err->code;
    }
    if (ps_db_exec(w->db, "COMMIT", err) != PS_OK)
        return err->code;
    for (int i = 0; i < N_INSERTS; i++) {
        ps_stmt_done(w->inserts[i]);
        w->inserts[i] = NULL;
    }
    ps_db_close(w->db);
    w->db = NULL;
    if (fsync(w->lock_fd) != 0 || fstat(w->lock_fd, &about) != 0)
        return ps_fail_errno(err, "cannot sync", w->part);
    w->row.db_bytes = (uint64_t)about.st_size;
    return PS_OK;
}

enum ps_status ps_writer_publish(struct ps_writer *w, const char *kind, struct ps_published *out,
                                 struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = seal(w, kind, &own);

    if (status == PS_OK)
        status = ps_catalog_publish(w->store, &w->row, w->part, &out->already, &own);
    if (status != PS_OK) {
        if (err && err->code == PS_OK)
            *err = own;
        ps_writer_abort(w);
        return status;
    }
    memcpy(out->id, w->row.id, sizeof out->id);
    out->rows = w->row.ledger.stored + w->row.ledger.repaired;
    out->repaired = w->row.ledger.repaired;
    out->rejected = w->row.ledger.rejected;
    out->name = ps_strdup(ps_str_of(w->row.name));
    if (out->already)
        (void)unlink(w->part);
    writer_free(w);
    return PS_OK;
}
