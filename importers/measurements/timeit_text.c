/* SPDX-License-Identifier: MIT */
#include "importers/measurements/timeit_text.h"

enum { MOST_STARTS = 64 }; /* maximum number of positions in a line at which a result may begin */

static const struct {
    const char *word;
    int shift;
} units[] = {
    {"nsec", -9},      {"usec", -6},         {"msec", -3}, {"sec", 0},
    {"ns", -9},        {"microseconds", -6}, {"us", -6},   {"\xc2\xb5s", -6},
    {"\xce\xbcs", -6}, {"ms", -3},           {"s", 0},
};

static const struct {
    const char *word;
    double seconds;
} long_units[] = {{"min", 60}, {"h", 3600}, {"d", 86400}};

static bool is_letter(struct ps_str rest)
{
    return rest.len && (((rest.at[0] | 32) >= 'a' && (rest.at[0] | 32) <= 'z') || rest.at[0] < 0);
}

static bool take_unit(struct ps_str *rest, int *shift)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct ps_str behind = *rest;

        if (!ps_printed_word(&behind, units[i].word) || is_letter(behind))
            continue;
        *shift = units[i].shift;
        *rest = behind;
        return true;
    }
    return false;
}

static bool take_long_unit(struct ps_str *rest, double *seconds)
{
    for (size_t i = 0; i < sizeof long_units / sizeof *long_units; i++) {
        struct ps_str behind = *rest;

        if (!ps_printed_word(&behind, long_units[i].word) || is_letter(behind))
            continue;
        *seconds = long_units[i].seconds;
        *rest = behind;
        return true;
    }
    return false;
}

static struct ps_str take_digits(struct ps_str *rest)
{
    struct ps_str number = {rest->at, ps_printed_len(*rest)};

    *rest = ps_str_skip(*rest, number.len);
    ps_printed_blanks(rest);
    return number;
}

bool ps_timeit_time(struct ps_str *rest, struct ps_printed *out)
{
    struct ps_str at = *rest;
    struct ps_printed part;
    double before = 0, factor;
    bool any = false;
    int shift;

    for (int i = 0; i < 4; i++) {
        struct ps_str start = at, number = take_digits(&at);

        if (take_unit(&at, &shift)) {
            if (!ps_printed_read(number, shift, out))
                return false;
            if (any) /* "1min 2s" */
                out->value += before;
            *rest = at;
            return true;
        }
        if (!take_long_unit(&at, &factor) || !ps_printed_read(number, 0, &part)) {
            at = start;
            break;
        }
        before += part.value * factor;
        any = true;
        *rest = at;
        *out = (struct ps_printed){before, factor};
        ps_printed_blanks(&at);
    }
    return any;
}

/* Reads "1,000,000 loops": digits with commas between them, as IPython writes them. */
static bool take_count(struct ps_str *rest, int64_t *out)
{
    struct ps_str at = *rest;
    int64_t value = 0;
    size_t n = 0;

    while (at.len && ((at.at[0] >= '0' && at.at[0] <= '9') || (n && at.at[0] == ','))) {
        if (at.at[0] != ',' && ++n > 18)
            return false;
        value = at.at[0] == ',' ? value : value * 10 + (at.at[0] - '0');
        at = ps_str_skip(at, 1);
    }
    if (n == 0)
        return false;
    *out = value;
    *rest = at;
    return true;
}

static bool plus_minus(struct ps_str *rest)
{
    return ps_printed_word(rest, " \xc2\xb1 ") || ps_printed_word(rest, " +- ");
}

/* --- Results --- */

static bool best_of(struct ps_str rest, struct ps_loops *out)
{
    out->kind = PS_LOOPS_BEST;
    return take_count(&rest, &out->loops) &&
           (ps_printed_word(&rest, " loops, best of ") ||
            ps_printed_word(&rest, " loop, best of ")) &&
           take_count(&rest, &out->repeats) && ps_printed_word(&rest, ": ") &&
           ps_timeit_time(&rest, &out->value) && ps_printed_word(&rest, " per loop");
}

/* PyPy: the unit of both numbers follows the second one. */
static bool average_of(struct ps_str rest, struct ps_loops *out)
{
    struct ps_str value, stddev;
    int shift;

    out->kind = PS_LOOPS_AVERAGE;
    if (!take_count(&rest, &out->loops) ||
        !(ps_printed_word(&rest, " loops, average of ") ||
          ps_printed_word(&rest, " loop, average of ")) ||
        !take_count(&rest, &out->repeats) || !ps_printed_word(&rest, ": "))
        return false;
    value = (struct ps_str){rest.at, ps_printed_len(rest)};
    rest = ps_str_skip(rest, value.len);
    if (!plus_minus(&rest))
        return false;
    stddev = take_digits(&rest);
    return take_unit(&rest, &shift) && ps_printed_word(&rest, " per loop") &&
           ps_printed_read(value, shift, &out->value) &&
           ps_printed_read(stddev, shift, &out->stddev);
}

