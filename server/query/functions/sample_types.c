/* SPDX-License-Identifier: MIT */
/* sample_types.c: the view "sample-types": what the samples of a run measure, and their labels. */
#include "server/query/functions/stack_selection.h"
#include "server/query/functions/stack_tree.h"
#include "server/query/row_writer.h"

/* Writes the most frequent values of a label, with their totals of the sample type. */
static enum ps_status write_values(struct ps_db *db, int64_t label, int64_t sample_type,
                                   struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("sample_label_values"), &stmt, err);
    ps_bind_int(stmt, ":label", label);
    ps_bind_int(stmt, ":sample_type", sample_type);
    return ps_rows_write(stmt, "values", ps_row_write_object, json, err);
}

static enum ps_status write_labels(struct ps_db *db, int64_t sample_type, struct ps_json *json,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("sample_labels"), &stmt, err);
    ps_json_key(json, "labels");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        ps_json_object(json);
        ps_row_write_members(stmt, 1, json);
        write_values(db, ps_col_int(stmt, 0), sample_type, json, err);
        ps_json_end(json);
    }
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_view_sample_types(struct ps_db *db, const struct ps_view *view, int64_t id,
                                    struct ps_params params, struct ps_answer *answer,
                                    struct ps_err *err)
{
    PS_AUTO(ps_stack_selection_free) struct ps_stack_selection selection = {.scale = 1};
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)id;
    if (ps_stack_selection_read(db, params, &selection, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_query_write_rows(db, "types", "sample_types", ps_row_write_object, &json, err);
    write_labels(db, selection.sample_type, &json, err);
    ps_json_end(&json);
    return err->code;
}
