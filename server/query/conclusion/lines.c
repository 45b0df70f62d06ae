/* SPDX-License-Identifier: MIT */
/*
 * lines.c: the conclusion of a line-level profile: the lines with the most time (line_profiler) or
 * samples (Scalene).
 *
 * The time of a line contains the functions that it calls, so the times of several functions can
 * overlap: shares are of the line's own function.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/query/conclusion/conclusion.h"

#define CAUSE_SHARE 0.05 /* of the largest line: smaller lines are not causes */
#define LINES_MAX   20   /* rows of the query conclude_lines */
#define LOOP_GAP    3    /* from one line of a loop with samples to the next */
#define CALL_SHARE  0.3  /* of the time of a line: a function that it calls explains it */
#define ALIKE_SHARE 0.7  /* the same, where only counts and times tell that it calls it */
#define NEARLY_ALL  0.9
#define MOST_MEMORY 0.3 /* of what is allocated: the line that allocates it is said */
#define LINES_SHOWN 5   /* of the composition of a function; further lines are one part */

/* A line of the query conclude_lines. Texts belong to the conclusion. */
struct line {
    int64_t file, function_id, line;
    struct ps_str path, function, source;
    double hits, amount, python, native, system, whole;
    double calls; /* of the function */
    /* of n lines with equal parts of one set of samples (shares_samples), the last; else `line` */
    int64_t last;
    unsigned n;
};

static struct line read_line(struct ps_conclusion *c, struct ps_stmt *stmt)
{
    struct ps_str source = ps_arena_copy(&c->arena, ps_col_text(stmt, 4));

    while (source.len && (source.ptr[0] == ' ' || source.ptr[0] == '\t'))
        source = ps_str_skip(source, 1);
    while (source.len && strchr("\r\n \t", source.ptr[source.len - 1]))
        source.len--;
    return (struct line){.file = ps_col_int(stmt, 0),
                         .path = ps_arena_copy(&c->arena, ps_col_text(stmt, 1)),
                         .function = ps_arena_copy(&c->arena, ps_col_text(stmt, 2)),
                         .line = ps_col_int(stmt, 3),
                         .source = source,
                         .hits = ps_col_real(stmt, 5),
                         .amount = ps_col_real(stmt, 6),
                         .python = ps_col_real(stmt, 7),
                         .native = ps_col_real(stmt, 8),
                         .system = ps_col_real(stmt, 9),
                         .whole = ps_col_real(stmt, 10),
                         .function_id = ps_col_int(stmt, 11),
                         .calls = ps_col_real(stmt, 12),
                         .last = ps_col_int(stmt, 3),
                         .n = 1};
}

static struct ps_report_link link_line(struct ps_conclusion *c, const struct line *line)
{
    return (struct ps_report_link){
        "lines",
        {{"file", ps_conclusion_id(c, line->file)}, {"line", ps_conclusion_id(c, line->line)}}};
}

static void say_place(struct ps_conclusion *c, struct ps_sentence *to, const struct line *line)
{
    ps_say_place(c, to, link_line(c, line), line->path, line->line);
}

/* Appends the text of the line, or else its place. */
static void say_line(struct ps_conclusion *c, struct ps_sentence *to, const struct line *line)
{
    if (line->source.len)
        ps_say_code(c, to, link_line(c, line), line->source);
    else
        say_place(c, to, line);
    if (line->last > line->line)
        ps_say(c, to, " to line %lld", (long long)line->last);
}

static void say_function(struct ps_conclusion *c, struct ps_sentence *to, const struct line *line)
{
    if (line->function.len)
        ps_say_code(c, to, ps_link_none, line->function);
    else
        ps_say(c, to, "its file");
}

static void say_share(struct ps_conclusion *c, const struct line *line, struct ps_sentence *to)
{
    ps_say_value(to, ps_link_none, 100 * line->amount / line->whole, "percent");
    ps_say(c, to, " of ");
    say_function(c, to, line);
}

