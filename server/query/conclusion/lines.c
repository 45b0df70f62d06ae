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

#include "base/format.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/conclusion/line_calls.h"
#include "server/query/conclusion/unsampled_lines.h"

#define CAUSE_SHARE 0.05 /* of the largest line: smaller lines are not causes */
#define LINES_MAX   20   /* rows of the query conclude_lines */
#define LOOP_GAP    3    /* from one line of a loop with samples to the next */
#define FLAT_SHARE  0.2  /* of the time of the program: no line has more, so none is the cause */
#define FLAT_CPU    30   /* percent of the samples: a line with more is the cause */
/* Percent of the samples: enough if it is CLEAR_TIMES the next line. Of 200 samples, the fewest
 * that are judged anywhere, these are 40 and 13: 3.7 standard deviations of counts apart. */
#define CLEAR_CPU   20
#define CLEAR_TIMES 3
#define LINES_MIN   50   /* percent of the samples: with less, it is said what all lines have */
#define IMPORTS_MIN 0.5  /* of the samples, and of those that ran: less is only the start */
#define UNIT_SHARE  0.5  /* of the samples without imports: a function with more is the cause */
#define LINE_SHARE  0.67 /* of these samples: a line with more is said instead */
#define CALL_SHARE  0.3  /* of the time of a line: a function that it calls explains it */
#define MOST_MEMORY 0.3  /* of what is allocated: the line that allocates it is said */
#define LINES_SHOWN 5    /* of the composition of a function; further lines are one part */

/* A line of the query conclude_lines. Texts belong to the conclusion. */
struct line {
    int64_t file, function_id, line, first_line; /* the last: of the function */
    struct ps_str path, function, source;
    double hits, amount, python, native, system, whole;
    double calls, loop_calls; /* of the function: see ps_measured_function */
    /* of n lines with equal parts of one set of samples (shares_samples), the last; else `line` */
    int64_t last;
    unsigned n;
};

static struct line read_line(struct ps_conclusion *c, struct ps_stmt *stmt)
{
    return (struct line){.file = ps_col_int(stmt, 0),
                         .path = ps_arena_copy(&c->arena, ps_col_text(stmt, 1)),
                         .function = ps_arena_copy(&c->arena, ps_col_text(stmt, 2)),
                         .line = ps_col_int(stmt, 3),
                         .source = ps_str_trim(ps_arena_copy(&c->arena, ps_col_text(stmt, 4))),
                         .hits = ps_col_real(stmt, 5),
                         .amount = ps_col_real(stmt, 6),
                         .python = ps_col_real(stmt, 7),
                         .native = ps_col_real(stmt, 8),
                         .system = ps_col_real(stmt, 9),
                         .whole = ps_col_real(stmt, 10),
                         .function_id = ps_col_int(stmt, 11),
                         .calls = ps_col_real(stmt, 12),
                         .loop_calls = ps_col_real(stmt, 12) - ps_col_real(stmt, 13),
                         .first_line = ps_col_int(stmt, 14),
                         .last = ps_col_int(stmt, 3),
                         .n = 1};
}

static struct ps_report_link link_line(struct ps_conclusion *c, const struct line *line)
{
    return (struct ps_report_link){
        "lines",
        {{"file", ps_conclusion_id(c, line->file)}, {"line", ps_conclusion_id(c, line->line)}}};
}

static struct ps_subject line_subject(struct ps_conclusion *c, const struct line *line)
{
    return (struct ps_subject){.kind = PS_SUBJECT_LINE,
                               .name = line->source.len ? line->source : (struct ps_str){NULL, 0},
                               .path = line->path,
                               .line = line->line,
                               .last = line->last > line->line ? line->last : 0,
                               .link = link_line(c, line)};
}

static struct ps_subject function_subject(struct ps_conclusion *c, const struct line *line)
{
    return line->function.len ? ps_subject_of(c, PS_SUBJECT_FUNCTION, ps_link_none, line->function)
                              : ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, PS_STR("its file"));
}

static struct ps_claim line_claim(struct ps_conclusion *c, const struct line *line,
                                  enum ps_verb verb, double share)
{
    struct ps_claim claim = ps_claim_of("line", verb, line_subject(c, line), share);

    claim.subjects[0].via = function_subject(c, line);
    return claim;
}

