/* SPDX-License-Identifier: MIT */
/* environments.c: in what the machines and the software of the runs of a comparison differ. A
 * difference of the machine is easily taken for one of the program. */
#include "server/query/compare/environments.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/format.h"

#define SHOWN_MAX     3  /* values of a group in a sentence */
#define PACKAGES_MAX  8  /* packages in a sentence */
#define COMMIT_DIGITS 10 /* digits of a commit in a sentence */
#define MEMORY_DISTANCE                                                                            \
    0.01 /* amounts of memory that differ by less are equal: kernels reserve some */

/* --- Reading --- */

void ps_environments_free(struct ps_environments *all)
{
    for (size_t i = 0; i < all->n_runs; i++)
        ps_environment_free(&all->runs[i]);
    free(all->runs);
    free(all->names.facts);
    ps_arena_free(&all->arena);
    *all = (struct ps_environments){.groups = NULL};
}

/* Lists each row and package that any run has once, in order. */
static void list_names(struct ps_environments *all)
{
    size_t n = 0;

    for (size_t i = 0; i < all->n_runs; i++)
        for (size_t k = 0; k < all->runs[i].n; k++) {
            PS_RESERVE_ONE(all->names.facts, all->names.n, all->names.cap);
            all->names.facts[all->names.n++] = all->runs[i].facts[k];
        }
    if (all->names.n)
        qsort(all->names.facts, all->names.n, sizeof *all->names.facts, ps_environment_order);
    for (size_t i = 0; i < all->names.n; i++)
        if (!n || ps_environment_order(&all->names.facts[n - 1], &all->names.facts[i]) != 0)
            all->names.facts[n++] = all->names.facts[i];
    all->names.n = n;
}

enum ps_status ps_environments_read(struct ps_store *store, const struct ps_compare_groups *groups,
                                    struct ps_environments *out, struct ps_err *err)
{
    const size_t n = groups->n_base ? groups->n_base + groups->n_new : 0;

    *out = (struct ps_environments){.groups = groups};
    out->runs = ps_alloc_array(n, sizeof *out->runs);
    for (; err->code == PS_OK && out->n_runs < n; out->n_runs++)
        ps_environment_read(store, groups->runs[out->n_runs].id, &out->arena,
                            &out->runs[out->n_runs], err);
    list_names(out);
    return err->code;
}

/* --- Values --- */

static bool has_fact(const struct ps_environment *run, const char *name)
{
    const struct ps_environment_fact like = {.key = ps_environment_find_key(ps_str_from_c(name))};

    return ps_environment_find(run, &like) != NULL;
}

/* Whether the file of a run lists its packages. Tags may name only some of them. */
static bool has_packages(const struct ps_environment *run)
{
    for (size_t i = 0; i < run->n; i++)
        if (run->facts[i].package.ptr && !run->facts[i].is_tag)
            return true;
    return false;
}

/* What a run that does not state a fact tells by that; {NULL, 0}: nothing. */
static struct ps_str absent_value(const struct ps_environment *run,
                                  const struct ps_environment_fact *name)
{
    if (name->package.ptr && has_packages(run))
        return PS_STR("not listed");
    if (strcmp(name->key->name, "dirty") == 0 && has_fact(run, "commit"))
        return PS_STR("no");
    return (struct ps_str){NULL, 0};
}

static bool is_memory(const struct ps_environment_fact *fact, int64_t *bytes)
{
    return strcmp(fact->key->name, "memory") == 0 && ps_str_parse_i64(fact->value, bytes) &&
           *bytes >= 0;
}

static bool is_same(const struct ps_environment_fact *a, const struct ps_environment_fact *b)
{
    int64_t x, y;

    if (is_memory(a, &x) && is_memory(b, &y))
        return fabs((double)x - (double)y) <= MEMORY_DISTANCE * fmax((double)x, (double)y);
    return ps_str_eq(a->value, b->value);
}

