/* SPDX-License-Identifier: MIT */
/*
 * operators.c: the operators of XLA.
 *
 * An operator is one of a program: those with the same name in two programs are two rows. Its calls
 * are summed over devices and over the threads that share its work. The time that it waits for
 * another device or thread is part of its total time and not of its self time.
 */
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/query/trace/xla/xla.h"

enum {
    NAME,
    PROGRAM,
    CATEGORY,
    SCOPE,
    KIND,
    FAMILY,
    CALLS,
    SELF,
    TOTAL,
    WAIT,
    FLOPS,
    BYTES,
    MIN,
    MAX,
    FIRST,
    TRACKS,
    DEVICES,
    N_COLUMNS
};

struct row {
    int64_t value[N_COLUMNS];
    uint32_t last_track;
    uint64_t devices; /* bits 1 << number of a device */
};

/* An operator of the track that is open. */
struct open_operator {
    int64_t end;
    size_t row; /* index in `rows` */
};

struct sums {
    struct ps_xla_arguments arguments;
    struct ps_range range;
    struct row *rows; /* in order of first appearance */
    size_t n, cap;
    struct ps_hash_table by_name;
    uint32_t track;
    struct open_operator *open;
    size_t n_open, cap_open;
    int64_t waits_until; /* end of the wait of the track that was counted last */
};

static bool is_row(const void *items, uint32_t index, const void *of)
{
    const struct row *row = (const struct row *)items + index;
    const int64_t *key = of;

    return row->value[NAME] == key[0] && row->value[PROGRAM] == key[1] &&
           row->value[KIND] == key[2];
}

static size_t row_of(struct sums *sums, uint32_t name, uint32_t program, int64_t kind)
{
    const int64_t key[3] = {name, program, kind};
    const uint32_t index = ps_hash_table_add(
        &sums->by_name, ps_hash_pair((uint64_t)name << 32 | program, (uint64_t)kind),
        (uint32_t)sums->n, is_row, sums->rows, key);

    if (index == sums->n) {
        PS_RESERVE_ONE(sums->rows, sums->n, sums->cap);
        sums->rows[sums->n++] = (struct row){.value = {[NAME] = name,
                                                       [PROGRAM] = program,
                                                       [KIND] = kind,
                                                       [FLOPS] = PS_TEMP_NULL,
                                                       [BYTES] = PS_TEMP_NULL,
                                                       [MIN] = INT64_MAX,
                                                       [FIRST] = INT64_MAX}};
    }
    return index;
}

static void add_known(int64_t *sum, int64_t value)
{
    if (value >= 0)
        *sum = ps_add_saturated(*sum == PS_TEMP_NULL ? 0 : *sum, value);
}

/* Adds a call of an operator, or device work. Returns the index of its row. */
static size_t add_call(struct sums *sums, const struct ps_chunk *chunk, uint32_t i)
{
    const int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                  start = ps_chunk_value(chunk, PS_COL_START, i),
                  duration = ps_chunk_value(chunk, PS_COL_DURATION, i);
    const struct ps_xla_call call = ps_xla_read_call(&sums->arguments, chunk, i);
    const size_t index =
        row_of(sums, call.name ? call.name : (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i),
               call.program, kind);
    struct row *row = &sums->rows[index];
    int64_t *v = row->value;

    if (!v[CALLS]++) {
        v[CATEGORY] = call.category;
        v[SCOPE] = call.scope;
        v[FAMILY] = ps_chunk_value(chunk, PS_COL_FAMILY, i);
    }
    v[SELF] = ps_add_saturated(v[SELF], duration); /* less what add_nested() subtracts */
    v[TOTAL] = ps_add_saturated(v[TOTAL], duration);
    v[MIN] = duration < v[MIN] ? duration : v[MIN];
    v[MAX] = duration > v[MAX] ? duration : v[MAX];
    v[FIRST] = start < v[FIRST] ? start : v[FIRST];
    add_known(&v[FLOPS], call.flops);
    add_known(&v[BYTES], call.bytes);
    v[TRACKS] += row->last_track != chunk->track;
    row->last_track = chunk->track;
    if (call.device >= 0 && call.device < 64 && !(row->devices >> call.device & 1)) {
        row->devices |= UINT64_C(1) << call.device;
        v[DEVICES]++;
    }
    return index;
}

/* Subtracts a slice from the self time of the operator around it. Other slices in an operator are
 * part of its self time, as functions of the program that it calls back. */
static void add_nested(struct sums *sums, int64_t duration)
{
    if (sums->n_open)
        sums->rows[sums->open[sums->n_open - 1].row].value[SELF] -= duration;
}

static void open_operator(struct sums *sums, int64_t end, size_t row)
{
    PS_RESERVE_ONE(sums->open, sums->n_open, sums->cap_open);
    sums->open[sums->n_open++] = (struct open_operator){end, row};
}

/* Adds a wait to the operator around it. A wait inside of another one is part of it. */
static void add_wait(struct sums *sums, int64_t start, int64_t end)
{
    int64_t *sum;

    if (!sums->n_open || start < sums->waits_until)
        return;
    add_nested(sums, end - start);
    sum = &sums->rows[sums->open[sums->n_open - 1].row].value[WAIT];
    *sum = ps_add_saturated(*sum, end - start);
    sums->waits_until = end;
}

