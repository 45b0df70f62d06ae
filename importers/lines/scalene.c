/* SPDX-License-Identifier: MIT */
/*
 * scalene.c: reads the JSON file of Scalene: CPU time, memory, copying and GPU use of each line.
 *
 * Times of samples are nanoseconds since the start; MB are MiB. Scalene writes `{}` if the program
 * ran too briefly. Tested: Scalene 1.3 (2021) to 2.4. Stacks of CPU samples and the times of these
 * samples are skipped, with a note; stacks of allocations are read (scalene_stacks.h).
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/lines/scalene_stacks.h"
#include "importers/reading.h"
#include "importers/records/lines.h"
#include "importers/records/memory_curve.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/line_names.h"

enum { AWAITS_MAX = 4 };

struct reader {
    struct ps_sink *out;
    struct ps_arena arena; /* repaired strings; freed after each file */
    double *samples;       /* samples of the current line: pairs of seconds and MiB */
    size_t n_samples, cap_samples;
    uint32_t files, functions;
    uint64_t lines, records, repaired, rejected;
    uint64_t leaks; /* number of lines that leak */
    /* number of lists of samples without times, as the first versions wrote them */
    uint64_t timeless;
    uint64_t odd;       /* number of fields with a wrong type, which are skipped */
    uint64_t bad_pairs; /* number of samples that are not a pair of numbers */
    double cpu_pct;
    double own_threads_pct; /* samples of Scalene's own threads */
    struct ps_buf source;   /* the text of the current line */
    /* the lines that await most, in descending order; texts of the arena `awaits_text` */
    struct await {
        double pct;
        uint32_t line;
        struct ps_str source;
    } awaits[AWAITS_MAX];
    struct ps_arena awaits_text;
};

/*
 * Each source file has functions, whose values are the sums of their lines, and lines. Percentages
 * are relative to all samples of the program.
 */

enum { NOTES_MAX = 50 };

struct leak {
    uint32_t line;
    struct ps_num likelihood, velocity;
    bool is_written;
};

/* The sum of the samples of the lines of a function, by its first line. `function`: its id; 0: the
 * file does not list it. */
struct cpu_sum {
    uint32_t first_line, function;
    double python, native, system;
};

struct file {
    uint32_t id;
    struct leak *leaks;
    size_t n_leaks, cap_leaks;
    struct cpu_sum *sums; /* in order of the file; sorted before the functions are written */
    size_t n_sums, cap_sums;
};

/* Reads a number of an object; none if it is absent. A value of another type counts in r->odd. */
static struct ps_num number_of(struct reader *r, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (!item || cJSON_IsNull(item))
        return (struct ps_num){0};
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) {
        r->odd++;
        return (struct ps_num){0};
    }
    return ps_real(item->valuedouble);
}

/* Converts an integral double to an integer: counts in the file are integers. */
static struct ps_num to_integer(struct ps_num n)
{
    if (n.kind == PS_NUM_REAL && n.r == rint(n.r) && fabs(n.r) < 9e15)
        return ps_int((int64_t)n.r);
    return n;
}

static bool line_number(struct ps_num n, uint32_t *out)
{
    n = to_integer(n);
    if (n.kind != PS_NUM_INT || n.i < 0 || n.i > INT32_MAX)
        return false;
    *out = (uint32_t)n.i;
    return true;
}

/* Reads pairs of nanoseconds and MiB into r->samples, as seconds and MiB. */
static void read_samples(struct reader *r, const cJSON *list)
{
    const cJSON *pair;

    r->n_samples = 0;
    if (!cJSON_IsArray(list))
        return;
    if (cJSON_IsNumber(list->child)) {
        r->timeless++;
        return;
    }
    cJSON_ArrayForEach(pair, list)
    {
        const cJSON *t = pair->child, *mib = t ? t->next : NULL;

        if (!cJSON_IsArray(pair) || !cJSON_IsNumber(t) || !cJSON_IsNumber(mib) ||
            !isfinite(t->valuedouble) || !isfinite(mib->valuedouble)) {
            r->bad_pairs++;
            continue;
        }
        while (2 * r->n_samples + 2 > r->cap_samples) {
            r->cap_samples = r->cap_samples ? r->cap_samples * 2 : 256;
            r->samples = ps_grow(r->samples, r->cap_samples, sizeof *r->samples);
        }
        r->samples[2 * r->n_samples] = t->valuedouble / 1e9;
        r->samples[2 * r->n_samples++ + 1] = mib->valuedouble;
    }
}

