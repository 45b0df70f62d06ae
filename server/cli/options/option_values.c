/* SPDX-License-Identifier: MIT */
#include "server/cli/options/option_values.h"

#include "server/text/output.h"

#include "base/nearest.h"
#include "server/agent/budget.h"
#include "server/catalog/tokens.h"
#include "server/cli/options/retention_options.h"
#include "server/cli/recorder/recorder.h"
#include "server/http/listen.h"
#include "server/share/redact.h"

#include <unistd.h>

#define VALUE_MAX 1e15 /* maximum value: exact as a double, far below UINT64_MAX */

/* Parses a value and converts it to `unit`, which is also the default unit. *out is unchanged if
 * text is NULL. */
static enum ps_status read_value(const char *option, const char *text, const char *unit,
                                 uint64_t *out, struct ps_err *err)
{
    const char *example = strcmp(unit, "B") == 0   ? "a size, such as 512MB or 8GiB"
                          : strcmp(unit, "s") == 0 ? "a time, such as 90s or 30min"
                                                   : "a whole number, such as 10000";
    char given_unit[8];
    double value;

    if (!text)
        return PS_OK;
    if (ps_value_read(option, example, text, &value, given_unit, err) != PS_OK)
        return PS_BAD_REQUEST;
    if (given_unit[0] && !ps_value_convert(value, given_unit, unit, &value))
        return ps_fail(err, PS_BAD_REQUEST, "invalid value '%s' for %s" PS_HINT "write %s", text,
                       option, example);
    if (value < 1 || value > VALUE_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "value '%s' for %s is out of range", text, option);
    *out = (uint64_t)value;
    return PS_OK;
}

enum ps_status ps_options_read_limits(const struct ps_options *options,
                                      struct ps_sandbox_limits *out, struct ps_err *err)
{
    *out = (struct ps_sandbox_limits){PS_SANDBOX_MEMORY_BYTES, PS_SANDBOX_CPU_S,
                                      PS_SANDBOX_FILE_BYTES};
    if (read_value("--import-memory", options->import_memory, "B", &out->memory_bytes, err) !=
        PS_OK)
        return err->code;
    return read_value("--import-cpu", options->import_cpu, "s", &out->cpu_s, err);
}

enum ps_status ps_options_read_queue(const struct ps_options *options, size_t *out,
                                     struct ps_err *err)
{
    uint64_t max = 10000;
    enum ps_status status = read_value("--queue", options->queue, "", &max, err);

    *out = (size_t)max;
    return status;
}

enum ps_status ps_options_read_quota(const struct ps_options *options, uint64_t *out,
                                     struct ps_err *err)
{
    *out = 0;
    return read_value("--quota", options->quota, "B", out, err);
}

enum ps_status ps_options_read_cache(const struct ps_options *options, uint64_t *out,
                                     struct ps_err *err)
{
    *out = 0;
    return read_value("--cache-size", options->cache_size, "B", out, err);
}

enum ps_status ps_options_parse_count(const char *option, const char *text, int64_t max,
                                      int64_t *out, struct ps_err *err)
{
    *out = 0;
    if (!text || (ps_str_parse_i64(ps_str_from_c(text), out) && *out >= 1 && *out <= max))
        return PS_OK;
    if (max == INT64_MAX)
        return ps_fail(err, PS_BAD_REQUEST,
                       "invalid value '%s' for %s: not a positive whole number", text, option);
    return ps_fail(err, PS_BAD_REQUEST,
                   "invalid value '%s' for %s: not a whole number from 1 to %lld", text, option,
                   (long long)max);
}

enum ps_status ps_options_parse_whole(const char *option, const char *text, int64_t max,
                                      int64_t *out, struct ps_err *err)
{
    if (text && strcmp(text, "0") == 0) {
        *out = 0;
        return PS_OK;
    }
    return text ? ps_options_parse_count(option, text, max, out, err) : err->code;
}

static enum ps_status check_sizes(const struct ps_options *options, struct ps_err *err)
{
    struct ps_sandbox_limits limits;
    uint64_t bytes;
    size_t queue;

    if (ps_options_read_limits(options, &limits, err) != PS_OK ||
        ps_options_read_queue(options, &queue, err) != PS_OK ||
        ps_options_read_quota(options, &bytes, err) != PS_OK)
        return err->code;
    return ps_options_read_cache(options, &bytes, err);
}

