/* SPDX-License-Identifier: MIT */
/*
 * utilisation.c: the view bound: what limited a command (CPU, waiting, kernel, memory), derived
 * from the output of `time`.
 *
 * Utilisation = (user + sys) / real, the mean number of busy CPUs. `time` truncates or rounds its
 * numbers. A number v with the resolution r (one unit of its last digit) means a time from v - r/2
 * to v + r, so utilisation has a lower and an upper bound. A verdict is given only if it is the
 * same at both bounds. The output of `time` does not contain the number of available CPUs. Without
 * the parameter `cpus` it is not guessed: one busy CPU is the measure, and a command that kept more
 * than one busy is parallel, whether or not it used all that it had.
 */
#include <math.h>
#include <stdio.h>

#include "server/query/reports/reports.h"
#include "server/query/view.h"

/* Thresholds are rules of thumb; every result contains them. Minimum of utilisation / CPUs of a
 * CPU-bound command. A loop that only computes reaches 0.95 or more; with less than 0.8, a command
 * waits for more than a fifth of the time. */
#define BUSY_SHARE 0.8
/* Maximum of utilisation / CPUs of a waiting command: the CPUs are idle most of the time. */
#define WAITING_SHARE 0.5
/* Utilisation above which a command used several CPUs, if their number is unknown. */
#define PARALLEL_CPUS 1.1
/* Minimum of sys / (user + sys) of a system-heavy command. Programs that compute spend a few
 * percent of their CPU time in the kernel. */
#define SYSTEM_SHARE 0.3
/* Minimum of major page faults per second of a memory-heavy command. Reading a page takes 0.1 ms
 * from an SSD and 10 ms from a disk, so 100 pages a second take 1 % to 100 % of the time. */
#define FAULTS_PER_S 100.0

#define RUNS_MAX 1000

enum { REAL, USER, SYS, RSS, MAJOR, MINOR, VOLUNTARY, INVOLUNTARY, N_INPUTS };

static const struct {
    const char *name, *key;
} inputs[N_INPUTS] = {
    {"real", "real_s"},
    {"user", "user_s"},
    {"sys", "sys_s"},
    {"max RSS", "max_rss_bytes"},
    {"major faults", "major_faults"},
    {"minor faults", "minor_faults"},
    {"voluntary switches", "voluntary_switches"},
    {"involuntary switches", "involuntary_switches"},
};

struct timed_run {
    int64_t run, status, signal;
    bool has_status, has_signal;
    char command[400];
    double value[N_INPUTS], resolution[N_INPUTS];
    bool has_input[N_INPUTS];
};

struct utilisation_verdict {
    bool is_known;
    double utilisation, low, high; /* low, high: bounds of utilisation */
    double cpus;                   /* NaN: not given */
    double share;                  /* utilisation / CPUs, or of one CPU */
    const char *verdict;
    char reason[300];
};

/* The verdict on a utilisation. */
static const char *verdict_word(const struct utilisation_verdict *j, double utilisation)
{
    const double share = isfinite(j->cpus) ? utilisation / j->cpus : utilisation;

    if (!isfinite(j->cpus) && share > PARALLEL_CPUS)
        return "parallel";
    return share >= BUSY_SHARE ? "cpu-bound" : share < WAITING_SHARE ? "waiting" : "mixed";
}

static void set_verdict(struct utilisation_verdict *j, const char *verdict, const char *reason)
{
    j->verdict = verdict;
    (void)snprintf(j->reason, sizeof j->reason, "%s", reason);
}

/* Computes utilisation and its bounds. Returns false if an input is missing or the time is zero. */
static bool measure_utilisation(const struct timed_run *t, double cpus,
                                struct utilisation_verdict *j)
{
    double busy = t->value[USER] + t->value[SYS], real = t->value[REAL];
    double rounding = t->resolution[USER] + t->resolution[SYS];

    if (!t->has_input[REAL] || !t->has_input[USER] || !t->has_input[SYS]) {
        set_verdict(j, "unknown", "The report lacks the real, user or system time");
        return false;
    }
    if (!(real > 0)) {
        set_verdict(j, "unknown", "The measured time is zero");
        return false;
    }
    j->utilisation = busy / real;
    j->low = fmax(busy - rounding / 2, 0) / (real + t->resolution[REAL]);
    j->high = (busy + rounding) / fmax(real - t->resolution[REAL] / 2, 1e-12);
    j->cpus = cpus > 0 ? cpus : (double)NAN;
    j->share = cpus > 0 ? j->utilisation / cpus : j->utilisation;
    j->is_known = true;
    return true;
}

static double system_share(const struct timed_run *t)
{
    double busy = t->value[USER] + t->value[SYS];

    return busy > 0 ? t->value[SYS] / busy : 0;
}

static double faults_per_s(const struct timed_run *t)
{
    return t->has_input[MAJOR] && t->value[REAL] > 0 ? t->value[MAJOR] / t->value[REAL] : NAN;
}

