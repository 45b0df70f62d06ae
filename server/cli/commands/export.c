/* SPDX-License-Identifier: MIT */
/* export.c: writes runs or a comparison to a file, or previews what the file would reveal. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_out.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"
#include "server/cli/out_file.h"
#include "server/http/negotiate.h"
#include "server/share/selection.h"
#include "server/text/table.h"

/* Appends a selector. A name that contains a comma is replaced by the id of its run, because commas
 * separate runs. */
static void add_selector(struct ps_client *client, const char *word, struct ps_buf *runs)
{
    PS_AUTO(ps_run_ids_free) struct ps_run_ids ids = {0};
    struct ps_err none = PS_ERR_INIT;
    const bool found =
        strchr(word, ',') && ps_cli_resolve(client, &word, 1, &ids, &none) == PS_OK && ids.n == 1;
    ps_buf_printf(runs, "%s%s", runs->len ? "," : "", found ? ids.items[0] : word);
}

/* Appends the path of the runs or the comparison to export; of: "export" or "reveals". */
static void build_path(const struct ps_options *options, struct ps_client *client, const char *of,
                       struct ps_buf *path)
{
    PS_AUTO(ps_buf_free) struct ps_buf runs = {0};
    for (size_t i = 0; i < options->n_operands; i++)
        add_selector(client, options->operands[i], &runs);
    ps_buf_puts(path, options->n_operands ? "runs" : "compare");
    if (options->n_operands)
        ps_url_add_segment(path, runs.ptr);
    ps_buf_printf(path, "/%s", of);
    ps_url_add_param(path, "base", options->base);
    ps_url_add_param(path, "new", options->new_runs);
}

/* --- Preview --- */

static void add_category(struct ps_table *table, const cJSON *category)
{
    const cJSON *example;
    const char *what = ps_member_text(category, "what");
    bool first = true;
    cJSON_ArrayForEach(example, ps_member(category, "examples"))
    {
        ps_table_cell(table, first ? what : "");
        if (first)
            ps_table_printf(table, "%.0f", ps_member_or_0(category, "values"));
        else
            ps_table_cell(table, "");
        ps_table_cell(table, ps_member_text(example, "value"));
        ps_table_cell(table, ps_member_text(example, "becomes"));
        first = false;
    }
    if (!first)
        return;
    ps_table_cell(table, what);
    ps_table_cell(table, "0");
    ps_table_cell(table, "");
    ps_table_cell(table, "");
}

static void print_preview_table(const struct ps_buf *text)
{
    struct ps_table table = {.columns = 4, .right = 1U << 1};
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    PS_AUTO(ps_json_free) cJSON *json = cJSON_Parse(text->ptr);
    const cJSON *category;
    const char *const head[] = {"category", "values", "example", "redacted"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        ps_table_cell(&table, head[i]);
    cJSON_ArrayForEach(category, ps_member(json, "reveals")) add_category(&table, category);
    ps_table_print(&table, &out);
    ps_table_free(&table);
    ps_print(&out);
}

static enum ps_status print_preview(const struct ps_options *options, struct ps_client *client,
                                    struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    build_path(options, client, "reveals", &path);
    if (ps_client_get(client, path.ptr, &text, err) != PS_OK)
        return err->code;
    if (!options->json) {
        print_preview_table(&text);
        return PS_OK;
    }
    ps_buf_puts(&text, "\n");
    ps_print(&text);
    return PS_OK;
}

/* --- File --- */

/* Indexes of the requested response headers; N_HEADERS is their number. */
enum { NAME, RUNS, N_HEADERS };

static void add_json(const struct ps_out_file *out, const char *ending, char *runs,
                     struct ps_buf *line)
{
    struct ps_json json = ps_json_writer(line);
    struct stat about = {.st_size = 0};
    char *rest = NULL;
    (void)fstat(out->fd, &about);
    ps_json_object(&json);
    ps_json_key_str(&json, "file", out->path);
    ps_json_key_str(&json, "format", ending + 1);
    ps_json_key_int(&json, "bytes", (int64_t)about.st_size);
    ps_json_key(&json, "runs");
    ps_json_array(&json);
    for (char *id = runs ? strtok_r(runs, ",", &rest) : NULL; id; id = strtok_r(NULL, ",", &rest))
        ps_json_str(&json, ps_str_from_c(id));
    ps_json_end(&json);
    ps_json_end(&json);
}

/* Sets the final name of the file: the name in `disposition`, with the extension of its format. */
static void name_file(struct ps_out_file *out, const char *disposition)
{
    PS_AUTO(ps_arena_free) struct ps_arena arena = {0};
    const char *name = ps_parse_attachment(&arena, disposition);
    char stem[PS_SHARE_NAME_SIZE];
    ps_share_sanitize_file_name(name && name[0] ? name : "perfshelf", stem);
    size_t len = strlen(stem), ending = strlen(out->ending);
    if (len > ending && strcmp(stem + len - ending, out->ending) == 0)
        stem[len - ending] = '\0';
    ps_out_file_name(out, stem);
}

static enum ps_status write_file(const struct ps_options *options, struct ps_client *client,
                                 struct ps_err *err)
{
    PS_AUTO(ps_out_file_close) struct ps_out_file out = PS_OUT_FILE_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    const char *ending = ps_share_file_ending(options->html);
    struct ps_wanted_header headers[N_HEADERS] = {{"Content-Disposition", NULL},
                                                  {PS_SHARE_RUNS_HEADER, NULL}};
    if (options->output)
        ps_out_file_open(options->output, options->force, &out, err);
    else
        ps_out_file_open_unique(ending, &out, err);
    build_path(options, client, "export", &path);
    ps_url_add_param(&path, "as", options->html ? "html" : NULL);
    ps_url_add_param(&path, "redact", options->redact);
    ps_client_save(client, "GET", path.ptr, (struct ps_str){NULL, 0}, out.fd, headers, N_HEADERS,
                   err);
    if (err->code == PS_OK && !options->output)
        name_file(&out, headers[NAME].value);
    if (err->code == PS_OK)
        ps_out_file_commit(&out, err);
    if (err->code == PS_OK && options->json)
        add_json(&out, ending, headers[RUNS].value, &line);
    else if (err->code == PS_OK && !options->output)
        ps_append_escaped(&line, ps_str_from_c(out.path));
    if (line.len) {
        ps_buf_puts(&line, "\n");
        ps_print(&line);
    }
    for (size_t i = 0; i < N_HEADERS; i++)
        free(headers[i].value);
    return err->code;
}

int ps_cli_export(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    struct ps_err err = PS_ERR_INIT;
    if (!client)
        return 1;
    for (size_t i = 0; i < options->n_operands; i++)
        if (!options->operands[i][0])
            (void)ps_client_fail_empty_run(&err);
    if (err.code == PS_OK)
        (void)(options->preview ? print_preview : write_file)(options, client, &err);
    return err.code == PS_OK ? ps_flush_stdout(0) : ps_print_failure("export", &err);
}
