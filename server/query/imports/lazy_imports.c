/* SPDX-License-Identifier: MIT */
/*
 * lazy_imports.c: estimates how much start-up time lazy imports save, and suggests the imports that
 * save most. The model is that of compare/lazy_estimate.h, with an import log as evidence.
 */
#include <stdlib.h>

#include "base/context.h"
#include "base/intern.h"
#include "base/python_origin.h"
#include "server/query/imports/answers.h"
#include "server/query/imports/import_graph.h"

#define CHOICES_MAX 500 /* imports that a request may make lazy */
#define ROWS_MAX    5000
#define ROWS_USUAL  500
#define KEEPERS     10
/* A saving below this share of Python's own start-up may be work that moves to other modules. */
#define SHIFTING 0.5
/* Maximum share of the estimate that may depend on imports that the log does not have. */
#define OPEN_SHARE 0.1

/* --- Choices --- */

/* An import to make lazy: of `module` in `importer`. An importer {NULL, 0} is the first importer in
 * the log, "*" all importers. */
struct choice {
    struct ps_str module, importer;
    bool is_startup; /* Python itself imports the module: nothing was made lazy */
    size_t n_edges;  /* number of edges that it names */
    size_t n_lazy;   /* number of these that were made lazy: without those in functions */
};

static struct ps_str trim_spaces(struct ps_str text)
{
    while (text.len && text.ptr[0] == ' ')
        text = ps_str_skip(text, 1);
    while (text.len && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}

/* Parses "numpy@app". */
static struct choice parse_choice(struct ps_str word)
{
    const char *at = memchr(word.ptr, '@', word.len);
    size_t len = at ? (size_t)(at - word.ptr) : word.len;
    struct choice choice = {.module = trim_spaces((struct ps_str){word.ptr, len})};

    if (at)
        choice.importer = trim_spaces(ps_str_skip(word, len + 1));
    return choice;
}

/* Parses "numpy@app, json" into choices in the arena. PS_BAD_REQUEST: more than CHOICES_MAX, or an
 * empty name. */
static enum ps_status parse_choices(const char *text, struct ps_arena *arena, struct choice **out,
                                    size_t *n, struct ps_err *err)
{
    *n = 0;
    *out = ps_arena_alloc(arena, CHOICES_MAX * sizeof **out);
    for (const char *at = text; at && *at;) {
        size_t len = strcspn(at, ",");
        struct ps_str word = trim_spaces((struct ps_str){at, len});

        at += len + (at[len] == ',');
        if (word.len == 0)
            continue;
        if (*n == CHOICES_MAX)
            return ps_fail(err, PS_BAD_REQUEST, "lazy has more than %d imports", CHOICES_MAX);
        (*out)[*n] = parse_choice(word);
        if ((*out)[*n].module.len == 0)
            return ps_fail(err, PS_BAD_REQUEST, "lazy: '%.*s' is not a module", (int)word.len,
                           word.ptr);
        ++*n;
    }
    return err->code;
}

/* In the log, `import a.b` has `a` below `a.b`; the import of a.b becomes lazy. Returns for
 * each node the node of its import statement. Parents have higher numbers than the modules they
 * import. */
static uint32_t *find_statements(const struct ps_import_graph *log)
{
    uint32_t *top = ps_alloc((log->n + 1) * sizeof *top);

    for (uint32_t node = log->n; node-- > 0;) {
        const uint32_t up = log->modules[node].parent;

        top[node] = up > node && log->nodes[up].package == node ? top[up] : node;
    }
    return top;
}

/* The modules that a choice names, as marks on nodes, so that one pass over the edges handles all
 * modules and importers of a name. */
struct lazy_marks {
    bool *is_target; /* by node: imports of the module become lazy */
    /* by node: imports in the module become lazy; NULL: imports in the parent of the target's
     * statement become lazy */
    bool *is_source;
    uint32_t *statement;
};

static void marks_free(struct lazy_marks *marks)
{
    free(marks->is_target);
    free(marks->is_source);
    free(marks->statement);
}

static bool becomes_lazy(const struct ps_import_graph *log, const struct lazy_marks *marks,
                         const struct ps_import_edge *edge)
{
    if (!marks->is_target[edge->to] || edge->evidence == PS_EVIDENCE_PACKAGE)
        return false;
    return marks->is_source ? marks->is_source[edge->from]
                            : edge->from == log->modules[marks->statement[edge->to]].parent;
}

static void make_lazy(struct ps_import_graph *log, const struct lazy_marks *marks,
                      struct choice *choice)
{
    for (size_t i = 0; i < log->n_edges && !ps_context_has_ended(); i++) {
        struct ps_import_edge *edge = &log->edges[i];

        if (!becomes_lazy(log, marks, edge))
            continue;
        choice->n_edges++;
        /* An import in a function is lazy already, and the program called the function. */
        edge->is_lazy = !edge->is_in_function;
        choice->n_lazy += edge->is_lazy;
    }
}

/* Marks the modules with this name ("*": all modules), and returns their number. */
static size_t mark_named(const struct ps_import_graph *log, struct ps_str name, bool *marks)
{
    const bool all = ps_str_eq_c(name, "*");
    size_t n = 0;

    for (uint32_t node = 0; node < log->n && !ps_context_has_ended(); node++) {
        marks[node] = all || ps_str_eq(ps_import_graph_name(log, node), name);
        n += marks[node];
    }
    return n;
}

/* For a choice without an importer: marks the module and its statement, unless the statement is
 * part of Python's start-up. */
static void mark_statement(const struct ps_import_graph *log, struct choice *choice, uint32_t node,
                           struct lazy_marks *marks)
{
    const uint32_t top = marks->statement[node];

