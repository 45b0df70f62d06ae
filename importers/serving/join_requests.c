/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "importers/serving/join.h"
#include "slices/intervals.h"

enum {
    PARTS_MAX = 24,       /* parts of an id that are compared */
    SHARED_BYTES_MIN = 6, /* of a part of an id that two ids share */
    AGREE_PERCENT = 90,   /* of the requests of a result whose lengths agree */
    NUMBERS_MAX = 6       /* numbers of an id that may be that of its row, from its end */
};

/* --- Several files of the same requests --- */

static void take_count(int64_t *to, int64_t from)
{
    if (*to == PS_COUNT_UNKNOWN)
        *to = from;
}

/* Adds to a request what another file says of it. A request without times becomes one of the file
 * that has them. */
static void merge_request(struct sv_request *to, const struct sv_request *from)
{

    take_count(&to->row.ttft_ns, from->row.ttft_ns);
    take_count(&to->row.latency_ns, from->row.latency_ns);
    take_count(&to->row.prompt_tokens, from->row.prompt_tokens);
    take_count(&to->row.output_tokens, from->row.output_tokens);
    if (to->row.start_ns == PS_TIME_UNKNOWN && from->row.start_ns != PS_TIME_UNKNOWN) {
        to->row.start_ns = from->row.start_ns;
        to->row.end_ns = from->row.end_ns;
        to->file = from->file;
    }
    if (!to->row.name.len)
        to->row.name = from->row.name;
    if (!to->row.n_gaps) {
        to->row.n_gaps = from->row.n_gaps;
        to->first_gap = from->first_gap;
    }
}

/* The requests [first, first + n) of a result. */
struct rows {
    size_t first, n;
};

static struct rows rows_at(const struct sv_run *run, size_t at)
{
    struct rows rows = {at, 0};

    while (at + rows.n < run->n_requests &&
           run->requests[at + rows.n].row.result == run->requests[at].row.result &&
           run->requests[at + rows.n].file == run->requests[at].file)
        rows.n++;
    return rows;
}

static bool is_near(int64_t a, int64_t b)
{
    return a == b || a == PS_COUNT_UNKNOWN || b == PS_COUNT_UNKNOWN ||
           (a - b < 1000 && b - a < 1000);
}

/* Whether two results are of the same requests: each row took the same time, to a microsecond. */
static bool are_same_rows(const struct sv_run *run, struct rows a, struct rows b)
{
    size_t known = 0;

    if (a.n != b.n || run->requests[a.first].file == run->requests[b.first].file)
        return false;
    for (size_t i = 0; i < a.n; i++) {
        const struct ps_serving_request *one = &run->requests[a.first + i].row;
        const struct ps_serving_request *other = &run->requests[b.first + i].row;

        if (!is_near(one->ttft_ns, other->ttft_ns) || !is_near(one->latency_ns, other->latency_ns))
            return false;
        known += (one->ttft_ns != PS_COUNT_UNKNOWN && other->ttft_ns != PS_COUNT_UNKNOWN) ||
                 (one->latency_ns != PS_COUNT_UNKNOWN && other->latency_ns != PS_COUNT_UNKNOWN);
    }
    return known * 2 >= a.n;
}

static void remove_requests(struct sv_run *run, const bool *is_removed)
{
    size_t n = 0;

    for (size_t i = 0; i < run->n_requests; i++)
        if (!is_removed[i])
            run->requests[n++] = run->requests[i];
    run->n_requests = n;
}

/* Merges requests with the same id in several files. */
static void join_by_ids(struct sv_run *run, bool *is_removed)
{
    struct ps_intern names = {0};
    PS_AUTO(ps_free_ptr) uint32_t *first = ps_alloc_array(run->n_requests + 1, sizeof *first);

    for (size_t i = 0; i < run->n_requests; i++) {
        const uint32_t n = names.count;
        uint32_t id;

        if (is_removed[i] || !run->requests[i].row.name.len)
            continue;
        id = ps_intern_add(&names, run->requests[i].row.name);
        if (id == n)
            first[id] = (uint32_t)i;
        else if (run->requests[first[id]].file != run->requests[i].file) {
            merge_request(&run->requests[first[id]], &run->requests[i]);
            is_removed[i] = true;
        }
    }
    ps_intern_free(&names);
}

