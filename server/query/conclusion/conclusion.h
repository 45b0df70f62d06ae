/* SPDX-License-Identifier: MIT */
/*
 * conclusion.h: the conclusion of a run: one sentence that says where the time or memory goes, and
 * the causes that prove it. docs/api-views.md describes the JSON.
 *
 * Each family of profiles has a file with a function `ps_conclude_FAMILY`, which reads the run and
 * fills a struct ps_conclusion. Rules for them:
 * - A cause is one thing that somebody can change. Several symptoms of one thing are one cause,
 * with the symptoms as its children.
 * - Causes do not overlap: each microsecond (byte, sample) belongs to one cause, so that savings
 *   can be added. The amounts of children are part of the amount of their cause.
 * - Every number of the sentence has a link to the rows that show it, and is equal there.
 * - A saving is an upper bound. If the profile cannot prove that anything is saved, its minimum is
 * 0.
 * - What is assumed is a note. What was checked and found harmless is listed.
 *
 * Strings are copied into the arena of the conclusion. A conclusion belongs to one thread.
 *
 *     struct ps_conclusion c = {.unit = "s", .base = "of total"};
 *     struct ps_claim claim = ps_claim_of("function", PS_TAKES, subject, 0.41);
 *
 *     ps_cause_save(ps_conclusion_claim(&c, &claim, 0.656), 0, 0.639);
 *     ps_conclusion_write(&c, json);
 *     ps_conclusion_free(&c);
 */
#ifndef PS_QUERY_CONCLUSION_H
#define PS_QUERY_CONCLUSION_H

#include "base/python_origin.h"
#include "server/query/conclusion/claim.h"
#include "server/query/view.h"

/* A piece of a sentence: text, the name of code, or a number with a unit. */
struct ps_sentence_part {
    struct ps_str text; /* {NULL, 0}: a number */
    bool is_code;
    double value;
    const char *unit; /* like the unit of a headline; also "percent" (0..100) and "count" */
    struct ps_report_link link;
};

struct ps_sentence {
    struct ps_sentence_part *parts;
    size_t n, cap;
};

/* A row below the sentence: a claim with its words. */
struct ps_cause {
    struct ps_claim claim;
    struct ps_sentence title, evidence;
    double amount;             /* in the unit of the conclusion; NaN: none */
    double save_min, save_max; /* in the unit of savings; NaN: not stated */
    const char *advice;        /* a sentence with a recommended action; NULL: none */
    unsigned level;            /* 0: a cause; 1: a part of the last cause of level 0 */
};

/* A part of what the whole is made of. Strings are static, or in the arena of the conclusion. */
struct ps_composition_part {
    const char *name;  /* key of its colour; see enum ps_composition_kind */
    const char *label; /* for users */
    double value;      /* more than 0, in the unit of the composition */
    struct ps_report_link link;
};

/* What the parts are, and which colours of the page they have. */
enum ps_composition_kind {
    PS_COMPOSITION_STEP_PARTS, /* names of parts of a step, as in the overview of a trace */
    PS_COMPOSITION_ORIGINS,    /* words of the table `origin` */
    PS_COMPOSITION_LINES,      /* lines of a function: the colour is their heat */
    PS_COMPOSITION_CPU,        /* "python", "native", "system" */
    PS_COMPOSITION_CATEGORIES, /* categories of memory */
    PS_N_COMPOSITION_KINDS
};

/* What the whole is made of: parts that do not overlap. Their sum is the whole. */
struct ps_composition {
    enum ps_composition_kind kind;
    const char *title;                 /* "Self time by origin" */
    const char *unit;                  /* as in ps_sentence_part */
    const char *base;                  /* of the shares: "of total" */
    struct ps_composition_part *parts; /* in the order in which they are drawn */
    size_t n, cap;                     /* fewer than 2: not shown */
};

/* The lengths of the counted steps of a trace. n 0: no steps are marked, or several workers have
 * some. is_odd: one step dominates the time of all, so that the mean step is like none. */
struct ps_step_lengths {
    size_t n;
    double longest_s, median_s;
    double share; /* of the longest in the time of all */
    bool is_odd;
};
enum ps_status ps_step_lengths_read(struct ps_db *db, struct ps_step_lengths *out,
                                    struct ps_err *err);

/* Repeated annotations or NVTX ranges of a trace, which can be chosen as its steps. */
struct ps_step_choice {
    const char *name; /* in the arena of the conclusion */
    int64_t ranges;
    double share; /* 0..1 of the range that is divided */
};
#define PS_STEP_CHOICES 20

