/* SPDX-License-Identifier: MIT */
/* steps.c: the ranks of a job, and the times of their steps. */
#include <stdlib.h>

#include "server/query/ranks/ranks.h"
#include "server/runfile/trace.h"
#include "slices/intervals.h"

const char *const ps_rank_metric_words[PS_N_RANK_METRICS] = {"step", "compute", "communication",
                                                             "wait", "loading"};

/* The part of a step that a metric shows. */
static const struct {
    const char *part;
    enum ps_breakdown definition;
    enum ps_rank_metric metric;
} parts[] = {
    {"computation", PS_BREAKDOWN_TRACELENS, PS_RANK_COMPUTE},
    {"exposed communication", PS_BREAKDOWN_TRACELENS, PS_RANK_COMMUNICATION},
    {"dataloader", PS_BREAKDOWN_TENSORBOARD, PS_RANK_LOADING},
};

/* "node1_4711" is the name that tensorboard_trace_handler gives: host and process id. */
static struct ps_str host_of(struct ps_str name)
{
    size_t len = name.len;

    while (len > 0 && name.ptr[len - 1] >= '0' && name.ptr[len - 1] <= '9')
        len--;
    if (len == name.len || len < 2 || name.ptr[len - 1] != '_')
        return (struct ps_str){"", 0};
    return (struct ps_str){name.ptr, len - 1};
}

static int by_rank(const void *a, const void *b)
{
    const struct ps_rank *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->worker > y->worker) - (x->worker < y->worker);
}

static bool are_distinct(const struct ps_rank *ranks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (ranks[i].rank < 0 || (i && ranks[i].rank == ranks[i - 1].rank))
            return false;
    return true;
}

/* Sorts the ranks. If a file states none, or two state the same, workers are numbered instead. */
static void order_ranks(struct ps_ranks *ranks)
{
    if (!ranks->n_ranks)
        return;
    qsort(ranks->ranks, ranks->n_ranks, sizeof *ranks->ranks, by_rank);
    ranks->are_ranks_read = are_distinct(ranks->ranks, ranks->n_ranks);
    if (ranks->are_ranks_read)
        return;
    for (uint32_t i = 0; i < ranks->n_ranks; i++)
        ranks->ranks[i].rank = ranks->ranks[i].worker;
    qsort(ranks->ranks, ranks->n_ranks, sizeof *ranks->ranks, by_rank);
    ranks->world_size = 0;
}

static enum ps_status read_ranks(struct ps_db *db, struct ps_ranks *ranks, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t n = 0, cap = 0;

    ps_db_prepare(db, ps_query_sql("trace_ranks"), &stmt, err);
    while (ps_stmt_step(stmt, err) && n < PS_RANK_NONE) {
        struct ps_rank rank = {.worker = (uint32_t)ps_col_int(stmt, 0), .rank = -1};

        rank.name = ps_arena_copy(&ranks->arena, ps_col_text(stmt, 1));
        rank.host = host_of(rank.name);
        if (!ps_col_is_null(stmt, 2))
            rank.rank = ps_col_int(stmt, 2);
        ranks->world_size = ps_col_int(stmt, 3);
        PS_RESERVE_ONE(ranks->ranks, n, cap);
        ranks->ranks[n++] = rank;
    }
    ranks->n_ranks = (uint32_t)n;
    order_ranks(ranks);
    return err->code;
}

/* A name of steps, and the number at its end: 12 of "ProfilerStep#12"; -1: none. */
struct step_name {
    int64_t number;
    uint32_t id;
};

