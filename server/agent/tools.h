/* SPDX-License-Identifier: MIT */
/*
 * tools.h: the table of tools, and what their handlers use. Only files of this folder include it.
 *
 * A handler reads its arguments with ps_arg_*, asks the API with ps_ask_*, and writes to call->out
 * between ps_output_begin and ps_output_end. It returns PS_OK, or fills err; the answer is then the
 * error.
 */
#ifndef PS_AGENT_TOOLS_H
#define PS_AGENT_TOOLS_H

#include "server/agent/agent.h"
#include "server/http/url.h"
#include "server/text/text.h"

enum ps_param_type {
    PS_PARAM_TEXT,
    PS_PARAM_TEXTS,
    PS_PARAM_COUNT,
    PS_PARAM_NUMBER,
    PS_PARAM_FLAG,
};

struct ps_tool_param {
    const char *name;
    enum ps_param_type type;
    bool is_required;
    const char *words; /* of PS_PARAM_TEXT: the valid words, separated by spaces; NULL: any text */
    const char *description;
};

struct ps_tool_call {
    const struct ps_agent *agent;
    const cJSON *arguments; /* valid by the parameters of the tool; may be NULL */
    struct ps_output *out;
    /* Set by a handler that fails after it wrote an answer which says why: the agent gets this
     * answer, marked as an error. */
    bool explains_failure;
};

typedef enum ps_status ps_tool_handler(struct ps_tool_call *call, struct ps_err *err);

/* Tools that add runs exist only where struct ps_agent.run is set. */
enum ps_tool_effect {
    PS_TOOL_READS,
    PS_TOOL_ADDS,
    PS_TOOL_RUNS, /* also runs a program, which may do anything */
};

#define PS_TOOL_PARAMS 9

struct ps_tool {
    const char *name, *title, *description;
    ps_tool_handler *handle;
    enum ps_tool_effect effect;
    struct ps_tool_param params[PS_TOOL_PARAMS]; /* ends with a NULL name if there are fewer */
};

extern const struct ps_tool ps_tools[];
extern const size_t ps_tools_count;

/* NULL: the agent has no such tool. */
const struct ps_tool *ps_tool_find(const struct ps_agent *agent, const char *name);
/* Writes the tools of the agent as the array of tools/list. */
void ps_tools_write(const struct ps_agent *agent, struct ps_json *json);

/* The handlers. */
ps_tool_handler ps_tool_list_runs, ps_tool_summary, ps_tool_hot, ps_tool_explore, ps_tool_timeline,
    ps_tool_compare, ps_tool_trend, ps_tool_lazy_imports, ps_tool_check, ps_tool_sql,
    ps_tool_formats, ps_tool_add, ps_tool_record;

/* --- Arguments --- */

/* NULL if the argument is absent. */
const char *ps_arg_text(const struct ps_tool_call *call, const char *name);
double ps_arg_number(const struct ps_tool_call *call, const char *name, double fallback);

/* --- Questions --- */

/* GET `path`, built with ps_url_add_segment and ps_url_add_param. The caller frees *out with
 * ps_json_free. */
enum ps_status ps_ask(const struct ps_tool_call *call, const struct ps_buf *path, cJSON **out,
                      struct ps_err *err);
/* GET runs/RUN: the run that the argument "run" names. */
enum ps_status ps_ask_run(const struct ps_tool_call *call, cJSON **out, struct ps_err *err);
/* GET runs/ID/VIEW with the parameters "key=value", separated by &, already escaped; NULL: none. */
enum ps_status ps_ask_view(const struct ps_tool_call *call, const char *id, const char *view,
                           const char *params, cJSON **out, struct ps_err *err);

/* --- Parts that several tools write --- */

/* Begins an answer about a run: its title, its page on a tab ("" for the first) and its name. */
void ps_begin_run(struct ps_tool_call *call, const char *tool, const cJSON *run, const char *tab);

/* A table of comparisons, of one run or of groups: GET compare. */
struct ps_compare_table {
    cJSON *tree;         /* the response of GET compare */
    const cJSON *table;  /* its element of "tables" */
    const cJSON *metric; /* its element of "metrics" */
};
/* Finds the table and the metric that the arguments "table" and "metric" name. "self" and "total"
 * name the first metric that adds up, or that does not. PS_BAD_REQUEST: there is none; the hint
 * lists the names. Call ps_compare_table_free in any case. */
enum ps_status ps_find_compare_table(struct ps_tool_call *call, const char *base, const char *now,
                                     struct ps_compare_table *out, struct ps_err *err);
void ps_compare_table_free(struct ps_compare_table *table); /* for PS_AUTO */
/* Appends "functions (tottime_s, cumtime_s), ...": the tables of a response and their metrics. */
void ps_add_table_names(struct ps_buf *text, const cJSON *response);

#endif
