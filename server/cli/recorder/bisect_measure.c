/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/recorder/bisect_measure.h"

#include "base/quoted_command.h"
#include "server/cli/cli.h"
#include "server/cli/client/remote_import.h"
#include "server/cli/commands/comparison.h"
#include "server/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUBJECT      "bisect"
#define OWN_TAGS     2 /* commit, bisect */
#define ROWS_OFFERED 8 /* names of rows in a message */

/* --- What a command used --- */

static double wall_of(const struct ps_child_usage *usage)
{
    return (double)usage->real_ns * 1e-9;
}

static double user_of(const struct ps_child_usage *usage)
{
    return (double)usage->user_us * 1e-6;
}

static double system_of(const struct ps_child_usage *usage)
{
    return (double)usage->system_us * 1e-6;
}

static double cpu_of(const struct ps_child_usage *usage)
{
    return (double)(usage->user_us + usage->system_us) * 1e-6;
}

static double memory_of(const struct ps_child_usage *usage)
{
    return (double)usage->max_rss_kib;
}

static const struct number {
    const char *row;
    double (*value)(const struct ps_child_usage *usage);
    const char *unit;
} numbers[] = {{"wall", wall_of, "s"},
               {"user", user_of, "s"},
               {"system", system_of, "s"},
               {"cpu", cpu_of, "s"},
               {"memory", memory_of, "KiB"}};

static const struct number *find_number(const char *row)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].row, row) == 0)
            return &numbers[i];
    return NULL;
}

enum ps_status ps_bisect_check_row(const char *row, struct ps_err *err)
{
    if (find_number(row))
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "'%s' is no number of a command" PS_HINT
                   "write wall, user, system, cpu or memory; or name with --file what the command "
                   "writes",
                   row);
}

/* --- Interrupts and folders --- */

enum ps_status ps_bisect_check_interrupt(struct ps_err *err)
{
    if (ps_child_interrupted() || ps_progress_interrupted())
        return ps_fail(err, PS_CANCELLED, "interrupted");
    return err->code;
}

/* The folder of a side is the current one until leave. A commit may lack it. */
static bool enter(struct ps_bisect_side *side)
{
    if (chdir(side->folder) == 0)
        return true;
    (void)snprintf(side->why, sizeof side->why, "it has no such folder");
    return false;
}

static enum ps_status leave(const struct ps_bisect_measure *m, struct ps_err *err)
{
    return fchdir(m->home) == 0 ? err->code
                                : ps_fail_errno(err, "cannot enter", "the folder of the start");
}

/* --- Build --- */

static void fail_exit(struct ps_bisect_side *side, const char *what, int status)
{
    if (status > 128)
        (void)snprintf(side->why, sizeof side->why, "%s was killed by signal %d", what,
                       status - 128);
    else
        (void)snprintf(side->why, sizeof side->why, "%s exited with status %d", what, status);
}

static enum ps_status build(struct ps_bisect_measure *m, struct ps_bisect_side *side,
                            struct ps_err *err)
{
    const struct ps_options *options = m->options;
    PS_AUTO(ps_words_free) struct ps_words words = {0};
    int status = 0;
    if (!options->build)
        return PS_OK;
    if (ps_split_command(options->build, &side->arena, &words, err) != PS_OK)
        return err->code;
    PS_AUTO(ps_free_ptr) char *program = ps_find_program(words.items[0]);
    if (!program || access(program, X_OK) != 0) {
        (void)snprintf(side->why, sizeof side->why, "the program '%.100s' of --build is missing",
                       words.items[0]);
        return PS_OK;
    }
    const struct ps_child child = {.path = program,
                                   .argv = ps_words_end(&words),
                                   .import_log = -1,
                                   .no_input = true,
                                   .drops_output = !options->show_output,
                                   .out_to_stderr = options->show_output};
    if (ps_child_run(&child, &status, err) == PS_OK && status != 0)
        fail_exit(side, "the build", status);
    return ps_bisect_check_interrupt(err);
}

/* --- Preparation --- */

/* The tags of the user, then those of the bisection. */
static void label_runs(const struct ps_bisect_measure *m, struct ps_bisect_side *side)
{
    const struct ps_options *options = m->options;
    struct ps_tag *tags = ps_arena_alloc(&side->arena, (options->n_tags + OWN_TAGS) * sizeof *tags);
    if (options->n_tags)
        memcpy(tags, options->tags, options->n_tags * sizeof *tags);
    side->options = *options;
    side->options.tags = tags;
    side->options.n_tags = options->n_tags;
    tags[side->options.n_tags++] = (struct ps_tag){"commit", side->commit};
    tags[side->options.n_tags++] = (struct ps_tag){"bisect", m->id};
    side->options.series = m->series;
    side->options.repeat = side->options.output = NULL;
}