void sv_join_clients(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr) bool *is_removed = ps_alloc(run->n_requests + 1);

    for (struct rows b = {0, 0}; b.first < run->n_requests; b.first += b.n) {
        struct rows a = {0, 0};

        b = rows_at(run, b.first);
        for (; a.first < b.first; a.first += a.n) {
            a = rows_at(run, a.first);
            if (!are_same_rows(run, a, b) || is_removed[a.first])
                continue;
            for (size_t i = 0; i < b.n; i++) {
                merge_request(&run->requests[a.first + i], &run->requests[b.first + i]);
                is_removed[b.first + i] = true;
            }
            break;
        }
    }
    join_by_ids(run, is_removed);
    remove_requests(run, is_removed);
}

/* --- By ids --- */

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The parts of an id between other characters than letters and digits. */
static size_t split_id(struct ps_str id, struct ps_str parts[PARTS_MAX])
{
    size_t n = 0;

    for (size_t i = 0, end; i < id.len && n < PARTS_MAX; i = end) {
        for (end = i; end < id.len && is_letter_or_digit(id.ptr[end]);)
            end++;
        if (end > i)
            parts[n++] = (struct ps_str){id.ptr + i, end - i};
        else
            end++;
    }
    return n;
}

/* The id of `names` that is the longest sequence of parts of `id`: vLLM makes "cmpl-ID-0" of the
 * client's ID. */
static uint32_t find_shared(const struct ps_intern *names, struct ps_str id)
{
    struct ps_str parts[PARTS_MAX];
    size_t n = split_id(id, parts);
    uint32_t found = ps_intern_find(names, id);

    for (size_t len = n; found == PS_INTERN_NONE && len > 0; len--)
        for (size_t i = 0; found == PS_INTERN_NONE && i + len <= n; i++) {
            const struct ps_str *last = &parts[i + len - 1];
            const struct ps_str shared = {parts[i].ptr,
                                          (size_t)(last->ptr + last->len - parts[i].ptr)};

            if (shared.len >= SHARED_BYTES_MIN)
                found = ps_intern_find(names, shared);
        }
    return found;
}

/* Returns which requests have one of an engine. */
static bool *match_ids(struct sv_run *run)
{
    struct ps_intern names = {0}, engines = {0};
    PS_AUTO(ps_free_ptr) uint32_t *clients = ps_alloc_array(run->n_requests + 1, sizeof *clients);
    bool *is_matched = ps_alloc(run->n_requests + 1);
    PS_AUTO(ps_free_ptr)
    uint32_t *of_name = ps_alloc_array(run->n_engine_requests + 1, sizeof *of_name);

    for (size_t i = 0; i < run->n_requests; i++)
        if (run->requests[i].row.name.len)
            clients[ps_intern_add(&names, run->requests[i].row.name)] = (uint32_t)i;
    for (size_t i = 0; names.count && i < run->n_engine_requests; i++) {
        struct sv_engine_request *engine = &run->engine_requests[i];
        const uint32_t id = find_shared(&names, engine->name);

        of_name[ps_intern_add(&engines, engine->name)] = (uint32_t)i;
        if (id == PS_INTERN_NONE)
            continue;
        engine->request = clients[id];
        is_matched[clients[id]] = true;
    }
    /* the other way round: the id of the client contains that of the engine */
    for (size_t i = 0; engines.count && i < run->n_requests; i++) {
        uint32_t id;

        if (is_matched[i] || !run->requests[i].row.name.len)
            continue;
        id = find_shared(&engines, run->requests[i].row.name);
        if (id == PS_INTERN_NONE || run->engine_requests[of_name[id]].request != SV_NO_REQUEST)
            continue;
        run->engine_requests[of_name[id]].request = (uint32_t)i;
        is_matched[i] = true;
    }
    ps_intern_free(&names);
    ps_intern_free(&engines);
    return is_matched;
}

/* --- By rows, order and lengths --- */

