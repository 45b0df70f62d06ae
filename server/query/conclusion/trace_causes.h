/* SPDX-License-Identifier: MIT */
/*
 * trace_causes.h: what the conclusion of a trace with operators, or with the work of devices, is
 * made of: trace.c decides what is said, the other files read and word one subject each.
 *
 * The wall time of a step is divided as in the TensorBoard plugin: each moment counts for the first
 * of kernel, copy, set, communication, driver call, wait for data and operator that was active, so
 * the parts add up to the step. Without steps the whole trace is divided, for each worker.
 */
#ifndef PS_QUERY_TRACE_CAUSES_H
#define PS_QUERY_TRACE_CAUSES_H

#include "server/query/conclusion/unit_causes.h"
#include "server/query/trace/findings/finding_rules.h"
#include "server/query/trace/graph_captures.h"
#include "server/runfile/trace.h"

#define PS_TRACE_CAUSE_SHARE 0.02 /* smaller parts of a step are not causes */
#define PS_TRACE_PART_SHARE  0.10 /* share of a cause; smaller parts of the cause are not listed */
#define PS_TRACE_ROWS_MAX    3
#define PS_NEEDED_SHARE      0.4  /* of a step: matrix products and others that a program needs */
#define PS_ODD_STEP_SHARE    0.50 /* share of all steps; a longer step is told apart */
/* torch.compile that works in so many steps compiles again */
#define PS_STEPS_COMPILING 3

/* Long calls of one name, such as cudaFree, which are not of a loop. */
#define PS_FEW_CALLS 4

/* Sums of the driver calls with one name that ran while the device was idle. */
struct ps_driver_calls {
    size_t name; /* text id */
    int64_t calls, ns, longest_ns;
    int64_t longest; /* slice id */
    int64_t longest_start_ns, longest_end_ns;
    /* of ns: in calls before the first launch and work of the device, and after its last work */
    int64_t early_ns, late_ns;
    int64_t long_calls, long_ns; /* those of PS_LONG_CALL_NS and longer */
    /* whole calls, also while the device works: all, and the longest, which is the first */
    int64_t all_ns, longest_few[PS_FEW_CALLS];
};

/* A driver call takes a few microseconds, also a launch. While the device is idle, one that takes
 * longer loads or compiles code, or starts or allocates something. */
#define PS_LONG_CALL_NS 1000000

/* Rows of a query, without its limit. */
struct ps_row_sum {
    int64_t calls, ns; /* ns: with overlaps */
};

/* Numbers of calls in the span. */
struct ps_call_counts {
    double copies, sets, driver, loads, host_collectives, ranges;
};

/* Migrations of managed memory in the steps. */
struct ps_managed_memory {
    double share; /* of the time of kernels, in which page faults move pages to their device */
    double migrations, bytes, evictions; /* numbers; evictions are not in the first two */
};

struct ps_trace_worker {
    uint32_t track;                /* the thread with the program's loop; 0: none */
    uint64_t n_of_track;           /* its operators, annotations and Python frames */
    struct ps_intervals each_step; /* counted */
    struct ps_intervals steps;     /* joined */
    struct ps_intervals of_device; /* joined: kernels, copies, sets, communication */
    /* joined: captures of graphs; the profiler's own time; all of them with the work of the device
     */
    struct ps_intervals captures, overhead, explained;
    struct ps_intervals queued;   /* joined: launched work waits for what was not recorded */
    struct ps_intervals start_up; /* joined: driver calls that start the device or load kernels */
    int64_t first_launch_ns;      /* of the recording; INT64_MAX: none */
};

