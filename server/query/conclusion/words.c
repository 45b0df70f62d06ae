/* SPDX-License-Identifier: MIT */
/*
 * words.c: puts claims into words. A template is text with slots in braces; each slot is a value
 * of the claim or of its fact, with the link to the rows that show it.
 */
#include "base/format.h"
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

static void say_times(const struct words *w, double ratio)
{
    ps_say(w->c, w->to, ratio < 10 ? "%.1f times" : "%.0f times", ratio);
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

/* ", 0.905 MB/s" */
static void say_rate(const struct words *w, double megabytes)
{
    char text[32];

    if (megabytes > 0)
        ps_say(w->c, w->to, ", %s MB/s", ps_format_digits(megabytes, 3, text));
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

const struct ps_fact_words ps_fact_words[PS_N_FACTS] = {
    [PS_FACT_RECURSION] = {"recursion", 2,
                           .words = " It calls itself: {0} calls, {1} of them from "
                                    "outside."},
    [PS_FACT_DEPTH] = {"depth", 1, .words = " It calls itself, {0} deep on average."},
    [PS_FACT_RESUMED] = {"resumed", 1, .words = " It is resumed {0} times."},
    [PS_FACT_ONE_BY_ONE] = {"one_by_one", 2,
                            .words = " It is resumed {0} times, and the event loop waits {1 of} "
                                     "times: one wait after another. asyncio.gather starts them "
                                     "together."},
    [PS_FACT_BLOCKS_LOOP] = {"blocks_loop",
                             .words = " {fact code} runs in the event loop, which waits meanwhile: "
                                      "asyncio.to_thread lets other tasks run."},
    [PS_FACT_TOGETHER] = {"together", 1,
                          .words = " {0} threads are at {fact place} most of their time: at a "
                                   "lock, or in Python code with the GIL, one of them gets on at "
                                   "a time."},
    [PS_FACT_LOCKED] = {"locked", 1, .place = PS_SAID_VERDICT,
                        .words =
                            "{0} threads wait in {subjects} for a lock, {waits} of their {whole}. "
                            "It is held in {fact}."},
    [PS_FACT_CALLED_AT] = {"called_at", .words = " {fact code} calls it at {fact place}."},
    [PS_FACT_CALLED_BY] = {"called_by", .words = " {fact code} calls it."},
    [PS_FACT_LED_BY] = {"led_by", .words = " {fact code} leads to it."},
    [PS_FACT_NO_OWN_CODE] = {.code = "no_own_code", .n_values = 1},
    [PS_FACT_MOST_IMPORTS] = {.code = "most_imports", .n_values = 1},
    [PS_FACT_CALLS] = {"calls", 1, .words = "{0 nouns}"},
    [PS_FACT_CALLS_FROM] = {"calls_from", 1, .words = "{0 nouns of} from {fact}"},
    [PS_FACT_SOME_CALLS_FROM] = {"some_calls_from", 2,
                                 .words = "{0 of} of {1 nouns of} from {fact}"},
    [PS_FACT_CALLER] = {"caller", .words = "called from {fact}"},
    [PS_FACT_AMOUNT_AT] = {"amount_at", 2, .words = " {0 part} of {1 unit of}{, evidence}."},
    [PS_FACT_OF_IT] = {"of_it", 1, .place = PS_SAID_AFTER, .words = " Of it {fact} takes {0 % of}",
                       .next = ", {fact} {0 % of}", .end = "."},
    [PS_FACT_AT] = {"at", .words = "all at {fact place}"},
    [PS_FACT_MOSTLY_AT] = {"mostly_at", .words = "mostly at {fact place}"},
    [PS_FACT_DEFINED_AT] = {"defined_at", .words = "defined at {fact place}"},
    [PS_FACT_MUCH_AT] = {"much_at", 1, .words = "{0 unit of} at {fact place}"},
    [PS_FACT_AT_MAY_WAIT] = {"at_may_wait", .words = "all at {fact place}, which may wait"},
    [PS_FACT_ALL_CALLED_FROM] = {"all_called_from", .words = "all called from {fact place}"},
    [PS_FACT_MUCH_CALLED_FROM] = {"much_called_from", 1,
                                  .words = "{0 unit of} called from {fact place}"},
    [PS_FACT_WAITING_IN] = {"waiting_in", .words = "waiting in {codes}"},
    [PS_FACT_IDLE_THREADS] =
        {"idle_threads", 2, .place = PS_SAID_LAST,
         .words = " Shares are of the {0 general} {0 thread|threads} that worked; {1 general} "
                  "idle {1 thread is|threads are} left out."},
    [PS_FACT_MOST_ACTIVE] = {"most_active", 1, .place = PS_SAID_LAST,
                             .words = " The most active thread is {fact code}, with {0 unit of}."},
    [PS_FACT_SHORT] = {"short", 1, .place = PS_SAID_BEFORE,
                       .words = "Too short to tell the cause: {0 s of}. "},
    [PS_FACT_FEW_SAMPLES] = {"few_samples", 1, .place = PS_SAID_BEFORE,
                             .words =
                                 "Too short to tell the cause: {0 general} {0 sample|samples}. "},
    [PS_FACT_NO_FRAMES] = {"no_frames", 1, .place = PS_SAID_BEFORE,
                           .words = "{0 % of} of the {word} is without a frame. "},
    [PS_FACT_LATE] = {"late", 1, .place = PS_SAID_BEFORE,
                      .words = "{0 % of} of the samples are late. "},
    [PS_FACT_COLLECTS] = {"collects", 1, .place = PS_SAID_BEFORE,
                          .words = "{0 % of} of the total is spent in the garbage collector, and "
                                   "counts for the functions that it interrupts. "},
    [PS_FACT_ALL_FRAMELESS] = {"all_frameless", .place = PS_SAID_VERDICT,
                               .words = "No sample has a frame."},
    [PS_FACT_ALL_ZERO] = {"all_zero", .place = PS_SAID_VERDICT,
                          .words = "All stacks have the weight 0."},
    [PS_FACT_NO_SAMPLES] = {"no_samples", .place = PS_SAID_VERDICT,
                            .words = "No sample was recorded."},
    [PS_FACT_SHARES_OF] = {.code = "shares_of"},
    [PS_FACT_NO_SINGLE] = {"no_single", .place = PS_SAID_VERDICT,
                           .words = "No single {word} stands out."},
    [PS_FACT_NONE_MEASURED] = {"none_measured", .place = PS_SAID_VERDICT,
                               .words = "No {word} was measured."},

    [PS_FACT_GROWTH] =
        {"growth", 5, .place = PS_SAID_VERDICT,
         .words = "{codes} grows {4 law}: {0 general} \u2192 {1 general} takes {2 times} as "
                  "long."},
    [PS_FACT_GROWS] = {"grows", 5,
                       .words = "grows {4 law}, {0 general} \u2192 {1 general} takes "
                                "{2 times} as long"},
    [PS_FACT_IT_TAKES] = {"it_takes", 2, .words = " {0 unit of}{1 (runs)}"},
    [PS_FACT_AGAINST] = {"against", 2, .words = " against {0 unit of}{1 (runs)}."},
    [PS_FACT_SLOWER] = {"slower", 2, .place = PS_SAID_VERDICT,
                        .words = "{codes} is {0 ratio}{1 error} times slower than {via code}."},
    [PS_FACT_NEEDS_MORE] = {"needs_more", 2, .place = PS_SAID_VERDICT,
                            .words =
                                "{codes} needs {0 ratio}{1 error} times as much as {via code}."},
    [PS_FACT_NO_DIFFERENCE] = {"no_difference", .place = PS_SAID_VERDICT,
                               .words = "No clear difference between {via code} and {codes}."},
    [PS_FACT_FASTEST] = {"fastest", 1, .words = "fastest{0 runs}"},
    [PS_FACT_SMALLEST] = {"smallest", 1, .words = "smallest{0 runs}"},
    [PS_FACT_AS_LONG] = {"as_long", 3,
                         .words = "{0 ratio}{1 error} times as long{1 unclear}{2 runs}"},
    [PS_FACT_AS_LARGE] = {"as_large", 3,
                          .words = "{0 ratio}{1 error} times as large{1 unclear}{2 runs}"},
    [PS_FACT_CPU_WAITS] = {"cpu_waits", 3, .place = PS_SAID_VERDICT,
                           .words =
                               "{codes} uses {0 s} of CPU in {1 s}: it waits {2 %} of the time."},
    [PS_FACT_CPU_COMPUTES] =
        {"cpu_computes", 2, .place = PS_SAID_VERDICT,
         .words = "{codes} uses {0 s} of CPU in {1 s}: it computes and does not wait."},
    [PS_FACT_CPU_PARALLEL] =
        {"cpu_parallel", 3, .place = PS_SAID_VERDICT,
         .words = "{codes} uses {0 s} of CPU in {1 s}: {2 tenths} CPUs on average."},
    [PS_FACT_NONE_LONGEST] = {"none_longest", .place = PS_SAID_VERDICT,
                              .words = "No single row is clearly the {word}."},
    [PS_FACT_LARGEST] = {"largest", 1, .words = " The largest are {fact code} with {0 unit of}"},
    [PS_FACT_SECOND] = {"second", 1,
                        .words = " and {fact code} with {0 unit of}, which do not differ by more "
                                 "than their spread."},
    [PS_FACT_TAKES_LONGEST] = {"takes_longest", 1, .place = PS_SAID_VERDICT,
                               .words = "{codes} takes longest: {0 unit}"},
    [PS_FACT_TAKES] = {"takes", 1, .place = PS_SAID_VERDICT, .words = "{codes} takes {0 unit}"},
    [PS_FACT_IS] = {"is", 1, .place = PS_SAID_VERDICT, .words = "{codes} is {0 unit}"},
    [PS_FACT_SPREAD] = {"spread", 2, .words = "{0 runs}{1 deviation}."},
    [PS_FACT_ZERO_VALUES] = {"zero_values", .place = PS_SAID_VERDICT,
                             .words = "At least half of the measured values are 0: too short to be "
                                      "measured."},
    [PS_FACT_NO_VALUES] = {"no_values", .place = PS_SAID_VERDICT,
                           .words = "The file has no measured values, or every command failed."},
    [PS_FACT_TOO_SHORT] = {"too_short", .place = PS_SAID_VERDICT,
                           .words = "{command} is too short to be judged."},
    [PS_FACT_CPU_BOUND] = {"cpu_bound", .place = PS_SAID_VERDICT,
                           .words = "{command} is limited by the CPU."},
    [PS_FACT_WAITING] = {"waiting", .place = PS_SAID_VERDICT,
                         .words = "{command} waits most of the time."},
    [PS_FACT_MIXED] = {"mixed", .place = PS_SAID_VERDICT, .words = "{command} computes and waits."},
    [PS_FACT_PARALLEL] = {"parallel", .place = PS_SAID_VERDICT,
                          .words = "{command} computes on several CPUs."},
    [PS_FACT_SYSTEM_HEAVY] = {"system_heavy", .place = PS_SAID_VERDICT,
                              .words = "{command} spends its CPU time in the kernel."},
    [PS_FACT_MEMORY_HEAVY] = {"memory_heavy", .place = PS_SAID_VERDICT,
                              .words = "{command} reads memory pages from the disk."},
    [PS_FACT_CPU_TIMES] = {"cpu_times", 3, .words = " {0 s} user and {1 s} system time in {2 s}."},

    [PS_FACT_PEAK] = {"peak", 2, .place = PS_SAID_VERDICT,
                      .words = "Memory peaks at {0 bytes} after {1 s}."},
    [PS_FACT_PEAK_GROWS] = {"peak_grows", 2, .place = PS_SAID_VERDICT,
                            .words =
                                "Memory peaks at {0 bytes} after {1 s}, and grows all the time."},
    [PS_FACT_STAYS] = {"stays", 3,
                       .words = " It starts at {0 bytes} and still is {1 bytes} at the "
                                "end, after {2 s}."},
    [PS_FACT_ENDS] = {"ends", 3,
                      .words = " It starts at {0 bytes} and ends at {1 bytes} after {2 s}."},
    [PS_FACT_EXITS] = {"exits", 3,
                       .words = " It starts at {0 bytes} and is {1 bytes} before it "
                                "ends, after {2 s}."},
    [PS_FACT_STAYS_TO_EXIT] = {"stays_to_exit", 3,
                               .words = " It starts at {0 bytes} and still is {1 bytes} before it "
                                        "ends, after {2 s}."},
    [PS_FACT_HOLDS] = {"holds", 2,
                       .words = " {fact code} holds {0 bytes} of the peak, which it "
                                "added in {1} {1 call|calls}."},
    [PS_FACT_CALLS_TAKE] = {"calls_take", 2, .words = "{0} {0 call|calls}, {1 s}"},
    [PS_FACT_WITH_CHILDREN] = {"with_children", 2,
                               .words = " The curve does not contain its {0} child {0 "
                                        "process|processes}: with {0 it|them}, memory peaks at {1 "
                                        "bytes}."},
    [PS_FACT_CHILDREN] = {"children", 2,
                          .words = " Its {0} child {0 process peaks|processes together peak} at {1 "
                                   "bytes}; the file does not say whether the curve contains {0 "
                                   "it|them}, as with --include-children."},

    [PS_FACT_ADDS] = {"adds", 1, .place = PS_SAID_VERDICT, .words = "{codes} adds {0 bytes}."},
    [PS_FACT_LINE_GROWS] = {"line_grows", 2,
                            .words = " It is at {place} in {via code}, which grows the memory by "
                                     "{0 bytes of} in {1 of} {1 call|calls}."},
    [PS_FACT_LINES_GROW] = {"lines_grow", 2,
                            .words = " At {fact place}, in lines that ran several times, it grows "
                                     "the memory by {0 bytes of} in {1 of} {1 call|calls}."},
    [PS_FACT_MEMORY_PEAK] = {"memory_peak", 1, .words = " Memory peaks at {0 bytes of}."},
    [PS_FACT_FREED] = {"freed", 1, .place = PS_SAID_VERDICT,
                       .words = "What {codes} {0 adds|adds in each call} is freed again."},
    [PS_FACT_CALL_ADDS] = {"call_adds", 1,
                           .words = " A call adds up to {0 bytes of}, most of it with {fact code} "
                                    "at {fact place} in {codes}."},
    [PS_FACT_EXCEEDS] = {"exceeds", .place = PS_SAID_VERDICT,
                         .words = "The increments exceed the memory of the process, so no line is "
                                  "named."},
    [PS_FACT_PLACE] = {"place", .words = "{fact place}"},
    [PS_FACT_PLACE_IN] = {"place_in", .words = "{fact place} in {other}"},
    [PS_FACT_REPEATED_IN] = {"repeated_in", .words = "{fact place} in {other}, which ran several "
                                                     "times in a call"},

    [PS_FACT_SHARE_OF] = {"share_of", .place = PS_SAID_VERDICT,
                          .words = "{codes} {verb} {share} of {via code}."},
    [PS_FACT_CALLS_ITSELF] = {"calls_itself", .place = PS_SAID_VERDICT,
                              .words = "{codes} takes {share} of {via code}, which calls itself "
                                       "there."},
    [PS_FACT_TAKES_SAMPLES] = {"takes_samples", .place = PS_SAID_VERDICT,
                               .words = "{codes} {verb} {share} of the samples."},
    [PS_FACT_FUNCTION_SAMPLES] = {"function_samples", .place = PS_SAID_VERDICT,
                                  .words = "{subjects} {verb} {share} of the samples."},
    [PS_FACT_LARGEST_LINE] = {"largest_line", 1,
                              .words = " Its largest line is {fact place}, with {0 %}."},
    [PS_FACT_PASSED_ON] = {"passed_on", 1,
                           .words = " It is called back from {fact place}, which takes {0 %} "
                                    "more."},
    [PS_FACT_TIME_IN_HITS] = {"time_in_hits", 3,
                              .words = " {0 s} of {1 s of} in {2} {2 hit|hits}, {place}."},
    [PS_FACT_HITS] = {"hits", 1, .words = " {0} {0 hit|hits}, {place}."},
    [PS_FACT_CPU_PARTS] = {"cpu_parts", 3,
                           .words = " {0 %} in Python, {1 %} in native code, {2 %} "
                                    "not running, at {place}."},
    [PS_FACT_IMPORTS_TAKE] = {"imports_take", 1, .words = " Imports take {0 % of} of the samples."},
    [PS_FACT_CALLED_FROM] = {"called_from", 0, .place = PS_SAID_AFTER,
                             .words = " It is called from {fact place}",
                             .next = ", which is called from {fact place}", .end = "."},
    [PS_FACT_CALLED_BY_COUNTS] = {"called_by_counts", 0, .place = PS_SAID_AFTER,
                                  .words = " By counts and times, it is called from {fact place}",
                                  .next = ", which is called from {fact place}", .end = "."},
    [PS_FACT_LEAKS] = {"leaks", 2,
                       .words = " {fact place} leaks with a likelihood of {0 % of}{1 "
                                "rate}."},
    [PS_FACT_ALLOCATES] = {"allocates", 1,
                           .words = " {fact place} allocates {0 % of} of what is "
                                    "allocated."},

    [PS_FACT_LOST] = {"lost", .place = PS_SAID_VERDICT,
                      .words = "Calls were lost: the buffer of the profiler was full."},
    [PS_FACT_KEPT] = {"kept", 3,
                      .words = " What was kept shows no shares. The longest in it is {fact code} "
                               "with {0 unit of}{2 in nouns}, of which lost calls may have been a "
                               "part."},
    [PS_FACT_SHARE_BASE] = {"share_base", 3, .place = PS_SAID_VERDICT,
                            .words = "{codes} {verb} {share} {word}."},
    [PS_FACT_AMOUNT_BASE] = {"amount_base", 1, .place = PS_SAID_VERDICT,
                             .words = "{codes} {verb} {0 unit} {word}."},
    [PS_FACT_MOST_CPU] = {"most_cpu", 1, .place = PS_SAID_VERDICT,
                          .words = "{codes} uses the most CPU: {0 unit} {word}."},
    [PS_FACT_AMOUNT_OF] = {"amount_of", 3, .words = " {0 unit} of {1 unit of}{2 in nouns}."},
    [PS_FACT_COUNT] = {"count", 3, .words = "{2 nouns}"},
    [PS_FACT_COMPILES] = {"compiles", 3, .place = PS_SAID_VERDICT,
                          .words =
                              "JAX compiles {0} programs, which takes {share} of the recording."},
    [PS_FACT_COMPILED] = {"compiled", 3,
                          .words = " JAX compiled {0 of} {0 program|programs} while recording, "
                                   "which took {1 s of} of the span of {2 s of}. Record after a "
                                   "warm-up to leave that out."},
    [PS_FACT_NEW_SHAPES] = {"new_shapes",
                            .words = " Each new shape or type of an input, and each new function, "
                                     "is compiled. Inputs padded to equal shapes are compiled "
                                     "once; jax.log_compiles names what is compiled."},
    [PS_FACT_SLICES_SAMPLED] = {"slices_sampled",
                                .words = " A slice is a row of equal samples, not a call."},
    [PS_FACT_NO_DEVICE_WORK] = {"no_device_work", .place = PS_SAID_VERDICT,
                                .words = "No work of a GPU was recorded."},
    [PS_FACT_MOST_CALLS] = {"most_calls", 2,
                            .words = " Of the recorded calls, {fact code} takes the most time, {0 "
                                     "s} in {1} {1 call|calls}. A call may be a wait."},
    [PS_FACT_FEW_CALLS] = {"few_calls", 1,
                           .words = " The recorded calls take {0 %} of the trace: it does not "
                                    "tell what the program does."},
    [PS_FACT_NO_CALLS] = {"no_calls", .words = " The file has no calls of the program either."},
    [PS_FACT_IN_CALLS] =
        {"in_calls", 1, .place = PS_SAID_VERDICT,
         .words = "{codes} takes {share} of the time in {0} {0 call|calls}, with what it "
                  "calls."},
    [PS_FACT_BELOW] = {"below", 2,
                       .words = " Among the rows with less, {fact code} has {0 % of} "
                                "of the time in {1 of} {1 call|calls}."},
    [PS_FACT_NEEDED_OPERATORS] = {"needed_operators", 1,
                                  .words = " Matrix products, convolutions and attention, "
                                           "forward and backward, take {0 % of}{of each}."},
    [PS_FACT_SMALL_OPERATORS] = {"small_operators", .place = PS_SAID_VERDICT,
                                 .words = "Many small operators take the time."},
    [PS_FACT_SMALL_CALLS] = {"small_calls", 2,
                             .words = " The listed operators are called {0} times, {1 s} each on "
                                      "average, as in a Python loop over elements."},
    [PS_FACT_CONVERSIONS] = {"conversions", 1,
                             .words = " A tensor becomes a Python number {0 of} times."},
    [PS_FACT_OPERATOR] = {"operator", 1, .place = PS_SAID_AFTER,
                          .words = " The largest operators are {fact code} {0 % of}",
                          .next = ", {fact code} {0 % of}", .end = "."},

    [PS_FACT_IMPORT_TIME] = {"import_time", .place = PS_SAID_VERDICT,
                             .words = "{codes} takes {share} of the import time."},
    [PS_FACT_OWN_IMPORT_TIME] = {"own_import_time", .place = PS_SAID_VERDICT,
                                 .words = "{codes} takes {share} of the import time in its own "
                                          "code."},
    [PS_FACT_IMPORTER_UNKNOWN] = {"importer_unknown",
                                  .words = "imported by the program or in a function that it "
                                           "calls; the log does not say which"},
    [PS_FACT_IS_LAZY] = {"is_lazy", 1,
                         .words = "{0 imported|first imported} by {fact code}, in a "
                                  "function: it is lazy already"},
    [PS_FACT_USED_AT_START] = {"used_at_start", 1,
                               .words = "{0 imported|first imported} by {fact code}, used at "
                                        "start"},
    [PS_FACT_MAKE_LAZY] = {"make_lazy", 1,
                           .words = "{0 imported|first imported} by {fact code}, {make lazy}"},
    [PS_FACT_OWN_IMPORTED_BY] = {"own_imported_by",
                                 .words = "the time of its own code, imported by {fact code}"},
    [PS_FACT_SMALL_MODULES] = {"small_modules",
                               .words = "each takes less than 2 % in its own code"},
    [PS_FACT_BEFORE_PROGRAM] = {"before_program", .words = "imports before the program"},
    [PS_FACT_LARGEST_PART] = {"largest_part", 1, .place = PS_SAID_AFTER,
                              .words = " Its largest parts are {fact code} {0 % of}{with other}",
                              .next = ", {fact code} {0 % of}{with other}", .end = "."},
    [PS_FACT_LAZY_SAVES] = {"lazy_saves", 2,
                            .words = " Imported lazily, it would save up to {0 s of} of {1 s "
                                     "other}, unless start-up uses it."},
    [PS_FACT_PULLED_IN] = {"pulled_in",
                           .words = " {fact code} imports it, though {other} is what is imported."},
    [PS_FACT_BRINGS] = {"brings", .words = " It brings {fact code}."},
    [PS_FACT_IMPORTED_AGAIN] = {"imported_again", 1, .place = PS_SAID_VERDICT,
                                .words =
                                    "{0 % of} of the import time is for modules that an earlier "
                                    "process of the log imports too."},
    [PS_FACT_LARGEST_AGAIN] = {"largest_again",
                               .words = " The largest is {codes}, with what it imports. Import it "
                                        "only in the processes that need it."},
    [PS_FACT_IMPORTS_IT] = {"imports_it", 1,
                            .words = " {fact code} {0 imports it|imports it first}."},
    [PS_FACT_NEEDED_TOO] = {"needed_too", 1,
                            .words = " {fact code} takes {0 % of}, but is used at start."},
    [PS_FACT_LAZY_SAVES_NOTHING] = {"lazy_saves_nothing",
                                    .words = " It is used at start, so a lazy import saves "
                                             "nothing."},
    [PS_FACT_NEEDED_THERE] = {"needed_there",
                              .words = " If it is used there at import, a lazy import saves "
                                       "nothing, except one of {fact code}."},
    [PS_FACT_TOGETHER_SAVE] = {"together_save", 2,
                               .words = " {0 of} packages that save 2 % or more each would save up "
                                        "to {1 s of} together."},
    [PS_FACT_WORKS_WHILE] = {"works_while", .words = " It works while {fact code} imports it."},
    [PS_FACT_FRAMEWORK] = {"framework",
                           .words = " Classes or functions for {fact code} may be part of that "
                                    "work, and are needed."},
    [PS_FACT_OWN_SAVING] = {"own_saving", 1,
                            .words = " Up to {0 %} could be saved, if nothing needs its results at "
                                     "start."},
    [PS_FACT_THREADS_IMPORT] = {"threads_import", .place = PS_SAID_VERDICT,
                                .words = "No single package can be named: several threads imported "
                                         "at once."},

    [PS_FACT_ALLOCATION_FAILED] =
        {"allocation_failed", 3, .place = PS_SAID_VERDICT,
         .words = "An allocation of {0 bytes of} failed on GPU {1 general}: the "
                  "driver had {2 bytes of} free."},
    [PS_FACT_DEVICE_PEAK] = {"device_peak", 2, .place = PS_SAID_VERDICT,
                             .words = "Memory peaks at {0 bytes of} on GPU {1 general}."},
    [PS_FACT_STACK_GROWS] = {"stack_grows", 2,
                             .words = " It grows: {stack} keeps {0 bytes of} more in each of {1 "
                                      "of} steps."},
    [PS_FACT_RESERVED] = {"reserved", 3,
                          .words = " PyTorch had reserved {0 bytes of}, of which {1 bytes of} were "
                                   "not in use; the largest hole was {2 bytes of}."},
    [PS_FACT_NO_STACK] = {"no_stack", 1,
                          .words = " {0 bytes of} of the allocated memory has no Python stack."},
    [PS_FACT_STACK_HOLDS] =
        {"stack_holds", 3, .place = PS_SAID_AFTER,
         .words = " {stack} holds the most{2  of the rest|}, {0 bytes of} in {1 of} {1 "
                  "allocation|allocations}",
         .next = ", {stack} {0 bytes of}", .end = "."},
    [PS_FACT_SMALL_STACKS] = {"small_stacks", .words = " No stack holds more than 5 %."},
    [PS_FACT_NO_STACKS] = {"no_stacks", .words = " The memory has no Python stack."},
    [PS_FACT_STACK] = {"stack", .words = "{stack}"},
    [PS_FACT_ALLOCATIONS] = {"allocations", 1, .words = "{0} {0 allocation|allocations}"},
    [PS_FACT_ALLOCATIONS_BY] = {"allocations_by", 2,
                                .words = "{0} {0 allocation|allocations} by {1 general} stacks"},
    [PS_FACT_ALLOCATIONS_LIVE] = {"allocations_live", 2,
                                  .words = "{0} {0 allocation|allocations}, live for {1 general} "
                                           "events (median)"},
    [PS_FACT_SEGMENTS] = {"segments", 3,
                          .words = "{0 bytes of} reserved in {1 general} {1 segment|segments}, "
                                   "largest hole {2 bytes of}"},

    [PS_FACT_EXPLAINS] = {"explains", 2, .place = PS_SAID_VERDICT,
                          .words = "{fact} explains {0 change} of {1 change}{per}."},
    [PS_FACT_EXPLAINS_MORE] = {"explains_more", 3, .place = PS_SAID_VERDICT,
                               .words = "{fact} explains {0 change}; all others {1 change}, "
                                        "together {2 change}{per}."},
    [PS_FACT_TWO_EXPLAIN] = {"two_explain", 4, .place = PS_SAID_VERDICT,
                             .words = "{fact} ({0 change}) and {other fact} ({1 change}) explain "
                                      "{2 change} of {3 change}{per}."},
    [PS_FACT_TWO_OPPOSED] = {"two_opposed", 4, .place = PS_SAID_VERDICT,
                             .words = "{fact} has {0 change} and {other fact} has {1 change}, "
                                      "together {2 change} of {3 change}{per}."},
    [PS_FACT_SPREAD_OVER] = {"spread_over", 2, .place = PS_SAID_VERDICT,
                             .words = "{0 change}{per} is spread over {1} {word}s."},
    [PS_FACT_IS_PART] = {"is_part", 2, .place = PS_SAID_VERDICT,
                         .words = " In the step this is {fact}: {0 change}{per}; the step "
                                  "changes by {1 change}."},
    [PS_FACT_MOST_OF_CHANGE] = {"most_of_change", 1, .place = PS_SAID_VERDICT,
                                .words = "Most of it is at {fact}: {0 change}{per}."},
    [PS_FACT_WAITED_FOR] = {"waited_for", 2, .place = PS_SAID_VERDICT,
                            .words = " The host waits for it in {fact}: {0 change} of "
                                     "{1 change}{per}."},

    [PS_FACT_STEP_LEFT_OUT] =
        {"step_left_out", 4, .place = PS_SAID_BEFORE,
         .words =
             "One step takes {0 s of}{1 , in which torch.compile compiles|}, the other {2 general} take {3 s of} each (median). "},
    [PS_FACT_OVERHEAD] = {"overhead", 1, .place = PS_SAID_BEFORE,
                          .words = "The profiler's own work takes {0 % of}{of each}. "},
    [PS_FACT_WAITS_FOR_DATA] =
        {"waits_for_data", 1, .place = PS_SAID_VERDICT, .words = "The loop waits for data.",
         .then = " The DataLoader takes {0 s of}{of whole}, while nothing else runs."},
    [PS_FACT_WAITS_FOR_RANK] =
        {"waits_for_rank", 2, .place = PS_SAID_VERDICT, .words = "The ranks wait for rank {0 of}.",
         .then = " Communication that nothing overlaps takes {1 s other}{of whole}."},
    [PS_FACT_COMMUNICATES] = {"communicates", 1, .place = PS_SAID_VERDICT,
                              .words = "Communication does not overlap with computation.",
                              .then = " It alone takes {0 s of}{of whole}."},
    [PS_FACT_ONE_RANK] =
        {"one_rank",
         .words = " Only this rank was recorded: a wait for a later rank looks the same."},
    [PS_FACT_COPIES] = {"copies", 1, .place = PS_SAID_VERDICT,
                        .words = "Copies do not overlap with computation.",
                        .then = " They alone take {0 s of}{of whole}."},
    [PS_FACT_CAPTURES] =
        {"captures", 1, .place = PS_SAID_VERDICT,
         .words = "A graph is captured, which happens once.",
         .then = " The {device} is idle {0 s of}{of whole}, while its work is recorded."},
    [PS_FACT_HOST_TOO_SLOW] =
        {"host_too_slow", 3, .place = PS_SAID_VERDICT,
         .words = "The host is too slow for the {device}.",
         .then = " The {device} waits {0 s of}{of whole} for the CPU{2 to launch other}."},
    [PS_FACT_GPU_IDLE] =
        {"gpu_idle", 3, .place = PS_SAID_VERDICT, .words = "The {device} is idle {1 %}{of each}.",
         .then = " The {device} waits {0 s of}{of whole} for the CPU{2 to launch other}."},
    [PS_FACT_HOST_RUNS] = {"host_runs", 1,
                           .words = " Meanwhile the host runs {fact} for {0 % of} of that time."},
    [PS_FACT_HOST_OUTSIDE] =
        {"host_outside", 1,
         .words =
             " The host is outside of operators for {0 % of} of that time; with_stack=True records the functions."},
    [PS_FACT_BLOCKED] =
        {"blocked", 4, .place = PS_SAID_VERDICT,
         .words =
             "The {device} is idle {0 %}{of each} because the host blocks in {code}{3 , after its last work|}.",
         .then =
             " It takes {1 s}{of whole} while nothing runs on the {device}, {2 s} of it in one call{callers}."},
    [PS_FACT_EARLIER_WORK] =
        {"earlier_work", 4, .place = PS_SAID_VERDICT,
         .words =
             "The {device} works on launches from before the recording {0 %}{of each}; the host waits in {code}.",
         .then =
             " It takes {1 s}{of whole} while no recorded work runs on the {device}, {2 s} of it in one call{callers}."},
    [PS_FACT_QUEUED] =
        {"queued", 2, .place = PS_SAID_VERDICT,
         .words = "The {device} is busy with {codes} {0 %}{of each}.",
         .then =
             " Launched work waits behind it for {1 s}{of whole}. It was launched before the recording, as part of a graph, or by another process."},
    [PS_FACT_STARTS_UP] =
        {"starts_up", 4, .place = PS_SAID_VERDICT,
         .words = "Start-up takes {0 %}{of each}: the host blocks {1 calls of of}{code}{2 others}.",
         .then =
             " The first calls start the device and load kernels; the longest takes {3 s}{callers}."},
    [PS_FACT_AFTER_START] = {"after_start", 2,
                             .words = " Of the other {0 s of} kernels take {1 s other}."},
    [PS_FACT_WARM_UP] = {"warm_up",
                         .words = " Record after a warm-up to see how the program runs."},
    [PS_FACT_GPU_COMPUTES] = {"gpu_computes", 1, .place = PS_SAID_VERDICT,
                              .words = "The {device} computes {0 % of}{of each}."},
    [PS_FACT_TOP] = {"top", 1, .words = " {fact code} takes {0 % of}{of each}."},
    [PS_FACT_PAIR] = {"pair", 1, .place = PS_SAID_VERDICT,
                      .words = "{code} and {via code} take {0 %}{of each}.",
                      .then = " They are one operation, forward and backward."},
    [PS_FACT_TOP_OPERATOR] = {"top_operator", 2, .place = PS_SAID_VERDICT,
                              .words = "{codes} takes {1 %}{of each}.",
                              .then = " All operators take {0 s of}{of whole}."},
    [PS_FACT_DRIVER_CALLS] = {"driver_calls", 1, .place = PS_SAID_VERDICT,
                              .words = "Most of the time is spent in driver calls.",
                              .then = " {code} takes {0 s}{of whole}."},
    [PS_FACT_TORCH_COMPILES] = {"torch_compiles", 2, .place = PS_SAID_VERDICT,
                                .words = "torch.compile takes {1 %}{of each}."},
    [PS_FACT_COMPILES_AGAIN] =
        {"compiles_again", 2, .place = PS_SAID_VERDICT,
         .words = "torch.compile compiles again and again, which takes {1 %}{of each}.",
         .then =
             " It compiles in {0 of} of the steps. TORCH_LOGS=recompiles says why; inputs of equal shapes, or dynamic=True, avoid it."},
    [PS_FACT_OPERATORS_TAKE] = {"operators_take", 1,
                                .words = " Operators take {0 s of}{of whole}."},
    [PS_FACT_ON_DOUBLE] = {"on_double", 1, .place = PS_SAID_VERDICT,
                           .words = "Operators on float64 take {0 %}{of each}."},
    [PS_FACT_MANY_OPERATORS] =
        {"many_operators", 3, .place = PS_SAID_VERDICT,
         .words = "Many small operators take most{of each}.",
         .then =
             " The program calls {0} operators{a step}, of {1 s} each on average. {2 % of}{of each} is outside of operators, as in a Python loop over elements."},
    [PS_FACT_ITEMS] = {"items", 1,
                       .words =
                           " A tensor becomes a Python number ({fact code}) {0 of} times{a step}."},
    [PS_FACT_WITH_STACK] = {"with_stack",
                            .words =
                                " Record with with_stack=True to see which function calls them."},
    [PS_FACT_OUTSIDE_OPERATORS] = {"outside_operators", 1, .place = PS_SAID_VERDICT,
                                   .words = "Most of the time is spent outside of operators.",
                                   .then = " Operators take {0 s of}{of whole}."},
    [PS_FACT_NO_WORK] = {"no_work", .place = PS_SAID_VERDICT,
                         .words = "The trace has no kernels and no operators."},
    [PS_FACT_LATE_RANK] =
        {"late_rank", 5, .place = PS_SAID_LAST,
         .words =
             " Rank {0 of} causes {1 % of} of the waiting in collectives; the other{2 if several} {2 waits|wait} {3 s of}{4  a step|} for it."},
    [PS_FACT_ITERATES] =
        {"iterates", 4, .place = PS_SAID_LAST,
         .words =
             " {fact} {2 runs|run} {0 of} times and {2 covers|cover} {1 % of}{of each}: {3 profiler.step() after each would mark it as a step, and |}{other} takes {2 it as the step|them as steps}."},
    [PS_FACT_SERVING_STEP] =
        {"serving_step", 2, .place = PS_SAID_LAST,
         .words = " A {other} step keeps the {device} busy for {0 s of}{1 for tokens of}."},
    [PS_FACT_FAMILY] = {"family", 1, .place = PS_SAID_LAST,
                        .words = " Its largest parts are {word} {0 % of}",
                        .next = ", {word} {0 % of}", .end = "."},
    [PS_FACT_UNIT_TAKES] =
        {"unit_takes", 1, .place = PS_SAID_VERDICT,
         .words = "{subjects} takes {share}{of each}{0 , in a Python loop over small operators|}."},
    [PS_FACT_UNIT_WAITS] = {"unit_waits", .place = PS_SAID_VERDICT,
                            .words = "{subjects} {word} {waits}{of each}."},
    [PS_FACT_RUNS] = {"runs", 1, .words = " In each call it runs {fact} {0 of} times."},
    [PS_FACT_CONVERTS] = {"converts", 1,
                          .words = " It converts a tensor to a number {0 of} times."},
    [PS_FACT_OUTSIDE_UNIT] =
        {"outside_unit", 1,
         .words =
             " In it {0 % of}{of each} is outside of operators; with_stack=True records the functions."},
    [PS_FACT_CALLED_A_STEP] = {"called_a_step", 1, .words = " It is called {0} times a step."},
    [PS_FACT_NEXT] = {"next", 1, .place = PS_SAID_LAST, .words = " Next: {fact} {0 % of}."},
    [PS_FACT_TITLE] = {"title", .words = "{fact code}"},
    [PS_FACT_FULL_TITLE] = {"full_title", .words = "{subjects}"},
    [PS_FACT_BLOCKS_IN] = {"blocks_in", .words = "{device} idle: host blocks in {code}"},
    [PS_FACT_BLOCKS_LAST] = {"blocks_last",
                             .words = "{device} idle, after its last work: host blocks in {code}"},
    [PS_FACT_WORKED_BEFORE] = {"worked_before",
                               .words =
                                   "{device} busy with work from before the recording: {code}"},
    [PS_FACT_BUSY_WITH] = {"busy_with", .words = "{device} busy with {codes}"},
    [PS_FACT_BEHIND] = {"behind", .words = "launched work waits behind it"},
    [PS_FACT_SEE] = {"see", .words = "{link}"},
    [PS_FACT_KERNELS] = {"kernels", 1, .words = "{0 nouns of}{a step}"},
    [PS_FACT_COPY_COUNT] = {"copy_count", 2, .words = "{0 of} {0 copy|copies}{1 and nouns of}"},
    [PS_FACT_LONGEST] = {"longest", 1, .words = "longest {0 s of}{callers}"},
    [PS_FACT_ONE_CALL] = {"one_call", 1, .words = "{via code} {0 s of}{callers}"},
    [PS_FACT_OF_CALLS] = {"of_calls", 2, .words = "{0 nouns of}, the longest {1 s}{callers}"},
    [PS_FACT_IN_CALL] = {"in_call", 1, .words = "{0 s of}{callers}"},
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
