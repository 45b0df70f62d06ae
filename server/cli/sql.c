/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/query/query.h"

int ps_cli_sql(const struct ps_options *options)
{
    char id[PS_ID_SIZE];
    const char *run = options->operands[0], *sql = options->operands[1];
    enum ps_sql_format format = options->json  ? PS_SQL_JSON
                                : options->csv ? PS_SQL_CSV
                                               : PS_SQL_TABLE;
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = ps_cli_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    if (!store)
        return 1;
    if (ps_store_resolve(store, run, id, &err) != PS_OK ||
        ps_query_sql(store, id, sql, format, &out, &err) != PS_OK)
        return ps_say_failure(run, &err);
    if (out.len && out.at[out.len - 1] != '\n')
        ps_buf_puts(&out, "\n");
    ps_say(&out);
    return 0;
}
