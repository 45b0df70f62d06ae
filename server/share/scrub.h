/* SPDX-License-Identifier: MIT */
/*
 * scrub.h: texts of a profile without what they reveal, category by category.
 *
 * First every text that will be written passes by to be learned from: who has home folders, which
 * machines are named. Then each is scrubbed. A value is replaced by a numbered word (~1 for a
 * folder, person1, host1, arguments 1), the same wherever it stands.
 */
#ifndef PS_SHARE_SCRUB_H
#define PS_SHARE_SCRUB_H

#include "base/buf.h"
#include "base/intern.h"
#include "server/share/redact.h"

/* Distinct values of a category, and what the first of them become. */
struct ps_seen {
    struct ps_intern values;
    char *became[PS_REVEAL_EXAMPLES]; /* of values.items, as many as there are; malloc'ed */
};

struct ps_names {           /* words that are replaced wherever they stand as words */
    struct ps_intern words; /* in lower case */
    uint64_t lengths;       /* 1 << length of each that is looked for, up to 63 */
    bool first[256];        /* bytes that one of these begins with */
};

struct ps_scrub {
    unsigned redact;
    bool test_names; /* names like test_sort[1000] have arguments in brackets */
    struct ps_intern folders, arguments;
    struct ps_names people, hosts;
    struct ps_seen seen[PS_REVEALS]; /* by the index of the category's bit */
};

void ps_scrub_free(struct ps_scrub *scrub); /* what is in it */

/* --- Learning --- */

void ps_scrub_learn(struct ps_scrub *scrub, struct ps_str text);
void ps_scrub_learn_json(struct ps_scrub *scrub, struct ps_str json);
void ps_scrub_learn_host(struct ps_scrub *scrub, struct ps_str name);
void ps_scrub_learn_person(struct ps_scrub *scrub, struct ps_str name);

/* --- Scrubbing --- */

/* The replacement of a value is appended to out. */

/* A name of code or any other text; one that is a command line like that. */
void ps_scrub_text(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
/* A sentence of ours: nothing of it is a command line. */
void ps_scrub_message(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
void ps_scrub_path(struct ps_scrub *scrub, struct ps_str path, struct ps_buf *out); /* all of it */
/* A command line: the program stays. */
void ps_scrub_command(struct ps_scrub *scrub, struct ps_str line, struct ps_buf *out);
/* What a program calls its processes, threads and ranges: the first word stays, with numbers and
 * words of profilers behind it. */
void ps_scrub_label(struct ps_scrub *scrub, struct ps_str label, struct ps_buf *out);
/* JSON, or a template of arguments (slices/args.h), whose markers stay where they are. */
void ps_scrub_json(struct ps_scrub *scrub, struct ps_str json, struct ps_buf *out);
void ps_scrub_person(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out);
void ps_scrub_host(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out);

/* A value of a category that becomes something else, for the preview. */
void ps_scrub_see(struct ps_scrub *scrub, enum ps_reveal category, struct ps_str value,
                  const char *became);

/* What a key of JSON, a tag or a header says of its value; 0: nothing. */
unsigned ps_scrub_key(struct ps_str key);

/* Parts of the above, for its own files. */
void ps_scrub_words(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out);
void ps_scrub_number(struct ps_intern *table, struct ps_str value, const char *word,
                     struct ps_buf *out);
/* "(arguments 3)" in place of them. */
void ps_scrub_arguments(struct ps_scrub *scrub, struct ps_str arguments, struct ps_buf *out);
bool ps_scrub_is_command(struct ps_str text);
bool ps_scrub_is_thread(struct ps_str text); /* py-spy's frame of a process or a thread */
size_t ps_scrub_home_at(struct ps_str text, size_t at); /* of the name in /home/NAME; 0 none */
size_t ps_scrub_path_length(struct ps_str text,
                            size_t at); /* of the path that begins there; 0 none */
/* One that may be a folder: its last part stays where it looks like a file. */
void ps_scrub_path_in_text(struct ps_scrub *scrub, struct ps_str path, struct ps_buf *out);
#endif
