/* SPDX-License-Identifier: MIT */
/* requests.c: the requests of a load test, and one of them with what it waited for. */
#include <math.h>
#include <string.h>

#include "server/text/text.h"

#define PREFILLED_SHOWN 3 /* requests that a step prefilled; the rest is counted */

static const struct {
    const char *cause, *words;
} causes[] = {
    {"to engine", "on the way to the engine"},
    {"step in progress", "waits for a step in progress"},
    {"slot", "waits for a slot"},
    {"budget", "waits for the tokens of a step"},
    {"others", "waits while steps serve others"},
    {"between steps", "waits between steps"},
    {"prefill", "its own prefill"},
    {"to client", "on the way to the client"},
    {"outside", "on the way to the engine and back"},
};

static const char *cause_words(const char *cause)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strcmp(cause, causes[i].cause) == 0)
            return causes[i].words;
    return cause;
}

/* --- All requests --- */

static void add_counts(struct ps_output *out, const cJSON *summary)
{
    static const char *const states[] = {"failed", "cancelled", "unfinished"};
    const double steps = ps_member_or_0(summary, "engine_steps"),
                 slots = ps_member_or_0(summary, "slots");
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_buf_printf(&text, "%.0f requests, %.0f completed", ps_member_or_0(summary, "requests"),
                  ps_member_or_0(summary, "completed"));
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (ps_member_or_0(summary, states[i]) > 0)
            ps_buf_printf(&text, ", %.0f %s", ps_member_or_0(summary, states[i]), states[i]);
    if (steps > 0)
        ps_buf_printf(&text, "; %.0f steps of the engine", steps);
    if (slots > 0)
        ps_buf_printf(&text, ", %.0f slots", slots);
    ps_buf_puts(&text, ".");
    ps_output_space(out);
    ps_output_paragraph(out, &text);
}

static const cJSON *find_percentile(const cJSON *metric, double p)
{
    const cJSON *item;

    cJSON_ArrayForEach(item,
                       ps_member(metric, "percentiles")) if (!(fabs(ps_member_or_0(item, "p") - p) >
                                                               0)) return item;
    return NULL;
}

