/* SPDX-License-Identifier: MIT */
/* timeline_notes.c: the notes that users wrote on the timeline of a run. */
#include "server/catalog/readers.h"
#include "server/query/shelf.h"
#include "server/query/view.h"

enum ps_status ps_query_timeline_notes(struct ps_store *store, const char *id, struct ps_json *out,
                                       struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("timeline_notes"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_json_object(out);
    ps_rows_write(stmt, "rows", ps_row_write_object, out, err);
    ps_json_end(out);
    ps_stmt_release(stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}
