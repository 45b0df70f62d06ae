/* SPDX-License-Identifier: MIT */
/* measurement.c: the view of one measurement with its samples, and what is wrong with these. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/samples.h"
#include "server/query/reports/reports.h"
#include "server/query/view.h"

static void write_doubles(struct ps_str blob, struct ps_json *json)
{
    ps_json_array(json);
    for (size_t at = 0; at + sizeof(double) <= blob.len; at += sizeof(double)) {
        double value;

        memcpy(&value, blob.ptr + at, sizeof value);
        ps_json_real(json, value);
    }
    ps_json_end(json);
}

struct doubles {
    double *items;
    size_t n;
};

static void doubles_free(struct doubles *doubles)
{
    free(doubles->items);
}

static struct doubles read_doubles(struct ps_str blob)
{
    struct doubles out = {.n = blob.len / sizeof *out.items};

    out.items = ps_alloc_array(out.n + 1, sizeof *out.items);
    if (out.n)
        memcpy(out.items, blob.ptr, out.n * sizeof *out.items);
    return out;
}

static void open_finding(struct ps_json *json, const char *code)
{
    ps_json_object(json);
    ps_json_key_str(json, "code", code);
}

static void write_share(struct ps_json *json, const char *code, double value)
{
    if (!isfinite(value))
        return;
    open_finding(json, code);
    ps_json_key_real(json, "value", value);
    ps_json_end(json);
}

static void write_findings(const struct ps_sample_findings *f, struct ps_json *json)
{
    ps_json_array(json);
    if (f->are_few)
        open_finding(json, "few"), ps_json_end(json);
    write_share(json, "spread", f->spread);
    write_share(json, "minimum", f->minimum);
    write_share(json, "maximum", f->maximum);
    write_share(json, "first", f->first);
    if (isfinite(f->drift)) {
        open_finding(json, "drift");
        ps_json_key_real(json, "value", f->drift);
        ps_json_key_real(json, "p", f->drift_p);
        ps_json_end(json);
    }
    if (isfinite(f->low)) {
        open_finding(json, "modes");
        ps_json_key_real(json, "low", f->low);
        ps_json_key_real(json, "high", f->high);
        ps_json_key_int(json, "n_low", (int64_t)f->n_low);
        ps_json_key_real(json, "p", f->modes_p);
        ps_json_end(json);
    }
    if (f->are_sorted)
        open_finding(json, "sorted"), ps_json_end(json);
    ps_json_end(json);
}

/* Columns of queries/measurement.sql. */
enum { N = 6, MEAN, STDDEV = 9, MIN, MAX, SAMPLES = 16, PROCESSES = 24 };

static void write_sample_findings(struct ps_stmt *stmt, struct ps_json *json)
{
    PS_AUTO(doubles_free) struct doubles samples = read_doubles(ps_col_text(stmt, SAMPLES));
    PS_AUTO(doubles_free) struct doubles processes = read_doubles(ps_col_text(stmt, PROCESSES));
    const struct ps_sample_summary summary = {
        ps_col_real_or_nan(stmt, N), ps_col_real_or_nan(stmt, MEAN),
        ps_col_real_or_nan(stmt, STDDEV), ps_col_real_or_nan(stmt, MIN),
        ps_col_real_or_nan(stmt, MAX)};
    struct ps_sample_findings findings;

    ps_sample_findings_get(&summary, samples.items, samples.n, processes.items, processes.n,
                           &findings);
    ps_json_key(json, "findings");
    write_findings(&findings, json);
}

enum ps_status ps_view_measurement(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)params;
    ps_query_prepare(db, "measurement", id, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "no measurement %lld in this run", (long long)id);
    ps_json_object(&json);
    for (int i = 0; i < ps_col_count(stmt); i++) {
        const char *name = ps_col_name(stmt, i);

        ps_json_key(&json, name);
        if (strcmp(name, "samples") == 0 || strcmp(name, "warmups") == 0 ||
            strcmp(name, "processes") == 0)
            write_doubles(ps_col_text(stmt, i), &json);
        else if (strcmp(name, "more") == 0 || strcmp(name, "parameters") == 0)
            ps_col_write_raw_json(stmt, i, "{}", &json);
        else
            ps_col_write_json(stmt, i, &json);
    }
    write_sample_findings(stmt, &json);
    ps_json_end(&json);
    return PS_OK;
}
