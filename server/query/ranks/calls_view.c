/* SPDX-License-Identifier: MIT */
/* calls_view.c: the view ranks/calls: the calls of a collective, most waiting first. */
#include <stdlib.h>

#include "server/query/ranks/ranks.h"

#define CALLS_MAX 1000 /* rows */

static void write_op(const struct ps_ranks *ranks, size_t i, struct ps_json *json)
{
    const struct ps_rank_op *op = &ranks->calls.ops[i];

    ps_json_object(json);
    ps_json_key_int(json, "call", (int64_t)i);
    ps_json_key_int(json, "collective", ranks->collective_of_op[i]);
    ps_json_key_int_or_null(json, "step", op->step, op->step != PS_STEP_NONE);
    ps_json_key_int_or_null(json, "sequence", ranks->calls.items[op->first].sequence,
                            ranks->calls.keys[op->key].has_sequence);
    ps_json_key_int(json, "ranks", op->n);
    ps_json_key_int(json, "transfer_ns", op->transfer_ns);
    ps_json_key_int(json, "spread_ns", op->spread_ns);
    ps_json_key_int(json, "wait_ns", op->wait_ns / (op->n - 1));
    ps_json_key_int_or_null(json, "last", op->last, op->last != PS_RANK_NONE);
    ps_json_end(json);
}

/* A collective and the time by which the rows of ranks/calls are sorted. */
struct op_order {
    int64_t wait_ns;
    uint32_t op;
};

static int by_longest_wait(const void *a, const void *b)
{
    const struct op_order *x = a, *y = b;

    if (x->wait_ns != y->wait_ns)
        return x->wait_ns > y->wait_ns ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

enum ps_status ps_view_rank_calls(struct ps_db *db, const struct ps_view *view, int64_t id,
                                  struct ps_params params, struct ps_answer *answer,
                                  struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ps_ranks_auto) struct ps_ranks *ranks = NULL;
    PS_AUTO(ps_free_ptr) struct op_order *list = NULL;
    int64_t collective, step, limit;
    size_t n = 0;

    (void)view, (void)id;
    ps_param_int(params, "collective", 0, UINT32_MAX, -1, &collective, err);
    ps_param_int(params, "step", 0, PS_STEP_NONE - 1, -1, &step, err);
    ps_param_int(params, "limit", 1, CALLS_MAX, 100, &limit, err);
    if (ps_ranks_acquire(db, ps_param_get(params, "steps"), &ranks, err) != PS_OK)
        return err->code;
    list = ps_alloc_array(ranks->calls.n_ops + 1, sizeof *list);
    for (size_t i = 0; i < ranks->calls.n_ops; i++) {
        const struct ps_rank_op *op = &ranks->calls.ops[i];

        if ((collective < 0 || ranks->collective_of_op[i] == collective) &&
            (step < 0 || op->step == step))
            list[n++] = (struct op_order){op->wait_ns / (op->n - 1), (uint32_t)i};
    }
    if (n)
        qsort(list, n, sizeof *list, by_longest_wait);
    ps_json_object(&json);
    ps_json_key_int(&json, "total", (int64_t)n);
    ps_json_key(&json, "rows");
    ps_json_array(&json);
    for (size_t i = 0; i < n && i < (size_t)limit; i++)
        write_op(ranks, list[i].op, &json);
    ps_json_end(&json);
    ps_json_end(&json);
    return err->code;
}