/* Whether the text calls what waits: for time, the network, a thread or a process. */
static bool is_wait(struct ps_str source)
{
    static const char *const calls[] = {
        "sleep(",         ".recv(",          ".recv_into(",    ".accept(",      ".join()",
        ".get()",         ".get(timeout=",   ".get(block=",    ".get(True",     ".result(",
        ".wait(",         ".acquire()",      ".communicate(",  "urlopen(",      "requests.get(",
        "requests.post(", "subprocess.run(", "select.select(", "check_output(", "check_call(",
        ".getresponse("};

    for (size_t i = 0; i < sizeof calls / sizeof *calls && source.len; i++)
        if (ps_str_find(source, ps_str_from_c(calls[i])))
            return true;
    return false;
}

static enum ps_verb verb_of(const struct line *line)
{
    return is_wait(line->source) ? PS_WAITS : PS_TAKES;
}

/* Scalene counts the time that a line does not run: a wait has most of its samples there. */
static enum ps_verb verb_of_samples(const struct line *line)
{
    return line->system >= 0.5 * line->amount ? verb_of(line) : PS_TAKES;
}

static void conclude_time(struct ps_conclusion *c, const struct line *line)
{
    ps_conclude_first(c, line_claim(c, line, verb_of(line), line->amount / line->whole));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_SHARE_OF});
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_TIME_IN_HITS,
                                      .values = {line->amount, line->whole, line->hits},
                                      .link = {.tab = "line-functions"}});
}

/* Names the lines above, if the samples of this line may be theirs. */
static enum ps_status add_unsampled(struct ps_db *db, struct ps_conclusion *c,
                                    const struct line *line, struct ps_err *err)
{
    struct ps_unsampled_lines found;
    struct line above = *line;

    if (line->n > 1 ||
        ps_unsampled_lines_find(db, &c->arena, line->file, line->function_id, line->line, &found,
                                err) ||
        !found.first)
        return err->code;
    above.line = found.first;
    above.last = found.last;
    above.source = found.source;
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_UNSAMPLED,
                                      .subject = line_subject(c, &above),
                                      .link = link_line(c, &above)});
    return err->code;
}

static void conclude_cpu(struct ps_conclusion *c, const struct line *line)
{
    ps_conclude_first(c, line_claim(c, line, verb_of_samples(line), line->amount / 100));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_TAKES_SAMPLES});
    ps_first_fact(c, (struct ps_fact){
                         .code = PS_FACT_CPU_PARTS,
                         .values = {line->python / 100, line->native / 100, line->system / 100}});
}

static bool is_import(const struct line *line)
{
    return ps_str_starts_with(line->source, PS_STR("import ")) ||
           (ps_str_starts_with(line->source, PS_STR("from ")) &&
            ps_str_find(line->source, PS_STR(" import ")));
}

static void conclude_flat_cpu(struct ps_conclusion *c, const struct line *lines, size_t n)
{
    ps_conclude_flat(c, "line");
    for (size_t i = 0; i < n && c->first.n_subjects < 3; i++)
        if (!is_import(&lines[i]))
            ps_first_largest(c, line_subject(c, &lines[i]), lines[i].amount / 100);
}

/* next: amount of the next line. Where samples of the profiler itself are counted, the line with
 * most of the others has few. */
static bool stands_out(const struct line *line, double next)
{
    return line->amount >= FLAT_CPU ||
           (line->amount >= CLEAR_CPU && line->amount >= CLEAR_TIMES * next);
}

static bool is_same_function(const struct line *a, const struct line *b)
{
    return a->file == b->file && a->function_id == b->function_id;
}

/* The samples of a function, in percent. `line`: its largest; caller: the largest line that passes
 * the function to a library, which calls it; `passed`: samples of all such lines. */
struct line_unit {
    const struct line *line, *caller;
    double own, passed;
};

/* Whether a line of another function has the name of this one without a call: `apply(fare)`. */
static bool is_passed_by(const struct line *line, const struct line *function)
{
    return !is_same_function(line, function) && !is_import(line) &&
           ps_line_passes_name(line->source, function->function);
}

static struct line_unit unit_of(const struct line *lines, size_t n, size_t i)
{
    struct line_unit out = {.line = &lines[i], .own = lines[i].whole};

    for (size_t k = 0; k < n; k++) {
        if (!is_passed_by(&lines[k], out.line))
            continue;
        out.caller = out.caller ? out.caller : &lines[k];
        out.passed += lines[k].amount;
    }
    return out;
}

/* The function with the most samples; its `line` is NULL if there is none. */
static struct line_unit largest_unit(const struct line *lines, size_t n)
{
    struct line_unit most = {.line = NULL};

