/* SPDX-License-Identifier: MIT */
/*
 * torch_names.c: what a name tells of an operator or a kernel.
 *
 * Families only colour: they go by parts of names and need not be exhaustive. What torch hides is
 * the list of its own profiler (autograd/profiler.py); Tensor Cores are told by the list of the
 * TensorBoard plugin, which ends with Ampere.
 */
#include "importers/trace/torch.h"

#include <stdlib.h>

struct word {
    const char *text;
    uint8_t family;
};

static bool starts(struct ps_str name, const char *const *words)
{
    for (; *words; words++) {
        if (ps_str_starts(name, ps_str_of(*words)))
            return true;
    }
    return false;
}

static bool contains(struct ps_str name, const char *const *words)
{
    for (; *words; words++) {
        if (ps_str_find(name, ps_str_of(*words)))
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
                                        "aten::_version"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ps_str_is(name, words[i]))
            return true;
    }
    return false;
}

static bool is_step(struct ps_str name)
{
    return ps_str_starts(name, PS_STR("ProfilerStep#"));
}

static bool is_host_work(struct ps_str name)
{
    static const char *const words[] = {"gloo:", "mpi:", "ucc:", NULL};
    return starts(name, words);
}

static bool is_work(struct ps_str name)
{
    static const char *const words[] = {"nccl:", "xccl:", "hccl:", NULL};
    return starts(name, words) || is_host_work(name);
}

static bool is_collective(struct ps_str name)
{
    static const char *const words[] = {"c10d::", "record_param_comms",
                                        "_c10d_functional::", "c10d_functional::", NULL};
    return is_work(name) || starts(name, words);
}

static bool is_device_collective(struct ps_str name)
{
    static const char *const head[] = {"nccl", "rccl", "hccl", "oneccl", NULL};
    static const char *const inside[] = {"ncclKernel", "ncclDevKernel", "ncclDev", NULL};
    return starts(name, head) || contains(name, inside);
}

static bool is_tensor_core(struct ps_str name)
{
    static const char *const words[] = {
        "h884", "s884", "h1688", "s1688", "hmma", "i8816", "16816", "dgrad_1x1_stride_2x2",
        "first_layer_wgrad_kernel", "conv1x1", "conv2d_c1_k1", "direct_group", "xmma_implicit_gemm",
        "xmma_sparse_conv", "xmma_warp_specialized_implicit_gemm", "xmma_gemm", "xmma_sparse_gemm",
        "c1688",
        /* Hopper and Blackwell, which the plugin's list does not know. */
        "gmma", "sm90_xmma", "cutlass3x_sm90", "sm100_xmma", "cutlass3x_sm100", "nvjet", NULL};
    return contains(name, words);
}

static enum tr_flops_kind flops_kind(struct ps_str name)
{
    static const struct word words[] = {
        {"aten::mm", TR_FLOPS_MM},         {"aten::addmm", TR_FLOPS_ADDMM},
        {"aten::bmm", TR_FLOPS_BMM},       {"aten::baddbmm", TR_FLOPS_BADDBMM},
        {"aten::mul", TR_FLOPS_ELEMENT},   {"aten::add", TR_FLOPS_ELEMENT},
        {"aten::conv2d", TR_FLOPS_CONV2D},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ps_str_is(name, words[i].text))
            return words[i].family;
    }
    return TR_FLOPS_NONE;
}

/* The word that counts of "autograd::engine::evaluate_function: AddmmBackward0": behind the last
 * colon, in small letters, without "_" at its ends and without "Backward0". */
