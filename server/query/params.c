/* SPDX-License-Identifier: MIT */
/* params.c: reads the parameters of queries. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/query/query.h"

const char *ps_param_get(struct ps_params params, const char *key)
{
    for (size_t i = params.n; i > 0; i--)
        if (strcmp(params.items[i - 1].key, key) == 0)
            return params.items[i - 1].value;
    return NULL;
}

enum ps_status ps_param_int(struct ps_params params, const char *key, int64_t low, int64_t high,
                            int64_t fallback, int64_t *out, struct ps_err *err)
{
    const char *text = ps_param_get(params, key);
    int64_t value;

    *out = fallback;
    if (err->code != PS_OK || !text || !text[0])
        return err->code;
    if (!ps_str_parse_i64(ps_str_from_c(text), &value) || value < low || value > high)
        return ps_fail(err, PS_BAD_REQUEST, "%s must be a whole number from %lld to %lld", key,
                       (long long)low, (long long)high);
    *out = value;
    return PS_OK;
}

enum ps_status ps_param_real(struct ps_params params, const char *key, double low, double high,
                             double fallback, double *out, struct ps_err *err)
{
    const char *text = ps_param_get(params, key);
    double value;
    char *end;

    *out = fallback;
    if (err->code != PS_OK || !text || !text[0])
        return err->code;
    value = strtod(text, &end);
    if (*end || !isfinite(value) || value < low || value > high)
        return ps_fail(err, PS_BAD_REQUEST, "%s must be a number from %.15g to %.15g", key, low,
                       high);
    *out = value;
    return PS_OK;
}
