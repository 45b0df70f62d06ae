/* SPDX-License-Identifier: MIT */
#include "slices/xla_names.h"

const char *const ps_xla_texts[PS_N_XLA_TEXTS] = {PS_XLA_OPERATOR, PS_XLA_PROGRAM, PS_XLA_CATEGORY,
                                                  PS_XLA_SCOPE};

struct ps_str ps_xla_stem(struct ps_str name)
{
    size_t end = name.len;

    while (end && name.ptr[end - 1] >= '0' && name.ptr[end - 1] <= '9')
        end--;
    if (end > 1 && end < name.len && name.ptr[end - 1] == '.')
        name.len = end - 1;
    return name;
}

enum ps_family ps_xla_family(struct ps_str name)
{
    /* Opcodes of HLO and primitives of JAX, with which names of operators begin; kernels of NCCL
     * and RCCL. */
    static const struct {
        const char *prefix;
        enum ps_family family;
    } families[] = {
        {"all-reduce", PS_FAMILY_COMMUNICATION},
        {"all-gather", PS_FAMILY_COMMUNICATION},
        {"all-to-all", PS_FAMILY_COMMUNICATION},
        {"ragged-all-to-all", PS_FAMILY_COMMUNICATION},
        {"reduce-scatter", PS_FAMILY_COMMUNICATION},
        {"collective-", PS_FAMILY_COMMUNICATION},
        {"psum", PS_FAMILY_COMMUNICATION},
        {"pmax", PS_FAMILY_COMMUNICATION},
        {"pmin", PS_FAMILY_COMMUNICATION},
        {"ppermute", PS_FAMILY_COMMUNICATION},
        {"all_gather", PS_FAMILY_COMMUNICATION},
        {"all_to_all", PS_FAMILY_COMMUNICATION},
        {"reduce_scatter", PS_FAMILY_COMMUNICATION},
        {"ncclDevKernel", PS_FAMILY_COMMUNICATION},
        {"ncclKernel", PS_FAMILY_COMMUNICATION},
        {"rcclGenericKernel", PS_FAMILY_COMMUNICATION},
        {"send", PS_FAMILY_COMMUNICATION},
        {"recv", PS_FAMILY_COMMUNICATION},
        {"dot", PS_FAMILY_MATMUL},
        {"convolution", PS_FAMILY_MATMUL},
        {"conv", PS_FAMILY_MATMUL},
        {"gemm", PS_FAMILY_MATMUL},
        {"cublas", PS_FAMILY_MATMUL},
        {"copy", PS_FAMILY_MEMORY},
        {"transpose", PS_FAMILY_MEMORY},
        {"infeed", PS_FAMILY_DATA},
        {"outfeed", PS_FAMILY_DATA},
    };

    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct ps_str prefix = ps_str_from_c(families[i].prefix);
        const char after = name.len > prefix.len ? name.ptr[prefix.len] : '\0';

        /* a letter goes on with another word: "convert" is no "conv" */
        if (ps_str_starts_with(name, prefix) &&
            (prefix.ptr[prefix.len - 1] == '-' || !(after >= 'a' && after <= 'z')))
            return families[i].family;
    }
    return PS_FAMILY_NONE;
}
