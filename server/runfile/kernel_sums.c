/* SPDX-License-Identifier: MIT */
#include "server/runfile/kernel_sums.h"

#include <stdlib.h>

#include "slices/args.h"
#include "slices/column.h"

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

/* Indices of these arguments in the parameters of a template; looked up once. */
struct places {
    bool is_known;
    int indices[N_WANTED]; /* -1: none */
};

/* The packed column of names of a chunk with operators. */
struct names {
    bool is_read;
    struct ps_buf raw;
};

struct sum_state {
    struct ps_db *db;
    struct ps_trace_cache *cache;
    struct ps_range range;
    bool by_launch;
    struct ps_kernel_sums *out;
    struct ps_err *err;
    struct places *param_indices;   /* by template */
    struct names *names;            /* by index of the chunk */
    const struct ps_chunk_row *row; /* of the current chunk */
};

/* --- Groups --- */

static bool is_sum(const void *items, uint32_t index, const void *key)
{
    const struct ps_kernel_sum *sum = (const struct ps_kernel_sum *)items + index;

    return memcmp(&sum->key, key, sizeof sum->key) == 0;
}

static struct ps_kernel_sum *sum_of(struct ps_kernel_sums *sums, const struct ps_kernel_key *key)
{
    uint32_t index = ps_hash_table_add(&sums->by_key, ps_hash_bytes(key, sizeof *key),
                                       (uint32_t)sums->n, is_sum, sums->items, key);

    if (index == sums->n) {
        PS_RESERVE_ONE(sums->items, sums->n, sums->cap);
        sums->items[sums->n++] =
            (struct ps_kernel_sum){.key = *key, .min_ns = INT64_MAX, .first_ns = INT64_MAX};
    }
    return &sums->items[index];
}

void ps_kernel_sums_free(struct ps_kernel_sums *sums)
{
    free(sums->items);
    ps_hash_table_free(&sums->by_key);
    *sums = (struct ps_kernel_sums){0};
}

/* --- Launch parameters --- */

static const struct places *places_of(struct sum_state *s, int64_t template)
{
    struct places *places;

    if (template <0 || (uint64_t) template >= s->cache->n_templates)
        template = 0;
    places = &s->param_indices[template];
    if (!places->is_known) {
        struct ps_str text = ps_trace_template(s->cache, template);

        for (int w = 0; w < N_WANTED; w++)
            places->indices[w] = ps_template_param(text, ps_str_from_c(wanted[w].key));
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
    return ps_args_param(ps_trace_template(s->cache, template),
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
    *sum += ps_num_real(value) * (double)duration;
    *weight += (double)duration;
}

/* Returns the text id of the operator that a slice belongs to; 0: none. Kernels of one stream are
 * launched by several threads in turn, so the packed columns of names are kept for all chunks. */
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

        if (ps_trace_reader_packed(reader, chunk, PS_COL_NAME, &raw, s->err) == PS_OK && raw.len)
            ps_buf_str(&names->raw, raw);
        ps_trace_reader_release(reader);
        names->is_read = true;
    }
    if (names->raw.len && !ps_column_unpack_one(ps_buf_slice(&names->raw), chunk->n,
                                                (uint32_t)slice - chunk->first, &name))
        (void)ps_trace_fail_damaged(s->err, "names of chunk", chunk->id);
    return name;
}

static void add_launch(struct sum_state *s, const struct ps_chunk *chunk, uint32_t i,
                       const struct places *places, struct ps_kernel_key *key)
{
    key->op = operator_name(s, ps_chunk_value(chunk, PS_COL_OP, i));
    for (int k = 0; k < 3; k++) {
        if (places->indices[GRID] >= 0)
            key->grid[k] = int_or_minus_one(kernel_param(s, chunk, i, places->indices[GRID] + k));
        if (places->indices[BLOCK] >= 0)
            key->block[k] = int_or_minus_one(kernel_param(s, chunk, i, places->indices[BLOCK] + k));
    }
    key->registers = int_or_minus_one(kernel_param(s, chunk, i, places->indices[REGISTERS]));
    key->shared = int_or_minus_one(kernel_param(s, chunk, i, places->indices[SHARED]));
}

/* --- Slices --- */

static void add_slice(struct sum_state *s, const struct ps_chunk *chunk, uint32_t i, int64_t kind)
{
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
    int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);
    const struct places *places = places_of(s, ps_chunk_value(chunk, PS_COL_TEMPLATE, i));
    struct ps_kernel_key key = {.name = ps_chunk_value(chunk, PS_COL_NAME, i),
                                .device = s->row->device,
                                .stream = s->row->stream,
                                .kind = kind,
                                .grid = {-1, -1, -1},
                                .block = {-1, -1, -1},
                                .registers = -1,
                                .shared = -1};
    struct ps_kernel_sum *sum;

    if (s->by_launch)
        add_launch(s, chunk, i, places, &key);
    sum = sum_of(s->out, &key);
    if (!sum->calls++)
        sum->family = (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i);
    sum->total_ns = (int64_t)((uint64_t)sum->total_ns + (uint64_t)duration);
    sum->min_ns = duration < sum->min_ns ? duration : sum->min_ns;
    sum->max_ns = duration > sum->max_ns ? duration : sum->max_ns;
    sum->first_ns = start < sum->first_ns ? start : sum->first_ns;
    sum->n_tensor_core += (ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_TENSOR_CORE) != 0;
    add_mean(kernel_param(s, chunk, i, places->indices[BLOCKS_PER_SM]), duration, &sum->blocks_sum,
             &sum->blocks_weight);
    add_mean(kernel_param(s, chunk, i, places->indices[OCCUPANCY]), duration, &sum->occupancy_sum,
             &sum->occupancy_weight);
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct sum_state *s = user;

    s->row = ps_trace_find_chunk(s->cache, ps_slice_id(chunk->track, chunk->first));
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);

        if (ps_slice_on_device(kind) && start >= s->range.from_ns && start < s->range.to_ns)
            add_slice(s, chunk, i, kind);
    }
    return s->err->code == PS_OK;
}

enum ps_status ps_kernel_sums_read(struct ps_db *db, struct ps_range range, bool by_launch,
                                   struct ps_kernel_sums *out, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .slice_kinds = 1u << PS_SLICE_KERNEL | 1u << PS_SLICE_MEMCPY | 1u << PS_SLICE_MEMSET,
        .range = range,
        .starting = true,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |
                   PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_TEMPLATE) |
                   PS_COL_BIT(PS_COL_ARGS_AT) | PS_COL_BIT(PS_COL_OP),
        .args = true,
    };
    struct sum_state s = {.db = db, .range = range, .by_launch = by_launch, .out = out, .err = err};

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
