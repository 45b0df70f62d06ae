/* SPDX-License-Identifier: MIT */
#include "server/replica/url.h"

#include "base/buf.h"

#include <string.h>

#include "server/replica/libpq.h"

enum ps_status ps_pg_check(const char *url, bool *secret, struct ps_err *err)
{
    char *why = NULL;
    PQconninfoOption *options;

    *secret = false;
    if (ps_pq_load(err) != PS_OK)
        return err->code;
    options = ps_pq.PQconninfoParse(url, &why);
    if (!options) {
        enum ps_status status =
            ps_fail(err, PS_BAD_REQUEST, "the store's address is malformed: %.*s",
                    why ? (int)strcspn(why, "\n") : 0, why ? why : "");

        ps_pq.PQfreemem(why);
        return status;
    }
    for (PQconninfoOption *at = options; at->keyword; at++)
        *secret |= strcmp(at->keyword, "password") == 0 && at->val;
    ps_pq.PQconninfoFree(options);
    return PS_OK;
}

static const char *option_value(const PQconninfoOption *options, const char *keyword)
{
    for (; options && options->keyword; options++)
        if (strcmp(options->keyword, keyword) == 0 && options->val && options->val[0])
            return options->val;
    return NULL;
}

char *ps_pg_place(const char *url)
{
    struct ps_buf out = {0};
    /* without libpq nothing is displayed: only libpq knows where the password is */
    PQconninfoOption *options =
        ps_pq_load(PS_ERR_IGNORED) == PS_OK ? ps_pq.PQconninfoParse(url, NULL) : NULL;
    const char *host = option_value(options, "host"), *port = option_value(options, "port");
    const char *name = option_value(options, "dbname"), *service = option_value(options, "service");

    ps_buf_puts(&out, "postgresql://");
    ps_buf_puts(&out, host ? host : "");
    if (port)
        ps_buf_printf(&out, ":%s", port);
    ps_buf_printf(&out, "/%s", name ? name : "");
    if (service)
        ps_buf_printf(&out, "?service=%s", service);
    if (options)
        ps_pq.PQconninfoFree(options);
    return out.ptr;
}
