/* SPDX-License-Identifier: MIT */
/* options_impl.h: the tables of verbs and options (options.c) as parsing and --help read them
 * (options_parse.c). Nobody else includes it. */
#ifndef PS_CLI_OPTIONS_IMPL_H
#define PS_CLI_OPTIONS_IMPL_H

#include "server/cli/options.h"

#define PS_DEFAULT_LISTEN "127.0.0.1:7700"

struct ps_verb_row {
    const char *name, *operands;
    size_t least, most; /* operands */
    const char *what;
    const char *more; /* lines of the verb's own help, or NULL */
    size_t own;       /* after so many operands all words are operands; 0: never */
};

enum ps_option_type { PS_FLAG, PS_TEXT, PS_TAG, PS_UNTAG, PS_BUDGET, PS_HOST, PS_RULE };

struct ps_option_row {
    const char *name, *arg;
    enum ps_option_type type;
    unsigned verbs;   /* 1 << PS_VERB_... */
    size_t field;     /* of struct ps_options */
    const char *what; /* NULL: --help does not show it */
};

extern const struct ps_verb_row ps_verbs[]; /* by enum ps_verb */
extern const size_t ps_verbs_count;
extern const struct ps_option_row ps_option_rows[];
extern const size_t ps_option_rows_count;

#endif
