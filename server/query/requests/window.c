/* SPDX-License-Identifier: MIT */
/* window.c: the view requests/window: requests, tokens, steps and load for a picture of a range of
 * time. Its size is bounded by the number of columns and of rows, not by that of requests. */
#include <math.h>
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/requests/requests_json.h"
#include "server/query/trace/time_range.h"
#include "slices/intervals.h"

#define COLUMNS_MAX     4000
#define COLUMNS_DEFAULT 1000
#define ROWS_MAX        1000
#define ROWS_DEFAULT    200
#define TOKENS_MAX      40000 /* with more, columns of tokens are wider */

enum order { BY_START, BY_TTFT, BY_LATENCY };

struct window {
    const struct ps_requests *r;
    int64_t from_ns, to_ns, n_columns;
    double column_ns;
    enum order order;
    struct place {
        int64_t key; /* first member, the sort key */
        size_t request;
    } * places;           /* the requests in the range, in the chosen order */
    size_t n, first, end; /* of places; the rows are [first, end) */
};

static void window_free(struct window *w)
{
    free(w->places);
}

/* --- Requests in the range --- */

static bool is_in_range(const struct window *w, const struct ps_request_row *row)
{
    int64_t begin = ps_request_begin(row);

    return begin != PS_TIME_UNKNOWN && begin < w->to_ns && ps_request_last(row) >= w->from_ns;
}

/* Unknown times become the last. */
static int64_t order_key(const struct window *w, size_t request)
{
    const struct ps_request_row *row = &w->r->requests[request];

    return w->order == BY_TTFT      ? -row->ttft_ns
           : w->order == BY_LATENCY ? -row->latency_ns
                                    : ps_request_begin(row);
}

static enum ps_status read_params(struct ps_params params, struct window *w, struct ps_page *page,
                                  struct ps_err *err)
{
    const char *order = ps_param_get(params, "order");

    if (order && strcmp(order, "ttft") == 0)
        w->order = BY_TTFT;
    else if (order && strcmp(order, "latency") == 0)
        w->order = BY_LATENCY;
    else if (order && *order && strcmp(order, "start") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "order is 'start', 'ttft' or 'latency', not '%s'",
                       order);
    ps_param_int(params, "from_ns", -PS_TRACE_NS_MAX, PS_TRACE_NS_MAX, w->r->first_ns, &w->from_ns,
                 err);
    ps_param_int(params, "to_ns", -PS_TRACE_NS_MAX, PS_TRACE_NS_MAX, w->r->last_ns + 1, &w->to_ns,
                 err);
    ps_param_int(params, "px", 1, COLUMNS_MAX, COLUMNS_DEFAULT, &w->n_columns, err);
    if (ps_page_read(params, ROWS_MAX, ROWS_DEFAULT, page, err) != PS_OK)
        return err->code;
    if (w->to_ns <= w->from_ns)
        return ps_fail(err, PS_BAD_REQUEST, "to_ns is not after from_ns");
    w->column_ns = (double)(w->to_ns - w->from_ns) / (double)w->n_columns;
    return PS_OK;
}

static void find_rows(struct window *w, struct ps_page page)
{
    w->places = ps_alloc_array(w->r->n + 1, sizeof *w->places);
    for (size_t i = 0; i < w->r->n; i++)
        if (is_in_range(w, &w->r->requests[i]))
            w->places[w->n++] = (struct place){order_key(w, i), i};
    ps_sort_records(w->places, w->n, sizeof *w->places);
    w->first = (uint64_t)page.offset < w->n ? (size_t)page.offset : w->n;
    w->end = w->n - w->first > (uint64_t)page.limit ? w->first + (size_t)page.limit : w->n;
}

static void write_times(struct ps_json *json, const char *key, const struct window *w,
                        size_t member)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = w->first; i < w->end; i++) {
        const char *row = (const char *)&w->r->requests[w->places[i].request];
        int64_t ns = *(const int64_t *)(row + member);

        if (ns == PS_TIME_UNKNOWN || ns == PS_COUNT_UNKNOWN)
            ps_json_null(json);
        else
            ps_json_int(json, ns);
    }
    ps_json_end(json);
}

/* A part of the time to the first token. */
static void write_part(struct ps_json *json, const char *key, const struct window *w,
                       enum ps_request_cause cause)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = w->first; i < w->end; i++) {
        const struct ps_request_row *row = &w->r->requests[w->places[i].request];

        if (row->has_parts)
            ps_json_int(json, row->parts_ns[cause]);
        else
            ps_json_null(json);
    }
    ps_json_end(json);
}