static void judge_time(const struct timed_run *t, struct utilisation_verdict *j)
{
    const char *low = verdict_word(j, j->low), *high = verdict_word(j, j->high);
    const bool has_cpus = isfinite(j->cpus);
    const char *switches = t->has_input[VOLUNTARY] && t->has_input[INVOLUNTARY] &&
                                   t->value[VOLUNTARY] > t->value[INVOLUNTARY]
                               ? "; it yielded its CPU more often than it was preempted"
                               : "";

    j->verdict = verdict_word(j, j->utilisation);
    if (strcmp(low, high) != 0) {
        j->verdict = "unknown";
        (void)snprintf(j->reason, sizeof j->reason,
                       "Too short to judge: with rounded times the utilisation is between %.2f and "
                       "%.2f, from %s to %s",
                       j->low, j->high, low, high);
    } else if (strcmp(j->verdict, "parallel") == 0) {
        (void)snprintf(j->reason, sizeof j->reason,
                       "%.1f CPUs were busy on average; the report does not say how many the "
                       "command could use",
                       j->utilisation);
    } else if (strcmp(j->verdict, "cpu-bound") == 0) {
        (void)snprintf(j->reason, sizeof j->reason,
                       has_cpus ? "The CPUs were busy for %.0f %% of the available time"
                                : "Its CPU time is %.0f %% of the elapsed time",
                       has_cpus ? fmin(100 * j->share, 100) : 100 * j->share);
    } else {
        (void)snprintf(j->reason, sizeof j->reason,
                       "The command waited for %s%.0f %% of the %s: for input and output, a GPU, "
                       "locks, sleep or other programs%s",
                       has_cpus ? "" : "at least ", fmax(0, 100 * (1 - j->share)),
                       has_cpus ? "available CPU time" : "time", switches);
    }
}

static void judge_utilisation(const struct timed_run *t, double cpus, struct utilisation_verdict *j)
{
    *j = (struct utilisation_verdict){.is_known = false};
    if (!measure_utilisation(t, cpus, j))
        return;
    judge_time(t, j);
    if (faults_per_s(t) >= FAULTS_PER_S)
        (void)snprintf(j->reason, sizeof j->reason,
                       "%.0f pages a second were read from disk: memory was short, or the command "
                       "maps large files",
                       faults_per_s(t)),
            j->verdict = "memory-heavy";
    else if (strcmp(j->verdict, "unknown") != 0 && strcmp(j->verdict, "waiting") != 0 &&
             system_share(t) >= SYSTEM_SHARE)
        (void)snprintf(
            j->reason, sizeof j->reason,
            "%.0f %% of its CPU time was spent in the kernel: system calls, page faults, copies",
            100 * system_share(t)),
            j->verdict = "system-heavy";
}

struct rule {
    const char *name, *of, *sign, *why;
    double value, threshold;
    bool holds;
};

static void write_rule(const struct rule *rule, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_str(json, "rule", rule->name);
    ps_json_key_str(json, "of", rule->of);
    ps_json_key_real(json, "value", rule->value); /* null if the value is unknown */
    ps_json_key_str(json, "sign", rule->sign);
    ps_json_key_real(json, "threshold", rule->threshold);
    ps_json_key(json, "holds");
    if (isfinite(rule->value))
        ps_json_bool(json, rule->holds);
    else
        ps_json_null(json);
    ps_json_key_str(json, "why", rule->why);
    ps_json_end(json);
}

static void write_rules(const struct timed_run *t, const struct utilisation_verdict *j,
                        struct ps_json *json)
{
    const bool has_share = j->is_known && (isfinite(j->cpus) || j->share <= PARALLEL_CPUS);
    double share = has_share ? j->share : NAN, faults = faults_per_s(t);
    double kernel = t->has_input[USER] && t->has_input[SYS] ? system_share(t) : NAN;
    const struct rule rules[] = {
        {"cpu-bound", "utilisation / CPUs",
         ">=", "a loop that only computes reaches 0.95 or more; 0.8 allows for start-up", share,
         BUSY_SHARE, share >= BUSY_SHARE},
        {"waiting", "utilisation / CPUs", "<", "less than half: the CPU was idle most of the time",
         share, WAITING_SHARE, share < WAITING_SHARE},
        {"system-heavy", "sys / (user + sys)",
         ">=", "programs that compute spend a few percent of their time in the kernel", kernel,
         SYSTEM_SHARE, kernel >= SYSTEM_SHARE},
        {"memory-heavy", "major faults / s", ">=",
         "reading a page takes 0.1 ms from an SSD and 10 ms from a disk: 100 a second are 1 to 100 "
         "% of the time",
         faults, FAULTS_PER_S, faults >= FAULTS_PER_S},
    };

    ps_json_key(json, "rules");
    ps_json_array(json);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        write_rule(&rules[i], json);
    ps_json_end(json);
}

static void write_end(const struct timed_run *t, struct ps_json *json)
{
    ps_json_key(json, "exit_status");
    if (t->has_status)
        ps_json_int(json, t->status);
    else
        ps_json_null(json);
    ps_json_key(json, "signal");
    if (t->has_signal)
        ps_json_int(json, t->signal);
    else
        ps_json_null(json);
}