static void say_time(struct ps_conclusion *c, const struct line *line)
{
    say_line(c, &c->verdict, line);
    ps_say(c, &c->verdict, " takes ");
    say_share(c, line, &c->verdict);
    ps_say(c, &c->verdict, ".");
    ps_say(c, &c->sentence, " ");
    ps_say_value(&c->sentence, link_line(c, line), line->amount, "s");
    ps_say(c, &c->sentence, " of ");
    ps_say_value(&c->sentence, (struct ps_report_link){.tab = "line-functions"}, line->whole, "s");
    ps_say(c, &c->sentence, " in ");
    ps_say_value(&c->sentence, link_line(c, line), line->hits, "count");
    ps_say(c, &c->sentence, line->hits == 1 ? " hit, " : " hits, ");
    say_place(c, &c->sentence, line);
    ps_say(c, &c->sentence, ".");
}

static void say_cpu(struct ps_conclusion *c, const struct line *line)
{
    const struct {
        double percent;
        const char *text;
    } parts[] = {{line->python, " in Python"},
                 {line->native, " in native code"},
                 {line->system, " not running"}};

    say_line(c, &c->verdict, line);
    ps_say(c, &c->verdict, " takes ");
    ps_say_value(&c->verdict, ps_link_none, line->amount, "percent");
    ps_say(c, &c->verdict, " of the samples.");
    for (size_t i = 0; i < 3; i++) {
        ps_say(c, &c->sentence, i ? ", " : " ");
        ps_say_value(&c->sentence, link_line(c, line), parts[i].percent, "percent");
        ps_say(c, &c->sentence, "%s", parts[i].text);
    }
    ps_say(c, &c->sentence, ", at ");
    say_place(c, &c->sentence, line);
    ps_say(c, &c->sentence, ".");
}

static void add_line(struct ps_conclusion *c, const struct line *line, bool is_cpu)
{
    double share = is_cpu ? line->amount / 100 : line->amount / line->whole;
    struct ps_cause *cause = ps_conclusion_add(c, "line", is_cpu ? NAN : line->amount, share);

    say_line(c, &cause->title, line);
    say_place(c, &cause->evidence, line);
    if (line->function.len) {
        ps_say(c, &cause->evidence, " in ");
        say_function(c, &cause->evidence, line);
    }
}

/* Divides the time of the function of a line among its lines: the time of a line contains the
 * functions that it calls, so times of several functions cannot be added. */
static enum ps_status compose_function(struct ps_db *db, struct ps_conclusion *c,
                                       const struct line *of, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct line line = {.file = of->file};
    double others = 0;

    c->composition = (struct ps_composition){
        .kind = PS_COMPOSITION_LINES,
        .title = ps_arena_printf(&c->arena, "Lines of %.*s",
                                 (int)(of->function.len ? of->function.len : 8),
                                 of->function.len ? of->function.ptr : "the file"),
        .unit = "s",
        .base = c->base,
    };
    ps_db_prepare(db, ps_query_sql("conclude_function_lines"), &stmt, err);
    ps_bind_int(stmt, ":file", of->file);
    ps_bind_int(stmt, ":function", of->function_id);
    while (ps_stmt_step(stmt, err)) {
        line.line = ps_col_int(stmt, 0);
        if (c->composition.n < LINES_SHOWN)
            ps_compose(c, "line", ps_arena_printf(&c->arena, "line %lld", (long long)line.line),
                       ps_col_real(stmt, 1), link_line(c, &line));
        else
            others += ps_col_real(stmt, 1);
    }
    line.line = of->line;
    ps_compose(c, "other", "other lines", others, link_line(c, &line));
    return err->code;
}

/* Divides the samples of all lines into Python, native code and what Scalene calls system: the time
 * that a thread did not run, because it waited or was in the kernel. */
