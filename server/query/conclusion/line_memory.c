/* SPDX-License-Identifier: MIT */
/*
 * line_memory.c: the conclusion of memory_profiler: the line that adds the memory which stays, or
 * the peak if none stays.
 *
 * Increments of lines cannot simply be added: a call may free what it adds, or its caller may when
 * it returns. What several calls of a function add is compared with the memory from the start of
 * its first call to the end of its last: if the sum is much more, the calls free again what they
 * add, and the memory of one call is what matters.
 */
#include <math.h>
#include <stdlib.h>

#include "server/query/conclusion/conclusion.h"

#define NOTABLE     0.05 /* of the peak: what adds less is not named */
#define STAYS_SHARE 0.2  /* of what is added in all: if less stays, the peak is what matters */
#define FREED       1.5  /* times the memory that its calls span: they add no more than that */
#define EXPLAINS    0.6  /* of the growth of a function: a function that it calls explains it */
#define ROUNDING    1.1  /* numbers are printed with few digits */
#define CAUSE_SHARE 0.05 /* of the largest line */
#define CAUSES_MAX  20

struct line {
    int64_t file, number;
    struct ps_str path, source;
    size_t function; /* index */
    double added;    /* by calls in which it ran once */
    double repeated; /* by calls in which it ran several times */
    double largest;  /* memory after it, at most */
    bool is_repeated;
};

struct function {
    int64_t id;
    struct ps_str name;
    double calls, added, span;
    size_t first, n; /* its lines */
};

struct lines {
    struct line *items;
    size_t n, cap;
    struct function *functions;
    size_t n_functions, cap_functions;
    double least, peak; /* memory of the process */
};

static void lines_free(struct lines *lines)
{
    free(lines->items);
    free(lines->functions);
}

/* --- Reading --- */

static void add_row(struct ps_conclusion *c, struct lines *lines, struct ps_stmt *stmt)
{
    const int64_t function = ps_col_int(stmt, 5);

    if (!lines->n_functions || lines->functions[lines->n_functions - 1].id != function) {
        PS_RESERVE_ONE(lines->functions, lines->n_functions, lines->cap_functions);
        lines->functions[lines->n_functions++] =
            (struct function){.id = function,
                              .name = ps_arena_copy(&c->arena, ps_col_text(stmt, 2)),
                              .calls = ps_col_real(stmt, 6),
                              .added = ps_col_real(stmt, 7),
                              .span = ps_col_real(stmt, 8),
                              .first = lines->n};
    }
    PS_RESERVE_ONE(lines->items, lines->n, lines->cap);
    lines->items[lines->n++] =
        (struct line){.file = ps_col_int(stmt, 0),
                      .path = ps_arena_copy(&c->arena, ps_col_text(stmt, 1)),
                      .number = ps_col_int(stmt, 3),
                      .source = ps_str_trim(ps_arena_copy(&c->arena, ps_col_text(stmt, 4))),
                      .function = lines->n_functions - 1,
                      .added = ps_col_real(stmt, 9),
                      .repeated = ps_col_real(stmt, 10),
                      .largest = ps_col_real(stmt, 11),
                      .is_repeated = ps_col_int(stmt, 12) != 0};
    lines->functions[lines->n_functions - 1].n++;
    lines->least = ps_col_real(stmt, 13);
    lines->peak = ps_col_real(stmt, 14);
}

static enum ps_status read_lines(struct ps_db *db, struct ps_conclusion *c, struct lines *lines,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_memory_lines"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        add_row(c, lines, stmt);
    return err->code;
}

/* --- Which function, which line --- */

/* Whether calls of the function free again what they add, or their callers do. */
static bool is_freed(const struct function *function)
{
    return function->calls > 1 && function->added > FREED * fmax(function->span, 0);
}

/* What stays of a function, as far as the recording tells: of one call, the caller may free it. */
static double growth_of(const struct function *function)
{
    return is_freed(function) ? fmax(function->span, 0) : function->added;
}