static struct ps_str bare_word(struct ps_str name, char *room, size_t size)
{
    size_t from = name.len;
    while (from > 0 && name.at[from - 1] != ':')
        from--;
    while (from < name.len && (name.at[from] == ' ' || name.at[from] == '_'))
        from++;
    size_t len = 0;
    for (size_t i = from; i < name.len && len < size; i++) {
        char c = name.at[i];
        room[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    while (len > 0 && (room[len - 1] == '_' || (room[len - 1] >= '0' && room[len - 1] <= '9')))
        len--;
    if (len > 8 && memcmp(room + len - 8, "backward", 8) == 0)
        len -= room[len - 9] == '_' ? 9 : 8;
    return (struct ps_str){room, len};
}

static uint8_t family_by_word(struct ps_str word)
{
    static const struct word words[] = {
        {"mm", PS_FAMILY_MATMUL},          {"bmm", PS_FAMILY_MATMUL},
        {"t", PS_FAMILY_MEMORY},           {"to", PS_FAMILY_MEMORY},
        {"cat", PS_FAMILY_MEMORY},         {"stack", PS_FAMILY_MEMORY},
        {"item", PS_FAMILY_MEMORY},        {"slice", PS_FAMILY_MEMORY},
        {"select", PS_FAMILY_MEMORY},      {"detach", PS_FAMILY_MEMORY},
        {"alias", PS_FAMILY_MEMORY},       {"chunk", PS_FAMILY_MEMORY},
        {"split", PS_FAMILY_MEMORY},       {"narrow", PS_FAMILY_MEMORY},
        {"unbind", PS_FAMILY_MEMORY},      {"set", PS_FAMILY_MEMORY},
        {"roll", PS_FAMILY_MEMORY},        {"flip", PS_FAMILY_MEMORY},
        {"repeat", PS_FAMILY_MEMORY},      {"full", PS_FAMILY_MEMORY},
        {"lift_fresh", PS_FAMILY_MEMORY},  {"local_scalar_dense", PS_FAMILY_MEMORY},
        {"lstm", PS_FAMILY_MATMUL},        {"gru", PS_FAMILY_MATMUL},
        {"eq", PS_FAMILY_ELEMENTWISE},     {"ne", PS_FAMILY_ELEMENTWISE},
        {"lt", PS_FAMILY_ELEMENTWISE},     {"gt", PS_FAMILY_ELEMENTWISE},
        {"le", PS_FAMILY_ELEMENTWISE},     {"ge", PS_FAMILY_ELEMENTWISE},
        {"neg", PS_FAMILY_ELEMENTWISE},    {"abs", PS_FAMILY_ELEMENTWISE},
        {"sum", PS_FAMILY_ELEMENTWISE},    {"mean", PS_FAMILY_ELEMENTWISE},
        {"max", PS_FAMILY_ELEMENTWISE},    {"min", PS_FAMILY_ELEMENTWISE},
        {"argmax", PS_FAMILY_ELEMENTWISE}, {"argmin", PS_FAMILY_ELEMENTWISE},
        {"sin", PS_FAMILY_ELEMENTWISE},    {"cos", PS_FAMILY_ELEMENTWISE},
        {"std", PS_FAMILY_ELEMENTWISE},    {"var", PS_FAMILY_ELEMENTWISE},
        {"all", PS_FAMILY_ELEMENTWISE},    {"any", PS_FAMILY_ELEMENTWISE},
        {"round", PS_FAMILY_ELEMENTWISE},  {"floor", PS_FAMILY_ELEMENTWISE},
        {"ceil", PS_FAMILY_ELEMENTWISE},   {"topk", PS_FAMILY_ELEMENTWISE},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ps_str_is(word, words[i].text))
            return words[i].family;
    }
    return PS_FAMILY_NONE;
}

static uint8_t family_by_part(struct ps_str word)
{
    static const struct word parts[] = {
        {"norm", PS_FAMILY_NORM},         {"conv", PS_FAMILY_MATMUL},
        {"matmul", PS_FAMILY_MATMUL},     {"addmm", PS_FAMILY_MATMUL},
        {"baddbmm", PS_FAMILY_MATMUL},    {"_mm", PS_FAMILY_MATMUL},
        {"addmv", PS_FAMILY_MATMUL},      {"linear", PS_FAMILY_MATMUL},
        {"attention", PS_FAMILY_MATMUL},  {"attn", PS_FAMILY_MATMUL},
        {"gemm", PS_FAMILY_MATMUL},       {"einsum", PS_FAMILY_MATMUL},
        {"copy", PS_FAMILY_MEMORY},       {"clone", PS_FAMILY_MEMORY},
        {"contiguous", PS_FAMILY_MEMORY}, {"empty", PS_FAMILY_MEMORY},
        {"zero", PS_FAMILY_MEMORY},       {"ones", PS_FAMILY_MEMORY},
        {"fill", PS_FAMILY_MEMORY},       {"view", PS_FAMILY_MEMORY},
        {"shape", PS_FAMILY_MEMORY},      {"transpose", PS_FAMILY_MEMORY},
        {"permute", PS_FAMILY_MEMORY},    {"strided", PS_FAMILY_MEMORY},
        {"expand", PS_FAMILY_MEMORY},     {"squeeze", PS_FAMILY_MEMORY},
        {"flatten", PS_FAMILY_MEMORY},    {"resize", PS_FAMILY_MEMORY},
        {"pin_memory", PS_FAMILY_MEMORY}, {"gather", PS_FAMILY_MEMORY},
        {"scatter", PS_FAMILY_MEMORY},    {"index", PS_FAMILY_MEMORY},
        {"dataloader", PS_FAMILY_DATA},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (ps_str_find(word, ps_str_of(parts[i].text)))
            return parts[i].family;
    }
    return PS_FAMILY_NONE;
}

static bool is_elementwise(struct ps_str word)
{
    static const char *const parts[] = {
        "add",     "sub",       "mul",   "div",     "relu",       "gelu",   "silu",
        "sigmoid", "tanh",      "soft",  "exp",     "log",        "sqrt",   "pow",
        "clamp",   "dropout",   "where", "mask",    "lerp",       "random", "uniform",
        "rand",    "bernoulli", "loss",  "foreach", "reciprocal", "pool",   "accumulategrad",
        "bitwise", "fused",     NULL};
    return contains(word, parts);
}

static uint8_t host_family(struct ps_str name)
{
    char room[96];
    if (is_collective(name))
        return PS_FAMILY_COMMUNICATION;
    if (ps_str_starts(name, PS_STR("enumerate(DataLoader)")))
        return PS_FAMILY_DATA;
    /* Annotations in truth: torch before 1.11 wrote them as operators. */
    if (ps_str_starts(name, PS_STR("ProfilerStep#")) || ps_str_starts(name, PS_STR("Optimizer.")))
        return PS_FAMILY_ANNOTATION;
    struct ps_str word = bare_word(name, room, sizeof room);
    uint8_t family = family_by_word(word);
    family = family ? family : family_by_part(word);
    if (family)
        return family;
    return is_elementwise(word) ? PS_FAMILY_ELEMENTWISE : PS_FAMILY_RUNTIME;
}

static uint8_t device_family(struct ps_str name)
{
    static const struct word parts[] = {
        {"Memcpy", PS_FAMILY_MEMORY},
        {"Memset", PS_FAMILY_MEMORY},
        {"norm", PS_FAMILY_NORM},
        {"Norm", PS_FAMILY_NORM},
        {"bn_", PS_FAMILY_NORM},
        {"gemm", PS_FAMILY_MATMUL},
        {"Gemm", PS_FAMILY_MATMUL},
        {"GEMM", PS_FAMILY_MATMUL},
        {"gemv", PS_FAMILY_MATMUL},
        {"conv", PS_FAMILY_MATMUL},
        {"cutlass", PS_FAMILY_MATMUL},
        {"xmma", PS_FAMILY_MATMUL},
        {"wgrad", PS_FAMILY_MATMUL},
        {"dgrad", PS_FAMILY_MATMUL},
        {"winograd", PS_FAMILY_MATMUL},
        {"flash", PS_FAMILY_MATMUL},
        {"fmha", PS_FAMILY_MATMUL},
        {"attention", PS_FAMILY_MATMUL},
        {"Cijk_", PS_FAMILY_MATMUL},
        {"nvjet", PS_FAMILY_MATMUL},
        {"splitK", PS_FAMILY_MATMUL},
        {"CatArray", PS_FAMILY_MEMORY},
        {"FillFunctor", PS_FAMILY_MEMORY},
        {"copy", PS_FAMILY_MEMORY},
        {"nchwToNhwc", PS_FAMILY_MEMORY},
        {"nhwcToNchw", PS_FAMILY_MEMORY},
        {"transpose", PS_FAMILY_MEMORY},
        {"index", PS_FAMILY_MEMORY},
        {"elementwise", PS_FAMILY_ELEMENTWISE},
        {"reduce", PS_FAMILY_ELEMENTWISE},
        {"oftmax", PS_FAMILY_ELEMENTWISE},
        {"SoftMax", PS_FAMILY_ELEMENTWISE},
        {"multi_tensor", PS_FAMILY_ELEMENTWISE},
        {"triton_", PS_FAMILY_ELEMENTWISE},
        {"pool", PS_FAMILY_ELEMENTWISE},
        {"pointwise", PS_FAMILY_ELEMENTWISE},
    };
    if (is_device_collective(name))
        return PS_FAMILY_COMMUNICATION;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (ps_str_find(name, ps_str_of(parts[i].text)))
            return parts[i].family;
    }
    return PS_FAMILY_RUNTIME;
}

