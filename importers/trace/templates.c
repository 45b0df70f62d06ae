/* SPDX-License-Identifier: MIT */
/* templates.c: what later steps ask of arguments, found once for each template. */
#include "importers/trace/read.h"

static int16_t param(struct ps_str template, const char *const *keys)
{
    int index = -1;

    for (; *keys && index < 0; keys++)
        index = ps_template_param(template, ps_str_of(*keys));
    return index <= INT16_MAX ? (int16_t)index : -1;
}
#define PARAM(template, ...) param(template, (const char *const[]){__VA_ARGS__, NULL})

static bool is_marker(char c)
{
    return c == PS_TEMPLATE_INT || c == PS_TEMPLATE_DECIMAL;
}

static size_t count_params(struct ps_str template)
{
    size_t n = 0;

    for (size_t i = 0; i < template.len; i++)
        n += is_marker(template.at[i]);
    return n;
}

static struct ps_str markers_of(struct tr_trace *trace, struct ps_str template)
{
    char *markers = ps_arena_alloc(&trace->arena, count_params(template) + 1);
    size_t n = 0;

    for (size_t i = 0; i < template.len; i++)
        if (is_marker(template.at[i]))
            markers[n++] = template.at[i];
    return (struct ps_str){markers, n};
}

static uint32_t shapes_of(struct tr_trace *trace, struct ps_str template)
{
    struct ps_str value = ps_template_value(template, PS_STR("Input Dims"), false);

    if (!value.at)
        value = ps_template_value(template, PS_STR("Input dims"), false);
    if (!value.at || count_params(value))
        return 0;
    return tr_text_id(trace, value);
}

void tr_template_learn(struct tr_trace *trace, struct tr_template *t)
{
    struct ps_str text = t->text;

    t->shapes = shapes_of(trace, text);
    t->correlation = PARAM(text, "correlation");
    t->external_id = PARAM(text, "External id", "external id");
    t->device = PARAM(text, "device");
    t->stream = PARAM(text, "stream");
    t->bytes = PARAM(text, "Bytes", "bytes");
    t->device_type = PARAM(text, "Device Type");
    t->device_id = PARAM(text, "Device Id");
    t->addr = PARAM(text, "Addr");
    t->total_allocated = PARAM(text, "Total Allocated");
    t->total_reserved = PARAM(text, "Total Reserved");
    t->sequence = PARAM(text, "Sequence number");
    t->fwd_thread = PARAM(text, "Fwd thread id", "Fwd thread ID");
    t->python_id = PARAM(text, "Python id");
    t->python_parent = PARAM(text, "Python parent id");
    t->python_module = PARAM(text, "Python module id");
    t->markers = markers_of(trace, text);
    t->n_params = t->markers.len < UINT16_MAX ? (uint16_t)t->markers.len : UINT16_MAX;
    t->call_from = ps_template_value(text, PS_STR("CallFrom"), false).at != NULL;
}
