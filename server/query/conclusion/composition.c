/* SPDX-License-Identifier: MIT */
/* composition.c: what the whole of a run is made of, as parts of one bar beside its causes. */
#include <stdlib.h>

#include "server/query/conclusion/conclusion.h"

void ps_compose(struct ps_conclusion *c, const char *name, const char *label, double value,
                struct ps_report_link link)
{
    struct ps_composition *composition = &c->composition;

    if (!(value > 0))
        return;
    PS_RESERVE_ONE(composition->parts, composition->n, composition->cap);
    composition->parts[composition->n++] = (struct ps_composition_part){name, label, value, link};
}

static int by_value(const void *a, const void *b)
{
    const struct ps_composition_part *x = a, *y = b;

    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Adds the parameter `off` with all origins but this one. */
static struct ps_report_link hide_others(struct ps_conclusion *c, struct ps_report_link link,
                                         size_t origin)
{
    PS_AUTO(ps_buf_free) struct ps_buf others = {0};
    size_t n = 0;

    for (size_t i = 0; i < PS_N_ORIGINS; i++)
        if (i != origin)
            ps_buf_printf(&others, "%s%s", others.len ? "," : "", ps_origin_names[i]);
    while (n + 1 < PS_LINK_PARAMS && link.params[n].key)
        n++;
    link.params[n] = (struct ps_param){"off", ps_arena_copy(&c->arena, ps_buf_slice(&others)).ptr};
    return link;
}

void ps_compose_origins(struct ps_conclusion *c, const double values[PS_N_ORIGINS],
                        const char *builtin, struct ps_report_link link, bool hides_others)
{
    double known = 0;

    for (size_t i = 0; i < PS_N_ORIGINS; i++)
        known += i == PS_ORIGIN_UNKNOWN ? 0 : values[i];
    if (!(known > 0))
        return;
    c->composition.kind = PS_COMPOSITION_ORIGINS;
    for (size_t i = 0; i < PS_N_ORIGINS; i++)
        ps_compose(c, ps_origin_names[i], i == PS_ORIGIN_BUILTIN ? builtin : ps_origin_names[i],
                   values[i], hides_others ? hide_others(c, link, i) : link);
    qsort(c->composition.parts, c->composition.n, sizeof *c->composition.parts, by_value);
}

void ps_composition_write(const struct ps_composition *composition, struct ps_json *json)
{
    static const char *const kinds[PS_N_COMPOSITION_KINDS] = {
        [PS_COMPOSITION_STEP_PARTS] = "step_parts", [PS_COMPOSITION_ORIGINS] = "origins",
        [PS_COMPOSITION_LINES] = "lines",           [PS_COMPOSITION_CPU] = "cpu",
        [PS_COMPOSITION_CATEGORIES] = "categories",
    };
    double whole = 0;

    ps_json_key(json, "composition");
    if (composition->n < 2) { /* one part says nothing */
        ps_json_null(json);
        return;
    }
    for (size_t i = 0; i < composition->n; i++)
        whole += composition->parts[i].value;
    ps_json_object(json);
    ps_json_key_str(json, "kind", kinds[composition->kind]);
    ps_json_key_str(json, "title", composition->title);
    ps_json_key_str(json, "unit", composition->unit);
    ps_json_key_str(json, "base", composition->base);
    ps_json_key_real(json, "whole", whole);
    ps_json_key(json, "parts");
    ps_json_array(json);
    for (size_t i = 0; i < composition->n; i++) {
        const struct ps_composition_part *part = &composition->parts[i];

        ps_json_object(json);
        ps_json_key_str(json, "name", part->name);
        ps_json_key_str(json, "label", part->label);
        ps_json_key_real(json, "value", part->value);
        ps_report_link_write(json, &part->link);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
}
