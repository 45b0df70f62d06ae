/* SPDX-License-Identifier: MIT */
#include "slices/op_model.h"

#include <math.h>
#include <stdlib.h>

#define DIM_MAX 9007199254740992.0 /* 2^53 */

const char *ps_number_type_name(enum ps_number_type type)
{
    static const char *const names[PS_N_NUMBER_TYPES] = {"unknown", "fp64", "fp32", "fp16",
                                                         "bf16",    "fp8",  "fp4",  "int8"};

    return type < PS_N_NUMBER_TYPES ? names[type] : names[0];
}

/* --- Reading what torch records --- */

static char peek(const struct ps_str *json)
{
    return json->len ? *json->ptr : '\0';
}

static void skip_blank(struct ps_str *json)
{
    while (peek(json) == ' ' || peek(json) == ',')
        *json = ps_str_skip(*json, 1);
}

static bool skip_char(struct ps_str *json, char c)
{
    skip_blank(json);
    if (peek(json) != c)
        return false;
    *json = ps_str_skip(*json, 1);
    return true;
}

/* Skips the rest of a list that is open. */
static void skip_list(struct ps_str *json)
{
    for (int depth = 1; json->len && depth > 0; *json = ps_str_skip(*json, 1))
        depth += *json->ptr == '[' ? 1 : *json->ptr == ']' ? -1 : 0;
}

static bool read_dim(struct ps_str *json, double *out)
{
    size_t n = 0;

    *out = 0;
    while (n < json->len && json->ptr[n] >= '0' && json->ptr[n] <= '9')
        *out = *out * 10 + (json->ptr[n++] - '0');
    *json = ps_str_skip(*json, n);
    return n > 0 && *out <= DIM_MAX;
}

/* Reads the dims of one input, "[15360, 4096]". A list of tensors has lists inside and stays
 * without dims. */
static bool read_dims(struct ps_str *json, struct ps_op_input *input)
{
    if (!skip_char(json, '['))
        return false;
    while (json->len) {
        skip_blank(json);
        if (skip_char(json, ']')) {
            input->is_tensor = true;
            return true;
        }
        if (peek(json) == '[' || input->n_dims == PS_OP_DIMS_MAX) {
            skip_list(json);
            input->n_dims = 0;
            return true;
        }
        if (!read_dim(json, &input->dims[input->n_dims]))
            return false;
        input->n_dims++;
    }
    return false;
}

/* Reads a string of a list; escapes stay as they are. */
static bool read_text(struct ps_str *json, struct ps_str *out)
{
    size_t n = 0;

    if (!skip_char(json, '"'))
        return false;
    while (n < json->len && json->ptr[n] != '"')
        n += json->ptr[n] == '\\' ? 2 : 1;
    if (n >= json->len)
        return false;
    *out = (struct ps_str){json->ptr, n};
    *json = ps_str_skip(*json, n + 1);
    return true;
}

static void set_type(struct ps_op_input *input, struct ps_str word)
{
    static const struct {
        const char *prefix;
        double bytes;
        enum ps_number_type type;
    } types[] = {
        {"c10::BFloat16", 2, PS_NUMBER_BF16}, {"c10::Half", 2, PS_NUMBER_FP16},
        {"c10::Float8", 1, PS_NUMBER_FP8},    {"c10::Float4", 1, PS_NUMBER_FP4},
        {"float", 4, PS_NUMBER_FP32},         {"double", 8, PS_NUMBER_FP64},
        {"long int", 8, PS_NUMBER_UNKNOWN},   {"int", 4, PS_NUMBER_UNKNOWN},
        {"short int", 2, PS_NUMBER_UNKNOWN},  {"signed char", 1, PS_NUMBER_INT8},
        {"unsigned char", 1, PS_NUMBER_INT8}, {"bool", 1, PS_NUMBER_UNKNOWN},
        {"Scalar", 4, PS_NUMBER_UNKNOWN},
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ps_str_starts_with(word, ps_str_from_c(types[i].prefix))) {
            input->element_bytes = types[i].bytes;
            input->type = types[i].type;
            return;
        }
}

bool ps_op_call_parse(struct ps_str name, struct ps_str dims, struct ps_str types,
                      struct ps_str values, struct ps_op_call *out)
{
    struct ps_str word;

    *out = (struct ps_op_call){.name = name};
    if (!skip_char(&dims, '['))
        return false;
    for (skip_blank(&dims); peek(&dims) != ']'; skip_blank(&dims)) {
        if (out->n == PS_OP_INPUTS_MAX)
            break;
        if (!read_dims(&dims, &out->inputs[out->n]))
            return false;
        out->n++;
    }
    if (skip_char(&types, '['))
        for (size_t i = 0; i < out->n && read_text(&types, &word); i++) {
            set_type(&out->inputs[i], word);
            if (word.len == 0 || ps_str_eq_c(word, "Scalar") ||
                ps_str_starts_with(word, PS_STR("ScalarList")) || ps_str_eq_c(word, "TensorList"))
                out->inputs[i].is_tensor = false;
        }
    if (skip_char(&values, '['))
        for (size_t i = 0; i < out->n && read_text(&values, &word); i++)
            out->inputs[i].value = word;
    return true;
}

