/* SPDX-License-Identifier: MIT */
/* line_calls.c: the calls between the functions of a line profile. */
#include "server/query/conclusion/line_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NEARLY_ALL  0.9 /* of the time of a line: a function that it calls several times has it */
#define ALIKE_SHARE 0.1 /* the same, if the line has as many hits as the function has calls */
#define ALIKE_MIN   5   /* hits: fewer may be equal by chance */
#define ONCE_SHARE  0.2 /* the same for fewer */
#define INNER_SHARE                                                                                \
    0.5                  /* of its function: a line without text that may call the function itself \
                          */
#define INNER_MAX   4    /* calls of itself in one line */
#define OUTER_SHARE 0.05 /* of its calls: those from outside of a recursive function */

static bool is_word(char byte)
{
    return byte == '_' || (byte >= '0' && byte <= '9') ||
           ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

/* The part of a qualified name after its last dot. */
static struct ps_str last_part(struct ps_str name)
{
    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '.')
            return ps_str_skip(name, i);
    return name;
}

/* How often the text has the name and a bracket: alone or after `self.` or `cls.`, or after any
 * object. */
static unsigned count_calls(struct ps_str source, struct ps_str name, bool of_any_object)
{
    struct ps_str rest = source;
    const char *found;
    unsigned n = 0;

    while (name.len && rest.len && (found = ps_str_find(rest, name))) {
        const size_t at = (size_t)(found - source.ptr);
        const struct ps_str before = {source.ptr, at};

        rest = ps_str_skip(source, at + name.len);
        if (!rest.len || rest.ptr[0] != '(' || ps_str_ends_with(before, PS_STR("def ")))
            continue;
        n += at == 0 || !(is_word(found[-1]) || found[-1] == '.') ||
             ps_str_ends_with(before, PS_STR("self.")) ||
             ps_str_ends_with(before, PS_STR("cls.")) || (of_any_object && found[-1] == '.');
    }
    return n;
}

bool ps_line_passes_name(struct ps_str source, struct ps_str name)
{
    const struct ps_str last = last_part(name);
    struct ps_str rest = source;
    const char *found;

    while (last.len && rest.len && (found = ps_str_find(rest, last))) {
        const size_t at = (size_t)(found - source.ptr);
        bool is_name = at == 0 || !is_word(found[-1]);

        rest = ps_str_skip(source, at + last.len);
        is_name &= !rest.len || !is_word(rest.ptr[0]);
        while (rest.len && rest.ptr[0] == ' ')
            rest = ps_str_skip(rest, 1);
        if (is_name && !(rest.len && strchr("(.=", rest.ptr[0])))
            return true;
    }
    return false;
}

/* Whether a line may call what it names more than once for each of its hits. */
static bool may_repeat(struct ps_str source)
{
    return ps_str_find(source, PS_STR(" for ")) || ps_str_find(source, PS_STR("map(")) ||
           ps_str_find(source, PS_STR("key=")) || ps_str_find(source, PS_STR("lambda"));
}

static void add_call(struct ps_measured_line *line, size_t callee, double time)
{
    line->below = fmin(line->amount, line->below + time);
    if (time > line->most_below) {
        line->most_below = time;
        line->callee = callee;
    }
}

struct calls {
    struct ps_measured_function *functions;
    struct ps_measured_line *lines;
    size_t n_lines;
};

/* The calls of a function of which the texts of lines make `named`: if its first line begins a
 * loop, that line has more hits. */
static double calls_of(const struct ps_measured_function *function, double named)
{
    return function->loop_calls > 0 &&
                   fabs(named - function->loop_calls) < fabs(named - function->calls)
               ? function->loop_calls
               : function->calls;
}

/* How often the texts of other lines call the function. */
static double count_named(const struct calls *c, size_t id)
{
    double sum = 0;

    for (size_t i = 0; i < c->n_lines; i++)
        if (c->lines[i].function != id)
            sum += c->lines[i].hits *
                   count_calls(c->lines[i].source, last_part(c->functions[id].name), true);
    return sum;
}

/* Divides the time of calls that are left among the lines that name the function, or those of them
 * that may repeat; `sum`: of their times. */
static void divide(const struct calls *c, size_t id, double left, double sum, bool only_repeating)
{
    for (size_t i = 0; i < c->n_lines && left > 0 && sum > 0; i++) {
        struct ps_measured_line *line = &c->lines[i];

        if (line->function != id && (!only_repeating || may_repeat(line->source)) &&
            count_calls(line->source, last_part(c->functions[id].name), true))
            add_call(line, id, fmin(line->amount, left * line->amount / sum));
    }
}

