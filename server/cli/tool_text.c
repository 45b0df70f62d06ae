/* SPDX-License-Identifier: MIT */
#include "server/cli/tool_text.h"

#include "server/cli/cli.h"
#include "server/cli/client/server_record.h"
#include "server/cli/options/option_values.h"

static enum ps_status ask(void *user, const char *method, const char *path, struct ps_str body,
                          struct ps_buf *out, struct ps_err *err)
{
    return ps_client_send(user, method, path, body, out, err);
}

struct ps_agent ps_cli_agent(struct ps_client *client, const struct ps_options *options,
                             struct ps_buf *page)
{
    if (!ps_server_find_url(options, page))
        ps_buf_puts(page, "");
    return (struct ps_agent){.ask = ask, .user = client, .page = page->ptr};
}

enum ps_status ps_cli_call_tool(struct ps_client *client, const struct ps_options *options,
                                const char *tool, const struct ps_tool_argument *arguments,
                                size_t n, size_t max_bytes, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf page = {0};
    const struct ps_agent agent = ps_cli_agent(client, options, &page);
    PS_AUTO(ps_json_free) cJSON *tree = cJSON_CreateObject();
    int64_t rows, bytes;
    if (ps_options_parse_count("--max-rows", options->max_rows, PS_OUTPUT_ROWS_MAX, &rows, err) !=
            PS_OK ||
        ps_options_parse_count("--max-bytes", options->max_bytes, PS_OUTPUT_BYTES_MAX, &bytes,
                               err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < n; i++)
        if (arguments[i].value)
            (void)cJSON_AddStringToObject(tree, arguments[i].name, arguments[i].value);
    if (rows)
        (void)cJSON_AddNumberToObject(tree, "max_rows", (double)rows);
    (void)cJSON_AddNumberToObject(tree, "max_bytes", bytes ? (double)bytes : (double)max_bytes);
    (void)cJSON_AddStringToObject(tree, "format", options->json ? "json" : "markdown");
    return ps_agent_call(&agent, tool, tree, out, err);
}

int ps_cli_print_tool(const struct ps_options *options, const char *subject, const char *tool,
                      const struct ps_tool_argument *arguments, size_t n)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;
    if (!client)
        return 1;
    if (ps_cli_call_tool(client, options, tool, arguments, n, PS_OUTPUT_BYTES, &out, &err) != PS_OK)
        return ps_print_failure(subject, &err);
    ps_buf_puts(&out, options->json ? "\n" : "");
    ps_print(&out);
    return 0;
}
