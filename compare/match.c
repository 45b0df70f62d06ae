/* SPDX-License-Identifier: MIT */
/*
 * match.c: the same code in another place: another checkout, another Python, another site-packages.
 * Classes that one group alone has are met by name and the end of their path, a longer end first,
 * where no other class of either group has it.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "compare/comparison_impl.h"

#define PARTS_MAX 4 /* of a path that are compared */

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* The length of "python3.12/" at the start of a text, else 0. */
static size_t python_folder(struct ps_str text)
{
    size_t n = 6;

    if (!ps_str_starts(text, PS_STR("python")))
        return 0;
    while (n < text.len && (isdigit((unsigned char)text.at[n]) || text.at[n] == '.'))
        n++;
    return n > 6 && n < text.len && is_slash(text.at[n]) ? n + 1 : 0;
}

/* What stands behind the folder in which this Python keeps packages or its own library; {NULL, 0}
 * when there is none. */
static struct ps_str installed_part(struct ps_str path)
{
    static const char *const folders[] = {"site-packages", "dist-packages"};
    struct ps_str found = {NULL, 0};

    for (size_t i = 0; i + 1 < path.len; i++) {
        struct ps_str rest = ps_str_skip(path, i);
        size_t n = 0;

        if (i > 0 && !is_slash(path.at[i - 1]))
            continue;
        for (size_t k = 0; k < 2; k++)
            if (ps_str_starts(rest, ps_str_of(folders[k])) && rest.len > 13 &&
                is_slash(rest.at[13]))
                n = 14;
        n = n ? n : python_folder(rest);
        if (n)
            found = ps_str_skip(rest, n);
    }
    return found;
}

/* The last `parts` parts; the whole path when it has fewer. */
static struct ps_str last_parts(struct ps_str path, int parts)
{
    size_t at = path.len;

    for (; at > 0; at--)
        if (is_slash(path.at[at - 1]) && --parts == 0)
            break;
    return ps_str_skip(path, at);
}

/* parts 0: what is installed. Slashes of all systems are one. */
static bool key_of(const struct ps_comparison *c, const struct ps_class_key *class, int parts,
                   struct ps_buf *out)
{
    struct ps_str place = c->texts.items[class->place];
    struct ps_str tail = parts ? last_parts(place, parts) : installed_part(place);

    out->len = 0;
    if (!tail.at || !tail.len)
        return false;
    ps_buf_add(out, &class->word, sizeof class->word);
    ps_buf_add(out, &class->lines, sizeof class->lines);
    for (size_t i = 0; i < tail.len; i++)
        ps_buf_add(out, tail.at[i] == '\\' ? "/" : &tail.at[i], 1);
    return true;
}

enum side { NEITHER, BASE_ONLY, NOW_ONLY };

static enum side side_of(const struct ps_comparison *c, const struct ps_class *class)
{
    bool base = false, now = false;

    for (uint32_t i = 0; i < class->n; i++) {
        const struct ps_slot *slot = &c->slots[class->slots[i]];

        base |= slot->in_base > 0 && !slot->gone;
        now |= slot->in_now > 0 && !slot->gone;
    }
    return base == now ? NEITHER : base ? BASE_ONLY : NOW_ONLY;
}

/* The row `from` of the new group becomes part of the row `to` of the base. */
static void merge_slot(struct ps_comparison *c, uint32_t to, uint32_t from)
{
    struct ps_slot *a = &c->slots[to], *b = &c->slots[from];

    a->base_place = a->place;
    a->place = b->place;
    a->line = b->line;
    a->id = b->id;
    a->by = b->by;
    a->in_now = b->in_now;
    a->samples[1] = b->samples[1];
    a->n_samples[1] = b->n_samples[1];
    b->gone = true;
    for (size_t m = 0; m < c->n_metrics; m++)
        memcpy(ps_slot_values(c, to, m) + c->n_base, ps_slot_values(c, from, m) + c->n_base,
               c->n_now * sizeof *c->values);
}

static struct ps_aligned *sequence(const struct ps_comparison *c, const struct ps_class *class)
{
    struct ps_aligned *out = ps_grow(NULL, class->n + 1, sizeof *out);

    for (uint32_t i = 0; i < class->n; i++)
        out[i] = (struct ps_aligned){c->slots[class->slots[i]].name,
                                     c->slots[class->slots[i]].last_line, class->slots[i]};
    return out;
}

static void merge_classes(struct ps_comparison *c, const struct ps_class *base,
                          const struct ps_class *now)
{
    struct ps_aligned *a = sequence(c, base), *b = sequence(c, now);
    uint32_t *match = ps_grow(NULL, (size_t)now->n + 1, sizeof *match);

    ps_align(a, base->n, b, now->n, match);
    for (uint32_t k = 0; k < now->n; k++)
        if (match[k] != PS_ALIGN_NONE)
            merge_slot(c, a[match[k]].id, b[k].id);
    free(a);
    free(b);
    free(match);
}

struct candidates {
    struct ps_intern keys;
    struct found {
        uint32_t class[2], n[2]; /* by side */
    } * at;
    size_t n, cap;
};

static void note(struct candidates *found, struct ps_str key, enum side side, uint32_t class)
{
    uint32_t id = ps_intern_id(&found->keys, key);
    size_t k = side == NOW_ONLY;

    while (found->n <= id) {
        PS_PUSH_ROOM(found->at, found->n, found->cap);
        found->at[found->n++] = (struct found){.n = {0}};
    }
    found->at[id].class[k] = class;
    found->at[id].n[k]++;
}

/* Returns whether classes are left that could be met. */
static bool match_parts(struct ps_comparison *c, int parts)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    struct candidates found = {.n = 0};
    bool sides[3] = {false, false, false};

    for (uint32_t i = 0; i < c->n_classes; i++) {
        enum side side = side_of(c, &c->classes[i]);
        struct ps_class_key class;

        memcpy(&class, c->keys.items[i].at, sizeof class);
        sides[side] = true;
        if (side != NEITHER && class.place && key_of(c, &class, parts, &key))
            note(&found, ps_buf_slice(&key), side, i);
    }
    for (size_t i = 0; i < found.n && !ps_context_ended(); i++)
        if (found.at[i].n[0] == 1 && found.at[i].n[1] == 1)
            merge_classes(c, &c->classes[found.at[i].class[0]], &c->classes[found.at[i].class[1]]);
    ps_intern_free(&found.keys);
    free(found.at);
    return sides[BASE_ONLY] && sides[NOW_ONLY];
}

void ps_match_paths(struct ps_comparison *comparison)
{
    bool more = match_parts(comparison, 0);

    for (int parts = PARTS_MAX; parts > 0 && more; parts--)
        more = match_parts(comparison, parts);
}