/* Adds a run to the value that it has. */
static void count_value(struct ps_environment_side *side, struct ps_environment_fact fact)
{
    size_t i = 0;

    while (i < side->n && !is_same(&side->values[i].fact, &fact))
        i++;
    if (i == side->n) {
        PS_RESERVE_ONE(side->values, side->n, side->cap);
        side->values[side->n++] = (struct ps_environment_value){fact, 0};
    }
    side->values[i].n_runs++;
}

static void read_side(const struct ps_environments *all, const struct ps_environment_fact *name,
                      size_t first, size_t n, struct ps_environment_side *out)
{
    *out = (struct ps_environment_side){.n_runs = n};
    for (size_t i = first; i < first + n; i++) {
        const struct ps_environment_fact *found = ps_environment_find(&all->runs[i], name);
        struct ps_environment_fact fact = found ? *found : *name;

        if (!found)
            fact.value = absent_value(&all->runs[i], name);
        if (fact.value.len)
            count_value(out, fact);
        else
            out->n_unknown++;
    }
}

void ps_environment_sides_read(const struct ps_environments *all,
                               const struct ps_environment_fact *name,
                               struct ps_environment_side out[2])
{
    read_side(all, name, 0, all->groups->n_base, &out[0]);
    read_side(all, name, all->groups->n_base, all->groups->n_new, &out[1]);
}

void ps_environment_sides_free(struct ps_environment_side sides[2])
{
    free(sides[0].values);
    free(sides[1].values);
    sides[0].values = sides[1].values = NULL;
}

bool ps_environment_sides_differ(const struct ps_environment_side sides[2])
{
    return sides[0].n > 1 || sides[1].n > 1 ||
           (sides[0].n && sides[1].n &&
            !is_same(&sides[0].values[0].fact, &sides[1].values[0].fact));
}

/* --- Words --- */

static void append_value(const struct ps_environment_fact *fact, struct ps_buf *out)
{
    const bool is_commit = strcmp(fact->key->name, "commit") == 0;
    char text[48];
    int64_t bytes;

    if (is_memory(fact, &bytes))
        ps_buf_puts(out, ps_format_bytes((double)bytes, text));
    else if (is_commit && fact->value.len > COMMIT_DIGITS)
        ps_buf_add(out, fact->value.ptr, COMMIT_DIGITS);
    else
        ps_buf_add_str(out, fact->value);
}

/* Appends the values of a group, such as "3.13.1 (2 of 3 runs), 3.15.0 (1 of 3 runs)". */
static void append_side(const struct ps_environment_side *side, struct ps_buf *out)
{
    for (size_t i = 0; i < side->n && i < SHOWN_MAX; i++) {
        ps_buf_puts(out, i ? ", " : "");
        append_value(&side->values[i].fact, out);
        if (side->values[i].n_runs < side->n_runs)
            ps_buf_printf(out, " (%zu of %zu runs)", side->values[i].n_runs, side->n_runs);
    }
    if (side->n > SHOWN_MAX)
        ps_buf_printf(out, " and %zu more", side->n - SHOWN_MAX);
    if (!side->n)
        ps_buf_puts(out, "unknown");
}

void ps_environment_append_difference(const struct ps_environment_fact *name,
                                      const struct ps_environment_side sides[2], struct ps_buf *out)
{
    const bool is_arrow = name->package.ptr || name->key->weight == PS_ENVIRONMENT_IS_COMPARED;

    if (name->package.ptr)
        ps_buf_add_str(out, name->package);
    else
        ps_buf_puts(out, name->key->label);
    ps_buf_puts(out, " ");
    append_side(&sides[0], out);
    ps_buf_puts(out, is_arrow ? " \u2192 " : " against ");
    append_side(&sides[1], out);
}

/* --- Answer --- */

/* Whether the values of all runs begin with the same word, as "Linux 6.1" and "Linux-6.12" do. */
static bool begin_alike(const struct ps_environment_side sides[2])
{
    struct ps_str first = {NULL, 0};

    for (size_t i = 0; i < sides[0].n + sides[1].n; i++) {
        const struct ps_environment_value *value =
            i < sides[0].n ? &sides[0].values[i] : &sides[1].values[i - sides[0].n];
        struct ps_str word = {value->fact.value.ptr, 0};

        while (word.len < value->fact.value.len && isalpha((unsigned char)word.ptr[word.len]))
            word.len++;
        if (first.ptr && !ps_str_eq(first, word))
            return false;
        first = word;
    }
    return true;
}

