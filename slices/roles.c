/* SPDX-License-Identifier: MIT */
#include "slices/roles.h"

#include "base/mem.h"
#include "slices/kernel_names.h"
#include "slices/serving.h"

#include <stdlib.h>

static bool starts_with_one(struct ps_str text, const char *const *prefixes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ps_str_starts_with(text, ps_str_from_c(prefixes[i])))
            return true;
    return false;
}

/* Whether tb_plugin lists the name as a collective: "nccl:all_reduce", "gloo:broadcast". */
static bool is_collective(struct ps_str name)
{
    static const char *const words[] = {"broadcast", "reduce", "all_reduce", "all_gather",
                                        "reduce_scatter"};
    static const char *const backends[] = {"nccl:", "gloo:"};

    if (!starts_with_one(name, backends, 2))
        return false;
    name = ps_str_skip(name, 5);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_str_eq_c(name, words[i]))
            return true;
    return false;
}

static bool is_dataloader(struct ps_str name)
{
    static const char *const loaders[] = {"enumerate(DataLoader)#", "enumerate(DataPipe)#"};
    struct ps_str end = PS_STR("__next__");

    return starts_with_one(name, loaders, 2) &&
           ps_str_eq(ps_str_skip(name, name.len - end.len), end);
}

/* "Prefill" and "Decode" of Megatron Core are also used by others: importers/trace/loops.h says
 * when they are steps. */
enum ps_name_kind ps_name_kind_of(struct ps_str name)
{
    struct ps_serving_step serving;

    return ps_str_starts_with(name, PS_STR("ProfilerStep#")) ? PS_NAME_STEP
           : ps_serving_step_parse(name, &serving) && serving.engine != PS_ENGINE_MEGATRON
               ? PS_NAME_SERVING_STEP
           : is_collective(name)           ? PS_NAME_COLLECTIVE
           : is_dataloader(name)           ? PS_NAME_DATALOADER
           : ps_kernel_is_collective(name) ? PS_NAME_COLLECTIVE_KERNEL
                                           : PS_NAME_OTHER;
}

uint8_t *ps_name_kinds_slot(struct ps_name_kinds *meanings, uint32_t text)
{
    if (text >= meanings->n) {
        size_t n = (size_t)text + text / 2 + 64;

        meanings->kinds = ps_grow(meanings->kinds, n, 1);
        memset(meanings->kinds + meanings->n, PS_NAME_UNKNOWN, n - meanings->n);
        meanings->n = n;
    }
    return &meanings->kinds[text];
}

void ps_name_kinds_free(struct ps_name_kinds *meanings)
{
    free(meanings->kinds);
    *meanings = (struct ps_name_kinds){0};
}

static enum ps_role role_of_host(enum ps_name_kind meaning)
{
    switch (meaning) {
    case PS_NAME_STEP:
    case PS_NAME_SERVING_STEP:
        return PS_N_ROLES;
    case PS_NAME_COLLECTIVE:
        return PS_ROLE_COMMUNICATION;
    case PS_NAME_DATALOADER:
        return PS_ROLE_DATALOADER;
    default:
        return PS_ROLE_CPU;
    }
}

/* An annotation is a name for time, not work: only collectives and waits for data, which torch
 * writes as annotations, count. */
static enum ps_role role_of_annotation(enum ps_name_kind meaning)
{
    enum ps_role role = role_of_host(meaning);

    return role == PS_ROLE_CPU ? PS_N_ROLES : role;
}

enum ps_role ps_role_of(int64_t kind, int64_t flags, enum ps_name_kind meaning)
{
    switch (kind) {
    case PS_SLICE_KERNEL:
        return flags & PS_SLICE_COLLECTIVE || meaning == PS_NAME_COLLECTIVE_KERNEL
                   ? PS_ROLE_COMMUNICATION
                   : PS_ROLE_KERNEL;
    case PS_SLICE_MEMCPY:
        return PS_ROLE_MEMCPY;
    case PS_SLICE_MEMSET:
        return PS_ROLE_MEMSET;
    case PS_SLICE_RUNTIME:
        return PS_ROLE_RUNTIME;
    case PS_SLICE_OP:
    case PS_SLICE_NVTX:
        return role_of_host(meaning);
    case PS_SLICE_ANNOTATION:
    case PS_SLICE_GPU_ANNOTATION: /* tb_plugin does not tell these from those of the host */
        return role_of_annotation(meaning);
    default:
        return PS_N_ROLES;
    }
}
