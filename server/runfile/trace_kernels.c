/* SPDX-License-Identifier: MIT */
/* trace_kernels.c: the table-valued function ps_kernels(from_ns, to_ns, by_launch, in_steps,
 * tracks): device work grouped by name, device and stream, and with by_launch also by launch
 * parameters and operator; with in_steps only what starts in counted steps, with tracks (ids
 * separated by commas) only the work of these. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash_table.h"
#include "base/saturated.h"
#include "server/runfile/trace_reader.h"
#include "server/runfile/trace_steps.h"
#include "slices/args.h"
#include "slices/column.h"
#include "slices/kernel_names.h"

/* Key of a group. -1: the trace lacks the value, or it was not requested. The struct has no
 * padding, since its bytes are compared. */
struct kernel_key {
    int64_t name, device, stream, kind;
    int64_t op; /* text id of the operator's name; 0: none */
    int64_t grid[3], block[3], registers, shared;
};

struct kernel_sum {
    struct kernel_key key;
    uint8_t family;
    int64_t calls, total_ns, min_ns, max_ns, first_ns;
    double blocks_sum, blocks_weight; /* for the mean of blocks per SM, weighted by duration */
    double occupancy_sum, occupancy_weight;
};

struct kernel_sums {
    struct kernel_sum *items;
    size_t n, cap;
    struct ps_hash_table by_key; /* maps a key to its index in `items` */
};

/* The arguments of a kernel that are read here. */
enum wanted_arg { GRID, BLOCK, REGISTERS, SHARED, BLOCKS_PER_SM, OCCUPANCY, N_WANTED };

static const struct {
    const char *key;
    int n;
} wanted[N_WANTED] = {
    [GRID] = {"grid", 3},
    [BLOCK] = {"block", 3},
    [REGISTERS] = {"registers per thread", 1},
    [SHARED] = {"shared memory", 1},
    [BLOCKS_PER_SM] = {"blocks per SM", 1},
    [OCCUPANCY] = {"est. achieved occupancy %", 1},
};

/* What XLA writes of the launch of a kernel, as one text; -1: unknown. XLA
 * writes an occupancy of 0 if it did not compute one. */
struct xla_launch {
    int64_t grid[3], block[3], registers, shared, occupancy;
};

/* Indices of the wanted arguments in the parameters of a template; looked up once. */
struct places {
    bool is_known;
    int indices[N_WANTED]; /* -1: none */
    struct xla_launch launch;
};

/* The packed column PS_COL_NAME of a chunk that contains operators. */
struct names {
    bool is_read;
    struct ps_buf raw;
};

struct sum_state {
    struct ps_db *db;
    struct ps_trace_cache *cache;
    struct ps_range range;
    const struct ps_intervals *steps; /* NULL: all of the range */
    bool by_launch;
    struct kernel_sums *out;
    struct ps_err *err;
    struct places *param_indices;   /* by template */
    struct names *names;            /* by index of the chunk in `cache` */
    const struct ps_chunk_row *row; /* row of the current chunk */
};

/* --- Groups --- */

static bool is_sum(const void *items, uint32_t index, const void *key)
{
    const struct kernel_sum *sum = (const struct kernel_sum *)items + index;

    return memcmp(&sum->key, key, sizeof sum->key) == 0;
}

static struct kernel_sum *sum_of(struct kernel_sums *sums, const struct kernel_key *key)
{
    uint32_t index = ps_hash_table_add(&sums->by_key, ps_hash_bytes(key, sizeof *key),
                                       (uint32_t)sums->n, is_sum, sums->items, key);

    if (index == sums->n) {
        PS_RESERVE_ONE(sums->items, sums->n, sums->cap);
        sums->items[sums->n++] =
            (struct kernel_sum){.key = *key, .min_ns = INT64_MAX, .first_ns = INT64_MAX};
    }
    return &sums->items[index];
}

static void free_sums(struct kernel_sums *sums)
{
    free(sums->items);
    ps_hash_table_free(&sums->by_key);
    *sums = (struct kernel_sums){0};
}

/* --- Launch parameters --- */

/* Reads numbers with commas between them after `word`, such as "16,1,1" after " grid:". */
static void read_numbers(struct ps_str text, const char *word, int64_t *out, size_t n)
{
    const char *at = ps_str_find(text, ps_str_from_c(word));
    struct ps_str rest =
        at ? ps_str_skip(text, (size_t)(at - text.ptr) + strlen(word)) : (struct ps_str){0};

    for (size_t i = 0; i < n; i++) {
        size_t digits = 0;

        while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9')
            digits++;
        if (!ps_str_parse_i64((struct ps_str){rest.ptr, digits}, &out[i]))
            return;
        rest = ps_str_skip(rest, digits + (digits < rest.len && rest.ptr[digits] == ','));
    }
}

