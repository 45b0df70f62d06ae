/* SPDX-License-Identifier: MIT */
/*
 * request_times.c: reads the requests of two serving runs, and pairs them.
 *
 * The time to the first token is divided by what the engine did meanwhile. It is known if the
 * engine states when it received a request and in which steps it served it.
 */
#include "server/query/compare/request_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/kinds.h"
#include "server/runfile/db.h"

#define CACHE_BYTES_MAX ((size_t)32 << 20)

/* --- Steps of the engine --- */

struct step_times {
    int64_t start_ns, end_ns;
    size_t n_below; /* steps before this one in which fewer requests ran than ever did */
};

struct engine_steps {
    struct step_times *items; /* n + 1: the last one has n_below only */
    size_t n, cap;
    int64_t most; /* requests that ran at once; -1: unknown */
};

static enum ps_status read_steps(struct ps_db *db, struct engine_steps *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t *running = NULL;
    size_t n_running = 0, n_below = 0;

    out->most = -1;
    if (ps_db_prepare(db, ps_query_sql("compare_engine_steps"), &stmt, err) != PS_OK)
        return err->code;
    while (ps_stmt_step(stmt, err)) {
        const int64_t n = ps_col_is_null(stmt, 2) ? -1 : ps_col_int(stmt, 2);

        PS_RESERVE_ONE(out->items, out->n, out->cap);
        running = ps_grow_to(running, &n_running, out->n, sizeof *running);
        running[out->n] = n;
        out->items[out->n++] =
            (struct step_times){.start_ns = ps_col_int(stmt, 0), .end_ns = ps_col_int(stmt, 1)};
        out->most = n > out->most ? n : out->most;
    }
    PS_RESERVE_ONE(out->items, out->n, out->cap);
    for (size_t i = 0; i <= out->n; i++) {
        out->items[i].n_below = n_below;
        n_below += i < out->n && running[i] < out->most;
    }
    free(running);
    return err->code;
}

/* The number of steps that started before a time. */
static size_t count_before(const struct engine_steps *steps, int64_t time_ns)
{
    size_t low = 0, high = steps->n;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (steps->items[middle].start_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- Requests --- */

enum column { ID, RESULT, POSITION, NAME, STATE, PROMPT, START, ARRIVAL, SCHEDULED, FIRST_TOKEN };
#define FIRST_METRIC (FIRST_TOKEN + 1)

/* Divides the time to the first token. A step that runs when a request arrives delays it until the
 * step ends; then further steps may serve others. */
static void set_parts(struct ps_stmt *stmt, const struct engine_steps *steps,
                      struct ps_request_times *out)
{
    int64_t arrival, scheduled, ready;
    size_t first, last;

    for (int i = START; i <= FIRST_TOKEN; i++)
        if (ps_col_is_null(stmt, i) || isnan(out->metrics[PS_REQUEST_TTFT]))
            return;
    arrival = ready = ps_col_int(stmt, ARRIVAL);
    scheduled = ps_col_int(stmt, SCHEDULED);
    first = count_before(steps, arrival);
    if (first > 0 && steps->items[first - 1].end_ns > arrival)
        ready = steps->items[first - 1].end_ns;
    if (ready > scheduled)
        ready = scheduled;
    out->parts[PS_PART_SENDING] = (double)(arrival - ps_col_int(stmt, START));
    out->parts[PS_PART_STEP] = (double)(ready - arrival);
    out->parts[PS_PART_QUEUE] = (double)(scheduled - ready);
    out->parts[PS_PART_PREFILL] = (double)(ps_col_int(stmt, FIRST_TOKEN) - scheduled);
    out->parts[PS_PART_RECEIVING] =
        out->metrics[PS_REQUEST_TTFT] -
        (double)(ps_col_int(stmt, FIRST_TOKEN) - ps_col_int(stmt, START));
    last = count_before(steps, scheduled);
    out->lacks_slot = steps->most > 0 && last > first &&
                      steps->items[first].n_below == steps->items[last].n_below;
}

static void read_request(struct ps_stmt *stmt, const struct engine_steps *steps,
                         struct ps_arena *names, struct ps_request_times *out)
{
    *out = (struct ps_request_times){
        .id = (uint32_t)ps_col_int(stmt, ID),
        .group = (uint32_t)ps_col_int(stmt, RESULT),
        .position = ps_col_int(stmt, POSITION),
        .name = ps_arena_copy(names, ps_col_text(stmt, NAME)),
        .state = (int)ps_col_int(stmt, STATE),
        .prompt_tokens = ps_col_is_null(stmt, PROMPT) ? -1 : ps_col_int(stmt, PROMPT)};
    for (int i = 0; i < PS_N_REQUEST_METRICS; i++)
        out->metrics[i] =
            out->state == 0 ? ps_col_real_or_nan(stmt, FIRST_METRIC + i) : (double)NAN;
    for (int i = 0; i < PS_N_REQUEST_PARTS; i++)
        out->parts[i] = NAN;
    set_parts(stmt, steps, out);
}

static enum ps_status read_requests(struct ps_store *store, const char *run,
                                    struct ps_run_requests *out, struct ps_err *err)
{
    struct engine_steps steps = {.n = 0};
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    if (ps_run_acquire(store, run, &db, err) == PS_OK && read_steps(db, &steps, err) == PS_OK)
        ps_db_prepare(db, ps_query_sql("compare_requests"), &stmt, err);
    while (err->code == PS_OK && ps_stmt_step(stmt, err)) {
        PS_RESERVE_ONE(out->items, out->n, cap);
        read_request(stmt, &steps, &out->names, &out->items[out->n++]);
    }
    ps_stmt_release(stmt);
    ps_run_release(db);
    free(steps.items);
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
    for (int i = 0; i < PS_N_REQUEST_METRICS; i++)
        ps_request_change_measure(base->items, now->items, &out->pairs, (enum ps_request_metric)i,
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
        ps_buf_puts(out, "a run has no requests of a client");
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
