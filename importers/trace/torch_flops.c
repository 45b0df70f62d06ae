/* SPDX-License-Identifier: MIT */
/*
 * torch_flops.c: floating point operations as torch's profiler counts them (with_flops). The files
 * do not contain them: they are computed from the shapes of the arguments and, for convolutions,
 * from "Concrete Inputs" (torch 2.0 and later). They are equal for all events of a template.
 */
#include "importers/trace/torch.h"

#include <stdlib.h>

#define DIMS_MAX 16

struct tr_flops {
    const struct tr_trace *trace;
    int64_t *of[TR_N_FLOPS]; /* by template: value + 1; 0: not computed yet */
};

struct dims {
    int64_t at[DIMS_MAX];
    size_t n;
    bool tensor; /* it is a list of numbers that is not too long, not a list of lists */
};

/* --- JSON as torch writes it --- */

/* Returns the value at *json, and advances to after the comma or to the closing bracket. */
static struct ps_str take_value(struct ps_str *json)
{
    size_t depth = 0, i = 0;
    bool quoted = false;
    for (; i < json->len; i++) {
        char c = json->at[i];
        if (c == '"' && (i == 0 || json->at[i - 1] != '\\'))
            quoted = !quoted;
        if (quoted)
            continue;
        if (depth == 0 && (c == ',' || c == ']'))
            break;
        depth += c == '[';
        depth -= c == ']';
    }
    struct ps_str value = {json->at, i};
    *json = ps_str_skip(*json, i < json->len && json->at[i] == ',' ? i + 1 : i);
    return value;
}

/* Returns the index-th value of a list; {NULL, 0} if it is not a list or too short. */
static struct ps_str list_value(struct ps_str list, size_t index)
{
    if (list.len < 2 || list.at[0] != '[')
        return (struct ps_str){0};
    struct ps_str rest = ps_str_skip(list, 1);
    for (size_t i = 0; rest.len > 0 && rest.at[0] != ']'; i++) {
        struct ps_str value = take_value(&rest);
        if (i == index)
            return value;
    }
    return (struct ps_str){0};
}

static struct ps_str trimmed(struct ps_str text)
{
    while (text.len && (text.at[0] == ' ' || text.at[0] == '"'))
        text = ps_str_skip(text, 1);
    while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '"'))
        text.len--;
    return text;
}

static struct dims dims_of(struct ps_str list)
{
    struct dims dims = {.n = 0, .tensor = list.len >= 2 && list.at[0] == '['};
    struct ps_str rest = ps_str_skip(list, 1);
    while (dims.tensor && rest.len > 0 && rest.at[0] != ']') {
        struct ps_str value = trimmed(take_value(&rest));
        dims.tensor =
            dims.n < DIMS_MAX && ps_str_i64(value, &dims.at[dims.n]) && dims.at[dims.n] >= 0;
        dims.n += dims.tensor;
    }
    return dims;
}

/* --- Matrix products and convolutions --- */

/* Returns the product; -1: negative factor or overflow. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

static int64_t product_of(const struct dims *dims)
{
    int64_t product = 1;
    for (size_t i = 0; i < dims->n; i++)
        product = times(product, dims->at[i]);
    return product;
}

static int64_t matrix_product(const struct dims *a, const struct dims *b, bool batched)
{
    size_t least = batched ? 3 : 2;
    if (a->n < least || b->n < least)
        return 0;
    int64_t inner = a->at[a->n - 1], batch = batched ? a->at[0] : 1;
    if (inner == 0 || batch == 0)
        return 0;
    int64_t left = product_of(a);
    return left < 0 ? 0 : times(2, times(left / inner / batch, product_of(b)));
}

struct convolution {
    int64_t stride[2], pad[2], dilation[2], groups;
};

/* Reads one or two numbers; one is used for both axes. */
static bool pair_of(struct ps_str concrete, size_t index, int64_t least, int64_t out[2])
{
    struct dims dims = dims_of(trimmed(list_value(concrete, index)));
    if (!dims.tensor || dims.n == 0)
        return false;
    out[0] = dims.at[0];
    out[1] = dims.n > 1 ? dims.at[1] : dims.at[0];
    return out[0] >= least && out[1] >= least;
}

