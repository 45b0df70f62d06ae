/* SPDX-License-Identifier: MIT */
/* rows.c: the table of requests: what the statement `requests` does not read from the run file. */
#include "server/query/requests/requests.h"

enum column {
    ID,
    TTFT,
    TO_ENGINE,
    IN_STEP,
    SLOT,
    BUDGET,
    OTHERS,
    BETWEEN,
    PREFILL,
    TO_CLIENT,
    CAUSE,
    LONGEST_GAP,
    GAP_STEP,
    N_COLUMNS
};

static const enum ps_request_cause causes[N_COLUMNS] = {
    [TO_ENGINE] = PS_WAITS_TO_ENGINE, [IN_STEP] = PS_WAITS_FOR_STEP,
    [SLOT] = PS_WAITS_FOR_SLOT,       [BUDGET] = PS_WAITS_FOR_BUDGET,
    [OTHERS] = PS_WAITS_FOR_OTHERS,   [BETWEEN] = PS_WAITS_BETWEEN_STEPS,
    [PREFILL] = PS_PREFILLS,          [TO_CLIENT] = PS_WAITS_TO_CLIENT,
};

static int64_t or_null(int64_t value, bool is_known)
{
    return is_known ? value : PS_TEMP_NULL;
}

static int64_t value_of(const struct ps_requests *r, size_t i, enum column column)
{
    const struct ps_request_row *row = &r->requests[i];
    bool has_gap = row->longest_gap_ns != PS_COUNT_UNKNOWN;
    int64_t step;

    switch (column) {
    case ID:
        return row->id;
    case TTFT:
        return or_null(row->ttft_ns, row->ttft_ns != PS_COUNT_UNKNOWN);
    case CAUSE:
        return or_null((int64_t)row->cause, row->has_parts);
    case LONGEST_GAP:
        return or_null(row->longest_gap_ns, has_gap);
    case GAP_STEP:
        step = has_gap ? ps_request_gap_step(r, i, row->longest_gap) : -1;
        return or_null(step < 0 ? 0 : r->steps[step].id, step >= 0);
    case TO_ENGINE:
        return or_null(row->parts_ns[PS_WAITS_TO_ENGINE],
                       row->has_parts && row->start_ns != PS_TIME_UNKNOWN);
    case TO_CLIENT:
        return or_null(row->parts_ns[PS_WAITS_TO_CLIENT] + row->parts_ns[PS_WAITS_OUTSIDE],
                       row->has_parts && !row->is_engine_ttft);
    default:
        return or_null(row->parts_ns[causes[column]], row->has_parts);
    }
}

enum ps_status ps_make_request_rows(struct ps_db *db, struct ps_params params,
                                    struct ps_computed_table *out, struct ps_err *err)
{
    PS_AUTO(ps_requests_release) const struct ps_requests *r = NULL;

    (void)params;
    if (ps_requests_acquire(db, &r, err) != PS_OK)
        return err->code;
    ps_computed_table_alloc(out, PS_TEMP_REQUESTS, r->n, N_COLUMNS);
    for (int column = 0; column < N_COLUMNS; column++)
        for (size_t i = 0; i < r->n; i++)
            out->values[(size_t)column * r->n + i] = value_of(r, i, (enum column)column);
    return PS_OK;
}