static void read_metrics(struct reader *r, const cJSON *object, struct ps_line_metrics *out)
{
    const struct {
        const char *key;
        struct ps_num *value;
    } keys[] = {
        {"n_cpu_percent_python", &out->cpu_python_pct},
        {"n_cpu_percent_c", &out->cpu_native_pct},
        {"n_sys_percent", &out->cpu_system_pct},
        {"n_gpu_percent", &out->gpu_pct},
        {"n_gpu_avg_memory_mb", &out->gpu_avg_mib},
        {"n_gpu_peak_memory_mb", &out->gpu_peak_mib},
        {"n_avg_mb", &out->avg_mib},
        {"n_peak_mb", &out->peak_mib},
        {"n_malloc_mb", &out->malloc_mib},
        {"n_mallocs", &out->mallocs},
        {"n_growth_mb", &out->growth_mib},
        {"n_usage_fraction", &out->usage_fraction},
        {"n_python_fraction", &out->python_fraction},
        {"n_copy_mb_s", &out->copy_mib_s},
        {"n_core_utilization", &out->core_utilization},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        *keys[i].value = number_of(r, object, keys[i].key);
    out->mallocs = to_integer(out->mallocs);
}

/* --- Leaks --- */

static int by_line(const void *a, const void *b)
{
    const struct leak *x = a, *y = b;

    return x->line < y->line ? -1 : x->line > y->line;
}

/* Reads leaks by line number: {"12": {"likelihood": 0.98, "velocity_mb_s": 1.5}}. */
static void read_leaks(struct reader *r, struct file *f, const cJSON *leaks)
{
    const cJSON *item;

    if (!cJSON_IsObject(leaks))
        return;
    cJSON_ArrayForEach(item, leaks)
    {
        struct leak leak = {0};
        int64_t line;

        if (!cJSON_IsObject(item) || !ps_str_parse_i64(ps_str_from_c(item->string), &line) ||
            line < 0 || line > INT32_MAX) {
            r->odd++;
            continue;
        }
        leak.line = (uint32_t)line;
        leak.likelihood = number_of(r, item, "likelihood");
        leak.velocity = number_of(r, item, "velocity_mb_s");
        PS_RESERVE_ONE(f->leaks, f->n_leaks, f->cap_leaks);
        f->leaks[f->n_leaks++] = leak;
        r->leaks++;
    }
    if (f->n_leaks)
        qsort(f->leaks, f->n_leaks, sizeof *f->leaks, by_line);
}

static void add_leak(struct file *f, uint32_t line, struct ps_line_metrics *metrics)
{
    struct leak key = {.line = line}, *found;

    found = f->n_leaks ? bsearch(&key, f->leaks, f->n_leaks, sizeof key, by_line) : NULL;
    if (!found || found->is_written)
        return;
    found->is_written = true;
    metrics->leak_likelihood = found->likelihood;
    metrics->leak_mib_s = found->velocity;
}

/* Writes rows for leaks in lines that the profile does not list. */
static void write_leaks(struct reader *r, const struct file *f)
{
    for (size_t i = 0; i < f->n_leaks; i++) {
        struct ps_line_row row = {.file = f->id, .block = 1, .line = f->leaks[i].line};

        if (f->leaks[i].is_written)
            continue;
        row.metrics.leak_likelihood = f->leaks[i].likelihood;
        row.metrics.leak_mib_s = f->leaks[i].velocity;
        r->out->ops->line(r->out, &row);
    }
}

/* --- Functions and lines --- */

static void reject_file(struct reader *r, struct ps_str path, const char *what)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0, "%.*s: %s",
                     (int)ps_truncate_text(path, 200).len, path.ptr, what);
}

static void repair_line(struct reader *r, struct ps_str path, uint32_t line)
{
    if (r->repaired++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, PS_NOTE_NO_OFFSET, 0,
                     "%.*s: the source text of line %u contained invalid UTF-8 and was repaired",
                     (int)ps_truncate_text(path, 200).len, path.ptr, line);
}

