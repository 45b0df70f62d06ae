/* SPDX-License-Identifier: MIT */
#include "base/json_out.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"

/* Makes the run the baseline of its series. Appends the changed RUN object (JSON) to out. */
static enum ps_status pin_run(struct ps_client *client, const char *run, struct ps_buf *out,
                              struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, run);
    ps_buf_puts(&path, "/baseline");
    return ps_client_send(client, "PUT", path.ptr, (struct ps_str){NULL, 0}, out, err);
}

static enum ps_status print_pinned(const struct ps_buf *text, struct ps_buf *out,
                                   struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    if (ps_answer_parse(ps_buf_slice(text), &run, err) != PS_OK)
        return err->code;
    ps_buf_printf(out, "%s  baseline of ", ps_member_text(run, "id"));
    ps_append_escaped(out, ps_str_from_c(ps_member_text(run, "series")));
    ps_buf_puts(out, "  ");
    ps_append_escaped(out, ps_str_from_c(ps_member_text(run, "name")));
    return PS_OK;
}

static void print_cleared(const char *series, bool json, struct ps_buf *out)
{
    struct ps_json text = ps_json_writer(out);
    if (!json) {
        ps_append_escaped(out, ps_str_from_c(series));
        ps_buf_puts(out, "  has no baseline any more");
        return;
    }
    ps_json_object(&text);
    ps_json_key_str(&text, "series", series);
    ps_json_key_bool(&text, "cleared", true);
    ps_json_end(&text);
}

int ps_cli_baseline(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status;
    if ((options->n_operands == 1) == (options->clear != NULL)) {
        ps_fail(&err, PS_BAD_REQUEST,
                "name either a RUN or --clear SERIES" PS_HINT "see `perfshelf help baseline`");
        (void)ps_print_failure("baseline", &err);
        return 2;
    }
    client = ps_client_open(options);
    if (!client)
        return 1;
    if (options->clear) {
        ps_buf_puts(&path, "baselines");
        ps_url_add_param(&path, "series", options->clear);
        status =
            ps_client_send(client, "DELETE", path.ptr, (struct ps_str){NULL, 0}, &answer, &err);
        print_cleared(options->clear, options->json, &out);
    } else {
        status = pin_run(client, options->operands[0], &answer, &err);
        if (status == PS_OK && options->json)
            ps_buf_add_str(&out, ps_buf_slice(&answer));
        else if (status == PS_OK)
            status = print_pinned(&answer, &out, &err);
    }
    if (status != PS_OK)
        return ps_print_failure("baseline", &err);
    ps_buf_puts(&out, "\n");
    ps_print(&out);
    return 0;
}
