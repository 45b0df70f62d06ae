/* SPDX-License-Identifier: MIT */
/* shelf.c: handlers for the shelf itself, the supported formats, and the files of the UI. */
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/kinds.h"
#include "server/api/state.h"
#include "server/catalog/quota.h"
#include "server/query/shelf.h"

static void write_retention(const struct ps_retention *keep, struct ps_json *out)
{
    ps_json_key(out, "keep");
    ps_json_array(out);
    for (size_t i = 0; i < keep->n; i++) {
        ps_json_object(out);
        ps_json_key_str(out, "rule", keep->rules[i].text);
        ps_json_key_str(out, "what", keep->rules[i].description);
        ps_json_end(out);
    }
    ps_json_end(out);
}

/* Writes the key "store": the store that several servers share, or null if the shelf is a
 * folder. */
static void write_store(struct ps_store *store, struct ps_json *out)
{
    struct ps_shared_store shared;

    ps_json_key(out, "store");
    if (!ps_store_describe_shared(store, &shared)) {
        ps_json_null(out);
        return;
    }
    ps_json_object(out);
    ps_json_key_str(out, "place", shared.location);
    ps_json_key_bool(out, "away", ps_store_is_unreachable(store));
    ps_json_key(out, "cache");
    ps_json_object(out);
    ps_json_key_int(out, "bytes", (int64_t)shared.cache_bytes);
    ps_json_key_int(out, "most", (int64_t)shared.cache_max);
    ps_json_key_int(out, "hits", (int64_t)shared.hits);
    ps_json_key_int(out, "misses", (int64_t)shared.misses);
    ps_json_key_int(out, "fetched", (int64_t)shared.fetched_bytes);
    ps_json_key_int(out, "evicted", (int64_t)shared.evicted_bytes);
    ps_json_end(out);
    ps_json_end(out);
    free(shared.location);
}

enum ps_status ps_get_shelf(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_api *api = ps_request_api(req);
    struct ps_json out = ps_reply_json_writer(reply);
    struct ps_quota quota;

    ps_json_object(&out);
    ps_json_key_str(&out, "version", PS_VERSION);
    if (ps_query_shelf(api->store, &out, err) != PS_OK ||
        ps_quota_read_usage(api->store, &quota, err) != PS_OK)
        return err->code;
    ps_json_key_int(&out, "used", (int64_t)quota.used_bytes);
    ps_json_key(&out, "quota");
    if (quota.max_bytes)
        ps_json_int(&out, (int64_t)quota.max_bytes);
    else
        ps_json_null(&out);
    write_retention(&api->config.retention, &out);
    write_store(api->store, &out);
    ps_json_key_str(&out, "listen", api->config.listen_address);
    ps_json_end(&out);
    reply->cache = PS_CACHE_CHECK;
    return PS_OK;
}

static void write_kind(const struct ps_kind *kind, struct ps_json *out)
{
    ps_json_key_str(out, "mark", kind->mark);
    ps_json_key(out, "has");
    ps_json_array(out);
    for (size_t i = 0; i < PS_N_KIND_HAS_BITS; i++)
        if (kind->has >> i & 1)
            ps_json_str(out, ps_str_from_c(ps_kind_has_word(i)));
    ps_json_end(out);
    ps_json_key_bool(out, "merges", kind->merges);
    ps_json_key(out, "tabs");
    ps_json_array(out);
    for (size_t i = 0; kind->tabs[i]; i++)
        ps_json_str(out, ps_str_from_c(kind->tabs[i]));
    ps_json_end(out);
}

enum ps_status ps_get_formats(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);
    size_t n;
    const struct ps_importer *const *importers = ps_importers(&n);

    (void)req, (void)err;
    ps_json_object(&out);
    ps_json_key(&out, "rows");
    ps_json_array(&out);
    for (size_t i = 0; i < n; i++) {
        ps_json_object(&out);
        ps_json_key_str(&out, "kind", importers[i]->kind);
        ps_json_key_str(&out, "label", importers[i]->label);
        ps_json_key_str(&out, "what", importers[i]->description);
        ps_json_key_str(&out, "record", importers[i]->record_command);
        write_kind(ps_kind_find(importers[i]->kind), &out);
        ps_json_end(&out);
    }
    ps_json_end(&out);
    ps_json_end(&out);
    reply->cache = PS_CACHE_CHECK;
    return PS_OK;
}

enum ps_status ps_get_asset(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const struct ps_api_config *config = &ps_request_api(req)->config;
    const char *path = ps_arena_printf(&req->arena, "/%s", req->args[0]);

    return ps_assets_reply(config->assets, config->n_assets, path, req, reply, err);
}
