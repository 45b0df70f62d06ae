/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "server/cli/client/runs.h"

#include "base/json_out.h"
#include "importers/records/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static bool has_id(const struct ps_run_ids *ids, const char *id)
{
    for (size_t i = 0; i < ids->n; i++)
        if (strcmp(ids->items[i], id) == 0)
            return true;
    return false;
}

/* Sends POST resolve, which resolves all arguments in one snapshot of the catalog. */
static enum ps_status request_ids(struct ps_client *client, const char *const *words, size_t n,
                                  cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf body = {0};
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    struct ps_json json = ps_json_writer(&body);
    ps_json_object(&json);
    ps_json_key(&json, "runs");
    ps_json_array(&json);
    for (size_t i = 0; i < n; i++)
        ps_json_str(&json, ps_str_from_c(words[i]));
    ps_json_end(&json);
    ps_json_end(&json);
    ps_client_send(client, "POST", "resolve", ps_buf_slice(&body), &answer, err);
    return ps_answer_parse(ps_buf_slice(&answer), out, err);
}

enum ps_status ps_cli_resolve(struct ps_client *client, const char *const *words, size_t n,
                              struct ps_run_ids *out, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    const cJSON *item;
    request_ids(client, words, n, &answer, err);
    out->items = ps_grow(NULL, n, sizeof *out->items);
    out->n = 0;
    cJSON_ArrayForEach(item, ps_member(answer, "ids"))
    {
        const char *id = cJSON_GetStringValue(item);
        if (id && strlen(id) == PS_ID_SIZE - 1 && out->n < n && !has_id(out, id))
            memcpy(out->items[out->n++], id, PS_ID_SIZE);
    }
    return err->code;
}

void ps_run_ids_free(struct ps_run_ids *ids)
{
    free(ids->items);
    *ids = (struct ps_run_ids){0};
}

char *ps_run_format_headline(const cJSON *run, char out[64])
{
    const cJSON *headline = ps_member(run, "headline");
    const char *unit = ps_member_text(headline, "unit");
    out[0] = '\0';
    return unit[0] ? ps_format_value(ps_member_or_0(headline, "value"), unit, out) : out;
}

const char *ps_run_headline_label(const cJSON *run)
{
    const cJSON *headline = ps_member(run, "headline");
    const char *label = ps_member_text(headline, "label");

    return strcmp(label, ps_member_text(headline, "unit")) == 0 ? "" : label;
}

char *ps_run_format_time(const cJSON *run, char out[32])
{
    const char *iso = ps_member_text(run, "created_at");
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

void ps_run_format_tags(const cJSON *run, bool with_environment, struct ps_buf *out)
{
    const cJSON *tag;
    size_t from = out->len;
    cJSON_ArrayForEach(tag, ps_member(run, "tags"))
    {
        const char *value = cJSON_GetStringValue(tag);
        if (!with_environment && ps_environment_hides_tag(ps_str_from_c(tag->string)))
            continue;
        ps_buf_printf(out, "%s%s=%s", out->len > from ? " " : "", tag->string, value ? value : "");
    }
    ps_buf_puts(out, "");
}
