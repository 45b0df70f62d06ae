/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/text/text.h"

#define ROWS 20 /* maximum number of rows of a table */

static enum ps_status request_estimate(const struct ps_options *options, struct ps_client *client,
                                       struct ps_buf *answer, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf lazy = {0};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    for (size_t i = 1; i < options->n_operands; i++)
        ps_buf_printf(&lazy, "%s%s", i > 1 ? "," : "", options->operands[i]);
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, options->operands[0]);
    ps_buf_puts(&path, "/what_if");
    ps_url_add_param(&path, "lazy", lazy.ptr);
    ps_url_add_param(&path, "limit", "5000");
    return ps_client_get(client, path.ptr, answer, err);
}

int ps_cli_whatif(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_output_free) struct ps_output out = ps_output_terminal(ROWS, "--json prints all");
    PS_AUTO(ps_buf_free) struct ps_buf json = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    struct ps_err err = PS_ERR_INIT;
    if (!client)
        return 1;
    request_estimate(options, client, &json, &err);
    if (err.code == PS_OK && !options->json &&
        ps_answer_parse(ps_buf_slice(&json), &answer, &err) == PS_OK) {
        ps_text_lazy_imports(&out, answer);
        ps_output_end(&out);
    }
    if (err.code != PS_OK)
        return ps_print_failure(options->operands[0], &err);
    if (options->json)
        ps_buf_puts(&json, "\n");
    ps_print(options->json ? &json : &out.text);
    return 0;
}
