/* SPDX-License-Identifier: MIT */
/* conclusion.c: sentences and causes in memory, written as JSON; the view "conclusion". */
#include "server/query/conclusion/conclusion.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/python_path.h"
#include "importers/kinds.h"

#define WARNING_BYTES_MAX 1000

const struct ps_subject ps_no_subject;

static struct ps_cause *add_claim(struct ps_conclusion *c, const struct ps_claim *claim,
                                  double amount, unsigned level)
{
    struct ps_cause *cause;

    PS_RESERVE_ONE(c->causes, c->n_causes, c->cap_causes);
    cause = &c->causes[c->n_causes++];
    *cause = (struct ps_cause){
        .claim = *claim, .amount = amount, .save_min = NAN, .save_max = NAN, .level = level};
    if (claim->saving > 0) {
        ps_cause_save(cause, 0, 100 * claim->saving);
        cause->advice = claim->advice;
    }
    return cause;
}

void ps_conclude_first(struct ps_conclusion *c, struct ps_claim claim)
{
    c->first = claim;
    c->verdict.n = c->sentence.n = 0;
}

/* The claim that the first sentence says. */
static struct ps_claim *first_claim(struct ps_conclusion *c)
{
    return c->first.verb == PS_NO_VERB && c->n_causes ? &c->causes[0].claim : &c->first;
}

void ps_first_fact(struct ps_conclusion *c, struct ps_fact fact)
{
    ps_claim_fact(&c->arena, first_claim(c), fact);
}

void ps_conclude_none(struct ps_conclusion *c, const char *what)
{
    ps_conclude_first(c, ps_claim_of(NULL, PS_TOO_FEW, ps_no_subject, NAN));
    ps_first_fact(c, (struct ps_fact){PS_FACT_NONE_MEASURED, .word = ps_str_from_c(what)});
}

void ps_conclude_flat(struct ps_conclusion *c, const char *what)
{
    ps_conclude_first(c, ps_claim_of(NULL, PS_FLAT, ps_no_subject, NAN));
    ps_first_fact(c, (struct ps_fact){PS_FACT_NO_SINGLE, .word = ps_str_from_c(what)});
}

void ps_first_largest(struct ps_conclusion *c, struct ps_subject subject, double share)
{
    if (c->first.n_subjects < PS_CLAIM_SUBJECTS)
        c->first.subjects[c->first.n_subjects++] =
            (struct ps_claim_subject){.what = subject, .share = share};
}

struct ps_cause *ps_conclusion_claim(struct ps_conclusion *c, const struct ps_claim *claim,
                                     double amount)
{
    return add_claim(c, claim, amount, 0);
}

struct ps_cause *ps_conclusion_claim_part(struct ps_conclusion *c, const struct ps_claim *claim,
                                          double amount)
{
    return add_claim(c, claim, amount, 1);
}

void ps_conclusion_insert(struct ps_conclusion *c, size_t index, const struct ps_claim *claim,
                          unsigned level)
{
    struct ps_cause added = *add_claim(c, claim, NAN, level);

    for (size_t i = c->n_causes - 1; i > index; i--)
        c->causes[i] = c->causes[i - 1];
    c->causes[index] = added;
}

struct ps_subject ps_subject_of(struct ps_conclusion *c, enum ps_subject_kind kind,
                                struct ps_report_link link, struct ps_str name)
{
    return (struct ps_subject){.kind = kind, .name = ps_arena_copy(&c->arena, name), .link = link};
}

void ps_cause_save(struct ps_cause *cause, double save_min, double save_max)
{
    cause->save_min = save_min;
    cause->save_max = save_max;
}

void ps_conclusion_note(struct ps_conclusion *c, const char *fmt, ...)
{
    va_list args;

    PS_RESERVE_ONE(c->notes, c->n_notes, c->cap_notes);
    va_start(args, fmt);
    c->notes[c->n_notes++] = ps_arena_vprintf(&c->arena, fmt, args);
    va_end(args);
}

void ps_conclusion_checked(struct ps_conclusion *c, const char *title)
{
    PS_RESERVE_ONE(c->checked, c->n_checked, c->cap_checked);
    c->checked[c->n_checked++] = title;
}

