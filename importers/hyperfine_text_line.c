/* SPDX-License-Identifier: MIT */
#include "importers/hyperfine_text.h"

#define PLUS_MINUS     "\xc2\xb1"
#define TO             "\xe2\x80\xa6"
#define MEAN_AND_SIGMA "Time (mean " PLUS_MINUS " \xcf\x83):"
#define ABSOLUTE       "Time (abs \xe2\x89\xa1):"
#define RANGE          "Range (min " TO " max):"

void ps_hf_set(struct ps_hf_result *result, enum ps_hf_part part, enum ps_hf_figure which,
               struct ps_printed value)
{
    result->has[part][which] = true;
    result->figure[part][which] = value;
}

bool ps_hf_any(const struct ps_hf_result *result)
{
    for (int part = 0; part < PS_HF_PARTS; part++)
        for (int which = 0; which < PS_HF_FIGURES; which++)
            if (result->has[part][which])
                return true;
    return false;
}

/* ------------------------------------------------------------------ figures */

static const struct {
    const char *name;
    int shift;     /* a power of ten */
    double factor; /* beside it */
} units[] = {
    {"ms", -3, 1},
    {"\xc2\xb5s", -6, 1},
    {"\xce\xbcs", -6, 1},
    {"us", -6, 1},
    {"ns", -9, 1},
    {"s", 0, 1},
    {"KiB", 0, 1024},
    {"MiB", 0, 1024. * 1024},
    {"GiB", 0, 1024. * 1024 * 1024},
    {"kB", 3, 1},
    {"KB", 3, 1},
    {"MB", 6, 1},
    {"GB", 9, 1},
    {"B", 0, 1},
};

bool ps_hf_take_in(struct ps_str *rest, struct ps_str unit, struct ps_printed *out)
{
    size_t n = ps_printed_len(*rest);

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!ps_str_is(unit, units[i].name))
            continue;
        if (!ps_printed_read((struct ps_str){rest->at, n}, units[i].shift, out))
            return false;
        out->value *= units[i].factor;
        out->resolution *= units[i].factor;
        *rest = ps_str_skip(*rest, n);
        return true;
    }
    return false;
}

static bool ends_word(struct ps_str text)
{
    return text.len == 0 || strchr(" \t,]|)", text.at[0]);
}

bool ps_hf_take(struct ps_str *rest, struct ps_printed *out)
{
    struct ps_str at = *rest, behind;

    ps_printed_blanks(&at);
    behind = ps_str_skip(at, ps_printed_len(at));
    ps_printed_blanks(&behind);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct ps_str end = behind;

        if (!ps_printed_word(&end, units[i].name) || !ends_word(end))
            continue;
        if (!ps_hf_take_in(&at, ps_str_of(units[i].name), out))
            return false;
        *rest = end;
        return true;
    }
    return false;
}

static bool sign(struct ps_str *rest, const char *word)
{
    struct ps_str at = *rest;

    ps_printed_blanks(&at);
    if (!ps_printed_word(&at, word))
        return false;
    ps_printed_blanks(&at);
    *rest = at;
    return true;
}

bool ps_hf_plus_minus(struct ps_str *rest)
{
    return sign(rest, PLUS_MINUS);
}

bool ps_hf_to(struct ps_str *rest)
{
    return sign(rest, TO);
}

static bool take_to(struct ps_str *rest, struct ps_hf_result *out, enum ps_hf_part part,
                    enum ps_hf_figure which)
{
    struct ps_printed value;

    if (!ps_hf_take(rest, &value))
        return false;
    ps_hf_set(out, part, which, value);
    return true;
}

/* ------------------------------------------------------------------ lines */

static bool take_count(struct ps_str *rest, int64_t *out)
{
    size_t n = 0;

    while (n < rest->len && rest->at[n] >= '0' && rest->at[n] <= '9')
        n++;
    if (!n || !ps_str_i64((struct ps_str){rest->at, n}, out))
        return false;
    *rest = ps_str_skip(*rest, n);
    return true;
}

/* Version 2 says behind the command how often it ran: " (10 runs)", " (1 run)". */
static int64_t cut_runs(struct ps_str *command)
{
    size_t at = command->len;
    struct ps_str rest;
    int64_t runs;

    while (at && command->at[at - 1] != '(')
        at--;
    rest = ps_str_skip(*command, at);
    if (at < 2 || command->at[at - 2] != ' ' || !take_count(&rest, &runs) ||
        (!ps_str_is(rest, " runs)") && !ps_str_is(rest, " run)")))
        return 0;
    command->len = at - 2;
    return runs;
}