static enum ps_status compose_cpu(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    static const struct {
        const char *name, *label;
    } parts[] = {{"python", "Python"}, {"native", "native code"}, {"system", "not running"}};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    c->composition = (struct ps_composition){
        .kind = PS_COMPOSITION_CPU, .title = "Samples", .unit = "percent", .base = c->base};
    ps_db_prepare(db, ps_query_sql("conclude_line_cpu"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        for (int i = 0; i < 3; i++)
            ps_compose(c, parts[i].name, parts[i].label, ps_col_real(stmt, i),
                       (struct ps_report_link){.tab = "line-functions"});
    return err->code;
}

static int by_amount(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->amount != y->amount)
        return x->amount > y->amount ? -1 : 1;
    return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
                              : (x->line > y->line) - (x->line < y->line);
}

/* Whether the lines have equal parts of the samples of a loop: Scalene divides the samples of a
 * loop by its lines. Equal lines follow each other in the query conclude_lines. */
static bool shares_samples(const struct line *a, const struct line *b)
{
    return a->file == b->file && a->python == b->python && a->native == b->native &&
           a->system == b->system && b->line > a->last && b->line - a->last <= LOOP_GAP;
}

static void join_loops(struct line *lines, size_t *n)
{
    size_t joined = 0;

    for (size_t i = 0; i < *n; i++)
        if (i && shares_samples(&lines[joined - 1], &lines[i])) {
            lines[joined - 1].last = lines[i].line;
            lines[joined - 1].n++;
        } else {
            lines[joined++] = lines[i];
        }
    *n = joined;
    for (size_t i = 0; i < joined; i++) {
        lines[i].amount *= lines[i].n;
        lines[i].python *= lines[i].n;
        lines[i].native *= lines[i].n;
        lines[i].system *= lines[i].n;
    }
    qsort(lines, joined, sizeof *lines, by_amount);
}

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

/* Whether the text of the line has the name and a bracket: alone or after `self.` or `cls.`, or
 * after any object. */
static bool calls_name(const struct line *line, struct ps_str name, bool of_any_object)
{
    struct ps_str rest = line->source;
    const char *found;

    while (name.len && (found = ps_str_find(rest, name))) {
        const size_t at = (size_t)(found - line->source.ptr);
        const struct ps_str before = {line->source.ptr, at};

        rest = ps_str_skip(line->source, at + name.len);
        if (!rest.len || rest.ptr[0] != '(' || ps_str_ends_with(before, PS_STR("def ")))
            continue;
        if (at == 0 || !(is_word(found[-1]) || found[-1] == '.') ||
            ps_str_ends_with(before, PS_STR("self.")) || ps_str_ends_with(before, PS_STR("cls.")) ||
            (of_any_object && found[-1] == '.'))
            return true;
    }
    return false;
}

static bool calls_itself(const struct line *line)
{
    return calls_name(line, last_part(line->function), false);
}

static bool is_same_function(const struct line *a, const struct line *b)
{
    return a->file == b->file && a->function_id == b->function_id;
}

/* Whether `line` calls the function that contains `below`, and a notable share of its time is spent
 * there. The text of the line tells. If the text is unknown, counts and times do: the function has
 * nearly all of the time, or most of it and as many calls as the line has hits. */
static bool explains(const struct line *line, const struct line *below)
{
    if (is_same_function(below, line) || below->whole < CALL_SHARE * line->amount)
        return false;
    if (line->source.len)
        return calls_name(line, last_part(below->function), true);
    return below->whole <= line->amount && below->calls >= line->hits &&
           below->whole >= (below->calls > line->hits ? NEARLY_ALL : ALIKE_SHARE) * line->amount;
}

/* Returns the longest line of the functions that `line` calls; NULL if none of these was measured
 * or has enough of its time. */
static const struct line *line_below(const struct line *lines, size_t n, const struct line *line)
{
    for (size_t i = 0; i < n; i++)
        if (explains(line, &lines[i]))
            return &lines[i]; /* the largest of its function comes first */
    return NULL;
}

/* Follows calls from the first line down to the line that works. Stores the lines above it in
 * `above` and their number in *n_above. */
static const struct line *find_work(const struct line *lines, size_t n,
                                    const struct line *above[LINES_MAX], size_t *n_above)
{
    const struct line *line = lines, *below;

    *n_above = 0;
    while (!calls_itself(line) && (below = line_below(lines, n, line))) {
        for (size_t i = 0; i < *n_above; i++)
            if (is_same_function(above[i], below))
                return line; /* functions that call each other */
        above[(*n_above)++] = line;
        line = below;
    }
    return line;
}

static void say_above(struct ps_conclusion *c, const struct line *const *above, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        ps_say(c, &c->sentence, "%s",
               i + 1 < n              ? ", which is called from "
               : above[i]->source.len ? " It is called from "
                                      : " By counts and times, it is called from ");
        say_place(c, &c->sentence, above[i]);
    }
    if (n)
        ps_say(c, &c->sentence, ".");
}

