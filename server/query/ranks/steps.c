/* SPDX-License-Identifier: MIT */
/* steps.c: the ranks of a job, and the times of their steps. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "server/query/ranks/ranks.h"
#include "server/query/trace/chosen_steps.h"
#include "server/query/trace/packed_rows.h"
#include "server/runfile/trace.h"
#include "slices/intervals.h"

const char *const ps_rank_metric_words[PS_N_RANK_METRICS] = {"step", "compute", "communication",
                                                             "wait", "loading"};

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

/* Returns the first rank that two files state; -1: there is none. */
static int64_t find_repeated(const struct ps_rank *ranks, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (ranks[i].rank >= 0 && ranks[i].rank == ranks[i - 1].rank)
            return ranks[i].rank;
    return -1;
}

/* Sorts the ranks. If a file states none, or two state the same, workers are numbered instead. */
static void order_ranks(struct ps_ranks *ranks)
{
    ranks->repeated_rank = -1;
    if (!ranks->n_ranks)
        return;
    qsort(ranks->ranks, ranks->n_ranks, sizeof *ranks->ranks, by_rank);
    ranks->repeated_rank = find_repeated(ranks->ranks, ranks->n_ranks);
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

/* A name of steps, and the number at its end: 12 of "ProfilerStep#12" and "epoch [12]"; -1: none.
 */
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

/* Orders the names by number and stores the index of each in index[id]. Names beyond the limit of
 * cells get PS_STEP_NONE. */
static void order_steps(struct ps_ranks *ranks, const struct ps_intern *names, uint32_t *index)
{
    uint32_t n = names->count, most = PS_RANK_CELLS_MAX / (ranks->n_ranks ? ranks->n_ranks : 1);
    PS_AUTO(ps_free_ptr) struct step_name *order = ps_alloc_array(n + 1, sizeof *order);

    most = most < PS_STEP_NONE ? most : PS_STEP_NONE - 1;
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct step_name){ps_annotation_number(names->items[i]), i};
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

uint16_t *ps_ranks_map_workers(const struct ps_ranks *ranks, size_t *n)
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

/* A counted step of a rank. */
struct step {
    int64_t start_ns, end_ns;
    int64_t parts[PS_N_RANK_METRICS]; /* -1: unknown, or not a part of the step */
    uint32_t name;                    /* id in step_reader.names, or of the names themselves */
    uint16_t rank;
};

struct step_reader {
    struct step *items;
    size_t n, cap;
    struct ps_intern names; /* of 8 bytes: the id of the first step with the name */
    const uint16_t *rank_of;
    size_t n_workers;
};

static bool visit_steps(void *user, const struct ps_packed *part)
{
    struct step_reader *r = user;

    for (size_t i = 0; i < part->n; i++) {
        int64_t worker = part->column[PS_STEP_WORKER][i];
        const int64_t *name = &part->column[PS_STEP_NAME][i];

        if (worker < 0 || (size_t)worker >= r->n_workers || r->rank_of[worker] == PS_RANK_NONE)
            continue;
        PS_RESERVE_ONE(r->items, r->n, r->cap);
        r->items[r->n++] = (struct step){
            .start_ns = part->column[PS_STEP_START][i],
            .end_ns = part->column[PS_STEP_END][i],
            .parts = {[PS_RANK_STEP] = -1,
                      [PS_RANK_WAIT] = -1,
                      [PS_RANK_COMPUTE] = part->column[PS_STEP_COMPUTATION][i],
                      [PS_RANK_COMMUNICATION] = part->column[PS_STEP_COMMUNICATION][i],
                      [PS_RANK_LOADING] = part->column[PS_STEP_LOADING][i]},
            .name = ps_intern_add(&r->names, (struct ps_str){(const char *)name, sizeof *name}),
            .rank = r->rank_of[worker],
        };
    }
    return !ps_context_has_ended();
}

/* Replaces the ids of steps in `from` by their names; equal ids in both. */
static enum ps_status read_names(struct ps_db *db, const struct ps_intern *from,
                                 struct ps_intern *names, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_step_name"), &stmt, err);
    for (uint32_t i = 0; i < from->count && err->code == PS_OK; i++) {
        int64_t id;

        memcpy(&id, from->items[i].ptr, sizeof id);
        ps_stmt_rewind(stmt);
        ps_bind_int(stmt, ":id", id);
        if (ps_stmt_step(stmt, err) && ps_intern_add(names, ps_col_text(stmt, 0)) != i)
            return ps_fail(err, PS_INTERNAL, "the run file is damaged: two names of step %lld",
                           (long long)id);
    }
    return err->code;
}

/* --- Chosen steps --- */

/* Whether the numbers of the steps of each worker rise, so that equal numbers are one step. */
static bool are_numbered(struct ps_db *db, const struct ps_chosen_steps *steps)
{
    int64_t before = -1;

    for (size_t i = 0; i < steps->n; i++) {
        const int64_t number = ps_annotation_number(ps_trace_text(db, steps->items[i].name));

        if (i && steps->items[i].worker != steps->items[i - 1].worker)
            before = -1;
        if (number <= before)
            return false;
        before = number;
    }
    return true;
}

/* Sets the parts that the writer of run files stores of marked steps. */
static void set_parts(const struct ps_range_sums *sums, uint32_t worker, struct step *step)
{
    static const struct {
        const char *name;
        enum ps_breakdown definition;
        enum ps_rank_metric metric;
    } kinds[] = {{"computation", PS_BREAKDOWN_TRACELENS, PS_RANK_COMPUTE},
                 {"exposed communication", PS_BREAKDOWN_TRACELENS, PS_RANK_COMMUNICATION},
                 {"dataloader", PS_BREAKDOWN_TENSORBOARD, PS_RANK_LOADING}};

    for (size_t m = 0; m < PS_N_RANK_METRICS; m++)
        step->parts[m] = -1;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && worker < sums->n_workers; k++) {
        struct ps_part parts[PS_PARTS_MAX];
        size_t n = 0;

        if (sums->has_streams || kinds[k].definition == PS_BREAKDOWN_TENSORBOARD)
            n = ps_breakdown_compute(kinds[k].definition, sums->workers[worker].roles,
                                     &sums->workers[worker].communication, step->start_ns,
                                     step->end_ns, parts);
        for (size_t i = 0; i < n; i++)
            if (strcmp(parts[i].name, kinds[k].name) == 0)
                step->parts[kinds[k].metric] = parts[i].ns;
    }
}

