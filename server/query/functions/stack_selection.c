/* SPDX-License-Identifier: MIT */
#include "server/query/functions/stack_selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"

/* Fails with the names of the sample types that the run has. */
static enum ps_status fail_sample_type(struct ps_db *db, const char *name, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf names = {0};

    ps_db_prepare(db, ps_query_sql("sample_types"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        ps_buf_puts(&names, names.len ? ", " : "");
        ps_buf_add_str(&names, ps_col_text(stmt, 0));
    }
    if (!names.len)
        return ps_fail(err, PS_BAD_REQUEST, "this run has no sample types");
    return ps_fail(err, PS_BAD_REQUEST, "this run has no sample type %s; it has %.*s", name,
                   (int)names.len, names.ptr);
}

static enum ps_status read_sample_type(struct ps_db *db, struct ps_params params,
                                       struct ps_stack_selection *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const char *name = ps_param_get(params, "sample_type");

    name = name && name[0] ? name : NULL;
    ps_db_prepare(db, ps_query_sql("stack_scale"), &stmt, err);
    if (name)
        ps_bind_text(stmt, ":sample_type", ps_str_from_c(name));
    if (ps_stmt_step(stmt, err)) {
        const struct ps_str unit = ps_col_text(stmt, 1), type = ps_col_text(stmt, 5);

        out->scale = ps_col_real(stmt, 0) > 0 ? ps_col_real(stmt, 0) : 1;
        out->sample_type = ps_col_int(stmt, 2);
        out->n_samples = ps_col_real(stmt, 3);
        out->total = ps_col_real(stmt, 4);
        (void)snprintf(out->unit, sizeof out->unit, "%.*s", (int)unit.len, unit.ptr);
        (void)snprintf(out->sample_type_name, sizeof out->sample_type_name, "%.*s", (int)type.len,
                       type.len ? type.ptr : "");
    }
    if (err->code == PS_OK && name && !out->sample_type)
        fail_sample_type(db, name, err);
    return err->code;
}

/* Fails unless the tracks of the run are divided by the label. */
static enum ps_status check_label(struct ps_db *db, struct ps_str key, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("label_divides"), &stmt, err);
    ps_bind_text(stmt, ":key", key);
    if (!ps_stmt_step(stmt, err) && err->code == PS_OK)
        return ps_fail(err, PS_BAD_REQUEST, "samples of this run have no label %.*s", (int)key.len,
                       key.ptr);
    if (err->code == PS_OK && !ps_col_int(stmt, 0))
        return ps_fail(err, PS_BAD_REQUEST,
                       "samples with different values of the label %.*s were summed at import",
                       (int)key.len, key.ptr);
    return err->code;
}

/* Writes the parameters `label` as pairs: [["task","load"],...]. */
static enum ps_status write_labels(struct ps_db *db, struct ps_params params, struct ps_buf *out,
                                   size_t *n, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(out);

    ps_json_array(&json);
    for (size_t i = 0; i < params.n && err->code == PS_OK; i++) {
        const char *text = params.items[i].value, *sign = text ? strchr(text, '=') : NULL;

        if (strcmp(params.items[i].key, "label") != 0 || !text || !text[0])
            continue;
        if (!sign || sign == text)
            return ps_fail(err, PS_BAD_REQUEST, "label must be KEY=VALUE");
        if (++*n > PS_STACK_LABELS_MAX)
            return ps_fail(err, PS_BAD_REQUEST, "at most %d labels can be chosen",
                           PS_STACK_LABELS_MAX);
        check_label(db, (struct ps_str){text, (size_t)(sign - text)}, err);
        ps_json_array(&json);
        ps_json_str(&json, (struct ps_str){text, (size_t)(sign - text)});
        ps_json_str(&json, ps_str_from_c(sign + 1));
        ps_json_end(&json);
    }
    ps_json_end(&json);
    return err->code;
}

static void add_track(struct ps_track_set *set, size_t *cap, uint32_t id)
{
    PS_RESERVE_ONE(set->ids, set->n, *cap);
    set->ids[set->n++] = id;
}

static enum ps_status write_threads(struct ps_params params, struct ps_buf *out, size_t *n,
                                    struct ps_err *err)
{
    PS_AUTO(ps_ints_free) struct ps_ints threads = {0};
    struct ps_json json = ps_json_writer(out);
    int64_t track = 0;

    ps_param_ids(params, "threads", PS_STACK_THREADS_MAX, &threads, err);
    ps_param_int(params, "track", 1, UINT32_MAX, 0, &track, err);
    if (track && !threads.n)
        ps_ints_add(&threads, track);
    *n = threads.n;
    ps_json_array(&json);
    for (size_t i = 0; i < threads.n; i++)
        ps_json_int(&json, threads.items[i]);
    ps_json_end(&json);
    return err->code;
}

static enum ps_status read_tracks(struct ps_db *db, struct ps_params params,
                                  struct ps_stack_selection *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf threads = {0}, labels = {0};
    size_t n_threads = 0, n_labels = 0, cap = 0, cap_negated = 0;

    write_threads(params, &threads, &n_threads, err);
    write_labels(db, params, &labels, &n_labels, err);
    if (err->code != PS_OK || (!out->sample_type && !n_threads && !n_labels))
        return err->code;
    ps_db_prepare(db, ps_query_sql("stack_tracks"), &stmt, err);
    ps_bind_int(stmt, ":sample_type", out->sample_type);
    ps_bind_text(stmt, ":threads", ps_buf_slice(&threads));
    ps_bind_text(stmt, ":labels", ps_buf_slice(&labels));
    while (ps_stmt_step(stmt, err)) {
        const bool is_negative = ps_col_int(stmt, 1);

        add_track(is_negative ? &out->negated : &out->tracks, is_negative ? &cap_negated : &cap,
                  (uint32_t)ps_col_int(stmt, 0));
    }
    out->has_no_tracks = !out->tracks.n;
    return err->code;
}

/* Keeps only the tracks whose values are above 0, or only those below, if the parameter says so. */
static enum ps_status choose_sign(struct ps_params params, struct ps_stack_selection *out,
                                  struct ps_err *err)
{
    const char *sign = ps_param_get(params, "sign");
    const bool is_negative = sign && strcmp(sign, "negative") == 0;

    if (!sign || !sign[0])
        return err->code;
    if (!is_negative && strcmp(sign, "positive") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "sign must be positive or negative, not %s", sign);
    if (is_negative) {
        ps_track_set_free(&out->tracks);
        out->tracks = out->negated;
        out->has_no_tracks = !out->tracks.n;
    } else {
        ps_track_set_free(&out->negated);
    }
    out->negated = (struct ps_track_set){NULL, 0};
    return err->code;
}

enum ps_status ps_stack_selection_read(struct ps_db *db, struct ps_params params,
                                       struct ps_stack_selection *out, struct ps_err *err)
{
    *out = (struct ps_stack_selection){.scale = 1};
    ps_param_range(params, &out->range, err);
    read_sample_type(db, params, out, err);
    read_tracks(db, params, out, err);
    return choose_sign(params, out, err);
}

void ps_stack_selection_free(struct ps_stack_selection *selection)
{
    ps_track_set_free(&selection->tracks);
    ps_track_set_free(&selection->negated);
}

const char *ps_stack_weight_unit(const struct ps_stack_selection *selection)
{
    return strcmp(selection->unit, "s") == 0 ? "ns" : selection->unit;
}
