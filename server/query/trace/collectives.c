/* SPDX-License-Identifier: MIT */
/*
 * collectives.c: the collectives of all workers.
 *
 * The i-th call of a collective on each worker is one operation of all workers. Its transfer time
 * is the shortest duration of these calls, because the worker that enters last does not wait. The
 * rest of each longer call is waiting (as in tb_plugin's distributed view). Transfer and waiting
 * are unknown if workers have different numbers of calls, or if there is only one worker.
 */
#include <stdlib.h>

#include "server/query/trace/overview.h"
#include "slices/args.h"

struct call {
    uint32_t name, worker;
    int64_t start_ns, ns, bytes;
};

struct collective_template {
    uint32_t id;
    char *text;
    size_t len;
    int elements; /* index of the parameter with the number of elements; negative: none */
    int64_t element_bytes;
};

struct call_collector {
    struct ps_db *db;
    struct ps_name_kinds name_kinds;
    struct call *calls;
    size_t n, cap;
    struct ps_track_owners owners;
    struct collective_template *templates;
    size_t n_templates, cap_templates;
    bool uses_host; /* true: no stream has collectives, so those of host threads are collected */
};

static void call_collector_free(struct call_collector *c)
{
    for (size_t i = 0; i < c->n_templates; i++)
        free(c->templates[i].text);
    free(c->templates);
    free(c->calls);
    ps_track_owners_free(&c->owners);
    ps_name_kinds_free(&c->name_kinds);
}

/* Returns the size in bytes of a torch scalar type, whose name is quoted as in the arguments of
 * record_param_comms; 0: unknown type. */
static int64_t bytes_of_type(struct ps_str quoted)
{
    static const struct {
        const char *word;
        int64_t bytes;
    } types[] = {{"\"Float\"", 4}, {"\"Half\"", 2},  {"\"BFloat16\"", 2}, {"\"Long\"", 8},
                 {"\"Int\"", 4},   {"\"Byte\"", 1},  {"\"Char\"", 1},     {"\"Bool\"", 1},
                 {"\"Short\"", 2}, {"\"Double\"", 8}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ps_str_eq_c(quoted, types[i].word))
            return types[i].bytes;
    return 0;
}

static enum ps_status read_templates(struct call_collector *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(c->db, ps_query_sql("trace_collective_templates"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str text = ps_col_text(stmt, 1);

        PS_RESERVE_ONE(c->templates, c->n_templates, c->cap_templates);
        c->templates[c->n_templates++] = (struct collective_template){
            .id = (uint32_t)ps_col_int(stmt, 0),
            .text = ps_strdup(text),
            .len = text.len,
            .elements = ps_template_param(text, PS_STR("In msg nelems")),
            .element_bytes = bytes_of_type(ps_template_value(text, PS_STR("dtype"), false)),
        };
    }
    return err->code;
}

static int64_t bytes_of(const struct call_collector *c, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t id = ps_chunk_value(chunk, PS_COL_TEMPLATE, i),
            at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);
    struct ps_str args = ps_str_skip(chunk->args, at > 0 ? (size_t)at : 0);

    for (size_t k = 0; k < c->n_templates; k++) {
        const struct collective_template *t = &c->templates[k];
        struct ps_num elements;

        if (t->id != id || t->elements < 0)
            continue;
        elements = ps_args_param((struct ps_str){t->text, t->len}, args, t->elements);
        if (elements.kind == PS_NUM_INT && elements.i > 0 && elements.i < INT64_MAX / 16)
            return elements.i * t->element_bytes;
    }
    return 0;
}

static bool is_call(struct call_collector *c, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i),
            name = ps_chunk_value(chunk, PS_COL_NAME, i);
    enum ps_name_kind meaning;

    if (c->uses_host ? kind != PS_SLICE_OP && kind != PS_SLICE_ANNOTATION : kind != PS_SLICE_KERNEL)
        return false;
    meaning = ps_name_kind_get(c->db, &c->name_kinds, name);
    return ps_role_of(kind, ps_chunk_value(chunk, PS_COL_FLAGS, i), meaning) ==
           PS_ROLE_COMMUNICATION;
}

