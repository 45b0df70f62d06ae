/* SPDX-License-Identifier: MIT */
#include "base/file.h"
#include "base/json_out.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/options/option_values.h"
#include "server/cli/tool_text.h"

#include <unistd.h>

static void write_question(const struct ps_options *options, int64_t rows, int64_t seconds,
                           struct ps_buf *out)
{
    struct ps_json json = ps_json_writer(out);
    ps_json_object(&json);
    ps_json_key_str(&json, "run", options->operands[0]);
    ps_json_key_str(&json, "sql", options->operands[1]);
    ps_json_key_str(&json, "format", options->json ? "rows" : options->csv ? "csv" : "text");
    if (rows)
        ps_json_key_int(&json, "limit", rows);
    if (seconds)
        ps_json_key_int(&json, "seconds", seconds);
    ps_json_end(&json);
}

/* Prints the complete file, with a final line break. */
static enum ps_status print_file(int fd, struct ps_err *err)
{
    static char block[1 << 16];
    char last = '\n';
    ssize_t got;
    while ((got = read(fd, block, sizeof block)) > 0) {
        struct ps_buf bytes = {.ptr = block, .len = (size_t)got};
        ps_print(&bytes);
        last = block[got - 1];
    }
    if (last != '\n')
        ps_print(&(struct ps_buf){.ptr = (char[]){"\n"}, .len = 1});
    return got < 0 ? ps_fail_errno(err, "cannot read", "the result") : PS_OK;
}

static int print_markdown(const struct ps_options *options)
{
    const struct ps_tool_argument arguments[] = {{"run", options->operands[0]},
                                                 {"sql", options->operands[1]}};

    return ps_cli_print_tool(options, options->operands[0], "sql", arguments, 2);
}

/* Saves the complete result to a file before printing it, so that no partial output is printed
 * after a failure. */
int ps_cli_sql(const struct ps_options *options)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf body = {0};
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_close_fd) int to = -1;
    PS_AUTO(ps_close_fd) int from = -1;
    int64_t rows, seconds;

    if (options->markdown)
        return print_markdown(options);
    if (ps_options_parse_count("--rows", options->rows, INT64_MAX, &rows, &err) != PS_OK ||
        ps_options_parse_count("--seconds", options->seconds, PS_SECONDS_MAX, &seconds, &err) !=
            PS_OK)
        return ps_print_failure("sql", &err);
    client = ps_client_open(options);
    if (!client)
        return 1;
    write_question(options, rows, seconds, &body);
    if (ps_store_create_scratch_file(NULL, &to, &from, &err) != PS_OK ||
        ps_client_save(client, "POST", "sql", ps_buf_slice(&body), to, NULL, 0, &err) != PS_OK ||
        print_file(from, &err) != PS_OK)
        return ps_print_failure(options->operands[0], &err);
    return 0;
}