/* Adds the ranges of a name as steps. Ranges of different ranks are one step if their numbers are
 * equal; without rising numbers, the first ranges of all ranks are one step, and so on. */
static enum ps_status add_chosen(struct ps_db *db, const char *name, struct step_reader *r,
                                 struct ps_intern *names, struct ps_err *err)
{
    PS_AUTO(ps_track_owners_free) struct ps_track_owners owners = {0};
    PS_AUTO(ps_chosen_steps_free) struct ps_chosen_steps steps = {.n = 0};
    PS_AUTO(ps_range_sums_free)
    struct ps_range_sums sums = {.from_ns = INT64_MAX, .to_ns = INT64_MIN};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    size_t first = 0; /* of the worker */
    bool has_numbers;

    ps_track_owners_read(db, &owners, err);
    if (err->code != PS_OK || ps_chosen_steps_read(db, &owners, name, &steps, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < steps.n; i++) {
        const struct ps_interval time = steps.items[i].time;

        sums.from_ns = time.start < sums.from_ns ? time.start : sums.from_ns;
        sums.to_ns = time.end > sums.to_ns ? time.end : sums.to_ns;
    }
    ps_range_sums_read(db, &sums, err);
    has_numbers = are_numbered(db, &steps);
    for (size_t i = 0; err->code == PS_OK && i < steps.n; i++) {
        const struct ps_chosen_step *from = &steps.items[i];
        struct step step = {.start_ns = from->time.start, .end_ns = from->time.end};

        first = from->worker == steps.items[first].worker ? first : i;
        if (from->worker >= r->n_workers || r->rank_of[from->worker] == PS_RANK_NONE)
            continue;
        text.len = 0;
        if (has_numbers)
            ps_buf_add_str(&text, ps_trace_text(db, from->name));
        else
            ps_buf_printf(&text, "%s %zu", name, i - first);
        step.name = ps_intern_add(names, ps_buf_slice(&text));
        step.rank = r->rank_of[from->worker];
        set_parts(&sums, from->worker, &step);
        PS_RESERVE_ONE(r->items, r->n, r->cap);
        r->items[r->n++] = step;
    }
    return err->code;
}

/* --- Cells --- */

/* Stores a step in its cell. Of several steps of the same name in the same rank the earliest
 * counts. */
static void add_step(struct ps_ranks *ranks, uint32_t step, const struct step *row)
{
    size_t cell = (size_t)row->rank * ranks->n_steps + step;
    struct ps_rank_step *to = &ranks->steps[cell];

    if ((to->end_ns >= to->start_ns && to->start_ns <= row->start_ns) ||
        row->end_ns < row->start_ns)
        return;
    ranks->ranks[row->rank].n_steps += to->end_ns < to->start_ns;
    *to = (struct ps_rank_step){row->start_ns, row->end_ns};
    for (int m = 0; m < PS_N_RANK_METRICS; m++) {
        ranks->cells[m][cell] = ps_rank_limit_time(row->parts[m] < 0 ? -1 : row->parts[m]);
        ranks->has_metric[m] |= row->parts[m] > 0;
    }
}

static enum ps_status fill_steps(struct ps_db *db, const char *chosen, struct ps_ranks *ranks,
                                 struct step_reader *r, struct ps_err *err)
{
    const struct ps_packed_query query = {
        .family = PS_PACKED_STEPS, .range = PS_RANGE_ALL, .columns = (1u << PS_N_STEP_COLUMNS) - 1};
    PS_AUTO(ps_intern_free) struct ps_intern names = {0};
    PS_AUTO(ps_free_ptr) uint32_t *index = NULL;

