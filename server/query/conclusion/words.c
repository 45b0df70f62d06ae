/* SPDX-License-Identifier: MIT */
/*
 * words.c: puts claims into words. A template is text with slots in braces; each slot is a value
 * of the claim or of its fact, with the link to the rows that show it.
 */
#include "server/query/conclusion/conclusion.h"

#include <math.h>
#include <string.h>

#define NEXT_SHARE 0.10 /* the next claim is said if it has more */
#define RANGE      0.05 /* bounds that are further apart are said */
#define ALL_WAITS  0.05 /* a subject that takes more than it waits does both */

struct words {
    struct ps_conclusion *c;
    struct ps_sentence *to;
    const struct ps_claim *claim;
    const struct ps_fact *fact; /* NULL: the template has no slots of a fact */
};

/* --- Slots --- */

static void say_text(const struct words *w, const char *text)
{
    ps_say(w->c, w->to, "%s", text);
}

static void say_percent(const struct words *w, double share)
{
    ps_say_value(w->to, ps_link_none, 100 * share, "percent");
}

static void say_count(const struct words *w, struct ps_report_link link, double n)
{
    ps_say_value(w->to, link, n, "count");
}

static void say_code(const struct words *w, const struct ps_subject *subject)
{
    ps_say_code(w->c, w->to, subject->link, subject->name);
}

static void say_place(const struct words *w, const struct ps_subject *subject)
{
    ps_say_place(w->c, w->to, subject->link, subject->path, subject->line);
}

/* "`load` (sync.py:8)", "`iterrows` of pandas", "`time.sleep`", "sync.py:8", "imports" */
static void say_subject(const struct words *w, const struct ps_subject *subject)
{
    if (subject->kind == PS_SUBJECT_PART) {
        ps_say_link(w->c, w->to, subject->link, "%.*s", (int)subject->name.len, subject->name.ptr);
        return;
    }
    if (!subject->name.ptr) {
        say_place(w, subject);
        return;
    }
    say_code(w, subject);
    if (subject->package.ptr) {
        ps_say(w->c, w->to, " of %.*s", (int)subject->package.len, subject->package.ptr);
    } else if (subject->path.ptr) {
        say_text(w, " (");
        say_place(w, subject);
        say_text(w, ")");
    }
}

static void say_between(const struct words *w, size_t i)
{
    if (i)
        say_text(w, i + 1 < w->claim->n_subjects ? ", " : " and ");
}

static void slot_subjects(const struct words *w)
{
    for (size_t i = 0; i < w->claim->n_subjects; i++) {
        say_between(w, i);
        say_subject(w, &w->claim->subjects[i].what);
    }
}

static void slot_codes(const struct words *w)
{
    for (size_t i = 0; i < w->claim->n_subjects; i++) {
        say_between(w, i);
        if (w->claim->subjects[i].what.kind == PS_SUBJECT_PART)
            say_subject(w, &w->claim->subjects[i].what);
        else
            say_code(w, &w->claim->subjects[i].what);
    }
}

/* "7,500 calls of `format_exc` of traceback and 80 calls of `dump` of json" */
static void slot_vias(const struct words *w)
{
    for (size_t i = 0; i < w->claim->n_subjects; i++) {
        const struct ps_claim_subject *subject = &w->claim->subjects[i];

        say_between(w, i);
        if (subject->calls > 0) {
            say_count(w, subject->via.link, subject->calls);
            ps_say(w->c, w->to, " call%s of ", subject->calls == 1 ? "" : "s");
        }
        say_subject(w, &subject->via);
    }
}

/* "12.0 % in `a` (a.py:3), 9.0 % in `b` (b.py:4)" */
static void slot_shares(const struct words *w)
{
    for (size_t i = 0; i < w->claim->n_subjects; i++) {
        if (i)
            say_text(w, ", ");
        say_percent(w, w->claim->subjects[i].share);
        say_text(w, " in ");
        say_subject(w, &w->claim->subjects[i].what);
    }
}

/* "58.0 % to 71.0 %" if the recording leaves the share open, else "64.0 %" */
static void slot_share(const struct words *w)
{
    if (w->claim->high - w->claim->low > RANGE) {
        say_percent(w, w->claim->low);
        say_text(w, " to ");
        say_percent(w, w->claim->high);
    } else {
        say_percent(w, w->claim->share);
    }
}

static void slot_all(const struct words *w)
{
    say_percent(w, w->claim->share);
}

