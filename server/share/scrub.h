/* SPDX-License-Identifier: MIT */
/*
 * scrub.h: replaces values in the texts of a profile that reveal data of a category (redact.h).
 *
 * First, a caller passes every text to the functions that learn names: of accounts, from home
 * folders, and of machines. Then it passes each text to a function that scrubs it. A value is
 * replaced by a numbered word (~1 for a folder, person1, host1, arguments 1), which is the same for
 * equal values.
 */
#ifndef PS_SHARE_SCRUB_H
#define PS_SHARE_SCRUB_H

#include "base/buf.h"
#include "base/intern.h"
#include "server/share/redact.h"

/* The distinct values of a category, and replacements of the first PS_REVEAL_EXAMPLES values. */
struct ps_scrub_examples {
    struct ps_intern values;
    char *replacements[PS_REVEAL_EXAMPLES]; /* of values.items, by index; malloc'ed */
};

/* Names of people or machines. Most of them are replaced wherever they occur as a word. */
struct ps_names {
    struct ps_intern words; /* names in lower case */
    uint64_t lengths;       /* bits 1 << length of the names that are searched for */
    bool first_bytes[256];  /* the first bytes of the names that are searched for */
};

struct ps_scrub {
    unsigned redacted_categories;
    /* names of code are names of tests, such as test_sort[1000], with arguments in brackets */
    bool names_are_tests;
    struct ps_intern folders, arguments, process_groups;
    struct ps_names people, hosts;
    struct ps_scrub_examples examples[PS_N_REVEALS]; /* by the index of the category's bit */
};

void ps_scrub_free(struct ps_scrub *scrub); /* frees its members */

/* --- Learning --- */

void ps_scrub_learn(struct ps_scrub *scrub, struct ps_str text);
void ps_scrub_learn_json(struct ps_scrub *scrub, struct ps_str json);
void ps_scrub_learn_host(struct ps_scrub *scrub, struct ps_str name);
void ps_scrub_learn_person(struct ps_scrub *scrub, struct ps_str name);

/* --- Scrubbing --- */

/* These functions append the scrubbed text to out. They replace only values of the categories in
 * scrub->redacted_categories. */

/* Scrubs a name of code or any other text. A text that looks like a command line is scrubbed like
 * ps_scrub_command. */
void ps_scrub_text(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
/* Scrubs a text that is not a command line, such as a message of perfshelf. */
void ps_scrub_message(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
/* Scrubs a text that is a path of a file. */
void ps_scrub_path(struct ps_scrub *scrub, struct ps_str path, struct ps_buf *out);
/* Scrubs a command line: keeps the program, replaces the arguments. */
void ps_scrub_command(struct ps_scrub *scrub, struct ps_str line, struct ps_buf *out);
/* Scrubs the name of a process, thread or range: keeps the first word, and the numbers and words of
 * profilers that follow it; replaces the rest like arguments. */
void ps_scrub_label(struct ps_scrub *scrub, struct ps_str label, struct ps_buf *out);
/* Scrubs the strings of JSON, or of a template of arguments (slices/args.h). Keeps the markers of a
 * template. */
void ps_scrub_json(struct ps_scrub *scrub, struct ps_str json, struct ps_buf *out);
/* The same for the parameters of a benchmark, a JSON object: its strings are arguments. */
void ps_scrub_parameters(struct ps_scrub *scrub, struct ps_str json, struct ps_buf *out);
/* Scrubs the name or the description of a process group of torch.distributed: keeps those that
 * PyTorch gives (numbers, default_pg, undefined), numbers the others. */
void ps_scrub_process_group(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out);
void ps_scrub_person(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out);
void ps_scrub_host(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out);

/* Records a value of a category and its replacement, for the preview. */
void ps_scrub_record_example(struct ps_scrub *scrub, enum ps_reveal category, struct ps_str value,
                             const char *became);

/* Whether the values of a key are names or descriptions of process groups. */
bool ps_scrub_is_process_group_key(struct ps_str key);
/* Returns the category of the values of a key (of JSON, a tag or a header); 0: none. */
unsigned ps_scrub_key_category(struct ps_str key);

/* The following functions are for the files scrub*.c and labels.c. */
void ps_scrub_words(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
void ps_scrub_append_number(struct ps_intern *table, struct ps_str value, const char *word,
                            struct ps_buf *out);
/* Appends the replacement of arguments, such as "(arguments 3)". */
void ps_scrub_arguments(struct ps_scrub *scrub, struct ps_str arguments, struct ps_buf *out);
bool ps_scrub_is_command(struct ps_str text);
/* Whether py-spy writes this text as the frame of a process or a thread. */
bool ps_scrub_is_thread(struct ps_str text);
/* Returns the offset of NAME in /home/NAME at `at`; 0: none. */
size_t ps_scrub_find_home(struct ps_str text, size_t at);
/* Returns the length of the path at `at`; 0: none. */
size_t ps_scrub_measure_path(struct ps_str text, size_t at);
/* Scrubs a path in a text, which may be a folder: keeps its last part only if it looks like a file.
 */
void ps_scrub_path_in_text(struct ps_scrub *scrub, struct ps_str path, struct ps_buf *out);
#endif
