/* SPDX-License-Identifier: MIT */
/* analysis.c: the analysis of the ranks of a run, its sums and its cache. */
#include <stdlib.h>

#include "base/context.h"
#include "server/query/ranks/ranks.h"
#include "slices/intervals.h"

#define CACHE_BYTES_MAX (256u << 20)

static void ranks_free(struct ps_cache_entry *entry)
{
    struct ps_ranks *ranks = (struct ps_ranks *)entry;

    free(ranks->ranks);
    free(ranks->step_names);
    free(ranks->steps);
    for (int i = 0; i < PS_N_RANK_METRICS; i++)
        free(ranks->cells[i]);
    ps_rank_calls_free(&ranks->calls);
    ps_rank_clocks_free(&ranks->clocks);
    free(ranks->collectives);
    free(ranks->collective_of_op);
    ps_arena_free(&ranks->arena);
    free(entry->key);
    free(ranks);
}

static struct ps_lru_cache cache = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                    .claim_ended = PTHREAD_COND_INITIALIZER,
                                    .bytes_max = CACHE_BYTES_MAX,
                                    .free_entry = ranks_free};

/* --- Sums --- */

/* What a row of the table of collectives is: name, group and size of the message. */
static uint32_t row_of_op(struct ps_ranks *ranks, struct ps_intern *rows,
                          const struct ps_rank_op *op, struct ps_buf *text)
{
    const struct ps_rank_key *key = &ranks->calls.keys[op->key];
    uint32_t row;

    text->len = 0;
    ps_buf_printf(text, "%lld %u %.*s\n%.*s", (long long)op->bytes, key->group_size,
                  (int)key->name.len, key->name.ptr, (int)key->group.len, key->group.ptr);
    row = ps_intern_add(rows, ps_buf_slice(text));
    if (row == ranks->n_collectives)
        ranks->collectives[ranks->n_collectives++] =
            (struct ps_collective_sum){.key = op->key, .bytes = op->bytes, .last = PS_RANK_NONE};
    return row;
}

/* The wait of a collective, on average over the ranks of the run that are not the last: ranks
 * outside of its group do not wait. */
static int64_t mean_wait(const struct ps_ranks *ranks, const struct ps_rank_op *op)
{
    return op->wait_ns / (ranks->n_ranks - 1);
}

static void add_to_row(struct ps_ranks *ranks, const struct ps_rank_op *op,
                       struct ps_collective_sum *row)
{
    row->n_ops++;
    row->n_calls += op->n;
    row->ranks = op->n > row->ranks ? op->n : row->ranks;
    row->transfer_ns = ps_add_saturated(row->transfer_ns, op->transfer_ns);
    row->spread_ns = ps_add_saturated(row->spread_ns, op->spread_ns);
    row->wait_ns = ps_add_saturated(row->wait_ns, mean_wait(ranks, op));
    for (uint32_t i = 0; i < op->n; i++)
        row->total_ns =
            ps_add_saturated(row->total_ns, ranks->calls.items[op->first + i].duration_ns);
    row->certain += op->last != PS_RANK_NONE;
}

static void add_to_ranks(struct ps_ranks *ranks, const struct ps_rank_op *op)
{
    for (uint32_t i = 0; i < op->n; i++) {
        const struct ps_rank_call *call = &ranks->calls.items[op->first + i];
        int64_t wait = call->duration_ns - op->transfer_ns;
        struct ps_rank *rank = &ranks->ranks[call->rank];

        rank->calls++;
        rank->wait_ns = ps_add_saturated(rank->wait_ns, wait);
        if (call->step != PS_STEP_NONE) {
            int64_t *cell =
                &ranks->cells[PS_RANK_WAIT][(size_t)call->rank * ranks->n_steps + call->step];

            *cell = ps_add_saturated(*cell, wait);
            ranks->has_metric[PS_RANK_WAIT] = true;
        }
    }
    if (op->last != PS_RANK_NONE) {
        ranks->ranks[op->last].last++;
        ranks->ranks[op->last].caused_ns =
            ps_add_saturated(ranks->ranks[op->last].caused_ns, mean_wait(ranks, op));
    }
}

