/* SPDX-License-Identifier: MIT */
/* templates.c: finds the properties of arguments that later stages need, once per template. */
#include <stddef.h>

#include "importers/trace/read.h"

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

static const struct {
    const char *key;
    size_t field;
} fields[] = {
    {"correlation", offsetof(struct tr_template, correlation)},
    {"External id", offsetof(struct tr_template, external_id)},
    {"external id", offsetof(struct tr_template, external_id)},
    {"device", offsetof(struct tr_template, device)},
    {"stream", offsetof(struct tr_template, stream)},
    {"Bytes", offsetof(struct tr_template, bytes)},
    {"bytes", offsetof(struct tr_template, bytes)},
    {"Device Type", offsetof(struct tr_template, device_type)},
    {"Device Id", offsetof(struct tr_template, device_id)},
    {"Addr", offsetof(struct tr_template, addr)},
    {"Total Allocated", offsetof(struct tr_template, total_allocated)},
    {"Total Reserved", offsetof(struct tr_template, total_reserved)},
    {"Sequence number", offsetof(struct tr_template, sequence)},
    {"Fwd thread id", offsetof(struct tr_template, fwd_thread)},
    {"Fwd thread ID", offsetof(struct tr_template, fwd_thread)},
    {"Python id", offsetof(struct tr_template, python_id)},
    {"Python parent id", offsetof(struct tr_template, python_parent)},
    {"Python module id", offsetof(struct tr_template, python_module)},
    {"pid", offsetof(struct tr_template, pid)},
};
#define N_FIELDS (sizeof fields / sizeof *fields)

static int16_t *field_of(struct tr_template *t, size_t i)
{
    return (int16_t *)(void *)((char *)t + fields[i].field);
}

static void learn_pair(struct tr_trace *trace, struct tr_template *t,
                       const struct ps_template_pair *pair)
{
    int index = ps_template_pair_param(pair);

    if (index > INT16_MAX)
        index = -1;
    for (size_t i = 0; i < N_FIELDS; i++)
        if (ps_str_is(pair->key, fields[i].key))
            *field_of(t, i) = (int16_t)index;
    if (ps_str_is(pair->key, "Input Dims") || ps_str_is(pair->key, "Input dims"))
        t->shapes = count_params(pair->value) ? 0 : tr_text_id(trace, pair->value);
    t->call_from |= ps_str_is(pair->key, "CallFrom");
}

void tr_template_learn(struct tr_trace *trace, struct tr_template *t)
{
    struct ps_template_pair pair = {.left = t->text};

    for (size_t i = 0; i < N_FIELDS; i++)
        *field_of(t, i) = -1;
    while (ps_template_next(&pair))
        learn_pair(trace, t, &pair);
    t->markers = markers_of(trace, t->text);
    t->n_params = t->markers.len < UINT16_MAX ? (uint16_t)t->markers.len : UINT16_MAX;
}