static void write_run(const struct timed_run *t, double cpus, struct ps_json *json)
{
    struct utilisation_verdict j;

    judge_utilisation(t, cpus, &j);
    ps_json_object(json);
    ps_json_key_int(json, "run", t->run);
    ps_json_key_str(json, "command", t->command);
    write_end(t, json);
    ps_json_key_str(json, "verdict", j.verdict);
    ps_json_key_str(json, "reason", j.reason);
    for (int i = 0; i < N_INPUTS; i++)
        ps_json_key_real(json, inputs[i].key, t->has_input[i] ? t->value[i] : NAN);
    ps_json_key_real(json, "real_resolution_s", t->resolution[REAL]);
    ps_json_key_real(json, "user_resolution_s", t->resolution[USER]);
    ps_json_key_real(json, "sys_resolution_s", t->resolution[SYS]);
    ps_json_key_real(json, "utilisation", j.is_known ? j.utilisation : NAN);
    ps_json_key_real(json, "utilisation_low", j.is_known ? j.low : NAN);
    ps_json_key_real(json, "utilisation_high", j.is_known ? j.high : NAN);
    ps_json_key_real(json, "cpus", j.is_known ? j.cpus : NAN); /* null if not given */
    ps_json_key_bool(json, "cpus_given", cpus > 0);
    write_rules(t, &j, json);
    ps_json_end(json);
}

static double scale_of(struct ps_str unit)
{
    return ps_str_eq_c(unit, "KiB") ? 1024 : 1;
}

static void read_input(struct timed_run *t, struct ps_stmt *stmt)
{
    struct ps_str name = ps_col_text(stmt, 2);

    if (!ps_col_is_null(stmt, 6)) {
        t->has_status = true;
        t->status = ps_col_int(stmt, 6);
    }
    if (!ps_col_is_null(stmt, 7)) {
        t->has_signal = true;
        t->signal = ps_col_int(stmt, 7);
    }
    for (int i = 0; i < N_INPUTS; i++) {
        if (!ps_str_eq_c(name, inputs[i].name))
            continue;
        t->has_input[i] = true;
        t->value[i] = ps_col_real(stmt, 3) * scale_of(ps_col_text(stmt, 4));
        t->resolution[i] = ps_col_real(stmt, 5);
    }
    if (ps_str_eq_c(name, "exit status")) {
        t->has_status = true;
        t->status = ps_col_int(stmt, 3);
    }
}

static enum ps_status write_runs(struct ps_stmt *stmt, double cpus, struct ps_json *json,
                                 struct ps_err *err)
{
    struct timed_run t = {.run = 0};
    int64_t runs = 0;

    while (ps_stmt_step(stmt, err)) {
        int64_t run = ps_col_int(stmt, 0);

        if (run != t.run) {
            if (t.run && runs++ < RUNS_MAX)
                write_run(&t, cpus, json);
            t = (struct timed_run){.run = run};
            (void)snprintf(t.command, sizeof t.command, "%.*s", (int)ps_col_text(stmt, 1).len,
                           ps_col_text(stmt, 1).ptr);
        }
        read_input(&t, stmt);
    }
    if (t.run && runs++ < RUNS_MAX)
        write_run(&t, cpus, json);
    ps_json_end(json);
    ps_json_key_int(json, "total", runs);
    return err->code;
}

enum ps_status ps_command_verdict_read(struct ps_db *db, struct ps_command_verdict *out,
                                       struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct timed_run t = {.run = 0};
    struct utilisation_verdict j;

    *out = (struct ps_command_verdict){.verdict = NULL};
    ps_db_prepare(db, ps_query_sql("timed"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t run = ps_col_int(stmt, 0);

        if (run != t.run && out->n_commands++)
            break;
        t.run = run;
        (void)snprintf(t.command, sizeof t.command, "%.*s", (int)ps_col_text(stmt, 1).len,
                       ps_col_text(stmt, 1).ptr);
        read_input(&t, stmt);
    }
    if (!t.run)
        return err->code;
    judge_utilisation(&t, 0, &j);
    out->verdict = j.verdict;
    out->real_s = t.has_input[REAL] ? t.value[REAL] : NAN;
    out->user_s = t.has_input[USER] ? t.value[USER] : NAN;
    out->system_s = t.has_input[SYS] ? t.value[SYS] : NAN;
    (void)snprintf(out->command, sizeof out->command, "%s", t.command);
    (void)snprintf(out->reason, sizeof out->reason, "%s", j.reason);
    return err->code;
}

enum ps_status ps_view_bound(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_json json = ps_json_writer(&answer->body);
    double cpus;

    (void)view, (void)id;
    ps_param_real(params, "cpus", 0, 100000, 0, &cpus, err);
    ps_db_prepare(db, ps_query_sql("timed"), &stmt, err);
    ps_json_object(&json);
    ps_json_key(&json, "runs");
    ps_json_array(&json);
    write_runs(stmt, cpus, &json, err);
    ps_json_end(&json);
    return err->code;
}