struct ps_conclusion {
    /* Input: the name of annotations or NVTX ranges that are the steps of a trace with devices or
     * operators, with or without the number at their end. NULL: the steps that the file marks. */
    const char *step;
    struct ps_params params; /* input: which stacks count (functions/stack_selection.h) */
    struct ps_step_choice step_choices[PS_STEP_CHOICES]; /* that cover most first */
    size_t n_step_choices;
    const char *unit; /* of amounts: "s" for all times, "bytes" for all memory, else "samples" or
                       * the unit of the headline */
    const char *save_unit; /* of savings; NULL: `unit`. "percent": of the base */
    const char *per;       /* "step": amounts are of one step; NULL: of the whole run */
    const char *base;      /* base of the shares: "of total", "of step" */
    const char *whole;     /* what shares are of, in a sentence: "samples"; NULL: "time" */
    /* Of traces: what shares are of, " of each step"; what times are of, " of a step"; the time */
    const char *of_shares, *of_times;
    double of_seconds;
    const char *device;    /* what the trace calls its devices: "GPU" */
    struct ps_claim first; /* of the first sentence; PS_NO_VERB: the claim of the first cause */
    struct ps_sentence verdict, sentence; /* the verdict is shown in bold, before the sentence */
    struct ps_composition composition;
    struct ps_cause *causes;
    size_t n_causes, cap_causes;
    const char **notes; /* assumptions, and warnings about the recording */
    size_t n_notes, cap_notes;
    const char **checked; /* checks that found nothing; titles of two to six words */
    size_t n_checked, cap_checked;
    struct ps_arena arena;
};

/* Sets the claim of the first sentence, without which it is that of the first cause; returns it;
 * adds a fact to it. */
void ps_conclude_first(struct ps_conclusion *c, struct ps_claim claim);
struct ps_claim *ps_first_claim(struct ps_conclusion *c);
void ps_first_fact(struct ps_conclusion *c, struct ps_fact fact);
/* Sets the first claim: that none of a kind of things ("line") was measured, or that none stands
 * out. Then the largest can be added. `what` is static. */
void ps_conclude_none(struct ps_conclusion *c, const char *what);
void ps_conclude_flat(struct ps_conclusion *c, const char *what);
void ps_first_largest(struct ps_conclusion *c, struct ps_subject subject, double share);
/* Adds a claim as a cause, or as a part of the last one, with its saving in percent. The pointer is
 * valid until the next addition. */
struct ps_cause *ps_conclusion_claim(struct ps_conclusion *c, const struct ps_claim *claim,
                                     double amount);
struct ps_cause *ps_conclusion_claim_part(struct ps_conclusion *c, const struct ps_claim *claim,
                                          double amount);
/* Inserts a claim in front of the cause with this index; level: as in struct ps_cause. */
void ps_conclusion_insert(struct ps_conclusion *c, size_t index, const struct ps_claim *claim,
                          unsigned level);