static bool mean_of(struct ps_str rest, struct ps_loops *out)
{
    out->kind = PS_LOOPS_MEAN;
    return ps_timeit_time(&rest, &out->value) && plus_minus(&rest) &&
           ps_timeit_time(&rest, &out->stddev) && ps_printed_word(&rest, " per loop (mean") &&
           plus_minus(&rest) && ps_printed_word(&rest, "std. dev. of ") &&
           take_count(&rest, &out->repeats) &&
           (ps_printed_word(&rest, " runs, ") || ps_printed_word(&rest, " run, ")) &&
           take_count(&rest, &out->loops) && ps_printed_word(&rest, " loop");
}

/* Removes everything before the next number, with which a result may begin after the prefix of a
 * log. */
static bool next_number(struct ps_str *rest)
{
    bool inside = false;

    while (rest->len) {
        bool part =
            (rest->at[0] >= '0' && rest->at[0] <= '9') || rest->at[0] == '.' || rest->at[0] == ',';

        if (part && !inside && rest->at[0] >= '0' && rest->at[0] <= '9')
            return true;
        inside = part;
        *rest = ps_str_skip(*rest, 1);
    }
    return false;
}

bool ps_timeit_loops(struct ps_str line, struct ps_loops *out)
{
    struct ps_str rest = line;

    if (!ps_str_find(line, PS_STR(" per loop")))
        return false;
    for (int i = 0; i < MOST_STARTS && next_number(&rest); i++) {
        if (best_of(rest, out) || average_of(rest, out) || mean_of(rest, out))
            return out->loops > 0 && out->repeats > 0;
        rest = ps_str_skip(rest, ps_printed_len(rest));
    }
    return false;
}

/* --- Other lines --- */

static bool behind(struct ps_str line, const char *word, struct ps_str *rest)
{
    const char *at = ps_str_find(line, ps_str_of(word));

    if (at)
        *rest = ps_str_skip(line, (size_t)(at - line.at) + strlen(word));
    return at != NULL;
}

bool ps_timeit_raw(struct ps_str line, struct ps_str *list)
{
    return behind(line, "raw times: ", list);
}

bool ps_timeit_next(struct ps_str *list, struct ps_printed *out)
{
    struct ps_str at, number;

    while (list->len && (list->at[0] == ' ' || list->at[0] == ','))
        *list = ps_str_skip(*list, 1);
    at = *list;
    if (ps_timeit_time(&at, out)) {
        *list = at;
        return true;
    }
    /* "2.6e-05 2.38e-05": seconds, separated by spaces */
    number = (struct ps_str){list->at, ps_printed_len(*list)};
    if (!ps_printed_read(number, 0, out))
        return false;
    *list = ps_str_skip(*list, number.len);
    return list->len == 0 || list->at[0] == ' ';
}

static bool take_part(struct ps_str line, const char *word, struct ps_printed *out)
{
    struct ps_str rest;

    return behind(line, word, &rest) && ps_timeit_time(&rest, out);
}

bool ps_timeit_cpu(struct ps_str line, struct ps_cpu_times *out)
{
    struct ps_str rest;

    if (!behind(line, "CPU times: ", &rest))
        return false;
    out->has_user = take_part(rest, "user ", &out->user);
    out->has_sys = take_part(rest, "sys: ", &out->sys);
    out->has_total = take_part(rest, "total: ", &out->total);
    return out->has_user || out->has_sys || out->has_total;
}

bool ps_timeit_wall(struct ps_str line, struct ps_printed *out)
{
    return take_part(line, "Wall time: ", out);
}

bool ps_timeit_trial(struct ps_str line)
{
    struct ps_str rest = line;
    int64_t loops;

    return take_count(&rest, &loops) &&
           (ps_printed_word(&rest, " loops -> ") || ps_printed_word(&rest, " loop -> "));
}

bool ps_timeit_statement(struct ps_str line, struct ps_str *out)
{
    return (behind(line, "%timeit ", out) || behind(line, "-m timeit ", out) ||
            behind(line, "%time ", out)) &&
           out->len > 0;
}

bool ps_timeit_doubt(struct ps_str line)
{
    return ps_str_find(line, PS_STR("slowest run took ")) ||
           ps_str_find(line, PS_STR("likely unreliable"));
}
