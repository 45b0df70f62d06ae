/* SPDX-License-Identifier: MIT */
#include "base/json_out.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"

static enum ps_status delete_run(struct ps_client *client, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, id);
    return ps_client_send(client, "DELETE", path.ptr, (struct ps_str){NULL, 0}, &answer, err);
}

static int remove_run(const struct ps_options *options, struct ps_client *client, const char *id)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    PS_AUTO(ps_json_free) cJSON *about = NULL;
    if (ps_client_read_run(client, id, &about, &err) != PS_OK ||
        delete_run(client, id, &err) != PS_OK)
        return ps_print_failure(id, &err);
    if (options->json) {
        struct ps_json json = ps_json_writer(&line);
        ps_json_object(&json);
        ps_json_key_str(&json, "id", id);
        ps_json_key_str(&json, "name", ps_member_text(about, "name"));
        ps_json_key_bool(&json, "removed", true);
        ps_json_end(&json);
    } else {
        ps_buf_printf(&line, "%s  deleted  ", id);
        ps_append_escaped(&line, ps_str_from_c(ps_member_text(about, "name")));
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
    return 0;
}

int ps_cli_rm(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_run_ids_free) struct ps_run_ids ids = {0};
    struct ps_err err = PS_ERR_INIT;
    int status = 0;
    if (!client)
        return 1;
    if (ps_cli_resolve(client, options->operands, options->n_operands, &ids, &err) != PS_OK)
        return ps_print_failure("nothing deleted", &err);
    for (size_t i = 0; i < ids.n; i++)
        status |= remove_run(options, client, ids.items[i]);
    return status;
}
