/* SPDX-License-Identifier: MIT */
#include "server/query/trace/findings/trace_facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/query/trace/packed_rows.h"
#include "slices/kernel_names.h"

void ps_trace_facts_free(struct ps_trace_facts *facts)
{
    free(facts->devices);
    free(facts->optimizer_names);
    *facts = (struct ps_trace_facts){0};
}

static enum ps_status read_steps(struct ps_db *db, struct ps_trace_facts *facts, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_steps_span(db, &facts->span, err);
    ps_db_prepare(db, ps_query_sql("trace_step_facts"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    facts->n_steps = ps_col_int(stmt, 0);
    facts->wall_ns = ps_col_int(stmt, 1);
    facts->has_steps = ps_col_int(stmt, 2) != 0;
    return PS_OK;
}

/* Stores a part of a breakdown. The parts of TensorBoard are added in the order of
 * ps_breakdown_compute. */
static void add_part(struct ps_trace_facts *facts, int64_t definition, struct ps_str name,
                     int64_t ns)
{
    struct ps_part parts[PS_PARTS_MAX];
    const struct ps_intervals none[PS_N_ROLES] = {{0}};
    size_t n = ps_breakdown_compute(PS_BREAKDOWN_TENSORBOARD, none, none, 0, 0, parts);

    if (definition == PS_BREAKDOWN_TENSORBOARD)
        for (size_t i = 0; i < n; i++)
            if (ps_str_eq_c(name, parts[i].name))
                facts->tensorboard[i] = ns;
    if (definition == PS_BREAKDOWN_TRACELENS && ps_str_eq_c(name, "exposed communication"))
        facts->exposed_communication_ns = ns;
    if (definition == PS_BREAKDOWN_TRACELENS && ps_str_eq_c(name, "idle"))
        facts->idle_ns = ns;
}

static enum ps_status read_parts(struct ps_db *db, struct ps_trace_facts *facts, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_step_sums"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        add_part(facts, ps_col_int(stmt, 0), ps_col_text(stmt, 1), ps_col_int(stmt, 2));
    return err->code;
}

static enum ps_status read_device_word(struct ps_db *db, struct ps_trace_facts *facts,
                                       struct ps_err *err)
{
    return ps_trace_device_word(db, facts->device_word, err);
}

static enum ps_status read_devices(struct ps_db *db, struct ps_trace_facts *facts,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_device_facts"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str name = ps_col_text(stmt, 2);
        struct ps_device_fact device = {
            .worker = ps_col_int(stmt, 0),
            .device = ps_col_int(stmt, 1),
            .span_ns = ps_col_int(stmt, 3),
            .busy_ns = ps_col_int(stmt, 4),
            .kernel_ns = ps_col_int(stmt, 5),
            .kernels = ps_col_int(stmt, 6),
            .capability = ps_col_int(stmt, 7),
            .memory_bytes = ps_col_real(stmt, 8),
        };

        (void)snprintf(device.name, sizeof device.name, "%.*s", (int)(name.len % INT32_MAX),
                       name.ptr ? name.ptr : "");
        PS_RESERVE_ONE(facts->devices, facts->n_devices, facts->cap_devices);
        facts->devices[facts->n_devices++] = device;
    }
    return err->code;
}

/* Updates the peak memory of the devices, except the CPU (type 0): the greatest value of allocated
 * or reserved memory. torch's allocator reports reserved memory, which includes allocated
 * memory. */
static bool visit_memory(void *user, const struct ps_packed *part)
{
    struct ps_trace_facts *facts = user;

    for (size_t i = 0; i < part->n; i++) {
        int64_t held = part->column[PS_MEMORY_ALLOCATED][i];

        if (part->column[PS_MEMORY_RESERVED][i] > held)
            held = part->column[PS_MEMORY_RESERVED][i];
        if (part->column[PS_MEMORY_TYPE][i] == 0)
            continue;
        for (size_t k = 0; k < facts->n_devices; k++)
            if (facts->devices[k].worker == part->column[PS_MEMORY_WORKER][i] &&
                facts->devices[k].device == part->column[PS_MEMORY_DEVICE][i] &&
                facts->devices[k].peak_bytes < (double)held)
                facts->devices[k].peak_bytes = (double)held;
    }
    return true;
}

static enum ps_status read_peaks(struct ps_db *db, struct ps_trace_facts *facts, struct ps_err *err)
{
    struct ps_packed_query query = {
        .family = PS_PACKED_MEMORY,
        .range = PS_RANGE_ALL,
        .columns = 1u << PS_MEMORY_TYPE | 1u << PS_MEMORY_DEVICE | 1u << PS_MEMORY_ALLOCATED |
                   1u << PS_MEMORY_RESERVED | 1u << PS_MEMORY_WORKER,
    };

    return facts->n_devices ? ps_packed_each(db, &query, visit_memory, facts, err) : PS_OK;
}

static enum ps_status read_waiting(struct ps_db *db, struct ps_trace_facts *facts,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *sum = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *longest = NULL;

    ps_db_prepare(db, ps_query_sql("trace_idle_waiting"), &sum, err);
    ps_db_prepare(db, ps_query_sql("trace_longest_wait"), &longest, err);
    if (ps_stmt_step(sum, err))
        facts->waiting_ns = ps_col_int(sum, 0);
    if (ps_stmt_step(longest, err))
        facts->longest_wait = (struct ps_range){ps_col_int(longest, 0), ps_col_int(longest, 1)};
    return err->code;
}

static bool contains(struct ps_str text, const char *word)
{
    return ps_str_find(text, ps_str_from_c(word)) != NULL;
}

static bool starts_with_word(struct ps_str text, const char *word)
{
    return ps_str_starts_with(text, ps_str_from_c(word));
}

static void add_to_fact(struct ps_call_totals *sum, int64_t calls, int64_t ns)
{
    sum->calls += calls;
    sum->ns = ps_add_saturated(sum->ns, ns);
}

/* Adds a driver call (cuda..., hip..., xpu...) to the launches if it launches kernels, or to the
 * syncs if it waits for the device. */
static void add_runtime_fact(struct ps_trace_facts *facts, struct ps_str name, int64_t calls,
                             int64_t ns)
{
    if (contains(name, "LaunchKernel") || contains(name, "LaunchCooperative") ||
        contains(name, "GraphLaunch"))
        add_to_fact(&facts->launches, calls, ns);
    else if (contains(name, "DeviceSynchronize") || contains(name, "StreamSynchronize") ||
             contains(name, "EventSynchronize") || contains(name, "CtxSynchronize"))
        add_to_fact(&facts->syncs, calls, ns);
}

static void add_device_fact(struct ps_trace_facts *facts, struct ps_str name, int64_t kind,
                            int64_t calls, int64_t ns)
{
    enum ps_tensor_cores use = ps_kernel_tensor_cores(name);
    bool host_copy = contains(name, "HtoD") || contains(name, "DtoH");

    if (kind == PS_SLICE_MEMCPY && host_copy && contains(name, "Pageable"))
        add_to_fact(&facts->pageable, calls, ns);
    if (kind == PS_SLICE_KERNEL && use == PS_TENSOR_CORES_UNUSED)
        facts->no_tensor_cores_ns = ps_add_saturated(facts->no_tensor_cores_ns, ns);
    if (kind == PS_SLICE_KERNEL && use == PS_TENSOR_CORES_UNKNOWN)
        facts->unknown_tensor_cores_ns = ps_add_saturated(facts->unknown_tensor_cores_ns, ns);
    if (kind == PS_SLICE_KERNEL &&
        (contains(name, "multi_tensor_apply") || contains(name, "FusedAdam")))
        facts->has_fused_optimizer = true;
}

static void add_host_fact(struct ps_trace_facts *facts, struct ps_str name, uint32_t id,
                          int64_t calls, int64_t ns)
{
    if (starts_with_word(name, "Optimizer.step#")) {
        add_to_fact(&facts->optimizer, calls, ns);
        PS_RESERVE_ONE(facts->optimizer_names, facts->n_optimizer_names,
                       facts->cap_optimizer_names);
        facts->optimizer_names[facts->n_optimizer_names++] = id;
    } else if (starts_with_word(name, "aten::_foreach_") ||
               starts_with_word(name, "aten::_fused_")) {
        facts->has_fused_optimizer = true;
    } else if (starts_with_word(name, "DistributedDataParallel.forward")) {
        add_to_fact(&facts->distributed, calls, ns);
    } else if (starts_with_word(name, "DataParallel.forward")) {
        add_to_fact(&facts->data_parallel, calls, ns);
    } else if (starts_with_word(name, "gloo:") && ps_name_kind_of(name) == PS_NAME_COLLECTIVE) {
        add_to_fact(&facts->gloo, calls, ns);
    } else if (ps_str_eq_c(name, "aten::item")) {
        add_to_fact(&facts->item_calls, calls, ns);
    }
}

static enum ps_status read_operators(struct ps_db *db, struct ps_trace_facts *facts,
                                     struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_operator_facts"), &stmt, err);
    ps_bind_int(stmt, ":from", facts->span.from_ns);
    ps_bind_int(stmt, ":to", facts->span.to_ns);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str name = ps_col_text(stmt, 0);
        int64_t kind = ps_col_int(stmt, 2), calls = ps_col_int(stmt, 3);

        const int64_t call_times[3] = {calls, ps_col_int(stmt, 5), ps_col_int(stmt, 7)};

        if (kind == PS_SLICE_RUNTIME || kind == PS_SLICE_OSRT)
            ps_long_call_consider(&facts->long_call, name, (uint32_t)ps_col_int(stmt, 1), kind,
                                  call_times);
        if (kind == PS_SLICE_RUNTIME)
            add_runtime_fact(facts, name, calls, ps_col_int(stmt, 4));
        else if (ps_slice_on_device(kind))
            add_device_fact(facts, name, kind, calls, ps_col_int(stmt, 6));
        else
            add_host_fact(facts, name, (uint32_t)ps_col_int(stmt, 1), calls, ps_col_int(stmt, 5));
    }
    return err->code;
}