/* --- Inputs --- */

static const struct ps_op_input NO_INPUT = {0};

static const struct ps_op_input *input_of(const struct ps_op_call *call, size_t i)
{
    return i < call->n ? &call->inputs[i] : &NO_INPUT;
}

static double product(const struct ps_op_input *input, size_t from)
{
    double all = 1;

    for (size_t i = from; i < input->n_dims; i++)
        all *= input->dims[i];
    return all;
}

static double elements(const struct ps_op_input *input)
{
    return input->is_tensor ? product(input, 0) : 0;
}

/* Bytes of an element; NaN, if the type is unknown, so that sums of bytes are unknown too. */
static double size_of(const struct ps_op_input *input)
{
    return input->element_bytes > 0 ? input->element_bytes : NAN;
}

static bool has_dims(const struct ps_op_input *input, size_t n)
{
    return input->is_tensor && input->n_dims == n;
}

static bool is_true(const struct ps_op_input *input)
{
    return ps_str_eq_c(input->value, "True");
}

/* Older versions of torch record no values of scalars. */
static bool is_recorded(const struct ps_op_input *input)
{
    return input->value.len > 0;
}

/* The integers of a list such as "[1, 1]"; how many there are, at most `max`. */
static size_t read_list(struct ps_str text, double *out, size_t max)
{
    size_t n = 0;

    if (!skip_char(&text, '['))
        return 0;
    while (n < max) {
        bool negative;

        skip_blank(&text);
        negative = skip_char(&text, '-');
        if (!read_dim(&text, &out[n]))
            break;
        out[n] = negative ? -out[n] : out[n];
        n++;
    }
    return n;
}

/* Whether the i-th entry of a list such as "[True, False, False]" is True. */
static bool mask_at(const struct ps_op_input *input, size_t i)
{
    struct ps_str text = input->value;

    if (!skip_char(&text, '['))
        return false;
    for (;; i--) {
        skip_blank(&text);
        if (i == 0)
            return ps_str_starts_with(text, PS_STR("True"));
        while (text.len && *text.ptr != ',' && *text.ptr != ']')
            text = ps_str_skip(text, 1);
        if (peek(&text) != ',')
            return false;
    }
}

/* --- Matrix products --- */

static void product_cost(double batch, double m, double n, double k, const double bytes[3],
                         struct ps_op_cost *out)
{
    out->flops = 2 * batch * m * n * k;
    out->bytes = batch * (m * k * bytes[0] + k * n * bytes[1] + m * n * bytes[2]);
    out->is_matrix = true;
}

/* The inputs a and b are matrices, or batches of them. */
static bool product_of(const struct ps_op_call *call, size_t a_index, bool is_batch,
                       struct ps_op_cost *out)
{
    const struct ps_op_input *a = input_of(call, a_index), *b = input_of(call, a_index + 1);
    size_t at = is_batch ? 1 : 0;
    const double bytes[3] = {size_of(a), size_of(b), size_of(a)};

    if (!has_dims(a, 2 + at) || !has_dims(b, 2 + at) || a->dims[at + 1] != b->dims[at] ||
        (is_batch && a->dims[0] != b->dims[0]))
        return false;
    product_cost(is_batch ? a->dims[0] : 1, a->dims[at], b->dims[at + 1], a->dims[at + 1], bytes,
                 out);
    out->type = a->type;
    return true;
}

static bool mm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    return product_of(call, 0, false, out);
}

static bool bmm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    return product_of(call, 0, true, out);
}

/* The bias of addmm is a row; beta·input is added to each element. */
static bool addmm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *a = input_of(call, 1), *b = input_of(call, 2);

    if (!product_of(call, 1, false, out))
        return false;
    out->flops += a->dims[0] * b->dims[1];
    out->bytes += b->dims[1] * size_of(a);
    return true;
}

static bool baddbmm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *a = input_of(call, 1), *b = input_of(call, 2);

    if (!product_of(call, 1, true, out))
        return false;
    out->flops += a->dims[0] * a->dims[1] * b->dims[2];
    out->bytes += a->dims[0] * b->dims[2] * size_of(a);
    return true;
}

/* _scaled_mm of 8-bit numbers writes 16-bit ones. */
static bool scaled_mm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *a = input_of(call, 0), *b = input_of(call, 1);
    double size = size_of(a);
    const double bytes[3] = {size, size, size == 1 ? 2 : size};

    if (!has_dims(a, 2) || !has_dims(b, 2) || a->dims[1] != b->dims[0])
        return false;
    product_cost(1, a->dims[0], b->dims[1], a->dims[1], bytes, out);
    out->type = a->type;
    return true;
}

/* One product for each group of rows (2D and 3D), of columns (3D and 2D) or of the summed dim (2D
 * and 2D), or a batch of products. `offsets`: input with the end of each group. */
static bool grouped_product(const struct ps_op_call *call, size_t offsets, double result_bytes,
                            struct ps_op_cost *out)
{
    const struct ps_op_input *a = input_of(call, 0), *b = input_of(call, 1),
                             *ends = input_of(call, offsets);
    double groups, m, n, k, results;