static void add_part(struct ps_sentence *to, struct ps_sentence_part part)
{
    PS_RESERVE_ONE(to->parts, to->n, to->cap);
    to->parts[to->n++] = part;
}

void ps_sentence_append(struct ps_sentence *to, const struct ps_sentence *from)
{
    for (size_t i = 0; i < from->n; i++)
        add_part(to, from->parts[i]);
}

void ps_say(struct ps_conclusion *c, struct ps_sentence *to, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_part(to, (struct ps_sentence_part){
                     .text = ps_str_from_c(ps_arena_vprintf(&c->arena, fmt, args))});
    va_end(args);
}

void ps_say_link(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                 const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_part(to, (struct ps_sentence_part){
                     .text = ps_str_from_c(ps_arena_vprintf(&c->arena, fmt, args)), .link = link});
    va_end(args);
}

void ps_say_code(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                 struct ps_str name)
{
    add_part(to, (struct ps_sentence_part){
                     .text = ps_arena_copy(&c->arena, name), .is_code = true, .link = link});
}

void ps_say_value(struct ps_sentence *to, struct ps_report_link link, double value,
                  const char *unit)
{
    add_part(to, (struct ps_sentence_part){.value = value, .unit = unit, .link = link});
}

void ps_say_place(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                  struct ps_str path, int64_t line)
{
    struct ps_str file = ps_path_file_name(path);

    ps_say_link(c, to, link, line > 0 ? "%.*s:%lld" : "%.*s", (int)file.len, file.ptr,
                (long long)line);
}

struct ps_report_link ps_link_name(struct ps_conclusion *c, const char *tab, struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf pattern = {0};

    ps_buf_puts(&pattern, "^");
    for (size_t i = 0; i < name.len; i++) {
        if (strchr("\\^$.*+?()[]{}|/", name.ptr[i]) && name.ptr[i])
            ps_buf_puts(&pattern, "\\");
        ps_buf_add(&pattern, &name.ptr[i], 1);
    }
    ps_buf_puts(&pattern, "$");
    return (struct ps_report_link){
        tab, {{"q", ps_arena_copy(&c->arena, ps_buf_slice(&pattern)).ptr}, {"regex", "1"}}};
}

const char *ps_conclusion_id(struct ps_conclusion *c, int64_t id)
{
    return ps_arena_printf(&c->arena, "%lld", (long long)id);
}

/* A cause and its parts: causes[first] up to causes[first + n - 1]. */
struct group {
    size_t first, n;
    double amount;
};

static int by_amount(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->amount != y->amount)
        return x->amount > y->amount ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

void ps_conclusion_sort(struct ps_conclusion *c)
{
    PS_AUTO(ps_free_ptr) struct group *groups = ps_alloc_array(c->n_causes + 1, sizeof *groups);
    struct ps_cause *sorted = ps_alloc_array(c->cap_causes + 1, sizeof *sorted);
    size_t n_groups = 0, n = 0;

    for (size_t i = 0; i < c->n_causes; i++) {
        if (c->causes[i].level == 0)
            groups[n_groups++] = (struct group){i, 0, c->causes[i].amount};
        if (n_groups)
            groups[n_groups - 1].n++;
    }
    qsort(groups, n_groups, sizeof *groups, by_amount);
    for (size_t i = 0; i < n_groups; i++)
        for (size_t k = 0; k < groups[i].n; k++)
            sorted[n++] = c->causes[groups[i].first + k];
    free(c->causes);
    c->causes = sorted;
}

static bool is_plain_text(const struct ps_sentence_part *part)
{
    return part->text.ptr && !part->is_code && !part->link.tab;
}