static bool is_word(char byte)
{
    return byte == '_' || (byte >= '0' && byte <= '9') ||
           ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

/* Whether a line of `from` has the name of `to` as a word: it calls it, or passes it on. */
static bool mentions(const struct lines *lines, const struct function *from,
                     const struct function *to)
{
    struct ps_str name = to->name;

    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '.') {
            name = ps_str_skip(name, i);
            break;
        }
    if (from == to || !name.len)
        return false;
    for (size_t i = from->first; i < from->first + from->n; i++) {
        struct ps_str rest = lines->items[i].source;
        const char *found;

        while ((found = ps_str_find(rest, name))) {
            const char *end = found + name.len, *stop = rest.ptr + rest.len;

            if ((found == lines->items[i].source.ptr || !is_word(found[-1])) &&
                (end == stop || !is_word(*end)))
                return true;
            rest = (struct ps_str){end, (size_t)(stop - end)};
        }
    }
    return false;
}

/* The function with the most of `amount`, or the innermost function below it that explains it. */
static const struct function *find_function(const struct lines *lines,
                                            double (*amount)(const struct function *))
{
    const struct function *found = NULL;
    bool descends = true;

    for (size_t i = 0; i < lines->n_functions; i++)
        if (!found || amount(&lines->functions[i]) > amount(found))
            found = &lines->functions[i];
    for (size_t depth = 0; found && descends && depth < lines->n_functions; depth++) {
        const struct function *below = NULL;

        for (size_t i = 0; i < lines->n_functions; i++) {
            const struct function *function = &lines->functions[i];

            if (amount(function) >= EXPLAINS * amount(found) && mentions(lines, found, function) &&
                !mentions(lines, function, found) && (!below || amount(function) > amount(below)))
                below = function;
        }
        descends = below != NULL;
        found = below ? below : found;
    }
    return found;
}

/* The line of a function that adds the most, up to `limit`: what adds more is freed again. */
static const struct line *find_line(const struct lines *lines, const struct function *function,
                                    double limit)
{
    const struct line *found = NULL;

    for (size_t i = function->first; i < function->first + function->n; i++) {
        const struct line *line = &lines->items[i];

        if (line->added + line->repeated <= limit &&
            line->added + line->repeated > (found ? found->added + found->repeated : 0))
            found = line;
    }
    return found;
}

/* The line that is named for the growth of a function; NULL: what its lines add does not explain
 * it, as the allocator took the memory at lines that ran several times. */
static const struct line *find_growing_line(const struct lines *lines,
                                            const struct function *function)
{
    const double limit = ROUNDING * growth_of(function);
    double explained = 0;

    for (size_t i = function->first; i < function->first + function->n; i++) {
        const double added = lines->items[i].added + lines->items[i].repeated;

        if (added <= limit)
            explained += added;
    }
    return explained < EXPLAINS * growth_of(function) ? NULL : find_line(lines, function, limit);
}

/* Whether a line assigns a value to one plain name. */
static bool assigns_name(struct ps_str source)
{
    size_t n = 0;

    while (n < source.len && is_word(source.ptr[n]))
        n++;
    if (!n)
        return false;
    source = ps_str_trim(ps_str_skip(source, n));
    return source.len > 1 && source.ptr[0] == '=' && source.ptr[1] != '=';
}

/* Whether a line adds a value to a container. Methods of containers that do so return nothing, so
 * what assigns their result, such as `grid = grid.add(1)`, calls something else. */
static bool adds_to_container(struct ps_str source)
{
    static const char *const words[] = {".append(", ".appendleft(", ".add(",
                                        ".extend(", ".insert(",     "] = "};

    if (ps_str_find(source, PS_STR(".setdefault(")))
        return true;
    if (assigns_name(source))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_str_find(source, ps_str_from_c(words[i])))
            return true;
    return false;
}

/* The line that may keep what a loop adds at `line`, if that only assigns a name again: the first
 * line after it, of those that ran several times, that adds to a container. NULL: none. */
static const struct line *find_keeper(const struct lines *lines, const struct line *line)
{
    const struct function *function = &lines->functions[line->function];
    const struct line *end = &lines->items[function->first + function->n];

    if (line->repeated <= line->added || !assigns_name(line->source))
        return NULL;
    for (const struct line *next = line + 1; next < end; next++)
        if (next->is_repeated && adds_to_container(next->source))
            return next;
    return NULL;
}

