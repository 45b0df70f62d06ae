/* SPDX-License-Identifier: MIT */
/*
 * memory_categories.c: the view of memory by category over time, for a stacked chart: all
 * categories have values at the same times. Of the times in a pixel, the answer has the one with
 * the greatest sum and the last one.
 */
#include <stdlib.h>

#include "server/query/memory/memory.h"
#include "server/query/view.h"

enum { CATEGORIES_MAX = 16 }; /* maximum number of categories */

struct sample {
    double t, sum, mib[CATEGORIES_MAX];
};

struct stack {
    struct ps_buf t_text, mib_text[CATEGORIES_MAX];
    struct ps_json t, mib[CATEGORIES_MAX];
    char *names[CATEGORIES_MAX];
    int n;
    double from, to;
    int64_t px, pixel;
    struct sample now, highest, last, peak;
    bool has_samples; /* `highest` and `last` have values for the current pixel */
    bool has_peak;
};

static void put_sample(struct stack *s, const struct sample *m)
{
    ps_json_real(&s->t, m->t);
    for (int i = 0; i < s->n; i++)
        ps_json_real(&s->mib[i], m->mib[i]);
}

static void flush_samples(struct stack *s)
{
    if (!s->has_samples)
        return;
    put_sample(s, &s->highest);
    if (s->last.t > s->highest.t)
        put_sample(s, &s->last);
    s->has_samples = false;
}

/* Adds s->now to its pixel, when the values of all categories at its time are known. */
static void add_sample(struct stack *s)
{
    double span = s->to - s->from;
    struct sample m = s->now;
    bool is_inside = m.t >= s->from;
    int64_t pixel;

    m.sum = 0;
    for (int i = 0; i < s->n; i++)
        m.sum += m.mib[i];
    if (m.t > s->to)
        return;
    m.t = m.t < s->from ? s->from : m.t;
    pixel = span > 0 ? (int64_t)((m.t - s->from) / span * (double)s->px) : 0;
    if (s->has_samples && pixel != s->pixel)
        flush_samples(s);
    /* Of the samples before the window only the last is used. It is moved to the start of the
     * window. */
    if (!s->has_samples || m.sum > s->highest.sum || (m.t == s->from && s->highest.t == s->from))
        s->highest = m;
    if (is_inside && (!s->has_peak || m.sum > s->peak.sum)) {
        s->peak = m;
        s->has_peak = true;
    }
    s->last = m;
    s->has_samples = true;
    s->pixel = pixel;
}

static int category_index(struct stack *s, struct ps_str kind)
{
    for (int i = 0; i < s->n; i++)
        if (ps_str_eq_c(kind, s->names[i]))
            return i;
    if (s->n == CATEGORIES_MAX)
        return -1;
    s->names[s->n] = ps_strdup(kind);
    return s->n++;
}

static enum ps_status read_rows(struct ps_db *db, struct stack *s, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool began = false;

    ps_db_prepare(db, ps_query_sql("memory_categories"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        double t = ps_col_real(stmt, 0);
        int at = category_index(s, ps_col_text(stmt, 1));

        if (began && t != s->now.t)
            add_sample(s);
        began = true;
        s->now.t = t;
        if (at >= 0)
            s->now.mib[at] = ps_col_real(stmt, 2);
    }
    if (began)
        add_sample(s);
    flush_samples(s);
    if (began && s->last.t < s->to) {
        s->last.t = s->to;
        put_sample(s, &s->last);
    }
    return err->code;
}

static void write_peak(const struct stack *s, struct ps_json *json)
{
    ps_json_key(json, "peak");
    if (!s->has_peak) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_real(json, "t_s", s->peak.t);
    ps_json_key_real(json, "mib", s->peak.sum);
    ps_json_end(json);
}

static void write_stack(struct stack *s, double start, double end, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_real(json, "start_s", start);
    ps_json_key_real(json, "end_s", end);
    ps_json_key_str(json, "unit", "MiB");
    write_peak(s, json);
    ps_json_key(json, "t_s");
    ps_json_end(&s->t);
    ps_json_raw(json, ps_buf_slice(&s->t_text));
    ps_json_key(json, "categories");
    ps_json_array(json);
    for (int i = 0; i < s->n; i++) {
        ps_json_object(json);
        ps_json_key_str(json, "name", s->names[i]);
        ps_json_key(json, "mib");
        ps_json_end(&s->mib[i]);
        ps_json_raw(json, ps_buf_slice(&s->mib_text[i]));
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
}

static void stack_free(struct stack *s)
{
    ps_buf_free(&s->t_text);
    for (int i = 0; i < CATEGORIES_MAX; i++) {
        ps_buf_free(&s->mib_text[i]);
        free(s->names[i]);
    }
}

static void stack_open(struct stack *s)
{
    s->t = ps_json_writer(&s->t_text);
    ps_json_array(&s->t);
    for (int i = 0; i < CATEGORIES_MAX; i++) {
        s->mib[i] = ps_json_writer(&s->mib_text[i]);
        ps_json_array(&s->mib[i]);
    }
}

static enum ps_status read_bounds(struct ps_db *db, double *start, double *end, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("memory_bounds"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        *start = ps_col_real(stmt, 0);
        *end = ps_col_real(stmt, 1);
    }
    return err->code;
}

enum ps_status ps_view_memory_categories(struct ps_db *db, const struct ps_view *view, int64_t id,
                                         struct ps_params params, struct ps_answer *answer,
                                         struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    struct stack s = {.pixel = -1};
    double start = 0, end = 0;

    (void)view, (void)id;
    read_bounds(db, &start, &end, err);
    ps_param_int(params, "px", 16, 8192, 1600, &s.px, err);
    ps_param_real(params, "from_s", -1e12, 1e12, start, &s.from, err);
    ps_param_real(params, "to_s", -1e12, 1e12, end, &s.to, err);
    stack_open(&s);
    if (read_rows(db, &s, err) == PS_OK)
        write_stack(&s, start, end, &json);
    stack_free(&s);
    return err->code;
}