struct ps_trace_time {
    struct ps_db *db;
    const char *step;     /* name of the ranges that are the steps; NULL: those of the file */
    bool keeps_all_steps; /* also a first or last one that takes more than all others */
    struct ps_range span;
    int64_t n_steps; /* number of counted steps */
    bool has_marks;  /* the file marks steps; else the parts are of the whole trace */
    double divisor;  /* number of steps, or of workers if there are no steps */
    double wall_s;   /* mean wall time of a step, or of a worker if there are no steps */
    double parts_s[PS_N_ROLES + 1];
    /* parts of parts_s in captures, in the profiler's own time, in what starts the device, and
     * while launched work waits for what was not recorded; 0 if they are no cause */
    double captures_s[PS_N_ROLES + 1], overhead_s[PS_N_ROLES + 1], start_up_s[PS_N_ROLES + 1],
        queued_s[PS_N_ROLES + 1];
    struct ps_graph_captures captures; /* those that overlap steps */
    struct step_list {
        struct step_range {
            struct ps_interval time;
            uint32_t worker;
            bool is_marked;
        } * items;
        size_t n, cap;
    } steps; /* that are counted, by worker and start */
    bool has_devices;
    struct ps_range_sums sums;
    struct ps_track_owners owners;
    struct ps_trace_worker *workers;
    struct ps_driver_calls *blocking; /* by text id */
    size_t n_blocking;
    struct ps_row_sum kernels, collectives, operators, phases; /* of the span */
    struct ps_call_counts counts;
    int64_t n_compiling;        /* steps in which torch.compile works, of the first STEPS_READ */
    double compile_s;           /* parts_s[PS_ROLE_CPU] in phases of torch.compile */
    double longest_s, median_s; /* steps; the median is of the others if one is left out */
    struct odd_step {
        bool is_left_out, is_said; /* left out of the shares; counted, but told apart */
        struct ps_interval time;
        double share;     /* of the time of all steps, if it is said */
        double compile_s; /* phases of torch.compile in it */
    } odd;
    struct ps_host_windows windows;
    struct ps_host_window *window_items; /* by worker */
    struct ps_host_units units;
    bool is_torch;             /* else: Nsight Systems */
    const char *operators_tab; /* the tab that lists slices of the host by name */
    struct ps_trace_facts facts;
    struct ps_check *checks;
    size_t n_checks;
    size_t blocking_name;   /* text id of the driver calls that are a cause of their own; 0: none */
    double blocking_s;      /* their time in a step, while the device is idle */
    bool waits_for_earlier; /* they wait for work that was launched before the recording */
    bool blocks_last;       /* they come after the last work of the device: they unload and free */
    struct ps_driver_calls *start_up; /* calls that happen once, the longest first */
    size_t n_start_up, cap_start_up;
    int64_t n_kernel_names;
    struct ps_managed_memory managed; /* zeros without devices, and for torch */
    struct ps_late_rank late;
};

/* The rows of a query, and the factor for their times. If their sum is more than their cause,
 * because they overlap, they share its time in proportion. */
struct ps_trace_rows {
    const char *query;
    bool flag;
    const char *tab;
    double whole_s, scale;
};

/* --- The time --- */

/* Reads all but the words; `trace` has a database and the choice of steps only. The caller frees
 * it, also after an error. */
enum ps_status ps_trace_time_read(struct ps_trace_time *trace, struct ps_err *err);
/* Frees what the time was read into, not the structure. */
void ps_trace_time_free(struct ps_trace_time *trace);

/* --- Parts of the steps --- */

/* The time of a part that no other cause explains. */
double ps_trace_time_left(const struct ps_trace_time *trace, size_t role);
/* 0..1 of the mean wall time of a step, or of a worker. */
double ps_trace_time_share(const struct ps_trace_time *trace, int64_t ns);
/* The time of a step, or of a worker, in which the device waits for the host. */
double ps_trace_host_seconds(const double parts_s[PS_N_ROLES + 1]);
/* Divides what is in both the intervals (joined) and the steps of a worker into parts; adds them to
 * seconds. */
void ps_trace_divide_within(const struct ps_trace_time *trace, uint32_t worker,
                            const struct ps_intervals *within, double seconds[PS_N_ROLES + 1]);
/* Whether one step dominates the time of all: a share is then not one of each step. */
bool ps_trace_has_odd_step(const struct ps_trace_time *trace);

/* --- Steps --- */

