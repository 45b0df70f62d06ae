/* SPDX-License-Identifier: MIT */
/*
 * lazy_imports.c: estimates what a start-up saves if some imports become lazy. The model is
 * that of compare/lazy_estimate.h, with an import log as evidence.
 */
#include "server/query/imports/lazy_imports.h"

#include <stdlib.h>

#include "importers/kinds.h"

#define ROWS_MAX   5000
#define ROWS_USUAL 500
#define KEEPERS    10
/* Share of Python's own start-up. A smaller saving may be work that moves to other modules. */
#define SHIFTING 0.5
/* Share of the estimate that may depend on imports that the log does not have. */
#define OPEN_SHARE 0.1

struct question {
    struct ps_lazy_log log;
    struct ps_lazy_choice *choices;
    size_t n_choices;
    int64_t limit;
    struct ps_arena arena;
    struct ps_import_outcome *out;
    struct ps_lazy_estimate saving;
};

static const char *const fates[] = {"stays", "likely stays", "open", "saved"};

struct ps_lazy_estimate ps_lazy_log_estimate(const struct ps_lazy_log *log,
                                             struct ps_import_outcome *out)
{
    return ps_lazy_estimate_saving(log->nodes, log->n, log->edges, log->n_edges,
                                   log->evidence == PS_EVIDENCE_CACHED, out);
}

static enum ps_status read_log(struct ps_store *store, const char *id, struct ps_lazy_log *log,
                               struct ps_err *err)
{
    struct ps_run_brief brief = {.name = NULL};
    struct ps_db *db = NULL;

    ps_store_read_brief(store, id, &brief, err);
    if (!ps_kind_has(brief.kind, PS_HAS_IMPORTS))
        ps_fail(err, PS_NOT_FOUND, "%s runs have no view what_if", brief.kind);
    ps_run_brief_free(&brief);
    ps_run_acquire(store, id, &db, err);
    ps_lazy_read(db, log, err);
    ps_run_release(db);
    return ps_lazy_read_other_logs(store, id, log, err);
}

static enum ps_status answer_question(struct ps_store *store, const char *id,
                                      struct ps_params params, struct question *q,
                                      struct ps_err *err)
{
    ps_param_int(params, "limit", 0, ROWS_MAX, ROWS_USUAL, &q->limit, err);
    ps_lazy_parse_choices(ps_param_get(params, "lazy"), &q->arena, &q->choices, &q->n_choices, err);
    read_log(store, id, &q->log, err);
    for (size_t i = 0; i < q->n_choices && err->code == PS_OK; i++)
        ps_lazy_apply(&q->log, &q->choices[i], err);
    if (err->code != PS_OK)
        return err->code;
    q->out = ps_alloc_array(q->log.n + 1, sizeof *q->out);
    q->saving = ps_lazy_log_estimate(&q->log, q->out);
    return PS_OK;
}

/* --- Saving --- */

/* Whether a requested import is neither in the log nor ruled out by it. */
static bool is_absent(const struct question *q)
{
    bool absent = false;

    for (size_t i = 0; i < q->n_choices; i++)
        absent |= !q->choices[i].n_edges && !q->choices[i].is_startup;
    return absent;
}

/* Whether the saving is unknown; *why: the reason, *todo: what to do. Work that the first of
 * several modules does (loading a shared library, listing a folder) moves to another module when
 * the first one becomes lazy. It is up to a fifth of Python's own start-up, as measured in
 * docs/bench.md. */
static bool is_unknowable(const struct question *q, const char **why, const char **todo)
{
    const struct ps_lazy_estimate *saving = &q->saving;
    enum ps_lazy_evidence evidence = q->log.evidence;

    *todo = "record it with `perfshelf record importtime --importers`, or with -X importtime=2 of "
            "Python 3.14 and later";
    if (q->log.has_threads && evidence != PS_EVIDENCE_RECORDED) {
        *why = "several threads imported at the same time: nesting and times of the log are "
               "unreliable";
    } else if (is_absent(q)) {
        *why = "some of these imports are not in the log, which has only the first importer of "
               "each module";
    } else if (saving->high - saving->low > OPEN_SHARE * saving->best) {
        *why = evidence == PS_EVIDENCE_NONE
                   ? "the log has only the first importer of each module, so other importers are "
                     "unknown"
                   : "more than 10 % of it depends on modules whose importers are not all known";
    } else if (saving->best > 0 && saving->best < SHIFTING * q->log.startup_us) {
        *why = "the saving is small: work that moves to other modules, such as loading a shared "
               "library, may cost as much";
        *todo = "make it lazy, record again, and compare";
    } else {
        return false;
    }
    return true;
}

