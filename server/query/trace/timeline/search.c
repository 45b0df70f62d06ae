/* SPDX-License-Identifier: MIT */
/*
 * search.c: the view `find`, which searches the timeline. Sums the slices of each matching name,
 * and finds the next or previous matching slice from a position.
 */
#include <stdlib.h>

#include "server/query/trace/parameters.h"
#include "server/query/trace/recording.h"
#include "server/query/trace/timeline/layers.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"

/* length in ns of the first search; each further search is 8 times as long */
#define FIRST_SEARCH_NS 1000000
#define PX_MAX          8192

struct name_sum {
    int64_t count, total_ns;
    uint8_t kind;
    bool matches;
};

struct hit {
    int64_t id, name, start_ns, duration_ns, depth; /* name: text id. id 0: no hit */
};

struct search_state {
    struct name_sum *names; /* indexed by text id */
    size_t n_names;
    bool is_backward;
    /* the position of the search; slices are ordered by start, then by id */
    int64_t from_ns, from_id;
    struct ps_range window;
    struct hit hit;
    /* number of matching slices before the hit */
    int64_t hit_index;
    /* the hits of each pixel of the trace; NULL if not requested */
    uint32_t *bins;
    int64_t n_bins;
    struct ps_range span;
};

static enum ps_status read_matches(struct ps_db *db, struct ps_params params,
                                   struct search_state *f, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (ps_trace_get_text_end(db, &f->n_names, err) != PS_OK)
        return err->code;
    f->names = ps_try_alloc_array(f->n_names, sizeof *f->names);
    if (!f->names)
        return ps_fail_memory(err, "the names that match");
    ps_db_prepare(db, ps_query_sql("find_names"), &stmt, err);
    ps_bind_search(stmt, params, err);
    while (ps_stmt_step(stmt, err))
        if ((uint64_t)ps_col_int(stmt, 0) < f->n_names)
            f->names[ps_col_int(stmt, 0)].matches = true;
    return err->code;
}

static struct name_sum *matching_name(struct search_state *f, const struct ps_chunk *chunk,
                                      uint32_t i)
{
    uint64_t name = (uint64_t)ps_chunk_value(chunk, PS_COL_NAME, i);

    return name < f->n_names && f->names[name].matches ? &f->names[name] : NULL;
}

static bool is_before(int64_t a_ns, int64_t a_id, int64_t b_ns, int64_t b_id)
{
    return a_ns < b_ns || (a_ns == b_ns && a_id < b_id);
}

static void add_to_bin(struct search_state *f, int64_t start_ns)
{
    double width = (double)f->span.to_ns - (double)f->span.from_ns;
    double share = width > 0 ? ((double)start_ns - (double)f->span.from_ns) / width : 0;
    int64_t bin = share >= 1 ? f->n_bins - 1 : share > 0 ? (int64_t)(share * (double)f->n_bins) : 0;

    f->bins[bin < f->n_bins ? bin : f->n_bins - 1]++;
}

static bool add_sums(void *user, const struct ps_chunk *chunk)
{
    struct search_state *f = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        struct name_sum *sum = matching_name(f, chunk, i);
        int64_t start;

        if (!sum)
            continue;
        start = ps_chunk_value(chunk, PS_COL_START, i);
        if (f->hit.id && is_before(start, ps_slice_id(chunk->track, chunk->first + i),
                                   f->hit.start_ns, f->hit.id))
            f->hit_index++;
        if (f->bins)
            add_to_bin(f, start);
        if (!sum->count++)
            sum->kind = (uint8_t)ps_chunk_value(chunk, PS_COL_KIND, i);
        if (__builtin_add_overflow(sum->total_ns, ps_chunk_value(chunk, PS_COL_DURATION, i),
                                   &sum->total_ns))
            sum->total_ns = INT64_MAX;
    }
    return true;
}

/* Returns whether a slice is after the position (before it if is_backward) and closer to it than
 * the current hit. */
