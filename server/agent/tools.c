/* SPDX-License-Identifier: MIT */
/* tools.c: the table of tools, their schemas, and the check of arguments before a tool is called.
 */
#include "server/agent/tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEP_PARAM                                                                                 \
    {                                                                                              \
        "step", PS_PARAM_TEXT, false, NULL,                                                        \
            "an annotation or NVTX range that is a step of a trace, without the number at its end" \
    }
#define SAMPLE_TYPE_PARAM                                                                          \
    {                                                                                              \
        "sample_type", PS_PARAM_TEXT, false, NULL,                                                 \
            "what the samples of a pprof profile measure, such as inuse_space; summary lists them" \
    }
#define SAME_PARAM                                                                                 \
    {                                                                                              \
        "same", PS_PARAM_TEXT, false, NULL,                                                        \
            "refuse if these facts of the environment differ or are unknown, such as cpu,python"   \
    }
#define RUN_PARAM                                                                                  \
    {                                                                                              \
        "run", PS_PARAM_TEXT, true, NULL,                                                          \
            "id of a run, the beginning of an id, a name, or @1 for the newest run"                \
    }
#define GROUP_TEXT                                                                                 \
    "a run, several with commas between them, series:NAME, series:NAME@10 (the newest ten), or "   \
    "tag:KEY=VALUE"
#define TABLE_PARAM                                                                                \
    {                                                                                              \
        "table", PS_PARAM_TEXT, false, NULL,                                                       \
            "table of the run, such as functions, imports, operators, kernels or lines; summary "  \
            "lists them (default: the first)"                                                      \
    }
#define METRIC_PARAM                                                                               \
    {                                                                                              \
        "metric", PS_PARAM_TEXT, false, NULL,                                                      \
            "column that ranks the rows: a name that summary lists, self or total (default: the "  \
            "first)"                                                                               \
    }

#define FOLDER_PARAM                                                                               \
    {                                                                                              \
        "folder", PS_PARAM_TEXT, false, NULL,                                                      \
            "folder in which it runs and at which relative paths begin (default: that in which "   \
            "this program was started)"                                                            \
    }
#define LABEL_PARAMS                                                                               \
    {"name", PS_PARAM_TEXT, false, NULL, "name of the run"},                                       \
        {"series", PS_PARAM_TEXT, false, NULL, "series of the run; its runs form one trend"},      \
        {"note", PS_PARAM_TEXT, false, NULL, "note about the run"},                                \
    {                                                                                              \
        "tags", PS_PARAM_TEXTS, false, NULL, "tags, each KEY=VALUE"                                \
    }
#define TIMEOUT_PARAM                                                                              \
    {                                                                                              \
        "timeout_s", PS_PARAM_COUNT, false, NULL,                                                  \
            "seconds after which it is stopped, 1 to 86400 (default 600)"                          \
    }