static struct ps_str text_of(struct reader *r, const cJSON *object, const char *key, bool *mended)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    *mended = false;
    if (!cJSON_IsString(item))
        return (struct ps_str){NULL, 0};
    return ps_display_text(&r->arena, ps_str_from_c(item->valuestring), mended);
}

static bool open_row(struct reader *r, const struct file *f, const cJSON *item,
                     struct ps_line_row *row)
{
    *row = (struct ps_line_row){.file = f->id, .block = 1};
    if (!cJSON_IsObject(item) || !line_number(number_of(r, item, "lineno"), &row->line))
        return false;
    read_metrics(r, item, &row->metrics);
    read_samples(r, cJSON_GetObjectItemCaseSensitive(item, "memory_samples"));
    row->samples = r->samples;
    row->n_samples = (uint32_t)r->n_samples;
    return true;
}

/* --- Functions --- */

static int by_first_line(const void *a, const void *b)
{
    const struct cpu_sum *x = a, *y = b;

    return x->first_line < y->first_line ? -1 : x->first_line > y->first_line;
}

/* Adds up the samples of the lines of each function. */
static void sum_functions(struct file *f, const cJSON *item)
{
    size_t n = 0;

    for (; item; item = item->next) {
        struct cpu_sum sum = {0};

        if (!cJSON_IsObject(item) ||
            !line_number(ps_document_number(item, "start_function_line"), &sum.first_line) ||
            !sum.first_line)
            continue;
        sum.python = ps_num_to_real(ps_document_number(item, "n_cpu_percent_python"));
        sum.native = ps_num_to_real(ps_document_number(item, "n_cpu_percent_c"));
        sum.system = ps_num_to_real(ps_document_number(item, "n_sys_percent"));
        PS_RESERVE_ONE(f->sums, f->n_sums, f->cap_sums);
        f->sums[f->n_sums++] = sum;
    }
    if (f->n_sums)
        qsort(f->sums, f->n_sums, sizeof *f->sums, by_first_line);
    for (size_t i = 0; i < f->n_sums; i++) {
        if (!n || f->sums[n - 1].first_line != f->sums[i].first_line) {
            f->sums[n++] = f->sums[i];
            continue;
        }
        f->sums[n - 1].python += f->sums[i].python;
        f->sums[n - 1].native += f->sums[i].native;
        f->sums[n - 1].system += f->sums[i].system;
    }
    f->n_sums = n;
}

static struct cpu_sum *find_sum(const struct file *f, uint32_t first_line)
{
    struct cpu_sum key = {.first_line = first_line};

    return f->n_sums ? bsearch(&key, f->sums, f->n_sums, sizeof key, by_first_line) : NULL;
}

/* Scalene's own sum of a function lacks what it gave to the other lines of a loop. */
static void use_line_sums(const struct file *f, struct ps_line_row *row)
{
    struct cpu_sum *sum = find_sum(f, row->line);

    if (!sum)
        return;
    sum->function = row->function;
    row->metrics.cpu_python_pct = ps_real(sum->python);
    row->metrics.cpu_native_pct = ps_real(sum->native);
    row->metrics.cpu_system_pct = ps_real(sum->system);
}

static void write_function(struct reader *r, const struct file *f, const cJSON *item,
                           struct ps_str path)
{
    struct ps_line_function function = {.id = r->functions + 1, .file = f->id};
    struct ps_line_row row;
    bool mended;

    r->records++;
    if (!open_row(r, f, item, &row)) {
        reject_file(r, path, "a function has no line number");
        return;
    }
    function.name = text_of(r, item, "line", &mended);
    if (!function.name.ptr)
        function.name = PS_STR("");
    function.first_line = row.line;
    row.function = ++r->functions;
    row.is_function = true;
    use_line_sums(f, &row);
    r->out->ops->line_function(r->out, &function);
    r->out->ops->line(r->out, &row);
    if (mended)
        repair_line(r, path, row.line);
}

/* Scalene escapes `<` and `>` in the source before it writes JSON: "\\u003c" and "\\u003e" become
 * the characters again. */
static struct ps_str unescape_source(struct reader *r, struct ps_str text)
{
    static const char escape[] = "\\u003"; /* then c or e */
    const size_t n = sizeof escape - 1;