/* " regs:32 static_shared:0 dynamic_shared:1024 grid:16,1,1 block:512,1,1 occ_pct:50" */
static void read_launch(struct ps_str template, struct xla_launch *out)
{
    const struct ps_str text = ps_template_string(template, PS_STR("kernel_details"));
    int64_t fixed = -1, dynamic = -1;

    *out = (struct xla_launch){{-1, -1, -1}, {-1, -1, -1}, -1, -1, -1};
    if (!text.len)
        return;
    read_numbers(text, "grid:", out->grid, 3);
    read_numbers(text, "block:", out->block, 3);
    read_numbers(text, "regs:", &out->registers, 1);
    read_numbers(text, "static_shared:", &fixed, 1);
    read_numbers(text, "dynamic_shared:", &dynamic, 1);
    read_numbers(text, "occ_pct:", &out->occupancy, 1);
    if (fixed >= 0 || dynamic >= 0)
        out->shared = ps_add_saturated(fixed > 0 ? fixed : 0, dynamic > 0 ? dynamic : 0);
}

static const struct places *places_of(struct sum_state *s, int64_t template)
{
    struct places *places;

    if (template <0 || (uint64_t) template >= s->cache->n_templates)
        template = 0;
    places = &s->param_indices[template];
    if (!places->is_known) {
        struct ps_str text = ps_trace_cache_template(s->cache, template);

        for (int w = 0; w < N_WANTED; w++)
            places->indices[w] = ps_template_param(text, ps_str_from_c(wanted[w].key));
        read_launch(text, &places->launch);
        places->is_known = true;
    }
    return places;
}

static struct ps_num kernel_param(struct sum_state *s, const struct ps_chunk *chunk, uint32_t i,
                                  int index)
{
    int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i);
    int64_t at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);

    if (index < 0 || at < 0 || (uint64_t)at > chunk->args.len)
        return (struct ps_num){0};
    return ps_args_param(ps_trace_cache_template(s->cache, template),
                         ps_str_skip(chunk->args, (size_t)at), index);
}

static int64_t int_or_minus_one(struct ps_num n)
{
    return n.kind == PS_NUM_INT ? n.i : -1;
}

static void add_mean(struct ps_num value, int64_t duration, double *sum, double *weight)
{
    if (value.kind == PS_NUM_NONE)
        return;
    *sum += ps_num_to_real(value) * (double)duration;
    *weight += (double)duration;
}

/* Returns the text id of the name of the operator `slice` (a slice id; 0: none). Several threads
 * launch kernels of one stream alternately, so the packed names of all chunks are cached. */
static int64_t operator_name(struct sum_state *s, int64_t slice)
{
    const struct ps_chunk_row *chunk = slice ? ps_trace_find_chunk(s->cache, slice) : NULL;
    struct names *names;
    int64_t name = 0;

    if (!chunk)
        return 0;
    names = &s->names[chunk - s->cache->chunks];
    if (!names->is_read) {
        struct ps_trace_reader *reader = ps_trace_reader_acquire(s->db);
        struct ps_str raw;

        if (ps_trace_reader_read_packed(reader, chunk, PS_COL_NAME, &raw, s->err) == PS_OK &&
            raw.len)
            ps_buf_add_str(&names->raw, raw);
        ps_trace_reader_release(reader);
        names->is_read = true;
    }
    if (names->raw.len && !ps_column_unpack_one(ps_buf_slice(&names->raw), chunk->n,
                                                (uint32_t)slice - chunk->first_row, &name))
        (void)ps_trace_fail_damaged(s->err, "names of chunk", chunk->id);
    return name;
}

static void add_launch(struct sum_state *s, const struct ps_chunk *chunk, uint32_t i,
                       const struct places *places, struct kernel_key *key)
{
    key->op = operator_name(s, ps_chunk_value(chunk, PS_COL_OP, i));
    memcpy(key->grid, places->launch.grid, sizeof key->grid);
    memcpy(key->block, places->launch.block, sizeof key->block);
    for (int k = 0; k < 3; k++) {
        if (places->indices[GRID] >= 0)
            key->grid[k] = int_or_minus_one(kernel_param(s, chunk, i, places->indices[GRID] + k));
        if (places->indices[BLOCK] >= 0)
            key->block[k] = int_or_minus_one(kernel_param(s, chunk, i, places->indices[BLOCK] + k));
    }
    key->registers = places->indices[REGISTERS] >= 0
                         ? int_or_minus_one(kernel_param(s, chunk, i, places->indices[REGISTERS]))
                         : places->launch.registers;
    key->shared = places->indices[SHARED] >= 0
                      ? int_or_minus_one(kernel_param(s, chunk, i, places->indices[SHARED]))
                      : places->launch.shared;
}

