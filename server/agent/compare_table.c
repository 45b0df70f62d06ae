/* SPDX-License-Identifier: MIT */
/* compare_table.c: chooses one of the tables by which runs are compared, and its metric. */
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
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

static bool has_short_name(const cJSON *metric, const char *name)
{
    const char *word = ps_member_text(metric, "metric");
    const size_t len = strlen(name);

    return strcasecmp(ps_member_text(metric, "title"), name) == 0 ||
           (len && strncmp(word, name, len) == 0 && word[len] == '_' &&
            !strchr(word + len + 1, '_'));
}

static const cJSON *find_short(const cJSON *metrics, const char *name)
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

/* Finds the list item whose `key` is `name`, or that has the short name, or the first item if name
 * is NULL. The hint of a failure lists all names. */
static enum ps_status choose_item(const cJSON *list, const char *key, const char *name,
                                  const char *what, const cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf names = {0};
    struct ps_nearest nearest = {.typed = name ? name : ""};
    const cJSON *item;
    if (err->code != PS_OK)
        return err->code;
    cJSON_ArrayForEach(item, list)
    {
        const char *word = ps_member_text(item, key);
        *out = item;
        if (!name || strcmp(word, name) == 0)
            return PS_OK;
        ps_nearest_offer(&nearest, word);
        ps_buf_printf(&names, "%s%s", names.len ? ", " : "", word);
    }
    if (!name)
        return ps_fail(err, PS_BAD_REQUEST, "these runs have no %s to compare", what);
    *out = find_short(list, name);
    if (*out)
        return PS_OK;
    if (nearest.word)
        return ps_fail(err, PS_BAD_REQUEST,
                       "these runs have no %s '%s'" PS_HINT "did you mean %s? Available %ss: %s",
                       what, name, nearest.word, what, names.ptr);
    if (names.len)
        return ps_fail(err, PS_BAD_REQUEST,
                       "these runs have no %s '%s'" PS_HINT "available %ss: %s", what, name, what,
                       names.ptr);
    return ps_fail(err, PS_BAD_REQUEST, "these runs have no %s '%s'", what, name);
}

enum ps_status ps_choose_table(const cJSON *response, const char *of, const cJSON **out,
                               struct ps_err *err)
{
    return choose_item(ps_member(response, "tables"), "of", of, "table", out, err);
}

enum ps_status ps_choose_metric(const cJSON *table, const char *name, const cJSON **out,
                                struct ps_err *err)
{
    return choose_item(ps_member(table, "metrics"), "metric", name, "metric", out, err);
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

    *out = (struct ps_compare_table){0};
    ps_buf_puts(&path, "compare");
    ps_url_add_param(&path, "base", base);
    ps_url_add_param(&path, "new", now);
    ps_url_add_param(&path, "step", ps_arg_text(call, "step"));
    ps_url_add_param(&path, "sample_type", ps_arg_text(call, "sample_type"));
    ps_url_add_param(&path, "same", ps_arg_text(call, "same"));
    ps_ask(call, &path, &out->tree, err);
    if (ps_choose_table(out->tree, of, &out->table, err) != PS_OK)
        return err->code;
    if (name && (strcmp(name, "self") == 0 || strcmp(name, "total") == 0))
        out->metric = find_by_sum(ps_member(out->table, "metrics"), strcmp(name, "self") == 0);
    return out->metric ? PS_OK : ps_choose_metric(out->table, name, &out->metric, err);
}

void ps_compare_table_free(struct ps_compare_table *table)
{
    cJSON_Delete(table->tree);
    table->tree = NULL;
}
