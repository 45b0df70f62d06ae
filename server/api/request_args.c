/* SPDX-License-Identifier: MIT */
/* request_args.c: reads what most handlers need from a request: its run, its job, its parameters.
 */
#include "server/api/state.h"

enum ps_status ps_api_resolve_run(struct ps_request *req, const char **id_out, struct ps_err *err)
{
    char id[PS_ID_SIZE];

    ps_store_resolve(ps_request_api(req)->store, req->args[0], id, err);
    *id_out = err->code == PS_OK ? ps_arena_copy(&req->arena, ps_str_from_c(id)).ptr : NULL;
    return err->code;
}

struct ps_params ps_api_get_params(struct ps_request *req)
{
    struct ps_param *params = ps_arena_alloc(&req->arena, (req->params.n + 1) * sizeof *params);

    for (size_t i = 0; i < req->params.n; i++)
        params[i] = (struct ps_param){req->params.items[i].key, req->params.items[i].value};
    return (struct ps_params){params, req->params.n};
}

enum ps_status ps_api_parse_job_id(const struct ps_request *req, uint64_t *id_out,
                                   struct ps_err *err)
{
    const char *text = req->args[0];
    int64_t id = 0;

    if (text[0] != 'j' || !ps_str_parse_i64(ps_str_from_c(text + 1), &id) || id < 1)
        return ps_fail(err, PS_NOT_FOUND, "no job %.20s", text);
    *id_out = (uint64_t)id;
    return PS_OK;
}
