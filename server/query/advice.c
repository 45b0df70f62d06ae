/* SPDX-License-Identifier: MIT */
/* advice.c: the table of advice. */
#include "server/query/advice.h"

const char *const ps_advice_words[PS_N_ADVICE] = {
    [PS_ADVICE_LOAD_AHEAD] =
        "More workers, prefetching or pinned memory load the next batch during the step.",
    [PS_ADVICE_FEWER_LAUNCHES] =
        "CUDA graphs, torch.compile or larger batches need fewer launches.",
    [PS_ADVICE_PINNED_COPIES] =
        "With pin_memory=True and non_blocking=True, copies overlap with kernels.",
    [PS_ADVICE_FUSE_KERNELS] =
        "Fused operators (torch.compile) or CUDA graphs reduce the number of launches.",
    [PS_ADVICE_LARGER_BATCHES] = "Use larger batches, and see the other findings for causes.",
    [PS_ADVICE_COMMUNICATE_LESS] =
        "Larger buckets, gradient accumulation or compression reduce it.",
    [PS_ADVICE_MIXED_PRECISION] = "Mixed precision (torch.amp) uses them.",
    [PS_ADVICE_KEEP_BATCH] = "A larger batch may not fit.",
    [PS_ADVICE_DISTRIBUTED] =
        "DistributedDataParallel runs one process for each device and overlaps communication.",
    [PS_ADVICE_NCCL] = "The nccl backend communicates between GPUs directly.",
    [PS_ADVICE_DEVICE_BACKEND] = "Their own backend communicates between them directly.",
    [PS_ADVICE_FUSE_OPTIMIZER] = "With foreach=True or fused=True it updates many at once.",
    [PS_ADVICE_ONCE_BEFORE_LOOP] =
        "Work that happens once (initialisation, loading, allocation) can often be moved before "
        "the loop.",
    [PS_ADVICE_KEEP_SEGMENTS] = "Do not call torch.cuda.empty_cache() in a loop.",
    [PS_ADVICE_ONE_BUFFER] =
        "A buffer can be allocated once, outside of the loop; the result of an operator is new in "
        "each call, unless it is written with out=.",
};
