/* SPDX-License-Identifier: MIT */
/* cats.c: the categories ("cat") that the versions of Kineto write, in lower case. */
#include "importers/trace/read.h"

static const struct {
    const char *word;
    enum ps_slice_kind kind;
} words[] = {
    {"cpu_op", PS_SLICE_OP},
    {"operator", PS_SLICE_OP},
    {"hpu_op", PS_SLICE_OP},
    {"user_annotation", PS_SLICE_ANNOTATION},
    {"python_function", PS_SLICE_PYTHON},
    {"cuda_runtime", PS_SLICE_RUNTIME},
    {"cuda_driver", PS_SLICE_RUNTIME},
    {"runtime", PS_SLICE_RUNTIME},
    {"xpu_runtime", PS_SLICE_RUNTIME},
    {"xpu_driver", PS_SLICE_RUNTIME},
    {"mtia_runtime", PS_SLICE_RUNTIME},
    {"glow_runtime", PS_SLICE_RUNTIME},
    {"privateuse1_runtime", PS_SLICE_RUNTIME},
    {"privateuse1_driver", PS_SLICE_RUNTIME},
    {"graph_host_node", PS_SLICE_RUNTIME},
    {"overhead", PS_SLICE_OVERHEAD},
    {"kernel", PS_SLICE_KERNEL},
    {"mtia_ccp_events", PS_SLICE_KERNEL},
    {"mtia_workloadd", PS_SLICE_OTHER},
    {"mtia_insight", PS_SLICE_OTHER},
    {"graph_event_node", PS_SLICE_OTHER},
    {"gpu_memcpy", PS_SLICE_MEMCPY},
    {"memcpy", PS_SLICE_MEMCPY},
    {"gpu_memset", PS_SLICE_MEMSET},
    {"memset", PS_SLICE_MEMSET},
    {"cuda_sync", PS_SLICE_SYNC},
    {"xpu_sync", PS_SLICE_SYNC},
    {"gpu_user_annotation", PS_SLICE_GPU_ANNOTATION},
    {"user", PS_SLICE_GPU_ANNOTATION},
    {"trace", PS_SLICE_SPAN},
    {"cpu_instant_event", PS_SLICE_OTHER},
    {"cuda_event", PS_SLICE_OTHER},
    {"collective_comm", PS_SLICE_OTHER},
    {"external_correlation", PS_SLICE_OTHER},
    {"cuda_profiler_range", PS_SLICE_OTHER},
};

/* Categories that other programs also write: they do not identify a trace of torch. */
static bool is_common(const char *word)
{
    return !strcmp(word, "user") || !strcmp(word, "trace") || !strcmp(word, "overhead") ||
           !strcmp(word, "memcpy") || !strcmp(word, "memset") || !strcmp(word, "runtime");
}

void tr_cat_learn(struct tr_cat *cat)
{
    char lower[32];

    if (cat->text.len >= sizeof lower)
        return;
    for (size_t i = 0; i < cat->text.len; i++) {
        char c = cat->text.at[i];

        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
    }
    lower[cat->text.len] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, lower) == 0) {
            cat->kind = (uint8_t)words[i].kind;
            cat->torch = !is_common(lower);
        }
}