/* Finds the range in which the steps are. PS_BAD_REQUEST: no range has the chosen name. Before
 * ps_trace_read_steps. */
enum ps_status ps_trace_find_span(struct ps_trace_time *trace, struct ps_err *err);
/* Assigns the steps to workers, without one that is unlike the others. */
void ps_trace_read_steps(struct ps_trace_time *trace);
/* Counts the steps in which torch.compile takes a tenth or more. */
enum ps_status ps_trace_count_compiling(struct ps_trace_time *trace, struct ps_err *err);
/* Adds the step that dominates the time of all steps to the first claim. */
enum ps_status ps_trace_add_odd_step(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                     struct ps_err *err);
/* What torch.compile takes of the step that is left out. */
enum ps_status ps_trace_read_odd_step(struct ps_trace_time *trace, struct ps_err *err);
/* Returns what shares are of: " of each step". */
const char *ps_trace_step_words(const struct ps_trace_time *trace);
/* Adds the step that is left out of the shares to the first claim. */
void ps_trace_add_left_out(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Adds a note about a step that takes more than all others. */
void ps_trace_say_odd_step(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Lists the annotations and NVTX ranges that can be chosen as steps. */
void ps_trace_add_step_choices(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Adds the annotation that may be the steps to the first claim. */
void ps_trace_add_iteration(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Says what the shares are of, if no steps are marked. The headline has the span of all events; the
 * range that is divided begins and ends with operators, driver calls or work of devices. */
enum ps_status ps_trace_say_base(struct ps_db *db, struct ps_conclusion *c,
                                 const struct ps_trace_time *trace, struct ps_err *err);

/* --- Driver calls that block --- */

/* Sums the driver calls during which no recorded work of a device explains the time. */
enum ps_status ps_trace_read_blocking(struct ps_trace_time *trace, struct ps_err *err);
/* Returns the text id of the driver calls that blocked longest; 0: there are none. */
size_t ps_trace_find_blocking(const struct ps_trace_time *trace);
/* The time of the driver calls with this name, in a step, while the device is idle. */
double ps_trace_blocking_seconds(const struct ps_trace_time *trace, size_t name);
/* The time in which synchronising calls block while the device is idle; without the calls that are
 * a cause of their own. */
double ps_trace_sync_seconds(const struct ps_trace_time *trace);
/* Whether the longest call of the name waits for work that was launched before the recording:
 * before the first launch of a recording the device can only be busy with that. */
bool ps_trace_waits_for_earlier(const struct ps_trace_time *trace, size_t name);
/* Whether a call is before the first launch of the recording and the first work of the device. */
bool ps_trace_is_before_work(const struct ps_trace_worker *worker, int64_t start_ns);
/* Whether the calls unload or free, nearly all after the last work of the device. */
bool ps_trace_blocks_last(const struct ps_trace_time *trace, size_t name);
bool ps_trace_name_contains(const struct ps_trace_time *trace, size_t name, struct ps_str word);
/* Adds the driver calls with this name as a cause. */
void ps_trace_add_blocking(struct ps_conclusion *c, const struct ps_trace_time *trace, size_t name,
                           double seconds, struct ps_err *err);
/* Concludes that these driver calls take the time. */
void ps_trace_conclude_blocking(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                size_t name, double seconds, struct ps_err *err);
/* Sets the subject of a fact to the operator around a slice, and the other one to the Python
 * function. */
enum ps_status ps_trace_add_callers(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    int64_t slice, struct ps_fact *fact, struct ps_err *err);

/* --- Work that was not recorded --- */

/* Finds when launched work waits, though nothing runs on the device that was recorded. Before
 * ps_trace_read_blocking: the host does not keep the device idle then. */
enum ps_status ps_trace_read_queued(struct ps_trace_time *trace, struct ps_err *err);
/* Adds the work that was not recorded as a cause. */
void ps_trace_add_queued(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Concludes that work takes the time that was not recorded. */
void ps_trace_conclude_queued(struct ps_conclusion *c, const struct ps_trace_time *trace);

/* --- Managed memory --- */

/* Reads the migrations that kernels cause. After the steps. */
enum ps_status ps_trace_read_managed(struct ps_trace_time *trace, struct ps_err *err);
/* The time of a step in which kernels run while page faults move pages to their device. */
double ps_trace_managed_seconds(const struct ps_trace_time *trace);
/* Adds the migrations as a part of the kernels, the last cause. */
void ps_trace_add_managed(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Concludes that kernels run while managed memory moves. */
void ps_trace_conclude_managed(struct ps_conclusion *c, const struct ps_trace_time *trace);

/* --- Start-up --- */

/* Finds the driver calls that start the device or load kernels: one call has nearly all of the
 * time of its name. They are a cause of their own if they are long enough. To be called after
 * ps_trace_read_blocking, of whose sums they are taken out. */
enum ps_status ps_trace_find_start_up(struct ps_trace_time *trace, struct ps_err *err);
/* Adds start-up as a cause. */
void ps_trace_add_start_up(struct ps_conclusion *c, const struct ps_trace_time *trace,
                           struct ps_err *err);
/* Concludes that start-up takes the time. */
void ps_trace_conclude_start_up(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                struct ps_err *err);

/* --- What the device waits for --- */

/* The time in which the device waits for the host, without what is a cause of its own: driver
 * calls that block, and captures. */
double ps_trace_idle_seconds(const struct ps_trace_time *trace);
/* Returns the longest capture; NULL: there is none. */
const struct ps_graph_capture *ps_trace_longest_capture(const struct ps_trace_time *trace);
/* Adds captures of graphs as a cause, if they are long enough. */
void ps_trace_add_captures(struct ps_conclusion *c, const struct ps_trace_time *trace,
                           struct ps_err *err);
/* Adds the time in which the device waits for the host as a cause, with its parts. */
void ps_trace_add_idle(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Concludes that the device waits for the host. */
void ps_trace_conclude_idle(struct ps_conclusion *c, const struct ps_trace_time *trace,
                            double idle_s);

/* --- Operators and kernels --- */

/* Sums all rows of a query with its flag. */
enum ps_status ps_trace_sum_rows(struct ps_trace_time *trace, const char *query, bool flag,
                                 struct ps_row_sum *sum, struct ps_err *err);
/* torch.compile writes its phases as operators. They are a cause of their own. */
enum ps_status ps_trace_sum_operators(struct ps_trace_time *trace, struct ps_err *err);
/* The rows of a query; of kernels without communication; of operators without compilation. */
struct ps_trace_rows ps_trace_rows_of(const struct ps_trace_time *trace, const char *query,
                                      bool flag, const struct ps_row_sum *sum, double whole_s,
                                      const char *tab);
struct ps_trace_rows ps_trace_rows_of_operators(const struct ps_trace_time *trace);
struct ps_trace_rows ps_trace_rows_of_kernels(const struct ps_trace_time *trace);
/* Adds the first rows as parts of the last cause. */
enum ps_status ps_trace_add_rows(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                 const struct ps_trace_rows *rows, struct ps_err *err);
/* Add kernels, and operators, as a cause with the largest as its parts. */
enum ps_status ps_trace_add_kernels(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    struct ps_err *err);
enum ps_status ps_trace_add_operators(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                      struct ps_err *err);
/* The phases of torch.compile. */
enum ps_status ps_trace_add_compilation(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                        struct ps_err *err);
/* The first rows of a query, at most PS_TRACE_ROWS_MAX, as PS_FACT_TOP. */
enum ps_status ps_trace_find_top(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                 const struct ps_trace_rows *rows, struct ps_fact *top, size_t *n,
                                 struct ps_err *err);
/* Adds the first of them to the first claim. */
enum ps_status ps_trace_add_top(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                const struct ps_trace_rows *rows, struct ps_err *err);
/* Whether an operator and its backward pass, which are no matrix product and no convolution, are
 * the two largest and stand out together. */
bool ps_trace_has_pair(const struct ps_trace_time *trace, const struct ps_trace_rows *rows,
                       struct ps_err *err);
void ps_trace_conclude_pair(struct ps_conclusion *c, const struct ps_trace_time *trace,
                            const struct ps_trace_rows *rows, struct ps_err *err);
/* Whether one operator takes most of a step. */
bool ps_trace_has_top_operator(const struct ps_trace_time *trace, const struct ps_trace_rows *rows,
                               struct ps_err *err);
/* Whether small operators, and what runs between operators, take most of a step. */
bool ps_trace_has_many_operators(const struct ps_trace_time *trace);
/* Whether most of a step is spent on float64, which takes twice the memory and time of float32. */
bool ps_trace_is_on_double(const struct ps_trace_time *trace);
/* Conclude that operators on float64, and that many small ones, take the time. */
void ps_trace_conclude_double(struct ps_conclusion *c, const struct ps_trace_time *trace);
void ps_trace_conclude_many_operators(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Concludes that there is no single cause: no operator stands out, or the step is made of matrix
 * products and convolutions, of which nothing can be said to be avoidable. */
enum ps_status ps_trace_conclude_flat(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                      const struct ps_trace_rows *rows, struct ps_err *err);

/* --- Findings of rules --- */

/* Whether the rule with this name found something. */
bool ps_trace_has_finding(const struct ps_trace_time *trace, const char *rule);
/* Adds what the rules found about the last cause. */
void ps_trace_add_findings(struct ps_conclusion *c, const struct ps_trace_time *trace);
/* Lists the checks that found nothing. Findings that belong to no cause are notes. */
void ps_trace_add_checks(struct ps_conclusion *c, const struct ps_trace_time *trace);

/* --- Words and links --- */

/* The rows of operators, annotations and driver calls with these words; NULL: all of them. */
struct ps_report_link ps_trace_link_operators(const struct ps_trace_time *trace, const char *words);
/* The driver calls among the rows of operators: kernels can have their words in the name too. All
 * rows if the calls are of another driver, whose names have no common prefix. */
struct ps_report_link ps_trace_link_driver(const struct ps_trace_time *trace);
/* The slice in the timeline. */
struct ps_report_link ps_trace_link_slice(struct ps_conclusion *c, int64_t slice);
/* The number of kernels, with those of communication. */
int64_t ps_trace_all_kernels(const struct ps_trace_time *trace);
/* Adds a cause with its title. */
struct ps_cause *ps_trace_add_cause(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    const char *rule, double seconds, const char *title);
/* Adds a part of the last cause. */
struct ps_cause *ps_trace_add_part(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                   const char *rule, double seconds, struct ps_subject subject);
/* Adds a cause without parts of its own. Returns NULL if it is too small. */
struct ps_cause *ps_trace_add_simple(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                     const char *rule, double seconds, const char *title,
                                     const char *advice);
/* The name of a slice as a subject. */
struct ps_subject ps_trace_text_subject(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                        struct ps_report_link link, size_t text);
/* A number of kernels in a step, or in the trace; the same as a fact. */
double ps_trace_kernels_of_step(const struct ps_trace_time *trace, int64_t calls);
struct ps_fact ps_trace_kernel_fact(const struct ps_trace_time *trace, int64_t calls);
/* A name as a sentence has it. Names of kernels can have a thousand characters: a long one is said
 * without "void" and its parameters, and is cut. */
struct ps_str ps_trace_short_name(struct ps_conclusion *c, struct ps_str name);
/* "50 calls" */
struct ps_fact ps_trace_count(double n, const char *noun, struct ps_report_link link);
/* Returns what times are of: " of a step". */
const char *ps_trace_time_words(const struct ps_trace_time *trace);
/* Sets the first claim, with its first fact. */
void ps_trace_conclude(struct ps_conclusion *c, const char *rule, enum ps_verb verb,
                       struct ps_subject subject, double share, struct ps_fact fact);
extern const struct ps_report_link ps_trace_kernels_link;

#endif
