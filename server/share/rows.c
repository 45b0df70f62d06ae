/* SPDX-License-Identifier: MIT */
/*
 * rows.c: redacts the rows of a run file. schema/run.sql defines a class for each column that may
 * contain text. A text in a column without a class is an error, since it is unknown what the text
 * reveals.
 */
#include "server/share/redaction.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "importers/kinds.h"
#include "server/runwrite/run_tables.h"
#include "slices/args.h"

/* Returns the class of a column; PS_REDACT_NONE: it has none. */
static enum ps_redaction_class class_of(const char *table, const char *column)
{
    const struct ps_column *known = ps_run_find_column(table, column);

    return known ? known->redaction_class : PS_REDACT_NONE;
}

static bool has_no_class(const char *table, const char *column, struct ps_err *err)
{
    (void)ps_fail(err, PS_INTERNAL,
                  "no redaction class for column %s.%s" PS_HINT
                  "please report this bug of perfshelf",
                  table, column);
    return false;
}

bool ps_kind_has_command_names(const char *kind)
{
    return (ps_kind_find(kind)->texts & PS_NAMES_ARE_COMMANDS) != 0;
}

/* --- Metadata --- */

/* Whether tools write this header field of a trace, not users. */
static bool is_header_of_tool(struct ps_str key)
{
    static const char *const known[] = {
        "schemaVersion",       "deviceProperties", "computeProperties", "displayTimeUnit",
        "baseTimeNanoseconds", "distributedInfo",  "record_shapes",     "profile_memory",
        "traceName",           "trace_id",         "viztracer_metadata"};
    static const char *const begins[] = {"cuda_", "hip_", "cupti_", "roctracer_", "with_"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ps_str_eq_c(key, known[i]))
            return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (ps_str_starts_with(key, ps_str_from_c(begins[i])))
            return true;
    return false;
}

/* Returns the host in HOST_PID, torch's name of a worker; {NULL, 0}: none. */
static struct ps_str host_of_worker(struct ps_str name)
{
    size_t n = name.len;

    while (n && name.ptr[n - 1] >= '0' && name.ptr[n - 1] <= '9')
        n--;
    if (n < 2 || n == name.len || name.ptr[n - 1] != '_')
        return (struct ps_str){NULL, 0};
    return (struct ps_str){name.ptr, n - 1};
}

/* Returns the host in HOST_PID.TIME.pt.trace.json, torch's name of a trace file; {NULL, 0}: none.
 */
static struct ps_str host_of_file(struct ps_str file)
{
    const char *slash = file.len ? memrchr(file.ptr, '/', file.len) : NULL;
    const char *mark, *dot;

    if (slash)
        file = ps_str_skip(file, (size_t)(slash - file.ptr) + 1);
    mark = ps_str_find(file, PS_STR(".pt.trace.json"));
    dot = mark ? memrchr(file.ptr, '.', (size_t)(mark - file.ptr)) : NULL;
    return dot ? host_of_worker((struct ps_str){file.ptr, (size_t)(dot - file.ptr)})
               : (struct ps_str){NULL, 0};
}

static bool is_worker_name(struct ps_str key)
{
    return ps_str_starts_with(key, PS_STR("worker.")) && key.len > 5 &&
           memcmp(key.ptr + key.len - 5, ".name", 5) == 0;
}

static void learn_meta(struct ps_redaction *r, struct ps_str key, struct ps_str value)
{
    struct ps_str header = ps_str_skip(key, 7), host = host_of_file(value);
    bool is_header = ps_str_starts_with(key, PS_STR("header."));
    unsigned says = ps_scrub_key_category(is_header ? header : key);

    if (is_worker_name(key))
        host = host_of_worker(value);
    if (host.ptr)
        ps_scrub_learn_host(&r->scrub, host);
    if (is_header && value.len > 1 && value.ptr[0] == '"')
        value = (struct ps_str){value.ptr + 1, value.len - 2};
    if (says == PS_REVEAL_HOSTS)
        ps_scrub_learn_host(&r->scrub, value);
    else if (says == PS_REVEAL_PEOPLE)
        ps_scrub_learn_person(&r->scrub, value);
    ps_scrub_learn_json(&r->scrub, value);
    ps_scrub_learn(&r->scrub, value);
}

static void already_of(struct ps_redaction *r, struct ps_str shared)
{
    for (unsigned i = 0; i < PS_N_REVEALS; i++)
        if (ps_str_find(shared, ps_str_from_c(ps_reveal_names[i])))
            r->already_redacted |= 1u << i;
}

/* Redacts the value of a header field of a trace. False: omit the row. */
static bool redact_header(struct ps_redaction *r, struct ps_str key, struct ps_str value,
                          struct ps_buf *out)
{
    unsigned redact = r->scrub.redacted_categories, says = ps_scrub_key_category(key);

