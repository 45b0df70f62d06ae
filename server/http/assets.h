/* SPDX-License-Identifier: MIT */
/* assets.h: the files of the UI, embedded in the program by web/embed.py, which writes the table.
 */
#ifndef PS_HTTP_ASSETS_H
#define PS_HTTP_ASSETS_H

#include "server/http/request.h"

struct ps_asset {
    const char *path, *type;
    const char *etag, *etag_gz; /* quoted hashes of the content, apart for the two forms */
    const unsigned char *raw, *raw_end;
    const unsigned char *gz, *gz_end; /* NULL: there is none */
    bool hashed;                      /* the name changes with the content: cacheable for ever */
};

extern const struct ps_asset ps_assets[];
extern const size_t ps_assets_count;
/* The page as one file, gzip; nothing between the two: this program was built without it. */
extern const unsigned char *const ps_offline_page, *const ps_offline_page_end;

/* Answers the file at `path` ("/", "/assets/main-AB12.js"), compressed if the client accepts it.
 * PS_NOT_FOUND. */
enum ps_status ps_assets_reply(const struct ps_asset *assets, size_t n, const char *path,
                               const struct ps_request *req, struct ps_reply *reply,
                               struct ps_err *err);

#endif
