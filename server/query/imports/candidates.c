/* SPDX-License-Identifier: MIT */
/* candidates.c: makes the requested imports lazy, and suggests imports for which that saves most.
 */
#include <stdlib.h>

#include "server/query/imports/lazy_imports.h"

#define SUGGESTIONS 10
#define CANDIDATES  40 /* number of packages to evaluate, those with the most self time */

static struct ps_str trim_spaces(struct ps_str text)
{
    while (text.len && text.ptr[0] == ' ')
        text = ps_str_skip(text, 1);
    while (text.len && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}

/* Parses "numpy@app". */
static struct ps_lazy_choice read_tick(struct ps_str word)
{
    const char *at = memchr(word.ptr, '@', word.len);
    size_t len = at ? (size_t)(at - word.ptr) : word.len;
    struct ps_lazy_choice choice = {.module = trim_spaces((struct ps_str){word.ptr, len})};

    if (at)
        choice.importer = trim_spaces(ps_str_skip(word, len + 1));
    return choice;
}

enum ps_status ps_lazy_parse_choices(const char *text, struct ps_arena *arena,
                                     struct ps_lazy_choice **out, size_t *n, struct ps_err *err)
{
    *n = 0;
    *out = ps_arena_alloc(arena, PS_LAZY_CHOICES_MAX * sizeof **out);
    for (const char *at = text; at && *at;) {
        size_t len = strcspn(at, ",");
        struct ps_str word = trim_spaces((struct ps_str){at, len});

        at += len + (at[len] == ',');
        if (word.len == 0)
            continue;
        if (*n == PS_LAZY_CHOICES_MAX)
            return ps_fail(err, PS_BAD_REQUEST, "lazy has more than %d imports",
                           PS_LAZY_CHOICES_MAX);
        (*out)[*n] = read_tick(word);
        if ((*out)[*n].module.len == 0)
            return ps_fail(err, PS_BAD_REQUEST, "lazy: '%.*s' is not a module", (int)word.len,
                           word.ptr);
        ++*n;
    }
    return err->code;
}

/* In the log, `import a.b` has `a` below `a.b`; what becomes lazy is the import of a.b. Returns for
 * each node the node of its import statement. Parents have higher numbers than the modules they
 * import. */
static uint32_t *find_statements(const struct ps_lazy_log *log)
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
    bool *is_target; /* imports of it become lazy */
    bool *is_source; /* in these importers; NULL: in the parent of its statement */
    uint32_t *statement;
};

static void marks_free(struct lazy_marks *marks)
{
    free(marks->is_target);
    free(marks->is_source);
    free(marks->statement);
}

static bool becomes_lazy(const struct ps_lazy_log *log, const struct lazy_marks *marks,
                         const struct ps_import_edge *edge)
{
    if (!marks->is_target[edge->to] || edge->evidence == PS_EVIDENCE_PACKAGE)
        return false;
    return marks->is_source ? marks->is_source[edge->from]
                            : edge->from == log->modules[marks->statement[edge->to]].parent;
}

static size_t make_lazy(struct ps_lazy_log *log, const struct lazy_marks *marks)
{
    size_t n = 0;

    for (size_t i = 0; i < log->n_edges && !ps_context_has_ended(); i++) {
        if (!becomes_lazy(log, marks, &log->edges[i]))
            continue;
        log->edges[i].is_lazy = true;
        n++;
    }
    return n;
}

/* Marks the modules with this name ("*": all modules), and returns their number. */
static size_t mark_named(const struct ps_lazy_log *log, struct ps_str name, bool *marks)
{
    const bool all = ps_str_eq_c(name, "*");
    size_t n = 0;

    for (uint32_t node = 0; node < log->n && !ps_context_has_ended(); node++) {
        marks[node] = all || ps_str_eq(ps_lazy_name(log, node), name);
        n += marks[node];
    }
    return n;
}

/* For a choice without an importer: marks the module and its statement, unless the statement is
 * part of Python's start-up. */
static void mark_statement(const struct ps_lazy_log *log, struct ps_lazy_choice *choice,
                           uint32_t node, struct lazy_marks *marks)
{
    const uint32_t top = marks->statement[node];

    if (log->modules[top].is_startup)
        choice->is_startup = true;
    else
        marks->is_target[node] = marks->is_target[top] = true;
}

