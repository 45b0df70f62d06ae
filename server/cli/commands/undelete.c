/* SPDX-License-Identifier: MIT */
/* undelete.c: lists or restores runs that were deleted within the last day. */
#include "base/json_out.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"
#include "server/text/table.h"

static int undelete_run(const struct ps_options *options, struct ps_client *client,
                        const char *word)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, word);
    ps_buf_puts(&path, "/undelete");
    if (!word[0])
        ps_client_fail_empty_run(&err);
    ps_client_send(client, "POST", path.ptr, (struct ps_str){NULL, 0}, &answer, &err);
    if (ps_answer_parse(ps_buf_slice(&answer), &run, &err) != PS_OK)
        return ps_print_failure(word[0] ? word : "undelete", &err);
    if (options->json) {
        struct ps_json json = ps_json_writer(&line);
        ps_json_object(&json);
        ps_json_key_str(&json, "id", ps_member_text(run, "id"));
        ps_json_key_str(&json, "name", ps_member_text(run, "name"));
        ps_json_key_bool(&json, "recovered", true);
        ps_json_end(&json);
    } else {
        ps_buf_printf(&line, "%s  restored  ", ps_member_text(run, "id"));
        ps_append_escaped(&line, ps_str_from_c(ps_member_text(run, "name")));
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
    return 0;
}

static void add_time(struct ps_table *table, const cJSON *run, const char *key)
{
    char text[32];
    const cJSON *time = ps_member(run, key);
    PS_AUTO(ps_json_free) cJSON *as_run = cJSON_CreateObject();
    cJSON_AddStringToObject(as_run, "created_at", cJSON_GetStringValue(time));
    ps_table_cell(table, ps_run_format_time(as_run, text));
}

static void add_table(const cJSON *rows, struct ps_buf *out)
{
    static const char *const titles[] = {"id", "kind",   "deleted", "kept until",
                                         "by", "series", "name"};
    struct ps_table table = {.columns = 7};
    const cJSON *run;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ps_table_cell(&table, titles[i]);
    cJSON_ArrayForEach(run, rows)
    {
        ps_table_cell(&table, ps_member_text(run, "id"));
        ps_table_cell(&table, ps_member_text(run, "kind"));
        add_time(&table, run, "deleted_at");
        add_time(&table, run, "recoverable_until");
        ps_table_cell(&table, ps_member_text(run, "deleted_by"));
        ps_table_cell(&table, ps_member_text(run, "series"));
        ps_table_cell(&table, ps_member_text(run, "name"));
    }
    if (cJSON_GetArraySize(rows) > 0)
        ps_table_print(&table, out);
    else
        ps_buf_puts(out, "No run was deleted within the last day.\n");
    ps_table_free(&table);
}

static int list_deleted(const struct ps_options *options, struct ps_client *client)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    struct ps_err err = PS_ERR_INIT;
    if (ps_client_read(client, "deleted", &page, &err) != PS_OK)
        return ps_print_failure("undelete", &err);
    const cJSON *rows = ps_member(page, "rows");
    if (options->json) {
        PS_AUTO(ps_free_ptr) char *array = cJSON_PrintUnformatted(rows);
        ps_buf_puts(&out, array);
        ps_buf_puts(&out, "\n");
    } else {
        add_table(rows, &out);
    }
    ps_print(&out);
    return 0;
}

int ps_cli_undelete(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    int status = client ? 0 : 1;
    if (client && options->n_operands == 0)
        return list_deleted(options, client);
    for (size_t i = 0; client && i < options->n_operands; i++)
        status |= undelete_run(options, client, options->operands[i]);
    return status;
}
