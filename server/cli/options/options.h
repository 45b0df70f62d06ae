/* SPDX-License-Identifier: MIT */
/*
 * options.h: the parsed command line. Its tables are in commands.h.
 *
 * Strings point into argv or the environment, or are valid as long as the struct; release it with
 * ps_options_free.
 */
#ifndef PS_CLI_OPTIONS_H
#define PS_CLI_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "server/catalog/store.h"

struct ps_config;

enum ps_command {
    PS_COMMAND_NONE = 0, /* no command: only help or version */
    PS_COMMAND_RECORD,
    PS_COMMAND_ADD,
    PS_COMMAND_OPEN,
    PS_COMMAND_DEMO,
    PS_COMMAND_SERVE,
    PS_COMMAND_LIST,
    PS_COMMAND_SHOW,
    PS_COMMAND_EXPLORE,
    PS_COMMAND_SQL,
    PS_COMMAND_WHATIF,
    PS_COMMAND_FORMATS,
    PS_COMMAND_MCP,
    PS_COMMAND_DIFF,
    PS_COMMAND_CHECK,
    PS_COMMAND_TREND,
    PS_COMMAND_REPORT,
    PS_COMMAND_BISECT,
    PS_COMMAND_BASELINE,
    PS_COMMAND_EXPORT,
    PS_COMMAND_TOKEN,
    PS_COMMAND_COPY,
    PS_COMMAND_EDIT,
    PS_COMMAND_RM,
    PS_COMMAND_UNDELETE,
    PS_COMMAND_PRUNE,
    PS_COMMAND_RENEW,
    PS_COMMAND_VERIFY,
    PS_COMMAND_REBUILD,
    PS_COMMAND_BACKUP,
    PS_COMMAND_CONFIG,
};

struct ps_options {
    enum ps_command command;
    bool help, version, verbose; /* verbose: with version */
    const char *data;      /* folder of the shelf, or of the cache of a store; NULL with --server */
    bool is_default_shelf; /* nothing selects a shelf */
    bool is_shelf_named;   /* an option or an environment variable selects the shelf, not a file */
    const char *store;     /* URL of a shared store; NULL: the folder is the shelf */
    const char *listen;    /* ADDR:PORT; NULL: not given */
    const char *name, *series, *note; /* NULL: not given */
    struct ps_tag *tags;
    size_t n_tags;
    const char *source_root;                                           /* NULL: not given */
    const char *server, *token, *token_file, *ca;                      /* NULL: not given */
    const char *output, *repeat;                                       /* NULL: not given */
    const char *of, *metric, *per, *against, *fail_on;                 /* NULL: not given */
    const char *row, *step, *place, *by, *clear, *same;                /* NULL: not given */
    const char *sample_type;                                           /* NULL: not given */
    const char *redact, *base, *new_runs, *goodput;                    /* NULL: not given */
    const char *good, *bad, *build, *file;                             /* NULL: not given */
    const char *base_dir, *new_dir, *recorder, *pairs, *warmup, *seed; /* NULL: not given */
    const char *engine, *results, *traces, *engine_log;                /* NULL: not given */
    const char **budgets;
    size_t n_budgets;
    const char **retention_rules; /* values of --keep: retention_options.h */
    size_t n_retention_rules;
    bool has_rules_of_file; /* the rules are those of a configuration file */
    const char *import_memory, *import_cpu, *queue, *quota, *cache_size; /* NULL: not given */
    const char *from, *to;                                               /* NULL: not given */
    const char *rows, *sort, *seconds;                                   /* NULL: not given */
    const char *max_rows, *max_bytes;                                    /* NULL: not given */
    const char *role, *tls_cert, *tls_key;                               /* NULL: not given */
    const char **hosts;
    size_t n_hosts;
    bool json, csv, open, merge, markdown, quick, tokens, proxy, importers, memory, preview, html,
        dry_run, update, force, show_output, follow, allow_write;
    /* positional arguments: FILE..., RUN..., RUN and SQL, or a recorder and its command */
    const char **operands;
    size_t n_operands;
    const struct ps_config *config; /* the configuration files (config_file.h); NULL: not read */
    struct ps_arena arena;
};

/* Reads the configuration files and fills what the command line does not set (settings.h), except
 * for `config`, which shows where each value is from. PS_BAD_REQUEST with text and hint: wrong
 * usage. Call ps_options_free in any case. */
enum ps_status ps_options_parse(int argc, char **argv, struct ps_options *out, struct ps_err *err);
void ps_options_free(struct ps_options *options);

/* Whether the command works on runs, and so also with --server. Other commands manage the shelf
 * itself. */
bool ps_command_works_on_runs(enum ps_command command);

/* Whether the command manages a shelf that exists: token, verify, prune and others. */
bool ps_command_manages_shelf(enum ps_command command);

/* Whether the command works on a shelf that exists already, so that the shelf of a running server
 * is meant if none is named. */
bool ps_command_uses_served_shelf(const struct ps_options *options);

/* The name of a command, such as "add"; "" for PS_COMMAND_NONE. */
const char *ps_command_name(enum ps_command command);

#endif