static void slot_part(const struct words *w)
{
    say_percent(w, w->claim->subjects[0].share);
}

static void slot_waits(const struct words *w)
{
    say_percent(w, w->claim->waits);
}

static void slot_whole(const struct words *w)
{
    say_text(w, w->c->whole ? w->c->whole : "time");
}

static void slot_via(const struct words *w)
{
    say_subject(w, &w->claim->subjects[0].via);
}

static void slot_code(const struct words *w)
{
    say_code(w, &w->claim->subjects[0].what);
}

static void slot_it(const struct words *w)
{
    say_text(w, w->claim->n_subjects > 1 ? "each of them" : "it");
}

static void slot_loop(const struct words *w)
{
    say_subject(w, &w->claim->loop.subject);
}

static void slot_through(const struct words *w)
{
    say_code(w, &w->claim->loop.through);
}

static void slot_times(const struct words *w)
{
    const struct ps_claim_loop *loop = &w->claim->loop;

    say_count(w, loop->through.name.ptr ? loop->through.link : w->claim->subjects[0].what.link,
              loop->times);
}

static void slot_passes(const struct words *w)
{
    say_count(w, w->claim->loop.subject.link, w->claim->loop.passes);
}

static void slot_saving(const struct words *w)
{
    say_percent(w, w->claim->saving);
}

/* The subject of a fact, or else of the claim. */
static const struct ps_subject *subject_of_fact(const struct words *w)
{
    return w->fact->subject.kind == PS_SUBJECT_NONE ? &w->claim->subjects[0].what
                                                    : &w->fact->subject;
}

static void slot_fact(const struct words *w)
{
    say_subject(w, subject_of_fact(w));
}

static void slot_fact_code(const struct words *w)
{
    say_code(w, subject_of_fact(w));
}

static void slot_fact_place(const struct words *w)
{
    say_place(w, subject_of_fact(w));
}

static void slot_value(const struct words *w)
{
    say_count(w, w->claim->subjects[0].what.link, w->fact->value);
}

static void slot_other(const struct words *w)
{
    say_count(w,
              w->fact->code == PS_FACT_ONE_BY_ONE ? ps_link_none : w->claim->subjects[0].what.link,
              w->fact->other);
}

static void slot_value_percent(const struct words *w)
{
    say_percent(w, w->fact->value);
}

static void slot_plural(const struct words *w)
{
    say_text(w, w->fact->value == 1 ? "" : "s");
}

static const struct {
    const char *name;
    void (*say)(const struct words *w);
} slots[] = {
    {"all", slot_all},
    {"code", slot_code},
    {"codes", slot_codes},
    {"fact", slot_fact},
    {"fact code", slot_fact_code},
    {"fact place", slot_fact_place},
    {"it", slot_it},
    {"loop", slot_loop},
    {"other", slot_other},
    {"part", slot_part},
    {"passes", slot_passes},
    {"s", slot_plural},
    {"saving", slot_saving},
    {"share", slot_share},
    {"shares", slot_shares},
    {"subjects", slot_subjects},
    {"through", slot_through},
    {"times", slot_times},
    {"value %", slot_value_percent},
    {"value", slot_value},
    {"via", slot_via},
    {"vias", slot_vias},
    {"waits", slot_waits},
    {"whole", slot_whole},
};

static void say_slot(const struct words *w, struct ps_str name)
{
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (ps_str_eq_c(name, slots[i].name))
            slots[i].say(w);
}

static void say(const struct words *w, const char *words)
{
    while (words && *words) {
        const size_t text = strcspn(words, "{");
        const size_t slot = strcspn(words + text, "}");

        if (text)
            ps_say(w->c, w->to, "%.*s", (int)text, words);
        words += text;
        if (!*words)
            return;
        say_slot(w, (struct ps_str){words + 1, slot - 1});
        words += slot + 1;
    }
}

/* --- The first sentence --- */

static const struct {
    const char *code, *words;
} waits[] = {
    {"sleep", " sleeps "},
    {"threads", " waits for other threads "},
    {"network", " waits for the network "},
    {"events", " waits for events "},
    {"processes", " waits for other processes "},
    {"disk", " waits for the disk "},
};

static const struct ps_fact *find_fact(const struct ps_claim *claim, enum ps_fact_code code)
{
    for (size_t i = 0; i < claim->n_facts; i++)
        if (claim->facts[i].code == code)
            return &claim->facts[i];
    return NULL;
}