static size_t mark_targets(struct ps_lazy_log *log, struct ps_lazy_choice *choice,
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

enum ps_status ps_lazy_apply(struct ps_lazy_log *log, struct ps_lazy_choice *choice,
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
    choice->n_edges = make_lazy(log, &marks);
    /* A log with only first importers cannot show that a module in it does not import another one.
     */
    if (choice->n_edges || choice->is_startup || (importers && log->evidence == PS_EVIDENCE_NONE))
        return PS_OK;
    return ps_fail(err, PS_NOT_FOUND, "in the log, %.*s does not import %.*s",
                   (int)choice->importer.len, choice->importer.ptr, (int)choice->module.len,
                   choice->module.ptr);
}

struct candidate {
    struct ps_str package;
    double self_us;
    uint8_t origin;
    struct ps_lazy_estimate saving;
};

/* Whether a module is code of the program itself, which its authors can change. */
static bool is_ours(const struct ps_lazy_log *log, uint32_t node)
{
    return node == 0 ||
           (log->modules[node].origin == PS_ORIGIN_OWN && !log->modules[node].is_startup);
}

static bool is_of(const struct ps_lazy_log *log, const struct ps_import_edge *edge,
                  struct ps_str package)
{
    const struct ps_lazy_module *to = &log->modules[edge->to];

    return edge->evidence != PS_EVIDENCE_PACKAGE && edge->evidence != PS_EVIDENCE_OTHER_LOG &&
           is_ours(log, edge->from) && !to->is_startup && to->origin != PS_ORIGIN_OWN &&
           ps_str_eq(to->package, package);
}

static int by_self(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return (x->self_us < y->self_us) - (x->self_us > y->self_us);
}

static int by_saving(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->saving.low != y->saving.low)
        return x->saving.low < y->saving.low ? 1 : -1;
    return (x->saving.best < y->saving.best) - (x->saving.best > y->saving.best);
}

/* Finds the packages that the program's own code imports, and returns their number. Their saving is
 * not known yet; as an estimate, counts the self times of all modules first imported below them. */
static size_t find_candidates(const struct ps_lazy_log *log, struct candidate **out)
{
    PS_AUTO(ps_free_ptr) double *below = ps_alloc_array(log->n + 1, sizeof *below);
    struct ps_intern packages = {0};
    size_t n = 0, cap = 0;

    for (uint32_t node = 1; node < log->n; node++) { /* children precede parents */
        const struct ps_lazy_module *module = &log->modules[node];
        uint32_t id;

        below[node] += log->nodes[node].self_us;
        if (module->parent)
            below[module->parent] += below[node];
        if (!is_ours(log, module->parent) || module->is_startup || module->origin == PS_ORIGIN_OWN)
            continue;
        id = ps_intern_add(&packages, module->package);
        if (id == n) {
            PS_RESERVE_ONE(*out, n, cap);
            (*out)[n++] = (struct candidate){module->package, 0, module->origin, {0, 0, 0}};
        }
        (*out)[id].self_us += below[node];
    }
    ps_intern_free(&packages);
    return n;
}

static void try_package(struct ps_lazy_log *log, struct candidate *c, struct ps_import_outcome *out)
{
    for (size_t i = 0; i < log->n_edges; i++)
        log->edges[i].is_lazy = is_of(log, &log->edges[i], c->package);
    c->saving = ps_lazy_log_estimate(log, out);
}

/* Writes the key "lazy": the imports to make lazy, in the format of the request. */
static void write_lazy(const struct ps_lazy_log *log, struct ps_str package, struct ps_json *json)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_intern seen = {0};

    for (size_t i = 0; i < log->n_edges; i++) {
        const struct ps_import_edge *edge = &log->edges[i];
        struct ps_str to = log->modules[edge->to].name, from = ps_lazy_name(log, edge->from);
        uint32_t before = seen.count;
        char *word;

        if (!is_of(log, edge, package))
            continue;
        word =
            ps_arena_printf(&seen.text, "%.*s@%.*s", (int)to.len, to.ptr, (int)from.len, from.ptr);
        if (ps_intern_add(&seen, ps_str_from_c(word)) == before)
            ps_buf_printf(&text, "%s%s", text.len ? "," : "", word);
    }
    ps_json_key(json, "lazy");
    ps_json_str(json, ps_buf_slice(&text));
    ps_intern_free(&seen);
}

static void write_candidate(const struct ps_lazy_log *log, const struct candidate *c,
                            struct ps_json *json)
{
    static const char *const origins[] = {"own", "third-party", "stdlib", "builtin", "unknown"};

    ps_json_object(json);
    ps_json_key(json, "package");
    ps_json_str(json, c->package);
    ps_json_kstr(json, "origin", origins[c->origin <= PS_ORIGIN_UNKNOWN ? c->origin : 4]);
    ps_json_kreal(json, "low_us", c->saving.low);
    ps_json_kreal(json, "best_us", c->saving.best);
    ps_json_kreal(json, "high_us", c->saving.high);
    write_lazy(log, c->package, json);
    ps_json_end(json);
}

void ps_lazy_suggest(struct ps_lazy_log *log, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) struct candidate *list = NULL;
    PS_AUTO(ps_free_ptr) struct ps_import_outcome *out = ps_alloc_array(log->n + 1, sizeof *out);
    size_t n = find_candidates(log, &list);

    if (n)
        qsort(list, n, sizeof *list, by_self);
    n = n > CANDIDATES ? CANDIDATES : n;
    for (size_t i = 0; i < n && !ps_context_has_ended(); i++)
        try_package(log, &list[i], out);
    if (n)
        qsort(list, n, sizeof *list, by_saving);
    ps_json_key(json, "suggestions");
    ps_json_array(json);
    for (size_t i = 0; i < n && i < SUGGESTIONS; i++)
        if (list[i].saving.best > 0)
            write_candidate(log, &list[i], json);
    ps_json_end(json);
}