static int by_number(const void *a, const void *b)
{
    const struct step_name *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int64_t number_of(struct ps_str name)
{
    size_t at = name.len;
    int64_t number;

    while (at > 0 && name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9')
        at--;
    return ps_str_parse_i64(ps_str_skip(name, at), &number) ? number : -1;
}

/* Orders the names by number and stores the index of each in index[id]. Names beyond the limit of
 * cells get PS_STEP_NONE. */
static void order_steps(struct ps_ranks *ranks, const struct ps_intern *names, uint32_t *index)
{
    uint32_t n = names->count, most = PS_RANK_CELLS_MAX / (ranks->n_ranks ? ranks->n_ranks : 1);
    PS_AUTO(ps_free_ptr) struct step_name *order = ps_alloc_array(n + 1, sizeof *order);

    most = most < PS_STEP_NONE ? most : PS_STEP_NONE - 1;
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct step_name){number_of(names->items[i]), i};
    if (n)
        qsort(order, n, sizeof *order, by_number);
    ranks->n_steps = n < most ? n : most;
    ranks->n_steps_omitted = n - ranks->n_steps;
    ranks->step_names = ps_alloc_array(ranks->n_steps + 1, sizeof *ranks->step_names);
    for (uint32_t i = 0; i < n; i++) {
        index[order[i].id] = i < ranks->n_steps ? i : PS_STEP_NONE;
        if (i < ranks->n_steps)
            ranks->step_names[i] = ps_arena_copy(&ranks->arena, names->items[order[i].id]);
    }
}

static void make_cells(struct ps_ranks *ranks)
{
    size_t n = (size_t)ranks->n_ranks * ranks->n_steps;

    ranks->steps = ps_alloc_array(n + 1, sizeof *ranks->steps);
    for (size_t i = 0; i < n; i++)
        ranks->steps[i].end_ns = -1;
    for (int m = 0; m < PS_N_RANK_METRICS; m++) {
        ranks->cells[m] = ps_alloc_array(n + 1, sizeof *ranks->cells[m]);
        for (size_t i = 0; i < n; i++)
            ranks->cells[m][i] = -1;
    }
}

static int64_t limit_time(int64_t ns)
{
    return ns < -PS_RANK_TIME_MAX  ? -PS_RANK_TIME_MAX
           : ns > PS_RANK_TIME_MAX ? PS_RANK_TIME_MAX
                                   : ns;
}

/* A step of the run file and its cell. */
struct step_cell {
    int64_t id;
    size_t cell;
};

struct step_cells {
    struct step_cell *items; /* by id */
    size_t n, cap;
};

static int by_id(const void *a, const void *b)
{
    const struct step_cell *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Adds the parts of steps that metrics show. */
static enum ps_status read_parts(struct ps_db *db, struct ps_ranks *ranks,
                                 const struct step_cells *cells, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_rank_parts"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        const struct step_cell key = {.id = ps_col_int(stmt, 0)};
        const struct step_cell *found =
            cells->n ? bsearch(&key, cells->items, cells->n, sizeof key, by_id) : NULL;
        int64_t ns = limit_time(ps_col_int(stmt, 3));

        for (size_t i = 0; found && ns >= 0 && i < sizeof parts / sizeof *parts; i++) {
            if (ps_col_int(stmt, 1) != parts[i].definition ||
                !ps_str_eq_c(ps_col_text(stmt, 2), parts[i].part))
                continue;
            ranks->cells[parts[i].metric][found->cell] = ns;
            ranks->has_metric[parts[i].metric] |= ns > 0;
        }
    }
    return err->code;
}

/* Returns the index of the rank of each worker; the caller frees it. */
static uint16_t *map_workers(const struct ps_ranks *ranks, size_t *n)
{
    uint32_t last = 0;
    uint16_t *index;

    for (uint32_t i = 0; i < ranks->n_ranks; i++)
        last = ranks->ranks[i].worker > last ? ranks->ranks[i].worker : last;
    *n = (size_t)last + 1;
    index = ps_alloc_array(*n, sizeof *index);
    for (size_t i = 0; i < *n; i++)
        index[i] = PS_RANK_NONE;
    for (uint32_t i = 0; i < ranks->n_ranks; i++)
        index[ranks->ranks[i].worker] = (uint16_t)i;
    return index;
}

static enum ps_status read_names(struct ps_db *db, struct ps_intern *names, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_rank_steps"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        (void)ps_intern_add(names, ps_col_text(stmt, 2));
    return err->code;
}

/* Stores a step in its cell. Later steps of the same name in the same rank are ignored. */
static void add_step(struct ps_ranks *ranks, uint16_t rank, uint32_t step, struct ps_stmt *stmt,
                     struct step_cells *cells)
{
    size_t cell = (size_t)rank * ranks->n_steps + step;
    int64_t start = ps_col_int(stmt, 3), end = ps_col_int(stmt, 4);

    if (ranks->steps[cell].end_ns >= ranks->steps[cell].start_ns || end < start)
        return;
    ranks->steps[cell] = (struct ps_rank_step){start, end, ps_col_int(stmt, 0)};
    PS_RESERVE_ONE(cells->items, cells->n, cells->cap);
    cells->items[cells->n++] = (struct step_cell){ps_col_int(stmt, 0), cell};
}

static enum ps_status fill_steps(struct ps_db *db, struct ps_ranks *ranks,
                                 const struct ps_intern *names, struct step_cells *cells,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) uint32_t *index = ps_alloc_array(names->count + 1u, sizeof *index);
    size_t n_workers;
    PS_AUTO(ps_free_ptr) uint16_t *rank_of = map_workers(ranks, &n_workers);

    order_steps(ranks, names, index);
    make_cells(ranks);
    ps_db_prepare(db, ps_query_sql("trace_rank_steps"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t worker = ps_col_int(stmt, 1);
        uint32_t name = ps_intern_find(names, ps_col_text(stmt, 2));

        if (worker >= 0 && (size_t)worker < n_workers && rank_of[worker] != PS_RANK_NONE &&
            name != PS_INTERN_NONE && index[name] != PS_STEP_NONE)
            add_step(ranks, rank_of[worker], index[name], stmt, cells);
    }
    return err->code;
}

/* The times of a rank count from its first step, so that they stay small also if a clock is years
 * off. */
static void set_origins(struct ps_ranks *ranks)
{
    for (uint32_t r = 0; r < ranks->n_ranks; r++) {
        struct ps_rank_step *steps = &ranks->steps[(size_t)r * ranks->n_steps];
        int64_t origin = INT64_MAX;

        for (uint32_t i = 0; i < ranks->n_steps; i++)
            if (steps[i].end_ns >= steps[i].start_ns && steps[i].start_ns < origin)
                origin = steps[i].start_ns;
        ranks->ranks[r].origin_ns = origin;
        for (uint32_t i = 0; i < ranks->n_steps; i++) {
            int64_t *cell = &ranks->cells[PS_RANK_STEP][(size_t)r * ranks->n_steps + i];

            if (steps[i].end_ns < steps[i].start_ns)
                continue;
            steps[i].start_ns = limit_time(ps_subtract_saturated(steps[i].start_ns, origin));
            steps[i].end_ns = limit_time(ps_subtract_saturated(steps[i].end_ns, origin));
            *cell = steps[i].end_ns - steps[i].start_ns;
            ranks->has_metric[PS_RANK_STEP] = true;
        }
    }
}

enum ps_status ps_ranks_read_steps(struct ps_db *db, struct ps_ranks *ranks, struct ps_err *err)
{
    PS_AUTO(ps_intern_free) struct ps_intern names = {0};
    struct step_cells cells = {NULL, 0, 0};

    read_ranks(db, ranks, err);
    read_names(db, &names, err);
    fill_steps(db, ranks, &names, &cells, err);
    if (cells.n)
        qsort(cells.items, cells.n, sizeof *cells.items, by_id);
    read_parts(db, ranks, &cells, err);
    set_origins(ranks);
    free(cells.items);
    return err->code;
}