const struct ps_tool ps_tools[] = {
    {"list_runs",
     "List runs",
     "Lists the runs (profiles) of the shelf, newest first: id, kind, headline, series. Begin here "
     "to find the id of a run.",
     ps_tool_list_runs,
     PS_TOOL_READS,
     {{"search", PS_PARAM_TEXT, false, NULL,
       "text in the name, series, tags, note or kind of the run"},
      {"kind", PS_PARAM_TEXT, false, NULL, "only runs of this kind, such as pstats"},
      {"series", PS_PARAM_TEXT, false, NULL, "only runs of this series"},
      {"tag", PS_PARAM_TEXT, false, NULL, "only runs with this tag, KEY=VALUE"}}},
    {"summary",
     "Summarize a run",
     "Answers why a run is slow or large: the conclusion with its causes, their evidence, amounts "
     "and shares, what could be saved, and the tables that hot can rank. Call it before the other "
     "tools of a run.",
     ps_tool_summary,
     PS_TOOL_READS,
     {RUN_PARAM, STEP_PARAM, SAMPLE_TYPE_PARAM}},
    {"hot",
     "Rank the rows of a run",
     "Lists the rows of a table of a run (functions, imports, operators, kernels, lines) that have "
     "most of a metric, with their share of the sum. Of a group of runs: medians, their spread "
     "and range.",
     ps_tool_hot,
     PS_TOOL_READS,
     {{"run", PS_PARAM_TEXT, true, NULL, GROUP_TEXT},
      TABLE_PARAM,
      METRIC_PARAM,
      {"search", PS_PARAM_TEXT, false, NULL,
       "words that name or file must contain; -word excludes, file:word searches the file"},
      SAMPLE_TYPE_PARAM}},
    {"explore",
     "Explore one function, module or operator",
     "Shows one function, frame, imported module, operator or source line of a run: who calls it, "
     "what it calls, its heaviest stacks and its source lines, with times and shares. Of a load "
     "test: one request, with what it waited for before its first token.",
     ps_tool_explore,
     PS_TOOL_READS,
     {RUN_PARAM,
      {"name", PS_PARAM_TEXT, true, NULL,
       "name as another tool showed it, or a part of it; the row with most time is taken; of a load "
       "test `request 13` or `worst request`"},
      SAMPLE_TYPE_PARAM}},
    {"timeline",
     "Look into a window of a trace",
     "Shows what ran in a window of a trace or in one step: parts of the time, use of the devices, "
     "overlap of communication and computation, gaps of a device and what the host did then, "
     "threads, slices and kernels.",
     ps_tool_timeline,
     PS_TOOL_READS,
     {RUN_PARAM,
      {"from_ms", PS_PARAM_NUMBER, false, NULL,
       "start of the window in ms from the start of the trace (default: the whole trace)"},
      {"to_ms", PS_PARAM_NUMBER, false, NULL, "end of the window in ms"},
      {"step", PS_PARAM_TEXT, false, NULL, "a step instead of a window: its name, or slowest"}}},
    {"compare",
     "Compare runs",
     "Compares two groups of runs: the verdict with the noise, the rows that explain the "
     "difference, the rows that changed most, and what to record if the runs do not suffice.",
     ps_tool_compare,
     PS_TOOL_READS,
     {{"base", PS_PARAM_TEXT, true, NULL, GROUP_TEXT},
      {"new", PS_PARAM_TEXT, true, NULL, GROUP_TEXT},
      TABLE_PARAM,
      METRIC_PARAM,
      {"per", PS_PARAM_TEXT, false, "step run call",
       "what values are per (default: per step if all runs have steps)"},
      SAME_PARAM,
      STEP_PARAM,
      SAMPLE_TYPE_PARAM}},
    {"trend",
     "Follow a metric over a series",
     "Shows a metric over the runs of a series or a tag, and where its level steps. With table and "
     "without row: the rows that changed most over the series.",
     ps_tool_trend,
     PS_TOOL_READS,
     {{"series", PS_PARAM_TEXT, true, NULL, "name of a series, or tag:KEY=VALUE"},
      TABLE_PARAM,
      {"row", PS_PARAM_TEXT, false, NULL, "name of the row to follow"},
      {"place", PS_PARAM_TEXT, false, NULL,
       "file, package or unit of the row, if several rows have its name"},
      {"metric", PS_PARAM_TEXT, false, NULL,
       "metric of the table, or a number of the summary of runs (default: the headline)"},
      {"by", PS_PARAM_TEXT, false, NULL, "tag whose runs of one value are one point"},
      STEP_PARAM}},
    {"lazy_imports",
     "Estimate lazy imports",
     "Estimates what the start of a program saves if imports are lazy, from an import log. Without "
     "lazy it lists the packages that are worth it.",
     ps_tool_lazy_imports,
     PS_TOOL_READS,
     {RUN_PARAM,
      {"lazy", PS_PARAM_TEXTS, false, NULL,
       "imports: MODULE, MODULE@IMPORTER, or MODULE@* for wherever it is imported"}}},
    {"check",
     "Check budgets",
     "Checks whether a run is within budgets, or grew over a baseline by more than is allowed.",
     ps_tool_check,
     PS_TOOL_READS,
     {{"run", PS_PARAM_TEXT, true, NULL, GROUP_TEXT},
      {"budgets", PS_PARAM_TEXTS, false, NULL,
       "limits: TABLE.NAME=VALUE or headline=VALUE, such as imports.torch=1.2s"},
      {"against", PS_PARAM_TEXT, false, NULL, "the baseline: " GROUP_TEXT},
      {"fail_on", PS_PARAM_TEXT, false, NULL,
       "allowed growth over the baseline, such as +10% or +50ms (default +10%)"},
      {"metric", PS_PARAM_TEXT, false, NULL,
       "number of the summary to check in place of the headline, such as cpu_s"},
      SAME_PARAM,
      STEP_PARAM}},
    {"sql",
     "Query with SQL",
     "Runs one SQLite statement that only reads, over the views of one run, of several runs, or of "
     "the catalog. The resource perfshelf://sql/views describes the views.",
     ps_tool_sql,
     PS_TOOL_READS,
     {{"sql", PS_PARAM_TEXT, true, NULL, "the statement, such as SELECT name FROM functions"},
      {"run", PS_PARAM_TEXT, false, NULL,
       "id or name of one run, or @1 for the newest; without run and runs: the catalog"},
      {"runs", PS_PARAM_TEXTS, false, NULL, "several runs: their views have a first column run"}}},
    {"formats",
     "List formats",
     "Lists the profile formats that perfshelf reads, and the command that records each.",
     ps_tool_formats,
     PS_TOOL_READS,
     {{"search", PS_PARAM_TEXT, false, NULL, "text in the name or the description of a format"}}},
    {"add",
     "Add profiles",
     "Adds profiles to the shelf: files, folders and archives of the machine on which this program "
     "runs. The content decides the format. Answers the ids of the runs.",
     ps_tool_add,
     PS_TOOL_ADDS,
     {{"files", PS_PARAM_TEXTS, true, NULL, "paths of profiles, folders or archives"},
      FOLDER_PARAM,
      {"merge", PS_PARAM_FLAG, false, NULL,
       "make one run of all files: .lprof files are summed, traces of one job are shown side by "
       "side"},
      LABEL_PARAMS,
      TIMEOUT_PARAM}},
    {"record",
     "Record a program",
     "Runs a Python program with a profiler and adds the profile to the shelf. The program runs "
     "without a shell and without input. Answers the exit status, the ids of the runs and the end "
     "of the output.",
     ps_tool_record,
     PS_TOOL_RUNS,
     {{"recorder", PS_PARAM_TEXT, true, "importtime cprofile lines memory torch serving time",
       "what is recorded: importtime (each import), cprofile (each function), lines (each line of "
       "functions marked @profile), memory (memory over time), torch (a trace of PyTorch), "
       "serving (the result files of a client of an engine, such as aiperf), time (wall clock, CPU "
       "and memory of any program)"},
      {"command", PS_PARAM_TEXTS, true, NULL,
       "the program and its arguments, such as [\"python\", \"app.py\"]"},
      FOLDER_PARAM,
      {"repeat", PS_PARAM_COUNT, false, NULL,
       "how many times to record, as one series (default 1); several recordings show the noise"},
      LABEL_PARAMS,
      TIMEOUT_PARAM}},
};
const size_t ps_tools_count = sizeof ps_tools / sizeof *ps_tools;

