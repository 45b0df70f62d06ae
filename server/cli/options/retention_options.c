/* SPDX-License-Identifier: MIT */
#include "server/cli/options/retention_options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/format.h"
#include "base/utf8.h"
#include "server/agent/budget.h"

#define LIMIT_MAX          1e15 /* maximum value: exact as a double, far below INT64_MAX */
#define EACH_SERIES_SUFFIX "/series"
#define HOUR_MS            3600000
#define DAY_MS             86400000

/* --- Rules in words --- */

static void add_limit(const struct ps_retention_rule *rule, struct ps_buf *out)
{
    const uint64_t n = (uint64_t)rule->limit;
    char value_text[64];

    if (rule->unit == PS_RETAIN_BY_RUNS)
        ps_buf_puts(out, ps_format_count(n, "run", value_text));
    else if (rule->unit == PS_RETAIN_BY_BYTES)
        ps_buf_puts(out, ps_format_bytes((double)n, value_text));
    else if (n % DAY_MS == 0)
        ps_buf_puts(out, ps_format_count(n / DAY_MS, "day", value_text));
    else if (n % HOUR_MS == 0)
        ps_buf_puts(out, ps_format_count(n / HOUR_MS, "hour", value_text));
    else
        ps_buf_puts(out, ps_format_seconds((double)n / 1e3, value_text));
}

static const char *describe_rule(const struct ps_retention_rule *rule, struct ps_arena *arena)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    add_limit(rule, &text);
    if (rule->scope == PS_RETAIN_IN_EACH_SERIES)
        ps_buf_puts(&text, " of each series");
    else if (rule->scope == PS_RETAIN_IN_ONE_SERIES)
        ps_buf_printf(&text, " of series %s", rule->series);
    return ps_arena_copy(arena, ps_buf_slice(&text)).ptr;
}

/* --- Reading of rules --- */

/* Parses a limit; false if it is invalid. Accepts only plain decimal numbers, unlike strtod. */
static bool read_limit(const char *text, struct ps_retention_rule *out)
{
    char unit[8];
    double value;

    if (!isdigit((unsigned char)text[0]) || strpbrk(text, "xXeE ") ||
        ps_value_read("--keep", "", text, &value, unit, PS_ERR_IGNORED) != PS_OK)
        return false;
    out->unit = PS_RETAIN_BY_BYTES;
    if (!unit[0])
        out->unit = PS_RETAIN_BY_RUNS;
    else if (ps_value_convert(value, unit, "ms", &value))
        out->unit = PS_RETAIN_BY_AGE;
    else if (!ps_value_convert(value, unit, "B", &value))
        return false;
    if (value < 1 || value > LIMIT_MAX || (out->unit == PS_RETAIN_BY_RUNS && value != floor(value)))
        return false;
    out->limit = llround(value);
    return true;
}

static enum ps_status read_rule(const char *text, struct ps_arena *arena,
                                struct ps_retention_rule *out, struct ps_err *err)
{
    const char *equals = strrchr(text, '=');
    struct ps_str limit = ps_str_from_c(equals ? equals + 1 : text);
    const struct ps_str each = PS_STR(EACH_SERIES_SUFFIX);

    *out = (struct ps_retention_rule){
        .text = text, .scope = equals ? PS_RETAIN_IN_ONE_SERIES : PS_RETAIN_IN_SHELF};
    if (equals) {
        out->series = ps_arena_copy(arena, (struct ps_str){text, (size_t)(equals - text)}).ptr;
    } else if (limit.len > each.len &&
               memcmp(limit.ptr + limit.len - each.len, each.ptr, each.len) == 0) {
        out->scope = PS_RETAIN_IN_EACH_SERIES;
        limit.len -= each.len;
    }
    if (equals == text || !ps_utf8_is_valid(ps_str_from_c(text)) ||
        !read_limit(ps_arena_copy(arena, limit).ptr, out))
        return ps_fail(err, PS_BAD_REQUEST,
                       "invalid value '%s' for --keep" PS_HINT
                       "write a number of runs, an age or a size: 500, 90d or 50GiB; 20/series for "
                       "each series, nightly=20 for one series",
                       text);
    out->description = describe_rule(out, arena);
    return PS_OK;
}

enum ps_status ps_retention_parse(const struct ps_options *options, struct ps_arena *arena,
                                  struct ps_retention *out, struct ps_err *err)
{
    struct ps_retention_rule *rules =
        ps_arena_alloc(arena, (options->n_retention_rules + 1) * sizeof *rules);

    for (size_t i = 0; err->code == PS_OK && i < options->n_retention_rules; i++)
        read_rule(options->retention_rules[i], arena, &rules[i], err);
    *out = (struct ps_retention){rules, options->n_retention_rules};
    return err->code;
}
