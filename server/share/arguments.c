/* SPDX-License-Identifier: MIT */
/* arguments.c: redacts the arguments of slices (slices/args.h). If it removes a key from a
 * template, it also removes the numbers of that key from the chunks. */
#include <stdlib.h>

#include "importers/kinds.h"
#include "server/runfile/trace.h"
#include "server/share/redaction.h"
#include "slices/args.h"
#include "slices/column.h"
#include "slices/slices.h"

/* --- Templates --- */

/* Whether profilers write this key themselves, so that its values are not from the user's program.
 */
static bool is_profiler_key(struct ps_str key)
{
    static const char *const keys[] = {"External id",
                                       "Ev Idx",
                                       "Input Dims",
                                       "Input type",
                                       "Input Strides",
                                       "Output Dims",
                                       "Output type",
                                       "CallFrom",
                                       "Call stack",
                                       "Module Hierarchy",
                                       "Collective name",
                                       "dtype",
                                       "Process Group Name",
                                       "Process Group Description",
                                       "Process Group Ranks",
                                       "In split size",
                                       "Out split size",
                                       "kernel_file",
                                       "kernel_backend",
                                       "Trace name",
                                       "device",
                                       "stream",
                                       "context",
                                       "correlation",
                                       "grid",
                                       "block",
                                       "s",
                                       "bp",
                                       "scope",
                                       "id2",
                                       "cname",
                                       "sf",
                                       "bind_id",
                                       "Device Type",
                                       "sort_index",
                                       "hlo_op",
                                       "hlo_module",
                                       "hlo_category",
                                       "kernel_details",
                                       "memcpy_details",
                                       "memset_details",
                                       "region_type"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ps_str_eq_c(key, keys[i]))
            return true;
    return false;
}

/* Whether to keep a pair: arguments are not redacted, the key is one that profilers write, or the
 * value has no text and ps_scrub_key_category does not return arguments for its key. The last case
 * excludes traces of unknown formats, because the meaning of their values is unknown. */
static bool is_pair_kept(const struct ps_redaction *r, const struct ps_template_pair *pair)
{
    bool plain = !memchr(pair->value.ptr, '"', pair->value.len);

    if (!(r->scrub.redacted_categories & PS_REVEAL_ARGUMENTS) || is_profiler_key(pair->key))
        return true;
    return plain && !(r->kind_texts & PS_ARGUMENTS_ARE_UNKNOWN) &&
           !(ps_scrub_key_category(pair->key) & PS_REVEAL_ARGUMENTS);
}

static void record_pair(struct ps_redaction *r, const struct ps_template_pair *pair)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_buf_add_str(&text, pair->key);
    ps_buf_puts(&text, ": ");
    for (size_t i = 0; i < pair->value.len && i < 80; i++)
        ps_buf_add(&text, (unsigned char)pair->value.ptr[i] < ' ' ? "#" : pair->value.ptr + i, 1);
    ps_scrub_record_example(&r->scrub, PS_REVEAL_ARGUMENTS, ps_buf_slice(&text), "left out");
}

static void note_markers(struct ps_redacted_params *params, struct ps_str value, bool stay)
{
    for (size_t i = 0; params && i < value.len; i++)
        if (ps_template_is_marker(value.ptr[i])) {
            ps_buf_add(&params->markers, value.ptr + i, 1);
            ps_buf_add(&params->kept_markers, stay ? "\1" : "\0", 1);
        }
}

/* Appends an object without the pairs that are not kept. `params`: records which markers are kept;
 * NULL: the object has none. */
static void filter_object(struct ps_redaction *r, struct ps_str object,
                          struct ps_redacted_params *params, struct ps_buf *out)
{
    struct ps_template_pair pair = {.remainder = object};
    bool first = true;

    if (!object.len)
        return;
    ps_buf_puts(out, "{");
    while (ps_template_next(&pair)) {
        bool good = is_pair_kept(r, &pair);

        note_markers(params, pair.value, good);
        if (!good) {
            record_pair(r, &pair);
            continue;
        }
        ps_buf_printf(out, "%s\"", first ? "" : ",");
        ps_buf_add_str(out, pair.key);
        ps_buf_puts(out, "\":");
        ps_buf_add_str(out, pair.value);
        first = false;
    }
    ps_buf_puts(out, "}");
}

