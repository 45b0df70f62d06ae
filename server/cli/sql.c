/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/query/query.h"

#define ROWS    10000000
#define SECONDS 600

/* A whole number from 1 on; NULL: the fallback. */
static bool read_count(const char *text, const char *option, int64_t most, int64_t fallback,
                       int64_t *out, struct ps_err *err)
{
    *out = fallback;
    if (text && (!ps_str_i64(ps_str_of(text), out) || *out < 1 || *out > most))
        ps_fail(err, PS_BAD_REQUEST, "%s takes a whole number from 1 to %lld", option,
                (long long)most);
    return err->code == PS_OK;
}

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
    struct ps_typed by = {0};
    int64_t rows, seconds;

    if (!store)
        return 1;
    if (!read_count(options->rows, "--rows", INT64_MAX, ROWS, &rows, &err) ||
        !read_count(options->seconds, "--seconds", 1000000, SECONDS, &seconds, &err))
        return ps_say_failure("sql", &err);
    by.ms = (unsigned)(seconds * 1000);
    if (ps_store_resolve(store, run, id, &err) != PS_OK ||
        ps_query_sql(store, id, sql, format, &by, rows, &out, &err) != PS_OK)
        return ps_say_failure(run, &err);
    if (out.len && out.at[out.len - 1] != '\n')
        ps_buf_puts(&out, "\n");
    ps_say(&out);
    return 0;
}
