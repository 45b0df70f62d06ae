/* SPDX-License-Identifier: MIT */
#include "importers/importer.h"
#include "server/cli/cli.h"
#include "server/text/table.h"

#include "base/json_out.h"

static void print_json(const struct ps_importer *const *list, size_t count, struct ps_buf *out)
{
    struct ps_json json = ps_json_writer(out);
    ps_json_array(&json);
    for (size_t i = 0; i < count; i++) {
        ps_json_object(&json);
        ps_json_key_str(&json, "kind", list[i]->kind);
        ps_json_key_str(&json, "label", list[i]->label);
        ps_json_key_str(&json, "what", list[i]->description);
        ps_json_key_str(&json, "record", list[i]->record_command);
        ps_json_end(&json);
    }
    ps_json_end(&json);
    ps_buf_puts(out, "\n");
}

static void print_table(const struct ps_importer *const *list, size_t count, struct ps_buf *out)
{
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 3};
    static const char *const titles[] = {"kind", "contents", "recorded with"};
    for (size_t i = 0; i < 3; i++)
        ps_table_cell(&table, titles[i]);
    for (size_t i = 0; i < count; i++) {
        ps_table_cell(&table, list[i]->kind);
        ps_table_cell(&table, list[i]->description);
        ps_table_cell(&table, list[i]->record_command);
    }
    ps_table_print(&table, out);
}

int ps_cli_formats(const struct ps_options *options)
{
    size_t count = 0;
    const struct ps_importer *const *list = ps_importers(&count);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    if (options->json)
        print_json(list, count, &out);
    else
        print_table(list, count, &out);
    ps_print(&out);
    return 0;
}