static bool visit_chunk(void *user, const struct ps_chunk *chunk)
{
    struct call_collector *c = user;
    uint32_t worker = ps_track_owner_of(&c->owners, chunk->track).worker;

    for (uint32_t i = 0; i < chunk->n && !ps_context_has_ended(); i++) {
        if (!is_call(c, chunk, i))
            continue;
        PS_RESERVE_ONE(c->calls, c->n, c->cap);
        c->calls[c->n++] = (struct call){
            .name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i),
            .worker = worker,
            .start_ns = ps_chunk_value(chunk, PS_COL_START, i),
            .ns = ps_chunk_value(chunk, PS_COL_DURATION, i),
            .bytes = bytes_of(c, chunk, i),
        };
    }
    return true;
}

static int by_name_worker_start(const void *a, const void *b)
{
    const struct call *x = a, *y = b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->worker != y->worker)
        return x->worker < y->worker ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Returns whether each of the workers (at least 2) made the same number of the n calls, which have
 * one name and are sorted by worker. */
static bool is_same_per_worker(const struct call *calls, size_t n, uint32_t workers)
{
    size_t each = workers ? n / workers : 0;

    if (workers < 2 || each * workers != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (calls[i].worker != i / each)
            return false;
    return true;
}

static void write_collective(const struct call_collector *c, const struct call *calls, size_t n,
                             struct ps_json *json)
{
    uint32_t workers = c->owners.n_workers;
    int64_t total = 0, transfer = 0, bytes = 0;

    for (size_t i = 0; i < n; i++) {
        total = ps_add_saturated(total, calls[i].ns);
        bytes = ps_add_saturated(bytes, calls[i].bytes);
    }
    ps_json_object(json);
    ps_json_key(json, "name");
    ps_json_str(json, ps_trace_text(c->db, calls->name));
    ps_json_key_int(json, "calls", (int64_t)n);
    ps_json_key_int(json, "bytes", bytes);
    ps_json_key_int(json, "total_ns", total);
    if (is_same_per_worker(calls, n, workers)) {
        size_t each = n / workers;

        for (size_t i = 0; i < each; i++) {
            int64_t shortest = calls[i].ns;

            for (uint32_t w = 1; w < workers; w++)
                if (calls[w * each + i].ns < shortest)
                    shortest = calls[w * each + i].ns;
            for (uint32_t w = 0; w < workers; w++)
                transfer = ps_add_saturated(transfer, shortest);
        }
        ps_json_key_int(json, "transfer_ns", transfer);
        ps_json_key_int(json, "wait_ns", total - transfer);
    } else {
        ps_json_key(json, "transfer_ns");
        ps_json_null(json);
        ps_json_key(json, "wait_ns");
        ps_json_null(json);
    }
    ps_json_end(json);
}

static enum ps_status collect_calls(struct call_collector *c, struct ps_err *err)
{
    struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_STREAM,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |
                   PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT),
        .wants_args = true,
    };

    read_templates(c, err);
    ps_track_owners_read(c->db, &c->owners, err);
    ps_trace_each_chunk(c->db, &query, visit_chunk, c, err);
    if (err->code != PS_OK || c->n)
        return err->code;
    c->uses_host = true;
    query.track_kinds = 1u << PS_TRACK_THREAD;
    return ps_trace_each_chunk(c->db, &query, visit_chunk, c, err);
}

enum ps_status ps_json_collectives(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    struct call_collector c = {.db = db};

    collect_calls(&c, err);
    if (c.n)
        qsort(c.calls, c.n, sizeof *c.calls, by_name_worker_start);
    ps_json_array(json);
    for (size_t i = 0, end; i < c.n && err->code == PS_OK; i = end) {
        for (end = i + 1; end < c.n && c.calls[end].name == c.calls[i].name;)
            end++;
        write_collective(&c, &c.calls[i], end - i, json);
    }
    ps_json_end(json);
    call_collector_free(&c);
    return err->code;
}