    if (log->modules[top].is_startup)
        choice->is_startup = true;
    else
        marks->is_target[node] = marks->is_target[top] = true;
}

static size_t mark_targets(struct ps_import_graph *log, struct choice *choice,
                           struct lazy_marks *marks)
{
    const bool all = ps_str_eq_c(choice->importer, "*");
    size_t n = 0;

    for (uint32_t node = 1; node < log->n && !ps_context_has_ended(); node++) {
        if (!ps_str_eq(log->modules[node].name, choice->module))
            continue;
        n++;
        if (all)
            log->nodes[node].has_all_importers =
                true; /* all importers are lazy, also unknown ones */
        if (marks->is_source)
            marks->is_target[node] = true;
        else
            mark_statement(log, choice, node, marks);
    }
    return n;
}

/* Makes the edges of a choice lazy. PS_NOT_FOUND: the log has no such module, or no such importer,
 * or it has all imports and this one is not among them. */
static enum ps_status apply_choice(struct ps_import_graph *log, struct choice *choice,
                                   struct ps_err *err)
{
    PS_AUTO(marks_free) struct lazy_marks marks = {.is_source = NULL};
    size_t importers = 0;

    marks.is_target = ps_alloc((log->n + 1) * sizeof *marks.is_target);
    if (choice->importer.len) {
        marks.is_source = ps_alloc((log->n + 1) * sizeof *marks.is_source);
        importers = mark_named(log, choice->importer, marks.is_source);
    } else {
        marks.statement = find_statements(log);
    }
    if (mark_targets(log, choice, &marks) == 0)
        return ps_fail(err, PS_NOT_FOUND, "the log has no import of %.*s", (int)choice->module.len,
                       choice->module.ptr);
    make_lazy(log, &marks, choice);
    /* A log with only first importers cannot show that a module does not import another module. */
    if (choice->n_edges || choice->is_startup || (importers && log->evidence == PS_EVIDENCE_NONE))
        return PS_OK;
    return ps_fail(err, PS_NOT_FOUND, "in the log, %.*s does not import %.*s",
                   (int)choice->importer.len, choice->importer.ptr, (int)choice->module.len,
                   choice->module.ptr);
}

/* --- Suggestions --- */

static void write_suggestion(const struct ps_import_suggestion *suggestion, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key(json, "package");
    ps_json_str(json, suggestion->package);
    ps_json_key_str(json, "origin",
                    ps_origin_names[suggestion->origin < PS_N_ORIGINS ? suggestion->origin
                                                                      : PS_ORIGIN_UNKNOWN]);
    ps_json_key_real(json, "low_us", suggestion->saving.low);
    ps_json_key_real(json, "high_us", suggestion->saving.high);
    ps_json_key(json, "lazy");
    ps_json_str(json, suggestion->choices);
    ps_json_end(json);
}

/* Writes the key "suggestions": the packages whose imports in the program's own code save most. */
static void write_suggestions(struct ps_import_graph *log, struct ps_json *json)
{
    struct ps_import_suggestion suggestions[PS_IMPORT_SUGGESTIONS];
    size_t n = ps_import_graph_suggest(log, suggestions);

    ps_json_key(json, "suggestions");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        write_suggestion(&suggestions[i], json);
    ps_json_end(json);
}

/* --- Question --- */

struct question {
    struct ps_import_graph log;
    struct choice *choices;
    size_t n_choices;
    int64_t limit;
    struct ps_arena arena;
    struct ps_import_outcome *out;
    struct ps_lazy_estimate saving;
};

static const char *const effect_words[] = {"stays", "open", "saved"};

static enum ps_status read_question(struct ps_store *store, const char *id, struct ps_params params,
                                    struct question *q, struct ps_err *err)
{
    ps_param_int(params, "limit", 0, ROWS_MAX, ROWS_USUAL, &q->limit, err);
    parse_choices(ps_param_get(params, "lazy"), &q->arena, &q->choices, &q->n_choices, err);
    ps_import_graph_read(store, id, &q->log, err);
    for (size_t i = 0; i < q->n_choices && err->code == PS_OK; i++)
        apply_choice(&q->log, &q->choices[i], err);
    if (err->code != PS_OK)
        return err->code;
    q->out = ps_alloc_array(q->log.n + 1, sizeof *q->out);
    q->saving = ps_import_graph_estimate(&q->log, q->out);
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

/* Whether the saving is unknown. *why: the reason; *todo: what the user can do. Work that the first
 * of several modules does (loading a shared library, listing a folder) moves to another module when
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
    } else if (saving->high - saving->low > OPEN_SHARE * saving->high) {
        *why = evidence == PS_EVIDENCE_NONE
                   ? "the log has only the first importer of each module, so other importers are "
                     "unknown"
                   : "more than 10 % of it depends on modules whose importers are not all known";
    } else if (saving->high > 0 && saving->high < SHIFTING * q->log.startup_us) {
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

    ps_json_key_str(json, "evidence", evidences[q->log.evidence]);
    ps_json_key_str(json, "verdict", !q->n_choices ? NULL : unknowable ? "not knowable" : "known");
    ps_json_key_str(json, "why", why);
    ps_json_key_str(json, "do", unknowable ? todo : NULL);
}

static void write_saving(const struct question *q, struct ps_json *json)
{
    ps_json_key_real(json, "before_us", q->log.total_us);
    ps_json_key(json, "saving_us");
    ps_json_object(json);
    ps_json_key_real(json, "low", q->saving.low);
    ps_json_key_real(json, "high", q->saving.high);
    ps_json_end(json);
}

static void write_choices(const struct question *q, struct ps_json *json)
{
    ps_json_key(json, "lazy");
    ps_json_array(json);
    for (size_t i = 0; i < q->n_choices; i++) {
        const struct choice *choice = &q->choices[i];

        ps_json_object(json);
        ps_json_key(json, "module");
        ps_json_str(json, choice->module);
        ps_json_key(json, "importer");
        ps_json_str(json, choice->importer);
        ps_json_key_bool(json, "startup", choice->is_startup);
        ps_json_key_bool(json, "in_function", choice->n_edges && !choice->n_lazy);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* --- Modules --- */

/* Returns for each module whether it is below a lazy import in the log. Children precede parents.
 */
static bool *find_below_lazy(const struct ps_import_graph *log)
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

/* Finds the modules to report: all modules that lazy imports may save, and the modules below lazy
 * imports that stay loaded. Returns the number of modules. */
static size_t find_affected(const struct question *q, struct ranked_module **out)
{
    PS_AUTO(ps_free_ptr) bool *below = find_below_lazy(&q->log);
    size_t n = 0;

    *out = ps_alloc_array(q->log.n + 1, sizeof **out);
    for (uint32_t node = 1; node < q->log.n; node++)
        if (below[node] || q->out[node].effect != PS_LAZY_STILL_IMPORTED)
            (*out)[n++] = (struct ranked_module){q->log.nodes[node].self_us, node};
    if (n)
        qsort(*out, n, sizeof **out, by_self);
    return n;
}

/* Writes the keys "by" and "proof": why a module stays loaded; null if it does not. */
static void write_reason(const struct question *q, uint32_t node, struct ps_json *json)
{
    static const char *const proofs[] = {"first importer", "its submodule", "importtime=2",
                                         "recorded"};
    const struct ps_import_outcome *out = &q->out[node];
    bool stays = out->effect == PS_LAZY_STILL_IMPORTED;

    ps_json_key(json, "by");
    ps_json_str(json,
                stays ? ps_import_graph_name(&q->log, out->importer) : (struct ps_str){NULL, 0});
    ps_json_key_str(json, "proof", stays ? proofs[out->evidence] : NULL);
}

static void write_row(const struct question *q, uint32_t node, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_int(json, "id", q->log.modules[node].import_id);
    ps_json_key(json, "module");
    ps_json_str(json, q->log.modules[node].name);
    ps_json_key_real(json, "self_us", q->log.nodes[node].self_us);
    ps_json_key_str(json, "fate", effect_words[q->out[node].effect]);
    write_reason(q, node, json);
    ps_json_end(json);
}

/* --- Imports that keep modules loaded --- */

struct keeper {
    /* node: a module whose importer is not among the reported modules; self_us: sum of the self
     * times of the reported modules that the import of `node` keeps loaded */
    struct ranked_module ranked_module;
    int64_t modules;
};

/* Walks from a module that stays loaded up to the first module whose importer is not reported, and
 * passes packages of reported submodules. top[]: results of earlier walks, 0: none. */
static uint32_t find_top(const struct question *q, uint32_t node, const bool *is_reported,
                         uint32_t *top)
{
    uint32_t at = node, result;

    while (!top[at] &&
           (is_reported[q->out[at].importer] || q->out[at].evidence == PS_EVIDENCE_PACKAGE))
        at = q->out[at].importer;
    result = top[at] ? top[at] : at;
    for (top[at] = result; node != at; node = q->out[node].importer)
        top[node] = result;
    return result;
}

/* Groups the reported modules that stay loaded by the imports that keep them. Returns the number of
 * groups. */
static size_t find_keepers(const struct question *q, const struct ranked_module *ranked_module,
                           size_t n, struct keeper **out)
{
    PS_AUTO(ps_free_ptr) uint32_t *top = ps_alloc_array(q->log.n + 1, sizeof *top);
    PS_AUTO(ps_free_ptr) bool *is_reported = ps_alloc_array(q->log.n + 1, sizeof *is_reported);
    struct keeper *list = *out = ps_alloc_array(q->log.n + 1, sizeof *list);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        is_reported[ranked_module[i].node] = true;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = ranked_module[i].node;

        if (q->out[node].effect != PS_LAZY_STILL_IMPORTED)
            continue;
        node = find_top(q, node, is_reported, top);
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
        ps_json_key_int(json, "modules", list[i].modules);
        ps_json_key_real(json, "self_us", list[i].ranked_module.self_us);
        write_reason(q, list[i].ranked_module.node, json);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_counts(const struct question *q, const struct ranked_module *ranked_module,
                         size_t n, struct ps_json *json)
{
    int64_t counts[PS_N_LAZY_EFFECTS] = {0};

    for (size_t i = 0; i < n; i++)
        counts[q->out[ranked_module[i].node].effect]++;
    ps_json_key(json, "modules");
    ps_json_object(json);
    for (size_t i = 0; i < PS_N_LAZY_EFFECTS; i++)
        ps_json_key_int(json, effect_words[i], counts[i]);
    ps_json_end(json);
}

static void write_rows(const struct question *q, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) struct ranked_module *ranked_module = NULL;
    size_t n = q->n_choices ? find_affected(q, &ranked_module) : 0;

    write_counts(q, ranked_module, n, json);
    write_keepers(q, ranked_module, n, json);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < n && i < (size_t)q->limit; i++)
        write_row(q, ranked_module[i].node, json);
    ps_json_end(json);
}

/* --- Answer --- */

static void question_free(struct question *q)
{
    ps_import_graph_free(&q->log);
    ps_arena_free(&q->arena);
    free(q->out);
}

enum ps_status ps_query_what_if(struct ps_store *store, const char *id, struct ps_params params,
                                struct ps_json *json, struct ps_err *err)
{
    struct question q = {.n_choices = 0};

    if (read_question(store, id, params, &q, err) == PS_OK) {
        ps_json_object(json);
        write_choices(&q, json);
        write_verdict(&q, json);
        write_saving(&q, json);
        write_rows(&q, json);
        if (!q.n_choices)
            write_suggestions(&q.log, json);
        ps_json_end(json);
    }
    question_free(&q);
    return err->code;
}
