/* SPDX-License-Identifier: MIT */
#include "server/http/assets.h"

#include "server/http/negotiate.h"

static void set_decompressed_body(const struct ps_asset *asset, struct ps_str bytes,
                                  struct ps_reply *reply)
{
    reply->stream = ps_stream_decompress(ps_stream_from_memory(bytes, 0), NULL);
    reply->stream_bytes = asset->size;
}

static void fill_reply(const struct ps_asset *asset, bool accepts_gzip, struct ps_reply *reply)
{
    struct ps_str bytes = {(const char *)asset->bytes, (size_t)(asset->bytes_end - asset->bytes)};

    reply->type = asset->type;
    /* A web worker runs under the policy that is sent with its script. */
    reply->is_page = strncmp(asset->type, "text/html", 9) == 0 ||
                     strncmp(asset->type, "text/javascript", 15) == 0;
    reply->etag = asset->is_gzip && accepts_gzip ? asset->etag_gz : asset->etag;
    reply->cache = asset->has_hash ? "public, max-age=31536000, immutable" : "no-cache";
    if (asset->is_gzip)
        ps_reply_add_header(reply, "Vary", "Accept-Encoding");
    if (asset->is_gzip && !accepts_gzip) {
        set_decompressed_body(asset, bytes, reply);
        return;
    }
    reply->static_body = bytes;
    reply->encoding = asset->is_gzip ? "gzip" : NULL;
    ps_reply_allow_caching(reply, NULL, 0);
}

enum ps_status ps_assets_reply(const struct ps_asset *assets, size_t n, const char *path,
                               const struct ps_request *req, struct ps_reply *reply,
                               struct ps_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(assets[i].path, path) != 0)
            continue;
        fill_reply(&assets[i], ps_accepts_gzip(ps_request_header(req, "Accept-Encoding")), reply);
        return PS_OK;
    }
    return ps_fail(err, PS_NOT_FOUND, "page not found");
}
