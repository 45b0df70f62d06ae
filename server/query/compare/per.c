/* SPDX-License-Identifier: MIT */
/* per.c: what the values of a comparison are per: a run, a step or a call; and the amounts of work
 * of the runs, with which totals grow. */
#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"

const char *const ps_per_words[] = {"run", "step", "call"};

static bool is_of_steps(const char *word)
{
    return word && strcmp(word, "steps") == 0;
}

static enum ps_status read_amount(struct ps_db *db, const char *select, double *out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, select, &stmt, err);
    if (ps_stmt_step(stmt, err))
        *out = ps_col_real(stmt, 0);
    return err->code;
}

enum ps_status ps_compare_work_read(struct ps_store *store, const struct ps_compare_groups *groups,
                                    const struct ps_query_comparison *head,
                                    struct ps_compare_work *out, struct ps_err *err)
{
    const size_t n = groups->n_base + groups->n_new;
    struct ps_compare_work works[PS_HEAD_WORKS];
    size_t known[PS_HEAD_WORKS] = {0};

    *out = (struct ps_compare_work){.word = NULL};
    for (size_t i = 0; head->n_works && err->code == PS_OK && i < n; i++) {
        struct ps_db *db = NULL;

        ps_run_acquire(store, groups->runs[i].id, &db, err);
        for (size_t w = 0; w < head->n_works; w++) {
            works[w].amounts[i] = 0;
            if (groups->step && is_of_steps(head->works[w].word))
                works[w].amounts[i] = groups->runs[i].n_steps;
            else
                read_amount(db, head->works[w].query, &works[w].amounts[i], err);
            known[w] += works[w].amounts[i] > 0;
        }
        ps_run_release(db);
    }
    for (size_t w = head->n_works; err->code == PS_OK && w-- > 0;) {
        if (known[w] < n)
            continue;
        *out = works[w];
        out->word = head->works[w].word;
    }
    /* the parts of a step are stored for the steps that the file marks */
    out->is_mixed = head->is_per_step && known[0] > 0 && (known[0] < n || groups->step);
    return err->code;
}

bool ps_compare_has_step_values(const struct ps_query_comparison *head)
{
    for (size_t i = 0; i < head->n_works && !head->is_per_step; i++)
        if (is_of_steps(head->works[i].word))
            return true;
    return false;
}

size_t ps_compare_per(const struct ps_query_comparison *head, const struct ps_compare_work *work,
                      enum ps_per out[PS_N_PER])
{
    size_t n = 0;

    if (is_of_steps(work->word))
        out[n++] = PS_PER_STEP;
    if (!is_of_steps(work->word) || !head->is_per_step)
        out[n++] = PS_PER_RUN;
    for (size_t i = 0; i < head->n; i++)
        if (head->metrics[i].calls) {
            out[n++] = PS_PER_CALL;
            break;
        }
    return n;
}

enum ps_status ps_compare_choose_per(const char *word, const struct ps_query_comparison *head,
                                     const struct ps_compare_work *work, enum ps_per *out,
                                     struct ps_err *err)
{
    enum ps_per per[PS_N_PER];
    size_t n = ps_compare_per(head, work, per);

    *out = per[0];
    if (!word || !word[0])
        return err->code;
    for (size_t i = 0; i < n; i++) {
        *out = per[i];
        if (strcmp(ps_per_words[per[i]], word) == 0)
            return err->code;
    }
    if (strcmp(word, "step") == 0)
        return ps_fail(err, PS_BAD_REQUEST, "%s of these runs have no values per step",
                       head->title);
    if (strcmp(word, "run") == 0 || strcmp(word, "call") == 0)
        return ps_fail(err, PS_BAD_REQUEST, "%s have no values per %s", head->title, word);
    return ps_fail(err, PS_BAD_REQUEST, "the parameter per must be step, run or call");
}

void ps_compare_keep_metrics_per_call(struct ps_query_comparison *head, double *resolution)
{
    size_t kept = 0;

    for (size_t i = 0; i < head->n; i++) {
        if (!head->metrics[i].calls)
            continue;
        head->metrics[kept] = head->metrics[i];
        head->metrics[kept].is_additive = false;
        resolution[kept++] = 0; /* of the total: per call it is another for each row */
    }
    head->n = kept;
}

static void write_amounts(const char *key, const double *amounts, size_t n, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_real(json, amounts[i]);
    ps_json_end(json);
}

void ps_compare_write_per(const struct ps_compare_groups *groups,
                          const struct ps_query_comparison *head,
                          const struct ps_compare_work *work, struct ps_json *json)
{
    enum ps_per per[PS_N_PER];
    size_t n = ps_compare_per(head, work, per);

    ps_json_key(json, "per");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_str(json, ps_str_from_c(ps_per_words[per[i]]));
    ps_json_end(json);
    ps_json_key(json, "work");
    if (!work->word) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_str(json, "of", work->word);
    write_amounts("base", work->amounts, groups->n_base, json);
    write_amounts("new", work->amounts + groups->n_base, groups->n_new, json);
    ps_json_end(json);
}