static void filter_params(struct ps_redaction *r, struct ps_str text,
                          struct ps_redacted_params *params, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf filtered = {0};
    const char *mark = text.len ? memchr(text.ptr, PS_TEMPLATE_REST, text.len) : NULL;
    size_t n = mark ? (size_t)(mark - text.ptr) : text.len;

    filter_object(r, (struct ps_str){text.ptr, n}, params, &filtered);
    if (mark) {
        ps_buf_add(&filtered, mark, 1);
        filter_object(r, ps_str_skip(text, n + 1), params, &filtered);
    }
    ps_scrub_json(&r->scrub, ps_buf_slice(&filtered), out);
}

/* Returns the element of r->params for the template `id`, allocated if necessary. NULL: failed, see
 * err. */
static struct ps_redacted_params *params_of(struct ps_redaction *r, int64_t id, struct ps_err *err)
{
    if (!ps_id_is_plausible(id, r->n_templates++)) {
        ps_fail(err, PS_INTERNAL, "the run file is damaged: template %lld", (long long)id);
        return NULL;
    }
    if (!ps_try_grow_to(&r->params, &r->n_params, (size_t)id, sizeof *r->params)) {
        ps_fail_memory(err, "the arguments of the trace");
        return NULL;
    }
    return &r->params[id];
}

bool ps_redact_template(struct ps_redaction *r, int64_t id, struct ps_str text, struct ps_buf *out,
                        struct ps_err *err)
{
    struct ps_redacted_params *params = params_of(r, id, err);

    if (!params)
        return false;
    params->markers.len = params->kept_markers.len = 0;
    if (ps_str_eq_c(text, PS_TEMPLATE_WHOLE_TEXT))
        ps_buf_add_str(out, text);
    else
        filter_params(r, text, params, out);
    return true;
}

/* --- Chunks --- */

static enum ps_status column_of(struct ps_db *db, int64_t id, struct ps_stmt **stmt,
                                struct ps_str *out, struct ps_err *err)
{
    *out = (struct ps_str){NULL, 0};
    ps_db_prepare(db, ps_query_sql("chunk_column_of"), stmt, err);
    ps_bind_int(*stmt, ":id", id);
    if (ps_stmt_step(*stmt, err))
        *out = ps_col_text(*stmt, 0);
    return err->code;
}

static enum ps_status numbers_of(struct ps_db *db, int64_t chunk, unsigned column, size_t n,
                                 int64_t *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_str packed;

    memset(out, 0, n * sizeof *out);
    column_of(db, ps_chunk_key(chunk, column), &stmt, &packed, err);
    if (packed.ptr && !ps_column_unpack(packed, n, out))
        (void)ps_fail(err, PS_IO, "chunk %lld of the run is damaged", (long long)chunk);
    return err->code;
}

static enum ps_status rows_of(struct ps_db *db, int64_t chunk, size_t *n, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("chunk_rows"), &stmt, err);
    ps_bind_int(stmt, ":id", chunk);
    if (!ps_stmt_step(stmt, err) || ps_col_int(stmt, 0) < 1 || ps_col_int(stmt, 0) > PS_CHUNK_ROWS)
        return ps_fail(err, PS_IO, "chunk %lld of the run is damaged", (long long)chunk);
    *n = (size_t)ps_col_int(stmt, 0);
    return PS_OK;
}

/* --- Names of ranges --- */

/* Whether the program named the slice: a range or an instant that it marked. */
static bool is_marked(int64_t kind, int64_t flags)
{
    return kind == PS_SLICE_ANNOTATION || kind == PS_SLICE_GPU_ANNOTATION ||
           kind == PS_SLICE_NVTX || flags & PS_SLICE_INSTANT ||
           (kind == PS_SLICE_OTHER && flags & PS_SLICE_ASYNC);
}

static void add_text(struct ps_intern *texts, int64_t id)
{
    (void)ps_intern_add(texts, (struct ps_str){(const char *)&id, sizeof id});
}

static enum ps_status find_in_chunk(struct ps_redaction *r, struct ps_db *db, int64_t chunk,
                                    struct ps_err *err)
{
    static const unsigned columns[] = {PS_COL_KIND, PS_COL_FLAGS, PS_COL_NAME, PS_COL_CATEGORY};
    PS_AUTO(ps_free_ptr) int64_t *values = NULL;
    const int64_t *kinds, *flags, *names, *categories;
    size_t n = 0;

