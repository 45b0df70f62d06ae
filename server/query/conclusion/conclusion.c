/* SPDX-License-Identifier: MIT */
/* conclusion.c: a conclusion in memory. */
#include "server/query/conclusion/conclusion.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

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

struct ps_claim *ps_first_claim(struct ps_conclusion *c)
{
    return c->first.verb == PS_NO_VERB && c->n_causes ? &c->causes[0].claim : &c->first;
}

void ps_first_fact(struct ps_conclusion *c, struct ps_fact fact)
{
    ps_claim_fact(&c->arena, ps_first_claim(c), fact);
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
