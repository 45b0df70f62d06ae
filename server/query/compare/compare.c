/* SPDX-License-Identifier: MIT */
/* compare.c: describes the groups of runs of a comparison, and lists the tables by which they can
 * be compared. */
#include "server/query/compare/compare.h"
#include "server/query/compare/request_times.h"

#include "importers/kinds.h"
#include "server/query/compare/answers.h"
#include "server/query/compare/environments.h"
#include "server/query/shelf.h"

static enum ps_status write_runs(struct ps_store *store, const struct ps_compare_run *runs,
                                 size_t n, const char *key, struct ps_json *json,
                                 struct ps_err *err)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        ps_query_run(store, runs[i].id, json, err);
    ps_json_end(json);
    return err->code;
}

static void write_metrics(const struct ps_compare_groups *groups,
                          const struct ps_query_comparison *head, const double *resolution,
                          struct ps_json *json)
{
    ps_json_key(json, "metrics");
    ps_json_array(json);
    for (size_t i = 0; i < head->n; i++) {
        const char *unit;

        (void)ps_compare_get_unit(groups, &head->metrics[i], &unit);
        ps_json_object(json);
        ps_json_key_str(json, "metric", head->metrics[i].name);
        ps_json_key_str(json, "title", head->metrics[i].title);
        ps_json_key_str(json, "unit", strcmp(unit, "-") == 0 ? "" : unit);
        ps_json_key_bool(json, "adds_up", head->metrics[i].is_additive);
        ps_json_key_bool(json, "per_call", head->metrics[i].calls != NULL);
        ps_json_key_real(json, "resolution", resolution[i]);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static enum ps_status read_table(struct ps_store *store, const struct ps_compare_groups *groups,
                                 const struct ps_compare_table *table, struct ps_shared_table *out,
                                 struct ps_err *err)
{
    bool has = false;

    out->table = table;
    ps_compare_table_head(table, &out->head);
    ps_compare_find_metrics(store, groups, &out->head, out->resolution, &has, err);
    out->is_shared = has && out->head.n > 0;
    if (out->is_shared)
        ps_compare_work_read(store, groups, &out->head, &out->work, err);
    out->is_shared &= !out->work.is_mixed;
    return err->code;
}

static void write_table(const struct ps_compare_groups *groups,
                        const struct ps_shared_table *shared, struct ps_json *json)
{
    const struct ps_query_comparison *head = &shared->head;

    ps_json_object(json);
    ps_json_key_str(json, "of", shared->table->name);
    ps_json_key_str(json, "title", head->title);
    ps_json_key_str(json, "row", head->row);
    ps_json_key_str(json, "place", head->place[0] ? head->place : NULL);
    ps_json_key_str(json, "budget", head->budget_metric);
    ps_compare_write_per(groups, head, &shared->work, json);
    write_metrics(groups, head, shared->resolution, json);
    ps_json_end(json);
}

/* Visits the tables that the runs share, in order: a table of the mean step is the first one, or
 * the last one if the runs have no steps. Ends when `visit` returns false. */
static enum ps_status each_table(struct ps_store *store, const struct ps_compare_groups *groups,
                                 bool (*visit)(void *user, const struct ps_shared_table *shared),
                                 void *user, struct ps_err *err)
{
    const char *kind = groups->runs[0].kind;
    struct ps_shared_table shared = {.table = NULL}, last = {.table = NULL};

    for (const struct ps_compare_table *table = ps_compare_next_table(NULL, kind);
         table && read_table(store, groups, table, &shared, err) == PS_OK;
         table = ps_compare_next_table(table, kind)) {
        if (shared.is_shared && shared.head.is_per_step && !shared.work.word)
            last = shared;
        else if (shared.is_shared && !visit(user, &shared))
            return err->code;
    }
    if (err->code == PS_OK && last.table)
        (void)visit(user, &last);
    return err->code;
}

static bool keep_table(void *user, const struct ps_shared_table *shared)
{
    *(struct ps_shared_table *)user = *shared;
    return false;
}

enum ps_status ps_compare_first_table(struct ps_store *store,
                                      const struct ps_compare_groups *groups,
                                      struct ps_shared_table *out, struct ps_err *err)
{
    *out = (struct ps_shared_table){.table = NULL};
    return each_table(store, groups, keep_table, out, err);
}

struct table_list {
    const struct ps_compare_groups *groups;
    struct ps_json *json;
};

static bool add_table(void *user, const struct ps_shared_table *shared)
{
    const struct table_list *list = user;

    write_table(list->groups, shared, list->json);
    return true;
}

static enum ps_status write_tables(struct ps_store *store, const struct ps_compare_groups *groups,
                                   struct ps_json *json, struct ps_err *err)
{
    struct table_list list = {groups, json};

    ps_json_key(json, "tables");
    ps_json_array(json);
    each_table(store, groups, add_table, &list, err);
    ps_json_end(json);
    return err->code;
}

static void write_rules(struct ps_json *json)
{
    ps_json_key(json, "rules");
    ps_json_object(json);
    ps_json_key_real(json, "alpha", PS_JUDGE_ALPHA);
    ps_json_key_real(json, "fdr", PS_JUDGE_FDR);
    ps_json_key_real(json, "level", PS_JUDGE_CONFIDENCE);
    ps_json_key_real(json, "factor", PS_JUDGE_FACTOR);
    ps_json_end(json);
}

/* Writes the keys base, new, those of the environments and of the headline into the object that is
 * open in `json`. */
static enum ps_status write_members(struct ps_store *store, const struct ps_compare_groups *groups,
                                    struct ps_params params, struct ps_json *json,
                                    struct ps_err *err)
{
    const struct ps_compare_run *now = groups->runs + groups->n_base;
    PS_AUTO(ps_environments_free) struct ps_environments environments = {.groups = NULL};

    ps_environments_read(store, groups, &environments, err);
    if (ps_environments_check_same(&environments, ps_param_get(params, "same"), err) != PS_OK)
        return err->code;
    write_runs(store, groups->runs, groups->n_base, "base", json, err);
    write_runs(store, now, groups->n_new, "new", json, err);
    ps_environments_write(&environments, json);
    return ps_compare_write_headline(store, groups, params, json, err);
}

enum ps_status ps_query_compare(struct ps_store *store, const struct ps_compare_groups *groups,
                                struct ps_params params, struct ps_json *json, struct ps_err *err)
{
    ps_json_object(json);
    write_members(store, groups, params, json, err);
    ps_json_key_str(json, "step", groups->step);
    ps_json_key_str(json, "sample_type", groups->sample_type);
    write_tables(store, groups, json, err);
    ps_json_key(json, "pictures");
    ps_json_array(json);
    if (ps_compare_tree_of(groups, NULL) != PS_NO_TREE)
        ps_json_str(json, PS_STR("tree"));
    if (ps_compare_tree_of(groups, NULL) == PS_TREE_CALLS)
        ps_json_str(json, PS_STR("graph"));
    if (groups->n_base == 1 && groups->n_new == 1 && ps_compare_all_have(groups, PS_HAS_SNAPSHOT))
        ps_json_str(json, PS_STR("snapshot"));
    if (ps_compare_has_requests(groups))
        ps_json_str(json, PS_STR("requests"));
    if (ps_compare_all_have(groups, PS_HAS_REQUESTS))
        ps_json_str(json, PS_STR("sweep"));
    ps_json_end(json);
    ps_json_key_str(
        json, "no_tree",
        ps_compare_tree_of(groups, NULL) == PS_NO_TREE ? ps_compare_explain_no_tree(groups) : NULL);
    write_rules(json);
    ps_json_end(json);
    return err->code;
}