/* --- Slices --- */

static void add_slice(struct sum_state *s, const struct ps_chunk *chunk, uint32_t i, int64_t kind)
{
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
    int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);
    const struct places *places = places_of(s, ps_chunk_value(chunk, PS_COL_TEMPLATE, i));
    struct kernel_key key = {.name = ps_chunk_value(chunk, PS_COL_NAME, i),
                             .device = s->row->device,
                             .stream = s->row->stream,
                             .kind = kind,
                             .grid = {-1, -1, -1},
                             .block = {-1, -1, -1},
                             .registers = -1,
                             .shared = -1};
    struct kernel_sum *sum;

    if (s->by_launch)
        add_launch(s, chunk, i, places, &key);
    sum = sum_of(s->out, &key);
    if (!sum->calls++)
        sum->family = (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i);
    sum->total_ns = (int64_t)((uint64_t)sum->total_ns + (uint64_t)duration);
    sum->min_ns = duration < sum->min_ns ? duration : sum->min_ns;
    sum->max_ns = duration > sum->max_ns ? duration : sum->max_ns;
    sum->first_ns = start < sum->first_ns ? start : sum->first_ns;
    add_mean(kernel_param(s, chunk, i, places->indices[BLOCKS_PER_SM]), duration, &sum->blocks_sum,
             &sum->blocks_weight);
    add_mean(places->launch.occupancy > 0 ? ps_int(places->launch.occupancy)
                                          : kernel_param(s, chunk, i, places->indices[OCCUPANCY]),
             duration, &sum->occupancy_sum, &sum->occupancy_weight);
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct sum_state *s = user;

    s->row = ps_trace_find_chunk(s->cache, ps_slice_id(chunk->track, chunk->first));
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);

        if (ps_slice_on_device(kind) && start >= s->range.from_ns && start < s->range.to_ns &&
            (!s->steps || ps_intervals_contain(s->steps, start)))
            add_slice(s, chunk, i, kind);
    }
    return s->err->code == PS_OK;
}

/* steps: as in struct sum_state */
static enum ps_status read_sums(struct ps_db *db, struct ps_range range,
                                const struct ps_track_set *tracks, const struct ps_intervals *steps,
                                bool by_launch, struct kernel_sums *out, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .tracks = tracks,
        .slice_kinds = 1u << PS_SLICE_KERNEL | 1u << PS_SLICE_MEMCPY | 1u << PS_SLICE_MEMSET,
        .range = range,
        .must_start_in_range = true,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FAMILY) |
                   PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT) | PS_COL_BIT(PS_COL_OP),
        .wants_args = true,
    };
    struct sum_state s = {
        .db = db, .range = range, .steps = steps, .by_launch = by_launch, .out = out, .err = err};

    if (ps_trace_cache_load_texts(db, &s.cache, err) != PS_OK)
        return err->code;
    s.param_indices = ps_alloc_array(s.cache->n_templates + 1, sizeof *s.param_indices);
    s.names = ps_alloc_array(s.cache->n_chunks + 1, sizeof *s.names);
    (void)ps_trace_each_chunk(db, &query, add_chunk, &s, err);
    for (size_t i = 0; i < s.cache->n_chunks; i++)
        ps_buf_free(&s.names[i].raw);
    free(s.names);
    free(s.param_indices);
    return err->code;
}

/* --- The table --- */

#define SCHEMA                                                                                     \
    "CREATE TABLE x(name, device, stream, kind, family, calls, total_ns, min_ns, max_ns,"          \
    " blocks_per_sm, occupancy_pct, tensor_core, first_ns, operator, grid, block, registers,"      \
    " shared_bytes, from_ns HIDDEN, to_ns HIDDEN, by_launch HIDDEN, in_steps HIDDEN, tracks HIDDEN)"

enum {
    C_BLOCKS = 9,
    C_OCCUPANCY,
    C_TENSOR,
    C_FIRST,
    C_OPERATOR,
    C_GRID,
    C_BLOCK,
    C_REGISTERS,
    C_SHARED,
    HIDDEN
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct ps_db *db;
    struct kernel_sums sums;
    bool by_launch;
    size_t index;
};

