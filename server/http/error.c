/* SPDX-License-Identifier: MIT */
/* error.c: maps ps_status to HTTP status codes and to the error codes of docs/api.md. */
#include "server/http/reply.h"

unsigned ps_http_status_of(enum ps_status status)
{
    switch (status) {
    case PS_OK:
        return 200;
    case PS_BAD_REQUEST:
        return 400;
    case PS_FORBIDDEN:
        return 403;
    case PS_NOT_FOUND:
        return 404;
    case PS_CONFLICT:
    case PS_CANCELLED:
    case PS_INTERRUPTED:
        return 409;
    case PS_LIMIT:
        return 413;
    case PS_UNKNOWN_KIND:
        return 415;
    case PS_BAD_INPUT:
        return 422;
    case PS_FULL:
        return 507;
    case PS_TOO_SLOW:
    case PS_UNAVAILABLE:
        return 503;
    case PS_IO:
    case PS_INTERNAL:
        break;
    }
    return 500;
}

/* The error code of docs/api.md. PS_IO (the files of the shelf cannot be read) is an internal error
 * to a client. */
static const char *error_code(enum ps_status status)
{
    if (status == PS_LIMIT)
        return "too_large";
    return status == PS_IO ? "internal" : ps_status_name(status);
}

void ps_json_error_fields(struct ps_json *out, const char *word, const char *text,
                          const uint64_t *at, const char *hint)
{
    ps_json_object(out);
    ps_json_key_str(out, "code", word);
    ps_json_key_str(out, "text", text);
    ps_json_key(out, "at");
    if (at)
        ps_json_int(out, (int64_t)*at);
    else
        ps_json_null(out);
    ps_json_key_str(out, "hint", hint && hint[0] ? hint : NULL);
    ps_json_end(out);
}

void ps_json_error(struct ps_json *out, const struct ps_err *err)
{
    ps_json_error_fields(out, error_code(err->code), err->text,
                         err->has_offset ? &err->offset : NULL, err->hint);
}
