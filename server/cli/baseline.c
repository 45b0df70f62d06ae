/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/runs.h"

static enum ps_status pin(struct ps_store *store, const char *run, bool json, struct ps_buf *out,
                          struct ps_err *err)
{
    char id[PS_ID_SIZE];
    PS_AUTO(ps_run_free) cJSON *about = NULL;
    enum ps_status status = ps_store_resolve(store, run, id, err);
    if (status == PS_OK)
        status = ps_store_pin(store, id, err);
    if (status == PS_OK)
        status = json ? ps_run_json(store, id, out, err) : ps_run_read(store, id, &about, err);
    if (status != PS_OK || json)
        return status;
    ps_buf_printf(out, "%s  baseline of ", id);
    ps_plain_text(out, ps_str_of(ps_run_text(about, "series")));
    ps_buf_puts(out, "  ");
    ps_plain_text(out, ps_str_of(ps_run_text(about, "name")));
    return PS_OK;
}

static void say_cleared(const char *series, bool json, struct ps_buf *out)
{
    struct ps_json text = ps_json_to(out);
    if (!json) {
        ps_plain_text(out, ps_str_of(series));
        ps_buf_puts(out, "  has no baseline any more");
        return;
    }
    ps_json_object(&text);
    ps_json_kstr(&text, "series", series);
    ps_json_kbool(&text, "cleared", true);
    ps_json_end(&text);
}

int ps_cli_baseline(const struct ps_options *options)
{
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status;
    if ((options->n_operands == 1) == (options->clear != NULL)) {
        ps_fail(&err, PS_BAD_REQUEST, "wants a RUN, or --clear SERIES");
        (void)ps_say_failure("baseline", &err);
        return 2;
    }
    store = ps_cli_open(options);
    if (!store)
        return 1;
    if (options->clear) {
        status = ps_store_unpin(store, options->clear, &err);
        say_cleared(options->clear, options->json, &out);
    } else {
        status = pin(store, options->operands[0], options->json, &out, &err);
    }
    if (status != PS_OK)
        return ps_say_failure("baseline", &err);
    ps_buf_puts(&out, "\n");
    ps_say(&out);
    return 0;
}