/* --max-rows and --max-bytes bound Markdown, which `explore` always prints. */
static enum ps_status check_markdown(const struct ps_options *options, struct ps_err *err)
{
    const bool is_limited = options->max_rows || options->max_bytes;
    int64_t n;

    if (ps_options_parse_count("--max-rows", options->max_rows, PS_OUTPUT_ROWS_MAX, &n, err) !=
            PS_OK ||
        ps_options_parse_count("--max-bytes", options->max_bytes, PS_OUTPUT_BYTES_MAX, &n, err) !=
            PS_OK)
        return err->code;
    if (options->max_bytes && n < PS_OUTPUT_BYTES_MIN)
        return ps_fail(err, PS_BAD_REQUEST, "invalid value '%s' for --max-bytes: less than %d",
                       options->max_bytes, PS_OUTPUT_BYTES_MIN);
    if (is_limited && !options->markdown && options->command != PS_COMMAND_EXPLORE &&
        options->command != PS_COMMAND_REPORT)
        return ps_fail(err, PS_BAD_REQUEST, "--max-rows and --max-bytes need --markdown");
    if (options->markdown && options->csv)
        return ps_fail(err, PS_BAD_REQUEST, "--csv and --markdown cannot be combined");
    return PS_OK;
}

static enum ps_status check_counts(const struct ps_options *options, struct ps_err *err)
{
    int64_t n;

    if (ps_options_parse_count("--repeat", options->repeat, PS_REPEAT_MAX, &n, err) != PS_OK ||
        ps_options_parse_count("--rows", options->rows, INT64_MAX, &n, err) != PS_OK ||
        check_markdown(options, err) != PS_OK)
        return err->code;
    return ps_options_parse_count("--seconds", options->seconds, PS_SECONDS_MAX, &n, err);
}

static enum ps_status check_rules(const struct ps_options *options, struct ps_err *err)
{
    PS_AUTO(ps_arena_free) struct ps_arena arena = {0};
    struct ps_retention keep;
    struct ps_budget budget;
    enum ps_status status = ps_retention_parse(options, &arena, &keep, err);
    double value;
    char unit[8];

    for (size_t i = 0; status == PS_OK && i < options->n_budgets; i++)
        status = ps_budget_read(options->budgets[i], &budget, err);
    if (status == PS_OK && options->fail_on)
        status = ps_value_read("--fail-on", "a number, with a unit or %, such as 10%, 50ms or 2MiB",
                               options->fail_on, &value, unit, err);
    return status;
}

static enum ps_status check_server(const char *url, struct ps_err *err)
{
    if (!url || ((strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0) &&
                 !strpbrk(url, "?#\r\n\t ")))
        return PS_OK;
    return ps_fail(
        err, PS_BAD_REQUEST,
        "invalid value '%s' for --server" PS_HINT "write http://HOST:PORT or https://HOST", url);
}

static enum ps_status check_role(const char *word, struct ps_err *err)
{
    struct ps_nearest nearest = {.typed = word};
    enum ps_access_role role;

    if (!word || ps_access_role_parse(word, &role, PS_ERR_IGNORED) == PS_OK)
        return PS_OK;
    for (role = PS_ACCESS_VIEWER; role <= PS_ACCESS_ADMIN; role++)
        ps_nearest_offer(&nearest, ps_access_role_name(role));
    return ps_fail(err, PS_BAD_REQUEST,
                   "invalid value '%s' for --role" PS_HINT
                   "%s%s%sthe roles are viewer, uploader and admin",
                   word, nearest.word ? "did you mean " : "", nearest.word ? nearest.word : "",
                   nearest.word ? "? " : "");
}

static enum ps_status check_per(const char *word, struct ps_err *err)
{
    if (!word || strcmp(word, "step") == 0 || strcmp(word, "run") == 0 || strcmp(word, "call") == 0)
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST, "invalid value '%s' for --per: must be step, run or call",
                   word);
}

/* Returns the category most similar to the first invalid one of a list, or NULL. */
static const char *nearest_category(const char *words)
{
    while (*words) {
        PS_AUTO(ps_free_ptr) char *word = ps_strdup((struct ps_str){words, strcspn(words, ",")});
        const char *nearest = ps_nearest_find(word, ps_reveal_names, PS_N_REVEALS);
        unsigned bits;

        if (nearest && ps_reveal_parse(word, &bits, PS_ERR_IGNORED) != PS_OK)
            return nearest;
        words += strcspn(words, ",");
        words += words[0] == ',';
    }
    return NULL;
}

