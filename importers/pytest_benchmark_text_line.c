/* SPDX-License-Identifier: MIT */
#include "importers/pytest_benchmark_text.h"

#include "importers/text_report.h"

enum { LONGEST_NUMBER = 48 };

static const char *const titles[PS_PB_COLUMNS] = {
    "Min", "Max", "Mean", "StdDev", "Median", "IQR", "Outliers", "OPS", "Rounds", "Iterations",
};

/* The unit in "Name (time in us)". */
static bool take_unit(struct ps_str *rest, int *shift)
{
    static const struct {
        const char *name;
        int shift;
    } units[] = {{"ns)", -9}, {"us)", -6}, {"\xc2\xb5s)", -6}, {"\xce\xbcs)", -6},
                 {"ms)", -3}, {"s)", 0},   {"sec)", 0}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ps_printed_word(rest, units[i].name)) {
            *shift = units[i].shift;
            return true;
        }
    return false;
}

/* "(Kops/s)" behind OPS. */
static bool take_ops_unit(struct ps_str word, int *shift)
{
    static const char prefixes[] = "numKMGT";
    static const int shifts[] = {-9, -6, -3, 3, 6, 9, 12};
    const char *at;

    if (word.len != 8 || word.at[0] != '(' || memcmp(word.at + 2, "ops/s)", 6) != 0)
        return false;
    at = memchr(prefixes, word.at[1], sizeof prefixes - 1);
    if (at)
        *shift = shifts[at - prefixes];
    return at;
}

static bool take_title(struct ps_pb_header *out, struct ps_str word)
{
    if (word.len > 3 && memcmp(word.at + word.len - 3, "(*)", 3) == 0)
        word.len -= 3; /* "Outliers(*)" of old versions */
    for (int i = 0; i < PS_PB_COLUMNS; i++)
        if (ps_str_is(word, titles[i]) && out->n < PS_PB_COLUMNS) {
            out->at[out->n++] = (enum ps_pb_column)i;
            return true;
        }
    return out->n && out->at[out->n - 1] == PS_PB_OPS && take_ops_unit(word, &out->ops);
}

bool ps_pb_header(struct ps_str line, struct ps_pb_header *out)
{
    static const struct ps_str words = PS_STR("Name (time in ");
    const char *at = ps_str_find(line, words);
    struct ps_str rest, word;

    *out = (struct ps_pb_header){.n = 0};
    if (!at)
        return false;
    out->left = (size_t)(at - line.at);
    rest = ps_report_trim(ps_str_skip(line, out->left + words.len));
    if (!take_unit(&rest, &out->time))
        return false;
    while ((word = ps_report_word(&rest)).len)
        if (!take_title(out, word))
            return false;
    return out->n > 0;
}

bool ps_pb_title(struct ps_str line, struct ps_str *group)
{
    static const struct ps_str words = PS_STR("- benchmark");
    const char *at = ps_str_find(line, words), *end;
    struct ps_str rest;

    if (!at)
        return false;
    rest = ps_str_skip(line, (size_t)(at - line.at) + words.len);
    end = ps_str_find(rest, PS_STR(" tests -"));
    if (!end)
        return false;
    rest.len = (size_t)(end - rest.at);
    while (rest.len && rest.at[rest.len - 1] >= '0' && rest.at[rest.len - 1] <= '9')
        rest.len--;
    if (rest.len < 2 || memcmp(rest.at + rest.len - 2, ": ", 2) != 0)
        return false;
    rest.len -= 2;
    ps_printed_blanks(&rest);
    if (rest.len > 1 && strchr("'\"", rest.at[0]) && rest.at[rest.len - 1] == rest.at[0])
        rest = (struct ps_str){rest.at + 1, rest.len - 2};
    *group = rest;
    return true;
}

/* ------------------------------------------------------------------ rows */

/* Cuts the last word off *rest. */
static struct ps_str last_word(struct ps_str *rest)
{
    struct ps_str word = {rest->at, 0};

    while (rest->len && rest->at[rest->len - 1] == ' ')
        rest->len--;
    while (rest->len && rest->at[rest->len - 1] != ' ') {
        rest->len--;
        word.len++;
    }
    word.at = rest->at + rest->len;
    return word;
}

/* "1,620.6601": commas part thousands. */
static bool read_number(struct ps_str word, int shift, struct ps_printed *out)
{
    char plain[LONGEST_NUMBER];
    size_t n = 0;

    for (size_t i = 0; i < word.len; i++) {
        if (word.at[i] == ',')
            continue;
        if (n == sizeof plain)
            return false;
        plain[n++] = word.at[i];
    }
    return ps_printed_read((struct ps_str){plain, n}, shift, out);
}

/* "13;27" */
static bool read_outliers(struct ps_str word, int64_t out[2])
{
    const char *part = word.len ? memchr(word.at, ';', word.len) : NULL;
    size_t n = part ? (size_t)(part - word.at) : 0;

    return part && ps_str_i64((struct ps_str){word.at, n}, &out[0]) &&
           ps_str_i64(ps_str_skip(word, n + 1), &out[1]);
}

static bool take_value(const struct ps_pb_header *header, enum ps_pb_column column,
                       struct ps_str word, struct ps_pb_row *out)
{
    int shift = column == PS_PB_OPS ? header->ops : column < PS_PB_OUTLIERS ? header->time : 0;
    int64_t whole;

    out->has[column] = true;
    if (column == PS_PB_OUTLIERS)
        return read_outliers(word, out->outliers);
    if (ps_str_is(word, "inf") || ps_str_is(word, "nan")) {
        out->has[column] = false;
        return true;
    }
    if (column >= PS_PB_ROUNDS && !ps_str_i64(word, &whole))
        return false;
    return read_number(word, shift, &out->value[column]);
}

/* Read from the end, for a name may hold blanks. Behind most figures stands in parentheses what
 * they are of the best. */
bool ps_pb_row(const struct ps_pb_header *header, struct ps_str line, struct ps_pb_row *out)
{
    struct ps_str rest = ps_report_behind(line, header->left);

    *out = (struct ps_pb_row){.name = PS_STR("")};
    for (size_t i = header->n; i > 0; i--) {
        struct ps_str word = last_word(&rest);

        if (word.len && word.at[0] == '(' && word.at[word.len - 1] == ')')
            word = last_word(&rest);
        if (!word.len || !take_value(header, header->at[i - 1], word, out))
            return false;
    }
    out->name = ps_report_trim(rest);
    return out->name.len > 0;
}
