/* SPDX-License-Identifier: MIT */
/* overview.c: the view overview, the first page of a trace: devices, steps, gaps, and the operators
 * and kernels with the greatest times. */
#include "server/query/trace/utilisation/overview.h"

#include "server/query/trace/chosen_steps.h"
#include "server/query/trace/recording.h"
#include "slices/kernel_names.h"

/* Maximum number of steps to list, more than a picture can show. Means include all counted
 * steps. */
#define STEPS_MAX 1000

/* --- Steps of the file --- */

void ps_json_part_rows(struct ps_stmt *stmt, int first, int64_t of, bool *has_row,
                       struct ps_json *json, struct ps_err *err)
{
    ps_json_object(json);
    for (int definition = 0; definition < PS_N_BREAKDOWNS; definition++) {
        ps_json_key(json, ps_breakdown_words[definition]);
        ps_json_array(json);
        while (*has_row && (first == 0 || ps_col_int(stmt, 0) == of) &&
               ps_col_int(stmt, first) == definition) {
            ps_row_write_array(stmt, first + 1, json);
            *has_row = ps_stmt_step(stmt, err);
        }
        ps_json_end(json);
    }
    ps_json_end(json);
}

static enum ps_status write_total(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_step_count"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        ps_json_key_int(json, "steps_total", ps_col_int(stmt, 0));
    return err->code;
}

static enum ps_status write_steps(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *steps = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *parts = NULL;
    bool has_row;

    ps_db_prepare(db, ps_query_sql("trace_step_list"), &steps, err);
    ps_db_prepare(db, ps_query_sql("trace_step_parts"), &parts, err);
    ps_bind_int(steps, ":limit", STEPS_MAX);
    has_row = ps_stmt_step(parts, err);
    ps_json_key(json, "steps");
    ps_json_array(json);
    while (ps_stmt_step(steps, err)) {
        ps_json_object(json);
        ps_row_write_members(steps, 0, json);
        ps_json_key(json, "parts");
        ps_json_part_rows(parts, 1, ps_col_int(steps, 0), &has_row, json, err);
        ps_json_end(json);
    }
    ps_json_end(json);
    return write_total(db, json, err);
}

static enum ps_status write_means(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool has_row;

    ps_db_prepare(db, ps_query_sql("trace_step_means"), &stmt, err);
    has_row = ps_stmt_step(stmt, err);
    ps_json_key(json, "mean");
    ps_json_part_rows(stmt, 0, 0, &has_row, json, err);
    return err->code;
}

/* --- Chosen steps --- */