/* The ids of the host slices in one call of Optimizer.step. Ids of a track increase with the start
 * time. */
struct id_range {
    int64_t from, to; /* half-open range of slice ids */
};

struct chunk_visitor {
    struct ps_trace_facts *facts;
    struct id_range *optimizer; /* calls of Optimizer.step in the order of ids */
    size_t n, cap;
    uint32_t track;
    int64_t until; /* end of the current Optimizer.step of the track in ns; INT64_MIN: none */
};

static bool is_optimizer(const struct ps_trace_facts *facts, int64_t name)
{
    for (size_t i = 0; i < facts->n_optimizer_names; i++)
        if (facts->optimizer_names[i] == name)
            return true;
    return false;
}

static bool visit_host(void *user, const struct ps_chunk *chunk)
{
    struct chunk_visitor *p = user;

    if (chunk->track != p->track) {
        p->track = chunk->track;
        p->until = INT64_MIN;
    }
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), end;
        int64_t id = ps_slice_id(chunk->track, chunk->first + i);

        if (start < p->until)
            p->optimizer[p->n - 1].to = id + 1;
        else if (is_optimizer(p->facts, ps_chunk_value(chunk, PS_COL_NAME, i)) &&
                 !__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end)) {
            PS_RESERVE_ONE(p->optimizer, p->n, p->cap);
            p->optimizer[p->n++] = (struct id_range){id, id + 1};
            p->until = end;
        }
    }
    return true;
}