/* Every tool has these. */
static const struct ps_tool_param common[] = {
    {"format", PS_PARAM_TEXT, false, "markdown json", "form of the answer (default markdown)"},
    {"max_rows", PS_PARAM_COUNT, false, NULL, "rows of each table, 1 to 1000 (default 10)"},
    {"max_bytes", PS_PARAM_COUNT, false, NULL,
     "size of the answer in bytes, 1024 to 1000000 (default 4096); what is left out is counted"},
};
#define N_COMMON (sizeof common / sizeof *common)

static bool exists(const struct ps_agent *agent, const struct ps_tool *tool)
{
    return tool->effect == PS_TOOL_READS || agent->run;
}

const struct ps_tool *ps_tool_find(const struct ps_agent *agent, const char *name)
{
    for (size_t i = 0; i < ps_tools_count; i++)
        if (strcmp(ps_tools[i].name, name) == 0 && exists(agent, &ps_tools[i]))
            return &ps_tools[i];
    return NULL;
}

bool ps_agent_has_tool(const char *name)
{
    for (size_t i = 0; i < ps_tools_count; i++)
        if (strcmp(ps_tools[i].name, name) == 0)
            return true;
    return false;
}

/* The parameter at index i (from 0) of a tool, then the common ones; NULL after the last. */
static const struct ps_tool_param *param_at(const struct ps_tool *tool, size_t i)
{
    size_t n = 0;

    while (n < PS_TOOL_PARAMS && tool->params[n].name)
        n++;
    if (i < n)
        return &tool->params[i];
    return i - n < N_COMMON ? &common[i - n] : NULL;
}

