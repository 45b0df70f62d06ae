/* SPDX-License-Identifier: MIT */
/*
 * commands.h: tables of the commands (commands.c), their help texts (help/COMMAND.txt) and their
 * options (command_options.c). The parser (options.c) and the help (help.c) use them.
 */
#ifndef PS_CLI_COMMANDS_H
#define PS_CLI_COMMANDS_H

#include "server/cli/options/features.h"
#include "server/cli/options/options.h"

#define PS_DEFAULT_LISTEN "127.0.0.1:7700"

enum ps_command_group {
    PS_GROUP_ADD,
    PS_GROUP_SHOW,
    PS_GROUP_COMPARE,
    PS_GROUP_SHARE,
    PS_GROUP_OPERATE,
};
#define PS_N_GROUPS 5
extern const char *const ps_command_groups[PS_N_GROUPS]; /* titles */

struct ps_command_row {
    const char *name;
    enum ps_command_group group;
    size_t min, max; /* minimum and maximum number of operands */
    /* number of operands after which option parsing stops, because the command line of another
     * program follows; 0: option parsing never stops */
    size_t n_own_operands;
};

/* The texts of help/COMMAND.txt, which help/embed.py converts to this form. They are not wrapped;
 * help.c does that. An empty line ends a paragraph; lines "TERM\tDESCRIPTION" form a list. */
struct ps_command_text {
    const char *summary;     /* an imperative, for the list of commands */
    const char *usage;       /* the arguments, one line for each form; may be empty */
    const char *description; /* paragraphs */
    const char *arguments;   /* a list, or NULL */
    const char *examples;    /* command lines */
    const char *exit_status; /* a paragraph if it differs from other commands, or NULL */
    /* words for which this command is suggested, separated by spaces, or NULL */
    const char *synonyms;
};

enum ps_option_type { PS_FLAG, PS_TEXT, PS_TAG, PS_UNTAG, PS_BUDGET, PS_HOST, PS_RULE };

/* An option. Several rows may have the same name, for different commands. */
struct ps_option_row {
    const char *name, *arg; /* arg: NULL for a flag */
    enum ps_option_type type;
    unsigned commands;         /* bit mask of 1 << PS_COMMAND_... */
    size_t field;              /* offset in struct ps_options */
    bool selects_shelf;        /* the option selects the shelf; many commands have it */
    bool is_key;               /* the option is also a key of configuration files */
    enum ps_feature feature;   /* what a build needs to offer the option */
    const char *variable;      /* environment variable with the value, or NULL */
    const char *default_value; /* NULL: none, or it is computed */
    const char *description;   /* without a full stop at its end */
};

/* Indexed by enum ps_command. PS_COMMAND_NONE has only a text, perfshelf.txt. */
#define PS_N_COMMANDS (PS_COMMAND_CONFIG + 1)
extern const struct ps_command_row ps_commands[PS_N_COMMANDS];
extern const struct ps_command_text ps_command_texts[PS_N_COMMANDS];
extern const struct ps_option_row ps_option_rows[];
extern const size_t ps_option_rows_count;

/* The command with this name; PS_COMMAND_NONE: there is none. */
enum ps_command ps_command_find(const char *word);
/* The option of a command whose name is the part of `word` before '='; NULL: there is none. */
const struct ps_option_row *ps_option_find(enum ps_command command, const char *word);

/* Whether the help and the completion of the command offer the option. A page of `export --html`
 * may be made by a server. */
static inline bool ps_option_is_offered(const struct ps_option_row *option, enum ps_command command)
{
    return option->commands & (1U << command) &&
           (ps_feature_is_built(option->feature) ||
            (option->feature == PS_FEATURE_OFFLINE && ps_feature_is_built(PS_FEATURE_SERVER)));
}

/* Also for an option that this build lacks and whose use fails. */
static inline bool ps_option_applies_to(const struct ps_option_row *option, enum ps_command command)
{
    return option->commands & (1U << command);
}

#endif
