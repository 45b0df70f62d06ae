/* SPDX-License-Identifier: MIT */
/* memory_curve.c: memory over time, reduced to the resolution of a picture: the lowest and the
 * highest point of each pixel, and the times without samples. */
#include <math.h>
#include <stdlib.h>

#include "server/query/memory/memory.h"
#include "server/query/shapes/curve.h"
#include "server/query/view.h"

/* A time without samples is a gap if it is longer than this many mean intervals. */
#define GAP_INTERVALS 5

struct window {
    /* in seconds, as in the file; t_s in JSON is relative to `start`, the first time in the file */
    double from, to, start;
    int64_t px;
    double interval; /* mean time between samples, seconds */
};

enum { LANE_T, LANE_MIB, N_LANES };

static int64_t to_us(double seconds)
{
    return llround(seconds * 1e6);
}

static struct ps_curve curve_new(const struct window *w)
{
    return ps_curve_new(to_us(w->from - w->start), to_us(w->to - w->start), w->px,
                        PS_CURVE_MIN | PS_CURVE_MAX, N_LANES);
}

static void curve_write(struct ps_curve *c, struct ps_json *json)
{
    ps_curve_end(c);
    ps_curve_write_lane(c, "t_s", LANE_T, PS_CURVE_REAL, json);
    ps_curve_write_lane(c, "mib", LANE_MIB, PS_CURVE_REAL, json);
    ps_json_end(json);
    ps_curve_free(c);
}

/* Sums over the points of the main process (t in s, m in MiB) for the least-squares slope in MiB
 * per second: number, t, m, t², t·m. */
struct slope {
    double n, t, m, tt, tm;
};

static void slope_add(struct slope *s, double t, double mib)
{
    s->n++;
    s->t += t;
    s->m += mib;
    s->tt += t * t;
    s->tm += t * mib;
}

static void slope_json(const struct slope *s, struct ps_json *json)
{
    double spread = s->n * s->tt - s->t * s->t;

    ps_json_key(json, "slope_mib_s");
    if (s->n > 1 && spread > 0)
        ps_json_real(json, (s->n * s->tm - s->t * s->m) / spread);
    else
        ps_json_null(json);
}

/* Gaps of all curves as JSON. */
struct gaps {
    struct ps_buf text;
    struct ps_json json;
    double previous; /* time of the last sample of the curve */
};

/* Writes the time between two samples if it is a gap that is wider than a pixel. */
static void write_gap(struct gaps *gaps, const struct window *w, struct ps_stmt *stmt, double t)
{
    double length = t - gaps->previous;

    if (length <= GAP_INTERVALS * w->interval || length * (double)w->px < w->to - w->from)
        return;
    ps_json_object(&gaps->json);
    ps_json_key(&gaps->json, "process");
    ps_col_write_json(stmt, 0, &gaps->json);
    ps_json_key_real(&gaps->json, "from_s", gaps->previous - w->start);
    ps_json_key_real(&gaps->json, "to_s", t - w->start);
    ps_json_end(&gaps->json);
}

static enum ps_status bind_window(struct ps_db *db, const char *query, const struct window *w,
                                  struct ps_stmt **stmt, struct ps_err *err)
{
    ps_db_prepare(db, ps_query_sql(query), stmt, err);
    ps_bind_real(*stmt, ":from", w->from);
    ps_bind_real(*stmt, ":to", w->to);
    return err->code;
}

static bool is_same_curve(struct ps_stmt *stmt, bool main_process, int64_t process,
                          struct ps_str kind)
{
    return ps_col_is_null(stmt, 0) == main_process && ps_col_int(stmt, 0) == process &&
           ps_str_eq(ps_col_text(stmt, 1), kind);
}