static bool visit(void *user, const struct ps_chunk *chunk)
{
    struct sums *sums = user;

    if (chunk->track != sums->track) {
        sums->track = chunk->track;
        sums->n_open = 0;
        sums->waits_until = INT64_MIN;
    }
    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                      start = ps_chunk_value(chunk, PS_COL_START, i),
                      end = ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i));

        if (start < sums->range.from_ns || start >= sums->range.to_ns)
            continue;
        while (sums->n_open && sums->open[sums->n_open - 1].end <= start)
            sums->n_open--;
        if (kind == PS_SLICE_SYNC)
            add_wait(sums, start, end);
        else if (kind == PS_SLICE_OP || ps_slice_on_device(kind)) {
            add_nested(sums, end - start);
            open_operator(sums, end, add_call(sums, chunk, i));
        }
    }
    return true;
}

static enum ps_status read_sums(struct ps_db *db, const struct ps_track_set *tracks,
                                struct sums *sums, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .tracks = tracks,
        .slice_kinds = 1u << PS_SLICE_OP | 1u << PS_SLICE_KERNEL | 1u << PS_SLICE_MEMCPY |
                       1u << PS_SLICE_MEMSET | 1u << PS_SLICE_SYNC,
        .range = sums->range,
        .must_start_in_range = true,
        .columns = PS_XLA_CALL_COLUMNS | PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FAMILY),
        .wants_args = true};

    if (err->code == PS_OK)
        ps_xla_arguments_open(db, &sums->arguments, err);
    if (err->code == PS_OK)
        ps_trace_each_chunk(db, &query, visit, sums, err);
    return err->code;
}

static void free_sums(struct sums *sums)
{
    free(sums->rows);
    free(sums->open);
    ps_hash_table_free(&sums->by_name);
    ps_xla_arguments_close(&sums->arguments);
}

enum ps_status ps_make_xla_operators(struct ps_db *db, struct ps_params params,
                                     struct ps_computed_table *out, struct ps_err *err)
{
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    struct sums sums = {.n = 0};

    ps_param_range(params, &sums.range, err);
    ps_param_tracks(db, params, &tracks, err);
    if (read_sums(db, &tracks, &sums, err) == PS_OK)
        ps_computed_table_copy(out, PS_TEMP_XLA_OPERATORS, sums.rows, sums.n, sizeof *sums.rows,
                               N_COLUMNS);
    free_sums(&sums);
    return err->code;
}

static int by_name(const void *a, const void *b)
{
    const struct ps_xla_operator_sum *x = a, *y = b;

    return (x->name > y->name) - (x->name < y->name);
}

static int by_self(const void *a, const void *b)
{
    const struct ps_xla_operator_sum *x = a, *y = b;

    return x->self_ns != y->self_ns ? (x->self_ns < y->self_ns ? 1 : -1) : by_name(a, b);
}

/* Adds up rows of equal names; returns their number. */
static size_t join_names(struct ps_xla_operator_sum *rows, size_t n)
{
    size_t kept = 0;

    if (n)
        qsort(rows, n, sizeof *rows, by_name);
    for (size_t i = 0; i < n; i++) {
        if (!kept || rows[kept - 1].name != rows[i].name) {
            rows[kept++] = rows[i];
            continue;
        }
        rows[kept - 1].calls = ps_add_saturated(rows[kept - 1].calls, rows[i].calls);
        rows[kept - 1].self_ns = ps_add_saturated(rows[kept - 1].self_ns, rows[i].self_ns);
    }
    return kept;
}

enum ps_status ps_xla_worker_tracks(struct ps_db *db, uint32_t worker, struct ps_track_set *out,
                                    struct ps_err *err)
{
    PS_AUTO(ps_track_owners_free) struct ps_track_owners owners = {0};

    ps_track_owners_read(db, &owners, err);
    out->ids = ps_alloc_array(owners.n + 1, sizeof *out->ids);
    for (uint32_t id = 1; id < owners.n; id++)
        if (ps_track_owner_of(&owners, id).worker == worker)
            out->ids[out->n++] = id;
    return err->code;
}

enum ps_status ps_xla_operators_read(struct ps_db *db, uint32_t worker, struct ps_range range,
                                     struct ps_xla_operator_sum *out, size_t most, size_t *n,
                                     int64_t *all_ns, struct ps_err *err)
{
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    struct sums sums = {.range = range};
    struct ps_xla_operator_sum *rows;
    size_t n_rows = 0;

    *n = 0;
    *all_ns = 0;
    ps_xla_worker_tracks(db, worker, &tracks, err);
    read_sums(db, &tracks, &sums, err);
    rows = ps_alloc_array(sums.n + 1, sizeof *rows);
    for (size_t i = 0; i < sums.n; i++) {
        const int64_t *v = sums.rows[i].value;

        if (v[FAMILY] == PS_FAMILY_COMMUNICATION)
            continue;
        *all_ns = ps_add_saturated(*all_ns, v[SELF]);
        rows[n_rows++] = (struct ps_xla_operator_sum){(uint32_t)v[NAME], v[CALLS], v[SELF]};
    }
    n_rows = join_names(rows, n_rows);
    if (n_rows)
        qsort(rows, n_rows, sizeof *rows, by_self);
    for (; err->code == PS_OK && *n < n_rows && *n < most; (*n)++)
        out[*n] = rows[*n];
    free(rows);
    free_sums(&sums);
    return err->code;
}
