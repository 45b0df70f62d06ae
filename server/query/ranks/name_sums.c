/* SPDX-License-Identifier: MIT */
/* name_sums.c: sums of the collectives by name, for the view workers. They are those of the view
 * ranks, added up over process groups and sizes of messages. */
#include "server/query/ranks/ranks.h"
#include "server/query/trace/utilisation/overview.h"
#include "slices/intervals.h"

struct name_sum {
    int64_t calls, bytes, total_ns;
    /* of matched calls: of each the shortest duration over the ranks */
    int64_t n_matched, transfer_ns;
};

static void add_calls(const struct ps_rank_calls *calls, const uint32_t *name_of_key,
                      struct name_sum *sums)
{
    for (size_t i = 0; i < calls->n; i++) {
        struct name_sum *sum = &sums[name_of_key[calls->items[i].key]];

        sum->calls++;
        sum->bytes = ps_add_saturated(sum->bytes, calls->items[i].bytes);
        sum->total_ns = ps_add_saturated(sum->total_ns, calls->items[i].duration_ns);
    }
    for (size_t i = 0; i < calls->n_ops; i++) {
        struct name_sum *sum = &sums[name_of_key[calls->ops[i].key]];

        sum->n_matched += calls->ops[i].n;
        for (uint32_t k = 0; k < calls->ops[i].n; k++)
            sum->transfer_ns = ps_add_saturated(sum->transfer_ns, calls->ops[i].transfer_ns);
    }
}

static void write_sum(struct ps_str name, const struct name_sum *sum, struct ps_json *json)
{
    bool is_matched = sum->n_matched == sum->calls;

    ps_json_object(json);
    ps_json_key(json, "name");
    ps_json_str(json, name);
    ps_json_key_int(json, "calls", sum->calls);
    ps_json_key_int(json, "bytes", sum->bytes);
    ps_json_key_int(json, "total_ns", sum->total_ns);
    ps_json_key_int_or_null(json, "transfer_ns", sum->transfer_ns, is_matched);
    ps_json_key_int_or_null(json, "wait_ns", sum->total_ns - sum->transfer_ns, is_matched);
    ps_json_end(json);
}

static void write_sums(const struct ps_rank_calls *calls, struct ps_json *json)
{
    PS_AUTO(ps_intern_free) struct ps_intern names = {0};
    PS_AUTO(ps_free_ptr)
    uint32_t *name_of_key = ps_alloc_array(calls->n_keys + 1, sizeof *name_of_key);
    PS_AUTO(ps_free_ptr) struct name_sum *sums = ps_alloc_array(calls->n_keys + 1, sizeof *sums);

    for (size_t i = 0; i < calls->n_keys; i++)
        name_of_key[i] = ps_intern_add(&names, calls->keys[i].name);
    add_calls(calls, name_of_key, sums);
    ps_json_array(json);
    for (uint32_t i = 0; i < names.count; i++)
        if (sums[i].calls)
            write_sum(names.items[i], &sums[i], json);
    ps_json_end(json);
}

enum ps_status ps_json_collectives(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_ranks_auto) struct ps_ranks *ranks = NULL;
    bool has_columns = false;

    if (ps_ranks_find_columns(db, &has_columns, err) == PS_OK && !has_columns)
        ps_json_null(json);
    else if (ps_ranks_acquire(db, NULL, &ranks, err) == PS_OK)
        write_sums(&ranks->calls, json);
    return err->code;
}