static struct tr_name understand(struct ps_str name)
{
    int flags = TR_NAME_KNOWN;
    flags |= is_hidden(name) ? TR_NAME_HIDDEN : 0;
    flags |= is_collective(name) ? TR_NAME_COLLECTIVE : 0;
    flags |= is_work(name) ? TR_NAME_WORK : 0;
    flags |= is_host_work(name) ? TR_NAME_HOST_WORK : 0;
    flags |= is_step(name) ? TR_NAME_STEP : 0;
    flags |= is_device_collective(name) ? TR_NAME_DEVICE_COLLECTIVE : 0;
    flags |= is_tensor_core(name) ? TR_NAME_TENSOR_CORE : 0;
    return (struct tr_name){(uint8_t)flags, host_family(name), device_family(name),
                            (uint8_t)flops_kind(name)};
}

struct tr_name tr_name_of(struct tr_names *names, uint32_t text_id)
{
    if (text_id >= names->n) {
        uint32_t n = text_id + 1024 + text_id / 2;
        names->at = ps_grow(names->at, n, sizeof *names->at);
        memset(names->at + names->n, 0, (n - names->n) * sizeof *names->at);
        names->n = n;
    }
    struct tr_name *name = &names->at[text_id];
    if (!(name->flags & TR_NAME_KNOWN))
        *name = understand(tr_text(names->trace, text_id));
    return *name;
}

