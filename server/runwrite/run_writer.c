/* SPDX-License-Identifier: MIT */
/* run_writer.c: what a run file holds, from its tables to its last row. */
#include <stdio.h>
#include <stdlib.h>

#include "schema/schema.h"
#include "server/runwrite/writer_rows.h"

/* Runs of files from this size on have pages of 32 KiB: a tenth less to write the large blobs of a
 * trace. Small ones would only grow by it, each table takes a page. */
#define LARGE ((uint64_t)32 << 20)

enum ps_status ps_run_create(const char *path, uint64_t input_bytes, struct ps_db **out,
                             struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    ps_uri_path(&uri, path);
    ps_buf_puts(&uri, "?nolock=1"); /* nobody else knows the file */
    status = ps_db_open(uri.at, true, out, err);
    if (status == PS_OK)
        status = ps_db_exec(
            *out, input_bytes < LARGE ? "PRAGMA page_size=8192" : "PRAGMA page_size=32768", err);
    if (status == PS_OK)
        status = ps_db_exec(*out,
                            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                            "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
                            "PRAGMA cache_size=-8192; BEGIN",
                            err);
    return status == PS_OK ? ps_db_exec(*out, ps_run_schema(), err) : status;
}

enum ps_status ps_writer_open(const char *path, const struct ps_writing *writing,
                              struct ps_writer **out, struct ps_err *err)
{
    struct ps_writer *w = ps_alloc(sizeof *w);
    enum ps_status status;

    w->sink.ops = &ps_writer_ops;
    w->writing = *writing;
    w->headline.unit = w->headline.label = "";
    w->ledger.unit = "";
    w->summary = ps_json_to(&w->summary_text);
    ps_json_object(&w->summary);
    status = ps_run_create(path, writing->input_bytes, &w->db, err);
    if (status != PS_OK) {
        ps_writer_free(w);
        return status;
    }
    *out = w;
    return PS_OK;
}

struct ps_sink *ps_writer_sink(struct ps_writer *writer)
{
    return &writer->sink;
}

void ps_writer_free(struct ps_writer *w)
{
    if (!w)
        return;
    for (int i = 0; i < N_INSERTS; i++)
        ps_stmt_done(w->inserts[i]);
    ps_db_close(w->db);
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

static void put_ledger(struct ps_writer *w)
{
    const struct ps_ledger *l = &w->ledger;

    ps_writer_meta(w, "ledger_unit", (struct ps_num){0}, ps_str_of(l->unit));
    ps_writer_meta(w, "ledger_read", ps_int((int64_t)l->read), PS_STR(""));
    ps_writer_meta(w, "ledger_stored", ps_int((int64_t)l->stored), PS_STR(""));
    ps_writer_meta(w, "ledger_repaired", ps_int((int64_t)l->repaired), PS_STR(""));
    ps_writer_meta(w, "ledger_rejected", ps_int((int64_t)l->rejected), PS_STR(""));
    ps_writer_meta(w, "ledger_other", ps_int((int64_t)l->other), PS_STR(""));
}

static void put_headline(struct ps_writer *w)
{
    ps_writer_meta(w, "headline_value", ps_real(w->headline.value), PS_STR(""));
    ps_writer_meta(w, "headline_unit", (struct ps_num){0}, ps_str_of(w->headline.unit));
    ps_writer_meta(w, "headline_label", (struct ps_num){0}, ps_str_of(w->headline.label));
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

enum ps_status ps_writer_end(struct ps_writer *w, struct ps_err *err)
{
    note_left_out(w);
    (void)ps_writer_files(w);
    (void)ps_writer_line_sums(w);
    (void)ps_trace_sums_end(w);
    ps_json_end(&w->summary);
    ps_writer_meta(w, "summary", (struct ps_num){0}, ps_buf_slice(&w->summary_text));
    put_headline(w);
    put_ledger(w);
    if (!ps_sink_ok(&w->sink)) {
        *err = w->sink.err;
        return err->code;
    }
    return ps_db_exec(w->db, "COMMIT", err);
}