static bool is_closer(const struct search_state *f, int64_t start, int64_t id)
{
    if (f->is_backward ? !is_before(start, id, f->from_ns, f->from_id)
                       : !is_before(f->from_ns, f->from_id, start, id))
        return false;
    if (!f->hit.id)
        return true;
    return f->is_backward ? is_before(f->hit.start_ns, f->hit.id, start, id)
                          : is_before(start, id, f->hit.start_ns, f->hit.id);
}

static bool search_chunk(void *user, const struct ps_chunk *chunk)
{
    struct search_state *f = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i),
                id = ps_slice_id(chunk->track, chunk->first + i);

        if (start >= f->window.to_ns)
            break;
        if (start < f->window.from_ns || !matching_name(f, chunk, i) || !is_closer(f, start, id))
            continue;
        f->hit = (struct hit){id, ps_chunk_value(chunk, PS_COL_NAME, i), start,
                              ps_chunk_value(chunk, PS_COL_DURATION, i),
                              ps_chunk_value(chunk, PS_COL_DEPTH, i)};
    }
    return true;
}

/* Searches in a range of time that begins (or ends) at the position. If there is no hit, searches
 * in a range that is eight times as long, and so on. */
static enum ps_status find_hit(struct ps_db *db, struct search_state *f, struct ps_range span,
                               struct ps_err *err)
{
    struct ps_chunk_query query = {.must_start_in_range = true,
                                   .columns = PS_COL_BIT(PS_COL_START) |
                                              PS_COL_BIT(PS_COL_DURATION) |
                                              PS_COL_BIT(PS_COL_DEPTH) | PS_COL_BIT(PS_COL_NAME)};
    int64_t at = f->from_ns < span.from_ns ? span.from_ns
                 : f->from_ns > span.to_ns ? span.to_ns
                                           : f->from_ns;
    bool is_last = false;

    for (int64_t distance_ns = FIRST_SEARCH_NS; !is_last && !f->hit.id && err->code == PS_OK;
         distance_ns *= 8) {
        is_last = distance_ns > INT64_MAX / 64 || (f->is_backward ? at - distance_ns < span.from_ns
                                                                  : at + distance_ns > span.to_ns);
        f->window.from_ns = !f->is_backward ? f->from_ns : is_last ? INT64_MIN : at - distance_ns;
        f->window.to_ns = f->is_backward ? f->from_ns + (f->from_ns < INT64_MAX)
                          : is_last      ? INT64_MAX
                                         : at + distance_ns;
        query.range = f->window;
        ps_trace_each_chunk(db, &query, search_chunk, f, err);
    }
    return err->code;
}

/* A name and its sort key. */
struct ranked {
    size_t id;
    int64_t total_ns;
};

static int longest_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->total_ns != y->total_ns ? (x->total_ns < y->total_ns ? 1 : -1)
                                      : (x->id > y->id) - (x->id < y->id);
}

static void write_name(struct ps_db *db, const struct search_state *f, size_t id,
                       struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_int(json, "id", (int64_t)id);
    ps_json_text(json, "name", db, (int64_t)id);
    ps_json_key_int(json, "count", f->names[id].count);
    ps_json_key_int(json, "total_ns", f->names[id].total_ns);
    ps_json_key_int(json, "kind", f->names[id].kind);
    ps_json_end(json);
}

static void write_names(struct ps_db *db, const struct search_state *f, size_t limit,
                        struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) struct ranked *list = ps_grow(NULL, f->n_names + 1, sizeof *list);
    int64_t count = 0;
    size_t n = 0;

    for (size_t i = 0; i < f->n_names; i++) {
        if (f->names[i].count)
            list[n++] = (struct ranked){i, f->names[i].total_ns};
        count += f->names[i].count;
    }
    if (n)
        qsort(list, n, sizeof *list, longest_first);
    ps_json_key(json, "names");
    ps_json_array(json);
    for (size_t i = 0; i < n && i < limit; i++)
        write_name(db, f, list[i].id, json);
    ps_json_end(json);
    ps_json_key_int(json, "names_total", (int64_t)n);
    ps_json_key_int(json, "count", count);
}

