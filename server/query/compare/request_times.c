/* SPDX-License-Identifier: MIT */
/* request_times.c: reads the requests of two serving runs, and pairs them. */
#include "server/query/compare/request_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/kinds.h"
#include "server/query/requests/requests.h"
#include "server/runfile/db.h"

#define CACHE_BYTES_MAX ((size_t)96 << 20) /* two comparisons of 100,000 requests each */

_Static_assert(PS_PAIR_PARTS == PS_N_REQUEST_CAUSES, "the parts are what a request waits for");

/* --- Requests --- */

static double known_or_nan(int64_t ns)
{
    return ns == PS_COUNT_UNKNOWN ? (double)NAN : (double)ns;
}

static void set_times(const struct ps_request_row *row, struct ps_request_times *out)
{
    const double metrics[PS_N_PAIR_METRICS] = {[PS_PAIR_TTFT] = known_or_nan(row->ttft_ns),
                                               [PS_PAIR_GAP] = known_or_nan(row->longest_gap_ns),
                                               [PS_PAIR_LATENCY] = known_or_nan(row->latency_ns),
                                               [PS_PAIR_TPOT] = row->tpot_ns};
    const bool is_completed = row->state == PS_REQUEST_COMPLETED;

    for (int i = 0; i < PS_N_PAIR_METRICS; i++)
        out->metrics[i] = is_completed ? metrics[i] : (double)NAN;
    for (int i = 0; i < PS_PAIR_PARTS; i++)
        out->parts[i] = is_completed && row->has_parts ? (double)row->parts_ns[i] : (double)NAN;
}

/* Adds a request of the statement compare_requests. */
static void add_request(struct ps_stmt *stmt, const struct ps_requests *requests, size_t *cap,
                        struct ps_run_requests *out)
{
    const int64_t index = ps_request_index(requests, ps_col_int(stmt, 0));
    const struct ps_request_row *row;
    struct ps_request_times *times;

    if (index < 0)
        return;
    row = &requests->requests[index];
    PS_RESERVE_ONE(out->items, out->n, *cap);
    times = &out->items[out->n++];
    *times = (struct ps_request_times){
        .id = (uint32_t)row->id,
        .group = row->result,
        .position = ps_col_int(stmt, 1),
        .name = ps_arena_copy(&out->names, ps_col_text(stmt, 2)),
        .prompt_tokens = row->prompt_tokens == PS_COUNT_UNKNOWN ? -1 : row->prompt_tokens,
        .state = (int)row->state};
    set_times(row, times);
}

static enum ps_status read_requests(struct ps_store *store, const char *run,
                                    struct ps_run_requests *out, struct ps_err *err)
{
    const struct ps_requests *requests = NULL;
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    if (ps_run_acquire(store, run, &db, err) == PS_OK &&
        ps_requests_acquire(db, &requests, err) == PS_OK)
        ps_db_prepare(db, ps_query_sql("compare_requests"), &stmt, err);
    while (err->code == PS_OK && ps_stmt_step(stmt, err))
        add_request(stmt, requests, &cap, out);
    ps_stmt_release(stmt);
    ps_requests_release(&requests);
    ps_run_release(db);
    return err->code;
}

/* --- Cache --- */

static void free_entry(struct ps_cache_entry *entry)
{
    struct ps_compared_requests *requests = (struct ps_compared_requests *)entry;

    for (int i = 0; i < 2; i++) {
        free(requests->runs[i].items);
        ps_arena_free(&requests->runs[i].names);
    }
    ps_request_pairs_free(&requests->pairs);
    free(entry->key);
    free(requests);
}

static struct ps_lru_cache cache = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                    .claim_ended = PTHREAD_COND_INITIALIZER,
                                    .bytes_max = CACHE_BYTES_MAX,
                                    .free_entry = free_entry};

void ps_compared_requests_release(struct ps_compared_requests *requests)
{
    ps_lru_cache_release(&cache, requests ? &requests->entry : NULL);
}

static enum ps_status read_both(struct ps_store *store, const struct ps_compare_groups *groups,
                                struct ps_compared_requests *out, struct ps_err *err)
{
    const struct ps_run_requests *base = &out->runs[0], *now = &out->runs[1];

    for (int i = 0; i < 2; i++)
        if (read_requests(store, groups->runs[i].id, &out->runs[i], err) != PS_OK)
            return err->code;
    ps_request_pairs_find(base->items, base->n, now->items, now->n, &out->pairs);
    for (int i = 0; i < PS_N_PAIR_METRICS; i++)
        ps_request_change_measure(base->items, now->items, &out->pairs, (enum ps_pair_metric)i,
                                  &out->changes[i]);
    return err->code;
}

static size_t count_bytes(const struct ps_compared_requests *requests)
{
    size_t bytes = sizeof *requests + 2 * requests->pairs.n * sizeof *requests->pairs.base;

    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < requests->runs[i].n; k++)
            bytes += sizeof *requests->runs[i].items + requests->runs[i].items[k].name.len;
    return bytes;
}

bool ps_compare_has_requests(const struct ps_compare_groups *groups)
{
    return groups->n_base == 1 && groups->n_new == 1 &&
           ps_compare_all_have(groups, PS_HAS_REQUESTS);
}

enum ps_status ps_compared_requests_acquire(struct ps_store *store,
                                            const struct ps_compare_groups *groups,
                                            struct ps_compared_requests **out, struct ps_err *err)
{
    char key[64 + 2 * PS_ID_SIZE];
    struct ps_cache_claim claim;

    *out = NULL;
    if (groups->n_base != 1 || groups->n_new != 1)
        return ps_fail(err, PS_BAD_REQUEST, "base and new must each be one run, not a group");
    if (!ps_compare_has_requests(groups))
        return ps_fail(err, PS_NOT_FOUND, "these runs have no requests to compare");
    (void)snprintf(key, sizeof key, "%p %s %s", (void *)store, groups->runs[0].id,
                   groups->runs[1].id);
    *out = (struct ps_compared_requests *)ps_lru_cache_claim(&cache, key, &claim);
    if (*out)
        return PS_OK;
    *out = ps_alloc(sizeof **out);
    if (read_both(store, groups, *out, err) == PS_OK) {
        ps_lru_cache_put(&cache, &(*out)->entry, ps_strdup(ps_str_from_c(key)), count_bytes(*out));
    } else {
        ps_compared_requests_release(*out);
        *out = NULL;
    }
    ps_lru_cache_unclaim(&cache, &claim);
    return err->code;
}

void ps_compared_requests_explain(const struct ps_compared_requests *requests, struct ps_buf *out)
{
    const size_t *index = &requests->pairs.differs;

    switch (requests->pairs.no_pairing) {
    case PS_PAIRING_EXISTS:
        return;
    case PS_PAIRING_NO_REQUESTS:
        ps_buf_puts(out, "a run has no requests");
        return;
    case PS_PAIRING_OTHER_NUMBER:
        ps_buf_printf(out, "the base has %zu requests, the new run has %zu", requests->runs[0].n,
                      requests->runs[1].n);
        return;
    case PS_PAIRING_OTHER_PROMPTS:
        ps_buf_printf(out,
                      "request %u of the base has a prompt of %lld tokens, request %u of the new "
                      "run one of %lld",
                      requests->runs[0].items[*index].id,
                      (long long)requests->runs[0].items[*index].prompt_tokens,
                      requests->runs[1].items[*index].id,
                      (long long)requests->runs[1].items[*index].prompt_tokens);
        return;
    case PS_PAIRING_NO_LENGTHS:
        ps_buf_puts(out, "the ids of the requests differ, and their lengths are unknown");
        return;
    }
}