    for (size_t i = 0; i < n; i++) {
        const struct line_unit unit = unit_of(lines, n, i);

        if (lines[i].function_id && unit.own + unit.passed > most.own + most.passed)
            most = unit;
    }
    return most;
}

static bool is_def(const struct line *line)
{
    return line->line == line->first_line;
}

/* Scalene divides the samples of a loop, and often those of a function, among its lines, its head
 * and the line of the `def`: then the function is what can be told. */
static void conclude_unit(struct ps_conclusion *c, const struct line_unit *unit)
{
    struct line def = *unit->line;

    def.line = def.first_line;
    ps_conclude_first(c, ps_claim_of("line", verb_of_samples(unit->line),
                                     (struct ps_subject){.kind = PS_SUBJECT_FUNCTION,
                                                         .name = def.function,
                                                         .path = def.path,
                                                         .line = def.line,
                                                         .link = link_line(c, &def)},
                                     unit->own / 100));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_FUNCTION_SAMPLES});
    if (!is_def(unit->line))
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_LARGEST_LINE,
                                          .subject = line_subject(c, unit->line),
                                          .values = {unit->line->amount / 100}});
    if (unit->caller)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_PASSED_ON,
                                          .subject = line_subject(c, unit->caller),
                                          .values = {unit->caller->amount / 100}});
}

/* Samples in percent: of imports and of all lines, and how many of each ran. */
struct line_sums {
    double imports, imports_ran, ran;
};

/* Imports are the answer if most of the samples are theirs, and most of what ran too: a program
 * starts with files that are not in memory, and waits for them. */
static bool are_imports_most(const struct line_sums *sums)
{
    return sums->imports >= 100 * IMPORTS_MIN && sums->imports_ran >= IMPORTS_MIN * sums->ran;
}

/* Names the line with the most samples, or its function if no line has most of that. Imports with
 * less than half of them are the start of the program: what else stands out comes before them. */
static enum ps_status conclude_cpu_lines(struct ps_db *db, struct ps_conclusion *c,
                                         const struct line *lines, size_t n, struct ps_err *err)
{
    const struct line_unit unit = largest_unit(lines, n);
    const struct line *line = NULL;
    struct line_sums sums = {0};
    double next = 0;
    bool is_unit;

    for (size_t i = 0; i < n; i++) {
        sums.ran += lines[i].python + lines[i].native;
        if (is_import(&lines[i])) {
            sums.imports += lines[i].amount;
            sums.imports_ran += lines[i].python + lines[i].native;
        } else if (!line) {
            line = &lines[i];
        } else {
            next = fmax(next, lines[i].amount);
        }
    }
    is_unit = unit.line && !are_imports_most(&sums) &&
              unit.own + unit.passed >= UNIT_SHARE * (100 - sums.imports) &&
              (is_def(unit.line) || unit.line->amount < LINE_SHARE * (unit.own + unit.passed));
    if (!line || are_imports_most(&sums) || (!stands_out(line, next) && lines->amount >= FLAT_CPU))
        line = lines;
    if (is_unit) {
        conclude_unit(c, &unit);
    } else if (!stands_out(line, next)) {
        conclude_flat_cpu(c, lines, n);
    } else {
        conclude_cpu(c, line);
        add_unsampled(db, c, line, err);
    }
    if (sums.imports > 0 && (is_unit || line != lines))
        ps_first_fact(
            c, (struct ps_fact){.code = PS_FACT_IMPORTS_TAKE, .values = {sums.imports / 100}});
    return err->code;
}