/* Percentiles by nearest rank, which are values of requests. */
static void add_metrics(struct ps_output *out, const cJSON *summary)
{
    static const struct ps_output_column columns[] = {
        {"median", "ns", PS_NUMBER}, {"p90", "ns", PS_NUMBER}, {"p99", "ns", PS_NUMBER},
        {"max", "ns", PS_NUMBER},    {"n", "", PS_NUMBER},     {"worst request", "", PS_NUMBER},
        {"metric", "", PS_WORDS}};
    static const double shown[] = {50, 90, 99, 100};
    const cJSON *metrics = ps_member(summary, "metrics"), *metric;

    if (cJSON_GetArraySize(metrics) == 0)
        return;
    ps_output_heading(out, "Requests, percentiles by nearest rank");
    ps_output_table(out, "request metrics", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(metric, metrics)
    {
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
            ps_output_value(out, ps_member_number(find_percentile(metric, shown[i]), "nearest_ns"),
                            "ns");
        ps_output_value(out, ps_member_number(metric, "n"), "");
        ps_output_value(out, ps_member_number(find_percentile(metric, 100), "request"), "");
        ps_output_word(out, ps_member_text(metric, "name"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(metrics));
}

static void add_causes(struct ps_output *out, const cJSON *summary)
{
    static const struct ps_output_column columns[] = {{"sum of time", "ns", PS_NUMBER},
                                                      {"requests", "", PS_NUMBER},
                                                      {"mostly", "", PS_NUMBER},
                                                      {"worst request", "", PS_NUMBER},
                                                      {"cause", "", PS_WORDS}};
    const cJSON *list = ps_member(summary, "causes"), *cause;

    if (cJSON_GetArraySize(list) == 0)
        return;
    ps_output_heading(out,
                      "What %.0f late requests spent time on (over %.4g ms to the first token)",
                      ps_member_or_0(summary, "late"), ps_member_or_0(summary, "late_ns") / 1e6);
    ps_output_table(out, "causes of late requests", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(cause, list)
    {
        ps_output_value(out, ps_member_number(cause, "ns"), "ns");
        ps_output_value(out, ps_member_number(cause, "requests"), "");
        ps_output_value(out, ps_member_number(cause, "main"), "");
        ps_output_value(out, ps_member_number(cause, "worst"), "");
        ps_output_word(out, cause_words(ps_member_text(cause, "cause")));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(list));
}

/* The tokens of the prompt: as the client counts them, else as the engine does. */
static double prompt_tokens(const cJSON *page, int row)
{
    const double client = ps_cell_number(page, row, "prompt_tokens");

    return isnan(client) ? ps_cell_number(page, row, "engine_prompt_tokens") : client;
}

static void add_rows(struct ps_output *out, const cJSON *page)
{
    static const struct ps_output_column columns[] = {{"first token", "ns", PS_NUMBER},
                                                      {"latency", "ns", PS_NUMBER},
                                                      {"longest gap", "ns", PS_NUMBER},
                                                      {"prompt", "tokens", PS_NUMBER},
                                                      {"request", "", PS_NUMBER},
                                                      {"mostly", "", PS_WORDS},
                                                      {"name", "", PS_WORDS}};

    if (ps_count_rows(page) == 0)
        return;
    ps_output_heading(out, "Requests, the latest first token first");
    ps_output_table(out, "requests", columns, sizeof columns / sizeof *columns);
    for (int row = 0; row < ps_count_rows(page); row++) {
        ps_output_value(out, ps_cell_number(page, row, "ttft_ns"), "ns");
        ps_output_value(out, ps_cell_number(page, row, "latency_ns"), "ns");
        ps_output_value(out, ps_cell_number(page, row, "longest_gap_ns"), "ns");
        ps_output_value(out, prompt_tokens(page, row), "");
        ps_output_value(out, ps_cell_number(page, row, "id"), "");
        ps_output_word(out, cause_words(ps_cell_text(page, row, "cause")));
        ps_output_name(out, ps_cell_text(page, row, "name"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, ps_member_number(page, "total"));
}

void ps_text_requests(struct ps_output *out, const cJSON *summary, const cJSON *page)
{
    if (!(ps_member_or_0(summary, "requests") > 0))
        return;
    add_counts(out, summary);
    add_metrics(out, summary);
    add_causes(out, summary);
    add_rows(out, page);
}

/* --- One request --- */

/* Appends " prefills request 12 (4215 tokens)" and more. */
static void append_prefilled(struct ps_buf *text, const cJSON *list)
{
    const int n = cJSON_GetArraySize(list);

    for (int i = 0; i < n && i < PREFILLED_SHOWN; i++) {
        const cJSON *item = cJSON_GetArrayItem(list, i);

        ps_buf_printf(text, "%s%.0f (%.0f tokens)", i ? ", " : ", prefills request ",
                      ps_member_or_0(item, "request"), ps_member_or_0(item, "tokens"));
    }
    if (n > PREFILLED_SHOWN)
        ps_buf_printf(text, " and %d more", n - PREFILLED_SHOWN);
}

static void append_part(struct ps_buf *text, const cJSON *part)
{
    const double first = ps_member_number(part, "first_number"),
                 last = ps_member_number(part, "last_number"),
                 slots = ps_member_number(part, "slots");

    ps_buf_puts(text, cause_words(ps_member_text(part, "cause")));
    if (slots > 0)
        ps_buf_printf(text, " (%.0f are taken)", slots);
    if (ps_member_or_0(part, "steps") > 0 && !isnan(first)) {
        ps_buf_printf(text, ": step%s %.0f", last > first ? "s" : "", first);
        if (last > first)
            ps_buf_printf(text, " to %.0f", last);
    }
    if (strcmp(ps_member_text(part, "cause"), "prefill") != 0)
        append_prefilled(text, ps_member(part, "prefilled"));
}

static void add_chain(struct ps_output *out, const cJSON *request)
{
    static const struct ps_output_column columns[] = {
        {"time", "ns", PS_NUMBER},
        {"of the time to the first token", "%", PS_SHARE},
        {"cause", "", PS_WRAPPED}};
    const cJSON *chain = ps_member(request, "chain"), *part;

    if (cJSON_GetArraySize(chain) == 0)
        return;
    ps_output_heading(out, "Until the first token, in order");
    ps_output_table(out, "parts", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(part, chain)
    {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};

        append_part(&text, part);
        ps_output_value(out, ps_member_number(part, "ns"), "ns");
        ps_output_percent(out, 100 * ps_member_number(part, "share"));
        ps_output_cell(out, &text);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(chain));
}

/* What the steps of the longest part executed, if a trace tells. */
static void add_work(struct ps_output *out, const cJSON *request)
{
    static const struct ps_output_column columns[] = {{"time", "ns", PS_NUMBER},
                                                      {"of the steps", "%", PS_SHARE},
                                                      {"calls", "", PS_NUMBER},
                                                      {"name", "", PS_WORDS}};
    const cJSON *longest = NULL, *part, *work, *row;

    cJSON_ArrayForEach(
        part, ps_member(request, "chain")) if (cJSON_IsObject(ps_member(part, "work")) &&
                                               (!longest || ps_member_or_0(part, "ns") >
                                                                ps_member_or_0(longest, "ns")))
        longest = part;
    work = longest ? ps_member(longest, "work") : NULL;
    if (cJSON_GetArraySize(ps_member(work, "rows")) == 0)
        return;
    ps_output_heading(out, "Largest %ss of the steps of the longest part",
                      strcmp(ps_member_text(work, "by"), "kernel") == 0 ? "kernel" : "operator");
    ps_output_table(out, "work", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(row, ps_member(work, "rows"))
    {
        ps_output_value(out, ps_member_number(row, "self_ns"), "ns");
        ps_output_percent(out, 100 * ps_member_number(row, "share"));
        ps_output_value(out, ps_member_number(row, "calls"), "");
        ps_output_name(out, ps_member_text(row, "name"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(ps_member(work, "rows")));
}

static void add_stalls(struct ps_output *out, const cJSON *request)
{
    static const struct ps_output_column columns[] = {
        {"gap", "ns", PS_NUMBER}, {"before token", "", PS_NUMBER}, {"in", "", PS_WRAPPED}};
    const cJSON *stalls = ps_member(request, "stalls"), *stall;

    if (cJSON_GetArraySize(stalls) == 0)
        return;
    ps_output_heading(out, "Long gaps between its tokens (tokens count from 0)");
    ps_output_table(out, "stalls", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(stall, stalls)
    {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};

        if (!isnan(ps_member_number(stall, "number")))
            ps_buf_printf(&text, "step %.0f", ps_member_number(stall, "number"));
        append_prefilled(&text, ps_member(stall, "prefilled"));
        ps_buf_puts(&text, "");
        ps_output_value(out, ps_member_number(stall, "gap_ns"), "ns");
        ps_output_value(out, ps_member_number(stall, "token"), "");
        ps_output_cell(out, &text);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(stalls));
}

void ps_text_request(struct ps_output *out, const cJSON *request)
{
    static const struct {
        const char *key, *label, *unit;
    } facts[] = {{"latency_ns", "latency", "ns"},
                 {"tpot_ns", "time per output token", "ns"},
                 {"prompt_tokens", "prompt tokens", ""},
                 {"output_tokens", "output tokens", ""},
                 {"engine_prompt_tokens", "prompt tokens, as the engine counts", ""},
                 {"cached_tokens", "tokens in the cache", ""}};

    ps_output_fact(out, "state", "%s", ps_member_text(request, "state"));
    if (ps_member_text(request, "error")[0])
        ps_output_fact_name(out, "error", ps_member_text(request, "error"));
    if (!isnan(ps_member_number(request, "ttft_ns")))
        ps_output_fact_value(out, "time to the first token", ps_member_number(request, "ttft_ns"),
                             "ns");
    if (!isnan(ps_member_number(request, "rank")))
        ps_output_fact(out, "rank", "%.0f of %.0f by the time to the first token, 1 is the latest",
                       ps_member_number(request, "rank"), ps_member_or_0(request, "rank_of"));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!isnan(ps_member_number(request, facts[i].key)))
            ps_output_fact_value(out, facts[i].label, ps_member_number(request, facts[i].key),
                                 facts[i].unit);
    if (cJSON_IsTrue(ps_member(request, "is_estimated")))
        ps_output_fact(out, "times of the engine", "matched by lengths and order, not by ids");
    add_chain(out, request);
    add_work(out, request);
    add_stalls(out, request);
}
