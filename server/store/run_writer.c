/* SPDX-License-Identifier: MIT */
/* run_writer.c: a run file from its creation to its publication. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "schema/schema.h"
#include "server/store/writer_impl.h"

/* Runs of files from this size on have pages of 32 KiB: a tenth less to write the large blobs of a
 * trace. Small ones would only grow by it, each table takes a page. */
#define LARGE ((uint64_t)32 << 20)

static enum ps_status open_part(struct ps_writer *w, const struct ps_new_run *run,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    const char *schema = NULL;
    enum ps_status status = ps_new_part(w->store, "runs", &w->part, &w->part_fd, err);

    if (status != PS_OK)
        return status;
    ps_uri_path(&uri, w->part);
    ps_buf_puts(&uri, "?nolock=1"); /* nobody else knows the file */
    status = ps_db_open(uri.at, true, &w->db, err);
    if (status == PS_OK)
        status = ps_db_exec(
            w->db, run->input_bytes < LARGE ? "PRAGMA page_size=8192" : "PRAGMA page_size=32768",
            err);
    if (status == PS_OK)
        status = ps_db_exec(w->db,
                            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
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

    w->sink.ops = &ps_writer_ops;
    w->store = store;
    w->part_fd = -1;
    w->progress = run->progress;
    w->user = run->user;
    w->row.name = ps_arena_copy(a, ps_str_of(run->name)).at;
    w->row.series = ps_arena_copy(a, ps_str_of(run->series)).at;
    w->row.who = ps_arena_copy(a, ps_str_of(run->who)).at;
    w->row.upload = run->upload;
    w->filename = ps_arena_copy(a, ps_str_of(run->filename)).at;
    copy_tags(w, run);
    w->summary = ps_json_to(&w->summary_text);
    ps_json_object(&w->summary);
    status = open_part(w, run, err);
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
    ps_close_fd(&w->part_fd);
    free(w->part);
    free(w->low);
    ps_run_files_free(&w->files);
    ps_line_sums_free(&w->line_sums);
    ps_trace_sums_free(&w->trace);
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

    ps_writer_meta(w, "ledger_unit", (struct ps_num){0}, ps_str_of(l->unit));
    ps_writer_meta(w, "ledger_read", ps_int((int64_t)l->read), PS_STR(""));
    ps_writer_meta(w, "ledger_stored", ps_int((int64_t)l->stored), PS_STR(""));
    ps_writer_meta(w, "ledger_repaired", ps_int((int64_t)l->repaired), PS_STR(""));
    ps_writer_meta(w, "ledger_rejected", ps_int((int64_t)l->rejected), PS_STR(""));
    ps_writer_meta(w, "ledger_other", ps_int((int64_t)l->other), PS_STR(""));
}

/* What people say of the run, in the words of labels.c. */
static void put_label(struct ps_writer *w)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json label = ps_json_to(&text);

    ps_json_object(&label);
    ps_json_kstr(&label, "series", w->row.series);
    ps_json_kstr(&label, "who", w->row.who);
    ps_json_kint(&label, "created_at", w->row.created_ms);
    ps_json_key(&label, "tags");
    ps_json_array(&label);
    for (size_t i = 0; i < w->row.n_tags; i++) {
        ps_json_array(&label);
        ps_json_str(&label, ps_str_of(w->row.tags[i].key));
        ps_json_str(&label, ps_str_of(w->row.tags[i].value));
        ps_json_end(&label);
    }
    ps_json_end(&label);
    ps_json_end(&label);
    ps_writer_meta(w, "label", (struct ps_num){0}, ps_buf_slice(&text));
}

static void put_identity(struct ps_writer *w)
{
    char created[40];
    time_t seconds = (time_t)(w->row.created_ms / 1000);
    struct tm utc;
    size_t n = strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));

    (void)snprintf(created + n, sizeof created - n, ".%03dZ", (int)(w->row.created_ms % 1000));
    ps_writer_meta(w, "kind", (struct ps_num){0}, ps_str_of(w->row.kind));
    ps_writer_meta(w, "name", (struct ps_num){0}, ps_str_of(w->row.name));
    ps_writer_meta(w, "created_at", (struct ps_num){0}, ps_str_of(created));
    ps_writer_meta(w, "sha256", (struct ps_num){0}, ps_str_of(w->row.sha256));
    ps_writer_meta(w, "bytes", ps_int((int64_t)w->row.bytes), PS_STR(""));
    ps_writer_meta(w, "headline_value", ps_real(w->row.headline.value), PS_STR(""));
    ps_writer_meta(w, "headline_unit", (struct ps_num){0}, ps_str_of(w->row.headline.unit));
    ps_writer_meta(w, "headline_label", (struct ps_num){0}, ps_str_of(w->row.headline.label));
    ps_writer_meta(w, "summary", (struct ps_num){0}, ps_str_of(w->row.summary));
    put_label(w);
}

static void note_left_out(struct ps_writer *w)
{
    char text[120];
    struct ps_note note = {.severity = PS_NOTE_WARNING, .what = {text, 0}};

    if (!w->notes_left_out)
        return;
    note.what.len = (size_t)snprintf(
        text, sizeof text,
        "%llu more records were repaired or rejected; only the first %d are listed",
        (unsigned long long)w->notes_left_out, NOTES_MAX);
    w->sink.ops->note(&w->sink, &note);
}

static enum ps_status seal(struct ps_writer *w, const char *kind, struct ps_err *err)
{
    struct timespec now;
    struct stat about;

    clock_gettime(CLOCK_REALTIME, &now);
    w->row.created_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    w->row.kind = kind;
    choose_name(w, kind);
    note_left_out(w);
    (void)ps_writer_files(w);
    (void)ps_writer_line_sums(w);
    (void)ps_trace_sums_end(w);
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
    if (fsync(w->part_fd) != 0 || fstat(w->part_fd, &about) != 0)
        return ps_fail_errno(err, "cannot sync", w->part);
    w->row.db_bytes = (uint64_t)about.st_size;
    return PS_OK;
}

enum ps_status ps_writer_publish(struct ps_writer *w, const char *kind,
                                 const struct ps_original *original, struct ps_published *out,
                                 struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status;

    *out = (struct ps_published){.name = NULL};
    (void)snprintf(w->row.id, sizeof w->row.id, "%.16s", original->sha256);
    w->row.sha256 = ps_arena_copy(&w->arena, ps_str_of(original->sha256)).at;
    w->row.bytes = original->bytes;
    status = seal(w, kind, &own);

    if (status == PS_OK)
        status = ps_catalog_publish(w->store, &w->row, w->part, out, &own);
    if (status != PS_OK) {
        if (err && err->code == PS_OK)
            *err = own;
        free(out->name);
        out->name = NULL;
        ps_writer_abort(w);
        return status;
    }
    memcpy(out->id, w->row.id, sizeof out->id);
    out->rows = w->row.ledger.stored + w->row.ledger.repaired;
    out->repaired = w->row.ledger.repaired;
    out->rejected = w->row.ledger.rejected;
    if (!out->name)
        out->name = ps_strdup(ps_str_of(w->row.name));
    if (out->already)
        (void)unlink(w->part);
    writer_free(w);
    return PS_OK;
}
