/* SPDX-License-Identifier: MIT */
/*
 * scrub.h: removes from the texts of a profile what they reveal, by category.
 *
 * First, names are learned from every text that will be written: accounts with home folders, names
 * of machines. Then each text is scrubbed. A value is replaced by a numbered word (~1 for a folder,
 * person1, host1, arguments 1), the same wherever it occurs.
 */
#ifndef PS_SHARE_SCRUB_H
#define PS_SHARE_SCRUB_H

#include "base/buf.h"
#include "base/intern.h"
#include "server/share/redact.h"

/* The distinct values of a category, and the replacements of the first of them. */
struct ps_scrub_examples {
    struct ps_intern values;
    char *replacements[PS_REVEAL_EXAMPLES]; /* replacements of values.items; malloc'ed */
};

/* Names that are replaced wherever they occur as a word. */
struct ps_names {
    struct ps_intern words; /* in lower case */
    uint64_t lengths;       /* 1 << length of each word that is searched for, up to 63 */
    bool first_bytes[256];  /* first bytes of these words */
};

struct ps_scrub {
    unsigned redact;
    bool test_names; /* names like test_sort[1000] have arguments in brackets */
    struct ps_intern folders, arguments;
    struct ps_names people, hosts;
    struct ps_scrub_examples examples[PS_N_REVEALS]; /* by the bit index of the category */
};

void ps_scrub_free(struct ps_scrub *scrub); /* frees its members */

/* --- Learning --- */

void ps_scrub_learn(struct ps_scrub *scrub, struct ps_str text);
void ps_scrub_learn_json(struct ps_scrub *scrub, struct ps_str json);
void ps_scrub_learn_host(struct ps_scrub *scrub, struct ps_str name);
void ps_scrub_learn_person(struct ps_scrub *scrub, struct ps_str name);

/* --- Scrubbing --- */

/* The replacement of a value is appended to out. */

/* Scrubs a name of code or any other text; a command line is scrubbed as one. */
void ps_scrub_text(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
/* Scrubs a message of perfshelf: it contains no command line. */
void ps_scrub_message(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
void ps_scrub_path(struct ps_scrub *scrub, struct ps_str path,
                   struct ps_buf *out); /* the complete string is a path */
/* Scrubs a command line; keeps the program. */
void ps_scrub_command(struct ps_scrub *scrub, struct ps_str line, struct ps_buf *out);
/* Scrubs the name of a process, thread or range: keeps the first word, and following numbers and
 * words that profilers use. */
void ps_scrub_label(struct ps_scrub *scrub, struct ps_str label, struct ps_buf *out);
/* Scrubs JSON, or a template of arguments (slices/args.h), whose markers are kept in place. */
void ps_scrub_json(struct ps_scrub *scrub, struct ps_str json, struct ps_buf *out);
void ps_scrub_person(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out);
void ps_scrub_host(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out);

/* Records a value of a category and its replacement, for the preview. */
void ps_scrub_record(struct ps_scrub *scrub, enum ps_reveal category, struct ps_str value,
                     const char *became);

/* The category of a value by its key (of JSON, a tag or a header); 0: none. */
unsigned ps_scrub_key_category(struct ps_str key);

/* Helpers of the functions above, for the files of the scrubber. */
void ps_scrub_words(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
void ps_scrub_number(struct ps_intern *table, struct ps_str value, const char *word,
                     struct ps_buf *out);
/* Appends "(arguments 3)" in place of the arguments. */
void ps_scrub_arguments(struct ps_scrub *scrub, struct ps_str arguments, struct ps_buf *out);
bool ps_scrub_is_command(struct ps_str text);
bool ps_scrub_is_thread(
    struct ps_str text); /* a frame of py-spy that stands for a process or a thread */
size_t ps_scrub_find_home(struct ps_str text,
                          size_t at); /* offset of NAME in /home/NAME; 0: none */
size_t ps_scrub_measure_path(struct ps_str text,
                             size_t at); /* length of the path at `at`; 0: none */
/* Scrubs a path that may be a folder: its last part is kept if it looks like a file. */
void ps_scrub_path_in_text(struct ps_scrub *scrub, struct ps_str path, struct ps_buf *out);
#endif