    if (chosen && *chosen) {
        add_chosen(db, chosen, r, &names, err);
    } else {
        ps_packed_each(db, &query, visit_steps, r, err);
        read_names(db, &r->names, &names, err);
    }
    if (err->code != PS_OK)
        return err->code;
    index = ps_alloc_array(names.count + 1u, sizeof *index);
    order_steps(ranks, &names, index);
    make_cells(ranks);
    for (size_t i = 0; i < r->n; i++)
        if (index[r->items[i].name] != PS_STEP_NONE)
            add_step(ranks, index[r->items[i].name], &r->items[i]);
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
            steps[i].start_ns =
                ps_rank_limit_time(ps_subtract_saturated(steps[i].start_ns, origin));
            steps[i].end_ns = ps_rank_limit_time(ps_subtract_saturated(steps[i].end_ns, origin));
            *cell = steps[i].end_ns - steps[i].start_ns;
            ranks->has_metric[PS_RANK_STEP] = true;
        }
    }
}

enum ps_status ps_ranks_find_columns(struct ps_db *db, bool *found, struct ps_err *err)
{
    *found = !ps_run_lacks(db, "steps of ranks", err);
    return err->code;
}

static enum ps_status check_columns(struct ps_db *db, struct ps_err *err)
{
    const char *id = ps_db_run_id(db);
    bool found = false;

    if (ps_ranks_find_columns(db, &found, err) == PS_OK && !found)
        return ps_fail(err, PS_CONFLICT,
                       "run %s was written by a perfshelf that did not compare ranks" PS_HINT
                       "`perfshelf renew %s` imports its original again, if the shelf has it",
                       id, id);
    return err->code;
}

enum ps_status ps_ranks_read_steps(struct ps_db *db, const char *chosen, struct ps_ranks *ranks,
                                   struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) uint16_t *rank_of = NULL;
    struct step_reader reader = {.n = 0};

    check_columns(db, err);
    if (read_ranks(db, ranks, err) == PS_OK) {
        reader.rank_of = rank_of = ps_ranks_map_workers(ranks, &reader.n_workers);
        fill_steps(db, chosen, ranks, &reader, err);
        set_origins(ranks);
    }
    ps_intern_free(&reader.names);
    free(reader.items);
    return err->code;
}
