/* SPDX-License-Identifier: MIT */
#include "server/query/functions/stack_frames.h"

#include <stdlib.h>

/* What the names of all frames say about the file. */
struct forms {
    size_t modules, at_line_1; /* `<module>` frames; of those, at line 1 */
    bool has_folders;          /* a file has a folder */
    bool has_lost_folders;     /* a file has none that must have had one */
};

static void see_form(struct forms *forms, const struct ps_frame_name *name)
{
    struct ps_str file = name->file;

    if (ps_str_eq_c(name->function, "<module>") && name->line) {
        forms->modules++;
        forms->at_line_1 += name->line == 1;
    }
    if (!file.len || file.ptr[0] == '<')
        return;
    if (memchr(file.ptr, '/', file.len) || memchr(file.ptr, '\\', file.len))
        forms->has_folders = true;
    /* py-spy writes "app.py" for a module in a folder of sys.path, but it writes the file last, and
     * __init__.py with its package; profiling.sampling writes the last part of each path */
    else if (ps_str_eq_c(file, "__init__.py") || (name->cut_len && file.ptr == name->text.ptr))
        forms->has_lost_folders = true;
}

/* Whether lines are those of the `def`: then no two lines are of one function. */
static bool has_definition_lines(const struct forms *forms)
{
    return forms->modules >= 2 && forms->at_line_1 * 2 >= forms->modules;
}

/* Reads what the importer knows: whether lines are those of the `def`, and which frames wait. */
static bool read_summary(struct ps_db *db, uint32_t *idle_from, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t idle;

    ps_db_prepare(db, ps_query_sql("conclude_stack_summary"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return false;
    idle = ps_col_int(stmt, 1);
    *idle_from = idle > 0 && idle < UINT32_MAX ? (uint32_t)idle : 0;
    return ps_col_int(stmt, 0) != 0;
}

/* Functions by name. */
struct functions {
    struct ps_intern names;
    uint32_t *first; /* [name id]: least text id */
    size_t n_first;
};

/* Adds a frame. Returns the id of the name of its function. by_line: each frame is a function. */
static uint32_t add_function(struct functions *functions, const struct ps_frame_name *name,
                             bool by_line, uint32_t text, struct ps_buf *buf)
{
    uint32_t id;

    buf->len = 0;
    if (by_line)
        ps_buf_add_str(buf, name->text);
    else
        ps_frame_name_write_function(name, buf);
    id = ps_intern_add(&functions->names, ps_buf_slice(buf));
    functions->first =
        ps_grow_to(functions->first, &functions->n_first, id, sizeof *functions->first);
    if (!functions->first[id])
        functions->first[id] = text;
    return id;
}

static enum ps_status read_mode(struct ps_params params, bool *by_line, bool *by_name,
                                struct ps_err *err)
{
    const char *mode = ps_param_get(params, "mode");

    *by_line = mode && strcmp(mode, "line") == 0;
    *by_name = mode && strcmp(mode, PS_STACK_MODE_NAME) == 0;
    if (mode && mode[0] && !*by_line && !*by_name && strcmp(mode, "function") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter mode must be function or line");
    return err->code;
}

enum ps_status ps_stack_frames_read(struct ps_db *db, struct ps_params params,
                                    struct ps_stack_frames *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf buf = {0};
    struct functions shown = {.first = NULL}, all_lines = {.first = NULL};
    struct forms forms = {0};
    bool by_name = false;

    *out = (struct ps_stack_frames){0};
    read_mode(params, &out->by_line, &by_name, err);
    if (ps_trace_get_text_end(db, &out->n, err) != PS_OK)
        return err->code;
    out->function = ps_alloc_array(out->n + 1, sizeof *out->function);
    out->all_lines = ps_alloc_array(out->n + 1, sizeof *out->all_lines);
    out->name_of = ps_alloc_array(out->n + 1, sizeof *out->name_of);
    out->line = ps_alloc_array(out->n + 1, sizeof *out->line);
    out->origin = ps_alloc_array(out->n + 1, sizeof *out->origin);
    for (uint32_t id = 1; id < out->n; id++) {
        struct ps_frame_name name = ps_frame_name_parse(ps_trace_text(db, id));

        see_form(&forms, &name);
    }
    out->lacks_folders = forms.has_lost_folders && !forms.has_folders;
    out->has_one_line = read_summary(db, &out->idle_from, err) || has_definition_lines(&forms);
    out->is_mode_line = out->by_line;
    out->by_line |= out->has_one_line && !by_name;
    for (uint32_t id = 1; id < out->n; id++) {
        struct ps_frame_name name = ps_frame_name_parse(ps_trace_text(db, id));

        if (!name.text.ptr)
            continue;
        out->origin[id] = (uint8_t)ps_frame_origin(&name, false, !out->lacks_folders);
        if (!out->by_line && name.cut_len && name.line <= INT32_MAX)
            out->line[id] = (int32_t)name.line;
        out->name_of[id] = add_function(&shown, &name, out->by_line, id, &buf);
        out->function[id] = out->all_lines[id] = shown.first[out->name_of[id]];
        if (out->by_line && !out->has_one_line) {
            uint32_t function = add_function(&all_lines, &name, false, id, &buf);

            out->all_lines[id] = all_lines.first[function];
        }
    }
    out->names = shown.names;
    ps_intern_free(&all_lines.names);
    free(shown.first);
    free(all_lines.first);
    return err->code;
}

uint32_t ps_stack_frames_add(struct ps_stack_frames *frames, struct ps_str name,
                             enum ps_origin origin)
{
    uint32_t id = (uint32_t)frames->n++;

    frames->function = ps_grow(frames->function, frames->n + 1, sizeof *frames->function);
    frames->all_lines = ps_grow(frames->all_lines, frames->n + 1, sizeof *frames->all_lines);
    frames->name_of = ps_grow(frames->name_of, frames->n + 1, sizeof *frames->name_of);
    frames->line = ps_grow(frames->line, frames->n + 1, sizeof *frames->line);
    frames->origin = ps_grow(frames->origin, frames->n + 1, sizeof *frames->origin);
    frames->function[id] = frames->all_lines[id] = id;
    frames->name_of[id] = ps_intern_add(&frames->names, name);
    frames->line[id] = 0;
    frames->origin[id] = (uint8_t)origin;
    return id;
}

void ps_stack_frames_free(struct ps_stack_frames *frames)
{
    free(frames->function);
    free(frames->all_lines);
    free(frames->name_of);
    free(frames->line);
    free(frames->origin);
    ps_intern_free(&frames->names);
}

struct ps_str ps_stack_name(const struct ps_stack_frames *frames, uint32_t text)
{
    return ps_stack_function(frames, text) ? frames->names.items[frames->name_of[text]]
                                           : (struct ps_str){NULL, 0};
}

void ps_stack_function_name(const struct ps_stack_frames *frames, struct ps_str text,
                            struct ps_buf *out)
{
    struct ps_frame_name name = ps_frame_name_parse(text);

    if (frames->has_one_line)
        ps_buf_add_str(out, text);
    else
        ps_frame_name_write_function(&name, out);
}