static void write_names(struct ps_db *db, struct ps_json *json, const struct window *w,
                        struct ps_err *err)
{
    ps_json_key(json, "name");
    ps_json_array(json);
    for (size_t i = w->first; i < w->end; i++) {
        PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

        ps_query_prepare(db, "request_name", w->r->requests[w->places[i].request].id, &stmt, err);
        ps_json_str(json, ps_stmt_step(stmt, err) ? ps_col_text(stmt, 0) : PS_STR(""));
    }
    ps_json_end(json);
}

static void write_rows(struct ps_db *db, struct ps_json *json, const struct window *w,
                       struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) int64_t *lanes = ps_alloc_array(w->end + 1, sizeof *lanes);
    PS_AUTO(ps_free_ptr) int64_t *states = ps_alloc_array(w->end + 1, sizeof *states);
    PS_AUTO(ps_free_ptr) int64_t *ids = ps_alloc_array(w->end + 1, sizeof *ids);
    size_t n = w->end - w->first;

    for (size_t i = 0; i < n; i++) {
        size_t request = w->places[w->first + i].request;

        lanes[i] = w->r->lane[request];
        states[i] = (int64_t)w->r->requests[request].state;
        ids[i] = w->r->requests[request].id;
    }
    ps_json_key(json, "rows");
    ps_json_object(json);
    ps_json_ints(json, "id", ids, n);
    write_names(db, json, w, err);
    ps_json_ints(json, "lane", lanes, n);
    ps_json_ints(json, "state", states, n);
    write_times(json, "start_ns", w, offsetof(struct ps_request_row, start_ns));
    write_times(json, "arrival_ns", w, offsetof(struct ps_request_row, arrival_ns));
    write_times(json, "scheduled_ns", w, offsetof(struct ps_request_row, scheduled_ns));
    write_times(json, "first_token_ns", w, offsetof(struct ps_request_row, first_token_ns));
    write_times(json, "last_token_ns", w, offsetof(struct ps_request_row, last_token_ns));
    write_times(json, "end_ns", w, offsetof(struct ps_request_row, end_ns));
    write_times(json, "ttft_ns", w, offsetof(struct ps_request_row, ttft_ns));
    ps_json_key(json, "cause");
    ps_json_array(json);
    for (size_t i = w->first; i < w->end; i++) {
        const char *word = ps_request_cause_word(w->r->requests[w->places[i].request].cause);

        ps_json_str(json, word ? ps_str_from_c(word) : (struct ps_str){NULL, 0});
    }
    ps_json_end(json);
    write_part(json, "in_step_ns", w, PS_WAITS_FOR_STEP);
    write_part(json, "slot_ns", w, PS_WAITS_FOR_SLOT);
    write_part(json, "budget_ns", w, PS_WAITS_FOR_BUDGET);
    write_part(json, "others_ns", w, PS_WAITS_FOR_OTHERS);
    ps_json_end(json);
}

/* --- Tokens --- */

struct marks {
    int64_t *row, *end_ns, *gap_ns, *count;
    size_t n;
};

/* Merges the tokens of the rows that fall on the same column. False: there are too many. */
static bool add_marks(const struct window *w, double column_ns, struct marks *marks)
{
    const struct ps_requests *r = w->r;

    marks->n = 0;
    for (size_t i = w->first; i < w->end; i++) {
        size_t request = w->places[i].request, before = marks->n;
        int64_t ns = ps_request_first_token(r, request), last_column = -1;

        for (size_t k = r->gap_first[request];
             k < r->gap_first[request + 1] && ns != PS_TIME_UNKNOWN; k++) {
            int64_t gap = ps_request_gap(r, k), column;

            ns = ps_add_saturated(ns, gap);
            if (ns >= w->to_ns)
                break;
            if (ns < w->from_ns)
                continue;
            column = (int64_t)((double)(ns - w->from_ns) / column_ns);
            if (marks->n > before && column == last_column) {
                int64_t *longest = &marks->gap_ns[marks->n - 1];

                *longest = gap > *longest ? gap : *longest;
                marks->end_ns[marks->n - 1] = ns;
                marks->count[marks->n - 1]++;
                continue;
            }
            if (marks->n == TOKENS_MAX)
                return false;
            last_column = column;
            marks->row[marks->n] = (int64_t)(i - w->first);
            marks->end_ns[marks->n] = ns;
            marks->gap_ns[marks->n] = gap;
            marks->count[marks->n++] = 1;
        }
    }
    return true;
}