/* Requests of one engine that no client has yet, in the order of their arrival. */
struct engine_list {
    struct place {
        int64_t arrival_ns; /* first member, the sort key */
        int64_t index;      /* in sv_run.engine_requests */
    } * items;
    size_t n;
};

/* The start of the first step that served each engine request. */
static int64_t *first_steps(const struct sv_run *run)
{
    int64_t *starts = ps_alloc_array(run->n_engine_requests + 1, sizeof *starts);

    for (size_t i = 0; i < run->n_engine_requests; i++)
        starts[i] = PS_TIME_UNKNOWN;
    for (size_t i = 0; i < run->n_steps; i++)
        for (size_t k = 0; k < run->steps[i].n_served; k++) {
            int64_t *start = &starts[run->served[run->steps[i].first_served + k].engine_request];

            *start = sv_min_time(*start, run->steps[i].row.start_ns);
        }
    return starts;
}

static struct engine_list list_engine(const struct sv_run *run, uint32_t file)
{
    struct engine_list list = {.items =
                                   ps_alloc_array(run->n_engine_requests + 1, sizeof *list.items)};
    PS_AUTO(ps_free_ptr) int64_t *starts = first_steps(run);

    for (size_t i = 0; i < run->n_engine_requests; i++) {
        const struct sv_engine_request *engine = &run->engine_requests[i];

        if (engine->file == file && engine->request == SV_NO_REQUEST)
            list.items[list.n++] = (struct place){
                engine->arrival_ns != PS_TIME_UNKNOWN ? engine->arrival_ns : starts[i], (int64_t)i};
    }
    ps_sort_records(list.items, list.n, sizeof *list.items);
    return list;
}

/* The number that is the part of the id at `from_end`, counted from its end; -1: it is none. */
static int64_t number_in_id(struct ps_str id, size_t from_end)
{
    struct ps_str parts[PARTS_MAX];
    const size_t n = split_id(id, parts);
    int64_t number;

    return from_end < n && ps_str_parse_i64(parts[n - 1 - from_end], &number) && number >= 0
               ? number
               : -1;
}

/* Whether the lengths of nearly all pairs differ by the same number: an engine may count tokens
 * that its client does not, such as one at the start. */
static bool have_same_lengths(const struct sv_run *run, struct rows rows,
                              const struct engine_list *list, const size_t *matches)
{
    PS_AUTO(ps_free_ptr) int64_t *differences = ps_alloc_array(rows.n + 1, sizeof *differences);
    size_t n = 0, most = 0;

    for (size_t i = 0; i < rows.n; i++) {
        const int64_t client = run->requests[rows.first + i].row.prompt_tokens;
        int64_t engine;

        if (matches[i] == SV_NO_MATCH)
            continue;
        engine = run->engine_requests[list->items[matches[i]].index].prompt_tokens;
        if (client != PS_COUNT_UNKNOWN && engine != PS_COUNT_UNKNOWN)
            differences[n++] = engine - client;
    }
    ps_sort_records(differences, n, sizeof *differences);
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && differences[i + same] == differences[i];)
            same++;
        most = same > most ? same : most;
    }
    return most * 100 >= n * AGREE_PERCENT;
}

/* Matches the rows with the number at one place of the ids. Returns the number of matches; 0 unless
 * nearly all rows have one request with their number. */
static size_t match_numbers(const struct sv_run *run, struct rows rows,
                            const struct engine_list *list, size_t from_end, size_t *matches)
{
    size_t n = 0;

    for (size_t i = 0; i < rows.n; i++)
        matches[i] = SV_NO_MATCH;
    for (size_t i = 0; i < list->n; i++) {
        const int64_t row = number_in_id(run->engine_requests[list->items[i].index].name, from_end);

        if (row < 0 || (uint64_t)row >= rows.n)
            continue;
        if (matches[row] != SV_NO_MATCH)
            return 0;
        matches[row] = i;
        n++;
    }
    return n * 100 >= rows.n * AGREE_PERCENT && have_same_lengths(run, rows, list, matches) ? n : 0;
}

