/* SPDX-License-Identifier: MIT */
/*
 * user_query.c: restricts a handle to SQL that users may run. An authorizer permits only reads and
 * harmless functions. SQLite's limits restrict values and statements. A progress handler stops a
 * statement when the context of the thread has ended or the memory limit is exceeded.
 */
#include <stdlib.h>

#include "server/runfile/handle.h"

#define STEPS_BETWEEN_CHECKS 50 /* each step may create a value of PS_USER_QUERY_LENGTH bytes */

static int is_ended(void *user)
{
    return ps_context_has_ended() || ps_memory_limit_is_exceeded(user);
}

/* Functions without side effects whose time is linear in the length of their arguments or limited
 * (glob, like, regexp), sorted by name. json_patch is not in the list: it compares each key of one
 * object with each key of the other. */
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

/* An authorizer callback of SQLite. a: name of a pragma; b: name of a function. */
static int authorize_action(void *user, int action, const char *a, const char *b, const char *c,
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

void ps_db_restrict_to_user_sql(struct ps_db *db, struct ps_memory_limit *memory)
{
    static const struct {
        int what, most;
    } limits[] = {{SQLITE_LIMIT_LENGTH, PS_USER_QUERY_LENGTH},
                  {SQLITE_LIMIT_SQL_LENGTH, 64 << 10},
                  {SQLITE_LIMIT_COLUMN, PS_USER_QUERY_COLUMNS},
                  {SQLITE_LIMIT_EXPR_DEPTH, 200},
                  {SQLITE_LIMIT_COMPOUND_SELECT, 50},
                  {SQLITE_LIMIT_VDBE_OP, 100000},
                  {SQLITE_LIMIT_FUNCTION_ARG, 100},
                  {SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db->handle, limits[i].what, limits[i].most);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    db->memory_limit = memory;
    sqlite3_progress_handler(db->handle, STEPS_BETWEEN_CHECKS, is_ended, memory);
    sqlite3_set_authorizer(db->handle, authorize_action, NULL);
}
