/* SPDX-License-Identifier: MIT */
/* claims.c: which claims are causes, and claims as JSON. */
#include <math.h>

#include "server/query/conclusion/claim.h"

const struct ps_report_link ps_link_none;

static double product(const struct ps_claim *claim)
{
    return claim->share * claim->avoidable;
}

static bool precedes(const struct ps_claim *a, const struct ps_claim *b)
{
    if (product(a) != product(b))
        return product(a) > product(b);
    return a->share > b->share;
}

static void move(size_t *order, size_t from, size_t to)
{
    const size_t item = order[from];

    for (size_t i = from; i > to; i--)
        order[i] = order[i - 1];
    order[to] = item;
}

bool ps_claims_rank(const struct ps_claim *claims, size_t n, double least, size_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;

        order[i] = i;
        while (at > 0 && precedes(&claims[i], &claims[order[at - 1]]))
            at--;
        move(order, i, at);
    }
    if (n && product(&claims[order[0]]) >= least)
        return true;
    for (size_t i = 0; i < n; i++)
        if (claims[order[i]].share >= PS_CLAIM_MOST) {
            move(order, i, 0);
            return true;
        }
    return false;
}

void ps_claims_limit_savings(struct ps_claim *claims, size_t n, double least)
{
    double rest = 1;

    for (size_t i = 0; i < n; i++) {
        struct ps_claim *claim = &claims[i];

        if (!(claim->saving > 0) || product(claim) < least)
            claim->saving = NAN;
        if (isnan(claim->saving))
            continue;
        claim->saving = fmin(claim->saving, fmin(claim->share, rest));
        rest -= claim->saving;
    }
}

struct ps_claim ps_claim_of(const char *rule, enum ps_verb verb, struct ps_subject subject,
                            double share)
{
    return (struct ps_claim){.rule = rule,
                             .verb = verb,
                             .subjects = {{.what = subject, .share = share}},
                             .n_subjects = subject.kind != PS_SUBJECT_NONE,
                             .share = share,
                             .saving = NAN};
}

void ps_claim_fact(struct ps_arena *arena, struct ps_claim *claim, struct ps_fact fact)
{
    struct ps_fact *facts = ps_arena_alloc(arena, (claim->n_facts + 1) * sizeof *facts);

    for (size_t i = 0; i < claim->n_facts; i++)
        facts[i] = claim->facts[i];
    facts[claim->n_facts++] = fact;
    claim->facts = facts;
}

static const char *const verbs[PS_N_VERBS] = {
    [PS_TAKES] = "takes",
    [PS_REPEATS] = "repeats",
    [PS_RECURS] = "recurs",
    [PS_ONCE] = "once",
    [PS_WAITS] = "waits",
    [PS_STARTS] = "starts",
    [PS_HOLDS] = "holds",
    [PS_ADDS] = "adds",
    [PS_IDLES] = "idles",
    [PS_GROWS] = "grows",
    [PS_SLOWER] = "slower",
    [PS_FLAT] = "flat",
    [PS_TOO_FEW] = "too_few",
    [PS_CANNOT_SEE] = "cannot_see",
    [PS_CHANGES] = "changes",
    [PS_IS_SAME] = "same",
    [PS_APPEARED] = "appeared",
    [PS_VANISHED] = "vanished",
    [PS_RENAMED] = "renamed",
    [PS_INPUT_CHANGED] = "input_changed",
    [PS_MACHINE_CHANGED] = "machine_changed",
};

static const char *const kinds[PS_N_SUBJECT_KINDS] = {
    [PS_SUBJECT_FUNCTION] = "function",
    [PS_SUBJECT_LINE] = "line",
    [PS_SUBJECT_MODULE] = "module",
    [PS_SUBJECT_PACKAGE] = "package",
    [PS_SUBJECT_ANNOTATION] = "annotation",
    [PS_SUBJECT_OPERATOR] = "operator",
    [PS_SUBJECT_ROW] = "row",
    [PS_SUBJECT_PROCESS] = "process",
    [PS_SUBJECT_PART] = "part",
};

static const char *const conditions[PS_N_CONDITIONS] = {
    [PS_IF_ARGUMENTS_REPEAT] = "arguments_repeat",
    [PS_IF_RESULT_KEPT] = "result_kept",
    [PS_IF_WAITS_OVERLAP] = "waits_overlap",
    [PS_IF_DIGITS_ENOUGH] = "digits_enough",
};

static const char *const no_savings[PS_N_NO_SAVINGS] = {
    [PS_NOTHING_REPEATS] = "nothing_repeats", [PS_LITTLE_REPEATS] = "little_repeats",
    [PS_RESULT_NEEDED] = "result_needed",     [PS_SLOW_ON_PURPOSE] = "slow_on_purpose",
    [PS_WAITS_ONCE] = "waits_once",           [PS_ONE_LOCK] = "one_lock",
};

