/* SPDX-License-Identifier: MIT */
#include "server/query/trace/recording.h"

#include <stdio.h>

#include "importers/kinds.h"
#include "server/query/trace/time_range.h"

enum ps_status ps_trace_span(struct ps_db *db, struct ps_range *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *out = (struct ps_range){0, 0};
    ps_db_prepare(db, ps_query_sql("trace_span"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        *out = ps_range_limit(ps_col_int(stmt, 0), ps_col_int(stmt, 1));
    return err->code;
}

static enum ps_status run_kind_has(struct ps_db *db, unsigned any, bool *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_kind"), &stmt, err);
    *out = ps_stmt_step(stmt, err) && ps_kind_has(ps_col_text(stmt, 0).ptr, any);
    return err->code;
}

enum ps_status ps_trace_is_torch(struct ps_db *db, bool *out, struct ps_err *err)
{
    return run_kind_has(db, PS_HAS_TORCH, out, err);
}

enum ps_status ps_trace_is_xla(struct ps_db *db, bool *out, struct ps_err *err)
{
    return run_kind_has(db, PS_HAS_XLA, out, err);
}

enum ps_status ps_trace_is_attributed(struct ps_db *db, bool *out, struct ps_err *err)
{
    return run_kind_has(db, PS_HAS_DEVICES, out, err);
}

/* "GPU" of "GPU 0", "/device:GPU:0" and "/device:GPU:0 (pid 3)"; {NULL, 0}: another text. */
static struct ps_str device_word(struct ps_str text)
{
    static const char path[] = "/device:";
    const bool is_path = ps_str_starts_with(text, PS_STR(path));
    const struct ps_str rest = is_path ? ps_str_skip(text, sizeof path - 1) : text;
    size_t n = 0;

    while (n < rest.len && ((rest.ptr[n] >= 'A' && rest.ptr[n] <= 'Z') ||
                            (rest.ptr[n] >= '0' && rest.ptr[n] <= '9')))
        n++;
    if (n < 2 || n + 1 >= rest.len || rest.ptr[n] != (is_path ? ':' : ' ') ||
        rest.ptr[n + 1] < '0' || rest.ptr[n + 1] > '9')
        return (struct ps_str){NULL, 0};
    return (struct ps_str){rest.ptr, n};
}

enum ps_status ps_trace_device_word(struct ps_db *db, char out[PS_DEVICE_WORD_SIZE],
                                    struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool is_same = true;

    out[0] = '\0';
    ps_db_prepare(db, ps_query_sql("trace_device_labels"), &stmt, err);
    ps_bind_int(stmt, ":stream", PS_TRACK_STREAM);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str word = device_word(ps_col_text(stmt, 0));

        word = word.ptr ? word : device_word(ps_col_text(stmt, 1));
        is_same = is_same && word.ptr && word.len < PS_DEVICE_WORD_SIZE &&
                  (!out[0] || ps_str_eq_c(word, out));
        if (is_same)
            (void)snprintf(out, PS_DEVICE_WORD_SIZE, "%.*s", (int)word.len, word.ptr);
    }
    if (!is_same || !out[0])
        (void)snprintf(out, PS_DEVICE_WORD_SIZE, "%s", PS_ANY_DEVICE);
    return err->code;
}
