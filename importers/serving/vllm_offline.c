/* SPDX-License-Identifier: MIT */
/*
 * vllm_offline.c: reads results of `vllm bench latency` and `vllm bench throughput`, which run the
 * engine without a server. The latencies are those of a whole batch.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/serving/client.h"
#include "importers/serving/readers.h"

struct reader {
    struct sv_client client;
    struct sv_client_load *load;
    double *latencies;
    size_t n, cap;
};

static void add_latency(struct reader *r, struct ps_str text)
{
    const struct ps_num number = sv_number(text, 0);

    if (number.kind == PS_NUM_NONE)
        return;
    PS_RESERVE_ONE(r->latencies, r->n, r->cap);
    r->latencies[r->n++] = ps_num_to_real(number);
}

static void read_percentile(struct reader *r, struct ps_str percent, struct ps_str text)
{
    const char *name = ps_arena_printf(&r->client.run->arena, "p%.*s",
                                       (int)(percent.len < 8 ? percent.len : 8), percent.ptr);

    (void)sv_measure_set(sv_measure(&r->client, r->load, PS_STR("latency"), NULL),
                         ps_str_from_c(name), text);
}

static void read_number(struct reader *r, struct ps_str path, struct ps_str text)
{
    struct ps_str percent = path;
    struct sv_measure *measure;

    if (ps_str_eq_c(path, "latencies")) {
        add_latency(r, text);
    } else if (ps_str_starts_with(path, PS_STR("percentiles."))) {
        percent = ps_str_skip(percent, strlen("percentiles."));
        read_percentile(r, percent, text);
    } else if (!memchr(path.ptr, '.', path.len)) {
        measure = sv_measure(&r->client, r->load,
                             ps_str_eq_c(path, "avg_latency") ? PS_STR("latency") : path, NULL);
        if (measure)
            measure->values.mean = sv_number(text, 0);
    }
}

static bool visit(void *data, struct ps_str path, enum ps_json_token token, struct ps_str text)
{
    struct reader *r = data;

    if (path.len && token == PS_JSON_NUMBER)
        read_number(r, path, text);
    else if (path.len && token == PS_JSON_STRING)
        sv_load_add_parameter(&r->client, r->load,
                              ps_str_eq_c(path, "model_id") ? "model"
                                                            : sv_text(r->client.run, path).ptr,
                              token, text);
    return true;
}

enum ps_status sv_read_vllm_offline(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                    struct ps_err *err)
{
    struct reader r = {0};
    struct sv_measure *latency;

    sv_client_begin(&r.client, run, name, "vLLM");
    r.load = sv_client_add_load(&r.client);
    ps_sink_meta(run->out, "tool", PS_STR("vLLM"));
    run->ledger.read += sv_walk(run, in, visit, &r, err);
    latency = r.n ? sv_measure(&r.client, r.load, PS_STR("latency"), NULL) : NULL;
    r.client.benchmark = latency ? PS_STR("batch") : PS_STR("offline");
    sv_measure_take_samples(r.load, latency, r.latencies, r.n);
    if (err->code == PS_OK && r.load->n_measures == 0)
        (void)ps_fail(err, PS_BAD_INPUT, "the result has no numbers");
    sv_client_end(&r.client);
    return err->code;
}

static bool has(struct ps_str head, const char *word)
{
    return ps_str_find(head, ps_str_from_c(word)) != NULL;
}

static enum ps_match sniff(struct ps_str head)
{
    const struct ps_str text = ps_str_trim(head);

    if (!text.len || text.ptr[0] != '{')
        return PS_MATCH_NO;
    if (has(head, "\"avg_latency\"") && has(head, "\"latencies\""))
        return PS_MATCH_SURE;
    return has(head, "\"requests_per_second\"") && has(head, "\"total_num_tokens\"") ? PS_MATCH_SURE
                                                                                     : PS_MATCH_NO;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_vllm_offline, in, out, err);
}

const struct ps_importer ps_vllm_offline = {
    .kind = "serving",
    .label = "Result of vLLM without a server",
    .description = "results of `vllm bench latency` and `vllm bench throughput`",
    .record_command = "vllm bench latency --model MODEL --output-json latency.json",
    .sniff = sniff,
    .load = load,
};
