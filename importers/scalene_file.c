/* SPDX-License-Identifier: MIT */
/*
 * scalene_file.c: one file of a Scalene profile: its functions, each a sum of its lines, and the
 * lines themselves. Percentages are of all samples of the program.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/clean.h"
#include "importers/line_names.h"
#include "importers/scalene.h"

enum { TOLD = 50 };

struct leak {
    uint32_t line;
    struct ps_num likelihood, velocity;
    bool told;
};

struct file {
    uint32_t id;
    struct leak *leaks;
    size_t n_leaks, cap_leaks;
};

struct ps_num ps_sc_number(struct ps_sc_reader *r, const cJSON *object, const char *key)
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

/* Counts are whole numbers in the file. */
static struct ps_num whole(struct ps_num n)
{
    if (n.kind == PS_NUM_REAL && n.r == rint(n.r) && fabs(n.r) < 9e15)
        return ps_int((int64_t)n.r);
    return n;
}

static bool line_number(struct ps_num n, uint32_t *out)
{
    n = whole(n);
    if (n.kind != PS_NUM_INT || n.i < 0 || n.i > INT32_MAX)
        return false;
    *out = (uint32_t)n.i;
    return true;
}

void ps_sc_samples(struct ps_sc_reader *r, const cJSON *list)
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

static void read_figures(struct ps_sc_reader *r, const cJSON *object, struct ps_line_figures *out)
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
        *keys[i].value = ps_sc_number(r, object, keys[i].key);
    out->mallocs = whole(out->mallocs);
}

/* ------------------------------------------------------------------ leaks */

static int by_line(const void *a, const void *b)
{
    const struct leak *x = a, *y = b;

    return x->line < y->line ? -1 : x->line > y->line;
}

/* {"12": {"likelihood": 0.98, "velocity_mb_s": 1.5}} */
static void read_leaks(struct ps_sc_reader *r, struct file *f, const cJSON *leaks)
{
    const cJSON *item;

    if (!cJSON_IsObject(leaks))
        return;
    cJSON_ArrayForEach(item, leaks)
    {
        struct leak leak = {0};
        int64_t line;

        if (!cJSON_IsObject(item) || !ps_str_i64(ps_str_of(item->string), &line) || line < 0 ||
            line > INT32_MAX) {
            r->odd++;
            continue;
        }
        leak.line = (uint32_t)line;
        leak.likelihood = ps_sc_number(r, item, "likelihood");
        leak.velocity = ps_sc_number(r, item, "velocity_mb_s");
        PS_PUSH_ROOM(f->leaks, f->n_leaks, f->cap_leaks);
        f->leaks[f->n_leaks++] = leak;
    }
    if (f->n_leaks)
        qsort(f->leaks, f->n_leaks, sizeof *f->leaks, by_line);
}

static void add_leak(struct file *f, uint32_t line, struct ps_line_figures *figures)
{
    struct leak key = {.line = line}, *found;

    found = f->n_leaks ? bsearch(&key, f->leaks, f->n_leaks, sizeof key, by_line) : NULL;
    if (!found || found->told)
        return;
    found->told = true;
    figures->leak_likelihood = found->likelihood;
    figures->leak_mib_s = found->velocity;
}

/* Leaks of lines that the profile does not list. */
static void tell_leaks(struct ps_sc_reader *r, const struct file *f)
{
    for (size_t i = 0; i < f->n_leaks; i++) {
        struct ps_line_row row = {.file = f->id, .block = 1, .line = f->leaks[i].line};

        if (f->leaks[i].told)
            continue;
        row.figures.leak_likelihood = f->leaks[i].likelihood;
        row.figures.leak_mib_s = f->leaks[i].velocity;
        r->out->ops->line(r->out, &row);
    }
}

/* ------------------------------------------------------------------ functions and lines */

static void reject(struct ps_sc_reader *r, struct ps_str path, const char *what)
{
    if (r->rejected++ < TOLD)
        ps_sink_note(r->out, PS_NOTE_REJECTED, PS_NOTE_NO_AT, 0, "%.*s: %s",
                     (int)ps_text_head(path, 200).len, path.at, what);
}

