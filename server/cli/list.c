/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/runs.h"
#include "server/cli/table.h"

#include <stdio.h>

#define PAGE 200

/* What is done with each run of the list, in order; `at` counts from 1. */
typedef enum ps_status each_run(void *user, const cJSON *run, size_t at, struct ps_err *err);

struct listing {
    struct ps_store *store;
    struct ps_buf *out;
    struct ps_table table;
};

/* One page of the newest runs from `offset` on; *count_out tells how many there were. */
static enum ps_status each_of_page(struct listing *listing, size_t offset, each_run *each,
                                   size_t *count_out, struct ps_err *err)
{
    char limit_text[24], offset_text[24];
    (void)snprintf(limit_text, sizeof limit_text, "%d", PAGE);
    (void)snprintf(offset_text, sizeof offset_text, "%zu", offset);
    const struct ps_param params[] = {
        {"sort", "created_at"}, {"desc", "1"}, {"limit", limit_text}, {"offset", offset_text}};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_run_free) cJSON *page = NULL;
    struct ps_json json = ps_json_to(&text);
    enum ps_status status =
        ps_query_runs(listing->store, (struct ps_params){params, 4}, &json, err);
    if (status == PS_OK && !(page = cJSON_ParseWithLength(text.at, text.len)))
        status = ps_fail(err, PS_INTERNAL, "the list of runs is not JSON");
    const cJSON *run;
    cJSON_ArrayForEach(run, cJSON_GetObjectItemCaseSensitive(page, "rows"))
    {
        *count_out += 1;
        if (status == PS_OK)
            status = each(listing, run, offset + *count_out, err);
    }
    return status;
}

static enum ps_status each_of_shelf(struct listing *listing, each_run *each, struct ps_err *err)
{
    for (size_t offset = 0;;) {
        size_t count = 0;
        enum ps_status status = each_of_page(listing, offset, each, &count, err);
        if (status != PS_OK || count < PAGE)
            return status;
        offset += count;
    }
}

static enum ps_status add_row(void *user, const cJSON *run, size_t at, struct ps_err *err)
{
    struct listing *listing = user;
    struct ps_table *table = &listing->table;
    char text[64];
    PS_AUTO(ps_buf_free) struct ps_buf tags = {0};
    (void)err;
    ps_run_tags(run, &tags);
    ps_table_printf(table, "@%zu", at);
    ps_table_cell(table, ps_run_text(run, "id"));
    ps_table_cell(table, ps_run_text(run, "kind"));
    ps_table_cell(table, ps_run_headline(run, text));
    ps_table_cell(table, ps_figure_bytes(ps_run_number(run, "bytes"), text));
    ps_table_cell(table, ps_run_when(run, text));
    ps_table_cell(table, ps_run_text(run, "series"));
    ps_table_cell(table, ps_run_text(run, "name"));
    ps_table_cell(table, tags.at);
    return PS_OK;
}

static enum ps_status add_json(void *user, const cJSON *run, size_t at, struct ps_err *err)
{
    struct listing *listing = user;
    struct ps_err gone = PS_ERR_INIT;
    size_t from = listing->out->len;
    if (from > 1)
        ps_buf_puts(listing->out, ",\n");
    (void)at;
    enum ps_status status =
        ps_run_json(listing->store, ps_run_text(run, "id"), listing->out, &gone);
    if (status == PS_OK)
        return status;
    listing->out->len = from;
    if (status == PS_NOT_FOUND) /* taken off the shelf a moment ago */
        return PS_OK;
    *err = gone;
    return status;
}

static void head(struct ps_table *table)
{
    static const char *const titles[] = {"",     "id",     "kind", "headline", "size",
                                         "when", "series", "name", "tags"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ps_table_cell(table, titles[i]);
}

int ps_cli_list(const struct ps_options *options)
{
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = ps_cli_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct listing listing = {
        .store = store, .out = &out, .table = {.columns = 9, .right = 1U << 3 | 1U << 4}};
    struct ps_err err = PS_ERR_INIT;
    if (!store)
        return 1;
    if (options->json)
        ps_buf_puts(&out, "[");
    else
        head(&listing.table);
    enum ps_status status = each_of_shelf(&listing, options->json ? add_json : add_row, &err);
    if (options->json)
        ps_buf_puts(&out, "]\n");
    else if (listing.table.count > listing.table.columns)
        ps_table_print(&listing.table, &out);
    else
        ps_buf_puts(&out, "The shelf is empty. `perfshelf add FILE` puts a profile on it, "
                          "`perfshelf formats` says which.\n");
    ps_table_free(&listing.table);
    if (status != PS_OK)
        return ps_say_failure("list", &err);
    ps_say(&out);
    return 0;
}
