/* SPDX-License-Identifier: MIT */
/* chosen.c: steps and sample types of a comparison or a trend that a person chose. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importers/kinds.h"
#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"
#include "server/query/trace/chosen_steps.h"

static enum ps_status read_steps(struct ps_db *db, const char *step, struct ps_chosen_steps *out,
                                 struct ps_err *err)
{
    PS_AUTO(ps_track_owners_free) struct ps_track_owners owners = {0};

    *out = (struct ps_chosen_steps){.n = 0};
    if (err->code == PS_OK && ps_track_owners_read(db, &owners, err) == PS_OK)
        ps_chosen_steps_read(db, &owners, step, out, err);
    return err->code;
}

enum ps_status ps_db_choose_steps(struct ps_db *db, const char *step, struct ps_step_times *times,
                                  struct ps_err *err)
{
    PS_AUTO(ps_chosen_steps_free) struct ps_chosen_steps steps = {.n = 0};

    *times = (struct ps_step_times){.host = {NULL, 0, 0}};
    if (step && read_steps(db, step, &steps, err) == PS_OK) {
        ps_chosen_steps_add_times(&steps, times);
        ps_db_set_step_times(db, times);
    }
    return err->code;
}

enum ps_status ps_chosen_step_mean(struct ps_store *store, const char *run, const char *kind,
                                   const char *step, double *mean_s, double *n, struct ps_err *err)
{
    PS_AUTO(ps_chosen_steps_free) struct ps_chosen_steps steps = {.n = 0};
    struct ps_err own = PS_ERR_INIT;
    struct ps_db *db = NULL;
    double sum_ns = 0;

    if (!ps_kind_has(kind, PS_HAS_DEVICES))
        return ps_fail(err, PS_BAD_REQUEST,
                       "steps can be chosen in traces of PyTorch and Nsight Systems only");
    if (ps_run_acquire(store, run, &db, err) == PS_OK)
        read_steps(db, step, &steps, &own);
    ps_run_release(db);
    if (own.code == PS_BAD_REQUEST)
        return ps_fail(err, PS_BAD_REQUEST,
                       "run %s has no annotation or NVTX range with the name %s" PS_HINT
                       "`perfshelf show %s` lists the ranges that can be steps",
                       run, step, run);
    if (own.code != PS_OK)
        return ps_fail_copy(err, &own);
    for (size_t i = 0; i < steps.n; i++)
        sum_ns += (double)(steps.items[i].time.end - steps.items[i].time.start);
    *n = (double)steps.n;
    *mean_s = steps.n ? sum_ns / (double)steps.n / 1e9 : 0;
    return err->code;
}

enum ps_status ps_compare_choose_steps(struct ps_store *store, const char *step,
                                       struct ps_compare_groups *groups, struct ps_err *err)
{
    if (!step || !step[0])
        return err->code;
    groups->step = ps_strdup(ps_str_from_c(step));
    for (size_t i = 0; err->code == PS_OK && i < groups->n_base + groups->n_new; i++) {
        struct ps_compare_run *run = &groups->runs[i];

        ps_chosen_step_mean(store, run->id, run->kind, step, &run->headline, &run->n_steps, err);
        (void)snprintf(run->headline_unit, sizeof run->headline_unit, "s");
        (void)snprintf(run->headline_label, sizeof run->headline_label, "mean step");
    }
    return err->code;
}

/* Makes the headline of a run the total of a sample type, its default if name is NULL. *has: the
 * run has it. */
static void find_sample_type(struct ps_db *db, const char *name, struct ps_compare_run *run,
                             bool *has, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *has = false;
    ps_db_prepare(db, ps_query_sql("sample_types"), &stmt, err);
    while (!*has && ps_stmt_step(stmt, err)) {
        const struct ps_str found = ps_col_text(stmt, 0), unit = ps_col_text(stmt, 1);

        *has = name ? ps_str_eq_c(found, name) : ps_col_int(stmt, 7) != 0;
        if (!*has)
            continue;
        run->headline = ps_col_real(stmt, 4);
        (void)snprintf(run->headline_unit, sizeof run->headline_unit, "%.*s", (int)unit.len,
                       unit.ptr);
        (void)snprintf(run->headline_label, sizeof run->headline_label, "%.*s", (int)found.len,
                       found.ptr);
    }
}

static enum ps_status read_sample_type(struct ps_store *store, const char *name,
                                       struct ps_compare_run *run, bool *has, struct ps_err *err)
{
    struct ps_db *db = NULL;

    if (ps_run_acquire(store, run->id, &db, err) == PS_OK)
        find_sample_type(db, name, run, has, err);
    ps_run_release(db);
    return err->code;
}

enum ps_status ps_compare_choose_sample_type(struct ps_store *store, const char *name,
                                             struct ps_compare_groups *groups, struct ps_err *err)
{
    const bool is_stated = name && name[0];
    struct ps_compare_run runs[2 * PS_GROUP_MAX];
    const size_t n = groups->n_base + groups->n_new;
    bool has = true;

    if (!is_stated && !ps_compare_all_have(groups, PS_HAS_SAMPLE_TYPES))
        return err->code;
    memcpy(runs, groups->runs, n * sizeof *runs);
    if (!is_stated)
        read_sample_type(store, NULL, &runs[0], &has, err);
    if (has && err->code == PS_OK)
        groups->sample_type = ps_strdup(ps_str_from_c(is_stated ? name : runs[0].headline_label));
    for (size_t i = 0; has && err->code == PS_OK && i < n; i++) {
        read_sample_type(store, groups->sample_type, &runs[i], &has, err);
        if (!has && is_stated && err->code == PS_OK)
            ps_fail(err, PS_BAD_REQUEST, "run %s has no sample type %s", runs[i].id, name);
    }
    if (has && err->code == PS_OK) {
        memcpy(groups->runs, runs, n * sizeof *runs);
        return PS_OK;
    }
    free(groups->sample_type);
    groups->sample_type = NULL;
    return err->code;
}
