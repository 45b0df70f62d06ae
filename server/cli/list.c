/* SPDX-License-Identifier: MIT */
#include "base/json_span.h"
#include "server/cli/cli.h"
#include "server/cli/client.h"
#include "server/cli/runs.h"
#include "server/cli/table.h"

#include <stdio.h>

#define PAGE_ROWS 200

/* Writes one run of the list; `n` counts from 1. */
typedef enum ps_status write_run(struct ps_table *table, struct ps_buf *out, struct ps_str run,
                                 size_t n, struct ps_err *err);

static enum ps_status add_row(struct ps_table *table, struct ps_buf *out, struct ps_str text,
                              size_t n, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *run = NULL;
    char value_text[64];
    PS_AUTO(ps_buf_free) struct ps_buf tags = {0};
    (void)out;
    if (ps_client_parse(text, &run, err) != PS_OK)
        return err->code;
    ps_run_format_tags(run, &tags);
    ps_table_printf(table, "@%zu", n);
    ps_table_cell(table, ps_run_text(run, "id"));
    ps_table_cell(table, ps_run_text(run, "kind"));
    ps_table_cell(table, ps_run_format_headline(run, value_text));
    ps_table_cell(table, ps_format_bytes(ps_run_number(run, "bytes"), value_text));
    ps_table_cell(table, ps_run_format_time(run, value_text));
    ps_table_cell(table, ps_run_text(run, "series"));
    ps_table_cell(table, ps_run_text(run, "name"));
    ps_table_cell(table, tags.ptr);
    return PS_OK;
}

/* Copies the JSON, since parsing would lose digits. */
static enum ps_status add_json(struct ps_table *table, struct ps_buf *out, struct ps_str run,
                               size_t n, struct ps_err *err)
{
    (void)table, (void)err;
    ps_buf_puts(out, n > 1 ? ",\n" : "");
    ps_buf_add_str(out, run);
    return PS_OK;
}

/* Writes all runs, newest first, one page at a time. */
static enum ps_status write_all(struct ps_client *client, write_run *write, struct ps_table *table,
                                struct ps_buf *out, struct ps_err *err)
{
    size_t n = 0, before;
    do {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};
        PS_AUTO(ps_buf_free) struct ps_buf page = {0};
        struct ps_str rows, run;
        before = n;
        ps_buf_printf(&path, "runs?sort=created_at&desc=1&limit=%d&offset=%zu", PAGE_ROWS, n);
        ps_client_get(client, path.ptr, &page, err);
        rows = ps_json_member(ps_buf_slice(&page), "rows");
        while (err->code == PS_OK && ps_json_next_element(&rows, &run))
            write(table, out, run, ++n, err);
    } while (err->code == PS_OK && n == before + PAGE_ROWS);
    return err->code;
}

static void add_header_row(struct ps_table *table)
{
    static const char *const titles[] = {"",     "id",     "kind", "headline", "size",
                                         "when", "series", "name", "tags"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ps_table_cell(table, titles[i]);
}

int ps_cli_list(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 9, .right = 1U << 3 | 1U << 4};
    struct ps_err err = PS_ERR_INIT;
    if (!client)
        return 1;
    if (options->json)
        ps_buf_puts(&out, "[");
    else
        add_header_row(&table);
    write_all(client, options->json ? add_json : add_row, &table, &out, &err);
    if (options->json)
        ps_buf_puts(&out, "]\n");
    else if (table.count > table.columns)
        ps_table_print(&table, &out);
    else
        ps_buf_puts(&out, "The shelf is empty. Add a profile with `perfshelf add FILE`. "
                          "`perfshelf formats` lists the formats.\n");
    if (err.code != PS_OK)
        return ps_print_failure("list", &err);
    ps_print(&out);
    return 0;
}
