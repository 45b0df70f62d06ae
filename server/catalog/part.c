/* SPDX-License-Identifier: MIT */
/*
 * part.c: the file of a run from its creation to its publication, in the server process. An
 * importer process that read untrusted bytes wrote the file, so its content is not trusted either.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "server/catalog/quota.h"
#include "server/catalog/state.h"
#include "server/runwrite/run_tables.h"

#define VALUE_MAX      (64 << 20) /* maximum bytes of one value that publishing reads */
#define NAME_MAX_BYTES ((size_t)1000)

struct ps_part {
    struct ps_store *store;
    char *path;
    int fd;
    uint64_t claimed; /* reserved bytes */
    struct ps_db *db;
    struct ps_arena arena;
    struct ps_run_metadata metadata;
};

enum ps_status ps_part_create(struct ps_store *store, struct ps_part **out, struct ps_err *err)
{
    struct ps_part *part = ps_alloc(sizeof *part);
    enum ps_status status = ps_new_part(store, "runs", &part->path, &part->fd, err);

    part->store = store;
    *out = part;
    if (status != PS_OK) {
        free(part);
        *out = NULL;
    }
    return status;
}

const char *ps_part_path(const struct ps_part *part)
{
    return part->path;
}

enum ps_status ps_part_reserve_growth(struct ps_part *part, struct ps_err *err)
{
    struct stat file;

    if (fstat(part->fd, &file) != 0)
        return ps_fail_errno(err, "cannot examine", part->path);
    return ps_quota_reserve_growth(part->store, &part->claimed, (uint64_t)file.st_size, err);
}

static void part_free(struct ps_part *part)
{
    ps_quota_release(part->store, part->claimed);
    ps_db_close(part->db);
    ps_close_fd(&part->fd);
    free(part->path);
    ps_arena_free(&part->arena);
    free(part);
}

void ps_part_abort(struct ps_part *part)
{
    if (!part)
        return;
    (void)unlink(part->path);
    part_free(part);
}

/* --- Checking the written run --- */

/* Opens the file with SQLITE_DBCONFIG_TRUSTED_SCHEMA off: its schema can only call functions
 * without side effects, before the layout is checked and later. */
static enum ps_status open_written(struct ps_part *part, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    ps_uri_append_path(&uri, part->path);
    ps_buf_puts(&uri, "?nolock=1");
    status = ps_db_open(uri.ptr, true, &part->db, err);
    if (status != PS_OK)
        return status;
    (void)sqlite3_db_config(part->db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(part->db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_limit(part->db->handle, SQLITE_LIMIT_LENGTH, VALUE_MAX);
    status = ps_db_exec(part->db,
                        "PRAGMA cell_size_check=ON; PRAGMA journal_mode=OFF;"
                        "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; BEGIN",
                        err);
    return status == PS_OK ? ps_check_layout(part->db, err) : status;
}

/* Checks that table meta has no key that only ps_part_publish may write, and that its JSON values
 * are valid JSON. */
static enum ps_status check_written(struct ps_part *part, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(part->db, ps_query_sql("part_check"), &stmt, err);

    if (status == PS_OK && !ps_stmt_step(stmt, err))
        status = err->code;
    if (status == PS_OK && !ps_col_int(stmt, 0))
        status = ps_fail(err, PS_INTERNAL, "its table meta is malformed");
    return status;
}

static enum ps_status read_written(struct ps_part *part, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = open_written(part, &own);

    if (status == PS_OK)
        status = check_written(part, &own);
    if (status == PS_OK)
        status = ps_run_metadata_read(part->db, &part->arena, &part->metadata, &own);
    if (status == PS_OK)
        return PS_OK;
    if (status == PS_FULL)
        return ps_fail(err, status, "%s", own.text);
    return ps_fail(err, PS_INTERNAL, "the importer wrote no run file: %s", own.text);
}

/* --- Publishing --- */

static const char *choose_name(struct ps_part *part, const struct ps_new_run *run, const char *kind)
{
    const char *base = strrchr(run->filename, '/');
    struct ps_str title = ps_str_from_c(part->metadata.title);

    title.len = title.len < NAME_MAX_BYTES ? title.len : NAME_MAX_BYTES;
    while (!ps_utf8_is_valid(title))
        title.len--;
    base = base ? base + 1 : run->filename;
    if (run->name[0] || base[0])
        return run->name[0] ? run->name : base;
    return title.len ? ps_arena_copy(&part->arena, title).ptr : kind;
}

static enum ps_status put_meta(struct ps_part *part, const char *key, struct ps_num number,
                               struct ps_str text, struct ps_err *err)
{
    struct ps_inserter rows = {.db = part->db, .err = err};
    struct ps_row_meta row = {.k = ps_str_from_c(key), .v = {.type = PS_CELL_TEXT, .bytes = text}};

    if (number.kind == PS_NUM_INT)
        row.v = (struct ps_cell){.type = PS_CELL_INT, .i = number.i};
    ps_insert_meta(&rows, &row);
    ps_inserter_free(&rows);
    return err->code;
}

/* Writes the label of the run, in the format of labels.c. */
static enum ps_status put_label(struct ps_part *part, const struct ps_catalog_row *row,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json label = ps_json_writer(&text);

    ps_json_object(&label);
    ps_json_key_str(&label, "series", row->series);
    ps_json_key_str(&label, "who", row->user_name);
    ps_json_key_int(&label, "created_at", row->created_ms);
    ps_json_key(&label, "tags");
    ps_json_array(&label);
    for (size_t i = 0; i < row->n_tags; i++) {
        ps_json_array(&label);
        ps_json_str(&label, ps_str_from_c(row->tags[i].key));
        ps_json_str(&label, ps_str_from_c(row->tags[i].value));
        ps_json_end(&label);
    }
    ps_json_end(&label);
    ps_json_end(&label);
    return put_meta(part, "label", (struct ps_num){0}, ps_buf_slice(&text), err);
}

static enum ps_status put_identity(struct ps_part *part, struct ps_err *err)
{
    const struct ps_catalog_row *row = &part->metadata.row;
    char created[40];
    time_t seconds = (time_t)(row->created_ms / 1000);
    struct tm utc;
    size_t n = strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));
    const struct ps_tag texts[] = {
        {"kind", row->kind}, {"name", row->name}, {"created_at", created}, {"sha256", row->sha256}};
    enum ps_status status = put_meta(part, "bytes", ps_int((int64_t)row->bytes), PS_STR(""), err);

    (void)snprintf(created + n, sizeof created - n, ".%03dZ", (int)(row->created_ms % 1000));
    for (size_t i = 0; status == PS_OK && i < sizeof texts / sizeof *texts; i++)
        status =
            put_meta(part, texts[i].key, (struct ps_num){0}, ps_str_from_c(texts[i].value), err);
    return status == PS_OK ? put_label(part, row, err) : status;
}