/* --- Schemas --- */

static void write_words(struct ps_json *json, const char *words)
{
    ps_json_key(json, "enum");
    ps_json_array(json);
    while (*words) {
        const size_t len = strcspn(words, " ");

        ps_json_str(json, (struct ps_str){words, len});
        words += len + (words[len] == ' ');
    }
    ps_json_end(json);
}

static void write_param(struct ps_json *json, const struct ps_tool_param *param)
{
    static const char *const types[] = {"string", "array", "integer", "number", "boolean"};

    ps_json_key(json, param->name);
    ps_json_object(json);
    ps_json_key_str(json, "type", types[param->type]);
    if (param->type == PS_PARAM_TEXTS) {
        ps_json_key(json, "items");
        ps_json_object(json);
        ps_json_key_str(json, "type", "string");
        ps_json_end(json);
    }
    if (param->words)
        write_words(json, param->words);
    ps_json_key_str(json, "description", param->description);
    ps_json_end(json);
}

static void write_schema(struct ps_json *json, const struct ps_tool *tool)
{
    const struct ps_tool_param *param;

    ps_json_key(json, "inputSchema");
    ps_json_object(json);
    ps_json_key_str(json, "type", "object");
    ps_json_key(json, "properties");
    ps_json_object(json);
    for (size_t i = 0; (param = param_at(tool, i)) != NULL; i++)
        write_param(json, param);
    ps_json_end(json);
    ps_json_key(json, "required");
    ps_json_array(json);
    for (size_t i = 0; (param = param_at(tool, i)) != NULL; i++)
        if (param->is_required)
            ps_json_str(json, ps_str_from_c(param->name));
    ps_json_end(json);
    ps_json_key_bool(json, "additionalProperties", false);
    ps_json_end(json);
}