    if (!ps_str_find(text, ps_str_from_c(escape)))
        return text;
    r->source.len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool is_escape = text.len - i > n && memcmp(text.ptr + i, escape, n) == 0 &&
                         (text.ptr[i + n] == 'c' || text.ptr[i + n] == 'e');

        if (is_escape)
            i += n;
        ps_buf_puts(&r->source, is_escape && text.ptr[i] == 'c' ? "<" : is_escape ? ">" : "");
        ps_buf_add(&r->source, text.ptr + i, !is_escape);
    }
    return ps_buf_slice(&r->source);
}

/* Remembers a line that awaits, which has no share of the samples. */
static void add_await(struct reader *r, const cJSON *item, const struct ps_line_row *row)
{
    struct await await = {
        .pct = ps_num_to_real(ps_document_number(item, "n_async_await_percent")),
        .line = row->line,
        .source = row->source,
    };

    if (await.pct < 1 || await.pct <= r->awaits[AWAITS_MAX - 1].pct)
        return;
    while (await.source.len && (await.source.ptr[0] == ' ' || await.source.ptr[0] == '\t'))
        await.source = ps_str_skip(await.source, 1);
    await.source = ps_arena_copy(&r->awaits_text, ps_truncate_text(await.source, 60));
    for (size_t i = 0; i < AWAITS_MAX; i++)
        if (await.pct > r->awaits[i].pct) {
            struct await lower = r->awaits[i];

            r->awaits[i] = await;
            await = lower;
        }
}

static void note_awaits(struct reader *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf list = {0};

    for (size_t i = 0; i < AWAITS_MAX && r->awaits[i].pct > 0; i++)
        ps_buf_printf(&list, "%s%.1f %% to line %u, %.*s", i ? "; " : "", r->awaits[i].pct,
                      r->awaits[i].line, (int)r->awaits[i].source.len, r->awaits[i].source.ptr);
    if (list.len)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the samples do not show how long coroutines await. Of that time Scalene "
                     "gives %.*s",
                     (int)list.len, list.ptr);
}

/* Whether the line starts a thread in the module threading. With --profile-all, Scalene counts its
 * own threads here: those of the program are sampled at their own lines. */
static bool is_thread_start(struct ps_str path, struct ps_str source)
{
    return ps_str_eq_c(ps_base_name(path), "threading.py") &&
           ps_str_find(source, PS_STR("self._target("));
}

/* The id of the function that contains a line; 0: none, or one that the file does not list. */
static uint32_t function_of(const struct file *f, const cJSON *item)
{
    uint32_t first_line;
    struct cpu_sum *sum;

    if (!line_number(ps_document_number(item, "start_function_line"), &first_line))
        return 0;
    sum = find_sum(f, first_line);
    return sum ? sum->function : 0;
}

static void write_line(struct reader *r, struct file *f, const cJSON *item, struct ps_str path)
{
    struct ps_line_row row;
    bool mended;

    r->records++;
    if (!open_row(r, f, item, &row)) {
        reject_file(r, path, "a line has no number");
        return;
    }
    row.function = function_of(f, item);
    row.source = unescape_source(r, text_of(r, item, "line", &mended));
    while (row.source.len && (row.source.ptr[row.source.len - 1] == '\n' ||
                              row.source.ptr[row.source.len - 1] == '\r'))
        row.source.len--;
    add_leak(f, row.line, &row.metrics);
    add_await(r, item, &row);
    if (is_thread_start(path, row.source))
        r->own_threads_pct += ps_num_to_real(row.metrics.cpu_python_pct) +
                              ps_num_to_real(row.metrics.cpu_native_pct) +
                              ps_num_to_real(row.metrics.cpu_system_pct);
    r->out->ops->line(r->out, &row);
    r->lines++;
    if (mended)
        repair_line(r, path, row.line);
}

static const cJSON *list_of(struct reader *r, const cJSON *file, const char *key)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(file, key);

    if (list && !cJSON_IsNull(list) && !cJSON_IsArray(list))
        r->odd++;
    return cJSON_IsArray(list) ? list->child : NULL;
}