/* What a call adds before it frees it: what its lines add, if each ran once in it. */
static double amount_of_call(const struct lines *lines, const struct function *function)
{
    double added = 0;

    for (size_t i = function->first; i < function->first + function->n; i++)
        added += lines->items[i].added;
    return added / fmax(function->calls, 1);
}

/* --- Claims --- */

static struct ps_report_link link_line(struct ps_conclusion *c, const struct line *line)
{
    return (struct ps_report_link){
        "lines",
        {{"file", ps_conclusion_id(c, line->file)}, {"line", ps_conclusion_id(c, line->number)}}};
}

static struct ps_subject function_subject(struct ps_conclusion *c, const struct function *function)
{
    return function->name.len ? ps_subject_of(c, PS_SUBJECT_FUNCTION, ps_link_none, function->name)
                              : ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, PS_STR("its file"));
}

static struct ps_subject line_subject(struct ps_conclusion *c, const struct line *line)
{
    return (struct ps_subject){.kind = PS_SUBJECT_LINE,
                               .name = line->source.len ? line->source : (struct ps_str){NULL, 0},
                               .path = line->path,
                               .line = line->number,
                               .link = link_line(c, line)};
}

static struct ps_claim line_claim(struct ps_conclusion *c, const struct lines *lines,
                                  const struct line *line, double share)
{
    struct ps_claim claim = ps_claim_of("line", PS_ADDS, line_subject(c, line), share);

    claim.subjects[0].via = function_subject(c, &lines->functions[line->function]);
    return claim;
}

static void add_peak(struct ps_conclusion *c, const struct lines *lines)
{
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_MEMORY_PEAK,
                                      .values = {lines->peak},
                                      .link = {.tab = "lines"}});
}

/* "`CACHE[n] = shrink(data)` adds 49.4 MiB. It is at thumbs.py:9 in `thumbnail`, which grows the
 * memory by 53.4 MiB in 25 calls." Without a line: "`loop` adds 9.00 MiB." */
static void conclude_growth(struct ps_conclusion *c, const struct lines *lines,
                            const struct function *function, const struct line *line)
{
    const double growth = growth_of(function);
    const struct line *keeper = line ? find_keeper(lines, line) : NULL;

    ps_conclude_first(c, line ? line_claim(c, lines, line, NAN)
                              : ps_claim_of(NULL, PS_ADDS, function_subject(c, function), NAN));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_ADDS,
                                      .values = {line ? line->added + line->repeated : growth}});
    ps_first_fact(c, (struct ps_fact){.code = line ? PS_FACT_LINE_GROWS : PS_FACT_LINES_GROW,
                                      .subject = line_subject(c, &lines->items[function->first]),
                                      .values = {growth, function->calls},
                                      .link = {.tab = "line-functions"}});
    if (keeper)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_MAY_KEEP,
                                          .subject = line_subject(c, keeper),
                                          .link = link_line(c, keeper)});
}

/* "What `blend` adds in each call is freed again. A call adds up to 57.2 MiB, most of it with
 * `first = bytearray(n)` at blend.py:4 in `blend`." */
static void conclude_freed(struct ps_conclusion *c, const struct lines *lines,
                           const struct line *line)
{
    const struct function *function = &lines->functions[line->function];

    ps_conclude_first(c, ps_claim_of(NULL, PS_HOLDS, function_subject(c, function), NAN));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_FREED, .values = {function->calls}});
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_CALL_ADDS,
                                      .subject = line_subject(c, line),
                                      .values = {fmin(amount_of_call(lines, function),
                                                      lines->peak - lines->least)},
                                      .link = link_line(c, line)});
}

/* What a line of its function can add at most without that it is freed again. */
static double limit_of(const struct lines *lines, const struct line *line)
{
    return ROUNDING * growth_of(&lines->functions[line->function]);
}