static void begin_waits(struct ps_ranks *ranks)
{
    size_t n = (size_t)ranks->n_ranks * ranks->n_steps;

    for (size_t i = 0; i < n && ranks->calls.n_ops; i++)
        if (ranks->cells[PS_RANK_STEP][i] >= 0)
            ranks->cells[PS_RANK_WAIT][i] = 0;
}

/* An op of a row, for the rank that is most often last in the row. */
struct row_last {
    uint32_t row;
    uint16_t last, step;
};

static int by_row_last(const void *a, const void *b)
{
    const struct row_last *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->last > y->last) - (x->last < y->last);
}

static int by_row_step(const void *a, const void *b)
{
    const struct row_last *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static void count_last(struct ps_ranks *ranks)
{
    size_t n = ranks->calls.n_ops;
    PS_AUTO(ps_free_ptr) struct row_last *list = ps_alloc_array(n + 1, sizeof *list);

    for (size_t i = 0; i < n; i++)
        list[i] = (struct row_last){ranks->collective_of_op[i], ranks->calls.ops[i].last,
                                    ranks->calls.ops[i].step};
    if (n)
        qsort(list, n, sizeof *list, by_row_last);
    for (size_t i = 0, end; i < n; i = end) {
        struct ps_collective_sum *row = &ranks->collectives[list[i].row];

        for (end = i; end < n && by_row_last(&list[i], &list[end]) == 0;)
            end++;
        if (list[i].last != PS_RANK_NONE && end - i > row->last_ops) {
            row->last = list[i].last;
            row->last_ops = (uint32_t)(end - i);
        }
    }
    if (n)
        qsort(list, n, sizeof *list, by_row_step);
    for (size_t i = 0; i < n; i++)
        ranks->collectives[list[i].row].steps +=
            list[i].step != PS_STEP_NONE && (i == 0 || by_row_step(&list[i - 1], &list[i]) != 0);
}

struct row_order {
    int64_t wait_ns;
    uint32_t row;
};

static int by_wait(const void *a, const void *b)
{
    const struct row_order *x = a, *y = b;

    if (x->wait_ns != y->wait_ns)
        return x->wait_ns > y->wait_ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_rows(struct ps_ranks *ranks)
{
    size_t n = ranks->n_collectives;
    PS_AUTO(ps_free_ptr) struct row_order *order = ps_alloc_array(n + 1, sizeof *order);
    PS_AUTO(ps_free_ptr) uint32_t *index = ps_alloc_array(n + 1, sizeof *index);
    struct ps_collective_sum *sorted = ps_alloc_array(n + 1, sizeof *sorted);

    for (size_t i = 0; i < n; i++)
        order[i] = (struct row_order){ranks->collectives[i].wait_ns, (uint32_t)i};
    if (n)
        qsort(order, n, sizeof *order, by_wait);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = ranks->collectives[order[i].row];
        index[order[i].row] = (uint32_t)i;
    }
    for (size_t i = 0; i < ranks->calls.n_ops; i++)
        ranks->collective_of_op[i] = index[ranks->collective_of_op[i]];
    free(ranks->collectives);
    ranks->collectives = sorted;
}

void ps_ranks_sum(struct ps_ranks *ranks)
{
    PS_AUTO(ps_intern_free) struct ps_intern rows = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    size_t n = ranks->calls.n_ops;

    ranks->collectives = ps_alloc_array(n + 1, sizeof *ranks->collectives);
    ranks->collective_of_op = ps_alloc_array(n + 1, sizeof *ranks->collective_of_op);
    begin_waits(ranks);
    for (size_t i = 0; i < n; i++) {
        const struct ps_rank_op *op = &ranks->calls.ops[i];

        ranks->collective_of_op[i] = row_of_op(ranks, &rows, op, &text);
        add_to_row(ranks, op, &ranks->collectives[ranks->collective_of_op[i]]);
        add_to_ranks(ranks, op);
    }
    count_last(ranks);
    sort_rows(ranks);
}

/* --- Bandwidth --- */

static uint32_t group_size(const struct ps_ranks *ranks, const struct ps_collective_sum *row)
{
    uint32_t size = ranks->calls.keys[row->key].group_size;

    return size ? size : row->ranks;
}

double ps_collective_algorithm_bandwidth(const struct ps_ranks *ranks,
                                         const struct ps_collective_sum *row)
{
    (void)ranks;
    if (row->bytes <= 0 || row->transfer_ns <= 0)
        return 0;
    return (double)row->bytes * row->n_ops / (double)row->transfer_ns * 1e9;
}

double ps_collective_bus_bandwidth(const struct ps_ranks *ranks,
                                   const struct ps_collective_sum *row)
{
    /* the parts of nccl-tests' doc/PERFORMANCE.md; gather and scatter as in its src/gather.cu */
    static const struct {
        const char *word;
        double factor; /* times (n - 1) / n */
    } factors[] = {{"allreduce", 2}, {"all_reduce", 2}, {"AllReduce", 2}, {"gather", 1},
                   {"scatter", 1},   {"alltoall", 1},   {"all_to_all", 1}};
    struct ps_str name = ranks->calls.keys[row->key].name;
    double n = group_size(ranks, row), bandwidth = ps_collective_algorithm_bandwidth(ranks, row);

    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (ps_str_find(name, ps_str_from_c(factors[i].word)))
            return bandwidth * factors[i].factor * (n - 1) / n;
    return bandwidth;
}

/* --- Cache --- */

static size_t bytes_of(const struct ps_ranks *ranks)
{
    size_t cells = (size_t)ranks->n_ranks * ranks->n_steps;

    return sizeof *ranks + ranks->arena.allocated_bytes +
           cells * (PS_N_RANK_METRICS * sizeof(int64_t) + sizeof *ranks->steps) +
           ranks->calls.cap * sizeof *ranks->calls.items +
           ranks->calls.cap_ops * sizeof *ranks->calls.ops +
           ranks->calls.n_ops * (sizeof *ranks->collectives + sizeof *ranks->collective_of_op) +
           ranks->n_ranks * sizeof *ranks->ranks;
}

static enum ps_status make_analysis(struct ps_db *db, const char *steps, struct ps_ranks *ranks,
                                    struct ps_err *err)
{
    if (ps_ranks_read_steps(db, steps, ranks, err) != PS_OK ||
        ps_ranks_read_calls(db, ranks, err) != PS_OK)
        return err->code;
    if (ranks->repeated_rank < 0)
        ps_rank_calls_match(&ranks->calls);
    else /* two recordings of one rank: whose calls belong together is unknown */
        ranks->calls.n_unmatched = ranks->calls.n;
    ps_rank_clocks_align(&ranks->calls, &ranks->clocks);
    ps_rank_calls_compare(&ranks->calls, &ranks->clocks);
    ps_ranks_sum(ranks);
    return ps_context_check(err);
}

enum ps_status ps_ranks_acquire(struct ps_db *db, const char *steps, struct ps_ranks **out,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    struct ps_cache_claim claim;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    ps_buf_printf(&key, "%s %s", ps_db_run_id(db), steps ? steps : "");
    *out = (struct ps_ranks *)ps_lru_cache_claim(&cache, key.ptr, &claim);
    if (*out)
        return PS_OK;
    *out = ps_alloc(sizeof **out);
    if (make_analysis(db, steps, *out, err) == PS_OK) {
        ps_lru_cache_put(&cache, &(*out)->entry, ps_strdup(ps_buf_slice(&key)), bytes_of(*out));
    } else {
        ranks_free(&(*out)->entry);
        *out = NULL;
    }
    ps_lru_cache_unclaim(&cache, &claim);
    return err->code;
}

void ps_ranks_release(struct ps_ranks *ranks)
{
    ps_lru_cache_release(&cache, ranks ? &ranks->entry : NULL);
}

void ps_ranks_auto(struct ps_ranks **ranks)
{
    ps_ranks_release(*ranks);
}

uint32_t ps_ranks_latest(const struct ps_ranks *ranks)
{
    uint32_t latest = 0;

    for (uint32_t i = 1; i < ranks->n_ranks; i++)
        if (ranks->ranks[i].caused_ns > ranks->ranks[latest].caused_ns)
            latest = i;
    return latest;
}