static enum ps_status check_redact(const char *words, struct ps_err *err)
{
    struct ps_err failure = PS_ERR_INIT;
    const char *nearest;
    unsigned redact;

    if (!words || ps_reveal_parse(words, &redact, &failure) == PS_OK)
        return PS_OK;
    nearest = nearest_category(words);
    if (nearest)
        return ps_fail(err, failure.code,
                       "%s" PS_HINT "did you mean %s? `perfshelf help export` lists the categories",
                       failure.text, nearest);
    return ps_fail_copy(err, &failure);
}

/* Whether the text is an address of numbers, with or without a port. */
static bool is_address(const char *text)
{
    const size_t len = strspn(text, "0123456789.");
    const bool has_dots = memchr(text, '.', len) != NULL;

    return text[0] == '[' || strstr(text, "::") ||
           (len && has_dots && (!text[len] || text[len] == ':'));
}

/* --host says what clients may call the server, not where it listens. Behind a proxy that may be an
 * address. */
static enum ps_status check_hosts(const struct ps_options *options, struct ps_err *err)
{
    for (size_t i = 0; options->command == PS_COMMAND_SERVE && i < options->n_hosts; i++) {
        const char *host = options->hosts[i], *port = strrchr(host, ':');
        const bool has_port = port && port[1] && !port[1 + strspn(port + 1, "0123456789")];

        if (!has_port && (options->proxy || !is_address(host)))
            continue;
        return ps_fail(err, PS_BAD_REQUEST,
                       "invalid value '%s' for --host: not a host name" PS_HINT
                       "--listen %.100s%s serves at an address; --host allows a further name of "
                       "this server",
                       host, host, has_port ? "" : ":7700");
    }
    return PS_OK;
}

/* A port or an address in place of a file. */
static enum ps_status check_served_files(const struct ps_options *options, struct ps_err *err)
{
    for (size_t i = 0; options->command == PS_COMMAND_SERVE && i < options->n_operands; i++) {
        const char *word = options->operands[i];
        const bool is_port = word[0] && !word[strspn(word, "0123456789")];

        if ((is_port || is_address(word)) && access(word, F_OK) != 0)
            return ps_fail(err, PS_BAD_REQUEST,
                           "%s: no such file" PS_HINT "did you mean --listen %s%.100s%s?", word,
                           is_port ? "127.0.0.1:" : "", word,
                           is_port || strrchr(word, ':') ? "" : ":7700");
    }
    return PS_OK;
}

static enum ps_status check_words(const struct ps_options *options, struct ps_err *err)
{
    if (check_role(options->role, err) != PS_OK || check_redact(options->redact, err) != PS_OK ||
        check_per(options->per, err) != PS_OK)
        return err->code;
    if (options->output && !options->output[0])
        return ps_fail(err, PS_BAD_REQUEST, "-o needs the name of a file");
    if (options->command == PS_COMMAND_RECORD && strcmp(options->operands[0], "ab") != 0 &&
        !ps_recorder_find(options->operands[0], false, err))
        return err->code;
    if (options->recorder && !ps_recorder_find(options->recorder, false, err))
        return err->code;
    if (options->command == PS_COMMAND_EXPORT &&
        ((options->n_operands > 0) == (options->new_runs != NULL) ||
         (options->base && !options->new_runs)))
        return ps_fail(err, PS_BAD_REQUEST,
                       "name either RUN..., or a comparison with --base RUNS --new RUNS" PS_HINT
                       "see `perfshelf help export`");
    if (options->command == PS_COMMAND_EXPORT && options->json && !options->preview &&
        options->output && strcmp(options->output, "-") == 0)
        return ps_fail(err, PS_BAD_REQUEST, "--json and -o - cannot be combined");
    if (options->command == PS_COMMAND_SERVE && !options->tls_cert != !options->tls_key)
        return ps_fail(err, PS_BAD_REQUEST, "--tls-cert and --tls-key must be given together");
    return PS_OK;
}

enum ps_status ps_options_check_values(const struct ps_options *options, struct ps_err *err)
{
    if (check_sizes(options, err) != PS_OK || check_counts(options, err) != PS_OK ||
        check_rules(options, err) != PS_OK || check_server(options->server, err) != PS_OK ||
        check_words(options, err) != PS_OK || check_hosts(options, err) != PS_OK ||
        check_served_files(options, err) != PS_OK)
        return err->code;
    return options->listen ? ps_listen_check(options->listen, err) : PS_OK;
}
