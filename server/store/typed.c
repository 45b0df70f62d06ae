/* SPDX-License-Identifier: MIT */
/*
 * typed.c: SQL that people type, held in three ways: an authorizer that lets nothing but reading
 * with harmless functions prepare, SQLite's own limits on values and statements, and a watch that
 * ends what takes too long, needs too much memory, or nobody waits for any more.
 */
#include <stdlib.h>

#include "server/store/db_impl.h"

#define STEPS_BETWEEN_LOOKS 50 /* each may make a value of PS_TYPED_LENGTH */
#define LOOK_MS             100

bool ps_watch_look(struct ps_watch *watch)
{
    int64_t now = ps_clock_ms();

    if (watch->text)
        return true;
    watch->why = PS_LIMIT;
    if (watch->by.ms && now > watch->deadline_ms) {
        watch->why = PS_TOO_SLOW;
        watch->text = "the statement took too long and was stopped";
    } else if (watch->by.memory && sqlite3_memory_used() > watch->memory_most) {
        watch->text = "the statement needs too much memory and was stopped";
    } else if (now >= watch->next_look_ms) {
        watch->next_look_ms = now + LOOK_MS;
        if (watch->by.stop && watch->by.stop(watch->by.user)) {
            watch->why = PS_CANCELLED;
            watch->text = "the statement was stopped";
        }
    }
    return watch->text != NULL;
}

static int look(void *watch)
{
    return ps_watch_look(watch);
}

/* Functions that compute from their arguments alone, in bounded time and memory. */
static const char *const functions[] = {"->",
                                        "->>",
                                        "abs",
                                        "acos",
                                        "acosh",
                                        "asin",
                                        "asinh",
                                        "atan",
                                        "atan2",
                                        "atanh",
                                        "avg",
                                        "ceil",
                                        "ceiling",
                                        "char",
                                        "coalesce",
                                        "cos",
                                        "cosh",
                                        "count",
                                        "cume_dist",
                                        "current_date",
                                        "current_time",
                                        "current_timestamp",
                                        "date",
                                        "datetime",
                                        "degrees",
                                        "dense_rank",
                                        "exp",
                                        "first_value",
                                        "floor",
                                        "format",
                                        "glob",
                                        "group_concat",
                                        "hex",
                                        "ifnull",
                                        "iif",
                                        "instr",
                                        "json",
                                        "json_array",
                                        "json_array_length",
                                        "json_extract",
                                        "json_group_array",
                                        "json_group_object",
                                        "json_insert",
                                        "json_object",
                                        "json_patch",
                                        "json_quote",
                                        "json_remove",
                                        "json_replace",
                                        "json_set",
                                        "json_type",
                                        "json_valid",
                                        "julianday",
                                        "lag",
                                        "last_value",
                                        "lead",
                                        "length",
                                        "like",
                                        "likelihood",
                                        "likely",
                                        "ln",
                                        "log",
                                        "log10",
                                        "log2",
                                        "lower",
                                        "ltrim",
                                        "max",
                                        "min",
                                        "mod",
                                        "nth_value",
                                        "ntile",
                                        "nullif",
                                        "percent_rank",
                                        "pi",
                                        "pow",
                                        "power",
                                        "printf",
                                        "ps_words",
                                        "quote",
                                        "radians",
                                        "random",
                                        "rank",
                                        "regexp",
                                        "replace",
                                        "round",
                                        "row_number",
                                        "rtrim",
                                        "sign",
                                        "sin",
                                        "sinh",
                                        "sqrt",
                                        "strftime",
                                        "string_agg",
                                        "substr",
                                        "substring",
                                        "sum",
                                        "tan",
                                        "tanh",
                                        "time",
                                        "total",
                                        "trim",
                                        "trunc",
                                        "typeof",
                                        "unicode",
                                        "unixepoch",
                                        "unlikely",
                                        "upper"};

static int by_name(const void *key, const void *row)
{
    return sqlite3_stricmp(key, *(const char *const *)row);
}

static bool is_harmless(const char *function)
{
    return function && bsearch(function, functions, sizeof functions / sizeof *functions,
                               sizeof *functions, by_name);
}

/* a: of a read the table, of a pragma its name; b: of a function its name. */
static int authorize(void *user, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    bool may = false;

    (void)user, (void)c, (void)d;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        may = true;
        break;
    case SQLITE_FUNCTION:
        may = is_harmless(b);
        break;
    case SQLITE_PRAGMA:
        may =
            a && (sqlite3_stricmp(a, "table_info") == 0 || sqlite3_stricmp(a, "table_xinfo") == 0);
        break;
    default:
        break;
    }
    return may ? SQLITE_OK : SQLITE_DENY;
}

void ps_guard(struct ps_db *db, struct ps_watch *watch)
{
    static const struct {
        int what, most;
    } limits[] = {{SQLITE_LIMIT_LENGTH, PS_TYPED_LENGTH},   {SQLITE_LIMIT_SQL_LENGTH, 64 << 10},
                  {SQLITE_LIMIT_COLUMN, PS_TYPED_COLUMNS},  {SQLITE_LIMIT_EXPR_DEPTH, 200},
                  {SQLITE_LIMIT_COMPOUND_SELECT, 50},       {SQLITE_LIMIT_VDBE_OP, 100000},
                  {SQLITE_LIMIT_FUNCTION_ARG, 100},         {SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db->handle, limits[i].what, limits[i].most);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    db->watch = watch;
    sqlite3_progress_handler(db->handle, STEPS_BETWEEN_LOOKS, look, watch);
    sqlite3_set_authorizer(db->handle, authorize, NULL);
}

struct ps_watch *ps_watch_begin(const struct ps_typed *by)
{
    struct ps_watch *watch = ps_alloc(sizeof *watch);

    watch->by = *by;
    watch->deadline_ms = ps_clock_ms() + by->ms;
    watch->memory_most = sqlite3_memory_used() + (int64_t)by->memory;
    return watch;
}

/* Tables that are not in the file declare themselves when they are first named, which the guard
 * would not let them; one that is not named here stays out of reach. */
static const char connect_tables[] =
    "SELECT 1 FROM ps_calls(NULL), ps_ids(NULL), ps_paths(0, 1, 1, 1), ps_slices, ps_operators,"
    " ps_kernels, ps_flows, ps_counts, ps_memory_events, ps_stack_nodes, json_each, json_tree,"
    " pragma_table_info LIMIT 0";

enum ps_status ps_run_open_watched(struct ps_store *store, const char *id, struct ps_watch *watch,
                                   struct ps_db **out, struct ps_err *err)
{
    enum ps_status status = ps_run_open(store, id, out, err);

    if (status == PS_OK)
        status = ps_db_exec(*out, connect_tables, err);
    if (status == PS_OK)
        ps_guard(*out, watch);
    return status;
}

enum ps_status ps_run_open_guarded(struct ps_store *store, const char *id,
                                   const struct ps_typed *by, struct ps_db **out,
                                   struct ps_err *err)
{
    struct ps_watch *watch = ps_watch_begin(by);
    enum ps_status status = ps_run_open_watched(store, id, watch, out, err);

    if (*out)
        (*out)->watches = true, (*out)->watch = watch;
    else
        free(watch);
    return status;
}
