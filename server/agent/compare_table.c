/* SPDX-License-Identifier: MIT */
/* compare_table.c: chooses one of the tables by which runs are compared, and its metric. */
#include <string.h>
#include <strings.h>

#include "server/agent/agent.h"
#include "server/agent/tools.h"

void ps_add_table_names(struct ps_buf *text, const cJSON *response)
{
    const cJSON *table, *metric;
    const size_t begin = text->len;

    cJSON_ArrayForEach(table, ps_member(response, "tables"))
    {
        size_t n = 0;

        ps_buf_printf(text, "%s%s (", text->len > begin ? ", " : "", ps_member_text(table, "of"));
        cJSON_ArrayForEach(metric, ps_member(table, "metrics"))
            ps_buf_printf(text, "%s%s", n++ ? ", " : "", ps_member_text(metric, "metric"));
        ps_buf_puts(text, ")");
    }
}

static const cJSON *find_item(const cJSON *list, const char *key, const char *name)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        if (!name || strcmp(ps_member_text(item, key), name) == 0)
            return item;
    }
    return NULL;
}

static bool has_short_name(const cJSON *metric, const char *name)
{
    const char *word = ps_member_text(metric, "metric");
    const size_t len = strlen(name);

    return strcasecmp(ps_member_text(metric, "title"), name) == 0 ||
           (len && strncmp(word, name, len) == 0 && word[len] == '_' &&
            !strchr(word + len + 1, '_'));
}

const cJSON *ps_metric_find_short(const cJSON *metrics, const char *name)
{
    const cJSON *metric, *found = NULL;

    cJSON_ArrayForEach(metric, metrics)
    {
        if (!has_short_name(metric, name))
            continue;
        if (found)
            return NULL;
        found = metric;
    }
    return found;
}

/* The first metric that adds up over the rows ("self"), or that does not ("total"). */
static const cJSON *find_by_sum(const cJSON *metrics, bool adds_up)
{
    const cJSON *metric;

    cJSON_ArrayForEach(metric, metrics)
    {
        if (cJSON_IsTrue(ps_member(metric, "adds_up")) == adds_up)
            return metric;
    }
    return NULL;
}

enum ps_status ps_find_compare_table(struct ps_tool_call *call, const char *base, const char *now,
                                     struct ps_compare_table *out, struct ps_err *err)
{
    const char *of = ps_arg_text(call, "table"), *name = ps_arg_text(call, "metric");
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf names = {0};
    const cJSON *metrics;

    *out = (struct ps_compare_table){0};
    ps_buf_puts(&path, "compare");
    ps_ask_param(&path, "base", base);
    ps_ask_param(&path, "new", now);
    if (ps_ask(call, &path, &out->tree, err) != PS_OK)
        return err->code;
    out->table = find_item(ps_member(out->tree, "tables"), "of", of);
    metrics = ps_member(out->table, "metrics");
    out->metric = find_item(metrics, "metric", name);
    if (!out->metric && name && (strcmp(name, "self") == 0 || strcmp(name, "total") == 0))
        out->metric = find_by_sum(metrics, strcmp(name, "self") == 0);
    if (!out->metric && name)
        out->metric = ps_metric_find_short(metrics, name);
    if (out->metric)
        return PS_OK;
    ps_add_table_names(&names, out->tree);
    if (!names.len)
        return ps_fail(err, PS_BAD_REQUEST, "runs of this kind have no tables");
    return ps_fail(err, PS_BAD_REQUEST, "the run has no %s" PS_HINT "tables and metrics: %.180s",
                   out->table ? "such metric in this table" : "such table", names.ptr);
}

void ps_compare_table_free(struct ps_compare_table *table)
{
    cJSON_Delete(table->tree);
    table->tree = NULL;
}
