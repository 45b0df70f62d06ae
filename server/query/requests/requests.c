/* SPDX-License-Identifier: MIT */
#include "server/query/requests/requests.h"

#include "base/saturated.h"

/* Index of an id in rows of `size` bytes that begin with it, ascending; -1: there is none. */
static int64_t index_of(const void *rows, size_t n, size_t size, int64_t id)
{
    size_t low = 0, high = n;

#define ID_OF(i) (*(const int64_t *)((const char *)rows + (i)*size))
    if (id > 0 && (uint64_t)id <= n && ID_OF((size_t)id - 1) == id)
        return id - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ID_OF(middle) < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ID_OF(low) == id ? (int64_t)low : -1;
#undef ID_OF
}

int64_t ps_request_index(const struct ps_requests *r, int64_t id)
{
    return index_of(r->requests, r->n, sizeof *r->requests, id);
}

int64_t ps_engine_step_index(const struct ps_requests *r, int64_t id)
{
    return index_of(r->steps, r->n_steps, sizeof *r->steps, id);
}

size_t ps_engine_step_from(const struct ps_requests *r, int64_t ns)
{
    size_t low = 0, high = r->n_steps;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (r->steps[middle].start_ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t ps_request_begin(const struct ps_request_row *row)
{
    return row->start_ns != PS_TIME_UNKNOWN     ? row->start_ns
           : row->arrival_ns != PS_TIME_UNKNOWN ? row->arrival_ns
                                                : row->scheduled_ns;
}

int64_t ps_request_last(const struct ps_request_row *row)
{
    const int64_t times[] = {row->end_ns,       row->last_token_ns, row->first_token_ns,
                             row->scheduled_ns, row->arrival_ns,    row->start_ns};
    int64_t last = PS_TIME_UNKNOWN;

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        last = times[i] > last ? times[i] : last;
    return last;
}

int64_t ps_request_arrival(const struct ps_request_row *row)
{
    return row->arrival_ns != PS_TIME_UNKNOWN ? row->arrival_ns : row->start_ns;
}

size_t ps_request_first_token_row(const struct ps_requests *r, size_t request)
{
    size_t first = r->request_first[request], end = r->request_first[request + 1], i = first;

    while (i < end && r->served[r->by_request[i]].is_prefill)
        i++;
    return i > first ? i - 1 : first;
}

int64_t ps_request_first_token(const struct ps_requests *r, size_t request)
{
    const struct ps_request_row *row = &r->requests[request];

    if (r->has_client_gaps[request] && row->start_ns != PS_TIME_UNKNOWN &&
        row->ttft_ns != PS_COUNT_UNKNOWN)
        return ps_add_saturated(row->start_ns, row->ttft_ns);
    return row->first_token_ns;
}

int64_t ps_request_gap(const struct ps_requests *r, size_t index)
{
    size_t low = 0, high = r->n_long_gaps;

    if (r->gaps[index] != PS_GAP_IS_LONG)
        return r->gaps[index];
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;

        if (r->long_gaps[middle].index <= index)
            low = middle;
        else
            high = middle;
    }
    return r->long_gaps[low].ns;
}

int64_t ps_request_gap_step(const struct ps_requests *r, size_t request, size_t gap)
{
    const struct ps_request_row *row = &r->requests[request];
    size_t first = r->request_first[request], end = r->request_first[request + 1];
    size_t token = ps_request_first_token_row(r, request), low = first, high = end;
    size_t n_gaps = r->gap_first[request + 1] - r->gap_first[request];
    int64_t ns;

    if (first == end)
        return -1;
    if (token + 1 + n_gaps == end) /* a chunk for each step */
        return r->served[r->by_request[token + 1 + gap]].step;
    /* The client received several tokens at once: the last step that ended before it did. */
    if (row->start_ns == PS_TIME_UNKNOWN || row->is_engine_ttft || row->ttft_ns == PS_COUNT_UNKNOWN)
        return -1;
    ns = row->start_ns + row->ttft_ns;
    for (size_t i = 0; i <= gap; i++)
        ns = ps_add_saturated(ns, ps_request_gap(r, r->gap_first[request] + i));
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (r->steps[r->served[r->by_request[middle]].step].end_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? (int64_t)r->served[r->by_request[low - 1]].step : -1;
}
