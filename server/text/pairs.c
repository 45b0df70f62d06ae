/* SPDX-License-Identifier: MIT */
/* pairs.c: what is known about a comparison of pairs, in lines. */
#include <math.h>
#include <stdio.h>

#include "base/format.h"
#include "server/text/text.h"

/* A change is found in 9 of 10 recordings if it is this many times the noise: (1.96 + 1.28) / 1.96
 * of the normal distribution. At 1 it is found in every second one. */
#define FOUND_FACTOR 1.65

/* Appends "about 40 pairs would find one of 3 %". */
static void add_needed(double noise_pct, double target_pct, int n, struct ps_buf *out)
{
    const double ratio = FOUND_FACTOR * log1p(noise_pct / 100) / log1p(target_pct / 100);
    const double pairs = ceil(n * ratio * ratio);
    char target[32];

    ps_format_digits(target_pct, 2, target);
    if (pairs > PS_PAIRS_MAX)
        ps_buf_printf(out,
                      "; more than %d pairs would be needed to find one of %s %%: use a quieter "
                      "machine, a longer program or CPU time (--metric cpu_s)",
                      PS_PAIRS_MAX, target);
    else
        ps_buf_printf(out, "; about %.0f pairs would find one of %s %%", pairs, target);
}

/* Warns if the noise hides the change that should be seen. */
static void add_noise(const cJSON *headline, double noise_pct, double limit_pct, int n,
                      struct ps_buf *out)
{
    const bool is_same = strcmp(ps_member_text(headline, "verdict"), "same") == 0;
    const bool has_limit = isfinite(limit_pct) && limit_pct > 0;
    char noise[32];

    if (has_limit ? FOUND_FACTOR * noise_pct <= limit_pct : !is_same)
        return;
    ps_buf_printf(out,
                  "noise of this machine is ±%s %%: a change below that cannot be seen with %d "
                  "pairs",
                  ps_format_digits(noise_pct, 2, noise), n);
    add_needed(noise_pct, has_limit ? limit_pct : noise_pct / 2, n, out);
    ps_buf_puts(out, "\n");
}

static void add_drift(const cJSON *drift, const char *side, bool is_time, struct ps_buf *out)
{
    const cJSON *found = ps_member(drift, side);
    const double change = ps_member_or_0(found, "change_pct");
    char size[32], p[32];

    if (!cJSON_IsObject(found))
        return;
    ps_buf_printf(out, "%s drifted: %s %% %s at the end (Mann-Kendall test %s)\n", side,
                  ps_format_digits(fabs(change), 2, size),
                  is_time ? (change > 0 ? "slower" : "faster") : (change > 0 ? "more" : "less"),
                  ps_format_p(ps_member_or_0(found, "p"), p));
}

/* Appends "512 ms (7 pairs: 1, 2, 4 ...)". */
static void add_mode(const cJSON *mode, const char *unit, struct ps_buf *out)
{
    const cJSON *pairs = ps_member(mode, "pairs"), *pair;
    char value[64];
    int i = 0;
    ps_buf_printf(out, "%s (pair%s", ps_format_value(ps_member_or_0(mode, "median"), unit, value),
                  cJSON_GetArraySize(pairs) == 1 ? "" : "s");
    cJSON_ArrayForEach(pair, pairs)
        ps_buf_printf(out, "%s %.0f", i++ ? "," : "", pair->valuedouble);
    ps_buf_puts(out, ")");
}

static void add_modes(const cJSON *modes, const char *side, const char *unit, struct ps_buf *out)
{
    const cJSON *found = ps_member(modes, side);
    if (!cJSON_IsObject(found))
        return;
    ps_buf_printf(out, "%s has two modes: ", side);
    add_mode(ps_member(found, "low"), unit, out);
    ps_buf_puts(out, " and ");
    add_mode(ps_member(found, "high"), unit, out);
    ps_buf_puts(out, "\n");
}

void ps_text_pairs(const cJSON *headline, double limit_pct, struct ps_buf *out)
{
    const cJSON *pairs = ps_member(headline, "pairs");
    const char *unit = ps_member_text(headline, "unit"),
               *why = ps_member_text(headline, "no_pairs");
    const int n = (int)ps_member_or_0(pairs, "n");
    char p[32];

    if (why[0])
        ps_buf_printf(out, "compared as groups, not pair by pair: %s\n", why);
    if (!cJSON_IsObject(pairs))
        return;
    ps_buf_printf(out, "%d pairs: 95 %% interval %+.1f %% to %+.1f %%, signed rank test %s\n", n,
                  ps_member_or_0(pairs, "low_pct"), ps_member_or_0(pairs, "high_pct"),
                  ps_format_p(ps_member_or_0(headline, "p"), p));
    add_noise(headline, ps_member_or_0(pairs, "noise_pct"), limit_pct, n, out);
    for (int i = 0; i < 2; i++)
        add_drift(ps_member(pairs, "drift"), i ? "new" : "base", ps_is_unit_of_time(unit), out);
    for (int i = 0; i < 2; i++)
        add_modes(ps_member(pairs, "modes"), i ? "new" : "base", unit, out);
}
