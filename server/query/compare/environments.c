/* SPDX-License-Identifier: MIT */
/* environments.c: whether the runs of a comparison were recorded on other machines, or by another
 * Python. A difference of the machine is easily taken for one of the program. */
#include <stdlib.h>

#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"

static const char *const keys[] = {"host", "machine", "cpu", "system", "python"};
#define N_KEYS (sizeof keys / sizeof *keys)

/* What a run says about its environment; {NULL, 0}: unknown. */
struct environment {
    struct ps_str values[N_KEYS]; /* in the arena */
};

static enum ps_status read_environment(struct ps_store *store, const char *run,
                                       struct ps_arena *arena, struct environment *out,
                                       struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;

    ps_run_acquire(store, run, &db, err);
    ps_db_prepare(db, ps_query_sql("run_environment"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        for (size_t i = 0; i < N_KEYS; i++)
            if (ps_str_eq_c(ps_col_text(stmt, 0), keys[i]))
                out->values[i] = ps_arena_copy(arena, ps_col_text(stmt, 1));
    ps_stmt_auto(&stmt);
    ps_run_release(db);
    return err->code;
}

/* Appends "cpu CPU 1 and CPU 2" if a new run has a value that no base run has. */
static void add_difference(const struct ps_compare_groups *groups, const struct environment *all,
                           size_t key, struct ps_buf *out)
{
    const struct environment *now = all + groups->n_base;
    struct ps_str base = {NULL, 0};

    for (size_t i = 0; i < groups->n_new; i++) {
        bool is_in_base = false;

        for (size_t k = 0; k < groups->n_base; k++) {
            if (all[k].values[key].ptr && !base.ptr)
                base = all[k].values[key];
            is_in_base |= ps_str_eq(all[k].values[key], now[i].values[key]);
        }
        if (!base.ptr || !now[i].values[key].ptr || is_in_base)
            continue;
        ps_buf_printf(out, "%s%s %.*s and %.*s", out->len ? ", " : "", keys[key], (int)base.len,
                      base.ptr, (int)now[i].values[key].len, now[i].values[key].ptr);
        return;
    }
}

enum ps_status ps_compare_environments(struct ps_store *store,
                                       const struct ps_compare_groups *groups, struct ps_buf *out,
                                       struct ps_err *err)
{
    const size_t n = groups->n_base + groups->n_new;
    PS_AUTO(ps_free_ptr) struct environment *all = ps_alloc_array(n, sizeof *all);
    struct ps_arena arena = {0};

    for (size_t i = 0; groups->n_base && err->code == PS_OK && i < n; i++)
        read_environment(store, groups->runs[i].id, &arena, &all[i], err);
    for (size_t i = 0; groups->n_base && err->code == PS_OK && i < N_KEYS; i++)
        add_difference(groups, all, i, out);
    ps_arena_free(&arena);
    return err->code;
}
