/* SPDX-License-Identifier: MIT */
/* rows.c: what becomes of each column of a run file. One that is not listed here ends a redaction:
 * a column that is new must not be shared before somebody said what it reveals. */
#include "server/share/redaction.h"

#include <stdio.h>
#include <stdlib.h>

#include "slices/args.h"

enum treat { KEEP, TEXT, PATH, NAME, JSON, SOURCE, TEMPLATE, CHUNK, META };

static const struct {
    const char *table, *column;
    enum treat treat;
} rules[] = {
    {"meta", "k", KEEP},
    {"meta", "v", META},
    {"note", "what", TEXT},
    {"package", "name", TEXT},
    {"import", "module", TEXT},
    {"file", "path", PATH},
    {"function", "name", TEXT},
    {"function", "callers", KEEP}, /* ids and figures */
    {"function", "callees", KEEP},
    {"line_file", "path", PATH},
    {"line_function", "name", TEXT},
    {"line", "source", SOURCE},
    {"line", "samples", KEEP},
    {"memory_sample", "kind", KEEP},
    {"span", "name", TEXT},
    {"text", "text", TEXT},
    {"args_template", "text", TEMPLATE},
    {"process", "pid", TEXT},
    {"process", "name", TEXT},
    {"process", "labels", TEXT},
    {"track", "name", TEXT},
    {"track", "tid", TEXT},
    {"chunk_column", "data", CHUNK},
    {"pyramid", "data", KEEP},
    {"series", "name", TEXT},
    {"series", "unit", KEEP},
    {"packed_column", "data", KEEP},
    {"step", "name", TEXT},
    {"step_part", "name", KEEP},
    {"device", "name", TEXT},
    {"device", "json", JSON},
    {"module", "name", TEXT},
    {"report", "stage", TEXT},
    {"report", "title", TEXT},
    {"report", "ordered", KEEP},
    {"report", "by", KEEP},
    {"printed_operator", "name", TEXT},
    {"printed_operator", "overload", KEEP},
    {"printed_operator", "shapes", KEEP},
    {"printed_operator", "source", TEXT},
    {"section", "stage", TEXT},
    {"action", "name", TEXT},
    {"measurement", "name", NAME},
    {"measurement", "grp", NAME},
    {"measurement", "unit", KEEP},
    {"measurement", "statistic", KEEP},
    {"measurement", "more", JSON},
    {"measurement", "samples", KEEP},
};

static int rule_of(const struct ps_row *row, size_t column)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].table, row->table) == 0 &&
            strcmp(rules[i].column, row->columns[column]) == 0)
            return (int)rules[i].treat;
    return -1;
}

/* --- meta ------------------------------------------------------------------------------------- */

/* What a trace says beside its events that no person typed. */
static bool is_header_of_tool(struct ps_str key)
{
    static const char *const known[] = {
        "schemaVersion",       "deviceProperties", "computeProperties", "displayTimeUnit",
        "baseTimeNanoseconds", "distributedInfo",  "record_shapes",     "profile_memory",
        "traceName",           "trace_id",         "viztracer_metadata"};
    static const char *const begins[] = {"cuda_", "hip_", "cupti_", "roctracer_", "with_"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ps_str_is(key, known[i]))
            return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (ps_str_starts(key, ps_str_of(begins[i])))
            return true;
    return false;
}

/* HOST_PID: torch's name of a worker. */
static struct ps_str host_of_worker(struct ps_str name)
{
    size_t n = name.len;

    while (n && name.at[n - 1] >= '0' && name.at[n - 1] <= '9')
        n--;
    if (n < 2 || n == name.len || name.at[n - 1] != '_')
        return (struct ps_str){NULL, 0};
    return (struct ps_str){name.at, n - 1};
}

/* HOST_PID.TIME.pt.trace.json */
static struct ps_str host_of_file(struct ps_str file)
{
    const char *slash = file.len ? memrchr(file.at, '/', file.len) : NULL;
    const char *mark, *dot;

    if (slash)
        file = ps_str_skip(file, (size_t)(slash - file.at) + 1);
    mark = ps_str_find(file, PS_STR(".pt.trace.json"));
    dot = mark ? memrchr(file.at, '.', (size_t)(mark - file.at)) : NULL;
    return dot ? host_of_worker((struct ps_str){file.at, (size_t)(dot - file.at)})
               : (struct ps_str){NULL, 0};
}