static bool in_optimizer(const struct chunk_visitor *p, int64_t op)
{
    size_t low = 0, high = p->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (p->optimizer[middle].to <= op)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->n && p->optimizer[low].from <= op;
}

static bool visit_device(void *user, const struct ps_chunk *chunk)
{
    struct chunk_visitor *p = user;
    struct ps_trace_facts *facts = p->facts;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);

        if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_KERNEL ||
            start < facts->span.from_ns || start >= facts->span.to_ns)
            continue;
        facts->kernels++;
        facts->kernel_ns = ps_add_saturated(facts->kernel_ns, duration);
        facts->tiny_kernels += duration < PS_TINY_KERNEL_NS;
        facts->optimizer_kernels += p->n && in_optimizer(p, ps_chunk_value(chunk, PS_COL_OP, i));
    }
    return true;
}

static enum ps_status read_slices(struct ps_db *db, struct ps_trace_facts *facts,
                                  struct ps_err *err)
{
    struct chunk_visitor chunk_visitor = {.facts = facts, .until = INT64_MIN};
    struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .range = facts->span,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_NAME),
    };

    if (facts->n_optimizer_names)
        ps_trace_each_chunk(db, &query, visit_host, &chunk_visitor, err);
    query.track_kinds = 1u << PS_TRACK_STREAM;
    query.columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                    PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_OP);
    ps_trace_each_chunk(db, &query, visit_device, &chunk_visitor, err);
    free(chunk_visitor.optimizer);
    return err->code;
}

enum ps_status ps_trace_facts_read(struct ps_db *db, struct ps_trace_facts *facts,
                                   struct ps_err *err)
{
    static enum ps_status (*const reads[])(struct ps_db *, struct ps_trace_facts *,
                                           struct ps_err *) = {
        read_steps,   read_parts,     read_device_word, read_devices,      read_peaks,
        read_waiting, read_operators, read_slices,      ps_long_call_find,
    };

    for (size_t i = 0; i < sizeof reads / sizeof *reads && err->code == PS_OK; i++)
        reads[i](db, facts, err);
    return err->code;
}