    if (!a->is_tensor || !b->is_tensor || a->n_dims < 2 || a->n_dims > 3 || b->n_dims < 2 ||
        b->n_dims > 3)
        return false;
    m = a->dims[a->n_dims - 2];
    k = a->dims[a->n_dims - 1];
    n = b->dims[b->n_dims - 1];
    if (b->dims[b->n_dims - 2] != k)
        return false;
    groups = a->n_dims == 3 ? a->dims[0] : b->n_dims == 3 ? b->dims[0] : 0;
    if (groups == 0)
        groups = has_dims(ends, 1) ? ends->dims[0] : 1;
    /* the groups share the rows, the columns or the summed dim unless both have a dim of their own
     */
    out->flops = 2 * m * n * k * (a->n_dims == 3 && b->n_dims == 3 ? groups : 1);
    results = m * n * (a->n_dims == b->n_dims ? groups : 1);
    out->bytes = elements(a) * size_of(a) + elements(b) * size_of(b) + results * result_bytes;
    out->is_matrix = true;
    out->type = a->type;
    return true;
}

/* _grouped_mm(self, mat2, offs, …) */
static bool grouped_mm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    return grouped_product(call, 2, size_of(input_of(call, 0)), out);
}

/* _scaled_grouped_mm(self, mat2, scale_a, scale_b, offs, …) writes 16-bit numbers. */
static bool scaled_grouped_mm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    return grouped_product(call, 4, 2, out);
}

/* Mixture of experts: fused_experts(x, w1, w2, weights of the chosen experts, their numbers, …). x
 * is (tokens, hidden), w1 (experts, rows, hidden), w2 (experts, hidden, inner): w1 has twice as
 * many rows as there are inner numbers if it has a gate. Which experts are chosen is not recorded:
 * the weights count for the expected number of them if each is equally likely, as TraceLens does.
 */
static bool fused_experts(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *x = input_of(call, 0), *w1 = input_of(call, 1),
                             *w2 = input_of(call, 2), *chosen = input_of(call, 4);
    double tokens, hidden, experts, rows, inner, pairs, used;

    if (!has_dims(x, 2) || !has_dims(w1, 3) || !has_dims(w2, 3) || !has_dims(chosen, 2) ||
        w1->dims[0] != w2->dims[0] || w1->dims[0] < 1 || chosen->dims[0] != x->dims[0])
        return false;
    tokens = x->dims[0];
    hidden = x->dims[1];
    experts = w1->dims[0];
    rows = w1->dims[1];
    pairs = tokens * chosen->dims[1];
    /* packed 4-bit weights have half of the columns */
    if (w1->dims[2] != hidden && 2 * w1->dims[2] != hidden)
        return false;
    inner = w2->dims[2] * (w1->dims[2] == hidden ? 1 : 2);
    if (rows != inner && rows != 2 * inner)
        return false;
    used = experts * (1 - pow(1 - 1 / experts, pairs));
    out->flops = 2 * pairs * hidden * (rows + inner);
    out->bytes = used / experts * (elements(w1) * size_of(w1) + elements(w2) * size_of(w2)) +
                 (tokens * hidden + pairs * rows + pairs * inner + tokens * hidden) * size_of(x);
    out->is_matrix = true;
    out->type = w1->type == PS_NUMBER_UNKNOWN ? x->type : w1->type;
    return true;
}

/* --- Convolutions --- */

struct convolution {
    struct ps_op_input x, w, y;
    bool has_bias, is_transposed;
    size_t n_space; /* dims after batch and channels */
    double stride[PS_OP_DIMS_MAX], padding[PS_OP_DIMS_MAX], dilation[PS_OP_DIMS_MAX],
        output_padding[PS_OP_DIMS_MAX];
};

static void fill_list(const struct ps_op_input *input, double otherwise, double *out, size_t n)
{
    size_t found = read_list(input->value, out, n);

    for (size_t i = found; i < n; i++)
        out[i] = found ? out[found - 1] : otherwise;
}

/* Inputs from `at` on: stride, padding, dilation, transposed, output_padding. */
static bool read_convolution(const struct ps_op_call *call, size_t x, size_t w, size_t at,
                             struct convolution *out)
{
    out->x = *input_of(call, x);
    out->w = *input_of(call, w);
    if (!out->x.is_tensor || !out->w.is_tensor || out->x.n_dims < 3 ||
        out->x.n_dims != out->w.n_dims || !is_recorded(input_of(call, at)) ||
        !is_recorded(input_of(call, at + 1)) || !is_recorded(input_of(call, at + 2)) ||
        !is_recorded(input_of(call, at + 3)))
        return false;
    out->n_space = out->x.n_dims - 2;
    out->is_transposed = is_true(input_of(call, at + 3));
    fill_list(input_of(call, at), 1, out->stride, out->n_space);
    fill_list(input_of(call, at + 1), 0, out->padding, out->n_space);
    fill_list(input_of(call, at + 2), 1, out->dilation, out->n_space);
    fill_list(input_of(call, at + 4), 0, out->output_padding, out->n_space);
    return true;
}

