/* SPDX-License-Identifier: MIT */
/* inference.c: says what the steps of a serving engine spend the time of the device on. */
#include "server/query/trace/inference/inference.h"
#include "server/query/conclusion/conclusion.h"

#define FAMILIES_SAID 2
#define LEAST_SHARE   0.05 /* smaller families are not said */

static const char *const family_words[PS_N_FAMILIES] = {
    [PS_FAMILY_NONE] = "other kernels",
    [PS_FAMILY_MATMUL] = "matrix products",
    [PS_FAMILY_NORM] = "norms",
    [PS_FAMILY_ELEMENTWISE] = "elementwise kernels",
    [PS_FAMILY_MEMORY] = "copies",
    [PS_FAMILY_DATA] = "data loading",
    [PS_FAMILY_COMMUNICATION] = "communication",
    [PS_FAMILY_RUNTIME] = "other kernels",
    [PS_FAMILY_ANNOTATION] = "other kernels",
    [PS_FAMILY_PYTHON] = "other kernels",
    [PS_FAMILY_ATTENTION] = "attention",
};

/* The phase whose steps take most time of the device; PS_N_PHASES: none took any. */
static enum ps_phase main_phase(const struct ps_inference *inference)
{
    int64_t busy_ns[PS_N_PHASES] = {0}, most = 0;
    enum ps_phase found = PS_N_PHASES;

    for (size_t i = 0; i < inference->n; i++) {
        int64_t *sum = &busy_ns[inference->steps[i].serving.phase];

        *sum = ps_add_saturated(*sum, inference->steps[i].busy_ns);
    }
    for (int phase = 0; phase < PS_N_PHASES; phase++)
        if (busy_ns[phase] > most) {
            most = busy_ns[phase];
            found = (enum ps_phase)phase;
        }
    return found;
}

static void add_families(struct ps_conclusion *c, const struct ps_inference_step *step,
                         struct ps_report_link link)
{
    int64_t below = INT64_MAX;

    for (int n = 0; n < FAMILIES_SAID; n++) {
        int largest = -1;

        for (int family = 0; family < PS_N_FAMILIES; family++)
            if (step->family_ns[family] < below &&
                (largest < 0 || step->family_ns[family] > step->family_ns[largest]))
                largest = family;
        if (largest < 0 || (double)step->family_ns[largest] < LEAST_SHARE * (double)step->busy_ns)
            return;
        below = step->family_ns[largest];
        ps_first_fact(
            c, (struct ps_fact){PS_FACT_FAMILY, .values = {(double)below / (double)step->busy_ns},
                                .word = ps_str_from_c(family_words[largest]), .link = link});
    }
}

enum ps_status ps_conclude_inference(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_inference_free) struct ps_inference inference = {0};
    const struct ps_report_link link = {.tab = "inference"};
    const struct ps_inference_step *step;
    enum ps_phase phase;
    int64_t median;

    if (ps_inference_read(db, &inference, err) != PS_OK || inference.n == 0)
        return err->code;
    phase = main_phase(&inference);
    median = phase == PS_N_PHASES ? -1 : ps_inference_median(&inference, phase);
    if (median < 0)
        return err->code;
    step = &inference.steps[median];
    ps_first_fact(
        c, (struct ps_fact){
               PS_FACT_SERVING_STEP,
               .values = {(double)step->busy_ns / 1e9, (double)step->serving.tokens},
               .other = ps_subject_of(
                   c, PS_SUBJECT_PART, ps_link_none,
                   ps_str_from_c(phase == PS_PHASE_UNKNOWN ? "engine" : ps_phase_name(phase))),
               .link = link});
    add_families(c, step, link);
    if (step->serving.is_assumed)
        ps_conclusion_note(c, "This version of vLLM names new and other requests only, so a later "
                              "part of a long prefill counts as decode.");
    return err->code;
}