    if (rows_of(db, chunk, &n, err) != PS_OK)
        return err->code;
    values = ps_grow(NULL, 4 * n, sizeof *values);
    for (size_t i = 0; i < 4; i++)
        numbers_of(db, chunk, columns[i], n, values + i * n, err);
    kinds = values;
    flags = kinds + n;
    names = flags + n;
    categories = names + n;
    for (size_t i = 0; err->code == PS_OK && i < n; i++) {
        const bool marked = is_marked(kinds[i], flags[i]);

        if (!i || names[i] != names[i - 1] || marked != is_marked(kinds[i - 1], flags[i - 1]))
            add_text(marked ? &r->labels : &r->codes, names[i]);
        if (!i || categories[i] != categories[i - 1])
            add_text(&r->codes, categories[i]);
    }
    return err->code;
}

enum ps_status ps_redact_find_labels(struct ps_redaction *r, struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *shapes = NULL;

    ps_db_prepare(db, ps_query_sql("chunk_ids"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        find_in_chunk(r, db, ps_col_int(stmt, 0), err);
    ps_db_prepare(db, ps_query_sql("shape_texts"), &shapes, err);
    while (ps_stmt_step(shapes, err))
        add_text(&r->codes, ps_col_int(shapes, 0));
    r->knows_labels = err->code == PS_OK;
    return err->code;
}

/* --- Arguments of chunks --- */

/* Appends the redacted arguments of one slice to r->arg_bytes; during the first pass only learns
 * names from them. */
static void put_arguments(struct ps_redaction *r, int64_t template, struct ps_str packed)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const struct ps_redacted_params *params;

    if (r->is_learning) {
        if (template == PS_TEMPLATE_WHOLE)
            ps_scrub_learn_json(&r->scrub, ps_args_whole(packed));
    } else if (template == PS_TEMPLATE_WHOLE) {
        filter_params(r, ps_args_whole(packed), NULL, &text);
        ps_args_put_arguments(&r->arg_bytes, ps_buf_slice(&text));
    } else if (template > 0 && (size_t) template <r->n_params) {
        params = &r->params[template];
        ps_args_copy((struct ps_str){params->markers.ptr, params->markers.len}, packed,
                     params->kept_markers.ptr, &r->arg_bytes);
    }
}

/* Appends the redacted arguments of n slices, and sets at[i] to their new offsets. Consecutive
 * slices that share arguments share the redacted arguments. */
static void put_rows(struct ps_redaction *r, size_t n, const int64_t *templates, int64_t *at,
                     struct ps_str args)
{
    int64_t last_at = -1, last_template = -1, last_new = 0;

    for (size_t i = 0; i < n; i++) {
        size_t before = r->arg_bytes.len;

        if (at[i] == last_at && templates[i] == last_template) {
            at[i] = last_new;
            continue;
        }
        last_at = at[i];
        last_template = templates[i];
        if (templates[i] && at[i] >= 0 && (size_t)at[i] <= args.len)
            put_arguments(r, templates[i], ps_str_skip(args, (size_t)at[i]));
        at[i] = last_new = r->arg_bytes.len > before ? (int64_t)before : 0;
    }
}

static enum ps_status rewrite_chunk(struct ps_redaction *r, struct ps_db *db, int64_t chunk,
                                    struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) int64_t *templates = NULL;
    PS_AUTO(ps_free_ptr) int64_t *at = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_str args = {NULL, 0};
    size_t n = 0;

    r->arg_bytes.len = r->arg_offsets.len = 0;
    if (rows_of(db, chunk, &n, err) != PS_OK)
        return err->code;
    templates = ps_grow(NULL, n, sizeof *templates);
    at = ps_grow(NULL, n, sizeof *at);
    numbers_of(db, chunk, PS_COL_TEMPLATE, n, templates, err);
    numbers_of(db, chunk, PS_COL_ARGS_AT, n, at, err);
    if (column_of(db, ps_chunk_key(chunk, PS_CHUNK_ARGS), &stmt, &args, err) != PS_OK)
        return err->code;
    put_rows(r, n, templates, at, args);
    ps_column_pack(at, n, &r->arg_offsets);
    r->chunk = chunk;
    return PS_OK;
}

bool ps_redact_chunk(struct ps_redaction *r, struct ps_rewritten_row *row, struct ps_err *err)
{
    int64_t chunk = row->cells[0].i / PS_CHUNK_COLUMNS;
    unsigned column = (unsigned)(row->cells[0].i % PS_CHUNK_COLUMNS);

    if (column != PS_COL_ARGS_AT && column != PS_CHUNK_ARGS)
        return true;
    if (r->chunk != chunk && rewrite_chunk(r, row->source_db, chunk, err) != PS_OK)
        return false;
    row->cells[1].bytes = ps_buf_slice(column == PS_CHUNK_ARGS ? &r->arg_bytes : &r->arg_offsets);
    return true;
}