static void write_verdict(const struct question *q, struct ps_json *json)
{
    static const char *const evidences[] = {"first importers", "importtime=2", "recorded"};
    const char *why = NULL, *todo = NULL;
    bool unknowable = q->n_choices && is_unknowable(q, &why, &todo);

    ps_json_kstr(json, "evidence", evidences[q->log.evidence]);
    ps_json_kint(json, "other_logs", (int64_t)q->log.n_others);
    ps_json_kstr(json, "verdict", !q->n_choices ? NULL : unknowable ? "not knowable" : "known");
    ps_json_kstr(json, "why", why);
    ps_json_kstr(json, "do", unknowable ? todo : NULL);
}

static void write_saving(const struct question *q, struct ps_json *json)
{
    ps_json_kreal(json, "before_us", q->log.total_us);
    ps_json_kreal(json, "after_us", q->log.total_us - q->saving.best);
    ps_json_key(json, "saving_us");
    ps_json_object(json);
    ps_json_kreal(json, "low", q->saving.low);
    ps_json_kreal(json, "best", q->saving.best);
    ps_json_kreal(json, "high", q->saving.high);
    ps_json_end(json);
}

static void write_ticks(const struct question *q, struct ps_json *json)
{
    ps_json_key(json, "lazy");
    ps_json_array(json);
    for (size_t i = 0; i < q->n_choices; i++) {
        const struct ps_lazy_choice *choice = &q->choices[i];

        ps_json_object(json);
        ps_json_key(json, "module");
        ps_json_str(json, choice->module);
        ps_json_key(json, "importer");
        ps_json_str(json, choice->importer);
        ps_json_kbool(json, "startup", choice->is_startup);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* --- Modules --- */

/* Returns for each module whether it is below a lazy import in the log. Children precede parents.
 */
static bool *below_lazy(const struct ps_lazy_log *log)
{
    bool *below = ps_alloc_array(log->n + 1, sizeof *below);

    for (size_t i = 0; i < log->n_edges; i++)
        if (log->edges[i].is_lazy && log->modules[log->edges[i].to].parent == log->edges[i].from)
            below[log->edges[i].to] = true;
    for (uint32_t node = log->n; node-- > 1;)
        if (log->modules[node].parent)
            below[node] |= below[log->modules[node].parent];
    return below;
}

struct ranked_module {
    double self_us;
    uint32_t node;
};

static int by_self(const void *a, const void *b)
{
    const struct ranked_module *x = a, *y = b;

    if (x->self_us != y->self_us)
        return x->self_us < y->self_us ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Finds the modules to report: all that may be saved, and those below lazy imports that stay
 * loaded. Returns their number. */
static size_t find_chosen(const struct question *q, struct ranked_module **out)
{
    PS_AUTO(ps_free_ptr) bool *below = below_lazy(&q->log);
    size_t n = 0;

    *out = ps_alloc_array(q->log.n + 1, sizeof **out);
    for (uint32_t node = 1; node < q->log.n; node++)
        if (below[node] || q->out[node].effect != PS_LAZY_STILL_IMPORTED)
            (*out)[n++] = (struct ranked_module){q->log.nodes[node].self_us, node};
    if (n)
        qsort(*out, n, sizeof **out, by_self);
    return n;
}

static void write_other(const struct ps_lazy_other_log *other, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_kstr(json, "id", other->id);
    ps_json_key(json, "name");
    ps_json_str(json, other->name);
    ps_json_end(json);
}

/* Writes the keys "by", "proof" and "in": why a module stays loaded; null if it does not. */
static void write_reason(const struct question *q, uint32_t node, struct ps_json *json)
{
    static const char *const proofs[] = {"first importer", "its submodule", "importtime=2",
                                         "recorded", "another log"};
    const struct ps_import_outcome *out = &q->out[node];
    bool stays = out->effect <= PS_LAZY_LIKELY_IMPORTED;

    ps_json_key(json, "by");
    ps_json_str(json, stays ? ps_lazy_name(&q->log, out->importer) : (struct ps_str){NULL, 0});
    ps_json_kstr(json, "proof", stays ? proofs[out->evidence] : NULL);
    ps_json_key(json, "in");
    if (stays && out->evidence == PS_EVIDENCE_OTHER_LOG)
        write_other(ps_lazy_edge_source(&q->log, out->edge), json);
    else
        ps_json_null(json);
}

static void write_row(const struct question *q, uint32_t node, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_kint(json, "id", q->log.modules[node].row);
    ps_json_key(json, "module");
    ps_json_str(json, q->log.modules[node].name);
    ps_json_kreal(json, "self_us", q->log.nodes[node].self_us);
    ps_json_kstr(json, "fate", fates[q->out[node].effect]);
    write_reason(q, node, json);
    ps_json_end(json);
}

/* --- Imports that keep modules loaded --- */

struct keeper {
    /* The module that is imported from outside, and the self time of all that stay with it. */
    struct ranked_module ranked_module;
    int64_t modules;
};

/* Walks from a module that stays loaded up to the first one whose importer is not reported, passing
 * packages of reported submodules. top[]: results of earlier walks, 0: none. */
static uint32_t top_of(const struct question *q, uint32_t node, const bool *is_told, uint32_t *top)
{
    uint32_t at = node, found;

    while (!top[at] && (is_told[q->out[at].importer] || q->out[at].evidence == PS_EVIDENCE_PACKAGE))
        at = q->out[at].importer;
    found = top[at] ? top[at] : at;
    for (top[at] = found; node != at; node = q->out[node].importer)
        top[node] = found;
    return found;
}

/* Groups the reported modules that stay loaded by the imports that keep them. Returns the number of
 * groups. */
static size_t find_keepers(const struct question *q, const struct ranked_module *ranked_module,
                           size_t n, struct keeper **out)
{
    PS_AUTO(ps_free_ptr) uint32_t *top = ps_alloc_array(q->log.n + 1, sizeof *top);
    PS_AUTO(ps_free_ptr) bool *is_told = ps_alloc_array(q->log.n + 1, sizeof *is_told);
    struct keeper *list = *out = ps_alloc_array(q->log.n + 1, sizeof *list);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        is_told[ranked_module[i].node] = true;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = ranked_module[i].node;

        if (q->out[node].effect > PS_LAZY_LIKELY_IMPORTED)
            continue;
        node = top_of(q, node, is_told, top);
        list[node].ranked_module.node = node;
        list[node].ranked_module.self_us += ranked_module[i].self_us;
        list[node].modules++;
    }
    for (uint32_t node = 0; node < q->log.n; node++)
        if (list[node].modules)
            list[kept++] = list[node];
    if (kept)
        qsort(list, kept, sizeof *list, by_self);
    return kept;
}

static void write_keepers(const struct question *q, const struct ranked_module *ranked_module,
                          size_t n, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) struct keeper *list = NULL;
    size_t kept = find_keepers(q, ranked_module, n, &list);

    ps_json_key(json, "keepers");
    ps_json_array(json);
    for (size_t i = 0; i < kept && i < KEEPERS; i++) {
        ps_json_object(json);
        ps_json_key(json, "module");
        ps_json_str(json, q->log.modules[list[i].ranked_module.node].name);
        ps_json_kint(json, "modules", list[i].modules);
        ps_json_kreal(json, "self_us", list[i].ranked_module.self_us);
        write_reason(q, list[i].ranked_module.node, json);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_counts(const struct question *q, const struct ranked_module *ranked_module,
                         size_t n, struct ps_json *json)
{
    int64_t counts[4] = {0};

    for (size_t i = 0; i < n; i++)
        counts[q->out[ranked_module[i].node].effect]++;
    ps_json_key(json, "modules");
    ps_json_object(json);
    for (size_t i = 0; i < 4; i++)
        ps_json_kint(json, fates[i], counts[i]);
    ps_json_end(json);
}

static void write_rows(const struct question *q, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) struct ranked_module *ranked_module = NULL;
    size_t n = q->n_choices ? find_chosen(q, &ranked_module) : 0;

    write_counts(q, ranked_module, n, json);
    write_keepers(q, ranked_module, n, json);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < n && i < (size_t)q->limit; i++)
        write_row(q, ranked_module[i].node, json);
    ps_json_end(json);
}

static void question_free(struct question *q)
{
    ps_lazy_free(&q->log);
    ps_arena_free(&q->arena);
    free(q->out);
}

enum ps_status ps_query_what_if(struct ps_store *store, const char *id, struct ps_params params,
                                struct ps_json *json, struct ps_err *err)
{
    struct question q = {.n_choices = 0};

    if (answer_question(store, id, params, &q, err) == PS_OK) {
        ps_json_object(json);
        write_ticks(&q, json);
        write_verdict(&q, json);
        write_saving(&q, json);
        write_rows(&q, json);
        if (!q.n_choices)
            ps_lazy_suggest(&q.log, json);
        ps_json_end(json);
    }
    question_free(&q);
    return err->code;
}
