/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* localtime_r */
#include "base/json_out.h"
#include "base/nearest.h"
#include "server/catalog/tokens.h"
#include "server/cli/cli.h"
#include "server/text/table.h"

#include <string.h>
#include <time.h>

/* Formats a time (ms since 1970) as local time, "2026-11-20 14:02". NULL for 0 (never). */
static const char *format_time(int64_t ms, char out[24])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm at;

    if (ms == 0)
        return NULL;
    (void)strftime(out, 24, "%Y-%m-%d %H:%M", localtime_r(&seconds, &at));
    return out;
}

static void add_to_table(void *user, const struct ps_token_row *row)
{
    struct ps_table *table = user;
    char created[24], used[24];

    ps_table_cell(table, row->name);
    ps_table_cell(table, ps_access_role_name(row->role));
    ps_table_cell(table, format_time(row->created_ms, created));
    ps_table_cell(table, format_time(row->used_ms, used));
    ps_table_printf(table, "%lld", (long long)row->n_sessions);
}

static void add_to_json(void *user, const struct ps_token_row *row)
{
    struct ps_json *json = user;

    ps_json_object(json);
    ps_json_key_str(json, "name", row->name);
    ps_json_key_str(json, "role", ps_access_role_name(row->role));
    ps_json_key_int(json, "created_ms", row->created_ms);
    ps_json_key_int(json, "used_ms", row->used_ms);
    ps_json_key_int(json, "sessions", row->n_sessions);
    ps_json_end(json);
}

static enum ps_status list_tokens(const struct ps_options *options, struct ps_store *store,
                                  struct ps_buf *out, struct ps_err *err)
{
    static const char *const titles[] = {"name", "role", "created", "last used", "sessions"};
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 5, .right = 1U << 4};
    struct ps_json json = ps_json_writer(out);
    enum ps_status status;

    if (options->json) {
        ps_json_array(&json);
        status = ps_token_each(store, add_to_json, &json, err);
        ps_json_end(&json);
        ps_buf_puts(out, "\n");
        return status;
    }
    for (size_t i = 0; i < 5; i++)
        ps_table_cell(&table, titles[i]);
    status = ps_token_each(store, add_to_table, &table, err);
    ps_table_print(&table, out);
    return status;
}

static enum ps_status add_token(const struct ps_options *options, struct ps_store *store,
                                struct ps_buf *out, struct ps_err *err)
{
    const char *name = options->operands[1];
    struct ps_json json = ps_json_writer(out);
    enum ps_access_role role = PS_ACCESS_UPLOADER;
    char text[PS_TOKEN_SIZE];
    enum ps_status status = options->role ? ps_access_role_parse(options->role, &role, err) : PS_OK;

    if (status == PS_OK)
        status = ps_token_add(store, name, role, text, err);
    if (status != PS_OK)
        return status;
    if (options->json) {
        ps_json_object(&json);
        ps_json_key_str(&json, "name", name);
        ps_json_key_str(&json, "role", ps_access_role_name(role));
        ps_json_key_str(&json, "token", text);
        ps_json_end(&json);
    } else {
        ps_buf_puts(out, text);
    }
    ps_buf_puts(out, "\n");
    return PS_OK;
}

static enum ps_status revoke_token(const struct ps_options *options, struct ps_store *store,
                                   struct ps_buf *out, struct ps_err *err)
{
    enum ps_status status = ps_token_revoke(store, options->operands[1], err);

    struct ps_json json = ps_json_writer(out);

    if (status == PS_OK && options->json) {
        ps_json_object(&json);
        ps_json_key_str(&json, "name", options->operands[1]);
        ps_json_key_bool(&json, "revoked", true);
        ps_json_end(&json);
    } else if (status == PS_OK) {
        ps_buf_puts(out, "revoked");
    }
    ps_buf_puts(out, "\n");
    return status;
}

#define USAGE                                                                                      \
    "usage: perfshelf token add NAME, perfshelf token list, or perfshelf token revoke NAME"

static enum ps_status fail_usage(const struct ps_options *options, struct ps_err *err)
{
    static const char *const actions[] = {"add", "list", "revoke"};
    const char *word = options->operands[0];
    const char *nearest = ps_nearest_find(word, actions, sizeof actions / sizeof *actions);

    if (!nearest)
        return ps_fail(err, PS_BAD_REQUEST, "unknown action '%s'" PS_HINT USAGE, word);
    if (strcmp(nearest, word) != 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "unknown action '%s'" PS_HINT
                       "did you mean `perfshelf token %s`? See `perfshelf help token`",
                       word, nearest);
    return options->n_operands == 1
               ? ps_fail(err, PS_BAD_REQUEST, "missing argument: the NAME of a token" PS_HINT USAGE)
               : ps_fail(err, PS_BAD_REQUEST, "unexpected argument '%s'" PS_HINT USAGE,
                         options->operands[1]);
}

int ps_cli_token(const struct ps_options *options)
{
    static const struct {
        const char *word;
        size_t operands;
        enum ps_status (*act)(const struct ps_options *, struct ps_store *, struct ps_buf *,
                              struct ps_err *);
    } acts[] = {{"add", 2, add_token}, {"list", 1, list_tokens}, {"revoke", 2, revoke_token}};
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;
    size_t i = 0;

    while (i < 3 && (strcmp(options->operands[0], acts[i].word) != 0 ||
                     options->n_operands != acts[i].operands))
        i++;
    if (i == 3) {
        (void)fail_usage(options, &err);
        (void)ps_print_failure("token", &err);
        return 2;
    }
    store = ps_cli_open_store(options);
    if (!store)
        return 1;
    if (acts[i].act(options, store, &out, &err) != PS_OK)
        return ps_print_failure("token", &err);
    ps_print(&out);
    if (ps_flush_stdout(0) == 0)
        return 0;
    if (acts[i].act != add_token)
        return 1;
    /* Revoke the token: it was not printed, and the shelf stores only its hash, so nobody can use
     * it. */
    err = (struct ps_err)PS_ERR_INIT;
    if (ps_token_revoke(store, options->operands[1], &err) != PS_OK)
        return ps_print_failure("token", &err);
    (void)ps_fail(&err, PS_IO,
                  "token %s was not added: it could not be printed" PS_HINT "run the command again",
                  options->operands[1]);
    return ps_print_failure("token", &err);
}