static bool is_worker_name(struct ps_str key)
{
    return ps_str_starts(key, PS_STR("worker.")) && key.len > 5 &&
           memcmp(key.at + key.len - 5, ".name", 5) == 0;
}

static void learn_meta(struct ps_redaction *r, struct ps_str key, struct ps_str value)
{
    struct ps_str header = ps_str_skip(key, 7), host = host_of_file(value);
    bool is_header = ps_str_starts(key, PS_STR("header."));
    unsigned says = ps_scrub_key(is_header ? header : key);

    if (is_worker_name(key))
        host = host_of_worker(value);
    if (host.at)
        ps_scrub_learn_host(&r->scrub, host);
    if (is_header && value.len > 1 && value.at[0] == '"')
        value = (struct ps_str){value.at + 1, value.len - 2};
    if (says == PS_REVEAL_HOSTS)
        ps_scrub_learn_host(&r->scrub, value);
    else if (says == PS_REVEAL_PEOPLE)
        ps_scrub_learn_person(&r->scrub, value);
    ps_scrub_learn_json(&r->scrub, value);
    ps_scrub_learn(&r->scrub, value);
}

static void already_of(struct ps_redaction *r, struct ps_str shared)
{
    for (unsigned i = 0; i < PS_REVEALS; i++)
        if (ps_str_find(shared, ps_str_of(ps_reveal_words[i])))
            r->already |= 1u << i;
}

/* False: the row is left out. */
static bool redact_header(struct ps_redaction *r, struct ps_str key, struct ps_str value,
                          struct ps_buf *out)
{
    unsigned redact = r->scrub.redact, says = ps_scrub_key(key);

    if (says & (PS_REVEAL_HOSTS | PS_REVEAL_PEOPLE) & redact) {
        ps_buf_printf(out, "\"%s\"", "redacted");
        return true;
    }
    if ((says & PS_REVEAL_SOURCE & redact) ||
        ((redact & PS_REVEAL_ARGUMENTS) && !is_header_of_tool(key))) {
        ps_scrub_see(&r->scrub, says == PS_REVEAL_SOURCE ? PS_REVEAL_SOURCE : PS_REVEAL_ARGUMENTS,
                     key, "left out");
        return false;
    }
    ps_scrub_json(&r->scrub, value, out);
    return true;
}

/* False: the row is left out. */
static bool redact_meta(struct ps_redaction *r, struct ps_str key, struct ps_str value,
                        struct ps_buf *out)
{
    unsigned redact = r->scrub.redact, says = ps_scrub_key(key);

    if (ps_str_is(key, PS_SHARED_KEY)) {
        already_of(r, value);
        return false; /* written anew at the end */
    }
    if (ps_str_starts(key, PS_STR("header.")))
        return redact_header(r, ps_str_skip(key, 7), value, out);
    if (ps_str_is(key, "summary"))
        ps_scrub_json(&r->scrub, value, out);
    else if (ps_str_is(key, "title") && (redact & PS_REVEAL_LABELS))
        return false;
    else if (ps_str_is(key, "title") && strcmp(r->kind, "mprof") == 0)
        ps_scrub_command(&r->scrub, value, out);
    else if (says & PS_REVEAL_HOSTS & redact)
        ps_scrub_number(&r->scrub.hosts.words, value, "host", out);
    else if ((ps_str_is(key, "branch") || ps_str_is(key, "commit")) && (redact & PS_REVEAL_LABELS))
        return false;
    else
        ps_scrub_text(&r->scrub, value, out);
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

static void redact_source(struct ps_redaction *r, struct ps_cell *cell, struct ps_buf *out)
{
    if (r->scrub.redact & PS_REVEAL_SOURCE) {
        ps_scrub_see(&r->scrub, PS_REVEAL_SOURCE, cell->bytes, "left out");
        *cell = (struct ps_cell){.type = PS_CELL_NULL};
        return;
    }
    ps_scrub_text(&r->scrub, cell->bytes, out);
}

/* What was run, where that is what was measured. */
static bool names_commands(const struct ps_redaction *r)
{
    return strcmp(r->kind, "time") == 0 || strcmp(r->kind, "hyperfine") == 0;
}

/* Code that was given to exec stands where its name should. */
static void redact_text(struct ps_redaction *r, struct ps_str text, struct ps_buf *out)
{
    if ((r->scrub.redact & PS_REVEAL_SOURCE) && text.len && memchr(text.at, '\n', text.len)) {
        ps_scrub_number(&r->scrub.arguments, text, "code ", out);
        ps_scrub_see(&r->scrub, PS_REVEAL_SOURCE, text, out->at);
    } else {
        ps_scrub_text(&r->scrub, text, out);
    }
}

static bool redact_cell(struct ps_redaction *r, struct ps_row *row, size_t at, enum treat treat,
                        struct ps_err *err)
{
    struct ps_cell *cell = &row->cells[at];
    struct ps_buf *out = &r->cells[at];
    bool stays = true;