/* Reads one member of "files": its key is the path. */
static void read_source(struct reader *r, const cJSON *file)
{
    struct file f = {.id = r->files + 1};
    bool mended;
    struct ps_str path = ps_display_text(&r->arena, ps_str_from_c(file->string), &mended);
    struct ps_num cpu_pct = number_of(r, file, "percent_cpu_time");

    if (!cJSON_IsObject(file)) {
        r->records++;
        reject_file(r, path, "the entry of a file is not a JSON object");
        return;
    }
    r->files++;
    r->cpu_pct += ps_num_to_real(cpu_pct);
    r->out->ops->line_file(r->out, &(struct ps_line_file){
                                       .id = f.id,
                                       .path = path,
                                       .origin = ps_line_origin(path),
                                       .cpu_pct = cpu_pct,
                                   });
    read_leaks(r, &f, cJSON_GetObjectItemCaseSensitive(file, "leaks"));
    sum_functions(&f, cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(file, "lines"), 0));
    for (const cJSON *item = list_of(r, file, "functions"); item && ps_sink_ok(r->out);
         item = item->next)
        write_function(r, &f, item, path);
    for (const cJSON *item = list_of(r, file, "lines"); item && ps_sink_ok(r->out);
         item = item->next)
        write_line(r, &f, item, path);
    write_leaks(r, &f);
    free(f.leaks);
    free(f.sums);
    ps_arena_free(&r->arena);
}

enum {
    FILE_BYTES_MAX = 256 << 20, /* bytes */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_empty_object(struct ps_str text)
{
    char found[2];
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (is_blank(text.ptr[i]))
            continue;
        if (n == 2)
            return false;
        found[n++] = text.ptr[i];
    }
    return n == 2 && found[0] == '{' && found[1] == '}';
}

static enum ps_status refuse_empty(struct ps_err *err)
{
    return ps_fail(err, PS_BAD_INPUT,
                   "the Scalene profile is empty: the program ran for too short a time" PS_HINT
                   "record a longer run, or sample more often with --cpu-sampling-rate");
}

/* --- Reporting --- */

static void write_footprint(struct reader *r, const cJSON *root)
{
    read_samples(r, cJSON_GetObjectItemCaseSensitive(root, "samples"));
    for (size_t i = 0; i < r->n_samples; i++)
        r->out->ops->memory(r->out, &(struct ps_memory_sample){
                                        .t_s = r->samples[2 * i],
                                        .kind = "footprint",
                                        .mib = ps_real(r->samples[2 * i + 1]),
                                    });
}

static void write_title(struct reader *r, const cJSON *root)
{
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(root, "program");
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(root, "files");
    const char *path = cJSON_IsString(program) ? program->valuestring
                       : files && files->child ? files->child->string
                                               : NULL;
    bool mended;

    if (path && *path)
        ps_sink_meta(r->out, "title",
                     ps_base_name(ps_display_text(&r->arena, ps_str_from_c(path), &mended)));
}

static void write_notes(struct reader *r, const cJSON *root)
{
    static const char *const aside[] = {"stacks", "combined_stacks", "combined_stacks_timeline"};

    note_awaits(r);
    if (r->own_threads_pct > 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "%.1f %% of the samples are those of Scalene's own threads, which "
                     "`--profile-all` counts in threading.py; the program is the rest",
                     r->own_threads_pct);
    if (r->lines == 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the profile contains no lines");
    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++) {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, aside[i]);

        if (cJSON_IsArray(list) && list->child)
            ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                         "perfshelf does not read \"%s\"", aside[i]);
    }
    ps_sink_count(r->out, PS_NOTE_WARNING, r->timeless,
                  "lists of memory samples skipped because they have no times");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->bad_pairs,
                  "memory samples skipped because they are not a time and a size");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->odd, "fields skipped because their type is wrong");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > 50 ? r->rejected - 50 : 0,
                  "more functions and lines that cannot be read");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->repaired > 50 ? r->repaired - 50 : 0,
                  "more functions and lines with repaired text");
}