static void write_tokens(struct ps_json *json, const struct window *w)
{
    PS_AUTO(ps_free_ptr)
    int64_t *values = ps_alloc_array((size_t)TOKENS_MAX * 4, sizeof *values);
    struct marks marks = {values, values + TOKENS_MAX, values + 2 * TOKENS_MAX,
                          values + 3 * TOKENS_MAX, 0};
    double column_ns = w->column_ns;

    while (!add_marks(w, column_ns, &marks))
        column_ns *= 2;
    ps_json_key(json, "tokens");
    ps_json_object(json);
    ps_json_ints(json, "row", marks.row, marks.n);
    ps_json_ints(json, "end_ns", marks.end_ns, marks.n);
    ps_json_ints(json, "gap_ns", marks.gap_ns, marks.n);
    ps_json_ints(json, "count", marks.count, marks.n);
    ps_json_end(json);
}

/* --- Steps --- */

/* A step, or neighbours that begin in the same column. */
struct step_group {
    int64_t id, count, start_ns, end_ns, longest_ns, kind, context_tokens, generation_requests;
};

static int64_t kind_of(const struct ps_requests *r, size_t step)
{
    const struct ps_engine_step_row *row = &r->steps[step];
    bool prefills = row->context_requests > 0 || row->context_tokens > 0,
         generates = row->generation_requests > 0 || row->generation_tokens > 0;

    for (size_t i = r->step_first[step]; i < r->step_first[step + 1]; i++) {
        prefills = prefills || r->served[i].is_prefill;
        generates = generates || !r->served[i].is_prefill;
    }
    return prefills ? (generates ? 2 : 1) : generates ? 3 : 0;
}

static void add_step(const struct window *w, size_t step, struct step_group *group)
{
    const struct ps_engine_step_row *row = &w->r->steps[step];
    int64_t ns = row->end_ns - row->start_ns;

    group->count++;
    group->end_ns = row->end_ns > group->end_ns ? row->end_ns : group->end_ns;
    if (row->context_tokens > group->context_tokens)
        group->context_tokens = row->context_tokens;
    if (row->generation_requests > group->generation_requests)
        group->generation_requests = row->generation_requests;
    if (ns > group->longest_ns) {
        group->longest_ns = ns;
        group->id = row->id;
        group->kind = kind_of(w->r, step);
    }
}

static size_t group_steps(const struct window *w, struct step_group *groups)
{
    const struct ps_requests *r = w->r;
    size_t n = 0, step = ps_engine_step_from(r, w->from_ns);
    double last_column = -1;

    step -= step > 0 && r->steps[step - 1].end_ns > w->from_ns;
    for (; step < r->n_steps && r->steps[step].start_ns < w->to_ns; step++) {
        int64_t start = r->steps[step].start_ns;
        double column =
            start < w->from_ns ? -1 : floor((double)(start - w->from_ns) / w->column_ns);

        if (n == 0 || column > last_column) {
            last_column = column;
            groups[n++] = (struct step_group){.start_ns = start,
                                              .end_ns = start,
                                              .longest_ns = -1,
                                              .context_tokens = -1,
                                              .generation_requests = -1};
        }
        add_step(w, step, &groups[n - 1]);
    }
    return n;
}

static void write_group_column(struct ps_json *json, const char *key,
                               const struct step_group *groups, size_t n, size_t member)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_int(json, *(const int64_t *)((const char *)&groups[i] + member));
    ps_json_end(json);
}

static void write_steps(struct ps_json *json, const struct window *w)
{
    PS_AUTO(ps_free_ptr)
    struct step_group *groups = ps_alloc_array((size_t)w->n_columns + 2, sizeof *groups);
    size_t n = group_steps(w, groups);

    ps_json_key(json, "steps");
    ps_json_object(json);
    write_group_column(json, "id", groups, n, offsetof(struct step_group, id));
    write_group_column(json, "count", groups, n, offsetof(struct step_group, count));
    write_group_column(json, "start_ns", groups, n, offsetof(struct step_group, start_ns));
    write_group_column(json, "end_ns", groups, n, offsetof(struct step_group, end_ns));
    write_group_column(json, "kind", groups, n, offsetof(struct step_group, kind));
    write_group_column(json, "context_tokens", groups, n,
                       offsetof(struct step_group, context_tokens));
    write_group_column(json, "generation_requests", groups, n,
                       offsetof(struct step_group, generation_requests));
    ps_json_end(json);
}

/* --- Load --- */

/* Index of the first column whose middle is at or after a time, 0 to n_columns. */
static size_t column_from(const struct window *w, int64_t ns)
{
    double column = ceil((double)(ns - w->from_ns) / w->column_ns - 0.5);

    return column < 0 ? 0 : column > (double)w->n_columns ? (size_t)w->n_columns : (size_t)column;
}

