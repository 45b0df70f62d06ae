/* SPDX-License-Identifier: MIT */
/*
 * sglang.c: reads results of SGLang's bench_serving: an object a line, with and without
 * --output-details. Request rates may be the token Infinity, which is not JSON.
 *
 * Standard deviations are those of the population, percentiles are numpy's, interpolated linearly.
 * The lists have all requests, the statistics only those that succeeded; there are no starts, and
 * no latencies of single requests. Retokenized counts are those of the client's tokenizer.
 * The fields are those of 0.4 to 0.5.23; recorded with the client of 0.5.23.
 */
#include "importers/importer.h"
#include "importers/serving/flat.h"
#include "importers/serving/readers.h"

static const char *const parameters[][2] = {
    {"request_rate", "request_rate"},
    {"max_concurrency", "concurrency"},
    {"sharegpt_output_len", "sharegpt_output_len"},
    {"random_input_len", "random_input_len"},
    {"random_output_len", "random_output_len"},
    {"random_range_ratio", "random_range_ratio"},
    {"num_prompts", "num_prompts"},
    {NULL, NULL},
};

/* What the server says of itself: the texts and numbers that differ between runs. */
static void read_nested(struct sv_client *client, struct sv_client_load *load, struct ps_str path,
                        enum ps_json_token token, struct ps_str text)
{
    static const char *const server[] = {"server_info.model_path",
                                         "server_info.dtype",
                                         "server_info.quantization",
                                         "server_info.tp_size",
                                         "server_info.dp_size",
                                         "server_info.pp_size",
                                         "server_info.ep_size",
                                         "server_info.device",
                                         "server_info.attention_backend",
                                         "server_info.chunked_prefill_size",
                                         "server_info.max_running_requests",
                                         "server_info.mem_fraction_static",
                                         "server_info.schedule_policy",
                                         "server_info.kv_cache_dtype"};
    struct sv_measure *measure;

    if (ps_str_eq_c(path, "server_info.version") && token == PS_JSON_STRING) {
        if (load->result == 1)
            ps_sink_meta(
                client->run->out, "packages",
                ps_str_from_c(ps_arena_printf(&client->run->arena, "sglang %.*s",
                                              (int)(text.len < 60 ? text.len : 60), text.ptr)));
        return;
    }
    for (size_t i = 0; i < sizeof server / sizeof *server; i++)
        if (ps_str_eq_c(path, server[i]))
            sv_load_add_parameter(client, load, i == 0 ? "model" : server[i], token, text);
    if (ps_str_starts_with(path, PS_STR("cache_report.")) && token == PS_JSON_NUMBER) {
        measure = sv_measure(client, load, ps_str_skip(path, strlen("cache_report.")), NULL);
        if (measure)
            measure->values.mean = sv_number(text, measure->shift);
    }
}

static const struct flat_format format = {
    .tool = "SGLang",
    .parameters = parameters,
    .details = "record them with `python -m sglang.bench_serving --output-details`",
    .read_nested = read_nested,
};

enum ps_status sv_read_sglang(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                              struct ps_err *err)
{
    return flat_read(run, name, in, &format, err);
}

static enum ps_match sniff(struct ps_str head)
{
    static const char *const words[] = {"\"random_range_ratio\"", "\"median_ttft_ms\"",
                                        "\"mean_e2e_latency_ms\"", "\"sharegpt_output_len\""};
    const struct ps_str text = ps_str_trim(head);
    size_t n = 0;

    if (!text.len || text.ptr[0] != '{' || !ps_str_find(head, PS_STR("\"backend\"")))
        return PS_MATCH_NO;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        n += ps_str_find(head, ps_str_from_c(words[i])) != NULL;
    return n >= 2 ? PS_MATCH_SURE : PS_MATCH_NO;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_sglang, in, out, err);
}

const struct ps_importer ps_sglang = {
    .kind = "serving",
    .label = "Result of SGLang",
    .description = "results of SGLang's bench_serving (JSON lines), with or without the requests",
    .record_command = "python -m sglang.bench_serving --output-details --output-file out.jsonl",
    .sniff = sniff,
    .load = load,
};
