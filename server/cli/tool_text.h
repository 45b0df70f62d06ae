/* SPDX-License-Identifier: MIT */
/* tool_text.h: prints the answers of the tools for AI agents (server/agent), for --markdown. */
#ifndef PS_CLI_TOOL_TEXT_H
#define PS_CLI_TOOL_TEXT_H

#include "server/agent/agent.h"
#include "server/cli/client/client.h"

/* The tools on the shelf of a client. `page` receives the URL of the page and must stay valid as
 * long as the agent. */
struct ps_agent ps_cli_agent(struct ps_client *client, const struct ps_options *options,
                             struct ps_buf *page);

/* A text argument of a tool; left out if `value` is NULL. */
struct ps_tool_argument {
    const char *name, *value;
};
/* Calls a tool with at most 8 arguments and the limits of --max-rows and --max-bytes; appends its
 * answer as Markdown, or as JSON with --json. max_bytes: limit unless --max-bytes is given. */
enum ps_status ps_cli_call_tool(struct ps_client *client, const struct ps_options *options,
                                const char *tool, const struct ps_tool_argument *arguments,
                                size_t n, size_t max_bytes, struct ps_buf *out, struct ps_err *err);

/* The body of a command that prints the answer of one tool. Returns the exit status. `subject`:
 * for error messages. */
int ps_cli_print_tool(const struct ps_options *options, const char *subject, const char *tool,
                      const struct ps_tool_argument *arguments, size_t n);

#endif