static void add_range(const struct window *w, int64_t *changes, int64_t from_ns, int64_t to_ns)
{
    if (from_ns == PS_TIME_UNKNOWN || to_ns == PS_TIME_UNKNOWN || to_ns <= from_ns)
        return;
    changes[column_from(w, from_ns)]++;
    changes[column_from(w, to_ns)]--;
}

static void write_load(struct ps_json *json, const struct window *w)
{
    size_t size = (size_t)w->n_columns + 1;
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc_array(size * 4, sizeof *values);
    int64_t *times = values, *in_flight = values + size, *waiting = values + 2 * size,
            *running = values + 3 * size;

    for (size_t i = 0; i < w->n; i++) {
        const struct ps_request_row *row = &w->r->requests[w->places[i].request];

        add_range(w, in_flight, ps_request_begin(row), ps_request_last(row));
        add_range(w, waiting, ps_request_arrival(row), row->scheduled_ns);
        add_range(w, running, row->scheduled_ns, row->last_token_ns);
    }
    for (size_t c = 0; c + 1 < size; c++) {
        times[c] = w->from_ns + (int64_t)(((double)c + 0.5) * w->column_ns);
        if (c == 0)
            continue;
        in_flight[c] += in_flight[c - 1];
        waiting[c] += waiting[c - 1];
        running[c] += running[c - 1];
    }
    ps_json_key(json, "load");
    ps_json_object(json);
    ps_json_ints(json, "time_ns", times, size - 1);
    ps_json_ints(json, "in_flight", in_flight, size - 1);
    ps_json_ints(json, "waiting", waiting, size - 1);
    ps_json_ints(json, "running", running, size - 1);
    ps_json_end(json);
}

static void write_arrivals(struct ps_json *json, const struct window *w)
{
    size_t size = (size_t)w->n_columns, n = 0;
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc_array(size * 4 + 1, sizeof *values);
    PS_AUTO(ps_free_ptr) int64_t *place = ps_alloc_array(size + 1, sizeof *place);
    int64_t *columns = values, *counts = values + size, *worst = values + 2 * size,
            *worst_ns = values + 3 * size;

    for (size_t i = 0; i < w->n; i++) {
        size_t request = w->places[i].request, column;
        const struct ps_request_row *row = &w->r->requests[request];
        int64_t begin = ps_request_begin(row);

        if (begin < w->from_ns)
            continue;
        column = (size_t)((double)(begin - w->from_ns) / w->column_ns);
        column = column < size ? column : size - 1;
        counts[column]++;
        if (place[column] == 0 || row->ttft_ns > worst_ns[column]) {
            place[column] = 1;
            worst[column] = row->id;
            worst_ns[column] = row->ttft_ns;
        }
    }
    for (size_t c = 0; c < size; c++) {
        if (counts[c] == 0)
            continue;
        columns[n] = (int64_t)c;
        counts[n] = counts[c];
        worst[n] = worst[c];
        worst_ns[n++] = worst_ns[c];
    }
    ps_json_key(json, "arrivals");
    ps_json_object(json);
    ps_json_ints(json, "column", columns, n);
    ps_json_ints(json, "count", counts, n);
    ps_json_ints(json, "worst", worst, n);
    ps_json_ints(json, "worst_ns", worst_ns, n);
    ps_json_end(json);
}

enum ps_status ps_view_requests_window(struct ps_db *db, const struct ps_view *view, int64_t id,
                                       struct ps_params params, struct ps_answer *answer,
                                       struct ps_err *err)
{
    PS_AUTO(ps_requests_release) const struct ps_requests *r = NULL;
    PS_AUTO(window_free) struct window w = {.n = 0};
    struct ps_json json = ps_json_writer(&answer->body);
    struct ps_page page;

    (void)view, (void)id;
    if (ps_requests_acquire(db, &r, err) != PS_OK)
        return err->code;
    w.r = r;
    if (read_params(params, &w, &page, err) != PS_OK)
        return err->code;
    find_rows(&w, page);
    ps_json_object(&json);
    ps_json_key_int(&json, "from_ns", w.from_ns);
    ps_json_key_int(&json, "to_ns", w.to_ns);
    ps_json_key_int(&json, "px", w.n_columns);
    ps_json_key_int(&json, "first_ns", r->first_ns);
    ps_json_key_int(&json, "last_ns", r->last_ns);
    ps_json_key_int(&json, "requests", (int64_t)w.n);
    ps_json_key_int(&json, "omitted", (int64_t)(w.n - (w.end - w.first)));
    ps_json_key_int(&json, "lanes", r->n_lanes);
    write_rows(db, &json, &w, err);
    write_tokens(&json, &w);
    write_steps(&json, &w);
    write_load(&json, &w);
    write_arrivals(&json, &w);
    ps_json_end(&json);
    return err->code;
}
