/* SPDX-License-Identifier: MIT */
/*
 * breakdown.c: the view parts: for each pixel of a window, the part of the TensorBoard breakdown
 * that takes most of its time. Times of several workers are added up.
 */
#include "server/query/trace/recording.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"

#define PX_MAX 8192

/* Returns the time at the left edge of pixel x. from <= to; their difference fits, because the
 * parameters are limited. */
static int64_t edge_of(const struct ps_range_sums *sums, int64_t x, int64_t px)
{
    if (x == px)
        return sums->to_ns;
    return sums->from_ns +
           (int64_t)((double)(sums->to_ns - sums->from_ns) * (double)x / (double)px);
}

/* Returns the index of the part with the most time in [from, to), the first of equal ones. Stores
 * the number of parts and their names. */
static size_t largest_part(const struct ps_range_sums *sums, int64_t from, int64_t to,
                           struct ps_part out[PS_PARTS_MAX], size_t *n)
{
    size_t largest = 0;

    for (uint32_t w = 0; w < sums->n_workers; w++) {
        const struct ps_worker_sums *worker = &sums->workers[w];
        struct ps_part parts[PS_PARTS_MAX];

        *n = ps_breakdown_compute(PS_BREAKDOWN_TENSORBOARD, worker->roles, &worker->communication,
                                  from, to, parts);
        for (size_t i = 0; i < *n; i++)
            out[i] = (struct ps_part){parts[i].name,
                                      w ? ps_add_saturated(out[i].ns, parts[i].ns) : parts[i].ns};
    }
    for (size_t i = 1; i < *n; i++)
        if (out[i].ns > out[largest].ns)
            largest = i;
    return largest;
}

/* The runs of pixels with equal parts. */
struct part_runs {
    int64_t part[PX_MAX], len[PX_MAX];
    size_t n;
};

static void add_pixel(struct part_runs *runs, size_t part)
{
    if (!runs->n || runs->part[runs->n - 1] != (int64_t)part) {
        runs->part[runs->n] = (int64_t)part;
        runs->len[runs->n++] = 0;
    }
    runs->len[runs->n - 1]++;
}

static void write_ints(struct ps_json *json, const char *key, const int64_t *values, size_t n)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_int(json, values[i]);
    ps_json_end(json);
}

static enum ps_status read_window(struct ps_db *db, struct ps_params params,
                                  struct ps_range_sums *sums, int64_t *px, struct ps_err *err)
{
    struct ps_range span;

    ps_trace_span(db, &span, err);
    ps_param_int(params, "from_ns", INT64_MIN / 4, INT64_MAX / 4, span.from_ns, &sums->from_ns,
                 err);
    ps_param_int(params, "to_ns", INT64_MIN / 4, INT64_MAX / 4, span.to_ns, &sums->to_ns, err);
    ps_param_int(params, "px", 1, PX_MAX, 1000, px, err);
    if (err->code == PS_OK && sums->from_ns >= sums->to_ns)
        ps_fail(err, PS_BAD_REQUEST, "from_ns must be less than to_ns");
    if (err->code == PS_OK && *px > sums->to_ns - sums->from_ns)
        *px = sums->to_ns - sums->from_ns;
    return err->code;
}

enum ps_status ps_view_parts(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    PS_AUTO(ps_range_sums_free) struct ps_range_sums sums = {0};
    PS_AUTO(ps_free_ptr) struct part_runs *runs = ps_alloc(sizeof *runs);
    struct ps_json json = ps_json_writer(&answer->body);
    struct ps_part parts[PS_PARTS_MAX];
    size_t n = 0;
    int64_t px = 0;

    (void)view, (void)id;
    if (read_window(db, params, &sums, &px, err) != PS_OK ||
        ps_range_sums_read(db, &sums, err) != PS_OK)
        return err->code;
    runs->n = 0;
    for (int64_t x = 0; x < px; x++)
        add_pixel(runs,
                  largest_part(&sums, edge_of(&sums, x, px), edge_of(&sums, x + 1, px), parts, &n));
    ps_json_object(&json);
    ps_json_key_int(&json, "from_ns", sums.from_ns);
    ps_json_key_int(&json, "to_ns", sums.to_ns);
    ps_json_key_int(&json, "px", px);
    ps_json_key(&json, "names");
    ps_json_array(&json);
    for (size_t i = 0; i < n; i++)
        ps_json_str(&json, ps_str_from_c(parts[i].name));
    ps_json_end(&json);
    write_ints(&json, "part", runs->part, runs->n);
    write_ints(&json, "len", runs->len, runs->n);
    ps_json_end(&json);
    return PS_OK;
}