/* A failure that belongs to the commit, such as a program that it lacks. */
static void keep_reason(struct ps_bisect_side *side, const struct ps_err *own)
{
    (void)snprintf(side->why, sizeof side->why, "%.230s", own->text);
}

static void run_once(struct ps_bisect_measure *m, struct ps_bisect_side *side, struct ps_err *err)
{
    struct ps_recording *recording = &side->recording;
    struct ps_err own = PS_ERR_INIT;
    int status = 0;
    if (m->options->file && unlink(m->options->file) != 0 && errno != ENOENT)
        ps_fail_errno(err, "cannot remove", m->options->file);
    if (err->code != PS_OK)
        return;
    if (ps_recording_run(recording, true, &status, &own) != PS_OK)
        keep_reason(side, &own);
    else if (status != 0)
        fail_exit(side, "the command", status);
    ps_bisect_check_interrupt(err);
}

static void prepare_recording(struct ps_bisect_measure *m, struct ps_bisect_side *side,
                              struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    side->recording = (struct ps_recording){
        .options = &side->options,
        .recorder_name = "time",
        .words = m->words,
        .n_words = m->n_words,
        .timed = m->series,
        .in_series = true,
        .no_input = true,
        .drops_output = !m->options->show_output,
        .out_to_stderr = m->options->show_output,
    };
    if (ps_recording_prepare(&side->recording, &own) != PS_OK)
        keep_reason(side, &own);
    else if (ps_recording_open(&side->recording, err) == PS_OK)
        for (int64_t i = 0; i < m->n_warmup && !side->why[0] && err->code == PS_OK; i++)
            run_once(m, side, err);
}

enum ps_status ps_bisect_side_prepare(struct ps_bisect_measure *m, struct ps_bisect_side *side,
                                      const char *commit, struct ps_err *err)
{
    ps_bisect_side_close(side);
    side->commit = commit;
    label_runs(m, side);
    if (enter(side)) {
        if (build(m, side, err) == PS_OK && !side->why[0])
            prepare_recording(m, side, err);
        leave(m, err);
    }
    return err->code;
}

void ps_bisect_side_close(struct ps_bisect_side *side)
{
    struct ps_err note = PS_ERR_INIT;
    if (ps_recording_close(&side->recording, &note) != PS_OK)
        ps_print_note(SUBJECT, &note);
    ps_recording_free(&side->recording);
    ps_arena_free(&side->arena);
    *side = (struct ps_bisect_side){.name = side->name, .folder = side->folder};
}

/* --- Rows of a file --- */

/* Says which rows there are. */
static void fail_row(const struct ps_bisect_measure *m, struct ps_bisect_side *side,
                     const cJSON *page)
{
    PS_AUTO(ps_buf_free) struct ps_buf names = {0};
    const int n = ps_count_rows(page);
    for (int i = 0; i < n && i < ROWS_OFFERED; i++)
        ps_buf_printf(&names, "%s%.60s", i ? ", " : "", ps_cell_text(page, i, "name"));
    (void)snprintf(side->why, sizeof side->why, "%.60s has no row '%.40s'; it has %.110s",
                   m->options->file, m->row, n ? names.ptr : "none");
}

/* Reads the value of the row in a run, and its unit. */
static enum ps_status read_value(struct ps_bisect_measure *m, struct ps_bisect_side *side,
                                 const char *id, double *value, struct ps_err *err)
{
    PS_AUTO(ps_cli_comparison_close)
    struct ps_cli_comparison compared = {.client = m->client, .new_runs = id};
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    if (ps_cli_compare(&compared, err) != PS_OK)
        return err->code;
    const cJSON *table = cJSON_GetArrayItem(ps_member(compared.response, "tables"), 0);
    const cJSON *metric = cJSON_GetArrayItem(ps_member(table, "metrics"), 0);
    if (!metric) {
        (void)snprintf(side->why, sizeof side->why, "%.100s has no rows", m->options->file);
        return PS_OK;
    }
    if (ps_cli_read_rows(&compared, table, metric, m->row, 1, &page, err) != PS_OK)
        return err->code;
    if (ps_count_rows(page) == 0) {
        PS_AUTO(ps_json_free) cJSON *all = NULL;
        if (ps_cli_read_rows(&compared, table, metric, NULL, ROWS_OFFERED, &all, err) == PS_OK)
            fail_row(m, side, all);
        return err->code;
    }
    *value = ps_cell_number(page, 0, "median");
    (void)snprintf(m->unit, sizeof m->unit, "%.60s", ps_text_row_unit(table, metric, page, 0));
    return PS_OK;
}

