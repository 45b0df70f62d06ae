/* SPDX-License-Identifier: MIT */
/*
 * torch_names.c: classifies the names of operators and kernels.
 *
 * Families are used only for colours. They are determined from parts of names, and the lists need
 * not be complete. The list of hidden names is from torch's profiler (autograd/profiler.py).
 */
#include "importers/trace/torch.h"

#include <stdlib.h>

#include "slices/kernel_names.h"

static bool starts_with_any(struct ps_str name, const char *const *words)
{
    for (; *words; words++) {
        if (ps_str_starts_with(name, ps_str_from_c(*words)))
            return true;
    }
    return false;
}

static bool contains_any(struct ps_str name, const char *const *words)
{
    for (; *words; words++) {
        if (ps_str_find(name, ps_str_from_c(*words)))
            return true;
    }
    return false;
}

static bool is_one_of(struct ps_str name, const char *const *words)
{
    for (; *words; words++) {
        if (ps_str_eq_c(name, *words))
            return true;
    }
    return false;
}

static bool is_hidden(struct ps_str name)
{
    static const char *const words[] = {"[memory]",
                                        "[OutOfMemory]",
                                        "profiler::_record_function_enter",
                                        "profiler::_record_function_enter_new",
                                        "profiler::_record_function_exit",
                                        "aten::is_leaf",
                                        "aten::output_nr",
                                        "aten::_version",
                                        NULL};
    return is_one_of(name, words);
}

static bool is_step(struct ps_str name)
{
    return ps_str_starts_with(name, PS_STR("ProfilerStep#"));
}

static bool is_host_work(struct ps_str name)
{
    static const char *const words[] = {"gloo:", "mpi:", "ucc:", NULL};
    return starts_with_any(name, words);
}

static bool is_work(struct ps_str name)
{
    static const char *const words[] = {"nccl:", "xccl:", "hccl:", NULL};
    return starts_with_any(name, words) || is_host_work(name);
}

static bool is_collective(struct ps_str name)
{
    static const char *const words[] = {"c10d::", "record_param_comms",
                                        "_c10d_functional::", "c10d_functional::", NULL};
    return is_work(name) || starts_with_any(name, words);
}

static enum tr_flops_kind flops_kind(struct ps_str name)
{
    static const struct {
        const char *name;
        enum tr_flops_kind kind;
    } words[] = {
        {"aten::mm", TR_FLOPS_MM},         {"aten::addmm", TR_FLOPS_ADDMM},
        {"aten::bmm", TR_FLOPS_BMM},       {"aten::baddbmm", TR_FLOPS_BADDBMM},
        {"aten::mul", TR_FLOPS_ELEMENT},   {"aten::add", TR_FLOPS_ELEMENT},
        {"aten::conv2d", TR_FLOPS_CONV2D},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ps_str_eq_c(name, words[i].name))
            return words[i].kind;
    }
    return TR_FLOPS_NONE;
}

/* Returns the part of a name that decides its family, for example "addmm" for
 * "autograd::engine::evaluate_function: AddmmBackward0": after the last colon, in lower case,
 * without "_" at its ends and without "Backward0". */