static void add_line(struct ps_conclusion *c, const struct line *line, bool is_cpu)
{
    struct ps_claim claim = line_claim(c, line, is_cpu ? verb_of_samples(line) : verb_of(line),
                                       line->amount / (is_cpu ? 100 : line->whole));

    claim.evidence = (struct ps_fact){.code = line->function.len ? PS_FACT_PLACE_IN : PS_FACT_PLACE,
                                      .subject = claim.subjects[0].what,
                                      .other = claim.subjects[0].via};
    ps_conclusion_claim(c, &claim, is_cpu ? NAN : line->amount);
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
    double of_lines = 0;
    char text[32];

    c->composition = (struct ps_composition){.kind = PS_COMPOSITION_CPU,
                                             .title = "Samples",
                                             .unit = "percent",
                                             .base = "of the samples of all lines"};
    ps_db_prepare(db, ps_query_sql("conclude_line_cpu"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        for (int i = 0; i < 3; i++) {
            ps_compose(c, parts[i].name, parts[i].label, ps_col_real(stmt, i),
                       (struct ps_report_link){.tab = "line-functions"});
            of_lines += ps_col_real(stmt, i);
        }
    if (of_lines > 0 && of_lines < LINES_MIN)
        ps_conclusion_note(c,
                           "The lines have %s %% of the samples. The file does not say where the "
                           "others are.",
                           ps_format_digits(of_lines, 2, text));
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

/* What the lines call. `work`: the line that the others lead to; above: these, n_above of them. */
struct descent {
    struct ps_measured_line measured[LINES_MAX]; /* as the lines */
    struct ps_measured_function functions[LINES_MAX];
    const struct line *work, *above[LINES_MAX];
    size_t n_above;
};

static void find_calls(const struct line *lines, size_t n, struct descent *out)
{
    size_t n_functions = 0;

    for (size_t i = 0; i < n; i++) {
        size_t function = n_functions;

        for (size_t k = 0; k < i && function == n_functions; k++)
            if (is_same_function(&lines[k], &lines[i]))
                function = out->measured[k].function;
        if (function == n_functions)
            out->functions[n_functions++] =
                (struct ps_measured_function){.name = lines[i].function,
                                              .whole = lines[i].whole,
                                              .calls = lines[i].calls,
                                              .loop_calls = lines[i].loop_calls};
        out->measured[i] = (struct ps_measured_line){.function = function,
                                                     .source = lines[i].source,
                                                     .hits = lines[i].hits,
                                                     .amount = lines[i].amount};
    }
    ps_line_calls_find(out->functions, n_functions, out->measured, n);
}

static double own_amount(const struct line *lines, const struct descent *found, size_t i)
{
    return lines[i].amount - found->measured[i].below;
}

/* Whether a line mostly calls another measured function; what remains is also the profiler's. */
static bool is_call(const struct line *lines, const struct descent *found, size_t i)
{
    return found->measured[i].most_below >= CALL_SHARE * lines[i].amount;
}

static bool has_function(const struct descent *found, const struct line *line)
{
    for (size_t i = 0; i < found->n_above; i++)
        if (is_same_function(found->above[i], line))
            return true;
    return is_same_function(found->work, line);
}

/* Finds the line with the most time that no other measured function has, and the lines that lead to
 * it. A line that calls its own function is taken where it is. */
static void find_work(const struct line *lines, size_t n, struct descent *out)
{
    size_t work = n, caller;

    find_calls(lines, n, out);
    for (size_t i = 0; i < n; i++)
        if (!is_call(lines, out, i) &&
            (work == n || own_amount(lines, out, i) > own_amount(lines, out, work)))
            work = i;
    out->n_above = 0;
    out->work = &lines[work < n ? work : 0];
    for (size_t i = (size_t)(out->work - lines);; i = caller) {
        caller = out->functions[out->measured[i].function].caller;
        if (caller == PS_NO_MEASURED || has_function(out, &lines[caller]))
            return; /* functions that call each other */
        out->above[out->n_above++] = &lines[caller];
    }
}

static void add_above(struct ps_conclusion *c, const struct descent *found)
{
    for (size_t i = 0; i < found->n_above; i++)
        ps_first_fact(c, (struct ps_fact){.code = found->above[0]->source.len
                                                      ? PS_FACT_CALLED_FROM
                                                      : PS_FACT_CALLED_BY_COUNTS,
                                          .subject = line_subject(c, found->above[i])});
}

/* A line that calls its own function: its seconds are no elapsed time. */
static void conclude_recursion(struct ps_conclusion *c, const struct line *line)
{
    ps_conclude_first(c, line_claim(c, line, PS_RECURS, line->amount / line->whole));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_CALLS_ITSELF});
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_HITS, .values = {line->hits}});
}

/* A line of the function with the most time, which is that of the program. */
static const struct line *longest_function(const struct line *lines, size_t n)
{
    const struct line *found = lines;

    for (size_t i = 1; i < n; i++)
        if (lines[i].whole > found->whole)
            found = &lines[i];
    return found;
}