static void say_waits(const struct words *w)
{
    const char *waits_for = " waits ";

    if (find_fact(w->claim, PS_FACT_ONE_BY_ONE)) {
        say(w, "{subjects} waits for events {waits} of the time.");
        return;
    }
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (strcmp(w->claim->waits_for, waits[i].code) == 0)
            waits_for = waits[i].words;
    say(w, "{subjects}");
    say(w, waits_for);
    say(w, "{waits} of the {whole}");
    if (w->claim->share > w->claim->waits + ALL_WAITS)
        say(w, " and takes {all} in all");
    say(w, w->claim->subjects[0].via.kind ? ", in {vias}." : ".");
}

static void say_takes(const struct words *w)
{
    const struct ps_claim *claim = w->claim;

    say(w, claim->n_subjects > 1 ? "{subjects} take {share} of the {whole}"
                                 : "{subjects} takes {share} of the {whole}");
    say(w, claim->n_subjects == 1 && ps_claim_is_own(claim) ? " itself."
           : claim->subjects[0].via.kind                    ? ", in {vias}."
                                                            : ".");
}

static void say_starts(const struct words *w)
{
    if (!w->claim->n_subjects) {
        say(w, "Imports take {all} of the {whole}.");
        return;
    }
    say(w, w->claim->subjects[0].via.kind
               ? "Importing {code} for {via} takes {part} of the {whole}."
               : "Importing {code} takes {part} of the {whole}.");
}

static void say_verdict(const struct words *w)
{
    const struct words locked = {w->c, w->to, w->claim, find_fact(w->claim, PS_FACT_LOCKED)};

    switch (w->claim->verb) {
    case PS_FLAT:
        say(w, "No single cause.");
        break;
    case PS_CANNOT_SEE:
        say(w, w->claim->blind == PS_BLIND_THREADS
                   ? "The profiled thread waits {waits} of the time for other threads, whose work "
                     "is not in this profile."
                   : "{subjects} works or waits {all} of the {whole}, all of it at one line: the "
                     "profile does not tell which.");
        break;
    case PS_WAITS:
        if (locked.fact)
            say(&locked, "{value} threads wait in {subjects} for a lock, {waits} of their {whole}. "
                         "It is held in {fact}.");
        else
            say_waits(w);
        break;
    case PS_STARTS:
        say_starts(w);
        break;
    default:
        say_takes(w);
        break;
    }
}

/* --- The sentences after it --- */

static const char *const facts[PS_N_FACTS] = {
    [PS_FACT_RECURSION] = " It calls itself: {value} calls, {other} of them from outside.",
    [PS_FACT_DEPTH] = " It calls itself, {value} deep on average.",
    [PS_FACT_RESUMED] = " It is resumed {value} times.",
    [PS_FACT_ONE_BY_ONE] = " It is resumed {value} times, and the event loop waits {other} times: "
                           "one wait after another. asyncio.gather starts them together.",
    [PS_FACT_TOGETHER] = " {value} threads are at {fact place} most of their time: at a lock, or "
                         "in Python code with the GIL, one of them gets on at a time.",
    [PS_FACT_CALLED_AT] = " {fact code} calls it at {fact place}.",
    [PS_FACT_CALLED_BY] = " {fact code} calls it.",
    [PS_FACT_LED_BY] = " {fact code} leads to it.",
    [PS_FACT_CALLS] = "{value} call{s}",
    [PS_FACT_CALLS_FROM] = "{value} call{s} from {fact}",
    [PS_FACT_SOME_CALLS_FROM] = "{value} of {other} calls from {fact}",
    [PS_FACT_AT] = "all at {fact place}",
    [PS_FACT_MOSTLY_AT] = "mostly at {fact place}",
    [PS_FACT_DEFINED_AT] = "defined at {fact place}",
};

static const char *const no_savings[PS_N_NO_SAVINGS] = {
    [PS_NOTHING_REPEATS] = " Nothing is repeated: only a cheaper method or less data would help.",
    [PS_LITTLE_REPEATS] = " Little is repeated: only a cheaper method or less data would help.",
    [PS_RESULT_NEEDED] = " Programs call this for its result, so no saving is stated.",
    [PS_SLOW_ON_PURPOSE] = " This is slow on purpose: only inputs that repeat can be skipped.",
    [PS_WAITS_ONCE] = " It waits once, so no saving is stated.",
    [PS_ONE_LOCK] = " One thread gets on at a time: hold the lock for less of the work.",
};

