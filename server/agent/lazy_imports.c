/* SPDX-License-Identifier: MIT */
/* lazy_imports.c: the tool lazy_imports: what the start of a program saves with lazy imports. */
#include "server/agent/tools.h"

enum ps_status ps_tool_lazy_imports(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf lazy = {0};
    const cJSON *module;

    if (ps_ask_run(call, &run, err) != PS_OK)
        return err->code;
    cJSON_ArrayForEach(module, ps_member(call->arguments, "lazy"))
        ps_buf_printf(&lazy, "%s%s", lazy.len ? "," : "", module->valuestring);
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, ps_member_text(run, "id"));
    ps_buf_puts(&path, "/what_if");
    ps_url_add_param(&path, "lazy", lazy.len ? lazy.ptr : NULL);
    ps_url_add_int(&path, "limit", call->out->max_rows);
    if (ps_ask(call, &path, &answer, err) != PS_OK)
        return err->code;
    ps_begin_run(call, "lazy_imports", run, "lazy");
    ps_text_lazy_imports(call->out, answer);
    return PS_OK;
}