static const char *const blinds[PS_N_BLINDS] = {
    [PS_BLIND_LINES] = "lines",     [PS_BLIND_THREADS] = "threads",
    [PS_BLIND_NATIVE] = "native",   [PS_BLIND_PURPOSE] = "purpose",
    [PS_BLIND_IMPORTS] = "imports", [PS_BLIND_MIXED] = "mixed_threads",
};

void ps_report_link_write(struct ps_json *json, const struct ps_report_link *link)
{
    ps_json_key(json, "link");
    ps_json_object(json);
    ps_json_key_str(json, "tab", link->tab);
    ps_json_key(json, "params");
    ps_json_object(json);
    for (size_t i = 0; i < PS_LINK_PARAMS && link->params[i].key; i++)
        ps_json_key_str(json, link->params[i].key, link->params[i].value);
    ps_json_end(json);
    ps_json_end(json);
}

static void write_subject(struct ps_json *json, const char *key, const struct ps_subject *subject)
{
    ps_json_key(json, key);
    if (subject->kind == PS_SUBJECT_NONE) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_str(json, "kind", kinds[subject->kind]);
    ps_json_key(json, "name");
    ps_json_str(json, subject->name);
    ps_json_key(json, "file");
    ps_json_str(json, subject->path);
    ps_json_key_int_or_null(json, "line", subject->line, subject->path.ptr && subject->line > 0);
    ps_json_key_int_or_null(json, "last_line", subject->last, subject->last > 0);
    ps_json_key(json, "package");
    ps_json_str(json, subject->package);
    if (subject->link.tab)
        ps_report_link_write(json, &subject->link);
    ps_json_end(json);
}

static void write_loop(struct ps_json *json, const struct ps_claim_loop *loop)
{
    ps_json_key(json, "loop");
    if (loop->subject.kind == PS_SUBJECT_NONE) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    write_subject(json, "subject", &loop->subject);
    write_subject(json, "through", &loop->through);
    ps_json_key_real(json, "times", loop->times);
    ps_json_key_real(json, "passes", loop->passes > 0 ? loop->passes : NAN);
    ps_json_key_bool(json, "is_each", loop->is_each);
    ps_json_end(json);
}

static void write_fact(struct ps_json *json, const struct ps_fact *fact)
{
    ps_json_object(json);
    ps_json_key_str(json, "code", ps_fact_words[fact->code].code);
    write_subject(json, "subject", &fact->subject);
    write_subject(json, "other", &fact->other);
    ps_json_key(json, "values");
    ps_json_array(json);
    for (unsigned i = 0; i < ps_fact_words[fact->code].n_values; i++)
        ps_json_real(json, fact->values[i]);
    ps_json_end(json);
    ps_json_key_str(json, "unit", fact->unit);
    ps_json_key(json, "word");
    ps_json_str(json, fact->word);
    ps_json_end(json);
}

static void write_subjects(struct ps_json *json, const struct ps_claim *claim)
{
    ps_json_key(json, "subjects");
    ps_json_array(json);
    for (size_t i = 0; i < claim->n_subjects; i++) {
        const struct ps_claim_subject *subject = &claim->subjects[i];

        ps_json_object(json);
        write_subject(json, "subject", &subject->what);
        ps_json_key_real(json, "share", subject->share);
        write_subject(json, "via", &subject->via);
        ps_json_key_real(json, "calls", subject->calls > 0 ? subject->calls : NAN);
        ps_json_end(json);
    }
    ps_json_end(json);
}

void ps_claim_write(struct ps_json *json, const struct ps_claim *claim, int64_t parent)
{
    ps_json_object(json);
    ps_json_key_str(json, "rule", claim->rule);
    ps_json_key_str(json, "verb", verbs[claim->verb]);
    write_subjects(json, claim);
    ps_json_key_real(json, "share", claim->share);
    ps_json_key_real(json, "share_low", claim->high > claim->low ? claim->low : claim->share);
    ps_json_key_real(json, "share_high", claim->high > claim->low ? claim->high : claim->share);
    ps_json_key_real(json, "waits", claim->waits_for ? claim->waits : NAN);
    ps_json_key_str(json, "waits_for", claim->waits_for);
    write_loop(json, &claim->loop);
    ps_json_key(json, "facts");
    ps_json_array(json);
    for (size_t i = 0; i < claim->n_facts; i++)
        write_fact(json, &claim->facts[i]);
    ps_json_end(json);
    ps_json_key_real(json, "saving", claim->saving);
    ps_json_key_str(json, "condition", conditions[claim->condition]);
    ps_json_key_str(json, "no_saving", no_savings[claim->no_saving]);
    ps_json_key_str(json, "blind", blinds[claim->blind]);
    ps_json_key_str(json, "advice", claim->advice);
    ps_json_key_int_or_null(json, "parent", parent, parent >= 0);
    ps_json_end(json);
}