static int best_kernels(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return ps_table_plan_arguments(info, HIDDEN, 5);
}

static void release(sqlite3_vtab_cursor *base)
{
    free_sums(&((struct cursor *)base)->sums);
}

static int filter_kernels(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                          sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    struct ps_db *db = ((struct ps_table *)base->pVtab)->db;
    sqlite3_value *by_launch = ps_table_argument(plan, argv, 2),
                  *in_steps = ps_table_argument(plan, argv, 3);
    const bool only_steps = in_steps && sqlite3_value_int(in_steps);
    PS_AUTO(ps_step_times_free) struct ps_step_times times = {.host = {NULL, 0, 0}};
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_range range;

    (void)name, (void)argc;
    free_sums(&cursor->sums);
    cursor->db = db;
    cursor->index = 0;
    cursor->by_launch = by_launch && sqlite3_value_int(by_launch);
    (void)ps_table_read_range(plan, argv, &range);
    ps_table_read_tracks(db, plan, argv, 4, &tracks, &err);
    if (only_steps)
        ps_trace_step_times(db, &times, &err);
    if (err.code == PS_OK)
        read_sums(db, range, &tracks, only_steps ? &times.device : NULL, cursor->by_launch,
                  &cursor->sums, &err);
    if (err.code != PS_OK)
        return ps_table_fail(base->pVtab, &err);
    return SQLITE_OK;
}

static int next_kernel(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->index++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->index >= cursor->sums.n;
}

static void result_mean(sqlite3_context *context, double sum, double weight)
{
    if (weight > 0)
        sqlite3_result_double(context, sum / weight);
}

/* NULL for copies, sets and kernels whose name says nothing. */
static void result_tensor_cores(sqlite3_context *context, struct ps_db *db,
                                const struct kernel_key *key)
{
    enum ps_tensor_cores use = ps_kernel_tensor_cores(ps_trace_text(db, (uint32_t)key->name));

    if (key->kind == PS_SLICE_KERNEL && use != PS_TENSOR_CORES_UNKNOWN)
        sqlite3_result_int(context, use == PS_TENSOR_CORES_USED);
}

static void result_size(sqlite3_context *context, const int64_t size[3])
{
    char text[80];

    if (size[0] >= 0)
        sqlite3_result_text(context, text,
                            snprintf(text, sizeof text, "%lld, %lld, %lld", (long long)size[0],
                                     (long long)size[1], (long long)size[2]),
                            SQLITE_TRANSIENT);
}

static void result_known(sqlite3_context *context, int64_t value)
{
    if (value >= 0)
        sqlite3_result_int64(context, value);
}

static int kernel_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct kernel_sum *k = &cursor->sums.items[cursor->index];
    const struct kernel_key *key = &k->key;
    const int64_t plain[] = {key->name, key->device, key->stream, key->kind, k->family,
                             k->calls,  k->total_ns, k->min_ns,   k->max_ns};

    if (column < C_BLOCKS)
        sqlite3_result_int64(context, plain[column]);
    else if (column == C_BLOCKS)
        result_mean(context, k->blocks_sum, k->blocks_weight);
    else if (column == C_OCCUPANCY)
        result_mean(context, k->occupancy_sum, k->occupancy_weight);
    else if (column == C_TENSOR)
        result_tensor_cores(context, cursor->db, key);
    else if (column == C_FIRST)
        sqlite3_result_int64(context, k->first_ns);
    else if (!cursor->by_launch)
        return SQLITE_OK;
    else if (column == C_OPERATOR)
        result_known(context, key->op ? (int64_t)key->op : -1);
    else if (column == C_GRID)
        result_size(context, key->grid);
    else if (column == C_BLOCK)
        result_size(context, key->block);
    else if (column == C_REGISTERS)
        result_known(context, key->registers);
    else if (column == C_SHARED)
        result_known(context, key->shared);
    return SQLITE_OK;
}

static int kernel_row(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct cursor *)base)->index;
    return SQLITE_OK;
}

static const sqlite3_module kernels_module = {
    PS_TABLE_METHODS, .xBestIndex = best_kernels, .xFilter = filter_kernels, .xNext = next_kernel,
    .xEof = at_end,   .xColumn = kernel_column,   .xRowid = kernel_row,
};

const struct ps_table_kind ps_kernels_table = {"ps_kernels", SCHEMA, sizeof(struct cursor), release,
                                               &kernels_module};