static void repair(struct ps_sc_reader *r, struct ps_str path, uint32_t line)
{
    if (r->repaired++ < TOLD)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, PS_NOTE_NO_AT, 0,
                     "%.*s: the source text of line %u contained invalid UTF-8 and was repaired",
                     (int)ps_text_head(path, 200).len, path.at, line);
}

static struct ps_str text_of(struct ps_sc_reader *r, const cJSON *object, const char *key,
                             bool *mended)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    *mended = false;
    if (!cJSON_IsString(item))
        return (struct ps_str){NULL, 0};
    return ps_shown_text(&r->arena, ps_str_of(item->valuestring), mended);
}

static bool open_row(struct ps_sc_reader *r, const struct file *f, const cJSON *item,
                     struct ps_line_row *row)
{
    *row = (struct ps_line_row){.file = f->id, .block = 1};
    if (!cJSON_IsObject(item) || !line_number(ps_sc_number(r, item, "lineno"), &row->line))
        return false;
    read_figures(r, item, &row->figures);
    ps_sc_samples(r, cJSON_GetObjectItemCaseSensitive(item, "memory_samples"));
    row->samples = r->samples;
    row->n_samples = (uint32_t)r->n_samples;
    return true;
}

static void tell_function(struct ps_sc_reader *r, const struct file *f, const cJSON *item,
                          struct ps_str path)
{
    struct ps_line_function function = {.id = r->functions + 1, .file = f->id};
    struct ps_line_row row;
    bool mended;

    r->records++;
    if (!open_row(r, f, item, &row)) {
        reject(r, path, "a function has no line number");
        return;
    }
    function.name = text_of(r, item, "line", &mended);
    if (!function.name.at)
        function.name = PS_STR("");
    function.first_line = row.line;
    row.function = ++r->functions;
    row.of_function = true;
    r->out->ops->line_function(r->out, &function);
    r->out->ops->line(r->out, &row);
    if (mended)
        repair(r, path, row.line);
}

static void tell_line(struct ps_sc_reader *r, struct file *f, const cJSON *item, struct ps_str path)
{
    struct ps_line_row row;
    bool mended;

    r->records++;
    if (!open_row(r, f, item, &row)) {
        reject(r, path, "a line has no number");
        return;
    }
    row.source = text_of(r, item, "line", &mended);
    while (row.source.len &&
           (row.source.at[row.source.len - 1] == '\n' || row.source.at[row.source.len - 1] == '\r'))
        row.source.len--;
    add_leak(f, row.line, &row.figures);
    r->out->ops->line(r->out, &row);
    r->lines++;
    if (mended)
        repair(r, path, row.line);
}

static const cJSON *list_of(struct ps_sc_reader *r, const cJSON *file, const char *key)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(file, key);

    if (list && !cJSON_IsNull(list) && !cJSON_IsArray(list))
        r->odd++;
    return cJSON_IsArray(list) ? list->child : NULL;
}

void ps_sc_file(struct ps_sc_reader *r, const cJSON *file)
{
    struct file f = {.id = r->files + 1};
    bool mended;
    struct ps_str path = ps_shown_text(&r->arena, ps_str_of(file->string), &mended);
    struct ps_num cpu_pct = ps_sc_number(r, file, "percent_cpu_time");

    if (!cJSON_IsObject(file)) {
        r->records++;
        reject(r, path, "the entry of a file is not a JSON object");
        return;
    }
    r->files++;
    r->cpu_pct += ps_num_real(cpu_pct);
    r->out->ops->line_file(r->out, &(struct ps_line_file){
                                       .id = f.id,
                                       .path = path,
                                       .origin = ps_line_origin(path),
                                       .cpu_pct = cpu_pct,
                                   });
    read_leaks(r, &f, cJSON_GetObjectItemCaseSensitive(file, "leaks"));
    for (const cJSON *item = list_of(r, file, "functions"); item && ps_sink_ok(r->out);
         item = item->next)
        tell_function(r, &f, item, path);
    for (const cJSON *item = list_of(r, file, "lines"); item && ps_sink_ok(r->out);
         item = item->next)
        tell_line(r, &f, item, path);
    tell_leaks(r, &f);
    free(f.leaks);
    ps_arena_free(&r->arena);
}
