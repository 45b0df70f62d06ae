/* SPDX-License-Identifier: MIT */
/* environment.c: what the header of a trace says about the machine and the software. Facts are
 * named in importers/records/environment.h. */
#include <cjson/cJSON.h>
#include <stdio.h>

#include "importers/text/clean.h"
#include "importers/trace/environment.h"

#define NAME_MAX_BYTES 200

static void write_fact(const struct tr_trace *trace, const char *key, struct ps_str value)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    ps_clean_text(&clean, ps_truncate_text(value, NAME_MAX_BYTES));
    if (clean.len)
        ps_sink_meta(trace->out, key, ps_buf_slice(&clean));
}

/* --- GPUs --- */

static const char *name_of(const cJSON *device)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(device, "name"));
}

static bool is_alike(const cJSON *devices, const char *name)
{
    const cJSON *device;

    cJSON_ArrayForEach(device, devices)
    {
        const char *other = name_of(device);

        if (!other || strcmp(other, name) != 0)
            return false;
    }
    return true;
}

/* "NVIDIA H100", or "8 x NVIDIA H100". GPUs of several models are listed. */
static void write_gpus(const struct tr_trace *trace, const cJSON *devices)
{
    const char *first = name_of(devices ? devices->child : NULL);
    const int n = cJSON_GetArraySize(devices);
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *device;

    if (first && n > 1 && is_alike(devices, first))
        ps_buf_printf(&text, "%d x %s", n, first);
    else
        cJSON_ArrayForEach(device, devices)
        {
            const char *name = name_of(device);

            if (name && name[0])
                ps_buf_printf(&text, "%s%s", text.len ? ", " : "", name);
        }
    write_fact(trace, "gpu", ps_buf_slice(&text));
}

/* --- Versions --- */

static bool is_version(const cJSON *value)
{
    return cJSON_IsNumber(value) && value->valueint > 0;
}

/* cuda_runtime_version is 1000 * major + 10 * minor. */
static void write_cuda(const struct tr_trace *trace, const cJSON *version)
{
    char text[32];

    if (!is_version(version))
        return;
    (void)snprintf(text, sizeof text, "CUDA %d.%d", version->valueint / 1000,
                   version->valueint % 1000 / 10);
    write_fact(trace, "gpu_runtime", ps_str_from_c(text));
}

/* hip_runtime_version is 10000000 * major + 100000 * minor + patch. */
static void write_hip(const struct tr_trace *trace, const cJSON *version)
{
    char text[48];

    if (!is_version(version))
        return;
    (void)snprintf(text, sizeof text, "HIP %d.%d.%d", version->valueint / 10000000,
                   version->valueint / 100000 % 100, version->valueint % 100000);
    write_fact(trace, "gpu_runtime", ps_str_from_c(text));
}

/* --- Texts --- */

static void write_host(const struct tr_trace *trace, const cJSON *name)
{
    const char *text = cJSON_GetStringValue(name);

    write_fact(trace, "host", ps_str_from_c(text ? text : ""));
}

static void write_viztracer(const struct tr_trace *trace, const cJSON *about)
{
    const char *version = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(about, "version"));

    write_fact(trace, "tool_version", ps_str_from_c(version ? version : ""));
}

/* --- All --- */

static const struct {
    const char *header;
    void (*write)(const struct tr_trace *trace, const cJSON *value);
} facts[] = {{"deviceProperties", write_gpus},
             {"cuda_runtime_version", write_cuda},
             {"hip_runtime_version", write_hip},
             {"host_name", write_host},
             {"viztracer_metadata", write_viztracer}};

static void write_facts_of(const struct tr_trace *trace, const struct tr_header *header)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        cJSON *value;

        if (!ps_str_eq_c(header->key, facts[i].header))
            continue;
        value = cJSON_ParseWithLength(header->json.ptr, header->json.len);
        facts[i].write(trace, value);
        cJSON_Delete(value);
    }
}

void tr_write_environment(const struct tr_trace *trace)
{
    for (size_t i = 0; i < trace->n_headers; i++)
        write_facts_of(trace, &trace->headers[i]);
}
