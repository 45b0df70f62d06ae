/* SPDX-License-Identifier: MIT */
/* runs.c: the tools list_runs, summary and formats. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/format.h"
#include "importers/kinds.h"
#include "server/agent/tools.h"

void ps_begin_run(struct ps_tool_call *call, const char *tool, const cJSON *run, const char *tab)
{
    char text[128];

    (void)snprintf(text, sizeof text, "%s of run %.16s (%.20s)", tool, ps_member_text(run, "id"),
                   ps_member_text(run, "kind"));
    ps_output_begin(call->out, text);
    (void)snprintf(text, sizeof text, "#/run/%.16s%s%.90s", ps_member_text(run, "id"),
                   tab[0] ? "/" : "", tab);
    ps_output_link(call->out, text);
    ps_output_fact_name(call->out, "name", ps_member_text(run, "name"));
}

/* --- list_runs --- */

/* Adds a row: id, kind, headline, time, series, name. */
static void add_run(struct ps_output *out, const cJSON *run)
{
    const cJSON *headline = ps_member(run, "headline");
    char time[20];

    ps_output_word(out, ps_member_text(run, "id"));
    ps_output_word(out, ps_member_text(run, "kind"));
    ps_output_value(out, ps_member_number(headline, "value"), ps_member_text(headline, "unit"));
    ps_output_word(out, ps_member_text(headline, "label"));
    (void)snprintf(time, sizeof time, "%.16s", ps_member_text(run, "created_at"));
    ps_output_word(out, time);
    ps_output_name(out, ps_member_text(run, "series"));
    ps_output_name(out, ps_member_text(run, "name"));
    ps_output_row_end(out);
}

enum ps_status ps_tool_list_runs(struct ps_tool_call *call, struct ps_err *err)
{
    static const struct ps_output_column columns[] = {
        {"run", "", PS_WORDS}, {"kind", "", PS_WORDS},        {"headline", "", PS_NUMBER},
        {"of", "", PS_WORDS},  {"added (UTC)", "", PS_WORDS}, {"series", "", PS_WORDS},
        {"name", "", PS_WORDS}};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    const cJSON *run;

    ps_buf_puts(&path, "runs?sort=created_at&desc=1");
    ps_url_add_int(&path, "limit", call->out->max_rows);
    ps_url_add_param(&path, "q", ps_arg_text(call, "search"));
    ps_url_add_param(&path, "kind", ps_arg_text(call, "kind"));
    ps_url_add_param(&path, "series", ps_arg_text(call, "series"));
    ps_url_add_param(&path, "tag", ps_arg_text(call, "tag"));
    if (ps_ask(call, &path, &answer, err) != PS_OK)
        return err->code;
    ps_output_begin(call->out, "runs, newest first");
    ps_output_link(call->out, "#/");
    ps_output_table(call->out, "runs", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(run, ps_member(answer, "rows")) add_run(call->out, run);
    ps_output_table_end(call->out, ps_member_number(answer, "total"));
    return PS_OK;
}

/* --- summary --- */

/* Reports what the importer could not store as it was. */
static void add_ledger(struct ps_output *out, const cJSON *run)
{
    const cJSON *ledger = ps_member(run, "ledger");
    const double repaired = ps_member_number(ledger, "repaired"),
                 rejected = ps_member_number(ledger, "rejected");

    if (repaired > 0 || rejected > 0)
        ps_output_fact(out, "import", "of %.0f %s read, %.0f were repaired and %.0f rejected",
                       ps_member_number(ledger, "read"), ps_member_text(ledger, "unit"), repaired,
                       rejected);
}

/* The tables of the run, for hot. A run without tables has none. */
static void add_tables(struct ps_tool_call *call, const char *id)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;

    ps_buf_puts(&path, "compare");
    ps_url_add_param(&path, "new", id);
    /* the answer is complete without this list */
    if (ps_ask(call, &path, &answer, PS_ERR_IGNORED) != PS_OK ||
        cJSON_GetArraySize(ps_member(answer, "tables")) == 0)
        return;
    ps_buf_puts(&text, "Tables for hot, with their metrics: ");
    ps_add_table_names(&text, answer);
    ps_buf_puts(&text, ".");
    ps_output_paragraph(call->out, &text);
}