    if (says & (PS_REVEAL_HOSTS | PS_REVEAL_PEOPLE) & redact) {
        ps_buf_printf(out, "\"%s\"", "redacted");
        return true;
    }
    if ((says & PS_REVEAL_SOURCE & redact) ||
        ((redact & PS_REVEAL_ARGUMENTS) && !is_header_of_tool(key))) {
        ps_scrub_record_example(&r->scrub,
                                says == PS_REVEAL_SOURCE ? PS_REVEAL_SOURCE : PS_REVEAL_ARGUMENTS,
                                key, "left out");
        return false;
    }
    ps_scrub_json(&r->scrub, value, out);
    return true;
}

/* Redacts the value of the key "tool". In formats with PS_TOOL_IS_PROGRAM it can be the profiled
 * program instead of the profiler. */
static void redact_tool(struct ps_redaction *r, struct ps_str tool, struct ps_buf *out)
{
    if (r->kind_texts & PS_TOOL_IS_PROGRAM)
        ps_scrub_label(&r->scrub, tool, out);
    else
        ps_scrub_message(&r->scrub, tool, out);
}

/* Redacts the value of a row of meta. False: omit the row. */
static bool redact_meta(struct ps_redaction *r, struct ps_str key, struct ps_str value,
                        struct ps_buf *out)
{
    unsigned redact = r->scrub.redacted_categories, says = ps_scrub_key_category(key);

    if (ps_str_eq_c(key, PS_SHARED_KEY)) {
        already_of(r, value);
        return false; /* end_file writes a new one */
    }
    if (ps_str_starts_with(key, PS_STR("header.")))
        return redact_header(r, ps_str_skip(key, 7), value, out);
    if (ps_str_eq_c(key, "summary"))
        ps_scrub_json(&r->scrub, value, out);
    else if (ps_str_eq_c(key, "title") && (redact & PS_REVEAL_LABELS))
        return false;
    else if (ps_str_eq_c(key, "title") && r->kind_texts & PS_NAMES_ARE_COMMANDS)
        ps_scrub_command(&r->scrub, value, out);
    else if (ps_str_eq_c(key, "tool"))
        redact_tool(r, value, out);
    else if (says & PS_REVEAL_HOSTS & redact)
        ps_scrub_host(&r->scrub, value, out);
    else if ((ps_str_eq_c(key, "branch") || ps_str_starts_with(key, PS_STR("commit"))) &&
             (redact & PS_REVEAL_LABELS))
        return false;
    else
        ps_scrub_text(&r->scrub, value, out);
    return true;
}

/* --- Rows --- */

static void redact_source(struct ps_redaction *r, struct ps_cell *cell, struct ps_buf *out)
{
    if (r->scrub.redacted_categories & PS_REVEAL_SOURCE) {
        ps_scrub_record_example(&r->scrub, PS_REVEAL_SOURCE, cell->bytes, "left out");
        *cell = (struct ps_cell){.type = PS_CELL_NULL};
        return;
    }
    ps_scrub_text(&r->scrub, cell->bytes, out);
}

/* Redacts a name or another text. A text of several lines is code that was passed to exec(). */
static void redact_text(struct ps_redaction *r, struct ps_str text, struct ps_buf *out)
{
    if ((r->scrub.redacted_categories & PS_REVEAL_SOURCE) && text.len &&
        memchr(text.ptr, '\n', text.len)) {
        ps_scrub_append_number(&r->scrub.arguments, text, "code ", out);
        ps_scrub_record_example(&r->scrub, PS_REVEAL_SOURCE, text, out->ptr);
    } else {
        ps_scrub_text(&r->scrub, text, out);
    }
}

/* Redacts a text of a trace. The program chooses the names of ranges and instants that it marks, of
 * flows and of counters, so they can be any text. */
static bool redact_slice(struct ps_redaction *r, const struct ps_rewritten_row *row,
                         struct ps_str text, struct ps_buf *out, struct ps_err *err)
{
    int64_t id = row->cells[0].i;
    const struct ps_str key = {(const char *)&id, sizeof id};

    if (!r->knows_labels && ps_redact_find_labels(r, row->source_db, err) != PS_OK)
        return false;
    if (ps_intern_find(&r->labels, key) != PS_INTERN_NONE ||
        ps_intern_find(&r->codes, key) == PS_INTERN_NONE)
        ps_scrub_label(&r->scrub, text, out);
    else
        redact_text(r, text, out);
    return true;
}

static void redact_measured(struct ps_redaction *r, bool is_command, struct ps_str text,
                            struct ps_buf *out)
{
    if (is_command)
        ps_scrub_command(&r->scrub, text, out);
    else
        redact_text(r, text, out);
}

static bool redact_cell(struct ps_redaction *r, struct ps_rewritten_row *row, size_t at,
                        enum ps_redaction_class class, struct ps_err *err)
{
    struct ps_cell *cell = &row->cells[at];
    struct ps_buf *out = &r->cells[at];
    bool stays = true, is_group_command = (r->kind_texts & PS_GROUPS_ARE_COMMANDS) != 0;