/* Sets the shape of the output from those of the input and the weight. groups: of the channels. */
static bool set_output(struct convolution *c, double groups)
{
    c->y = c->x;
    c->y.dims[1] = c->is_transposed ? c->w.dims[1] * groups : c->w.dims[0];
    for (size_t i = 0; i < c->n_space; i++) {
        double in = c->x.dims[2 + i], reach = c->dilation[i] * (c->w.dims[2 + i] - 1);

        if (!(c->stride[i] > 0))
            return false;
        c->y.dims[2 + i] =
            c->is_transposed
                ? (in - 1) * c->stride[i] - 2 * c->padding[i] + reach + c->output_padding[i] + 1
                : floor((in + 2 * c->padding[i] - reach - 1) / c->stride[i]) + 1;
        if (!(c->y.dims[2 + i] >= 0))
            return false;
    }
    return true;
}

/* Each element of the output (of the input, if transposed) meets each weight of its channel. */
static double convolution_flops(const struct convolution *c)
{
    return 2 * product(&c->w, 1) * elements(c->is_transposed ? &c->x : &c->y);
}

static bool convolution(const struct ps_op_call *call, struct ps_op_cost *out)
{
    struct convolution c = {.has_bias = input_of(call, 2)->is_tensor};
    double groups, size, bias;

    if (!read_convolution(call, 0, 1, 3, &c))
        return false;
    groups = c.w.dims[1] > 0 ? c.x.dims[1] / c.w.dims[1] : 1;
    if (c.is_transposed && read_list(input_of(call, 8)->value, &groups, 1) == 0)
        groups = strtod(input_of(call, 8)->value.len ? input_of(call, 8)->value.ptr : "1", NULL);
    if (!set_output(&c, groups > 0 ? groups : 1))
        return false;
    bias = c.has_bias ? 1 : 0;
    size = size_of(&c.x);
    out->flops = convolution_flops(&c) + bias * elements(&c.y);
    out->bytes = (elements(&c.x) + elements(&c.w) + elements(&c.y) + bias * c.y.dims[1]) * size;
    out->is_matrix = true;
    out->type = c.x.type;
    return true;
}

/* convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation,
 * transposed, output_padding, groups, output_mask): a convolution for each of the gradients of the
 * input and the weight, which need as many operations as the convolution. */
static bool convolution_backward(const struct ps_op_call *call, struct ps_op_cost *out)
{
    struct convolution c = {.has_bias = false};
    const struct ps_op_input *gradient = input_of(call, 0), *mask = input_of(call, 10);
    bool of_input = mask->value.len == 0 || mask_at(mask, 0),
         of_weight = mask->value.len == 0 || mask_at(mask, 1),
         of_bias = mask->value.len > 0 && mask_at(mask, 2);
    double all, size;

    if (!read_convolution(call, 1, 2, 4, &c) || !gradient->is_tensor ||
        gradient->n_dims != c.x.n_dims)
        return false;
    c.y = *gradient;
    size = size_of(gradient);
    all = elements(&c.x) + elements(&c.w) + elements(&c.y);
    out->flops = convolution_flops(&c) * ((of_input ? 1 : 0) + (of_weight ? 1 : 0)) +
                 (of_bias ? elements(&c.y) : 0);
    out->bytes = (all * ((of_input ? 1 : 0) + (of_weight ? 1 : 0)) +
                  (of_bias ? elements(&c.y) + c.y.dims[1] : 0)) *
                 size;
    out->is_matrix = true;
    out->type = c.x.type;
    return true;
}

/* --- Attention --- */

struct attention {
    double batch, queries, q_heads, keys, k_heads, q_size, v_size;
    enum ps_number_type type;
    double bytes;
};

/* q, k and v as (batch, heads, tokens, size), or (batch, tokens, heads, size). */
static bool read_attention(const struct ps_op_call *call, size_t at, bool heads_first,
                           struct attention *out)
{
    const struct ps_op_input *q = input_of(call, at), *k = input_of(call, at + 1),
                             *v = input_of(call, at + 2);
    size_t heads = heads_first ? 1 : 2, tokens = heads_first ? 2 : 1;

    if (!has_dims(q, 4) || !has_dims(k, 4) || !has_dims(v, 4))
        return false;
    *out = (struct attention){.batch = q->dims[0],
                              .queries = q->dims[tokens],
                              .q_heads = q->dims[heads],
                              .keys = k->dims[tokens],
                              .k_heads = k->dims[heads],
                              .q_size = q->dims[3],
                              .v_size = v->dims[3],
                              .type = q->type,
                              .bytes = size_of(q)};
    return true;
}

/* Half of the products, if a query sees only the tokens up to its own. With other numbers of
 * queries and keys that is not known. */
static bool causal_share(const struct attention *a, bool is_causal, double *out)
{
    *out = is_causal ? 0.5 : 1;
    return !is_causal || a->queries == a->keys;
}

static bool attention_cost(const struct attention *a, bool is_causal, struct ps_op_cost *out)
{
    double share;

    if (!causal_share(a, is_causal, &share))
        return false;
    out->flops = share * 2 * a->batch * a->q_heads * a->queries * a->keys * (a->q_size + a->v_size);
    out->bytes = a->batch * a->bytes *
                 (a->queries * a->q_heads * (a->q_size + a->v_size) +
                  a->keys * a->k_heads * (a->q_size + a->v_size));
    out->is_matrix = true;
    out->type = a->type;
    return true;
}

