/* SPDX-License-Identifier: MIT */
/* export.c: runs or a comparison as a file for people outside, and what it would tell them. */
#include <cjson/cJSON.h>

#include <sys/stat.h>

#include "base/json_out.h"
#include "server/cli/cli.h"
#include "server/cli/out_file.h"
#include "server/cli/runs.h"
#include "server/cli/table.h"
#include "server/http/assets.h"
#include "server/share/pick.h"

/* --- what it would reveal --------------------------------------------------------------------- */

static void add_category(struct ps_table *table, const cJSON *category)
{
    const cJSON *example;
    const char *what = ps_run_text(category, "what");
    bool first = true;
    cJSON_ArrayForEach(example, cJSON_GetObjectItemCaseSensitive(category, "examples"))
    {
        ps_table_cell(table, first ? what : "");
        if (first)
            ps_table_printf(table, "%.0f", ps_run_number(category, "values"));
        else
            ps_table_cell(table, "");
        ps_table_cell(table, ps_run_text(example, "value"));
        ps_table_cell(table, ps_run_text(example, "becomes"));
        first = false;
    }
    if (!first)
        return;
    ps_table_cell(table, what);
    ps_table_cell(table, "0");
    ps_table_cell(table, "");
    ps_table_cell(table, "");
}

static void say_reveals(const struct ps_buf *text)
{
    struct ps_table table = {.columns = 4, .right = 1U << 1};
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    PS_AUTO(ps_run_free) cJSON *json = cJSON_Parse(text->at);
    const cJSON *category;
    const char *const head[] = {"reveals", "values", "such as", "redacted"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        ps_table_cell(&table, head[i]);
    cJSON_ArrayForEach(category, cJSON_GetObjectItemCaseSensitive(json, "reveals"))
        add_category(&table, category);
    ps_table_print(&table, &out);
    ps_table_free(&table);
    ps_say(&out);
}

static enum ps_status preview(const struct ps_options *options, struct ps_store *store,
                              const struct ps_share_picked *picked, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json = ps_json_to(&text);
    enum ps_status status = ps_share_reveals(store, picked->ids, picked->n, &json, err);
    if (status != PS_OK)
        return status;
    if (!options->json) {
        say_reveals(&text);
        return PS_OK;
    }
    ps_buf_puts(&text, "\n");
    ps_say(&text);
    return PS_OK;
}

/* --- the file --------------------------------------------------------------------------------- */

static enum ps_status open_file(const struct ps_options *options,
                                const struct ps_share_picked *picked,
                                const struct ps_share_form *form, struct ps_out_file *out,
                                struct ps_err *err)
{
    if (options->output)
        return ps_out_file_open(options->output, options->force, out, err);
    return ps_out_file_open_unique(picked->name, ps_share_ending(form), out, err);
}

static void add_json(const struct ps_out_file *out, const struct ps_share_picked *picked,
                     const struct ps_share_form *form, struct ps_buf *line)
{
    struct ps_json json = ps_json_to(line);
    struct stat about = {.st_size = 0};
    (void)fstat(out->fd, &about);
    ps_json_object(&json);
    ps_json_kstr(&json, "file", out->path);
    ps_json_kstr(&json, "format", ps_share_ending(form) + 1);
    ps_json_kint(&json, "bytes", (int64_t)about.st_size);
    ps_json_key(&json, "runs");
    ps_json_array(&json);
    for (size_t i = 0; i < picked->n; i++)
        ps_json_str(&json, ps_str_of(picked->ids[i]));
    ps_json_end(&json);
    ps_json_end(&json);
}

static enum ps_status write_file(const struct ps_options *options, struct ps_store *store,
                                 const struct ps_share_picked *picked,
                                 const struct ps_share_form *form, struct ps_err *err)
{
    PS_AUTO(ps_out_file_close) struct ps_out_file out = PS_OUT_FILE_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    enum ps_status status = open_file(options, picked, form, &out, err);
    if (status == PS_OK)
        status = ps_share_write(store, picked, form, out.fd, err);
    if (status == PS_OK)
        status = ps_out_file_commit(&out, err);
    if (status == PS_OK && options->json)
        add_json(&out, picked, form, &line);
    if (status != PS_OK || (options->output && !options->json))
        return status;
    if (!options->json)
        ps_plain_text(&line, ps_str_of(out.path));
    ps_buf_puts(&line, "\n");
    ps_say(&line);
    return PS_OK;
}

static enum ps_status export(const struct ps_options *options, struct ps_store *store,
                             struct ps_err *err) {
    PS_AUTO(ps_buf_free) struct ps_buf runs = {0};
    PS_AUTO(ps_free_ptr) struct ps_share_picked *picked = ps_alloc(sizeof *picked);
    struct ps_share_form form = {.originals = true, .html = options->html};
    enum ps_status status = ps_reveal_parse(options->redact ? options->redact : "", &form.redact,
                                            err);
    for (size_t i = 0; i < options->n_operands; i++)
        ps_buf_printf(&runs, "%s%s", i ? "," : "", options->operands[i]);
    if (status == PS_OK) status = ps_share_pick(store, runs.len ? runs.at : NULL, options->base,
                                                options->fresh, picked, err);
    if (status != PS_OK) return status;
    form.shell = (struct ps_str){(const char *)ps_offline_page,
                                 (size_t)(ps_offline_page_end - ps_offline_page)};
    return options->preview ? preview(options, store, picked, err)
                            : write_file(options, store, picked, &form, err);
}

int ps_cli_export(const struct ps_options *options)
{
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = ps_cli_open(options);
    struct ps_err err = PS_ERR_INIT;
    if (!store)
        return 1;
    if (export(options, store, &err) != PS_OK)
        return ps_say_failure("export", &err);
    return ps_say_done(0);
}