/* Finds the lines whose text calls the function. False: no text does. */
static bool find_by_text(const struct calls *c, size_t id)
{
    struct ps_measured_function *function = &c->functions[id];
    const struct ps_str name = last_part(function->name);
    const double calls = calls_of(function, count_named(c, id));
    const double cost = calls > 0 ? function->whole / calls : 0;
    double left = function->whole, repeating = 0, named = 0, most = 0;

    for (size_t i = 0; i < c->n_lines; i++) {
        struct ps_measured_line *line = &c->lines[i];
        const unsigned n = line->function == id ? 0 : count_calls(line->source, name, true);

        if (n && function->is_recursive) { /* `whole` has the time of inner calls again */
            add_call(line, id, line->amount);
        } else if (n && may_repeat(line->source)) {
            repeating += line->amount;
        } else if (n) {
            const double time = fmin(line->amount, cost * line->hits * n);

            add_call(line, id, time);
            left -= time;
            named += line->amount;
        }
    }
    if (repeating > 0 || left > function->whole / 2) /* else other code calls it too */
        divide(c, id, left, repeating > 0 ? repeating : named, repeating > 0);
    for (size_t i = 0; i < c->n_lines; i++)
        if (c->lines[i].callee == id && c->lines[i].most_below > most) {
            most = c->lines[i].most_below;
            function->caller = i;
        }
    return most > 0;
}

/* Whether the line ran once for each call of the function. */
static bool runs_alike(const struct ps_measured_function *function, double hits)
{
    return function->calls == hits || function->loop_calls == hits;
}

/* Finds the line without text that has the least time of those that may call the function: that ran
 * as often, or less often. */
static size_t find_line(const struct calls *c, size_t id, bool alike)
{
    const struct ps_measured_function *function = &c->functions[id];
    size_t found = PS_NO_MEASURED;

    for (size_t i = 0; i < c->n_lines; i++) {
        const struct ps_measured_line *line = &c->lines[i];
        const double least = !alike                   ? NEARLY_ALL
                             : line->hits < ALIKE_MIN ? ONCE_SHARE
                                                      : ALIKE_SHARE;

        if (line->function != id && !line->source.len &&
            (alike ? runs_alike(function, line->hits) : function->calls > line->hits) &&
            function->whole <= line->amount - line->below &&
            function->whole >= least * line->amount &&
            (found == PS_NO_MEASURED || line->amount < c->lines[found].amount))
            found = i;
    }
    return found;
}

static void find_by_counts(const struct calls *c, size_t id)
{
    struct ps_measured_function *function = &c->functions[id];
    size_t found = find_line(c, id, true);

    if (found == PS_NO_MEASURED)
        found = find_line(c, id, false);
    function->caller = found;
    if (found != PS_NO_MEASURED)
        add_call(&c->lines[found], id, fmin(function->whole, c->lines[found].amount));
}

/* Whether another function with few calls has a line that ran `hits` times at most: the calls from
 * outside. */
static bool has_outer_call(const struct calls *c, size_t id, double hits)
{
    for (size_t i = 0; i < c->n_lines; i++)
        if (c->lines[i].function != id && c->lines[i].hits <= hits &&
            c->functions[c->lines[i].function].calls <= hits)
            return true;
    return false;
}

/* Whether a line calls its own function. Without text: the calls of the function are all but a few
 * those of the line. */
static bool is_recursion(const struct calls *c, const struct ps_measured_line *line)
{
    const struct ps_measured_function *function = &c->functions[line->function];

    if (line->source.len)
        return count_calls(line->source, last_part(function->name), false) > 0;
    if (line->hits < ALIKE_MIN || line->amount < INNER_SHARE * function->whole)
        return false;
    for (int n = 1; n <= INNER_MAX; n++) {
        const double outer = function->calls - n * line->hits;

        if (outer >= 1 && outer != function->loop_calls && outer <= OUTER_SHARE * function->calls &&
            has_outer_call(c, line->function, outer))
            return true;
    }
    return false;
}

static int by_time(const void *a, const void *b, void *user)
{
    const struct ps_measured_function *functions = user;
    const double x = functions[*(const size_t *)a].whole, y = functions[*(const size_t *)b].whole;

    return (x > y) - (x < y);
}

/* The functions with the least time first: they fit the fewest lines. */
static size_t *sort_functions(struct ps_measured_function *functions, size_t n)
{
    size_t *order = ps_alloc_array(n + 1, sizeof *order);

    for (size_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, by_time, functions);
    return order;
}

void ps_line_calls_find(struct ps_measured_function *functions, size_t n_functions,
                        struct ps_measured_line *lines, size_t n_lines)
{
    const struct calls c = {functions, lines, n_lines};
    PS_AUTO(ps_free_ptr) size_t *order = sort_functions(functions, n_functions);

    for (size_t i = 0; i < n_functions; i++) {
        functions[i].is_recursive = false;
        functions[i].caller = PS_NO_MEASURED;
        functions[i].own = 0;
    }
    for (size_t i = 0; i < n_lines; i++) {
        lines[i].below = lines[i].most_below = 0;
        lines[i].callee = PS_NO_MEASURED;
        lines[i].calls_itself = is_recursion(&c, &lines[i]);
        functions[lines[i].function].is_recursive |= lines[i].calls_itself;
    }
    for (size_t i = 0; i < n_functions; i++) {
        const size_t id = order[i];

        if (!find_by_text(&c, id) && !functions[id].is_recursive)
            find_by_counts(&c, id);
        functions[id].is_called = functions[id].caller != PS_NO_MEASURED;
    }
    for (size_t i = 0; i < n_lines; i++)
        if (!lines[i].calls_itself)
            functions[lines[i].function].own += lines[i].amount - lines[i].below;
}
