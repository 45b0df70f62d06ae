/* SPDX-License-Identifier: MIT */
/* pprof_frames.c: names the frames of the locations of a pprof profile, and applies drop_frames. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importers/stacks/pprof.h"
#include "importers/text/clean.h"

#define PATTERN_MAX 4000 /* bytes of drop_frames and keep_frames */

struct ps_str pprof_string(struct pprof *p, int64_t index)
{
    size_t start;

    if (index < 0 || (uint64_t)index >= p->n_strings) {
        p->n_bad_strings++;
        return PS_STR("");
    }
    start = index ? p->string_ends[index - 1] : 0;
    return (struct ps_str){p->text.ptr + start, p->string_ends[index] - start};
}

static const struct pprof_function *function_of(const struct pprof *p, uint64_t id)
{
    const uint32_t index = pprof_find_id(&p->function_ids, id);

    return index < p->cap_functions && p->functions[index].is_known ? &p->functions[index] : NULL;
}

/* --- drop_frames --- */

struct patterns {
    regex_t drop, keep;
    bool drops, keeps;
};

static void patterns_free(struct patterns *patterns)
{
    if (patterns->drops)
        regfree(&patterns->drop);
    if (patterns->keeps)
        regfree(&patterns->keep);
}

/* Compiles a pattern that matches complete names. Go's patterns are extended regular expressions as
 * far as names of functions need it; what differs is refused. So is what regcomp() copies, which
 * may need much memory: counted repetitions, and `+` behind a group or another repetition. */
static bool compile(struct ps_str pattern, regex_t *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (pattern.len > PATTERN_MAX || memchr(pattern.ptr, '{', pattern.len) ||
        memchr(pattern.ptr, '\0', pattern.len))
        return false;
    ps_buf_puts(&text, "^(");
    for (size_t i = 0; i < pattern.len; i++) {
        const char next = i + 1 < pattern.len ? pattern.ptr[i + 1] : '\0';

        if (next == '+' && strchr(")+*?", pattern.ptr[i]))
            return false;
        if (pattern.ptr[i] == '\\' && next == 'd') {
            ps_buf_puts(&text, "[0-9]");
            i++;
        } else if (pattern.ptr[i] == '\\' && next >= '0' && next <= '9') {
            return false;
        } else if (pattern.ptr[i] == '(' && next == '?') {
            if (i + 2 >= pattern.len || pattern.ptr[i + 2] != ':')
                return false;
            ps_buf_puts(&text, "(");
            i += 2;
        } else if (pattern.ptr[i] == '\\' && next) {
            ps_buf_add(&text, pattern.ptr + i++, 2);
        } else {
            ps_buf_add(&text, pattern.ptr + i, 1);
        }
    }
    ps_buf_puts(&text, ")$");
    ps_buf_add(&text, "", 1);
    return regcomp(out, text.ptr, REG_EXTENDED | REG_NOSUB) == 0;
}

/* The name of a function as pprof matches it: without its arguments. */
static void write_simple_name(struct ps_str name, struct ps_buf *out)
{
    static const char *const names_with_brackets[] = {"(anonymous namespace)", "operator()"};
    size_t end = 0;

    out->len = 0;
    name = ps_str_skip(name, ps_str_starts_with(name, PS_STR(".")));
    while (end < name.len) {
        size_t skipped = 0;

        for (size_t i = 0; i < sizeof names_with_brackets / sizeof *names_with_brackets; i++)
            if (ps_str_starts_with(ps_str_skip(name, end), ps_str_from_c(names_with_brackets[i])))
                skipped = strlen(names_with_brackets[i]);
        if (!skipped && name.ptr[end] == '(')
            break;
        end += skipped ? skipped : 1;
    }
    for (size_t i = 0; i < end; i++)
        if (name.ptr[i])
            ps_buf_add(out, name.ptr + i, 1);
    ps_buf_add(out, "", 1);
}

static bool is_dropped(struct pprof *p, const struct patterns *patterns, uint64_t function_id,
                       struct ps_buf *text)
{
    const struct pprof_function *function = function_of(p, function_id);
    const struct ps_str name = function ? pprof_string(p, function->name) : PS_STR("");

    if (!name.len)
        return false;
    write_simple_name(name, text);
    return regexec(&patterns->drop, text->ptr, 0, NULL, 0) == 0 &&
           !(patterns->keeps && regexec(&patterns->keep, text->ptr, 0, NULL, 0) == 0);
}

/* Marks a location whose functions match. Of functions that are inlined into others, the outermost
 * one that matches counts: the functions around it remain. */
static void prune_location(struct pprof *p, const struct patterns *patterns,
                           struct pprof_location *location, struct ps_buf *text)
{
    for (uint32_t i = location->n_lines; i-- > 0;) {
        if (!is_dropped(p, patterns, p->lines[location->first_line + i].function, text))
            continue;
        location->is_pruned = i + 1 == location->n_lines;
        location->is_pruned_below = !location->is_pruned;
        if (location->is_pruned_below) {
            location->first_line += i + 1;
            location->n_lines -= i + 1;
        }
        return;
    }
}