static const char *const blinds[PS_N_BLINDS] = {
    [PS_BLIND_LINES] =
        " The profile has no lines: line_profiler tells which of them take the time.",
    [PS_BLIND_THREADS] = " It waits in {subjects}. A sampling profiler, such as py-spy, records "
                         "all threads.",
    [PS_BLIND_NATIVE] = " Native frames, as of py-spy record --native, tell waits from work.",
    [PS_BLIND_PURPOSE] = " Whether anything needs the pauses is not in the profile.",
    [PS_BLIND_IMPORTS] = " All imports take {all}. python -X importtime tells which of them could "
                         "be made lazy or left out.",
};

/* What the reader can do before the saving is said, and the end of " Up to 82.0 % could be saved".
 */
static const struct {
    const char *before, *after;
} conditions[PS_N_CONDITIONS] = {
    [PS_NO_CONDITION] = {NULL, "."},
    [PS_IF_ARGUMENTS_REPEAT] = {" If arguments repeat, functools.cache keeps the results.",
                                " if they do."},
    [PS_IF_RESULT_KEPT] = {NULL, " if the result is kept."},
    [PS_IF_WAITS_OVERLAP] = {NULL, " if the waits can overlap."},
};

static void say_loop(const struct words *w)
{
    const struct ps_claim_loop *loop = &w->claim->loop;

    if (loop->passes > 0) {
        say(w, " It is called {times} times in each of {passes} passes of the loop in {loop}.");
        return;
    }
    say(w, loop->through.kind ? " {loop} calls {through} {times} times"
                              : " {loop} calls {it} {times} times");
    if (loop->is_each)
        say(w, " in each of its calls");
    say(w, loop->through.kind ? ", which leads to {code}." : ".");
}

static void say_saving(const struct words *w)
{
    const struct ps_claim *claim = w->claim;

    say(w, no_savings[claim->no_saving]);
    say(w, blinds[claim->blind]);
    if (claim->advice)
        ps_say(w->c, w->to, " %s", claim->advice);
    say(w, conditions[claim->condition].before);
    if (!(claim->saving > 0))
        return;
    say(w, " Up to {saving} could be saved");
    say(w, conditions[claim->condition].after);
}

/* The largest claim but the first. */
static void say_next(const struct words *w)
{
    const struct words imports = {w->c, w->to, w->claim, NULL};
    struct words next = imports;
    const struct ps_claim *found = NULL;

    for (size_t i = 0; i < w->c->n_causes; i++) {
        const struct ps_claim *claim = &w->c->causes[i].claim;

        if (w->c->causes[i].level == 0 && claim != w->claim &&
            (claim->verb == PS_STARTS || claim->subjects[0].what.kind != PS_SUBJECT_PART) &&
            claim->share >= NEXT_SHARE && (!found || claim->share > found->share))
            found = claim;
    }
    if (!found)
        return;
    next.claim = found;
    say(&next, found->verb == PS_STARTS ? " Imports take {all}." : " Next: {subjects} {share}.");
}

static void say_largest(const struct words *w)
{
    const struct words outside = {w->c, w->to, w->claim, find_fact(w->claim, PS_FACT_NO_OWN_CODE)};

    say(w, w->claim->n_subjects > 1    ? " The largest shares are {shares}"
           : w->claim->n_subjects == 1 ? " The largest share is {shares}"
                                       : " Own functions take less than 1 % each");
    if (outside.fact)
        say(&outside, "; {value %} is outside of own code");
    say(w, ".");
}

void ps_say_claim(struct ps_conclusion *c, const struct ps_claim *claim)
{
    const struct words verdict = {c, &c->verdict, claim, NULL};
    struct words w = {c, &c->sentence, claim, NULL};

    say_verdict(&verdict);
    if (claim->verb == PS_FLAT) {
        say_largest(&w);
        return;
    }
    for (size_t i = 0; i < claim->n_facts; i++) {
        w.fact = &claim->facts[i];
        say(&w, facts[w.fact->code]);
    }
    if (claim->loop.subject.kind)
        say_loop(&w);
    say_saving(&w);
    if (claim->verb != PS_STARTS)
        say_next(&w);
}

void ps_say_row(struct ps_conclusion *c, struct ps_cause *cause)
{
    const struct words title = {c, &cause->title, &cause->claim, NULL};
    const struct words evidence = {c, &cause->evidence, &cause->claim, &cause->claim.evidence};

    say(&title, "{codes}");
    say(&evidence, facts[evidence.fact->code]);
}
