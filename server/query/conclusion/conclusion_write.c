/* SPDX-License-Identifier: MIT */
/* conclusion_write.c: says the claims of a conclusion, and writes it as JSON. */
#include <math.h>

#include "server/query/conclusion/conclusion.h"

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
    ps_say_claim(c, ps_first_claim(c));
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
    if (c->device)
        ps_json_key_str(json, "device", c->device);
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