/* Does what pprof does when it reads a profile (Profile.RemoveUninteresting). */
static void prune_locations(struct pprof *p)
{
    const struct ps_str drop = pprof_string(p, p->drop_frames),
                        keep = pprof_string(p, p->keep_frames);
    PS_AUTO(patterns_free) struct patterns patterns = {.drops = false};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (!drop.len)
        return;
    patterns.drops = compile(drop, &patterns.drop);
    patterns.keeps = keep.len && compile(keep, &patterns.keep);
    if (!patterns.drops || (keep.len && !patterns.keeps)) {
        ps_sink_note(p->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "drop_frames of the file was not applied, because perfshelf cannot read the "
                     "pattern: functions of the profiler or the allocator have weights of their "
                     "own");
        return;
    }
    for (size_t i = 0; i < p->location_ids.n && i < p->cap_locations; i++)
        prune_location(p, &patterns, &p->locations[i], &text);
    ps_sink_note(p->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                 "functions that match drop_frames of the file are left out with what they call, "
                 "as pprof does: %.*s%s",
                 (int)(drop.len < 300 ? drop.len : 300), drop.ptr,
                 keep.len ? " (without keep_frames)" : "");
}

/* --- Frames --- */

/* Name of the code at an address of which the file has no function: the file of its mapping and the
 * offset there, else the address. */
static uint32_t name_address(struct pprof *p, struct st_stacks *stacks,
                             const struct pprof_location *location, struct ps_buf *text)
{
    const uint32_t index = pprof_find_id(&p->mapping_ids, location->mapping);
    const struct pprof_mapping *mapping = index < p->cap_mappings ? &p->mappings[index] : NULL;
    struct ps_str file = mapping ? pprof_string(p, mapping->file) : PS_STR("");
    char number[32];

    for (size_t i = file.len; i > 0; i--)
        if (file.ptr[i - 1] == '/' || file.ptr[i - 1] == '\\') {
            file = ps_str_skip(file, i);
            break;
        }
    text->len = 0;
    ps_clean_text(text, file);
    (void)snprintf(number, sizeof number, "%s0x%llx", file.len ? "+" : "",
                   (unsigned long long)(file.len
                                            ? location->address - mapping->start + mapping->offset
                                            : location->address));
    ps_buf_puts(text, location->address || file.len ? number : "?");
    return st_frame_id(stacks, ps_buf_slice(text));
}

/* Some profilers of Node.js write the file and the line into the name, "./index.js:handle:31", and
 * the name alone into the system name. Returns the shorter one of such a function. */
static struct ps_str plain_name(struct ps_str name, struct ps_str system)
{
    size_t end = name.len;

    while (end > 0 && name.ptr[end - 1] >= '0' && name.ptr[end - 1] <= '9')
        end--;
    if (!system.len || end == name.len || end < system.len + 2 || name.ptr[end - 1] != ':' ||
        name.ptr[end - system.len - 2] != ':' ||
        memcmp(name.ptr + end - system.len - 1, system.ptr, system.len) != 0)
        return name;
    return system;
}

static uint32_t name_line(struct pprof *p, struct st_stacks *stacks, const struct pprof_line *line,
                          struct ps_buf *text)
{
    const struct pprof_function *function = function_of(p, line->function);
    struct ps_str system = function ? pprof_string(p, function->system_name) : PS_STR(""),
                  name =
                      function ? plain_name(pprof_string(p, function->name), system) : PS_STR("?");
    char number[24];
    int len = snprintf(number, sizeof number, "%lld", (long long)line->line);

    name = name.len ? name : system;
    return st_frame_id_of(stacks, text, name,
                          function ? pprof_string(p, function->file) : PS_STR(""),
                          line->line > 0 ? (struct ps_str){number, (size_t)len} : PS_STR(""));
}

/* Marks the locations whose outermost frame no other one has. */
static void mark_unique(struct pprof *p, size_t n_names)
{
    PS_AUTO(ps_free_ptr) uint8_t *n_locations = ps_alloc_array(n_names + 2, sizeof *n_locations);

    for (size_t i = 0; i < p->location_ids.n; i++) {
        uint8_t *n = &n_locations[p->frames[p->locations[i].first_frame]];

        *n = *n ? 2 : 1;
    }
    for (size_t i = 0; i < p->location_ids.n; i++)
        p->locations[i].is_unique = n_locations[p->frames[p->locations[i].first_frame]] == 1;
}

void pprof_name_frames(struct pprof *p, struct st_stacks *stacks)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (p->location_ids.n)
        p->locations = ps_grow_to(p->locations, &p->cap_locations, p->location_ids.n - 1,
                                  sizeof *p->locations);
    prune_locations(p);
    p->frames = ps_grow(NULL, p->n_lines + p->location_ids.n + 1, sizeof *p->frames);
    for (size_t i = 0; i < p->location_ids.n; i++) {
        struct pprof_location *location = &p->locations[i];

        location->first_frame = (uint32_t)p->n_frames;
        p->n_unknown_locations += !location->is_known;
        if (!location->is_known)
            p->frames[p->n_frames++] = st_frame_id(stacks, PS_STR("?"));
        else if (!location->n_lines)
            p->frames[p->n_frames++] = name_address(p, stacks, location, &text);
        for (uint32_t k = location->n_lines; k-- > 0;) /* the innermost line is the first */
            p->frames[p->n_frames++] =
                name_line(p, stacks, &p->lines[location->first_line + k], &text);
        location->n_frames = (uint32_t)p->n_frames - location->first_frame;
    }
    mark_unique(p, stacks->frames.count);
}