bool ps_hf_command(struct ps_str line, struct ps_str *command, int64_t *runs)
{
    const char *at = ps_str_find(line, PS_STR("Benchmark "));
    struct ps_str rest;
    int64_t number;

    if (!at || (at > line.at && at[-1] != ' ' && at[-1] != '\t'))
        return false;
    rest = ps_str_skip(line, (size_t)(at - line.at) + strlen("Benchmark "));
    (void)ps_printed_word(&rest, "#");
    if (!take_count(&rest, &number) || !ps_printed_word(&rest, ": "))
        return false;
    while (rest.len && strchr(" \t\r", rest.at[rest.len - 1]))
        rest.len--;
    *command = rest;
    *runs = cut_runs(command);
    return command->len > 0;
}

/* What stands behind `words`, wherever they are. */
static bool behind(struct ps_str line, const char *words, struct ps_str *rest)
{
    const char *at = ps_str_find(line, ps_str_of(words));

    if (at)
        *rest = ps_str_skip(line, (size_t)(at - line.at) + strlen(words));
    return at;
}

/* "[User: 1.0 ms, System: 0.2 ms]" */
static bool take_cpu(struct ps_str *rest, struct ps_hf_result *out)
{
    ps_printed_blanks(rest);
    return ps_printed_word(rest, "[User: ") && take_to(rest, out, PS_HF_USER, PS_HF_MEAN) &&
           ps_printed_word(rest, ", System: ") && take_to(rest, out, PS_HF_SYSTEM, PS_HF_MEAN) &&
           ps_printed_word(rest, "]");
}

static bool take_time(struct ps_str rest, bool spread, struct ps_hf_result *out)
{
    if (!take_to(&rest, out, PS_HF_WALL, PS_HF_MEAN))
        return false;
    if (spread && (!ps_hf_plus_minus(&rest) || !take_to(&rest, out, PS_HF_WALL, PS_HF_STDDEV)))
        return false;
    if (!spread)
        out->runs = 1;
    return take_cpu(&rest, out);
}

/* "21.1 ms … 21.3 ms    10 runs"; the first versions did not say how many. */
static bool take_range(struct ps_str rest, struct ps_hf_result *out)
{
    int64_t runs;

    if (!take_to(&rest, out, PS_HF_WALL, PS_HF_MIN) || !ps_hf_to(&rest) ||
        !take_to(&rest, out, PS_HF_WALL, PS_HF_MAX))
        return false;
    ps_printed_blanks(&rest);
    if (!take_count(&rest, &runs))
        return rest.len == 0;
    out->runs = runs;
    return ps_printed_word(&rest, " run");
}

/* Version 2: "21.0 ms  ± 0.1 ms   20.9 ms … 21.1 ms", or one value for one run. What it says of
 * other commands stands behind. */
static bool take_part(struct ps_str rest, enum ps_hf_part part, struct ps_hf_result *out)
{
    if (!take_to(&rest, out, part, PS_HF_MEAN))
        return false;
    if (!ps_hf_plus_minus(&rest))
        return true;
    return take_to(&rest, out, part, PS_HF_STDDEV) && take_to(&rest, out, part, PS_HF_MIN) &&
           ps_hf_to(&rest) && take_to(&rest, out, part, PS_HF_MAX);
}

bool ps_hf_begins(struct ps_str line)
{
    struct ps_str rest;

    return behind(line, MEAN_AND_SIGMA, &rest) || behind(line, ABSOLUTE, &rest);
}

enum ps_hf_line ps_hf_line(struct ps_str line, struct ps_hf_result *out)
{
    static const char *const parts[PS_HF_PARTS] = {"  Wall Time ", "  User Time ", "  System Time ",
                                                   "  Memory "};
    struct ps_hf_result read = *out;
    struct ps_str rest;
    bool good = false, known = true;

    if (behind(line, MEAN_AND_SIGMA, &rest)) {
        good = take_time(rest, true, &read);
    } else if (behind(line, ABSOLUTE, &rest)) {
        good = take_time(rest, false, &read);
    } else if (behind(line, RANGE, &rest)) {
        good = take_range(rest, &read);
    } else {
        known = false;
        for (int part = 0; part < PS_HF_PARTS && !known; part++)
            if ((known = behind(line, parts[part], &rest)))
                good = take_part(rest, (enum ps_hf_part)part, &read);
    }
    if (good)
        *out = read;
    return good ? PS_HF_TAKEN : known ? PS_HF_BROKEN : PS_HF_OTHER;
}
