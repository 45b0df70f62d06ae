/* SPDX-License-Identifier: MIT */
/* assets.h: the files of the UI, embedded in the program. web/embed.py generates the table. */
#ifndef PS_HTTP_ASSETS_H
#define PS_HTTP_ASSETS_H

#include "server/http/request.h"

struct ps_asset {
    const char *path, *type;
    const char *etag, *etag_gz; /* quoted hashes of the content: uncompressed form, gzip form */
    const unsigned char *bytes, *bytes_end; /* the gzip form if is_gzip, else the content */
    size_t size;                            /* bytes of the content, uncompressed */
    bool is_gzip;
    bool has_hash; /* the name contains a hash of the content: clients may cache the file forever */
};

extern const struct ps_asset ps_assets[];
extern const size_t ps_assets_count;
/* The viewer page as one gzip-compressed HTML file. Both pointers are equal if the program was
 * built without it. */
extern const unsigned char *const ps_offline_page, *const ps_offline_page_end;

/* Replies with the file at `path` ("/", "/assets/main-AB12.js"), decompressed if the client does
 * not accept gzip. PS_NOT_FOUND if there is no such file. */
enum ps_status ps_assets_reply(const struct ps_asset *assets, size_t n, const char *path,
                               const struct ps_request *req, struct ps_reply *reply,
                               struct ps_err *err);

#endif