/* _scaled_dot_product_flash_attention(q, k, v, dropout, is_causal, …) */
static bool flash_attention(const struct ps_op_call *call, struct ps_op_cost *out)
{
    struct attention a;

    return read_attention(call, 0, true, &a) && is_recorded(input_of(call, 4)) &&
           attention_cost(&a, is_true(input_of(call, 4)), out);
}

/* _scaled_dot_product_efficient_attention and _cudnn_attention(q, k, v, bias, log-sum-exp, dropout,
 * is_causal, …) */
static bool efficient_attention(const struct ps_op_call *call, struct ps_op_cost *out)
{
    struct attention a;

    return read_attention(call, 0, true, &a) && is_recorded(input_of(call, 6)) &&
           attention_cost(&a, is_true(input_of(call, 6)), out);
}

/* The backward pass computes the scores again, and four products: the gradients of v, of the
 * scores, of q and of k. Inputs: gradient, q, k, v, output, … */
static bool attention_backward(const struct ps_op_call *call, size_t causal_at, bool recomputes,
                               struct ps_op_cost *out)
{
    struct attention a;
    double share, per;

    if (!read_attention(call, 1, true, &a) || !is_recorded(input_of(call, causal_at)) ||
        !causal_share(&a, is_true(input_of(call, causal_at)), &share))
        return false;
    per = (recomputes ? a.q_size : 0) + 2 * a.v_size + 2 * a.q_size;
    out->flops = share * 2 * a.batch * a.q_heads * a.queries * a.keys * per;
    out->bytes = a.batch * a.bytes *
                 (a.queries * a.q_heads * (2 * a.q_size + a.v_size) +
                  2 * a.keys * a.k_heads * (a.q_size + a.v_size));
    out->is_matrix = true;
    out->type = a.type;
    return true;
}

static bool flash_attention_backward(const struct ps_op_call *call, struct ps_op_cost *out)
{
    return attention_backward(call, 11, true, out);
}

static bool efficient_attention_backward(const struct ps_op_call *call, struct ps_op_cost *out)
{
    return attention_backward(call, 11, false, out);
}

/* --- Elementwise and reductions --- */

static bool unary(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *in = input_of(call, 0), *second = input_of(call, 1);
    double n = elements(in);

    if (!in->is_tensor)
        return false;
    out->flops = n;
    out->bytes = n * size_of(in) + n * size_of(second->is_tensor && second->n_dims ? second : in);
    out->type = in->type;
    return true;
}

/* The number of elements of the shape to which both are broadcast; NaN: they do not fit. */
static double broadcast(const struct ps_op_input *a, const struct ps_op_input *b)
{
    size_t n = a->n_dims > b->n_dims ? a->n_dims : b->n_dims;
    double all = 1;

    for (size_t i = 0; i < n; i++) {
        double x = i < a->n_dims ? a->dims[a->n_dims - 1 - i] : 1,
               y = i < b->n_dims ? b->dims[b->n_dims - 1 - i] : 1;

        if (x != y && x != 1 && y != 1)
            return NAN;
        all *= x == 1 ? y : x;
    }
    return all;
}

static bool binary(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *a = input_of(call, 0), *b = input_of(call, 1);
    bool is_scalar = !b->is_tensor || b->n_dims == 0;
    double n = is_scalar ? elements(a) : broadcast(a, b), size;

    if (!a->is_tensor || call->n < 2 || isnan(n))
        return false;
    /* the type of the result is that of the larger, a scalar does not change it */
    size = is_scalar || a->n_dims == 0 ? size_of(a) : fmax(size_of(a), size_of(b));
    out->flops = n;
    out->bytes = elements(a) * size_of(a) + (is_scalar ? 1 : elements(b)) * size_of(b) + n * size;
    out->type = a->type;
    return true;
}

/* The dims over which a reduction runs are not always recorded: only the input is counted, and the
 * output where it is one number or the dims are known. */
static bool reduction(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *in = input_of(call, 0);
    double dims[PS_OP_DIMS_MAX], left = elements(in);
    size_t n = read_list(input_of(call, 1)->value, dims, PS_OP_DIMS_MAX);

    if (!in->is_tensor)
        return false;
    for (size_t i = 0; i < n; i++) {
        double at = dims[i] < 0 ? dims[i] + (double)in->n_dims : dims[i];

        if (at >= 0 && at < (double)in->n_dims && in->dims[(size_t)at] > 0)
            left /= in->dims[(size_t)at];
    }
    out->flops = elements(in);
    out->bytes = elements(in) * size_of(in) + (n ? left : 1) * size_of(in);
    out->type = in->type;
    return true;
}

/* A running sum has as many results as numbers. */
static bool running_sum(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *in = input_of(call, 0);

    if (!in->is_tensor)
        return false;
    out->flops = elements(in);
    out->bytes = 2 * elements(in) * size_of(in);
    out->type = in->type;
    return true;
}

/* --- Norms --- */

struct norm {
    const struct ps_op_input *x;
    double channels; /* elements that are normalized with one weight each */
    bool has_weight, has_bias, is_training;
};

/* Mean and variance of each channel, then scale and shift of each element; in training the
 * statistics are computed first. */
