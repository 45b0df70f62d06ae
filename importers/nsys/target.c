/* SPDX-License-Identifier: MIT */
/* target.c: time and version of the recording, its GPUs, and the warnings of the tool itself. */
#include "importers/nsys/nsys.h"

#include <inttypes.h>

#include "base/json_out.h"

#define MESSAGES_MOST 50
#define MESSAGE_HEAD  300

/* --- Session --- */

static enum ns_fate session_row(struct ns_reader *r, const struct ps_rows *rows)
{
    int64_t epoch;

    if (!ps_rows_int(rows, 0, &epoch) || epoch < 0)
        return NS_OTHER;
    r->trace.origin_us = epoch / 1000;
    r->shift = epoch % 1000;
    return NS_OTHER;
}

static enum ns_fate analysis_row(struct ns_reader *r, const struct ps_rows *rows)
{
    int64_t duration;

    if (ps_rows_int(rows, 0, &duration) && duration >= 0 && duration < INT64_MAX / 4 &&
        duration > r->end_ns)
        r->end_ns = duration;
    return NS_OTHER;
}

static enum ns_fate version_row(struct ns_reader *r, const struct ps_rows *rows)
{
    if (ps_str_is(ps_rows_text(rows, 0), "EXPORT_PRODUCT_VERSION"))
        r->out->ops->meta(r->out, "tool_version", ns_clean(r, ps_rows_text(rows, 1)));
    return NS_OTHER;
}

/* --- GPUs --- */

enum { GPU_ID, GPU_NAME, GPU_FIGURES };
static const char *const gpu_columns[] = {
    "id",           "name",           "totalMemory",   "smCount",           "computeMajor",
    "computeMinor", "threadsPerWarp", "maxWarpsPerSm", "maxRegistersPerSm", "maxShmemPerSm"};
/* Names of these columns in PyTorch's deviceProperties, which the views use. */
static const char *const gpu_words[] = {"",
                                        "",
                                        "totalGlobalMem",
                                        "numSms",
                                        "computeMajor",
                                        "computeMinor",
                                        "warpSize",
                                        "maxWarpsPerMultiprocessor",
                                        "regsPerMultiprocessor",
                                        "sharedMemPerMultiprocessor"};

static bool is_gpu(const void *gpus, uint32_t index, const void *id)
{
    return ((const struct ns_gpu *)gpus)[index].id == *(const int64_t *)id;
}

static enum ns_fate gpu_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct ps_json json = ps_json_to(&r->args.text);
    struct ns_gpu gpu = {0};
    int64_t value;

    if (!ps_rows_int(rows, GPU_ID, &gpu.id))
        return NS_OTHER;
    (void)ps_rows_int(rows, 3, &gpu.multiprocessors);
    if (ps_hash_table_add(&r->gpu_at, ps_hash_u64((uint64_t)gpu.id), (uint32_t)r->n_gpus, is_gpu,
                          r->gpus, &gpu.id) == r->n_gpus) {
        PS_PUSH_ROOM(r->gpus, r->n_gpus, r->cap_gpus);
        r->gpus[r->n_gpus++] = gpu;
    }
    ns_map_put(&r->gpu_names, &gpu.id, sizeof gpu.id, ns_clean(r, ps_rows_text(rows, GPU_NAME)));
    ps_json_object(&json);
    ps_json_kint(&json, "id", gpu.id);
    ps_json_key(&json, "name");
    ps_json_str(&json, ns_word(&r->gpu_names, gpu.id));
    for (size_t i = GPU_FIGURES; i < sizeof gpu_columns / sizeof *gpu_columns; i++)
        if (ps_rows_int(rows, i, &value))
            ps_json_kint(&json, gpu_words[i], value);
    ps_json_end(&json);
    ps_buf_puts(&r->devices, r->devices.len ? "," : "[");
    ps_buf_str(&r->devices, ps_buf_slice(&r->args.text));
    return NS_OTHER;
}

int64_t ns_multiprocessors(const struct ns_reader *r, int64_t device)
{
    uint32_t index =
        ps_hash_table_find(&r->gpu_at, ps_hash_u64((uint64_t)device), is_gpu, r->gpus, &device);

    return index == PS_HASH_NONE ? 0 : r->gpus[index].multiprocessors;
}