/* --- Pairs --- */

/* A run with the same bytes is measured as well. */
static int accept_known(void *user, const char *path, const char *id, char **name)
{
    (void)user, (void)path, (void)id, (void)name;
    return 0;
}

/* Adds the file that the command wrote. False: the reason is in side->why. */
static bool add_file(struct ps_bisect_measure *m, struct ps_bisect_side *side,
                     struct ps_imported_runs *runs)
{
    const char *path = m->options->file, *slash = strrchr(path, '/');
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct ps_label label = side->recording.label;
    struct stat about;
    if (fd < 0 || fstat(fd, &about) != 0) {
        (void)snprintf(side->why, sizeof side->why, "the command did not write %.150s", path);
        return false;
    }
    label.tags = side->recording.tags.tags;
    label.n_tags = side->recording.tags.n;
    const struct ps_import_profile profile = {.fd = fd,
                                              .path = path,
                                              .filename = slash ? slash + 1 : path,
                                              .provenance = {path, NULL, about.st_mtim}};
    if (ps_client_import(m->client, &label, &profile, false, runs) == 0 && runs->n)
        return true;
    (void)snprintf(side->why, sizeof side->why, "%.150s could not be added", path);
    return false;
}

/* Adds the last run of a side, and reads its value. */
static enum ps_status add_run(struct ps_bisect_measure *m, struct ps_bisect_side *side,
                              int64_t pair, bool is_first, double *value, struct ps_err *err)
{
    struct ps_imported_runs runs = {.is_quiet = true, .label_known = accept_known};
    struct ps_recording *recording = &side->recording;
    const size_t n_tags = recording->tags.n;
    ps_record_tags_set(&recording->tags, "ab",
                       ps_arena_printf(&side->arena, "%s-%u", m->id, m->n_set));
    ps_record_tags_set(&recording->tags, "pair",
                       ps_arena_printf(&side->arena, "%" PRId64, pair + 1));
    ps_record_tags_set(&recording->tags, "order", is_first ? "first" : "second");
    if (m->options->file) {
        if (add_file(m, side, &runs))
            read_value(m, side, runs.id, value, err);
    } else if (ps_recording_add(recording, m->client, &runs) != 0 || !runs.n) {
        ps_fail(err, PS_IO, "a run could not be added");
    } else {
        const struct number *number = find_number(m->row);
        *value = number->value(&recording->usage);
        (void)snprintf(m->unit, sizeof m->unit, "%s", number->unit);
    }
    recording->tags.n = n_tags;
    if (err->code == PS_OK && !side->why[0] && !(*value > 0 && isfinite(*value)))
        (void)snprintf(side->why, sizeof side->why, "%.100s is no number above 0", m->row);
    return err->code;
}

/* Runs a side, or adds its run. */
static void step(struct ps_bisect_measure *m, struct ps_bisect_side *side, bool runs, bool adds,
                 int64_t pair, bool is_first, double *value, struct ps_err *err)
{
    if (err->code != PS_OK || side->why[0] || !enter(side))
        return;
    if (runs)
        run_once(m, side, err);
    if (adds && err->code == PS_OK && !side->why[0])
        add_run(m, side, pair, is_first, value, err);
    leave(m, err);
}

enum ps_status ps_bisect_pair(struct ps_bisect_measure *m, struct ps_bisect_side sides[2],
                              int64_t pair, double values[2], struct ps_err *err)
{
    const int first = ps_pair_order_is_base_first(&m->order, pair) ? 0 : 1;
    /* a file is read before the other side may overwrite it; else both sides run first, one
     * directly after the other */
    const bool adds_at_once = m->options->file != NULL;
    for (int i = 0; i < 2; i++) {
        const int k = i ? !first : first;
        step(m, &sides[k], true, adds_at_once, pair, i == 0, &values[k], err);
        if (sides[k].why[0])
            return err->code;
    }
    for (int k = 0; k < 2 && !adds_at_once; k++)
        step(m, &sides[k], false, true, pair, k == first, &values[k], err);
    return err->code;
}
