/* SPDX-License-Identifier: MIT */
/* shelf.c: handlers for the shelf itself, the supported formats, and the files of the UI. */
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/kinds.h"
#include "server/api/state.h"
#include "server/catalog/quota.h"

static void write_keep(const struct ps_retention *keep, struct ps_json *out)
{
    ps_json_key(out, "keep");
    ps_json_array(out);
    for (size_t i = 0; i < keep->n; i++) {
        ps_json_object(out);
        ps_json_kstr(out, "rule", keep->rules[i].text);
        ps_json_kstr(out, "what", keep->rules[i].description);
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
    ps_json_kstr(out, "place", shared.location);
    ps_json_kbool(out, "away", ps_store_is_away(store));
    ps_json_key(out, "cache");
    ps_json_object(out);
    ps_json_kint(out, "bytes", (int64_t)shared.cache_bytes);
    ps_json_kint(out, "most", (int64_t)shared.cache_max);
    ps_json_kint(out, "hits", (int64_t)shared.hits);
    ps_json_kint(out, "misses", (int64_t)shared.misses);
    ps_json_kint(out, "fetched", (int64_t)shared.fetched);
    ps_json_kint(out, "evicted", (int64_t)shared.evicted);
    ps_json_end(out);
    ps_json_end(out);
    free(shared.location);
}

enum ps_status ps_get_shelf(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_api *api = ps_request_api(req);
    struct ps_json out = ps_reply_json(reply);
    struct ps_quota room;

    ps_json_object(&out);
    ps_json_kstr(&out, "version", PS_VERSION);
    if (ps_query_shelf(api->store, &out, err) != PS_OK ||
        ps_quota_usage(api->store, &room, err) != PS_OK)
        return err->code;
    ps_json_kint(&out, "used", (int64_t)room.used);
    ps_json_key(&out, "quota");
    if (room.quota)
        ps_json_int(&out, (int64_t)room.quota);
    else
        ps_json_null(&out);
    write_keep(&api->config.retention, &out);
    write_store(api->store, &out);
    ps_json_kstr(&out, "listen", api->config.listen);
    ps_json_end(&out);
    reply->cache = PS_CACHE_CHECK;
    return PS_OK;
}

static void write_kind(const struct ps_kind *kind, struct ps_json *out)
{
    ps_json_kstr(out, "mark", kind->mark);
    ps_json_key(out, "has");
    ps_json_array(out);
    for (size_t i = 0; i < PS_KIND_HAS_BITS; i++)
        if (kind->has >> i & 1)
            ps_json_str(out, ps_str_from_c(ps_kind_has_word(i)));
    ps_json_end(out);
    ps_json_kbool(out, "merges", kind->merges);
    ps_json_key(out, "tabs");
    ps_json_array(out);
    for (size_t i = 0; kind->tabs[i]; i++)
        ps_json_str(out, ps_str_from_c(kind->tabs[i]));
    ps_json_end(out);
}

enum ps_status ps_get_formats(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json(reply);
    size_t n;
    const struct ps_importer *const *importers = ps_importers(&n);

    (void)req, (void)err;
    ps_json_object(&out);
    ps_json_key(&out, "rows");
    ps_json_array(&out);
    for (size_t i = 0; i < n; i++) {
        ps_json_object(&out);
        ps_json_kstr(&out, "kind", importers[i]->kind);
        ps_json_kstr(&out, "label", importers[i]->label);
        ps_json_kstr(&out, "what", importers[i]->description);
        ps_json_kstr(&out, "record", importers[i]->record);
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
