/* SPDX-License-Identifier: MIT */
/*
 * agent.h: the tools and resources of the Model Context Protocol for one shelf. A transport
 * (server/cli/commands/mcp.c, server/api/mcp.c) reads messages with rpc.h, passes them to
 * ps_agent_reply and sends the reply. The command line calls tools with ps_agent_call.
 *
 * Tools ask the HTTP API (docs/api.md) through struct ps_agent.ask and choose rows of its answers,
 * so a tool and the page show the same numbers. A tool ends early when the ps_context of its
 * thread ends (base/context.h).
 *
 * The tools that write (add and record) run commands of perfshelf through struct ps_agent.run. They
 * exist only if a transport sets it.
 *
 * struct ps_agent is only read, so any number of threads may share one if its `ask` allows that.
 */
#ifndef PS_AGENT_AGENT_H
#define PS_AGENT_AGENT_H

#include "base/err.h"
#include "server/agent/rpc.h"
#include "server/text/output.h"

/* A command of perfshelf that a tool that writes runs, and what came of it. */
struct ps_agent_command {
    const char *const *words; /* such as {"add", "--json", "--", "app.prof", NULL} */
    const char *folder;       /* in which it runs; NULL: that of this process */
    int64_t timeout_ms;       /* from 1 on */
};
struct ps_agent_outcome {
    int status;                     /* exit status, or 128 + n after signal n */
    struct ps_buf output;           /* stdout; whole lines, at most 16 MiB */
    struct ps_buf log;              /* the end of stderr, at most 16 KiB */
    bool is_output_cut, is_log_cut; /* there was more */
    bool is_stopped;                /* its time was over */
};

/* A call of a tool that has ended. */
struct ps_agent_called {
    const char *tool;
    const char *subject;      /* the run, group, series, files or command of the call; "": none */
    const struct ps_err *err; /* its code is PS_OK if the call succeeded */
    double seconds;
};

struct ps_agent {
    /* Answers a request; `path` is below /api/v1/. Appends the JSON of the response to `out`. */
    enum ps_status (*ask)(void *user, const char *method, const char *path, struct ps_str body,
                          struct ps_buf *out, struct ps_err *err);
    void *user;
    /* Called after each call of a tool by ps_agent_reply, for a log; NULL: not called. */
    void (*on_call)(void *on_call_user, const struct ps_agent_called *called);
    void *on_call_user;
    /* Runs a command and waits for it. Stops it, and the programs that it started, when its time is
     * over, or, with the error of the context, when the context of the thread ends. PS_OK if the
     * command was started, whatever its exit status. The caller frees the texts of *out in any
     * case. NULL: there are no tools that write. */
    enum ps_status (*run)(void *run_user, const struct ps_agent_command *command,
                          struct ps_agent_outcome *out, struct ps_err *err);
    void *run_user;
    const char *page; /* URL of the page with a trailing slash; "": not known */
};

/* Answers a request or a notification. Appends nothing for notifications and responses. */
void ps_agent_reply(const struct ps_agent *agent, const struct ps_rpc_message *message,
                    struct ps_buf *reply);

/* Calls a tool with an object of arguments, and appends its answer; a tool that fails may have one
 * too. PS_NOT_FOUND: there is no such tool. PS_BAD_REQUEST: an argument is invalid. */
enum ps_status ps_agent_call(const struct ps_agent *agent, const char *tool, const cJSON *arguments,
                             struct ps_buf *out, struct ps_err *err);

/* Whether there is such a tool, for any agent. */
bool ps_agent_has_tool(const char *name);

/* Finds a table of a response of GET compare, such as "functions"; of NULL: the first one.
 * PS_BAD_REQUEST: there is none; the hint lists the names. These do nothing if err contains a
 * failure already. */
enum ps_status ps_choose_table(const cJSON *response, const char *of, const cJSON **out,
                               struct ps_err *err);
/* Finds a metric of a table by its name, its title, or its name without the unit, such as "cumtime"
 * for cumtime_s; name NULL: the first one. PS_BAD_REQUEST: there is none. */
enum ps_status ps_choose_metric(const cJSON *table, const char *name, const cJSON **out,
                                struct ps_err *err);

/* Adds the link of the page that compares the groups of a response, or shows its only group:
 * "#/compare?base=ID,ID&new=ID". */
void ps_add_compare_link(struct ps_output *out, const cJSON *response);

/* Whether this revision of the protocol is supported, such as "2025-06-18". */
bool ps_agent_supports_version(const char *version);

#endif