/* Whether a text of the profile can be a label: the importer is not trusted. */
static bool is_label(const char *text)
{
    const size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127)
            return false;
    return len > 0 && len <= PS_LABEL_MAX && ps_utf8_is_valid((struct ps_str){text, len});
}

/* The series of a run: the one that the user chose, else that of its collection. */
static const char *choose_series(struct ps_part *part, const struct ps_new_run *run)
{
    const char *common = part->metadata.series;
    const char *collection = run->collection ? run->collection : "";
    const char *name;

    if (run->series[0] || !collection[0] || !common[0])
        return run->series;
    name = ps_arena_printf(&part->arena, "%s, %s", collection, common);
    return is_label(name) ? name : "";
}

/* Adds the commit that the profile states as a tag, unless the user has set it. */
static void choose_tags(struct ps_part *part, const struct ps_new_run *run)
{
    struct ps_catalog_row *row = &part->metadata.row;
    struct ps_tag *tags;

    row->tags = run->tags;
    row->n_tags = run->n_tags;
    for (size_t i = 0; i < run->n_tags; i++)
        if (strcmp(run->tags[i].key, "commit") == 0)
            return;
    if (!is_label(part->metadata.commit))
        return;
    tags = ps_arena_alloc(&part->arena, (run->n_tags + 1) * sizeof *tags);
    for (size_t i = 0; i < run->n_tags; i++)
        tags[i] = run->tags[i];
    tags[run->n_tags] = (struct ps_tag){"commit", part->metadata.commit};
    row->tags = tags;
    row->n_tags++;
}

static void fill_row(struct ps_part *part, const struct ps_new_run *run, const char *kind,
                     const struct ps_original *original)
{
    struct ps_catalog_row *row = &part->metadata.row;

    row->created_ms = ps_wall_clock_ms();
    (void)snprintf(row->id, sizeof row->id, "%.16s", original->sha256);
    row->sha256 = original->sha256;
    row->bytes = original->bytes;
    row->kind = kind;
    row->name = choose_name(part, run, kind);
    row->series = choose_series(part, run);
    row->user_name = run->user_name;
    row->note = run->note ? run->note : "";
    row->upload = run->upload;
    row->is_reimport = run->is_reimport;
    choose_tags(part, run);
}

static enum ps_status seal_part(struct ps_part *part, struct ps_err *err)
{
    struct stat file;
    enum ps_status status = put_identity(part, err);

    if (status == PS_OK)
        status = ps_db_exec(part->db, "COMMIT", err);
    if (status != PS_OK)
        return status;
    ps_db_close(part->db);
    part->db = NULL;
    if (fsync(part->fd) != 0 || fstat(part->fd, &file) != 0)
        return ps_fail_errno(err, "cannot sync", part->path);
    part->metadata.row.db_bytes = (uint64_t)file.st_size;
    return ps_part_reserve_growth(part, err);
}

static void fill_published(const struct ps_catalog_row *row, struct ps_published_run *out)
{
    memcpy(out->id, row->id, sizeof out->id);
    out->rows = row->ledger.stored + row->ledger.repaired;
    out->repaired = row->ledger.repaired;
    out->rejected = row->ledger.rejected;
    if (!out->name)
        out->name = ps_strdup(ps_str_from_c(row->name));
}

enum ps_status ps_part_publish(struct ps_part *part, const struct ps_new_run *run, const char *kind,
                               const struct ps_original *original, struct ps_published_run *out,
                               struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = read_written(part, &own);

    *out = (struct ps_published_run){.name = NULL};
    if (status == PS_OK) {
        fill_row(part, run, kind, original);
        status = seal_part(part, &own);
    }
    if (status == PS_OK)
        status = ps_catalog_publish(part->store, &part->metadata.row, part->path, out, &own);
    if (status != PS_OK) {
        (void)ps_fail_copy(err, &own);
        free(out->name);
        out->name = NULL;
        ps_part_abort(part);
        return status;
    }
    fill_published(&part->metadata.row, out);
    if (out->already_existed)
        (void)unlink(part->path);
    part_free(part);
    return PS_OK;
}
