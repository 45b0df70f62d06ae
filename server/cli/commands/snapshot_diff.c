/* SPDX-License-Identifier: MIT */
#include "server/cli/commands/snapshot_diff.h"

#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "base/json_span.h"

#define ROWS_MAX "10000" /* maximum of the API */

bool ps_cli_compares_snapshots(const struct ps_cli_comparison *compared)
{
    const cJSON *picture;

    cJSON_ArrayForEach(picture, ps_member(compared->response, "pictures"))
    {
        if (cJSON_IsString(picture) && strcmp(picture->valuestring, "snapshot") == 0)
            return true;
    }
    return false;
}

/* Reads the response of GET /compare/snapshot, of frames of the program where a stack has some. */
static enum ps_status read_response(const struct ps_cli_comparison *compared, struct ps_buf *text,
                                    struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare/snapshot");
    ps_url_add_param(&path, "base", compared->base_runs);
    ps_url_add_param(&path, "new", compared->new_runs);
    ps_url_add_param(&path, "frames", "own");
    ps_url_add_param(&path, "limit", ROWS_MAX);
    return ps_client_get(compared->client, path.ptr, text, err);
}

enum ps_status ps_cli_read_stacks(const struct ps_cli_comparison *compared, cJSON **out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    read_response(compared, &text, err);
    return ps_answer_parse(ps_buf_slice(&text), out, err);
}

enum ps_status ps_cli_append_snapshot_json(const struct ps_cli_comparison *compared,
                                           struct ps_buf *out, struct ps_err *err)
{
    static const char *const of_runs[] = {"base", "new", "headline"}, *const of_stacks[] = {
                                                                          "begins_at", "rows",
                                                                          "omitted"};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(out);

    if (read_response(compared, &text, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++) {
        ps_json_key(&json, of_runs[i]);
        ps_json_raw(&json, ps_json_member(ps_buf_slice(&compared->text), of_runs[i]));
    }
    ps_json_key_str(&json, "of", PS_CLI_STACKS);
    ps_json_key_str(&json, "metric", "live");
    ps_json_key_str(&json, "per", "run");
    ps_json_key_str(&json, "unit", "B");
    for (size_t i = 0; i < sizeof of_stacks / sizeof *of_stacks; i++) {
        ps_json_key(&json, of_stacks[i]);
        ps_json_raw(&json, ps_json_member(ps_buf_slice(&text), of_stacks[i]));
    }
    ps_json_end(&json);
    ps_buf_puts(out, "\n");
    return PS_OK;
}