static int by_added(const void *a, const void *b)
{
    const struct line *x = *(const struct line *const *)a, *y = *(const struct line *const *)b;
    const double left = x->added + x->repeated, right = y->added + y->repeated;

    return left != right ? (left < right) - (left > right) : (x > y) - (x < y);
}

static void add_causes(struct ps_conclusion *c, const struct lines *lines)
{
    PS_AUTO(ps_free_ptr)
    const struct line **ranks = ps_alloc_array(lines->n + 1, sizeof *ranks);
    size_t n = 0;

    for (size_t i = 0; i < lines->n; i++)
        if (lines->items[i].added + lines->items[i].repeated <= limit_of(lines, &lines->items[i]))
            ranks[n++] = &lines->items[i];
    if (n)
        qsort(ranks, n, sizeof *ranks, by_added);
    for (size_t i = 0; i < n && i < CAUSES_MAX; i++) {
        const double added = ranks[i]->added + ranks[i]->repeated;
        const double whole = growth_of(&lines->functions[ranks[i]->function]);
        struct ps_claim claim;

        if (!(added > 0) || added < NOTABLE * lines->peak ||
            added < CAUSE_SHARE * (ranks[0]->added + ranks[0]->repeated))
            return;
        claim = line_claim(c, lines, ranks[i], fmin(added / whole, 1));
        claim.evidence =
            (struct ps_fact){.code = ranks[i]->is_repeated ? PS_FACT_REPEATED_IN : PS_FACT_PLACE_IN,
                             .subject = claim.subjects[0].what,
                             .other = claim.subjects[0].via};
        ps_conclusion_claim(c, &claim, added);
    }
}

static void add_function_cause(struct ps_conclusion *c, const struct lines *lines,
                               const struct function *function)
{
    const struct ps_subject subject = function_subject(c, function);
    struct ps_claim claim = ps_claim_of("function", PS_ADDS, subject, NAN);

    claim.evidence = (struct ps_fact){.code = PS_FACT_PLACE_IN,
                                      .subject = line_subject(c, &lines->items[function->first]),
                                      .other = subject};
    ps_conclusion_claim(c, &claim, growth_of(function));
}

static void conclude(struct ps_conclusion *c, const struct lines *lines)
{
    const struct function *stays = find_function(lines, growth_of), *freed = NULL;
    const double rise = lines->peak - lines->least;
    double most = NOTABLE * lines->peak;
    bool exceeds = false;

    for (size_t i = 0; i < lines->n_functions; i++) {
        const double amount = amount_of_call(lines, &lines->functions[i]);

        if (amount < most || !find_line(lines, &lines->functions[i], INFINITY))
            continue;
        exceeds |= rise < NOTABLE * lines->peak;
        freed = &lines->functions[i];
        most = amount;
    }
    if (stays && growth_of(stays) >= NOTABLE * lines->peak &&
        growth_of(stays) >= STAYS_SHARE * rise) {
        const struct line *line = find_growing_line(lines, stays);

        conclude_growth(c, lines, stays, line);
        if (!line)
            add_function_cause(c, lines, stays);
        add_causes(c, lines);
    } else if (exceeds) {
        ps_conclude_first(c, ps_claim_of(NULL, PS_CANNOT_SEE, ps_no_subject, NAN));
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_EXCEEDS});
    } else if (freed) {
        conclude_freed(c, lines, find_line(lines, freed, INFINITY));
    } else {
        ps_conclude_flat(c, "line");
    }
    add_peak(c, lines);
}

enum ps_status ps_conclude_line_memory(struct ps_db *db, struct ps_conclusion *out,
                                       struct ps_err *err)
{
    PS_AUTO(lines_free) struct lines lines = {.items = NULL};

    out->unit = "bytes";
    out->base = "of its function";
    ps_conclusion_note(out,
                       "Increments of all calls of a function are added, without the first line, "
                       "which holds the memory from before the call. Of lines that ran several "
                       "times in a call, the allocator decides at which of them memory is "
                       "requested and returned.");
    if (read_lines(db, out, &lines, err) != PS_OK)
        return err->code;
    conclude(out, &lines);
    return PS_OK;
}