    if (treat == KEEP)
        return true;
    out->len = 0;
    if (treat == CHUNK)
        return ps_redact_chunk(r, row, err);
    if (treat == META)
        stays = redact_meta(r, row->cells[0].bytes, cell->bytes, out);
    else if (treat == PATH)
        ps_scrub_path(&r->scrub, cell->bytes, out);
    else if (treat == JSON)
        ps_scrub_json(&r->scrub, cell->bytes, out);
    else if (treat == TEMPLATE)
        stays = ps_redact_template(r, row->cells[0].i, cell->bytes, out, err);
    else if (treat == SOURCE)
        redact_source(r, cell, out);
    else if (treat == NAME && names_commands(r))
        ps_scrub_command(&r->scrub, cell->bytes, out);
    else
        redact_text(r, cell->bytes, out);
    cell->bytes = ps_buf_slice(out);
    return stays;
}

/* False: it cannot be read. */
static bool learn_cell(struct ps_redaction *r, struct ps_row *row, size_t at, enum treat treat,
                       struct ps_err *err)
{
    struct ps_str bytes = row->cells[at].bytes;

    if (treat == CHUNK)
        return !r->whole || ps_redact_chunk(r, row, err);
    if (treat == META)
        learn_meta(r, row->cells[0].bytes, bytes);
    else if (treat == JSON || treat == TEMPLATE)
        ps_scrub_learn_json(&r->scrub, bytes);
    else if (treat != KEEP)
        ps_scrub_learn(&r->scrub, bytes);
    r->whole |= treat == TEMPLATE && ps_str_is(bytes, PS_TEMPLATE_WHOLE_TEXT);
    return true;
}

/* Of notes that an earlier redaction wrote one is enough. */
static bool is_our_note(const struct ps_row *row, size_t at)
{
    return strcmp(row->columns[at], "what") == 0 &&
           ps_str_starts(row->cells[at].bytes, PS_STR(PS_SHARED_NOTE));
}

bool ps_redact_row(void *user, struct ps_row *row, struct ps_err *err)
{
    struct ps_redaction *r = user;
    bool stays = true;

    for (size_t i = 0; i < row->n && stays; i++) {
        int treat;

        if (row->cells[i].type != PS_CELL_TEXT && row->cells[i].type != PS_CELL_BLOB)
            continue;
        treat = rule_of(row, i);
        if (treat < 0) {
            (void)ps_fail(err, PS_INTERNAL, "nobody says what %s.%s reveals", row->table,
                          row->columns[i]);
            return false;
        }
        if (r->learning)
            stays = learn_cell(r, row, i, (enum treat)treat, err);
        else
            stays = !is_our_note(row, i) && redact_cell(r, row, i, (enum treat)treat, err);
    }
    return stays;
}

void ps_redact_begin(struct ps_redaction *r, const char *kind)
{
    for (size_t i = 0; i < r->n_params; i++) {
        ps_buf_free(&r->params[i].markers);
        ps_buf_free(&r->params[i].keep);
    }
    free(r->params);
    r->params = NULL;
    r->n_params = r->n_templates = 0;
    r->chunk = 0;
    r->already = 0;
    r->whole = false;
    (void)snprintf(r->kind, sizeof r->kind, "%s", kind);
}

void ps_redaction_free(struct ps_redaction *r)
{
    ps_redact_begin(r, "");
    for (size_t i = 0; i < PS_REDACTED_CELLS; i++)
        ps_buf_free(&r->cells[i]);
    ps_buf_free(&r->at);
    ps_buf_free(&r->args);
    ps_scrub_free(&r->scrub);
}
