/* SPDX-License-Identifier: MIT */
/* series.c: memory allocated with CUDA, and metrics that GPUs measured over time. */
#include "importers/nsys/nsys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "slices/spans.h"

/* --- Memory --- */

enum { START, PROCESS, DEVICE, ADDRESS, BYTES, OPERATION, KIND };
static const char *const memory_columns[] = {"start", "globalPid",           "deviceId", "address",
                                             "bytes", "memoryOperationType", "memKind"};
enum { OPERATION_FREE = 1 };
enum { KIND_PAGEABLE = 0, KIND_PINNED = 1 };
enum { TYPE_CPU = 0, TYPE_CUDA = 1 }; /* PyTorch's numbers of device types */

/* A change of the memory in use. Sorted by time before they are written, since each record has the
 * total after it. */
struct use {
    int64_t t;
    int64_t process, device, address, bytes; /* bytes < 0: freed; device -1: of the host */
};
struct ns_uses {
    struct use *at;
    size_t n, cap;
};

static enum ns_fate memory_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct ns_uses *uses = r->uses;
    struct use use = {0};
    int64_t operation = 0, kind = -1;

    if (!ps_rows_int(rows, START, &use.t))
        return ns_reject(r, "the row has no start time");
    if (use.t > INT64_MAX / 4 || use.t < -(INT64_MAX / 4))
        return ns_reject(r, "the start time is out of range");
    if (!ps_rows_int(rows, BYTES, &use.bytes) || use.bytes < 0)
        return ns_reject(r, "the row has no size in bytes");
    (void)ps_rows_int(rows, PROCESS, &use.process);
    (void)ps_rows_int(rows, DEVICE, &use.device);
    (void)ps_rows_int(rows, ADDRESS, &use.address);
    (void)ps_rows_int(rows, OPERATION, &operation);
    (void)ps_rows_int(rows, KIND, &kind);
    use.device = kind == KIND_PAGEABLE || kind == KIND_PINNED
                     ? -1
                     : ns_device_of(r, ns_pid(use.process), use.device);
    use.bytes = operation == OPERATION_FREE ? -use.bytes : use.bytes;
    TR_SCRATCH_PUSH(r->trace.scratch, uses->at, uses->n, uses->cap);
    uses->at[uses->n++] = use;
    return NS_STORED;
}

#define DEVICES_MOST 64

static enum ps_status give_uses(struct ns_reader *r, struct ns_uses *uses)
{
    int64_t totals[DEVICES_MOST + 1] = {0};
    struct tr_record record = {.ph = 'i', .dur = TR_NO_DURATION};

    if (!uses->n)
        return PS_OK;
    record.name = tr_text_id(&r->trace, PS_STR("[memory]"));
    ps_sort_runs(uses->at, uses->n, sizeof *uses->at);
    for (size_t i = 0; i < uses->n; i++) {
        const struct use *use = &uses->at[i];
        bool counted = use->device >= -1 && use->device < DEVICES_MOST;
        int64_t *total = &totals[counted ? use->device + 1 : 0];

        ns_args_clear(&r->args);
        ns_arg_int(&r->args, "Device Type", use->device < 0 ? TYPE_CPU : TYPE_CUDA);
        ns_arg_int(&r->args, "Device Id", use->device);
        ns_arg_int(&r->args, "Addr", use->address);
        ns_arg_int(&r->args, "Bytes", use->bytes);
        if (counted && !__builtin_add_overflow(*total, use->bytes, total))
            ns_arg_int(&r->args, "Total Allocated", *total);
        record.ts = use->t + r->shift;
        if (ns_give(r, ns_process(r, use->process), record, NS_STORED) == NS_FAILED)
            break;
        tr_scratch_row(r->trace.scratch, i);
    }
    return r->err->code;
}

static enum ps_status read_memory(struct ns_reader *r)
{
    static const struct ns_table table = {"CUDA_GPU_MEMORY_USAGE_EVENTS",
                                          NS_COLUMNS(memory_columns), memory_row};
    struct ns_uses uses = {0};
    enum ps_status status;

    r->uses = &uses;
    status = ns_count(r, &table);
    if (status == PS_OK)
        status = give_uses(r, &uses);
    r->uses = NULL;
    tr_scratch_free(r->trace.scratch, uses.at);
    return status;
}

/* --- Metrics --- */

/* The lower bits of a type are the GPU, the upper ones the source of the metrics. */
#define GPU_BITS 0xff

struct metric {
    int64_t type, metric;
};

static enum ns_fate metric_name_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct ps_str name = ps_rows_text(rows, 2);
    struct metric key;

    if (ps_rows_int(rows, 0, &key.type) && ps_rows_int(rows, 1, &key.metric) && name.len)
        ns_map_put(&r->metrics, &key, sizeof key, ns_clean(r, name));
    return NS_OTHER;
}

static enum ns_fate metric_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct tr_record record = {.ph = 'C', .dur = TR_NO_DURATION};
    struct metric key = {0};
    struct ps_num value = ps_rows_num(rows, 4);
    struct ps_str name;
    char number[48];

    if (!ps_rows_int(rows, 0, &record.ts) && !ps_rows_int(rows, 1, &record.ts))
        return ns_reject(r, "the row has no time");
    if (record.ts > INT64_MAX / 4 || record.ts < -(INT64_MAX / 4))
        return ns_reject(r, "the time is out of range");
    if (value.kind == PS_NUM_NONE)
        return ns_reject(r, "the row has no value");
    (void)ps_rows_int(rows, 2, &key.type);
    (void)ps_rows_int(rows, 3, &key.metric);
    name = ns_map_get(&r->metrics, &key, sizeof key);
    if (!name.len) {
        (void)snprintf(number, sizeof number, "metric %" PRId64, key.metric);
        name = ps_str_of(number);
    }
    record.name = tr_text_id(&r->trace, name);
    record.ts += r->shift;
    ns_arg_number(&r->args, name, value);
    return ns_give(r, ns_gpu_thread(r, key.type & GPU_BITS), record, NS_STORED);
}

static enum ps_status read_metrics(struct ns_reader *r)
{
    static const char *const names[] = {"typeId", "metricId", "metricName"};
    static const char *const values[] = {"start", "timestamp", "typeId", "metricId", "value"};
    static const struct ns_table name_table = {"TARGET_INFO_GPU_METRICS", NS_COLUMNS(names),
                                               metric_name_row};
    static const struct ns_table table = {"GPU_METRICS", NS_COLUMNS(values), metric_row};
    enum ps_status status = ns_look(r, &name_table);

    return status == PS_OK ? ns_count(r, &table) : status;
}

enum ps_status ns_series_read(struct ns_reader *r)
{
    enum ps_status status = read_memory(r);

    return status == PS_OK ? read_metrics(r) : status;
}
