/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "server/cli/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static bool has_id(const struct ps_run_ids *ids, const char *id)
{
    for (size_t i = 0; i < ids->n; i++)
        if (strcmp(ids->at[i], id) == 0)
            return true;
    return false;
}

enum ps_status ps_cli_resolve(struct ps_store *store, const char *const *words, size_t n,
                              struct ps_run_ids *out, struct ps_err *err)
{
    out->at = ps_grow(NULL, n, sizeof *out->at);
    out->n = 0;
    if (ps_store_resolve_all(store, words, n, out->at, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < n; i++)
        if (!has_id(out, out->at[i]))
            memmove(out->at[out->n++], out->at[i], PS_ID_SIZE);
    return PS_OK;
}

void ps_run_ids_free(struct ps_run_ids *ids)
{
    free(ids->at);
    *ids = (struct ps_run_ids){0};
}

enum ps_status ps_run_json(struct ps_store *store, const char *id, struct ps_buf *out,
                           struct ps_err *err)
{
    struct ps_json json = ps_json_to(out);
    return ps_query_run(store, id, &json, err);
}

enum ps_status ps_run_read(struct ps_store *store, const char *id, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    enum ps_status status = ps_run_json(store, id, &text, err);
    if (status != PS_OK)
        return status;
    *out = cJSON_ParseWithLength(text.at, text.len);
    return *out ? PS_OK : ps_fail(err, PS_INTERNAL, "the run's description is not JSON");
}

void ps_run_free(cJSON **run)
{
    cJSON_Delete(*run);
    *run = NULL;
}

const char *ps_run_text(const cJSON *run, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(run, key));
    return text ? text : "";
}

double ps_run_number(const cJSON *run, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(run, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

char *ps_run_headline(const cJSON *run, char out[64])
{
    const cJSON *headline = cJSON_GetObjectItemCaseSensitive(run, "headline");
    const char *unit = ps_run_text(headline, "unit");
    char figure[48];
    out[0] = '\0';
    if (strcmp(unit, "s") == 0)
        (void)snprintf(out, 64, "%s", ps_figure_seconds(ps_run_number(headline, "value"), figure));
    else if (strcmp(unit, "B") == 0)
        (void)snprintf(out, 64, "%s", ps_figure_bytes(ps_run_number(headline, "value"), figure));
    else if (unit[0])
        (void)snprintf(out, 64, "%.4g %s", ps_run_number(headline, "value"), unit);
    return out;
}

char *ps_run_when(const cJSON *run, char out[32])
{
    const char *iso = ps_run_text(run, "created_at");
    struct tm utc = {0}, local;
    (void)snprintf(out, 32, "%.16s", iso);
    if (sscanf(iso, "%4d-%2d-%2dT%2d:%2d:%2d", &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
               &utc.tm_hour, &utc.tm_min, &utc.tm_sec) != 6)
        return out;
    utc.tm_year -= 1900;
    utc.tm_mon -= 1;
    time_t seconds = timegm(&utc);
    if (localtime_r(&seconds, &local))
        strftime(out, 32, "%Y-%m-%d %H:%M", &local);
    return out;
}

void ps_run_tags(const cJSON *run, struct ps_buf *out)
{
    const cJSON *tag;
    size_t from = out->len;
    cJSON_ArrayForEach(tag, cJSON_GetObjectItemCaseSensitive(run, "tags"))
    {
        const char *value = cJSON_GetStringValue(tag);
        ps_buf_printf(out, "%s%s=%s", out->len > from ? " " : "", tag->string, value ? value : "");
    }
    ps_buf_puts(out, "");
}