static bool convolution_of(struct ps_str concrete, struct convolution *out)
{
    return pair_of(concrete, 3, 1, out->stride) && pair_of(concrete, 4, 0, out->pad) &&
           pair_of(concrete, 5, 0, out->dilation) &&
           ps_str_i64(trimmed(list_value(concrete, 6)), &out->groups) && out->groups > 0;
}

/* Returns the number of positions of the kernel on one axis. */
static int64_t places(int64_t size, int64_t kernel, const struct convolution *how, int axis)
{
    int64_t span = times(how->dilation[axis], kernel - 1);
    int64_t room = times(2, how->pad[axis]);
    if (kernel < 1 || span < 0 || room < 0 || __builtin_add_overflow(room, size, &room))
        return 0;
    return room < span + 1 ? 0 : (room - span - 1) / how->stride[axis] + 1;
}

static int64_t convolution_flops(const struct dims *input, const struct dims *weight,
                                 struct ps_str concrete)
{
    struct convolution how;
    if (input->n != 4 || weight->n != 4 || !convolution_of(concrete, &how))
        return 0;
    int64_t out = times(places(input->at[2], weight->at[2], &how, 0),
                        places(input->at[3], weight->at[3], &how, 1));
    int64_t kernel = times(weight->at[2], weight->at[3]);
    int64_t flops = times(times(2, input->at[0]), times(out, kernel));
    flops = times(flops, times(input->at[1], weight->at[0]));
    return flops < 0 ? 0 : flops / how.groups;
}

/* --- Templates --- */

static int64_t compute(const struct tr_trace *trace, enum tr_flops_kind kind,
                       const struct tr_template *template)
{
    struct ps_str shapes = tr_text(trace, template->shapes);
    size_t at = kind == TR_FLOPS_ADDMM || kind == TR_FLOPS_BADDBMM ? 1 : 0;
    struct dims first = dims_of(list_value(shapes, at));
    if (!first.tensor)
        return 0;
    if (kind == TR_FLOPS_ELEMENT)
        return product_of(&first);
    struct dims second = dims_of(list_value(shapes, at + 1));
    if (!second.tensor)
        return 0;
    if (kind == TR_FLOPS_CONV2D)
        return convolution_flops(
            &first, &second, ps_template_value(template->text, PS_STR("Concrete Inputs"), false));
    return matrix_product(&first, &second, kind == TR_FLOPS_BMM || kind == TR_FLOPS_BADDBMM);
}

struct tr_flops *tr_flops_new(const struct tr_trace *trace)
{
    struct tr_flops *flops = ps_alloc(sizeof *flops);
    flops->trace = trace;
    return flops;
}

int64_t tr_flops_of(struct tr_flops *flops, enum tr_flops_kind kind, uint32_t template_id)
{
    const struct tr_trace *trace = flops->trace;
    if (kind == TR_FLOPS_NONE || template_id >= trace->n_templates ||
        trace->templates[template_id].shapes == 0)
        return 0;
    if (flops->of[kind] == NULL)
        flops->of[kind] = ps_alloc_array(trace->n_templates, sizeof *flops->of[kind]);
    int64_t *known = &flops->of[kind][template_id];
    if (*known == 0) {
        int64_t value = compute(trace, kind, &trace->templates[template_id]);
        *known = value < 0 || value == INT64_MAX ? 1 : value + 1;
    }
    return *known - 1;
}

void tr_flops_free(struct tr_flops *flops)
{
    if (flops == NULL)
        return;
    for (size_t i = 0; i < TR_N_FLOPS; i++)
        free(flops->of[i]);
    free(flops);
}