static bool norm_cost(const struct norm *norm, struct ps_op_cost *out)
{
    double n = elements(norm->x), size = size_of(norm->x);
    int per_channel =
        2 + norm->has_weight + (norm->has_weight && norm->has_bias) + 2 * norm->is_training;

    if (!norm->x->is_tensor || !(norm->channels > 0))
        return false;
    out->flops = 6 * norm->channels + 2 * n + (norm->is_training ? 3 * n : 0);
    out->bytes = 2 * n * size + norm->channels * size * per_channel;
    out->type = norm->x->type;
    return true;
}

static double channels_of(const struct ps_op_input *x)
{
    return x->n_dims > 1 ? x->dims[1] : 0;
}

/* batch_norm(x, weight, bias, mean, variance, training, …) */
static bool batch_norm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *x = input_of(call, 0);
    const struct norm norm = {x, channels_of(x), input_of(call, 1)->is_tensor,
                              input_of(call, 2)->is_tensor, is_true(input_of(call, 5))};

    return is_recorded(input_of(call, 5)) && norm_cost(&norm, out);
}

/* Elements of a normalized shape such as "[16, 32, 32]"; 0: not recorded. */
static double shape_size(const struct ps_op_input *shape)
{
    double dims[PS_OP_DIMS_MAX], all = 1;
    size_t n = read_list(shape->value, dims, PS_OP_DIMS_MAX);

    for (size_t i = 0; i < n; i++)
        all *= dims[i];
    return n ? all : 0;
}

/* layer_norm(x, shape, weight, bias, …) */
static bool layer_norm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct norm norm = {input_of(call, 0), shape_size(input_of(call, 1)),
                              input_of(call, 2)->is_tensor, input_of(call, 3)->is_tensor, true};

    return norm_cost(&norm, out);
}

/* group_norm(x, groups, weight, bias, …) and native_group_norm(x, weight, bias, …) */
static bool group_norm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *x = input_of(call, 0);
    size_t weight = ps_str_eq_c(call->name, "aten::group_norm") ? 2 : 1;
    const struct norm norm = {x, channels_of(x), input_of(call, weight)->is_tensor,
                              input_of(call, weight + 1)->is_tensor, true};

    return norm_cost(&norm, out);
}

/* The gradient of x needs the statistics again, the gradients of weight and bias a sum each. */
static bool norm_backward_cost(const struct norm *norm, const struct ps_op_input *gradient,
                               bool of_input, struct ps_op_cost *out)
{
    double n = elements(norm->x), size = size_of(norm->x), gradient_size = size_of(gradient);
    int per_channel = norm->is_training + norm->has_weight +
                      (norm->is_training && norm->has_weight ? 1 + norm->has_bias : 0);

    if (!norm->x->is_tensor || !(norm->channels > 0))
        return false;
    out->flops = 4 * n + (of_input ? (norm->is_training ? 5 * n : 0) : 2 * n) +
                 (norm->is_training ? 0 : 3 * norm->channels);
    out->bytes = n * gradient_size + n * size * (of_input && norm->is_training ? 2 : 1) +
                 norm->channels * size * per_channel;
    out->type = norm->x->type;
    return true;
}

/* native_layer_norm_backward(gradient, x, shape, mean, rstd, weight, bias, mask) */
static bool layer_norm_backward(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct norm norm = {input_of(call, 1), shape_size(input_of(call, 2)),
                              input_of(call, 5)->is_tensor, input_of(call, 6)->is_tensor, true};

    return norm_backward_cost(&norm, input_of(call, 0), mask_at(input_of(call, 7), 0), out);
}

/* native_group_norm_backward(gradient, x, mean, rstd, weight, N, C, HxW, groups, mask) */
static bool group_norm_backward(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *x = input_of(call, 1);
    const struct norm norm = {x, channels_of(x), input_of(call, 4)->is_tensor,
                              input_of(call, 4)->is_tensor, true};

    return norm_backward_cost(&norm, input_of(call, 0), mask_at(input_of(call, 9), 0), out);
}

/* native_batch_norm_backward(gradient, x, weight, mean, variance, saved mean, saved variance,
 * training, eps, mask) */
static bool batch_norm_backward(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *x = input_of(call, 1), *mask = input_of(call, 9);
    const struct norm norm = {x, channels_of(x), input_of(call, 2)->is_tensor, mask_at(mask, 2),
                              is_true(input_of(call, 7))};

    return is_recorded(mask) && norm_backward_cost(&norm, input_of(call, 0), mask_at(mask, 0), out);
}

/* The mean of the squares of `channels` elements, then two products for each element. */
static bool rms_cost(const struct ps_op_input *x, double channels, bool has_weight, double reads,
                     struct ps_op_cost *out)
{
    double n = elements(x), size = size_of(x);

    if (!x->is_tensor || !(channels > 0))
        return false;
    out->flops = n / channels * (2 * channels + 2) + n * (has_weight ? 2 : 1);
    out->bytes = n * size * reads + (has_weight ? channels * size : 0);
    out->type = x->type;
    return true;
}

/* _fused_rms_norm(x, shape, weight, eps) */
static bool fused_rms_norm(const struct ps_op_call *call, struct ps_op_cost *out)
{
    return rms_cost(input_of(call, 0), shape_size(input_of(call, 1)), input_of(call, 2)->is_tensor,
                    2, out);
}