    out->len = 0;
    switch (class) {
    case PS_REDACT_NONE:
    case PS_REDACT_FIXED:
    case PS_REDACT_NUMBERS:
        return true;
    case PS_REDACT_CHUNK:
        return ps_redact_chunk(r, row, err);
    case PS_REDACT_META:
        stays = redact_meta(r, row->cells[0].bytes, cell->bytes, out);
        break;
    case PS_REDACT_SLICE:
        stays = redact_slice(r, row, cell->bytes, out, err);
        break;
    case PS_REDACT_PATH:
        ps_scrub_path(&r->scrub, cell->bytes, out);
        break;
    case PS_REDACT_JSON:
        ps_scrub_json(&r->scrub, cell->bytes, out);
        break;
    case PS_REDACT_PARAMETERS:
        ps_scrub_parameters(&r->scrub, cell->bytes, out);
        break;
    case PS_REDACT_TEMPLATE:
        stays = ps_redact_template(r, row->cells[0].i, cell->bytes, out, err);
        break;
    case PS_REDACT_SOURCE:
        redact_source(r, cell, out);
        break;
    case PS_REDACT_PROCESS_GROUP:
        ps_scrub_process_group(&r->scrub, cell->bytes, out);
        break;
    case PS_REDACT_LABEL:
        ps_scrub_label(&r->scrub, cell->bytes, out);
        break;
    case PS_REDACT_MESSAGE:
        ps_scrub_message(&r->scrub, cell->bytes, out);
        break;
    case PS_REDACT_MEASURED:
        redact_measured(r, r->kind_texts & PS_NAMES_ARE_COMMANDS && !is_group_command, cell->bytes,
                        out);
        break;
    case PS_REDACT_GROUP:
        redact_measured(r, is_group_command, cell->bytes, out);
        break;
    case PS_REDACT_CODE:
        redact_text(r, cell->bytes, out);
        break;
    }
    if (cell->type != PS_CELL_NULL)
        cell->bytes = ps_buf_slice(out);
    return stays;
}

/* Learns the names in a cell. False: reading failed, see err. */
static bool learn_cell(struct ps_redaction *r, struct ps_rewritten_row *row, size_t at,
                       enum ps_redaction_class class, struct ps_err *err)
{
    struct ps_str bytes = row->cells[at].bytes;

    if (class == PS_REDACT_CHUNK)
        return !r->has_whole_args || ps_redact_chunk(r, row, err);
    if (class == PS_REDACT_META)
        learn_meta(r, row->cells[0].bytes, bytes);
    else if (class == PS_REDACT_JSON || class == PS_REDACT_PARAMETERS ||
             class == PS_REDACT_TEMPLATE)
        ps_scrub_learn_json(&r->scrub, bytes);
    else if (class != PS_REDACT_FIXED && class != PS_REDACT_NUMBERS)
        ps_scrub_learn(&r->scrub, bytes);
    r->has_whole_args |= class == PS_REDACT_TEMPLATE && ps_str_eq_c(bytes, PS_TEMPLATE_WHOLE_TEXT);
    return true;
}

/* Whether the row is the note of an earlier redaction, which end_file replaces by a new note. */
static bool is_our_note(const struct ps_rewritten_row *row, size_t at)
{
    return strcmp(row->columns[at], "what") == 0 &&
           ps_str_starts_with(row->cells[at].bytes, PS_STR(PS_SHARED_NOTE));
}

bool ps_redact_row(void *user, struct ps_rewritten_row *row, struct ps_err *err)
{
    struct ps_redaction *r = user;
    bool stays = true;

    for (size_t i = 0; i < row->n && stays; i++) {
        enum ps_redaction_class class;

        if (row->cells[i].type != PS_CELL_TEXT && row->cells[i].type != PS_CELL_BLOB)
            continue;
        class = class_of(row->table, row->columns[i]);
        if (class == PS_REDACT_NONE)
            return has_no_class(row->table, row->columns[i], err);
        if (r->is_learning)
            stays = learn_cell(r, row, i, class, err);
        else
            stays = !is_our_note(row, i) && redact_cell(r, row, i, class, err);
    }
    return stays;
}

void ps_redact_begin_run(struct ps_redaction *r, const char *kind)
{
    for (size_t i = 0; i < r->n_params; i++) {
        ps_buf_free(&r->params[i].markers);
        ps_buf_free(&r->params[i].kept_markers);
    }
    free(r->params);
    r->params = NULL;
    r->n_params = r->n_templates = 0;
    r->chunk = 0;
    r->already_redacted = 0;
    r->has_whole_args = false;
    r->knows_labels = false;
    ps_intern_free(&r->labels);
    ps_intern_free(&r->codes);
    (void)snprintf(r->kind, sizeof r->kind, "%s", kind);
    r->kind_texts = ps_kind_find(kind)->texts;
    r->scrub.names_are_tests = (r->kind_texts & PS_NAMES_ARE_TESTS) != 0;
}

void ps_redaction_free(struct ps_redaction *r)
{
    ps_redact_begin_run(r, "");
    for (size_t i = 0; i < PS_REDACTED_CELLS_MAX; i++)
        ps_buf_free(&r->cells[i]);
    ps_buf_free(&r->arg_offsets);
    ps_buf_free(&r->arg_bytes);
    ps_scrub_free(&r->scrub);
}
