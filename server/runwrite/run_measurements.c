/* SPDX-License-Identifier: MIT */
/* run_measurements.c: measurements of a run, a row each. */
#include "server/runwrite/writer_rows.h"

/* What else is known, as a JSON object. */
static void put_more(struct ps_buf *out, const struct ps_measurement *row)
{
    struct ps_json json = ps_json_to(out);
    struct ps_buf key = {0};

    ps_json_object(&json);
    for (size_t i = 0; i < row->n_more; i++) {
        const struct ps_measured_fact *more = &row->more[i];

        key.len = 0;
        ps_buf_str(&key, more->key);
        ps_json_key(&json, key.at ? key.at : "");
        if (more->number.kind != PS_NUM_NONE)
            ps_json_num(&json, more->number);
        else
            ps_json_str(&json, more->text);
    }
    ps_json_end(&json);
    ps_buf_free(&key);
}

void ps_writer_measurement(struct ps_sink *sink, const struct ps_measurement *row)
{
    struct ps_writer *w = (struct ps_writer *)sink;
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_MEASUREMENT);
    const struct ps_num figures[] = {row->n,   row->mean, row->median, row->stddev,
                                     row->min, row->max,  row->q1,     row->q3};

    if (!stmt || !ps_sink_ok(sink))
        return;
    w->blob.len = 0;
    put_more(&w->blob, row);
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->name);
    ps_bind_str(stmt, 3, row->group);
    ps_bind_num(stmt, 4, row->value);
    ps_bind_str(stmt, 5, ps_str_of(row->unit));
    ps_bind_str(stmt, 6, ps_str_of(row->statistic));
    for (int i = 0; i < (int)(sizeof figures / sizeof *figures); i++)
        ps_bind_num(stmt, 7 + i, figures[i]);
    ps_bind_num(stmt, 15, row->resolution > 0 ? ps_real(row->resolution) : (struct ps_num){0});
    ps_bind_str(stmt, 16, ps_buf_slice(&w->blob));
    sqlite3_bind_blob64(stmt, 17, row->n_samples ? row->samples : NULL,
                        row->n_samples * sizeof(double), SQLITE_STATIC);
    ps_writer_step(w, stmt);
}