/* _fused_rms_norm_backward(gradient, x, shape, rstd, weight, mask) */
static bool fused_rms_norm_backward(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *x = input_of(call, 1);
    double n = elements(x), channels = shape_size(input_of(call, 2)), size = size_of(x);
    bool has_weight = input_of(call, 4)->is_tensor;

    if (!x->is_tensor || !(channels > 0))
        return false;
    out->flops = n * (mask_at(input_of(call, 5), 1) ? 10 : 8);
    out->bytes = 3 * n * size + (has_weight ? 2 * channels * size : 0);
    out->type = x->type;
    return true;
}

static double last_dim(const struct ps_op_input *x)
{
    return x->n_dims ? x->dims[x->n_dims - 1] : 0;
}

/* aiter::rmsnorm(output, x, weight, eps) and vllm::rms_norm, which have the same inputs */
static bool rms_norm_to(const struct ps_op_call *call, struct ps_op_cost *out)
{
    return rms_cost(input_of(call, 1), last_dim(input_of(call, 1)), input_of(call, 2)->is_tensor, 2,
                    out);
}

/* aiter::add_rmsnorm(output, x, residual, new residual, weight, eps): adds the residual first */
static bool add_rms_norm_to(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *x = input_of(call, 1);

    if (!rms_cost(x, last_dim(x), input_of(call, 4)->is_tensor, 4, out))
        return false;
    out->flops += elements(x);
    return true;
}

/* --- Kernels of serving engines --- */

/* silu_and_mul(output, x): sigmoid, two products and their like for each element of the output */
static bool silu_and_mul(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *y = input_of(call, 0), *x = input_of(call, 1);

    if (!y->is_tensor || !x->is_tensor || elements(x) != 2 * elements(y))
        return false;
    out->flops = 5 * elements(y);
    out->bytes = elements(y) * size_of(y) + elements(x) * size_of(x);
    out->type = x->type;
    return true;
}

/* rotary_embedding(positions, q, k, …): in place */
static bool rotary_embedding(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *q = input_of(call, 1), *k = input_of(call, 2);

    if (!q->is_tensor || q->n_dims == 0)
        return false;
    out->flops = 3 * (elements(q) + elements(k));
    out->bytes = 2 * (elements(q) + elements(k)) * size_of(q);
    out->type = q->type;
    return true;
}

/* store_cache(keys, values, cache of keys, cache of values, …): reads and writes both once */
static bool store_cache(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *k = input_of(call, 0), *v = input_of(call, 1);

    if (!k->is_tensor || !v->is_tensor)
        return false;
    out->flops = 0;
    out->bytes = 2 * (elements(k) * size_of(k) + elements(v) * size_of(v));
    out->type = k->type;
    return true;
}

/* The name that SGLang's profiler gives to its attention, with a number at its end. */
#define SGLANG_ATTENTION "sglang_profiler::attention_paged_attention_ragged"

/* q is (tokens, heads, size), k (…, heads, size). SGLang's attention has output and workspace
 * before them. */
bool ps_op_paged_attention(const struct ps_op_call *call, const struct ps_serving_step *step,
                           struct ps_op_cost *out)
{
    const unsigned first = ps_str_starts_with(call->name, PS_STR(SGLANG_ATTENTION)) ? 2 : 0;
    const struct ps_op_input *q = input_of(call, first), *k = input_of(call, first + 1),
                             *v = input_of(call, first + 2);
    const struct ps_serving_group *c = &step->prefill, *g = &step->decode;
    double heads, k_heads, sizes;

    *out = (struct ps_op_cost){0};
    if (!has_dims(q, 3) || !k->is_tensor || k->n_dims < 3 || !v->is_tensor || v->n_dims < 3 ||
        !step->is_detailed || c->tokens < 0 || c->context < c->tokens || c->tokens_squared < 0 ||
        c->tokens_by_context < 0 || g->tokens < 0 || g->context < g->tokens ||
        g->tokens_by_context < 0)
        return false;
    heads = q->dims[1];
    k_heads = k->dims[k->n_dims - 2];
    sizes = q->dims[2] + v->dims[v->n_dims - 1];
    /* A token of a prefill sees the tokens before it, so half of the square of the new ones is
     * left out; a token of a decode sees its whole context. */
    out->flops = heads * sizes *
                 (2.0 * (double)c->tokens_by_context - (double)c->tokens_squared +
                  2.0 * (double)g->tokens_by_context);
    out->bytes = (double)(c->tokens + g->tokens) * (heads * sizes + k_heads * sizes) * size_of(q) +
                 (double)((c->context - c->tokens) + (g->context - g->tokens)) * k_heads * sizes *
                     size_of(k);
    out->is_matrix = true;
    out->type = q->type;
    return isfinite(out->flops) && out->flops >= 0;
}

bool ps_op_is_paged_attention(struct ps_str name)
{
    static const char *const names[] = {"aiter::mha_batch_prefill", "vllm::unified_attention",
                                        "vllm::unified_attention_with_output"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ps_str_eq_c(name, names[i]))
            return true;
    return ps_str_starts_with(name, PS_STR(SGLANG_ATTENTION));
}