/* The largest lines, with shares of the time of the program. */
static void conclude_flat(struct ps_conclusion *c, const struct line *lines, size_t n,
                          const struct descent *found)
{
    const struct line *program = longest_function(lines, n);
    bool said[LINES_MAX] = {false};

    ps_conclude_flat(c, "line");
    ps_first_fact(
        c, (struct ps_fact){.code = PS_FACT_SHARES_OF, .subject = function_subject(c, program)});
    for (size_t times = 0; times < 3 && times < n; times++) {
        size_t most = n;

        for (size_t i = 0; i < n; i++)
            if (!said[i] &&
                (most == n || own_amount(lines, found, i) > own_amount(lines, found, most)))
                most = i;
        said[most] = true;
        ps_first_largest(c, line_subject(c, &lines[most]),
                         own_amount(lines, found, most) / program->whole);
    }
}

static void conclude_work(struct ps_conclusion *c, const struct line *lines, size_t n,
                          const struct descent *found)
{
    const size_t work = (size_t)(found->work - lines);
    const bool is_recursive = found->functions[found->measured[0].function].is_recursive;

    if (found->measured[work].calls_itself)
        conclude_recursion(c, found->work);
    else if (!is_recursive && !is_call(lines, found, work) &&
             own_amount(lines, found, work) < FLAT_SHARE * longest_function(lines, n)->whole) {
        conclude_flat(c, lines, n, found);
        return;
    } else {
        conclude_time(c, found->work);
    }
    add_above(c, found);
}

/* Appends a note if one of the lines calls its own function. */
static void note_recursion(struct ps_conclusion *c, const struct line *lines, size_t n,
                           const struct descent *found)
{
    for (size_t i = 0; i < n; i++)
        if (found->measured[i].calls_itself) {
            ps_conclusion_note(c,
                               "%.*s calls itself at line %lld, whose time contains that of each "
                               "inner call once more: it is no elapsed time.",
                               (int)lines[i].function.len, lines[i].function.ptr,
                               (long long)lines[i].line);
            return;
        }
}

static enum ps_status conclude(struct ps_db *db, bool is_cpu, struct ps_conclusion *c,
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct line lines[LINES_MAX];
    struct descent found;
    size_t n = 0;

    ps_db_prepare(db, ps_query_sql("conclude_lines"), &stmt, err);
    ps_bind_text(stmt, ":what", ps_str_from_c(is_cpu ? "cpu" : "time"));
    while (ps_stmt_step(stmt, err) && n < LINES_MAX)
        lines[n++] = read_line(c, stmt);
    if (is_cpu)
        join_loops(lines, &n);
    if (n && !is_cpu) {
        find_work(lines, n, &found);
        note_recursion(c, lines, n, &found);
        conclude_work(c, lines, n, &found);
        compose_function(db, c, found.work, err);
    } else if (n) {
        conclude_cpu_lines(db, c, lines, n, err);
    }
    for (size_t i = 0; i < n && lines[i].amount >= CAUSE_SHARE * lines[0].amount; i++)
        add_line(c, &lines[i], is_cpu);
    if (!c->n_causes)
        ps_conclude_none(c, "line");
    return err->code;
}

enum ps_status ps_conclude_line_times(struct ps_db *db, struct ps_conclusion *out,
                                      struct ps_err *err)
{
    out->unit = "s";
    out->base = "of its function";
    ps_conclusion_note(out, "The time of a line contains the functions that it calls, the inner "
                            "calls of a recursive function too. Times of threads add up.");
    return conclude(db, false, out, err);
}

/* The line that leaks, or else that allocates most. */
static enum ps_status add_leak(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct line line;
    bool leaks;

    ps_db_prepare(db, ps_query_sql("conclude_leak"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    ps_first_fact(c,
                  (struct ps_fact){.code = PS_FACT_MEMORY_PEAK, .values = {ps_col_real(stmt, 0)}});
    line = (struct line){.file = ps_col_int(stmt, 1),
                         .path = ps_arena_copy(&c->arena, ps_col_text(stmt, 2)),
                         .line = ps_col_int(stmt, 3)};
    leaks = ps_col_real(stmt, 4) > 0;
    if (leaks || ps_col_real(stmt, 6) >= MOST_MEMORY)
        ps_first_fact(
            c, (struct ps_fact){.code = leaks ? PS_FACT_LEAKS : PS_FACT_ALLOCATES,
                                .subject = line_subject(c, &line),
                                .values = {ps_col_real(stmt, leaks ? 4 : 6), ps_col_real(stmt, 5)},
                                .link = link_line(c, &line)});
    return err->code;
}

enum ps_status ps_conclude_line_cpu(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    out->base = "of samples";
    compose_cpu(db, out, err);
    conclude(db, true, out, err);
    return add_leak(db, out, err);
}