/* Appends a note if one of the lines calls its own function. */
static void note_recursion(struct ps_conclusion *c, const struct line *lines, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (calls_itself(&lines[i])) {
            ps_conclusion_note(c,
                               "%.*s calls itself at line %lld, whose time contains that of each "
                               "inner call once more: it is no elapsed time.",
                               (int)lines[i].function.len, lines[i].function.ptr,
                               (long long)lines[i].line);
            return;
        }
}

static enum ps_status conclude(struct ps_db *db, const char *what, struct ps_conclusion *c,
                               void (*say)(struct ps_conclusion *, const struct line *),
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct line lines[LINES_MAX];
    size_t n = 0, n_above;

    ps_db_prepare(db, ps_query_sql("conclude_lines"), &stmt, err);
    ps_bind_text(stmt, ":what", ps_str_from_c(what));
    while (ps_stmt_step(stmt, err) && n < LINES_MAX)
        lines[n++] = read_line(c, stmt);
    if (say == say_cpu)
        join_loops(lines, &n);
    if (say == say_time)
        note_recursion(c, lines, n);
    if (n && say == say_time) {
        const struct line *above[LINES_MAX], *work = find_work(lines, n, above, &n_above);

        say(c, work);
        say_above(c, above, n_above);
        compose_function(db, c, work, err);
    } else if (n) {
        say(c, lines);
    }
    for (size_t i = 0; i < n && lines[i].amount >= CAUSE_SHARE * lines[0].amount; i++)
        add_line(c, &lines[i], say == say_cpu);
    if (err->code == PS_OK && !c->n_causes)
        ps_say(c, &c->verdict, "No line was measured.");
    return err->code;
}

enum ps_status ps_conclude_line_times(struct ps_db *db, struct ps_conclusion *out,
                                      struct ps_err *err)
{
    out->unit = "s";
    out->base = "of its function";
    ps_conclusion_note(out, "The time of a line contains the functions that it calls, the inner "
                            "calls of a recursive function too. Times of threads add up.");
    return conclude(db, "time", out, say_time, err);
}

/* " Memory peaks at 324 MiB; leak.py:6 leaks with a likelihood of 97.3 %, 0.905 MB/s." */
static enum ps_status say_leak(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct line line;

    ps_db_prepare(db, ps_query_sql("conclude_leak"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    ps_say(c, &c->sentence, " Memory peaks at ");
    ps_say_value(&c->sentence, ps_link_none, ps_col_real(stmt, 0), "bytes");
    line = (struct line){.file = ps_col_int(stmt, 1),
                         .path = ps_arena_copy(&c->arena, ps_col_text(stmt, 2)),
                         .line = ps_col_int(stmt, 3)};
    if (ps_col_real(stmt, 4) > 0) {
        ps_say(c, &c->sentence, "; ");
        say_place(c, &c->sentence, &line);
        ps_say(c, &c->sentence, " leaks with a likelihood of ");
        ps_say_value(&c->sentence, link_line(c, &line), 100 * ps_col_real(stmt, 4), "percent");
        if (ps_col_real(stmt, 5) > 0)
            ps_say(c, &c->sentence, ", %.3g MB/s", ps_col_real(stmt, 5));
    } else if (ps_col_real(stmt, 6) >= MOST_MEMORY) {
        ps_say(c, &c->sentence, "; ");
        say_place(c, &c->sentence, &line);
        ps_say(c, &c->sentence, " allocates ");
        ps_say_value(&c->sentence, link_line(c, &line), 100 * ps_col_real(stmt, 6), "percent");
        ps_say(c, &c->sentence, " of what is allocated");
    }
    ps_say(c, &c->sentence, ".");
    return err->code;
}

enum ps_status ps_conclude_line_cpu(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    out->base = "of samples";
    compose_cpu(db, out, err);
    conclude(db, "cpu", out, say_cpu, err);
    return say_leak(db, out, err);
}