uint32_t tr_torch_key(struct tr_trace *trace, uint32_t text_id)
{
    if (!is_step(tr_text(trace, text_id)))
        return 0;
    return tr_text_id(trace, PS_STR("ProfilerStep*"));
}

/* Whether an argument is a list of tensors: a list two levels below the list of arguments. */
static bool has_tensor_list(struct ps_str shapes)
{
    int depth = 0;
    for (size_t i = 0; i < shapes.len; i++) {
        depth += shapes.at[i] == '[';
        depth -= shapes.at[i] == ']';
        if (depth > 2)
            return true;
    }
    return false;
}

/* Copies the list of arguments, lists of tensors as []. Brackets are all that counts: shapes hold
 * numbers. */
static void put_without_lists(struct ps_str shapes, struct ps_buf *out)
{
    int depth = 0;
    size_t argument = 0; /* where the argument begins in `out` */
    bool list = false;
    for (size_t i = 0; i < shapes.len; i++) {
        char c = shapes.at[i];
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

void tr_torch_shapes(struct tr_trace *trace)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    for (uint32_t i = 0; i < trace->n_templates; i++) {
        struct tr_template *template = &trace->templates[i];
        struct ps_str shapes = tr_text(trace, template->shapes);
        if (template->shapes == 0 || !has_tensor_list(shapes))
            continue;
        text.len = 0;
        put_without_lists(shapes, &text);
        template->shapes = tr_text_id(trace, ps_buf_slice(&text));
    }
}
