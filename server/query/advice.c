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
    [PS_ADVICE_ASYNC_COPIES] =
        "Asynchronous copies of pinned memory overlap with kernels. Data that stays on the device "
        "is not copied.",
    [PS_ADVICE_HELP_LATE_RANK] =
        "Most of it is waiting for one rank: give that rank less work, or look for what delays "
        "it.",
    [PS_ADVICE_RECORD_OTHER_RANKS] =
        "Add the recordings of the other ranks, which tell whether one is late. If none is, "
        "larger buckets, gradient accumulation or compression reduce communication.",
    [PS_ADVICE_SMALLER_COMMUNICATION] =
        "Larger buckets, gradient accumulation or compression reduce communication.",
    [PS_ADVICE_WAIT_BEFORE_RECORDING] =
        "Wait for the device before recording, or look at later steps.",
    [PS_ADVICE_FREED_AT_END] =
        "The program unloads and frees what it used, which happens once, at its end.",
    [PS_ADVICE_FIRST_LAUNCH] =
        "The first launch of a kernel loads or compiles it. Record after a warm-up.",
    [PS_ADVICE_NO_BLOCKING_CALL] =
        "A blocking call waits for the device or copies memory. Remove it from the loop, or use "
        "its asynchronous form with pinned memory.",
    [PS_ADVICE_LAUNCH_LESS_TORCH] =
        "Launch less often: CUDA graphs, torch.compile, fused optimizers or larger batches.",
    [PS_ADVICE_LAUNCH_LESS] = "Launch less often: CUDA graphs, fused kernels or larger batches.",
    [PS_ADVICE_RECORD_REPLAYS] =
        "What is launched during a capture is recorded, not run. A graph is captured once: record "
        "after the warm-up to see how its replays run.",
    [PS_ADVICE_RECORD_COMPILED] =
        "A program is compiled at its first call. Record after the warm-up to see how it runs.",
    [PS_ADVICE_EQUAL_SHAPES] = "Inputs of equal shapes, or dynamic=True, are compiled once.",
    [PS_ADVICE_WARM_UP] = "Record after a warm-up to see how the program runs.",
    [PS_ADVICE_WORK_ON_PARTS] =
        "Other pages were evicted, since more is used than fits on the device. Work on parts that "
        "fit, one after the other.",
    [PS_ADVICE_PREFETCH_PAGES] =
        "cudaMemPrefetchAsync before the launch, or a copy from pinned memory, moves the data "
        "before kernels use them.",
    [PS_ADVICE_WHOLE_TENSOR] =
        "One operator on the whole tensor can replace a loop over its elements.",
    [PS_ADVICE_CONCATENATE_ONCE] = "Collect the parts in a list and concatenate them once.",
    [PS_ADVICE_EQUAL_PROGRAMS] = "Inputs padded to equal shapes, and one jax.jit outside of the "
                                 "loop, are compiled once.",
    [PS_ADVICE_STAY_ON_DEVICE] =
        "A loop on the device (jax.lax.while_loop, fori_loop), or values that are read every n-th "
        "time, need fewer waits.",
    [PS_ADVICE_ONE_PROGRAM] = "One jax.jit around them makes one program.",
    [PS_ADVICE_LOAD_AHEAD_XLA] =
        "Do less there, or do it in another thread or process while operators run.",
    [PS_ADVICE_EQUAL_DEVICES] = "Give the devices equal work.",
    [PS_ADVICE_KEEP_SEGMENTS] = "Do not call torch.cuda.empty_cache() in a loop.",
    [PS_ADVICE_ONE_BUFFER] =
        "A buffer can be allocated once, outside of the loop; the result of an operator is new in "
        "each call, unless it is written with out=.",
    [PS_ADVICE_RECORD_HISTORY] =
        "Call torch.cuda.memory._record_memory_history() before the model is created, so that its "
        "memory has a stack.",
    [PS_ADVICE_ORDER_LIFETIMES] =
        "The segments are expandable already. Allocate what lives long before what lives short, "
        "or set garbage_collection_threshold in PYTORCH_CUDA_ALLOC_CONF.",
    [PS_ADVICE_EXPANDABLE_SEGMENTS] =
        "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: free memory of several segments "
        "can then serve one allocation.",
    [PS_ADVICE_SPLIT_PROMPTS_AND_SLOTS] =
        "Chunked prefill and more slots together; chunked prefill alone holds the slots longer.",
    [PS_ADVICE_SPLIT_PROMPTS] = "Chunked prefill divides long prompts among several steps.",
    [PS_ADVICE_MORE_SLOTS] =
        "More slots (max_num_seqs) let them start earlier, if the memory of the cache suffices.",
    [PS_ADVICE_TOKEN_BUDGET] =
        "A larger token budget of steps lets them start earlier, and makes steps longer.",
    [PS_ADVICE_RECORD_ENGINE] = "A log of the engine says how many requests run and wait.",
    [PS_ADVICE_BETWEEN_STEPS] = "See in the timeline what the engine does between its steps.",
    [PS_ADVICE_SHORTER_PROMPTS] =
        "Prefix caching saves what prompts have in common; a shorter prompt takes less.",
    [PS_ADVICE_CLIENT] = "The time is spent in the client, the network or the HTTP server.",
    [PS_ADVICE_LOWER_LOAD] =
        "Requests arrive faster than they are served: a lower rate or more engines. More slots help "
        "only if steps do not become slower.",
    [PS_ADVICE_LAZY_IN_MODULES] =
        "Programs use this package while their modules are imported. Then a lazy import of such a "
        "module saves time, and one of the package none.",
    [PS_ADVICE_LAZY_IMPORT] =
        "A lazy import loads the package when the program first uses it. If that is during start- "
        "up, nothing is saved.",
    [PS_ADVICE_WORK_LATER] =
        "Work when a function is first called, not while the module is imported.",
    [PS_ADVICE_JOIN_CALLS] = "Join the calls: one for each call of the caller.",
};