static double write_summary(struct reader *r, const cJSON *root)
{
    struct ps_num elapsed = number_of(r, root, "elapsed_time_sec");
    const struct {
        const char *key;
        struct ps_num value;
    } metrics[] = {
        {"elapsed_s", elapsed},
        {"files", ps_int(r->files)},
        {"lines", ps_int((int64_t)r->lines)},
        {"functions", ps_int(r->functions)},
        {"peak_mib", number_of(r, root, "max_footprint_mb")},
        {"growth_rate", number_of(r, root, "growth_rate")},
        {"alloc_samples", number_of(r, root, "alloc_samples")},
        {"gpu", ps_int(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "gpu")))},
        {"cpu_pct", ps_real(r->cpu_pct)},
    };

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        r->out->ops->number(r->out, metrics[i].key, metrics[i].value);
    if (ps_num_to_real(number_of(r, root, "max_footprint_mb")) > 0)
        r->out->ops->number(r->out, "leaks", ps_int((int64_t)r->leaks));
    return ps_num_to_real(elapsed);
}

static bool write_files(struct reader *r, const cJSON *root, size_t size)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(root, "files"), *file;

    if (!cJSON_IsObject(files))
        return true;
    cJSON_ArrayForEach(file, files)
    {
        read_source(r, file);
        if (!r->out->ops->progress(r->out, size, size, r->records) || !ps_sink_ok(r->out))
            return false;
    }
    return true;
}

static enum ps_status write_all(struct reader *r, const cJSON *root, size_t size,
                                struct ps_err *err)
{
    struct ps_ledger ledger = {.unit = "lines and functions"};
    struct ps_scalene_stacks stacks;
    double elapsed;

    if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(root, "files")))
        return ps_fail(err, PS_BAD_INPUT,
                       "the profile has no \"files\"" PS_HINT
                       "the document was changed; add the original file that Scalene wrote");
    ps_sink_meta(r->out, "tool", PS_STR("Scalene"));
    write_title(r, root);
    if (!write_files(r, root, size))
        return ps_fail(err, PS_CANCELLED, "the import was cancelled");
    write_footprint(r, root);
    elapsed = write_summary(r, root);
    write_notes(r, root);
    if (ps_scalene_write_stacks(r->out, cJSON_GetObjectItemCaseSensitive(root, "memory_stacks"),
                                &stacks, err) != PS_OK)
        return err->code;
    if (stacks.n_read) {
        ledger.unit = "lines, functions and memory stacks";
        r->out->ops->number(r->out, "allocated_mib", ps_real((double)stacks.bytes / 1048576));
    }
    r->records += stacks.n_read;
    r->rejected += stacks.n_rejected;
    ledger.read = r->records;
    ledger.repaired = r->repaired;
    ledger.rejected = r->rejected;
    ledger.stored = ledger.read - ledger.repaired - ledger.rejected;
    r->out->ops->ledger(r->out, &ledger);
    r->out->ops->headline(r->out, &(struct ps_headline){elapsed, "s", "elapsed"});
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.out = out};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "document", &bytes, out, err);
    size_t size = bytes.len;
    cJSON *root;

    if (status != PS_OK)
        return status;
    if (size == 0 || is_empty_object(ps_buf_slice(&bytes)))
        return refuse_empty(err);
    root = ps_document_parse(&bytes, err);
    if (!root)
        return err->code;
    status = write_all(&r, root, size, err);
    cJSON_Delete(root);
    free(r.samples);
    ps_buf_free(&r.source);
    ps_arena_free(&r.awaits_text);
    ps_arena_free(&r.arena);
    return status;
}

/* Recognises the file by "elapsed_time_sec", which every version writes near the start. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_str body = head;

    while (body.len && is_blank(body.ptr[0]))
        body = ps_str_skip(body, 1);
    if (!ps_str_starts_with(body, PS_STR("{")))
        return PS_MATCH_NO;
    if (head.len < 64 && is_empty_object(head))
        return PS_MATCH_SURE;
    body = ps_str_skip(body, 1);
    while (body.len && is_blank(body.ptr[0]))
        body = ps_str_skip(body, 1);
    if (!ps_str_starts_with(body, PS_STR("\"")))
        return PS_MATCH_NO;
    return ps_str_find(body, PS_STR("\"elapsed_time_sec\"")) ||
                   ps_str_starts_with(body, PS_STR("\"alloc_samples\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_scalene = {
    .kind = "scalene",
    .label = "Scalene profile",
    .description = "Python, native, system and GPU time, memory and copying of each line (JSON)",
    .record_command = "scalene run --json --outfile app.json app.py",
    .sniff = sniff,
    .load = load,
};