/* The rows of a result in the order of their start, if they have one. */
static size_t *order_rows(const struct sv_run *run, struct rows rows)
{
    PS_AUTO(ps_free_ptr) struct place *places = ps_alloc_array(rows.n + 1, sizeof *places);
    size_t *order = ps_alloc_array(rows.n + 1, sizeof *order);

    for (size_t i = 0; i < rows.n; i++)
        places[i] = (struct place){run->requests[rows.first + i].row.start_ns, (int64_t)i};
    ps_sort_records(places, rows.n, sizeof *places);
    for (size_t i = 0; i < rows.n; i++)
        order[i] = (size_t)places[i].index;
    return order;
}

static size_t match_lengths(const struct sv_run *run, struct rows rows,
                            const struct engine_list *list, size_t *matches)
{
    PS_AUTO(ps_free_ptr) size_t *order = order_rows(run, rows);
    PS_AUTO(ps_free_ptr) uint64_t *a = ps_alloc_array(list->n + 1, sizeof *a);
    PS_AUTO(ps_free_ptr) uint64_t *b = ps_alloc_array(rows.n + 1, sizeof *b);
    PS_AUTO(ps_free_ptr) size_t *found = ps_alloc_array(rows.n + 1, sizeof *found);
    size_t n;

    for (size_t i = 0; i < list->n; i++)
        a[i] = (uint64_t)(run->engine_requests[list->items[i].index].prompt_tokens + 1);
    for (size_t i = 0; i < rows.n; i++)
        b[i] = (uint64_t)(run->requests[rows.first + order[i]].row.prompt_tokens + 1);
    n = sv_match_order(a, list->n, b, rows.n, found);
    for (size_t i = 0; i < rows.n; i++)
        matches[order[i]] = found[i];
    return n;
}

/* Matches the rows of a result with the requests of an engine. */
static void match_rows(struct sv_run *run, struct rows rows, uint32_t file)
{
    struct engine_list list = list_engine(run, file);
    PS_AUTO(ps_free_ptr) size_t *matches = ps_alloc_array(rows.n + 1, sizeof *matches);
    size_t n = 0;

    for (size_t i = 0; i < NUMBERS_MAX && list.n && !n; i++)
        n = match_numbers(run, rows, &list, i, matches);
    if (!n && list.n)
        n = match_lengths(run, rows, &list, matches);
    for (size_t i = 0; n && i < rows.n; i++) {
        struct sv_engine_request *engine;

        if (matches[i] == SV_NO_MATCH)
            continue;
        engine = &run->engine_requests[list.items[matches[i]].index];
        engine->request = (uint32_t)(rows.first + i);
        engine->is_estimated = true;
    }
    free(list.items);
}

static bool has_match(const bool *is_matched, struct rows rows)
{
    for (size_t i = 0; i < rows.n; i++)
        if (is_matched[rows.first + i])
            return true;
    return false;
}

void sv_match_requests(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr) bool *is_matched = match_ids(run);

    for (struct rows rows = {0, 0}; rows.first < run->n_requests; rows.first += rows.n) {
        rows = rows_at(run, rows.first);
        for (uint32_t file = 0; !has_match(is_matched, rows) && file < run->n_files; file++)
            match_rows(run, rows, file);
    }
}

/* --- Requests that only an engine knows --- */

void sv_add_unmatched(struct sv_run *run)
{
    struct ps_intern names = {0};
    PS_AUTO(ps_free_ptr)
    uint32_t *of_name = ps_alloc_array(run->n_engine_requests + 1, sizeof *of_name);

    for (size_t i = 0; i < run->n_engine_requests; i++) {
        struct sv_engine_request *engine = &run->engine_requests[i];
        const uint32_t n = names.count, id = ps_intern_add(&names, engine->name);

        if (engine->request == SV_NO_REQUEST && id < n)
            engine->request = of_name[id];
        if (engine->request == SV_NO_REQUEST) {
            struct ps_serving_request *row = sv_add_request(run);

            run->requests[run->n_requests - 1].file = engine->file;
            row->result = 0;
            row->position = -1;
            row->name = engine->name;
            row->state = engine->state;
            engine->request = (uint32_t)run->n_requests - 1;
        }
        of_name[id] = engine->request;
    }
    ps_intern_free(&names);
}
