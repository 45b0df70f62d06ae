/* SPDX-License-Identifier: MIT */
/* headline_text.c: the change of the headline in words, with its test. */
#include "server/cli/comparison.h"
#include "server/cli/pairs_text.h"

#include <math.h>

const char *ps_cli_verdict_word(const char *verdict, const char *unit)
{
    static const char *const words[][3] = {{"up", "slower", "more"},
                                           {"down", "faster", "less"},
                                           {"same", "within noise", "within noise"},
                                           {"few", "too few runs", "too few runs"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(verdict, words[i][0]) == 0)
            return words[i][ps_unit_is_time(unit) ? 1 : 2];
    return "";
}

bool ps_unit_is_time(const char *unit)
{
    return strcmp(unit, "s") == 0 || strcmp(unit, "us") == 0 || strcmp(unit, "ns") == 0;
}

/* Appends the result of the significance test, or the reason why there is none. */
static void add_test(const cJSON *headline, int n, int m, struct ps_buf *out)
{
    const char *unit = ps_run_text(headline, "unit"), *verdict = ps_run_text(headline, "verdict");
    char low[64], high[64], noise[64];
    if (!verdict[0]) {
        ps_buf_puts(out, "One run each: significance unknown. Compare five runs each to tell a "
                         "change from noise.\n");
        return;
    }
    if (strcmp(verdict, "few") == 0) {
        ps_buf_puts(out,
                    "Compare at least 5 and 5 runs, or 4 and 6, to tell a change from noise.\n");
        return;
    }
    if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(headline, "pairs")))
        return;
    ps_buf_printf(out, "Noise %s; rank sum test of %d and %d runs: p = %.2g",
                  ps_format_value(ps_run_number(headline, "noise"), unit, noise), n, m,
                  ps_run_number(headline, "p"));
    if (cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(headline, "low")))
        ps_buf_printf(out, "; 95 %% interval of the change %s to %s",
                      ps_format_change(ps_run_number(headline, "low"), unit, low),
                      ps_format_change(ps_run_number(headline, "high"), unit, high));
    ps_buf_puts(out, ".\n");
}

static void add_environments(const struct ps_cli_comparison *compared, struct ps_buf *out)
{
    const char *environments = ps_run_text(compared->response, "environments");
    if (!environments[0])
        return;
    ps_buf_puts(out, "Recorded in different environments: ");
    ps_append_escaped(out, ps_str_from_c(environments));
    ps_buf_puts(out, ".\n");
}

void ps_cli_add_headline(const struct ps_cli_comparison *compared, struct ps_buf *out)
{
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(compared->response, "base"),
                *now = cJSON_GetObjectItemCaseSensitive(compared->response, "new"),
                *headline = cJSON_GetObjectItemCaseSensitive(compared->response, "headline");
    const char *verdicts = ps_run_text(compared->response, "verdicts");
    const char *unit = ps_run_text(headline, "unit"), *verdict = ps_run_text(headline, "verdict");
    double from = ps_run_number(cJSON_GetObjectItemCaseSensitive(headline, "base"), "median"),
           to = ps_run_number(cJSON_GetObjectItemCaseSensitive(headline, "new"), "median"),
           delta = ps_run_number(headline, "delta");
    char text[3][64], percent[32];
    add_environments(compared, out);
    if (verdicts[0]) {
        ps_append_escaped(out, ps_str_from_c(verdicts));
        ps_buf_puts(out, ".\n");
        return;
    }
    if (cJSON_IsNull(headline)) {
        ps_buf_printf(out, "No difference of the headline: %s.\n",
                      ps_run_text(compared->response, "no_headline"));
        return;
    }
    if (verdict[0])
        ps_buf_printf(out, "%s: ", ps_cli_verdict_word(verdict, unit));
    /* The change of pairs is not the difference of the two medians: it may have the other sign. */
    ps_format_percent(delta, from, percent);
    ps_buf_printf(out, "%s %s → %s%s %s%s%s%s\n", ps_run_text(headline, "label"),
                  ps_format_value(from, unit, text[0]), ps_format_value(to, unit, text[1]),
                  cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(headline, "pairs"))
                      ? "; pair by pair"
                      : ",",
                  ps_format_change(delta, unit, text[2]), percent[0] ? " (" : "", percent,
                  percent[0] ? ")" : "");
    add_test(headline, cJSON_GetArraySize(base), cJSON_GetArraySize(now), out);
    ps_cli_add_pairs(headline, NAN, out);
}