/* aiter::gemm_a16w16(A, B, …): the weight has the form N×K */
static bool gemm_transposed(const struct ps_op_call *call, struct ps_op_cost *out)
{
    const struct ps_op_input *a = input_of(call, 0), *b = input_of(call, 1);
    const double bytes[3] = {size_of(a), size_of(b), size_of(a)};

    if (!has_dims(a, 2) || !has_dims(b, 2) || a->dims[1] != b->dims[1])
        return false;
    product_cost(1, a->dims[0], b->dims[0], a->dims[1], bytes, out);
    out->type = a->type;
    return true;
}

/* --- Table --- */

typedef bool model(const struct ps_op_call *call, struct ps_op_cost *out);

static const struct {
    const char *name;
    model *cost;
} models[] = {
    {"aten::mm", mm},
    {"aten::bmm", bmm},
    {"aten::addmm", addmm},
    {"aten::baddbmm", baddbmm},
    {"aten::_scaled_mm", scaled_mm},
    {"aten::_grouped_mm", grouped_mm},
    {"aten::_scaled_grouped_mm", scaled_grouped_mm},
    {"vllm::inplace_fused_experts", fused_experts},
    {"vllm::outplace_fused_experts", fused_experts},
    {"sglang::inplace_fused_experts", fused_experts},
    {"sglang::outplace_fused_experts", fused_experts},
    {"aten::convolution", convolution},
    {"aten::convolution_backward", convolution_backward},
    {"aten::_scaled_dot_product_flash_attention", flash_attention},
    {"aten::_scaled_dot_product_efficient_attention", efficient_attention},
    {"aten::_scaled_dot_product_cudnn_attention", efficient_attention},
    {"aten::_scaled_dot_product_flash_attention_backward", flash_attention_backward},
    {"aten::_scaled_dot_product_efficient_attention_backward", efficient_attention_backward},
    {"aten::batch_norm", batch_norm},
    {"aten::native_batch_norm", batch_norm},
    {"aten::cudnn_batch_norm", batch_norm},
    {"aten::miopen_batch_norm", batch_norm},
    {"aten::instance_norm", batch_norm},
    {"aten::native_batch_norm_backward", batch_norm_backward},
    {"aten::layer_norm", layer_norm},
    {"aten::native_layer_norm", layer_norm},
    {"aten::native_layer_norm_backward", layer_norm_backward},
    {"aten::group_norm", group_norm},
    {"aten::native_group_norm", group_norm},
    {"aten::native_group_norm_backward", group_norm_backward},
    {"aten::_fused_rms_norm", fused_rms_norm},
    {"aten::_fused_rms_norm_backward", fused_rms_norm_backward},
    {"aiter::rmsnorm", rms_norm_to},
    {"aiter::add_rmsnorm", add_rms_norm_to},
    {"aiter::gemm_a16w16", gemm_transposed},
    {"sgl_kernel::silu_and_mul", silu_and_mul},
    {"sgl_kernel::rotary_embedding", rotary_embedding},
    {"sglang::store_cache", store_cache},
    {"_C_cache_ops::reshape_and_cache", store_cache},
    {"_C_cache_ops::reshape_and_cache_flash", store_cache},
    {"_C::silu_and_mul", silu_and_mul},
    {"_C::rms_norm", rms_norm_to},
    {"_C::rotary_embedding", rotary_embedding},
    {"aten::copy_", unary},
    {"aten::clamp", unary},
    {"aten::clamp_min", unary},
    {"aten::clamp_min_", unary},
    {"aten::relu", unary},
    {"aten::relu_", unary},
    {"aten::gelu", unary},
    {"aten::silu", unary},
    {"aten::sigmoid", unary},
    {"aten::tanh", unary},
    {"aten::exp", unary},
    {"aten::log", unary},
    {"aten::sin", unary},
    {"aten::cos", unary},
    {"aten::sqrt", unary},
    {"aten::rsqrt", unary},
    {"aten::reciprocal", unary},
    {"aten::neg", unary},
    {"aten::abs", unary},
    {"aten::pow", unary},
    {"aten::add", binary},
    {"aten::add_", binary},
    {"aten::sub", binary},
    {"aten::sub_", binary},
    {"aten::mul", binary},
    {"aten::mul_", binary},
    {"aten::div", binary},
    {"aten::div_", binary},
    {"aten::sigmoid_backward", binary},
    {"aten::threshold_backward", binary},
    {"aten::sum", reduction},
    {"aten::mean", reduction},
    {"aten::max", reduction},
    {"aten::min", reduction},
    {"aten::cumsum", running_sum},
};

static model *model_of(struct ps_str name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (ps_str_eq_c(name, models[i].name))
            return models[i].cost;
    return NULL;
}

bool ps_op_has_model(struct ps_str name)
{
    return model_of(name) != NULL || ps_op_is_paged_attention(name);
}

bool ps_op_model(const struct ps_op_call *call, struct ps_op_cost *out)
{
    model *cost = model_of(call->name);

    *out = (struct ps_op_cost){0};
    return cost && cost(call, out) && isfinite(out->flops) && out->flops >= 0 &&
           (isnan(out->bytes) || (isfinite(out->bytes) && out->bytes >= 0));
}
