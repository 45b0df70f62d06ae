/* SPDX-License-Identifier: MIT */
/* edit.c: changes name, series, note and tags of runs. Also used by `add` for files that are
 * already on the shelf. */
#include "server/cli/commands/edit.h"

#include "base/json_out.h"
#include "server/cli/cli.h"
#include "server/cli/client/runs.h"

void ps_edit_append_json(const struct ps_edit *edit, struct ps_buf *out)
{
    struct ps_json json = ps_json_writer(out);
    ps_json_object(&json);
    if (edit->name)
        ps_json_key_str(&json, "name", edit->name);
    if (edit->series)
        ps_json_key_str(&json, "series", edit->series);
    if (edit->note)
        ps_json_key_str(&json, "note", edit->note);
    if (edit->n_tags) {
        ps_json_key(&json, "merge_tags");
        ps_json_object(&json);
        for (size_t i = 0; i < edit->n_tags; i++)
            ps_json_key_str(&json, edit->tags[i].key, edit->tags[i].value);
        ps_json_end(&json);
    }
    ps_json_end(&json);
}

static bool is_same(const cJSON *object, const char *key, const char *value)
{
    const char *now = cJSON_GetStringValue(ps_member(object, key));
    return value ? now && strcmp(now, value) == 0 : !now;
}

bool ps_edit_changes(const struct ps_edit *edit, const cJSON *run)
{
    const cJSON *tags = ps_member(run, "tags");
    if ((edit->name && !is_same(run, "name", edit->name)) ||
        (edit->series && !is_same(run, "series", edit->series)) ||
        (edit->note && !is_same(run, "note", edit->note)))
        return true;
    for (size_t i = 0; i < edit->n_tags; i++)
        if (!is_same(tags, edit->tags[i].key, edit->tags[i].value))
            return true;
    return false;
}

enum ps_status ps_edit_run(struct ps_client *client, const char *id, const struct ps_edit *edit,
                           struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf body = {0};
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, id);
    ps_edit_append_json(edit, &body);
    return ps_client_send(client, "PATCH", path.ptr, ps_buf_slice(&body), out, err);
}

static int edit_run(const struct ps_options *options, struct ps_client *client, const char *id,
                    const struct ps_edit *edit)
{
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    PS_AUTO(ps_buf_free) struct ps_buf tags = {0};
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    struct ps_err err = PS_ERR_INIT;
    if (ps_edit_run(client, id, edit, &answer, &err) != PS_OK)
        return ps_print_failure(id, &err);
    if (options->json) {
        ps_buf_puts(&answer, "\n");
        ps_print(&answer);
        return 0;
    }
    run = cJSON_ParseWithLength(answer.ptr, answer.len);
    ps_run_format_tags(run, true, &tags);
    ps_buf_printf(&line, "%s  edited  ", id);
    ps_append_escaped(&line, ps_str_from_c(ps_member_text(run, "name")));
    if (ps_member_text(run, "series")[0]) {
        ps_buf_puts(&line, "  series ");
        ps_append_escaped(&line, ps_str_from_c(ps_member_text(run, "series")));
    }
    if (ps_member_text(run, "note")[0])
        ps_buf_puts(&line, "  with a note");
    if (tags.len) {
        ps_buf_puts(&line, "  ");
        ps_append_escaped(&line, ps_buf_slice(&tags));
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
    return 0;
}

int ps_cli_edit(const struct ps_options *options)
{
    const struct ps_edit edit = {.name = options->name,
                                 .series = options->series,
                                 .note = options->note,
                                 .tags = options->tags,
                                 .n_tags = options->n_tags};
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_run_ids_free) struct ps_run_ids ids = {0};
    struct ps_err err = PS_ERR_INIT;
    int status = 0;
    if (!edit.name && !edit.series && !edit.note && !edit.n_tags) {
        ps_fail(&err, PS_BAD_REQUEST,
                "nothing to change" PS_HINT "give --name, --series, --note, --tag or --untag");
        ps_print_failure("edit", &err);
        return 2;
    }
    client = ps_client_open(options);
    if (!client)
        return 1;
    if (ps_cli_resolve(client, options->operands, options->n_operands, &ids, &err) != PS_OK)
        return ps_print_failure("nothing edited", &err);
    for (size_t i = 0; i < ids.n; i++)
        status |= edit_run(options, client, ids.items[i], &edit);
    return status;
}