static void write_parts(const struct ps_part *parts, size_t n, double divisor, struct ps_json *json)
{
    ps_json_array(json);
    for (size_t i = 0; i < n; i++) {
        ps_json_array(json);
        ps_json_str(json, ps_str_from_c(parts[i].name));
        ps_json_real(json, (double)parts[i].ns / divisor);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* Writes the parts of a step, and adds them to those of all steps. */
static void write_step_parts(const struct ps_range_sums *sums, const struct ps_chosen_step *step,
                             struct ps_part all[PS_N_BREAKDOWNS][PS_PARTS_MAX],
                             size_t n_parts[PS_N_BREAKDOWNS], struct ps_json *json)
{
    const struct ps_worker_sums *worker = &sums->workers[step->worker];

    ps_json_key(json, "parts");
    ps_json_object(json);
    for (unsigned definition = 0; definition < PS_N_BREAKDOWNS; definition++) {
        struct ps_part parts[PS_PARTS_MAX];
        const size_t n =
            definition == PS_BREAKDOWN_TENSORBOARD || sums->has_streams
                ? ps_breakdown_compute(definition, worker->roles, &worker->communication,
                                       step->time.start, step->time.end, parts)
                : 0;

        for (size_t i = 0; i < n; i++)
            all[definition][i] = (struct ps_part){
                parts[i].name, ps_add_saturated(all[definition][i].ns, parts[i].ns)};
        n_parts[definition] = n;
        ps_json_key(json, ps_breakdown_words[definition]);
        write_parts(parts, n, 1, json);
    }
    ps_json_end(json);
}

static void write_step(struct ps_db *db, const struct ps_chosen_step *step, size_t id,
                       struct ps_json *json)
{
    ps_json_key_int(json, "id", (int64_t)id);
    ps_json_key(json, "name");
    ps_json_str(json, ps_trace_text(db, step->name));
    ps_json_key_int(json, "worker", step->worker);
    ps_json_key_int(json, "start_ns", step->time.start);
    ps_json_key_int(json, "end_ns", step->time.end);
    ps_json_key_int(json, "counted", 1);
}

/* Writes the keys steps, steps_total and mean for the ranges of a name. */
static enum ps_status write_chosen(struct ps_db *db, const char *name, struct ps_json *json,
                                   struct ps_err *err)
{
    PS_AUTO(ps_track_owners_free) struct ps_track_owners owners = {0};
    PS_AUTO(ps_chosen_steps_free) struct ps_chosen_steps steps = {.n = 0};
    PS_AUTO(ps_range_sums_free) struct ps_range_sums sums = {0};
    struct ps_part all[PS_N_BREAKDOWNS][PS_PARTS_MAX] = {{{NULL, 0}}};
    size_t n_parts[PS_N_BREAKDOWNS] = {0};
    struct ps_range span = {0, 0};
    struct ps_buf left_out = {0};
    struct ps_json ignored = ps_json_writer(&left_out);

    ps_track_owners_read(db, &owners, err);
    ps_chosen_steps_read(db, &owners, name, &steps, err);
    ps_trace_span(db, &span, err);
    sums.from_ns = span.from_ns;
    sums.to_ns = span.to_ns;
    if (err->code != PS_OK || ps_range_sums_read(db, &sums, err) != PS_OK)
        return err->code;
    ps_json_key(json, "steps");
    ps_json_array(json);
    for (size_t i = 0; i < steps.n; i++) {
        struct ps_json *to = i < STEPS_MAX ? json : &ignored;

        if (steps.items[i].worker >= sums.n_workers)
            continue; /* a worker without tracks has no work either */
        left_out.len = 0;
        ps_json_object(to);
        write_step(db, &steps.items[i], i + 1, to);
        write_step_parts(&sums, &steps.items[i], all, n_parts, to);
        ps_json_end(to);
    }
    ps_buf_free(&left_out);
    ps_json_end(json);
    ps_json_key_int(json, "steps_total", (int64_t)steps.n);
    ps_json_key(json, "mean");
    ps_json_object(json);
    for (unsigned definition = 0; definition < PS_N_BREAKDOWNS; definition++) {
        ps_json_key(json, ps_breakdown_words[definition]);
        write_parts(all[definition], n_parts[definition], (double)steps.n, json);
    }
    ps_json_end(json);
    return err->code;
}

/* --- Other parts of the page --- */

static enum ps_status write_gaps(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t count = 0, total = 0;
    bool of_devices = false;

    ps_db_prepare(db, ps_query_sql("trace_gap_sums"), &stmt, err);
    ps_json_key(json, "gaps");
    ps_json_object(json);
    ps_json_key(json, "by_cause");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        of_devices = ps_col_int(stmt, 0) != 0;
        ps_row_write_array(stmt, 1, json);
        total += ps_col_int(stmt, 2);
        count += ps_col_int(stmt, 3);
    }
    ps_json_end(json);
    ps_json_key_str(json, "of", of_devices ? "device" : "stream");
    ps_json_key_int(json, "count", count);
    ps_json_key_int(json, "total_ns", total);
    ps_query_write_rows(db, "longest", "trace_longest_gaps", ps_row_write_object, json, err);
    ps_json_end(json);
    return err->code;
}

/* Writes the key tensor_cores: times of kernels by whether they use Tensor Cores. */
static enum ps_status write_tensor_cores(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t kernel = 0, known = 0, used = 0;

    ps_db_prepare(db, ps_query_sql("trace_kernel_times"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        enum ps_tensor_cores use = ps_kernel_tensor_cores(ps_col_text(stmt, 0));
        int64_t ns = ps_col_int(stmt, 1);

        kernel = ps_add_saturated(kernel, ns);
        known = ps_add_saturated(known, use != PS_TENSOR_CORES_UNKNOWN ? ns : 0);
        used = ps_add_saturated(used, use == PS_TENSOR_CORES_USED ? ns : 0);
    }
    ps_json_key(json, "tensor_cores");
    ps_json_object(json);
    ps_json_key_int(json, "kernel_ns", kernel);
    ps_json_key_int(json, "known_ns", known);
    ps_json_key_int(json, "used_ns", used);
    ps_json_end(json);
    return err->code;
}

/* Writes the keys devices, top and headers. */
static enum ps_status write_arrays(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    ps_query_write_rows(db, "devices", "trace_devices", ps_row_write_object, json, err);
    ps_json_key(json, "top");
    ps_json_object(json);
    ps_query_write_rows(db, "operators", "trace_top_operators", ps_row_write_object, json, err);
    ps_query_write_rows(db, "kernels", "trace_top_kernels", ps_row_write_object, json, err);
    ps_json_end(json);
    return ps_query_write_rows(db, "headers", "trace_headers", ps_row_write_array, json, err);
}

enum ps_status ps_view_overview(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    const char *step = ps_param_get(params, "step");

    (void)view, (void)id;
    ps_json_object(&json);
    if (step && *step) {
        write_chosen(db, step, &json, err);
    } else {
        write_steps(db, &json, err);
        write_means(db, &json, err);
    }
    write_gaps(db, &json, err);
    write_tensor_cores(db, &json, err);
    write_arrays(db, &json, err);
    ps_json_end(&json);
    return err->code;
}
