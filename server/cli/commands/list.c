/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/json_span.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"
#include "server/cli/progress.h"
#include "server/text/table.h"

#include <stdio.h>
#include <string.h>

#define PAGE_ROWS 200

/* Writes one run of the list; `n` counts from 1. */
typedef enum ps_status write_run(struct ps_table *table, struct ps_buf *out, struct ps_str run,
                                 size_t n, struct ps_err *err);

static enum ps_status add_row(struct ps_table *table, struct ps_buf *out, struct ps_str text,
                              size_t n, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    char value_text[64];
    PS_AUTO(ps_buf_free) struct ps_buf tags = {0};
    (void)out;
    if (ps_answer_parse(text, &run, err) != PS_OK)
        return err->code;
    ps_run_format_tags(run, false, &tags);
    ps_table_printf(table, "@%zu", n);
    ps_table_cell(table, ps_member_text(run, "id"));
    ps_table_cell(table, ps_member_text(run, "kind"));
    ps_table_cell(table, ps_run_format_headline(run, value_text));
    ps_table_cell(table, ps_format_bytes(ps_member_or_0(run, "bytes"), value_text));
    ps_table_cell(table, ps_run_format_time(run, value_text));
    ps_table_cell(table, ps_member_text(run, "series"));
    ps_table_cell(table, ps_member_text(run, "name"));
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

#define FOLLOW_MS 1000 /* between two looks at the shelf */

/* The newest time of a run that was seen, and the ids of the runs of that time. */
struct follow_mark {
    char at[40];
    struct ps_buf ids; /* "ID ID " */
};

static void free_mark(struct follow_mark *mark)
{
    ps_buf_free(&mark->ids);
}

static enum ps_status read_newest(struct ps_client *client, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    out->len = 0;
    ps_buf_printf(&path, "runs?sort=created_at&desc=1&limit=%d", PAGE_ROWS);
    return ps_client_get(client, path.ptr, out, err);
}

/* Whether the run was not seen yet; remembers it. Runs are passed in the order of their times. */
static bool is_new(struct follow_mark *mark, const cJSON *run)
{
    const char *at = ps_member_text(run, "created_at"), *id = ps_member_text(run, "id");
    const int order = strcmp(at, mark->at);
    if (order < 0 || (order == 0 && mark->ids.len && strstr(mark->ids.ptr, id)))
        return false;
    if (order > 0)
        mark->ids.len = 0;
    (void)snprintf(mark->at, sizeof mark->at, "%s", at);
    ps_buf_printf(&mark->ids, "%s ", id);
    return true;
}

static void print_run(const struct ps_options *options, const cJSON *run, struct ps_str json)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    char headline[64], time[32];
    if (options->json) {
        ps_buf_add_str(&line, json);
    } else {
        ps_buf_printf(&line, "%s  %s  %-12s  %-10s  ", ps_run_format_time(run, time),
                      ps_member_text(run, "id"), ps_member_text(run, "kind"),
                      ps_run_format_headline(run, headline));
        ps_append_escaped(&line, ps_str_from_c(ps_member_text(run, "name")));
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
}

/* Handles the new runs of a page, which is newest first: prints them, the oldest first. */
static enum ps_status handle_page(const struct ps_options *options, const struct ps_buf *page,
                                  bool prints, struct follow_mark *mark, struct ps_err *err)
{
    struct ps_str rows = ps_json_member(ps_buf_slice(page), "rows"), items[PAGE_ROWS], run;
    size_t n = 0;
    while (n < PAGE_ROWS && ps_json_next_element(&rows, &run))
        items[n++] = run;
    for (size_t i = n; i-- > 0;) {
        PS_AUTO(ps_json_free) cJSON *tree = NULL;
        if (ps_answer_parse(items[i], &tree, err) != PS_OK)
            return err->code;
        if (is_new(mark, tree) && prints)
            print_run(options, tree, items[i]);
    }
    return err->code;
}

/* Prints runs as they are added, until it is interrupted or nobody reads the output. */
static int follow(const struct ps_options *options, struct ps_client *client)
{
    PS_AUTO(ps_buf_free) struct ps_buf page = {0};
    PS_AUTO(free_mark) struct follow_mark mark = {.at = ""};
    struct ps_err err = PS_ERR_INIT;
    bool prints = false; /* runs that are there already are not printed */
    ps_progress_catch_interrupts();
    while (fflush(stdout) == 0 && !ps_progress_interrupted()) {
        if (read_newest(client, &page, &err) != PS_OK ||
            handle_page(options, &page, prints, &mark, &err) != PS_OK)
            return ps_print_failure("list", &err);
        prints = true;
        ps_sleep_ms(FOLLOW_MS);
    }
    return 0;
}

int ps_cli_list(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 9, .right = 1U << 3 | 1U << 4};
    struct ps_err err = PS_ERR_INIT;
    if (!client)
        return 1;
    if (options->follow)
        return follow(options, client);
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
