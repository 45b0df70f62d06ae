/* SPDX-License-Identifier: MIT */
/*
 * importtime_line.c: parses one line of a log.
 *
 *     import time: self [us] | cumulative | imported package        the header
 *     import time: <self> | <cumulative> | <2 * depth spaces><name>
 *     import time: cached    | cached     | <name, right-aligned>   -X importtime=2, Python 3.14 on
 *
 * `perfshelf record --importers` adds a line for every import:
 *
 *     import edges: <number of lines that follow>
 *     import edge: <importer> | <imported module>
 *
 * Other programs write to the same stream, so a row may begin anywhere in a line; it always extends
 * to the end of the line. If a row could begin at several positions, the first one that parses as a
 * timed row is used, else the first one that parses as a cached row.
 */
#include "importers/imports/importtime.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_DIGITS = 300 }; /* maximum number of digits that fit a double */

static const char begin[] = "import time:";

static bool blank_run(struct ps_str *s)
{
    size_t n = 0;

    while (n < s->len && s->at[n] == ' ')
        n++;
    *s = ps_str_skip(*s, n);
    return n > 0;
}

static bool take(struct ps_str *s, struct ps_str word)
{
    if (!ps_str_starts(*s, word))
        return false;
    *s = ps_str_skip(*s, word.len);
    return true;
}

static struct ps_num nearest(struct ps_str digits)
{
    char text[MOST_DIGITS + 2];

    memcpy(text, digits.at, digits.len);
    text[digits.len] = '\0';
    return ps_real(strtod(text, NULL));
}

/* Parses -?[0-9]+ after spaces. False: no number, or one that exceeds a double. */
static bool take_figure(struct ps_str *s, struct ps_num *out, bool *beyond)
{
    struct ps_str digits;
    int64_t value;
    size_t n;

    blank_run(s);
    n = s->len > 0 && s->at[0] == '-';
    while (n < s->len && s->at[n] >= '0' && s->at[n] <= '9')
        n++;
    digits = (struct ps_str){s->at, n};
    if (n > MOST_DIGITS || n == 0 || (n == 1 && s->at[0] == '-'))
        return false;
    *s = ps_str_skip(*s, n);
    if (ps_str_i64(digits, &value)) {
        *out = ps_int(value);
        return true;
    }
    *out = nearest(digits);
    *beyond = true;
    return isfinite(out->r);
}

static bool read_timed(struct ps_str s, struct ps_it_line *out)
{
    struct ps_it_line line = {.kind = PS_IT_TIMED};

    if (!take_figure(&s, &line.self, &line.beyond) || !take(&s, PS_STR(" |")) ||
        !take_figure(&s, &line.cumulative, &line.beyond) || !take(&s, PS_STR(" | ")))
        return false;
    line.name = s;
    blank_run(&s);
    line.spaces = (size_t)(s.at - line.name.at) & ~(size_t)1;
    line.name = ps_str_skip(line.name, line.spaces);
    *out = line;
    return true;
}

static bool read_cached(struct ps_str s, struct ps_it_line *out)
{
    struct ps_it_line line = {.kind = PS_IT_CACHED};

    for (int field = 0; field < 2; field++) {
        blank_run(&s);
        if (!take(&s, PS_STR("cached")))
            return false;
        blank_run(&s);
        if (!take(&s, PS_STR("|")))
            return false;
    }
    if (!take(&s, PS_STR(" ")))
        return false;
    line.name = s;
    blank_run(&s);
    line.spaces = (size_t)(s.at - line.name.at);
    line.name = s;
    *out = line;
    return true;
}

/* Whether the text after the first "import time:" looks like fields of a row. */
static bool is_broken(struct ps_str rest, bool ended)
{
    blank_run(&rest);
    if (rest.len == 0)
        return !ended;
    return rest.at[0] == '-' || (rest.at[0] >= '0' && rest.at[0] <= '9') ||
           ps_str_starts(rest, PS_STR("cached"));
}

static bool is_header(struct ps_str text)
{
    static const char header[] = "import time: self [us] | cumulative | imported package";
    size_t n = sizeof header - 1;

    return text.len >= n && memcmp(text.at + text.len - n, header, n) == 0;
}

/* Parses the lines of the recorder, after a prefix that a container puts before each line. */
static bool read_edge(struct ps_str text, bool ended, struct ps_it_line *out)
{
    const char *at = ps_str_find(text, PS_STR("import edge")), *bar;
    struct ps_str rest = ps_str_skip(text, at ? (size_t)(at - text.at) : text.len);

    if (take(&rest, PS_STR("import edges: "))) {
        out->kind = PS_IT_EDGES;
        out->self.kind = PS_NUM_INT;
        return ended && ps_str_i64(rest, &out->self.i) && out->self.i >= 0;
    }
    bar = take(&rest, PS_STR("import edge: ")) ? ps_str_find(rest, PS_STR(" | ")) : NULL;
    if (!bar || !ended)
        return false;
    out->kind = PS_IT_EDGE;
    out->by = (struct ps_str){rest.at, (size_t)(bar - rest.at)};
    out->name = ps_str_skip(rest, out->by.len + 3);
    return true;
}

struct ps_it_line ps_it_read(struct ps_str text, bool ended)
{
    struct ps_str mark = {begin, sizeof begin - 1}, rest = text;
    struct ps_it_line found = {.kind = PS_IT_OTHER};
    const char *first = ps_str_find(text, mark);
    struct ps_it_line edge = {.kind = PS_IT_OTHER};

    if (!first && read_edge(text, ended, &edge))
        return edge;
    for (const char *at = first; at; at = ps_str_find(rest, mark)) {
        rest = ps_str_skip(text, (size_t)(at - text.at) + mark.len);
        if (read_timed(rest, &found))
            return found;
        if (found.kind == PS_IT_OTHER)
            (void)read_cached(rest, &found);
    }
    if (found.kind == PS_IT_CACHED)
        return found;
    if (first && is_header(text))
        found.kind = PS_IT_HEADER;
    else if (first && is_broken(ps_str_skip(text, (size_t)(first - text.at) + mark.len), ended))
        found.kind = PS_IT_BROKEN;
    else if (!ended && text.len && ps_str_starts(mark, text))
        found.kind = PS_IT_BROKEN;
    return found;
}
