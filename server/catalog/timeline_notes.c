/* SPDX-License-Identifier: MIT */
/* timeline_notes.c: notes that users write on the timeline of a run. They are part of its label. */
#include <stdio.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "server/catalog/state.h"

enum ps_status ps_timeline_note_read_text(struct ps_arena *arena, const char *text,
                                          const char **out, struct ps_err *err)
{
    if (ps_note_read(arena, text, out, err) != PS_OK)
        return err->code;
    if (!(*out)[0])
        return ps_fail(err, PS_BAD_REQUEST, "the note is empty");
    if (strlen(*out) > PS_TIMELINE_NOTE_BYTES)
        return ps_fail(err, PS_BAD_REQUEST, "the note has %zu bytes, more than %d", strlen(*out),
                       PS_TIMELINE_NOTE_BYTES);
    return PS_OK;
}

enum ps_status ps_timeline_note_check_area(const char *area, struct ps_err *err)
{
    if (strlen(area) > PS_TIMELINE_AREA_BYTES)
        return ps_fail(err, PS_BAD_REQUEST, "the area of a note is longer than %d bytes",
                       PS_TIMELINE_AREA_BYTES);
    if (area[strspn(area, "0123456789-@,.:cm")])
        return ps_fail(err, PS_BAD_REQUEST, "the area of a note must have the form FROM-TO@TRACKS");
    return err->code;
}

/* Writes the changed label of the run, and ends the transaction. */
static enum ps_status save_and_end(struct ps_store *store, const char *run, struct ps_err *err)
{
    if (err->code == PS_OK)
        ps_label_save(store, run, err);
    return ps_catalog_end(store, err->code, err);
}

static bool has_run(struct ps_db *db, const char *run, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_there"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(run));
    return ps_stmt_step(stmt, err);
}

static enum ps_status insert_note(struct ps_store *store, const char *run,
                                  const struct ps_timeline_note *note, char id[PS_TIMELINE_NOTE_ID],
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (!has_run(store->catalog, run, err))
        return ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", run);
    ps_db_prepare(store->catalog, ps_query_sql("timeline_note_add"), &stmt, err);
    ps_bind_text(stmt, ":run", ps_str_from_c(run));
    ps_bind_int(stmt, ":t_ns", note->t_ns);
    ps_bind_text(stmt, ":area", ps_str_from_c(note->area));
    ps_bind_text(stmt, ":text", ps_str_from_c(note->text));
    ps_bind_text(stmt, ":who", ps_str_from_c(note->user_name));
    ps_bind_int(stmt, ":at", ps_wall_clock_ms());
    ps_bind_int(stmt, ":most", PS_TIMELINE_NOTES_MAX);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_LIMIT, "the run has %d notes already" PS_HINT "remove some first",
                       PS_TIMELINE_NOTES_MAX);
    (void)snprintf(id, PS_TIMELINE_NOTE_ID, "%s", ps_col_text(stmt, 0).ptr);
    (void)ps_stmt_step(stmt, err); /* a statement with RETURNING has to be stepped to its end */
    return err->code;
}

enum ps_status ps_timeline_note_add(struct ps_store *store, const char *run,
                                    const struct ps_timeline_note *note,
                                    char id[PS_TIMELINE_NOTE_ID], struct ps_err *err)
{
    id[0] = '\0';
    ps_catalog_begin(store, PS_DURABLE, err);
    insert_note(store, run, note, id, err);
    return save_and_end(store, run, err);
}

/* Sets the error of a statement that changed no note. */
static enum ps_status fail_unchanged(struct ps_db *db, const char *run, const char *id,
                                     struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_str author;

    ps_db_prepare(db, ps_query_sql("timeline_note_who"), &stmt, err);
    ps_bind_text(stmt, ":run", ps_str_from_c(run));
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "the run has no note %.40s", id);
    author = ps_col_text(stmt, 0);
    return ps_fail(err, PS_FORBIDDEN, "only admins may change notes of others; %.*s wrote this one",
                   author.len ? (int)author.len : 15, author.len ? author.ptr : "an unknown user");
}

/* Executes a statement with the parameters run, id, who and any, and saves the label. */
static enum ps_status change_note(struct ps_store *store, struct ps_stmt *stmt, const char *run,
                                  const char *id, const char *user_name, bool any,
                                  struct ps_err *err)
{
    ps_bind_text(stmt, ":run", ps_str_from_c(run));
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":who", ps_str_from_c(user_name));
    ps_bind_int(stmt, ":any", any);
    if (ps_stmt_execute(stmt, err) == PS_OK && sqlite3_changes(store->catalog->handle) == 0)
        fail_unchanged(store->catalog, run, id, err);
    return save_and_end(store, run, err);
}

enum ps_status ps_timeline_note_change(struct ps_store *store, const char *run, const char *id,
                                       const struct ps_timeline_note_edit *edit,
                                       const char *user_name, bool any, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_catalog_begin(store, PS_DURABLE, err);
    ps_db_prepare(store->catalog, ps_query_sql("timeline_note_edit"), &stmt, err);
    if (edit->t_ns)
        ps_bind_int(stmt, ":t_ns", *edit->t_ns);
    if (edit->area)
        ps_bind_text(stmt, ":area", ps_str_from_c(edit->area));
    if (edit->text)
        ps_bind_text(stmt, ":text", ps_str_from_c(edit->text));
    return change_note(store, stmt, run, id, user_name, any, err);
}

enum ps_status ps_timeline_note_remove(struct ps_store *store, const char *run, const char *id,
                                       const char *user_name, bool any, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_catalog_begin(store, PS_DURABLE, err);
    ps_db_prepare(store->catalog, ps_query_sql("timeline_note_remove"), &stmt, err);
    return change_note(store, stmt, run, id, user_name, any, err);
}