/* The machine and the software. The answer is complete without them. */
static void add_environment(struct ps_tool_call *call, const char *id)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;

    ps_buf_printf(&path, "runs/%s/environment", id);
    if (ps_ask(call, &path, &answer, PS_ERR_IGNORED) == PS_OK)
        ps_text_environment(call->out, answer);
}

/* The requests of a load test. The answer is complete without them. */
static void add_requests(struct ps_tool_call *call, const cJSON *run)
{
    PS_AUTO(ps_json_free) cJSON *summary = NULL;
    PS_AUTO(ps_json_free) cJSON *worst = NULL;
    const char *id = ps_member_text(run, "id");

    if (ps_kind_has(ps_member_text(run, "kind"), PS_HAS_REQUESTS) &&
        ps_ask_view(call, id, "requests/summary", "", &summary, PS_ERR_IGNORED) == PS_OK &&
        ps_ask_view(call, id, "requests", "sort=ttft_ns&desc=1&limit=5", &worst, PS_ERR_IGNORED) ==
            PS_OK)
        ps_text_requests(call->out, summary, worst);
}

/* What the samples measure. The answer is complete without it. */
static void add_sample_types(struct ps_tool_call *call, const cJSON *run)
{
    PS_AUTO(ps_json_free) cJSON *types = NULL;

    if (ps_kind_has(ps_member_text(run, "kind"), PS_HAS_SAMPLE_TYPES) &&
        ps_ask_view(call, ps_member_text(run, "id"), "sample-types", "", &types, PS_ERR_IGNORED) ==
            PS_OK)
        ps_text_sample_types(call->out, types, ps_arg_text(call, "sample_type"));
}

enum ps_status ps_tool_summary(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    PS_AUTO(ps_json_free) cJSON *conclusion = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *headline;
    struct ps_output *out = call->out;

    if (ps_ask_run(call, &run, err) != PS_OK)
        return err->code;
    ps_buf_printf(&path, "runs/%s/conclusion", ps_member_text(run, "id"));
    ps_url_add_param(&path, "step", ps_arg_text(call, "step"));
    ps_url_add_param(&path, "sample_type", ps_arg_text(call, "sample_type"));
    if (ps_ask(call, &path, &conclusion, err) != PS_OK)
        return err->code;
    ps_begin_run(call, "summary", run, "");
    headline = ps_member(run, "headline");
    if (cJSON_IsNumber(ps_member(headline, "value")))
        ps_output_fact_value(out, ps_member_text(headline, "label"),
                             ps_member_number(headline, "value"), ps_member_text(headline, "unit"));
    if (ps_member_text(run, "series")[0])
        ps_output_fact_name(out, "series", ps_member_text(run, "series"));
    add_environment(call, ps_member_text(run, "id"));
    add_ledger(out, run);
    ps_text_lacks(out, run);
    add_sample_types(call, run);
    ps_text_conclusion(out, conclusion);
    add_requests(call, run);
    add_tables(call, ps_member_text(run, "id"));
    return PS_OK;
}

/* --- formats --- */

static bool matches(const cJSON *format, const char *search)
{
    return !search || strcasestr(ps_member_text(format, "label"), search) ||
           strcasestr(ps_member_text(format, "what"), search) ||
           strcasestr(ps_member_text(format, "kind"), search);
}

enum ps_status ps_tool_formats(struct ps_tool_call *call, struct ps_err *err)
{
    static const struct ps_output_column columns[] = {{"kind", "", PS_WORDS},
                                                      {"format", "", PS_WORDS},
                                                      {"content", "", PS_WORDS},
                                                      {"record with", "", PS_WORDS}};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    const char *search = ps_arg_text(call, "search");
    const cJSON *format;
    struct ps_output *out = call->out;
    int total = 0;

    ps_buf_puts(&path, "formats");
    if (ps_ask(call, &path, &answer, err) != PS_OK)
        return err->code;
    ps_output_begin(out, "formats");
    ps_output_table(out, "formats", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(format, ps_member(answer, "rows"))
    {
        if (!matches(format, search))
            continue;
        total++;
        ps_output_word(out, ps_member_text(format, "kind"));
        ps_output_word(out, ps_member_text(format, "label"));
        ps_output_word(out, ps_member_text(format, "what"));
        ps_output_name(out, ps_member_text(format, "record"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, total);
    return PS_OK;
}
