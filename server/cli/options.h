/* SPDX-License-Identifier: MIT */
/*
 * options.h: the command line, from two tables in options.c: verbs and options. Parsing and every
 * --help come from them (options_parse.c).
 *
 * Strings point into argv or live as long as the struct; release it with ps_options_free.
 */
#ifndef PS_CLI_OPTIONS_H
#define PS_CLI_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "server/store/store.h"

enum ps_verb {
    PS_VERB_NONE = 0, /* --help or --version alone */
    PS_VERB_SERVE,
    PS_VERB_ADD,
    PS_VERB_RECORD,
    PS_VERB_LIST,
    PS_VERB_SHOW,
    PS_VERB_EDIT,
    PS_VERB_RM,
    PS_VERB_RENEW,
    PS_VERB_FORMATS,
    PS_VERB_SQL,
    PS_VERB_DIFF,
    PS_VERB_CHECK,
    PS_VERB_TREND,
    PS_VERB_BASELINE,
    PS_VERB_VERIFY,
    PS_VERB_TOKEN,
    PS_VERB_REBUILD,
    PS_VERB_BACKUP,
    PS_VERB_COPY,
    PS_VERB_WHATIF,
    PS_VERB_EXPORT,
    PS_VERB_PRUNE,
    PS_VERB_UNDELETE,
};

struct ps_options {
    enum ps_verb verb;
    bool help, version;
    const char *data;   /* the folder; never NULL where the verb needs a shelf */
    bool default_shelf; /* neither the command line nor the environment names a shelf */
    const char *store;  /* the URL of one that servers share; NULL: the folder is the shelf */
    const char *listen; /* ADDR:PORT */
    const char *name, *series, *note; /* NULL: not given */
    struct ps_tag *tags;
    size_t n_tags;
    const char *source_root;                     /* NULL: not given */
    const char *server, *token, *ca;             /* NULL: not given */
    const char *output, *repeat;                 /* NULL: not given */
    const char *of, *metric, *against, *fail_on; /* NULL: not given */
    const char *row, *place, *by, *clear;        /* NULL: not given */
    const char *redact, *base, *fresh;           /* NULL: not given */
    const char **budgets;
    size_t n_budgets;
    const char **keep; /* rules: keep.h */
    size_t n_keep;
    const char *import_memory, *import_cpu, *queue, *quota, *cache_size; /* NULL: not given */
    const char *from, *to;                                               /* NULL: not given */
    const char *rows, *sort, *seconds;                                   /* NULL: not given */
    const char *role, *tls_cert, *tls_key;                               /* NULL: not given */
    const char **hosts;
    size_t n_hosts;
    bool json, csv, open, merge, markdown, quick, tokens, proxy, importers, preview, html, dry_run,
        update, force;
    const char **operands; /* FILE..., RUN..., RUN and SQL, or a recorder and its command */
    size_t n_operands;
    struct ps_arena arena;
};

/* PS_BAD_REQUEST with text and hint when the usage is wrong. `out` is valid for ps_options_free in
 * any case. */
enum ps_status ps_options_parse(int argc, char **argv, struct ps_options *out, struct ps_err *err);
void ps_options_free(struct ps_options *options);

/* The help of one verb, or with PS_VERB_NONE of the whole program. */
void ps_options_help(enum ps_verb verb, struct ps_buf *out);

/* Whether it reads or changes runs, which a server can do as well: the rest is about the shelf
 * itself. */
bool ps_verb_works_on_runs(enum ps_verb verb);

/* The verb's word: "add". */
const char *ps_verb_name(enum ps_verb verb);

#endif