struct cuda_device {
    int64_t pid, number;
};

/* Maps the device numbers of a process, which CUDA_VISIBLE_DEVICES changes, to GPUs. */
static enum ns_fate cuda_device_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct cuda_device key;
    uint32_t index;
    int64_t gpu;

    if (!ps_rows_int(rows, 0, &gpu) || !ps_rows_int(rows, 1, &key.number) ||
        !ps_rows_int(rows, 2, &key.pid))
        return NS_OTHER;
    index = ps_intern_id(&r->cuda_devices, (struct ps_str){(const char *)&key, sizeof key});
    if (index >= r->cap_gpu_of) {
        r->cap_gpu_of = r->cap_gpu_of ? r->cap_gpu_of * 2 : 64;
        r->gpu_of = ps_grow(r->gpu_of, r->cap_gpu_of, sizeof *r->gpu_of);
    }
    r->gpu_of[index] = gpu;
    return NS_OTHER;
}

int64_t ns_device_of(struct ns_reader *r, int64_t pid, int64_t cuda_device)
{
    const struct cuda_device key = {pid, cuda_device};
    uint32_t index =
        ps_intern_find(&r->cuda_devices, (struct ps_str){(const char *)&key, sizeof key});

    return index == PS_INTERN_NONE ? cuda_device : r->gpu_of[index];
}

/* --- Diagnostics --- */

enum { SEVERITY_WARNING = 2, SEVERITY_ERROR = 3 };

static enum ns_fate message_row(struct ns_reader *r, const struct ps_rows *rows)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    struct ps_str text = ps_rows_text(rows, 1);
    int64_t severity;

    if (!ps_rows_int(rows, 0, &severity) || severity < SEVERITY_WARNING ||
        severity > SEVERITY_ERROR || !text.len)
        return NS_OTHER;
    if (r->messages++ >= MESSAGES_MOST)
        return NS_OTHER;
    ps_buf_str(&line, ns_clean(r, text));
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.at[i] < ' ')
            line.at[i] = ' ';
    if (line.len > MESSAGE_HEAD) {
        line.len = MESSAGE_HEAD;
        while (line.len && (line.at[line.len] & 0xc0) == 0x80)
            line.len--;
        ps_buf_puts(&line, "...");
    }
    ps_sink_note(r->out, PS_NOTE_WARNING, ps_sqlite_at(r->db), 0,
                 "Nsight Systems reports (%s): %.*s",
                 severity == SEVERITY_ERROR ? "error" : "warning", (int)line.len, line.at);
    return NS_OTHER;
}

/* --- All tables --- */

static void give_devices(struct ns_reader *r)
{
    if (!r->devices.len)
        return;
    ps_buf_puts(&r->devices, "]");
    tr_fill_header(&r->trace, PS_STR("deviceProperties"), ps_buf_slice(&r->devices));
}

enum ps_status ns_target_read(struct ns_reader *r)
{
    static const char *const session[] = {"utcEpochNs"}, *const analysis[] = {"duration"};
    static const char *const version[] = {"name", "value"}, *const message[] = {"severity", "text"};
    static const char *const cuda[] = {"gpuId", "cudaId", "pid"};
    static const struct ns_table tables[] = {
        {"TARGET_INFO_SESSION_START_TIME", NS_COLUMNS(session), session_row},
        {"ANALYSIS_DETAILS", NS_COLUMNS(analysis), analysis_row},
        {"META_DATA_EXPORT", NS_COLUMNS(version), version_row},
        {"EXPORT_META_DATA", NS_COLUMNS(version), version_row}, /* its name in 2022 and 2023 */
        {"TARGET_INFO_GPU", NS_COLUMNS(gpu_columns), gpu_row},
        {"TARGET_INFO_CUDA_DEVICE", NS_COLUMNS(cuda), cuda_device_row},
    };
    const struct ns_table messages = {"DIAGNOSTIC_EVENT", NS_COLUMNS(message), message_row};
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == PS_OK; i++)
        status = ns_look(r, &tables[i]);
    give_devices(r);
    return status == PS_OK ? ns_count(r, &messages) : status;
}