/* Whether a difference may explain one of times. Another host may be another machine, unless the
 * runs say which CPU they had. */
static bool is_warning(const struct ps_environments *all, const struct ps_environment_fact *name,
                       const struct ps_environment_side sides[2])
{
    if (name->key->weight == PS_ENVIRONMENT_RELEASES)
        return !begin_alike(sides);
    if (name->key->weight != PS_ENVIRONMENT_NAMES)
        return name->key->weight == PS_ENVIRONMENT_WARNS;
    for (size_t i = 0; i < all->n_runs; i++)
        if (!has_fact(&all->runs[i], "cpu"))
            return true;
    return false;
}

static void write_side(const char *key, const struct ps_environment_side *side,
                       struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_object(json);
    ps_json_key(json, "values");
    ps_json_array(json);
    for (size_t i = 0; i < side->n; i++) {
        ps_json_object(json);
        ps_json_key(json, "value");
        ps_json_str(json, side->values[i].fact.value);
        ps_json_key_int(json, "runs", (int64_t)side->values[i].n_runs);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_key_int(json, "unknown", (int64_t)side->n_unknown);
    ps_json_end(json);
}

static void write_difference(const struct ps_environment_fact *name,
                             const struct ps_environment_side sides[2], bool warns,
                             struct ps_str text, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_str(json, "key", name->key->name);
    ps_json_key(json, "label");
    ps_json_str(json, name->package.ptr ? name->package : ps_str_from_c(name->key->label));
    ps_json_key_str(json, "group", name->key->group);
    ps_json_key_bool(json, "warns", warns);
    ps_json_key(json, "text");
    ps_json_str(json, text);
    write_side("base", &sides[0], json);
    write_side("new", &sides[1], json);
    ps_json_end(json);
}

/* The differences in words. */
struct sentences {
    struct ps_buf warnings, notes;
    size_t n_packages;
};

static void add_sentence(struct sentences *all, bool is_package, bool warns, struct ps_str text)
{
    struct ps_buf *list = warns ? &all->warnings : &all->notes;

    all->n_packages += is_package;
    if (is_package && all->n_packages > PACKAGES_MAX)
        return;
    ps_buf_puts(list, list->len ? "; " : "");
    ps_buf_add_str(list, text);
    ps_buf_puts(list, "");
}

static void write_sentences(struct sentences *all, struct ps_json *json)
{
    if (all->n_packages > PACKAGES_MAX)
        ps_buf_printf(&all->warnings, "; %zu more packages", all->n_packages - PACKAGES_MAX);
    ps_json_key_str(json, "environments", all->warnings.ptr);
    ps_json_key_str(json, "environment_notes", all->notes.ptr);
    ps_buf_free(&all->warnings);
    ps_buf_free(&all->notes);
}

void ps_environments_write(const struct ps_environments *all, struct ps_json *json)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct sentences sentences = {.n_packages = 0};

    ps_json_key(json, "environment");
    ps_json_array(json);
    for (size_t i = 0; i < all->names.n; i++) {
        const struct ps_environment_fact *name = &all->names.facts[i];
        struct ps_environment_side sides[2];

        ps_environment_sides_read(all, name, sides);
        if (name->key->weight != PS_ENVIRONMENT_VARIES && ps_environment_sides_differ(sides)) {
            const bool warns = is_warning(all, name, sides);

            text.len = 0;
            ps_environment_append_difference(name, sides, &text);
            add_sentence(&sentences, name->package.ptr != NULL, warns, ps_buf_slice(&text));
            write_difference(name, sides, warns, ps_buf_slice(&text), json);
        }
        ps_environment_sides_free(sides);
    }
    ps_json_end(json);
    write_sentences(&sentences, json);
}