static struct ps_str bare_word(struct ps_str name, char *buf, size_t size)
{
    size_t from = name.len;
    while (from > 0 && name.ptr[from - 1] != ':')
        from--;
    while (from < name.len && (name.ptr[from] == ' ' || name.ptr[from] == '_'))
        from++;
    size_t len = 0;
    for (size_t i = from; i < name.len && len < size; i++) {
        char c = name.ptr[i];
        buf[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    while (len > 0 && (buf[len - 1] == '_' || (buf[len - 1] >= '0' && buf[len - 1] <= '9')))
        len--;
    if (len > 8 && memcmp(buf + len - 8, "backward", 8) == 0)
        len -= buf[len - 9] == '_' ? 9 : 8;
    return (struct ps_str){buf, len};
}

/* Words of one family, NULL after the last. */
struct family_words {
    uint8_t family;
    const char *const *words;
};
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Words that must be equal to the complete bare word, because they are too short or too common
 * inside other words. */
static const struct family_words whole_words[] = {
    {PS_FAMILY_MATMUL, WORDS("mm", "bmm", "lstm", "gru")},
    {PS_FAMILY_MEMORY,
     WORDS("t", "to", "cat", "stack", "item", "slice", "select", "detach", "alias", "chunk",
           "narrow", "unbind", "set", "roll", "flip", "full", "full_like", "lift_fresh", "arange",
           "local_scalar_dense", "pad", "unfold", "movedim", "type_as", "scalar_tensor")},
    {PS_FAMILY_ELEMENTWISE,
     WORDS("eq", "ne", "lt", "gt", "le", "ge", "neg", "abs", "sum", "mean", "max", "min", "argmax",
           "argmin", "sin", "cos", "std", "var", "all", "any", "round", "floor", "ceil", "topk",
           "normal", "log", "log1p", "square", "minimum", "maximum", "tril", "triu")},
};

/* Words that may be part of a bare word. The first list with a match wins. */
static const struct family_words word_parts[] = {
    {PS_FAMILY_COMMUNICATION, WORDS("all_reduce", "allreduce", "all_gather", "allgather",
                                    "reduce_scatter", "all_to_all", "alltoall", "all2all")},
    {PS_FAMILY_NORM, WORDS("norm")},
    {PS_FAMILY_ATTENTION, WORDS("attention", "attn", "mha_", "sdpa")},
    {PS_FAMILY_MATMUL, WORDS("conv", "matmul", "addmm", "baddbmm", "_mm", "addmv", "linear", "gemm",
                             "einsum", "tensordot", "moe", "rnn_layer", "_rnn")},
    {PS_FAMILY_MEMORY, WORDS("copy", "clone", "contiguous", "empty", "zero", "ones", "fill", "view",
                             "shape", "transpose", "permute", "strided", "expand", "squeeze",
                             "flatten", "resize", "pin_memory", "gather", "scatter", "index",
                             "embedding", "split", "broadcast", "repeat", "resolve_", "_pad")},
    {PS_FAMILY_DATA, WORDS("dataloader")},
    {PS_FAMILY_ELEMENTWISE,
     WORDS("add", "sub", "mul", "div", "relu", "gelu", "silu", "sigmoid", "tanh", "soft", "exp",
           "logit", "logical", "sqrt", "pow", "clamp", "dropout", "where", "mask", "lerp", "random",
           "uniform", "rand", "bernoulli", "loss", "foreach", "reciprocal", "pool",
           "accumulategrad", "bitwise", "fused", "threshold", "cumsum", "quant", "upsample",
           "nan_to_num", "rotary", "entropy")},
};

/* Words that may be part of the name of a kernel. */
static const struct family_words kernel_parts[] = {
    /* serving engines store keys and values with the last two */
    {PS_FAMILY_MEMORY, WORDS("Memcpy", "Memset", "reshape_and_cache", "concat_and_cache")},
    {PS_FAMILY_NORM, WORDS("norm", "Norm", "bn_")},
    {PS_FAMILY_ATTENTION,
     WORDS("attention", "Attention", "attn", "Attn", "fmha", "Fmha", "FMHA", "flash_fwd",
           "flash_bwd", "flash_fprop", "flash_bprop", "flash::", "sdpa", "PagedKV")},
    {PS_FAMILY_MATMUL,
     WORDS("gemm", "Gemm", "GEMM", "gemv", "conv", "cutlass", "xmma", "wgrad", "dgrad", "winograd",
           "Cijk_", "nvjet", "splitK", "bmm_", "matmul", "fused_moe")},
    {PS_FAMILY_MEMORY, WORDS("CatArray", "FillFunctor", "copy", "nchwToNhwc", "nhwcToNchw",
                             "transpose", "index", "gather", "embedding")},
    {PS_FAMILY_ELEMENTWISE,
     WORDS("elementwise", "reduce", "oftmax", "SoftMax", "multi_tensor", "triton_", "pool",
           "pointwise", "cub::", "rocprim", "rotary", "quant", "act_and_mul", "dropout")},
};

#define FAMILY_OF(table, name, match) family_of(table, sizeof table / sizeof *table, name, match)

static uint8_t family_of(const struct family_words *table, size_t n, struct ps_str name,
                         bool (*match)(struct ps_str name, const char *const *words))
{
    for (size_t i = 0; i < n; i++) {
        if (match(name, table[i].words))
            return table[i].family;
    }
    return PS_FAMILY_RUNTIME;
}

static uint8_t host_family(struct ps_str name)
{
    char buf[96];
    if (is_collective(name))
        return PS_FAMILY_COMMUNICATION;
    if (ps_str_starts_with(name, PS_STR("enumerate(DataLoader)")))
        return PS_FAMILY_DATA;
    /* these are annotations, which torch before 1.11 wrote as operators */
    if (ps_str_starts_with(name, PS_STR("ProfilerStep#")) ||
        ps_str_starts_with(name, PS_STR("Optimizer.")))
        return PS_FAMILY_ANNOTATION;
    struct ps_str word = bare_word(name, buf, sizeof buf);
    uint8_t family = FAMILY_OF(whole_words, word, is_one_of);
    return family == PS_FAMILY_RUNTIME ? FAMILY_OF(word_parts, word, contains_any) : family;
}

static uint8_t device_family(struct ps_str name)
{
    return ps_kernel_is_collective(name) ? PS_FAMILY_COMMUNICATION
                                         : FAMILY_OF(kernel_parts, name, contains_any);
}

uint8_t tr_name_family(struct ps_str name)
{
    uint8_t family = host_family(name);

    return family == PS_FAMILY_RUNTIME ? device_family(name) : family;
}

static struct tr_name classify_name(struct ps_str name)
{
    int flags = TR_NAME_KNOWN;
    flags |= is_hidden(name) ? TR_NAME_HIDDEN : 0;
    flags |= is_collective(name) ? TR_NAME_COLLECTIVE : 0;
    flags |= is_work(name) ? TR_NAME_WORK : 0;
    flags |= is_host_work(name) ? TR_NAME_HOST_WORK : 0;
    flags |= is_step(name) ? TR_NAME_STEP : 0;
    flags |= ps_kernel_is_collective(name) ? TR_NAME_DEVICE_COLLECTIVE : 0;
    flags |= ps_kernel_tensor_cores(name) == PS_TENSOR_CORES_USED ? TR_NAME_TENSOR_CORE : 0;
    return (struct tr_name){(uint8_t)flags, host_family(name), device_family(name),
                            (uint8_t)flops_kind(name)};
}

struct tr_name tr_name_properties(struct tr_names *names, uint32_t text_id)
{
    if (text_id >= names->n) {
        uint32_t n = text_id + 1024 + text_id / 2;
        names->properties = ps_grow(names->properties, n, sizeof *names->properties);
        memset(names->properties + names->n, 0, (n - names->n) * sizeof *names->properties);
        names->n = n;
    }
    struct tr_name *name = &names->properties[text_id];
    if (!(name->flags & TR_NAME_KNOWN))
        *name = classify_name(tr_text_of_id(names->trace, text_id));
    return *name;
}

uint32_t tr_torch_group_key(struct tr_trace *trace, uint32_t text_id)
{
    if (!is_step(tr_text_of_id(trace, text_id)))
        return 0;
    return tr_text_id(trace, PS_STR("ProfilerStep*"));
}

/* Whether an argument is a list of tensors, that is, contains a list two levels below the list of
 * arguments. */
static bool has_tensor_list(struct ps_str shapes)
{
    int depth = 0;
    for (size_t i = 0; i < shapes.len; i++) {
        depth += shapes.ptr[i] == '[';
        depth -= shapes.ptr[i] == ']';
        if (depth > 2)
            return true;
    }
    return false;
}

/* Copies the list of arguments, replacing lists of tensors by []. Only brackets matter, since
 * shapes contain numbers. */
static void put_without_lists(struct ps_str shapes, struct ps_buf *out)
{
    int depth = 0;
    size_t argument = 0; /* start of the argument in `out` */
    bool list = false;
    for (size_t i = 0; i < shapes.len; i++) {
        char c = shapes.ptr[i];
        depth += c == '[';
        if (c == '[' && depth == 2) {
            argument = out->len;
            list = false;
        }
        list = list || depth > 2;
        ps_buf_add(out, &c, 1);
        if (c == ']' && depth == 2 && list) {
            out->len = argument;
            ps_buf_puts(out, "[]");
        }
        depth -= c == ']';
    }
}

void tr_normalise_shapes(struct tr_trace *trace)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    for (uint32_t i = 0; i < trace->n_templates; i++) {
        struct tr_template *template = &trace->templates[i];
        struct ps_str shapes = tr_text_of_id(trace, template->shapes);
        if (template->shapes == 0 || !has_tensor_list(shapes))
            continue;
        text.len = 0;
        put_without_lists(shapes, &text);
        template->shapes = tr_text_id(trace, ps_buf_slice(&text));
    }
}