void ps_cause_save(struct ps_cause *cause, double save_min, double save_max);
void ps_conclusion_note(struct ps_conclusion *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void ps_conclusion_checked(struct ps_conclusion *c, const char *title); /* static */

/* Appends the parts of another sentence. */
void ps_sentence_append(struct ps_sentence *to, const struct ps_sentence *from);
/* Append to a sentence of the conclusion: text; the name of code; a number. */
void ps_say(struct ps_conclusion *c, struct ps_sentence *to, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ps_say_link(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void ps_say_code(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                 struct ps_str name);
void ps_say_value(struct ps_sentence *to, struct ps_report_link link, double value,
                  const char *unit);
/* Appends a place in a file without its folders: "bookshop.py:35"; "bookshop.py" for line 0. */
void ps_say_place(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                  struct ps_str path, int64_t line);

/* A subject, whose name is copied. */
struct ps_subject ps_subject_of(struct ps_conclusion *c, enum ps_subject_kind kind,
                                struct ps_report_link link, struct ps_str name);
extern const struct ps_subject ps_no_subject;

/* Says a claim: the verdict, and the sentences after it, also on the largest of the other causes,
 * which have been added before. */
void ps_say_claim(struct ps_conclusion *c, const struct ps_claim *claim);
/* Says the claims of a comparison in the verdict, which are the causes. */
void ps_say_changes(struct ps_conclusion *c);
/* Says the title and the evidence of a cause. */
void ps_say_row(struct ps_conclusion *c, struct ps_cause *cause);

/* Adds a part to the composition, unless its value is 0. */
void ps_compose(struct ps_conclusion *c, const char *name, const char *label, double value,
                struct ps_report_link link);
/* Adds the origins as parts, the largest first; nothing if no origin is known. `builtin`: label of
 * PS_ORIGIN_BUILTIN. `link` of each part; if `hides_others`, it gets the parameter `off` with all
 * other origins. */
void ps_compose_origins(struct ps_conclusion *c, const double values[PS_N_ORIGINS],
                        const char *builtin, struct ps_report_link link, bool hides_others);
/* Writes the key "composition": null if it has fewer than two parts. */
void ps_composition_write(const struct ps_composition *composition, struct ps_json *json);
/* Writes a key with the parts of a sentence. */
void ps_sentence_write(struct ps_json *json, const char *key, const struct ps_sentence *sentence);
/* The rows of a table with exactly this name. */
struct ps_report_link ps_link_name(struct ps_conclusion *c, const char *tab, struct ps_str name);

/* Formats an integer for a parameter of a link, in the arena. */
const char *ps_conclusion_id(struct ps_conclusion *c, int64_t id);

/* Sorts the causes by amount, largest first. Parts stay below their cause, in order. */
void ps_conclusion_sort(struct ps_conclusion *c);

/* Writes the key "claims": that of the first sentence, unless it is that of the first cause, and
 * those of the causes. */
void ps_claims_write(struct ps_conclusion *c, struct ps_json *json);
/* Writes the object. Without a sentence it says that nothing stands out. */
void ps_conclusion_write(struct ps_conclusion *c, struct ps_json *json);
void ps_conclusion_free(struct ps_conclusion *c); /* for PS_AUTO */

/* Fill the conclusion of a run of their family. */
typedef enum ps_status ps_conclude(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err);
ps_conclude ps_conclude_imports;           /* import logs */
ps_conclude ps_conclude_functions;         /* cProfile dumps */
ps_conclude ps_conclude_printed_functions; /* printed tables of cProfile */
ps_conclude ps_conclude_actions;           /* Lightning's profilers */
ps_conclude ps_conclude_printed_operators; /* printed tables of key_averages() */
ps_conclude ps_conclude_trace;             /* traces with devices or operators */
ps_conclude ps_conclude_xla;               /* traces of XLA's profiler */
ps_conclude ps_conclude_slices;            /* other traces */
ps_conclude ps_conclude_no_device;         /* Nsight Systems without work of a device */
ps_conclude ps_conclude_stacks;            /* sampled stacks */
ps_conclude ps_conclude_live_set;          /* stacks whose tracks are devices, not threads */
ps_conclude ps_conclude_snapshot;          /* memory snapshots of PyTorch */
ps_conclude ps_conclude_line_times;        /* line_profiler */
ps_conclude ps_conclude_line_cpu;          /* Scalene */
ps_conclude ps_conclude_line_memory;       /* memory_profiler */
ps_conclude ps_conclude_memory;            /* mprof */
ps_conclude ps_conclude_categories;        /* memory timelines of PyTorch */
ps_conclude ps_conclude_processes;         /* top */
ps_conclude ps_conclude_commands;          /* time */
ps_conclude ps_conclude_tests;             /* durations of tests */
ps_conclude ps_conclude_measurements;      /* benchmarks */

/* Fills the conclusion of a trace with the names of Python functions and their files. is_sampled:
 * slices are stretches of equal samples, not calls. *is_said: own code causes enough of the time;
 * otherwise nothing is said. */
enum ps_status ps_conclude_python_trace(struct ps_db *db, bool is_sampled, bool *is_said,
                                        struct ps_conclusion *out, struct ps_err *err);

/* Says what made requests to a server late. *is_said: false if the times to the first token of too
 * few requests are known, or if none is late and there is a trace, which has more to say. */
enum ps_status ps_conclude_requests(struct ps_db *db, struct ps_conclusion *out, bool has_trace,
                                    bool *is_said, struct ps_err *err);

/* The rank that the others of a job wait for in collectives. */
struct ps_late_rank {
    bool found; /* a rank stands out by the waiting that it causes */
    int64_t rank;
    uint32_t n_ranks;
    bool has_steps;
    double wait_s; /* mean waiting of the others for it, of a step if there are steps */
    double share;  /* 0..1 of all waiting for the last rank */
};

/* steps: name of the ranges that a person chose as steps; NULL: those of the files. step_s: mean
 * duration of a step, or of the trace if there are no steps. */
enum ps_status ps_late_rank_find(struct ps_db *db, const char *steps, double step_s,
                                 struct ps_late_rank *out, struct ps_err *err);
/* Adds the late rank to the first claim, if one was found. */
void ps_add_late_rank(struct ps_conclusion *c, const struct ps_late_rank *late);

/* Adds to the first claim the steps of a serving engine, if the run has some: what the phase with
 * the most work spends the time of the device on, in its median step. */
enum ps_status ps_conclude_inference(struct ps_db *db, struct ps_conclusion *out,
                                     struct ps_err *err);

/* GET /api/v1/runs/{id}/conclusion. */
ps_view_answer ps_view_conclusion;

#endif