/* Templates make a part of each word: adjacent parts of plain text are written as one. */
void ps_sentence_write(struct ps_json *json, const char *key, const struct ps_sentence *sentence)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < sentence->n; i++) {
        const struct ps_sentence_part *part = &sentence->parts[i];

        ps_json_object(json);
        if (is_plain_text(part)) {
            text.len = 0;
            ps_buf_add_str(&text, part->text);
            for (; i + 1 < sentence->n && is_plain_text(&sentence->parts[i + 1]); i++)
                ps_buf_add_str(&text, sentence->parts[i + 1].text);
            ps_json_key(json, "text");
            ps_json_str(json, (struct ps_str){text.ptr, text.len});
        } else if (part->text.ptr) {
            ps_json_key(json, part->is_code ? "code" : "text");
            ps_json_str(json, part->text);
        } else {
            ps_json_key_real(json, "value", part->value);
            ps_json_key_str(json, "unit", part->unit);
        }
        if (part->link.tab)
            ps_report_link_write(json, &part->link);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* Of rules that fill in the saving of the row. */
static double saving_of(const struct ps_conclusion *c, const struct ps_cause *cause)
{
    if (!isnan(cause->claim.saving) || isnan(cause->save_max))
        return cause->claim.saving;
    if (c->save_unit && strcmp(c->save_unit, "percent") == 0)
        return cause->save_max / 100;
    return cause->amount > 0 ? cause->save_max * cause->claim.share / cause->amount : NAN;
}

void ps_claims_write(struct ps_conclusion *c, struct ps_json *json)
{
    const int64_t before = c->first.verb != PS_NO_VERB;
    int64_t parent = -1;

    ps_json_key(json, "claims");
    ps_json_array(json);
    if (before)
        ps_claim_write(json, &c->first, -1);
    for (size_t i = 0; i < c->n_causes; i++) {
        struct ps_cause *cause = &c->causes[i];

        cause->claim.saving = saving_of(c, cause);
        ps_claim_write(json, &cause->claim, cause->level ? parent : -1);
        if (!cause->level)
            parent = (int64_t)i + before;
    }
    ps_json_end(json);
}

static void write_causes(struct ps_json *json, const struct ps_conclusion *c)
{
    ps_json_key(json, "causes");
    ps_json_array(json);
    for (size_t i = 0; i < c->n_causes; i++) {
        const struct ps_cause *cause = &c->causes[i];

        ps_json_object(json);
        ps_json_key_str(json, "rule", cause->claim.rule);
        ps_json_key_int(json, "level", cause->level);
        ps_sentence_write(json, "title", &cause->title);
        ps_json_key_real(json, "amount", cause->amount);
        ps_json_key_real(json, "share", cause->claim.share);
        ps_json_key_real(json, "save_min", cause->save_min);
        ps_json_key_real(json, "save_max", cause->save_max);
        ps_sentence_write(json, "evidence", &cause->evidence);
        ps_json_key_str(json, "advice", cause->advice);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_texts(struct ps_json *json, const char *key, const char *const *texts, size_t n)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_str(json, ps_str_from_c(texts[i]));
    ps_json_end(json);
}

static void say_all(struct ps_conclusion *c)
{
    for (size_t i = 0; i < c->n_causes; i++)
        if (!c->causes[i].title.n)
            ps_say_row(c, &c->causes[i]);

    if (c->verdict.n || c->sentence.n)
        return;
    if (c->first.verb == PS_NO_VERB && !c->n_causes)
        ps_conclude_flat(c, "cause");
    ps_say_claim(c, first_claim(c));
}

void ps_conclusion_write(struct ps_conclusion *c, struct ps_json *json)
{
    say_all(c);
    if (c->first.verb == PS_NO_VERB && !c->n_causes)
        c->first = ps_claim_of(NULL, PS_FLAT, ps_no_subject, NAN);
    ps_json_object(json);
    ps_json_key_str(json, "unit", c->unit);
    ps_json_key_str(json, "save_unit", c->save_unit ? c->save_unit : c->unit);
    ps_json_key_str(json, "per", c->per);
    ps_json_key_str(json, "base", c->base);
    ps_sentence_write(json, "verdict", &c->verdict);
    ps_sentence_write(json, "sentence", &c->sentence);
    ps_composition_write(&c->composition, json);
    ps_claims_write(c, json);
    write_causes(json, c);
    write_texts(json, "notes", c->notes, c->n_notes);
    write_texts(json, "checked", c->checked, c->n_checked);
    ps_json_key_str(json, "step", c->step);
    ps_json_key(json, "step_choices");
    ps_json_array(json);
    for (size_t i = 0; i < c->n_step_choices; i++) {
        ps_json_object(json);
        ps_json_key_str(json, "name", c->step_choices[i].name);
        ps_json_key_int(json, "ranges", c->step_choices[i].ranges);
        ps_json_key_real(json, "share", c->step_choices[i].share);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
}

void ps_conclusion_free(struct ps_conclusion *c)
{
    for (size_t i = 0; i < c->n_causes; i++) {
        free(c->causes[i].title.parts);
        free(c->causes[i].evidence.parts);
    }
    free(c->verdict.parts);
    free(c->sentence.parts);
    free(c->composition.parts);
    free(c->causes);
    free(c->notes);
    free(c->checked);
    ps_arena_free(&c->arena);
}

/* The first family that a kind belongs to. */
static const struct {
    unsigned needs_any; /* as in struct ps_view */
    ps_conclude *conclude;
} families[] = {
    {PS_HAS_IMPORTS, ps_conclude_imports},
    {PS_HAS_CALLS, ps_conclude_functions},
    {PS_HAS_ACTIONS, ps_conclude_actions},
    {PS_HAS_PRINTED_FUNCTIONS, ps_conclude_printed_functions},
    {PS_HAS_PRINTED_OPERATORS, ps_conclude_printed_operators},
    {PS_HAS_DEVICES, ps_conclude_trace},
    {PS_HAS_SLICES, ps_conclude_slices},
    {PS_HAS_SNAPSHOT, ps_conclude_snapshot},
    {PS_HAS_STACKS, ps_conclude_stacks},
    {PS_HAS_LINE_TIMES, ps_conclude_line_times},
    {PS_HAS_LINE_CPU, ps_conclude_line_cpu},
    {PS_HAS_LINE_MEMORY, ps_conclude_line_memory},
    {PS_HAS_CATEGORIES, ps_conclude_categories},
    {PS_HAS_MEMORY, ps_conclude_memory},
    {PS_HAS_PROCESSES, ps_conclude_processes},
    {PS_HAS_BOTTLENECK, ps_conclude_commands},
    {PS_HAS_MEASUREMENTS, ps_conclude_measurements},
};

/* Adds the warnings of the importer: what the numbers of the file do not say. */
static void add_warnings(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t n = 0, said = 0;

    ps_db_prepare(db, ps_query_sql("conclude_warnings"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str text = ps_col_text(stmt, 0);

        n = ps_col_int(stmt, 1);
        if (text.len > WARNING_BYTES_MAX)
            continue;
        ps_conclusion_note(c, "Warning: %.*s.", (int)text.len, text.ptr);
        said++;
    }
    if (n > said)
        ps_conclusion_note(c, "The ledger has %lld more warning%s.", (long long)(n - said),
                           n - said == 1 ? "" : "s");
}

static enum ps_status conclude_run(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const char *kind;

    ps_db_prepare(db, ps_query_sql("run_kind"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    kind = ps_arena_copy(&c->arena, ps_col_text(stmt, 0)).ptr;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (ps_kind_has(kind, families[i].needs_any))
            return c->step && families[i].conclude != ps_conclude_trace
                       ? ps_fail(err, PS_BAD_REQUEST,
                                 "steps can be chosen in traces of PyTorch and Nsight Systems only")
                       : families[i].conclude(db, c, err);
    return PS_OK;
}

enum ps_status ps_view_conclusion(struct ps_db *db, const struct ps_view *view, int64_t id,
                                  struct ps_params params, struct ps_answer *answer,
                                  struct ps_err *err)
{
    const char *step = ps_param_get(params, "step");
    PS_AUTO(ps_conclusion_free) struct ps_conclusion c = {.step = step && *step ? step : NULL};
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)id;
    if (conclude_run(db, &c, err) == PS_OK)
        add_warnings(db, &c, err);
    if (err->code == PS_OK)
        ps_conclusion_write(&c, &json);
    return err->code;
}
