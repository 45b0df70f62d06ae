/* SPDX-License-Identifier: MIT */
/*
 * vllm.c: reads results of `vllm bench serve`, with and without --save-detailed, one or several
 * (--append-result, and the list of a sweep), and of `vllm bench latency` and `throughput`.
 *
 * Standard deviations are those of the population, percentiles are numpy's, interpolated linearly.
 * The lists have all requests, the statistics only those that succeeded. Starts count from the
 * start of the machine (perf_counter). The latency of a request ends with its last chunk.
 * The fields are those of 0.6 to 0.33; recorded with the client of 0.33.
 */
#include "importers/importer.h"
#include "importers/serving/flat.h"
#include "importers/serving/readers.h"

static const char *const parameters[][2] = {
    {"model_id", "model"},
    {"request_rate", "request_rate"},
    {"max_concurrency", "concurrency"},
    {"num_prompts", "num_prompts"},
    {"burstiness", "burstiness"},
    {"best_of", "best_of"},
    {"ramp_up_start_rps", "ramp_up_start_rps"},
    {"ramp_up_end_rps", "ramp_up_end_rps"},
    {"run_number", "run_number"},
    {"seed", "seed"},
    {NULL, NULL},
};

static const struct flat_format format = {
    .tool = "vLLM",
    .parameters = parameters,
    .ends_with_last_chunk = true,
    .details = "record them with `vllm bench serve --save-result --save-detailed`",
};

enum ps_status sv_read_vllm(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                            struct ps_err *err)
{
    return flat_read(run, name, in, &format, err);
}

static bool has(struct ps_str head, const char *word)
{
    return ps_str_find(head, ps_str_from_c(word)) != NULL;
}

static enum ps_match sniff(struct ps_str head)
{
    const struct ps_str text = ps_str_trim(head);

    if (!text.len || (text.ptr[0] != '{' && text.ptr[0] != '['))
        return PS_MATCH_NO;
    if (has(head, "\"num_prompts\"") &&
        (has(head, "\"request_throughput\"") || has(head, "\"mean_ttft_ms\"") ||
         has(head, "\"burstiness\"")))
        return PS_MATCH_SURE;
    if (has(head, "\"burstiness\"") && has(head, "\"endpoint_type\"")) /* the keys were sorted */
        return PS_MATCH_SURE;
    return PS_MATCH_NO;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_vllm, in, out, err);
}

const struct ps_importer ps_vllm = {
    .kind = "serving",
    .label = "Result of vLLM",
    .description = "results of `vllm bench serve`, with or without the requests",
    .record_command = "vllm bench serve --model MODEL --save-result --save-detailed",
    .sniff = sniff,
    .load = load,
};