void ps_tools_write(const struct ps_agent *agent, struct ps_json *json)
{
    ps_json_array(json);
    for (size_t i = 0; i < ps_tools_count; i++) {
        if (!exists(agent, &ps_tools[i]))
            continue;
        ps_json_object(json);
        ps_json_key_str(json, "name", ps_tools[i].name);
        ps_json_key_str(json, "title", ps_tools[i].title);
        ps_json_key_str(json, "description", ps_tools[i].description);
        write_schema(json, &ps_tools[i]);
        ps_json_key(json, "annotations");
        ps_json_object(json);
        ps_json_key_bool(json, "readOnlyHint", ps_tools[i].effect == PS_TOOL_READS);
        if (ps_tools[i].effect != PS_TOOL_READS)
            ps_json_key_bool(json, "destructiveHint", ps_tools[i].effect == PS_TOOL_RUNS);
        ps_json_key_bool(json, "openWorldHint", ps_tools[i].effect == PS_TOOL_RUNS);
        ps_json_end(json);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* --- Arguments --- */

static enum ps_status check_texts(const struct ps_tool_param *param, const cJSON *value,
                                  struct ps_err *err)
{
    const cJSON *item;

    if (!cJSON_IsArray(value))
        return ps_fail(err, PS_BAD_REQUEST, "the argument %s is not an array", param->name);
    cJSON_ArrayForEach(item, value)
    {
        if (!cJSON_IsString(item))
            return ps_fail(err, PS_BAD_REQUEST, "an element of the argument %s is not a string",
                           param->name);
    }
    return PS_OK;
}

static enum ps_status check_value(const struct ps_tool_param *param, const cJSON *value,
                                  struct ps_err *err)
{
    if (param->type == PS_PARAM_TEXTS)
        return check_texts(param, value, err);
    if (param->type == PS_PARAM_TEXT && !cJSON_IsString(value))
        return ps_fail(err, PS_BAD_REQUEST, "the argument %s is not a string", param->name);
    if (param->type == PS_PARAM_FLAG)
        return cJSON_IsBool(value) ? PS_OK
                                   : ps_fail(err, PS_BAD_REQUEST,
                                             "the argument %s is not true or false", param->name);
    if (param->type != PS_PARAM_TEXT && !cJSON_IsNumber(value))
        return ps_fail(err, PS_BAD_REQUEST, "the argument %s is not a number", param->name);
    if (param->type == PS_PARAM_COUNT &&
        (value->valuedouble < 1 || value->valuedouble != floor(value->valuedouble)))
        return ps_fail(err, PS_BAD_REQUEST, "the argument %s is not a whole number from 1 on",
                       param->name);
    if (param->words && !ps_has_word(param->words, value->valuestring))
        return ps_fail(err, PS_BAD_REQUEST, "the argument %s must be one of: %s", param->name,
                       param->words);
    return PS_OK;
}

static enum ps_status fail_unknown(const struct ps_tool *tool, const char *name, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf names = {0};
    const struct ps_tool_param *param;

    for (size_t i = 0; (param = param_at(tool, i)) != NULL; i++)
        ps_buf_printf(&names, "%s%s", i ? ", " : "", param->name);
    return ps_fail(err, PS_BAD_REQUEST, "%s has no argument %.60s" PS_HINT "its arguments are %s",
                   tool->name, name, names.ptr);
}

static enum ps_status check_arguments(const struct ps_tool *tool, const cJSON *arguments,
                                      struct ps_err *err)
{
    const struct ps_tool_param *param;
    const cJSON *value;

    if (arguments && !cJSON_IsObject(arguments))
        return ps_fail(err, PS_BAD_REQUEST, "the arguments are not an object");
    cJSON_ArrayForEach(value, arguments)
    {
        size_t i = 0;

        while ((param = param_at(tool, i)) != NULL && strcmp(param->name, value->string) != 0)
            i++;
        if (!param)
            return fail_unknown(tool, value->string, err);
        if (check_value(param, value, err) != PS_OK)
            return err->code;
    }
    for (size_t i = 0; (param = param_at(tool, i)) != NULL; i++)
        if (param->is_required && !ps_member(arguments, param->name))
            return ps_fail(err, PS_BAD_REQUEST, "%s needs the argument %s: %s", tool->name,
                           param->name, param->description);
    return PS_OK;
}

/* Reads a limit; values beyond the range are set to its ends. */
static double read_limit(const struct ps_tool_call *call, const char *name, double low, double high,
                         double fallback)
{
    const double value = ps_arg_number(call, name, fallback);

    return value < low ? low : value > high ? high : value;
}

enum ps_status ps_agent_call(const struct ps_agent *agent, const char *name, const cJSON *arguments,
                             struct ps_buf *out, struct ps_err *err)
{
    const struct ps_tool *tool = ps_tool_find(agent, name);
    PS_AUTO(ps_output_free) struct ps_output output = {.page = agent->page};
    struct ps_tool_call call = {.agent = agent, .arguments = arguments, .out = &output};
    const char *format;

    if (!tool)
        return ps_fail(err, PS_NOT_FOUND, "there is no tool %.60s", name);
    if (check_arguments(tool, arguments, err) != PS_OK)
        return err->code;
    format = ps_arg_text(&call, "format");
    output.format = format && strcmp(format, "json") == 0 ? PS_OUTPUT_JSON : PS_OUTPUT_MARKDOWN;
    output.max_rows =
        (unsigned)read_limit(&call, "max_rows", 1, PS_OUTPUT_ROWS_MAX, PS_OUTPUT_ROWS);
    output.max_bytes = (size_t)read_limit(&call, "max_bytes", PS_OUTPUT_BYTES_MIN,
                                          PS_OUTPUT_BYTES_MAX, PS_OUTPUT_BYTES);
    if (tool->handle(&call, err) != PS_OK && !call.explains_failure)
        return err->code;
    ps_output_end(&output);
    ps_buf_add_str(out, ps_buf_slice(&output.text));
    return err->code;
}
