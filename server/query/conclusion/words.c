/* SPDX-License-Identifier: MIT */
/*
 * words.c: puts claims into words. A template is text with slots in braces; each slot is a value
 * of the claim or of its fact, with the link to the rows that show it. Templates of facts stand in
 * fact_words.c.
 */
#include "base/format.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/trace/recording.h"

#include <math.h>
#include <string.h>

#define NEXT_SHARE 0.10 /* the next claim is said if it has more */
#define RANGE      0.05 /* bounds that are further apart are said */
#define NEARLY_ALL 0.8  /* of the functions: "all" */
#define MOST       0.5  /* "most" */
#define ALL_WAITS  0.05 /* a subject that takes more than it waits does both */

struct words {
    struct ps_conclusion *c;
    struct ps_sentence *to;
    const struct ps_claim *claim;
    const struct ps_fact *fact; /* NULL: the template has no slots of a fact */
    struct ps_report_link link; /* of the number that is said */
};

/* --- Slots --- */

static void say_text(const struct words *w, const char *text)
{
    if (*text)
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

/* "sync.py:8"; "sync.py" if the line is not known */
static void say_place(const struct words *w, const struct ps_subject *subject)
{
    ps_say_place(w->c, w->to, subject->link, subject->path, subject->line);
}

/* "`load`", "sync.py:8", "`x += 1` to line 12", "imports" */
static void say_name(const struct words *w, const struct ps_subject *subject)
{
    if (subject->kind == PS_SUBJECT_PART)
        ps_say_link(w->c, w->to, subject->link, "%.*s", (int)subject->name.len, subject->name.ptr);
    else if (subject->name.ptr)
        ps_say_code(w->c, w->to, subject->link, subject->name);
    else
        say_place(w, subject);
    if (subject->has_alike)
        say_text(w, " and alike");
    if (subject->last > subject->line)
        ps_say(w->c, w->to, " to line %lld", (long long)subject->last);
}

/* "`load` (sync.py:8)", "`iterrows` of pandas", "`time.sleep`", "sync.py:8", "imports" */
static void say_subject(const struct words *w, const struct ps_subject *subject)
{
    say_name(w, subject);
    if (!subject->name.ptr || subject->kind == PS_SUBJECT_PART)
        return;
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
        say_name(w, &w->claim->subjects[i].what);
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

/* "12.0 % in `a` (a.py:3), 9.0 % in `b` (b.py:4)"; a line is its text */
static void slot_shares(const struct words *w)
{
    for (size_t i = 0; i < w->claim->n_subjects; i++) {
        if (i)
            say_text(w, ", ");
        ps_say_value(w->to, w->claim->subjects[i].what.link, 100 * w->claim->subjects[i].share,
                     "percent");
        say_text(w, " in ");
        if (w->claim->subjects[i].what.kind == PS_SUBJECT_LINE)
            say_name(w, &w->claim->subjects[i].what);
        else
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
    say_name(w, &w->claim->subjects[0].what);
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
    say_name(w, &w->claim->loop.through);
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
    say_name(w, subject_of_fact(w));
}

static void slot_fact_place(const struct words *w)
{
    say_place(w, subject_of_fact(w));
}

static void slot_other(const struct words *w)
{
    say_name(w, &w->fact->other);
}

static void slot_other_fact(const struct words *w)
{
    say_subject(w, &w->fact->other);
}

/* " by `main`" */
static void slot_by_other(const struct words *w)
{
    if (w->fact->other.kind == PS_SUBJECT_NONE)
        return;
    say_text(w, " by ");
    slot_other(w);
}

static void slot_with_other(const struct words *w)
{
    if (w->fact->other.kind == PS_SUBJECT_NONE)
        return;
    say_text(w, " with ");
    slot_other(w);
}

/* "`forward` at model.py:12 from train.py:33" */
static void slot_stack(const struct words *w)
{
    say_name(w, &w->fact->subject);
    if (w->fact->subject.path.ptr) {
        say_text(w, " at ");
        say_place(w, &w->fact->subject);
    }
    if (w->fact->other.kind != PS_SUBJECT_NONE) {
        say_text(w, " from ");
        slot_other(w);
    }
}

/* " in `aten::copy_`, called in `replay`" */
static void slot_callers(const struct words *w)
{
    const struct ps_subject *callers[] = {&w->fact->subject, &w->fact->other};
    bool is_first = true;

    for (size_t i = 0; i < 2; i++) {
        if (callers[i]->kind == PS_SUBJECT_NONE)
            continue;
        say_text(w, is_first ? " in " : ", called in ");
        say_name(w, callers[i]);
        is_first = false;
    }
}

/* "GPU" */
static void slot_device(const struct words *w)
{
    say_text(w, w->c->device ? w->c->device : PS_ANY_DEVICE);
}

/* " of each step" */
static void slot_of_each(const struct words *w)
{
    say_text(w, w->c->of_shares ? w->c->of_shares : " of the time");
}

/* " of the 3.4 s of a step" */
static void slot_of_whole(const struct words *w)
{
    say_text(w, " of the ");
    ps_say_value(w->to, (struct ps_report_link){.tab = "overview"}, w->c->of_seconds, "s");
    say_text(w, w->c->of_times);
}

static void slot_a_step(const struct words *w)
{
    say_text(w, w->c->per ? " a step" : "");
}

static void slot_link(const struct words *w)
{
    ps_say_link(w->c, w->to, w->fact->link, "%.*s", (int)w->fact->word.len, w->fact->word.ptr);
}

static void slot_make_lazy(const struct words *w)
{
    ps_say_link(w->c, w->to, w->fact->link, "make lazy");
}

static void slot_via_code(const struct words *w)
{
    say_name(w, &w->claim->subjects[0].via);
}

/* "`make -j2`", or "The command" if its name is not known */
static void slot_command(const struct words *w)
{
    if (w->claim->subjects[0].what.name.len)
        say_name(w, &w->claim->subjects[0].what);
    else
        say_text(w, "The command");
}

static void slot_verb(const struct words *w)
{
    say_text(w, w->claim->verb == PS_WAITS                       ? "waits"
                : w->claim->verb == PS_HOLDS                     ? "holds"
                : w->c->unit && strcmp(w->c->unit, "bytes") == 0 ? "allocates"
                                                                 : "takes");
}

static void slot_place(const struct words *w)
{
    say_place(w, &w->claim->subjects[0].what);
}

/* " per step", if amounts are of one */
static void slot_per(const struct words *w)
{
    if (w->c->per)
        ps_say(w->c, w->to, " per %s", w->c->per);
}

static void slot_word(const struct words *w)
{
    ps_say(w->c, w->to, "%.*s", (int)w->fact->word.len, w->fact->word.ptr);
}

static void say(const struct words *w, const char *words);
static void slot_evidence(const struct words *w);

static const struct {
    const char *name;
    void (*say)(const struct words *w);
} slots[] = {
    {", evidence", slot_evidence},
    {"a step", slot_a_step},
    {"all", slot_all},
    {"by other", slot_by_other},
    {"callers", slot_callers},
    {"code", slot_code},
    {"codes", slot_codes},
    {"command", slot_command},
    {"device", slot_device},
    {"fact", slot_fact},
    {"fact code", slot_fact_code},
    {"fact place", slot_fact_place},
    {"it", slot_it},
    {"link", slot_link},
    {"loop", slot_loop},
    {"make lazy", slot_make_lazy},
    {"of each", slot_of_each},
    {"of whole", slot_of_whole},
    {"other", slot_other},
    {"other fact", slot_other_fact},
    {"part", slot_part},
    {"passes", slot_passes},
    {"per", slot_per},
    {"place", slot_place},
    {"saving", slot_saving},
    {"share", slot_share},
    {"shares", slot_shares},
    {"stack", slot_stack},
    {"subjects", slot_subjects},
    {"through", slot_through},
    {"times", slot_times},
    {"verb", slot_verb},
    {"via", slot_via},
    {"via code", slot_via_code},
    {"vias", slot_vias},
    {"waits", slot_waits},
    {"whole", slot_whole},
    {"with other", slot_with_other},
    {"word", slot_word},
};

/* --- Numbers of a fact --- */

/* The rows of the subject of the claim, unless only the fact has some. */
static struct ps_report_link number_link(const struct words *w)
{
    const struct ps_report_link link = w->claim->subjects[0].what.link;

    return w->claim->n_subjects && link.tab ? link : w->fact->link;
}

/* "3.94", "120" */
static void say_ratio(const struct words *w, double ratio)
{
    ps_say(w->c, w->to, ratio < 100 ? "%.2f" : "%.0f", ratio);
}

/* " \u00b1 0.12", of the ratio before it, if it is known */
static void say_error(const struct words *w, double error)
{
    if (isfinite(error))
        ps_say(w->c, w->to, w->fact->values[0] < 100 ? " \u00b1 %.2f" : " \u00b1 %.0f", error);
}

static void say_if_unclear(const struct words *w, double error)
{
    if (w->fact->values[0] - (isfinite(error) ? error : 0) <= 1)
        say_text(w, ", no clear difference");
}

/* "0.031 times", "0.63 times", "1.3 times", "12 times" */
static void say_times(const struct words *w, double ratio)
{
    char text[32];

    if (ratio >= 0.1)
        ps_say(w->c, w->to, "%.*f times", ratio < 1 ? 2 : ratio < 10 ? 1 : 0, ratio);
    else
        ps_say(w->c, w->to, "%s times", ps_format_digits(ratio, 2, text));
}

/* Of which share of the functions something is said. */
static void say_how_many(const struct words *w, double share)
{
    say_text(w, isnan(share)          ? "Nearly all"
                : share >= NEARLY_ALL ? "All"
                : share >= MOST       ? "Most"
                                      : "Several");
}

static void say_general(const struct words *w, double value)
{
    ps_say(w->c, w->to, "%.15g", value);
}

static void say_tenths(const struct words *w, double value)
{
    ps_say(w->c, w->to, "%.1f", value);
}

static void say_law(const struct words *w, double law)
{
    static const char *const laws[] = {[PS_GROWS_WITH] = "with N",
                                       [PS_GROWS_FASTER] = "faster than N",
                                       [PS_GROWS_LINEAR] = "in proportion to N",
                                       [PS_GROWS_SQUARE] = "with the square of N",
                                       [PS_GROWS_CUBE] = "with the cube of N"};

    say_text(w, laws[(size_t)law]);
}

/* "median of 20 runs", as far as known: the statistic is the word of the fact */
static void say_runs(const struct words *w, double n)
{
    const struct ps_str statistic = w->fact->word;
    const bool is_single = ps_str_eq_c(statistic, "single");

    if (!is_single)
        ps_say(w->c, w->to, "%.*s", (int)statistic.len, statistic.ptr);
    if (n < 2)
        return;
    say_text(w, is_single ? "" : " of ");
    say_count(w, w->fact->link.tab ? w->fact->link : number_link(w), n);
    say_text(w, " runs");
}

static void say_more_runs(const struct words *w, double n)
{
    if (n < 2)
        return;
    say_text(w, ", ");
    say_runs(w, n);
}

static void say_runs_in_brackets(const struct words *w, double n)
{
    if (n < 2 && !ps_str_eq_c(w->fact->word, "median"))
        return;
    say_text(w, " (");
    say_runs(w, n);
    say_text(w, ")");
}

static void say_deviation(const struct words *w, double deviation)
{
    if (deviation > 0)
        ps_say(w->c, w->to, ", standard deviation %.1f %%", 100 * deviation);
}

/* ", at most 136 MiB/s" */
static void say_rate(const struct words *w, double mib)
{
    char text[32];

    if (mib > 0)
        ps_say(w->c, w->to, ", at most %s MiB/s", ps_format_digits(mib, 3, text));
}

/* "20 calls": the word of the fact is counted, else calls; nothing if the number is not known */
static void say_nouns(const struct words *w, double n)
{
    const struct ps_str noun = w->fact->word.len ? w->fact->word : PS_STR("call");

    if (!(n > 0))
        return;
    say_count(w, w->link, n);
    ps_say(w->c, w->to, n == 1 ? " %.*s" : " %.*ss", (int)noun.len, noun.ptr);
}

static void say_in_nouns(const struct words *w, double n)
{
    if (n > 0)
        say_text(w, " in ");
    say_nouns(w, n);
}

static void say_with_nouns(const struct words *w, double n)
{
    if (n > 0)
        say_text(w, ", with ");
    say_nouns(w, n);
}

/* "+80.0 MiB" */
static void say_change(const struct words *w, double value)
{
    char text[64];

    say_text(w, ps_format_change(value, w->fact->unit, text));
}

static void say_and_nouns(const struct words *w, double n)
{
    if (n > 0)
        say_text(w, " and ");
    say_nouns(w, n);
}

/* " to launch 12 kernels a step", " for 3 tokens" */
static void say_launches(const struct words *w, double n)
{
    if (!(n > 0))
        return;
    say_text(w, " to launch ");
    say_count(w, w->link, n);
    say_text(w, n == 1 ? " kernel" : " kernels");
    slot_a_step(w);
}

static void say_tokens(const struct words *w, double n)
{
    if (!(n > 0))
        return;
    say_text(w, " for ");
    say_count(w, w->link, n);
    say_text(w, n == 1 ? " token" : " tokens");
}

static void say_prefill(const struct words *w, double n)
{
    if (!(n > 0))
        return;
    say_text(w, " to prefill ");
    say_count(w, w->fact->link, n);
    say_text(w, n == 1 ? " token" : " tokens");
}

/* "once in ", "in 12 calls of " */
static void say_calls_of(const struct words *w, double n)
{
    if (n == 1) {
        say_text(w, "once in ");
        return;
    }
    say_text(w, "in ");
    say_count(w, w->link, n);
    say_text(w, " calls of ");
}

/* " and 2 other driver calls" */
static void say_other_calls(const struct words *w, double n)
{
    if (n > 0)
        ps_say(w->c, w->to, " and %.0f other driver call%s", n, n == 1 ? "" : "s");
}

/* " 7", unless it is one */
static void say_if_several(const struct words *w, double n)
{
    if (n > 1)
        ps_say(w->c, w->to, " %.0f", n);
}

static const struct {
    const char *name;
    void (*say)(const struct words *w, double value);
} formats[] = {
    {"change", say_change},         {"and nouns", say_and_nouns},
    {"to launch", say_launches},    {"for tokens", say_tokens},
    {"calls of", say_calls_of},     {"others", say_other_calls},
    {"if several", say_if_several}, {"ratio", say_ratio},
    {"error", say_error},           {"unclear", say_if_unclear},
    {"times", say_times},           {"general", say_general},
    {"tenths", say_tenths},         {"law", say_law},
    {"runs", say_more_runs},        {"(runs)", say_runs_in_brackets},
    {"nouns", say_nouns},           {"in nouns", say_in_nouns},
    {"deviation", say_deviation},   {"rate", say_rate},
    {"with nouns", say_with_nouns}, {"how many", say_how_many},
    {"to prefill", say_prefill},
};

/* Removes a word from the end of a format, if it is there. */
static bool has_last(struct ps_str *format, struct ps_str word)
{
    if (!ps_str_ends_with(*format, word))
        return false;
    format->len -= word.len;
    format->len -= format->len > 0; /* the space before it */
    return true;
}

/* "{1}", "{1 bytes}", "{1 call|calls}": a count, a value with its unit, a word for one or more;
 * "{1 unit}": the unit of the fact; "{1 part}": the same, but for samples a count; "{1 s of}", "{1
 * s other}": with the link of the fact, of its second subject. */
static void say_number(const struct words *w, struct ps_str slot)
{
    const double value = w->fact->values[slot.ptr[0] - '0'];
    struct ps_str format = ps_str_skip(slot, slot.len > 1 ? 2 : 1);
    const struct ps_report_link link = has_last(&format, PS_STR("of"))      ? w->fact->link
                                       : has_last(&format, PS_STR("other")) ? w->fact->other.link
                                                                            : number_link(w);
    const char *bar = ps_str_find(format, PS_STR("|"));

    /* "990 of 1,000 samples" */
    const bool is_part_of_samples =
        ps_str_eq_c(format, "part") && strcmp(w->fact->unit, "samples") == 0;
    struct words number = *w;

    number.link = link;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ps_str_eq_c(format, formats[i].name)) {
            formats[i].say(&number, value);
            return;
        }
    if (bar && value == 1)
        say_text(
            w, ps_arena_copy(&w->c->arena, (struct ps_str){format.ptr, (size_t)(bar - format.ptr)})
                   .ptr);
    else if (bar)
        say_text(
            w,
            ps_arena_copy(&w->c->arena, ps_str_skip(format, (size_t)(bar - format.ptr) + 1)).ptr);
    else if (ps_str_eq_c(format, "%"))
        ps_say_value(w->to, link, 100 * value, "percent");
    else
        ps_say_value(w->to, link, value,
                     !format.len || is_part_of_samples ? "count"
                     : ps_str_eq_c(format, "unit") || ps_str_eq_c(format, "part")
                         ? w->fact->unit
                         : ps_arena_copy(&w->c->arena, format).ptr);
}

static void say_slot(const struct words *w, struct ps_str name)
{
    if (name.ptr[0] >= '0' && name.ptr[0] < '0' + PS_FACT_VALUES)
        say_number(w, name);
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (ps_str_eq_c(name, slots[i].name))
            slots[i].say(w);
}

/* ", all at app.py:3", of the row of the claim */
static void slot_evidence(const struct words *w)
{
    const struct words evidence = {w->c, w->to, w->claim, &w->claim->evidence, ps_link_none};

    if (evidence.fact->code == PS_FACT_NONE)
        return;
    say_text(w, ", ");
    say(&evidence, ps_fact_words[evidence.fact->code].words);
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
                                 : "{subjects} {verb} {share} of the {whole}");
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

static const char *const unseen[PS_N_BLINDS] = {
    [PS_BLIND_THREADS] = "The profiled thread waits {waits} of the time for other threads, whose "
                         "work is not in this profile.",
    [PS_BLIND_NATIVE] = "{subjects} works or waits {all} of the {whole}, all of it at one line: "
                        "the profile does not tell which.",
    [PS_BLIND_MIXED] = "The profile mixes the calls of several threads: its times and callers can "
                       "be those of other functions.",
};

static void say_verdict(const struct words *w)
{
    switch (w->claim->verb) {
    case PS_FLAT:
        say(w, "No single cause.");
        break;
    case PS_CANNOT_SEE:
        say(w, unseen[w->claim->blind]);
        break;
    case PS_WAITS:
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
    [PS_BLIND_MIXED] = " cProfile of Python 3.12 and later records all threads as if they were "
                       "one. A sampling profiler, such as py-spy, keeps them apart.",
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
    [PS_IF_DIGITS_ENOUGH] = {" float32 takes about half the time of float64, if its 7 digits are "
                             "enough.",
                             "."},
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
    const struct words imports = {w->c, w->to, w->claim, NULL, ps_link_none};
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
    say(&next, found->verb == PS_STARTS                  ? " Imports take {all}."
               : found->title.code == PS_FACT_WAITING_IN ? " Next: waiting in {subjects} {share}."
                                                         : " Next: {subjects} {share}.");
}

static void say_largest(const struct words *w)
{
    const struct words of = {w->c, w->to, w->claim, find_fact(w->claim, PS_FACT_SHARES_OF),
                             ps_link_none};
    const struct words outside = {w->c, w->to, w->claim, find_fact(w->claim, PS_FACT_NO_OWN_CODE),
                                  ps_link_none};
    const struct words imports = {w->c, w->to, w->claim, find_fact(w->claim, PS_FACT_MOST_IMPORTS),
                                  ps_link_none};

    if (imports.fact)
        say(&imports, " Imports take {0 % of}.");
    if (!w->claim->n_subjects) {
        say(w, " Own functions take less than 1 % each");
    } else {
        say(w, imports.fact ? " The largest other" : " The largest");
        say(w, w->claim->n_subjects > 1 ? " shares" : " share");
        if (of.fact)
            say(&of, of.fact->word.len ? " {word}" : " of the time of {fact code}");
        say(w, w->claim->n_subjects > 1 ? " are {shares}" : " is {shares}");
    }
    if (outside.fact)
        say(&outside, "; {0 % of} is outside of own code");
    say(w, ".");
}

/* Says the facts of a place. Returns whether there are any. */
static bool say_facts(const struct words *w, enum ps_fact_place place)
{
    struct words fact = *w;
    enum ps_fact_code before = PS_FACT_NONE;

    for (size_t i = 0; i < w->claim->n_facts; i++) {
        const struct ps_fact_words *words = &ps_fact_words[w->claim->facts[i].code];

        fact.fact = &w->claim->facts[i];
        if (words->place == PS_SAID_VERDICT && place == PS_SAID_AFTER)
            say(&fact, words->then);
        if (words->place != place)
            continue;
        if (before != fact.fact->code)
            say(w, ps_fact_words[before].end);
        say(&fact, before == fact.fact->code && words->next ? words->next : words->words);
        before = fact.fact->code;
    }
    say(w, ps_fact_words[before].end);
    return before != PS_FACT_NONE;
}

void ps_say_claim(struct ps_conclusion *c, const struct ps_claim *claim)
{
    const struct words verdict = {c, &c->verdict, claim, NULL, ps_link_none};
    const struct words w = {c, &c->sentence, claim, NULL, ps_link_none};
    bool has_verdict;

    say_facts(&verdict, PS_SAID_BEFORE);
    has_verdict = say_facts(&verdict, PS_SAID_VERDICT);
    if (!has_verdict)
        say_verdict(&verdict);
    if (claim->verb == PS_FLAT &&
        (!has_verdict || (claim->n_subjects && claim->subjects[0].share > 0)))
        say_largest(&w);
    say_facts(&w, PS_SAID_AFTER);
    if (claim->loop.subject.kind)
        say_loop(&w);
    say_saving(&w);
    if (claim->verb != PS_STARTS && claim->verb != PS_FLAT &&
        (!has_verdict || claim->avoidable > 0))
        say_next(&w);
    say_facts(&w, PS_SAID_LAST);
}

void ps_say_row(struct ps_conclusion *c, struct ps_cause *cause)
{
    const struct words title = {c, &cause->title, &cause->claim, &cause->claim.title, ps_link_none};
    const struct words evidence = {c, &cause->evidence, &cause->claim, &cause->claim.evidence,
                                   ps_link_none};

    say(&title, title.fact->code ? ps_fact_words[title.fact->code].words : "{codes}");
    say(&evidence, ps_fact_words[evidence.fact->code].words);
}

/* Changes that are listed: "`a` is new: +1.2 s of +2 s. Also: `b` is gone: -8.1 ms; `c` ...." */
void ps_say_changes(struct ps_conclusion *c)
{
    size_t n_listed = 0;
    bool is_open = false;

    for (size_t i = 0; i < c->n_causes; i++) {
        const struct ps_claim *claim = &c->causes[i].claim;
        const struct words w = {c, &c->verdict, claim, NULL, ps_link_none};
        const bool is_listed = ps_fact_words[claim->facts[0].code].place == PS_SAID_LISTED;

        if (is_listed && is_open && n_listed > 1) {
            say(&w, "; ");
        } else {
            say(&w, is_open ? "." : NULL);
            say(&w, c->verdict.n ? " " : NULL);
            say(&w, is_listed && n_listed ? "Also: " : NULL);
        }
        n_listed += is_listed;
        is_open = is_listed;
        say_facts(&w, is_listed ? PS_SAID_LISTED : PS_SAID_VERDICT);
    }
    if (is_open)
        ps_say(c, &c->verdict, ".");
}
