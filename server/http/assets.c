/* SPDX-License-Identifier: MIT */
#include "server/http/assets.h"

#include "server/http/negotiate.h"

static struct ps_str bytes_between(const unsigned char *from, const unsigned char *to)
{
    return (struct ps_str){(const char *)from, (size_t)(to - from)};
}

static void fill_reply(const struct ps_asset *asset, bool packed, struct ps_reply *reply)
{
    ps_reply_allow_caching(reply, NULL, 0);
    reply->type = asset->type;
    /* A web worker runs under the policy that is sent with its script. */
    reply->is_page = strncmp(asset->type, "text/html", 9) == 0 ||
                     strncmp(asset->type, "text/javascript", 15) == 0;
    reply->static_body = packed ? bytes_between(asset->gz, asset->gz_end)
                                : bytes_between(asset->raw, asset->raw_end);
    reply->encoding = packed ? "gzip" : NULL;
    reply->etag = packed ? asset->etag_gz : asset->etag;
    reply->cache = asset->has_hash ? "public, max-age=31536000, immutable" : "no-cache";
    if (asset->gz)
        ps_reply_add_header(reply, "Vary", "Accept-Encoding");
}

enum ps_status ps_assets_reply(const struct ps_asset *assets, size_t n, const char *path,
                               const struct ps_request *req, struct ps_reply *reply,
                               struct ps_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(assets[i].path, path) != 0)
            continue;
        fill_reply(&assets[i],
                   assets[i].gz && ps_accepts_gzip(ps_request_header(req, "Accept-Encoding")),
                   reply);
        return PS_OK;
    }
    return ps_fail(err, PS_NOT_FOUND, "page not found");
}