static enum ps_status write_curves(struct ps_db *db, const struct window *w, struct ps_json *json,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) char *kind = NULL;
    struct ps_curve curve = {0};
    struct gaps gaps = {0};
    struct slope slope = {0};
    bool is_open = false, main_process = false;
    int64_t process = 0;

    gaps.json = ps_json_writer(&gaps.text);
    ps_json_array(&gaps.json);
    bind_window(db, "memory_curve", w, &stmt, err);
    ps_json_key(json, "curves");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        double t = ps_col_real(stmt, 2), mib = ps_col_real(stmt, 3);

        if (is_open && !is_same_curve(stmt, main_process, process, ps_str_from_c(kind))) {
            curve_write(&curve, json);
            is_open = false;
        }
        if (!is_open) {
            main_process = ps_col_is_null(stmt, 0);
            process = ps_col_int(stmt, 0);
            ps_free_ptr(&kind);
            kind = ps_strdup(ps_col_text(stmt, 1));
            ps_json_object(json);
            ps_json_key(json, "process");
            ps_col_write_json(stmt, 0, json);
            ps_json_key_str(json, "kind", kind);
            curve = curve_new(w);
            is_open = true;
        } else if (strcmp(kind, "rss") == 0) { /* only resident memory is sampled at intervals */
            write_gap(&gaps, w, stmt, t);
        }
        gaps.previous = t;
        ps_curve_add(&curve, to_us(t - w->start), mib,
                     (union ps_curve_value[]){{.r = t - w->start}, {.r = mib}});
        if (main_process && t >= w->from && t <= w->to)
            slope_add(&slope, t - w->start, mib);
    }
    if (is_open)
        curve_write(&curve, json);
    ps_json_end(json);
    ps_json_end(&gaps.json);
    ps_json_key(json, "gaps");
    ps_json_raw(json, ps_buf_slice(&gaps.text));
    ps_buf_free(&gaps.text);
    slope_json(&slope, json);
    return err->code;
}

static enum ps_status write_peak(struct ps_db *db, const struct window *w, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    bind_window(db, "memory_peak", w, &stmt, err);
    ps_json_key(json, "peak");
    if (!ps_stmt_step(stmt, err)) {
        ps_json_null(json);
        return err->code;
    }
    ps_json_object(json);
    ps_json_key_real(json, "t_s", ps_col_real(stmt, 0) - w->start);
    ps_json_key_real(json, "mib", ps_col_real(stmt, 1));
    ps_json_end(json);
    return PS_OK;
}

static enum ps_status write_spans(struct ps_db *db, const struct window *w, struct ps_json *json,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    bind_window(db, "memory_spans", w, &stmt, err);
    ps_bind_real(stmt, ":start", w->start);
    return ps_rows_write(stmt, "spans", ps_row_write_object, json, err);
}

/* Reads the requested window, and stores the last time in the file in *end. */
static enum ps_status read_window(struct ps_db *db, struct ps_params params, struct window *w,
                                  double *end, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    double from = 0, to = 0;

    ps_db_prepare(db, ps_query_sql("memory_bounds"), &stmt, err);
    ps_param_int(params, "px", 16, PS_CURVE_COLUMNS_MAX, 1600, &w->px, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    w->start = ps_col_real(stmt, 0);
    *end = ps_col_real(stmt, 1);
    w->interval = ps_col_real(stmt, 2);
    ps_param_real(params, "from_s", -1e12, 1e12, 0, &from, err);
    ps_param_real(params, "to_s", -1e12, 1e12, *end - w->start, &to, err);
    w->from = w->start + from;
    w->to = w->start + to;
    return err->code;
}

enum ps_status ps_view_memory(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    struct window window;
    double end = 0;

    (void)view, (void)id;
    if (read_window(db, params, &window, &end, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key_real(&json, "start_s", window.start);
    ps_json_key_real(&json, "end_s", end);
    ps_json_key_str(&json, "unit", "MiB");
    write_curves(db, &window, &json, err);
    write_peak(db, &window, &json, err);
    write_spans(db, &window, &json, err);
    ps_json_end(&json);
    return err->code;
}