/* Writes the hits of each pixel as runs: the pixels with hits, and how many each has. */
static void write_bins(const struct search_state *f, struct ps_json *json)
{
    ps_json_key(json, "bins");
    if (!f->bins) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key(json, "px");
    ps_json_array(json);
    for (int64_t i = 0; i < f->n_bins; i++)
        if (f->bins[i])
            ps_json_int(json, i);
    ps_json_end(json);
    ps_json_key(json, "count");
    ps_json_array(json);
    for (int64_t i = 0; i < f->n_bins; i++)
        if (f->bins[i])
            ps_json_int(json, f->bins[i]);
    ps_json_end(json);
    ps_json_end(json);
}

static void write_hit(struct ps_db *db, const struct search_state *f, struct ps_json *json,
                      struct ps_err *err)
{
    const struct hit *hit = &f->hit;

    ps_json_key(json, "hit");
    if (!hit->id) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_int(json, "id", hit->id);
    ps_json_key_int(json, "track", hit->id >> 32);
    ps_json_text(json, "name", db, hit->name);
    ps_json_key_int(json, "start_ns", hit->start_ns);
    ps_json_key_int(json, "duration_ns", hit->duration_ns);
    ps_json_key_int(json, "depth", hit->depth);
    ps_json_key_int(json, "index", f->hit_index);
    ps_json_layer_place(db, hit->id, hit->depth, json, err);
    ps_json_end(json);
}

static enum ps_status read_position(struct ps_db *db, struct ps_params params,
                                    struct search_state *f, struct ps_range *span,
                                    struct ps_err *err)
{
    const char *dir = ps_param_get(params, "dir"), *q = ps_param_get(params, "q");
    const bool is_placed = ps_param_get(params, "from_ns") != NULL;
    struct ps_range from;

    ps_param_range(params, &from, err);
    if (!q || !q[0])
        return ps_fail(err, PS_BAD_REQUEST, "the parameter q (the text to find) is missing");
    f->is_backward = dir && strcmp(dir, "previous") == 0;
    if (dir && dir[0] && !f->is_backward && strcmp(dir, "next") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter dir must be next or previous");
    ps_trace_span(db, span, err);
    ps_param_int(params, "from_id", 0, INT64_MAX, f->is_backward || !is_placed ? 0 : INT64_MAX,
                 &f->from_id, err);
    f->from_ns = f->is_backward && !is_placed ? INT64_MAX : from.from_ns;
    return err->code;
}

enum ps_status ps_view_find(struct ps_db *db, const struct ps_view *view, int64_t id,
                            struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    struct search_state find = {0};
    PS_AUTO(ps_free_ptr) struct name_sum *release = NULL;
    PS_AUTO(ps_free_ptr) uint32_t *release_bins = NULL;
    struct ps_chunk_query all = {.range = PS_RANGE_ALL,
                                 .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_NAME) |
                                            PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_DURATION)};
    int64_t limit = 0;

    (void)view, (void)id;
    read_position(db, params, &find, &find.span, err);
    ps_param_int(params, "limit", 0, 1000, 100, &limit, err);
    ps_param_int(params, "px", 0, PX_MAX, 0, &find.n_bins, err);
    read_matches(db, params, &find, err);
    release = find.names;
    if (find.n_bins > 0)
        release_bins = find.bins = ps_alloc_array((size_t)find.n_bins, sizeof *find.bins);
    find_hit(db, &find, find.span, err);
    if (ps_trace_each_chunk(db, &all, add_sums, &find, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_names(db, &find, (size_t)limit, &json);
    write_hit(db, &find, &json, err);
    write_bins(&find, &json);
    ps_json_end(&json);
    return err->code;
}
