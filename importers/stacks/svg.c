/* SPDX-License-Identifier: MIT */
/*
 * svg.c: reads the SVG flame graphs of py-spy record, inferno and flamegraph.pl.
 *
 *     <g><title>work (app.py:9) (48 samples, 1.66%)</title><rect x="10" y="84" width="19" .../>
 *
 * Titles have the name and the weight of a frame; positions determine the parents. The labels in
 * the boxes are not used, because they are truncated. Frames narrower than a tenth of a pixel are
 * missing in the drawing: their weight becomes self weight of their parent or, at the root, of
 * "(not in file)".
 *
 * The memory profiler Fil draws a box with the text of the source line on each frame, which is no
 * frame, and a second picture with the innermost frames at the root.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/stacks/stacks.h"
#include "importers/text/clean.h"
#include "importers/text/xml_in.h"

/* A rectangle of the drawing. */
struct sv_rect {
    double x, width;
    int64_t y;      /* in hundredths of a pixel */
    int64_t weight; /* from its title, in the unit of st_add_stack */
    uint32_t name;
    uint32_t level; /* distance from the root, in levels */
    /* index in `rects` + 1; 0: none; children are in order of x */
    uint32_t parent, first_child, next_sibling;
};

#define SV_SOURCE UINT32_MAX /* name of a box that is no frame */

struct sv_tree {
    struct sv_rect *rects; /* sorted by level, then x, by sv_tree_link */
    uint32_t n, cap;
    uint32_t root;
    bool is_reversed; /* the innermost frames are at the root */
    /* number of frames whose position matches no frame of the previous level: their caller is not
     * drawn, so they belong to the nearest of its callers that is */
    uint64_t orphans;
    uint64_t excess; /* number of frames whose children have a larger weight */
};

static int64_t children_weight(const struct sv_tree *tree, uint32_t node)
{
    int64_t sum = 0;

    for (uint32_t c = tree->rects[node].first_child; c; c = tree->rects[c - 1].next_sibling)
        if (__builtin_add_overflow(sum, tree->rects[c - 1].weight, &sum))
            return INT64_MAX / 4;
    return sum;
}

/* --- Tree of rectangles --- */

static int by_level(const void *a, const void *b)
{
    const struct sv_rect *x = a, *y = b;

    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->x != y->x)
        return x->x < y->x ? -1 : 1;
    return x->width > y->width ? -1 : x->width < y->width;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Sets the level of each frame: the number of distinct values of y between the frame and the root.
 * The root is at the top or at the bottom. */
static void set_levels(struct sv_tree *tree)
{
    int64_t *ys = ps_grow(NULL, (size_t)tree->n + 1, sizeof *ys), root = tree->rects[tree->root].y;
    size_t n = 0;

    for (uint32_t i = 0; i < tree->n; i++)
        ys[i] = tree->rects[i].y < root ? root - tree->rects[i].y : tree->rects[i].y - root;
    qsort(ys, tree->n, sizeof *ys, by_number);
    for (uint32_t i = 0; i < tree->n; i++)
        if (n == 0 || ys[n - 1] != ys[i])
            ys[n++] = ys[i];
    for (uint32_t i = 0; i < tree->n; i++) {
        int64_t away = tree->rects[i].y < root ? root - tree->rects[i].y : tree->rects[i].y - root;
        size_t low = 0, high = n;

        while (high - low > 1) {
            size_t middle = (low + high) / 2;

            if (ys[middle] <= away)
                low = middle;
            else
                high = middle;
        }
        tree->rects[i].level = (uint32_t)low;
    }
    free(ys);
}

/* Returns the frame in [from, to), which are all frames of one level, whose range of x contains the
 * middle of `rect`; else the frame that is nearest to it, and *matches is false. */
static uint32_t find_parent(const struct sv_tree *tree, uint32_t from, uint32_t to,
                            const struct sv_rect *rect, bool *matches)
{
    double middle = rect->x + rect->width / 2;
    uint32_t low = from, high = to;

    while (high - low > 1) {
        uint32_t between = low + (high - low) / 2;

        if (tree->rects[between].x <= middle)
            low = between;
        else
            high = between;
    }
    /* Positions are rounded, so allow one pixel. */
    if (middle > tree->rects[low].x + tree->rects[low].width && low + 1 < to &&
        tree->rects[low + 1].x - middle < middle - tree->rects[low].x - tree->rects[low].width)
        low++;
    *matches = middle >= tree->rects[low].x - 1 &&
               middle <= tree->rects[low].x + tree->rects[low].width + 1;
    return low;
}

/* Links a frame to the frame of the nearest level below that contains it; level 0 is the root. */
static void link_rect(struct sv_tree *tree, const uint32_t *starts, uint32_t id)
{
    struct sv_rect *rect = &tree->rects[id];
    uint32_t level = rect->level, parent;
    bool matches;

    do {
        level--;
        parent = find_parent(tree, starts[level], starts[level + 1], rect, &matches);
    } while (!matches && level > 0);
    tree->orphans += level + 1 < rect->level;
    rect->parent = parent + 1;
    rect->next_sibling = tree->rects[parent].first_child;
    tree->rects[parent].first_child = id + 1;
}

/* Links all frames to their parents. Iterates from right to left, since frames are sorted by level
 * and x, and each frame is inserted as the first child of its parent. */
static void link_all(struct sv_tree *tree)
{
    uint32_t levels = tree->rects[tree->n - 1].level + 1;
    PS_AUTO(ps_free_ptr) uint32_t *starts = ps_alloc_array((size_t)levels + 1, sizeof *starts);

    for (uint32_t i = tree->n; i-- > 0;)
        starts[tree->rects[i].level] = i;
    starts[levels] = tree->n;
    for (uint32_t i = tree->n; i-- > starts[levels > 1 ? 1 : levels];)
        link_rect(tree, starts, i);
}

/* Determines levels and parents from the positions. False: no frame has a width. */
static bool sv_tree_link(struct sv_tree *tree)
{
    double most = 0;

    for (uint32_t i = 0; i < tree->n; i++)
        if (tree->rects[i].width > most ||
            (tree->rects[i].width == most &&
             tree->rects[i].weight > tree->rects[tree->root].weight)) {
            most = tree->rects[i].width;
            tree->root = i;
        }
    if (!tree->n || !(most > 0))
        return false;
    /* The root ("all") is the topmost or the lowest of the widest frames. */
    for (uint32_t i = 0; i < tree->n; i++) {
        uint64_t above = 0, below = 0;

        if (tree->rects[i].width < most || tree->rects[i].weight < tree->rects[tree->root].weight)
            continue;
        for (uint32_t k = 0; k < tree->n && (!above || !below); k++) {
            above += tree->rects[k].y < tree->rects[i].y;
            below += tree->rects[k].y > tree->rects[i].y;
        }
        if (!above || !below) {
            tree->root = i;
            break;
        }
    }
    set_levels(tree);
    qsort(tree->rects, tree->n, sizeof *tree->rects, by_level);
    tree->root = 0;
    link_all(tree);
    return true;
}

/* --- Weights --- */

/* Gives the children of a frame the parts of its weight that their boxes have of its box.
 * has_own: the frame has own weight beside theirs. */
static void divide_weight(struct sv_tree *tree, uint32_t node, bool has_own)
{
    const struct sv_rect *rect = &tree->rects[node];
    double width = 0;
    int64_t rest = rect->weight;

    for (uint32_t c = rect->first_child; c; c = tree->rects[c - 1].next_sibling)
        width += tree->rects[c - 1].width;
    width = has_own && rect->width > width ? rect->width : width;
    for (uint32_t c = rect->first_child; c; c = tree->rects[c - 1].next_sibling) {
        struct sv_rect *child = &tree->rects[c - 1];
        double part = width > 0 ? (double)rect->weight * (child->width / width) : 0;

        child->weight = part < (double)rest ? llround(part) : rest;
        rest -= child->weight;
    }
}

/* `flamegraph.pl --factor 0.1` rounds the weight of each title, so callees may weigh more than
 * their caller. Then the weights are those of the widths, and the root keeps its weight. Returns
 * whether that was needed. */
static bool sv_tree_spread(struct sv_tree *tree)
{
    PS_AUTO(ps_free_ptr) bool *has_own = ps_alloc_array(tree->n, sizeof *has_own);

    for (uint32_t i = 0; i < tree->n; i++) {
        int64_t own = tree->rects[i].weight - children_weight(tree, i);

        has_own[i] = own != 0;
        tree->excess += own < 0;
    }
    for (uint32_t i = 0; i < tree->n && tree->excess; i++) /* callers precede callees */
        divide_weight(tree, i, has_own[i]);
    return tree->excess != 0;
}

/* --- Stacks --- */

struct walk {
    struct sv_tree *tree;
    struct st_stacks *stacks;
    uint32_t track;
    struct ps_err *err;
    uint32_t *path;     /* frame ids on the path below the root */
    uint32_t *reversed; /* of the same length, for a reversed tree */
    uint32_t depth;     /* number of frames in `path`, at most ST_DEPTH_MAX */
    /* number of levels below the end of `path`; their frames are dropped */
    uint32_t n_dropped_levels;
};

static void push_self(struct walk *w, uint32_t node)
{
    int64_t self = w->tree->rects[node].weight - children_weight(w->tree, node);
    uint32_t missing;

    if (self <= 0 || w->err->code != PS_OK)
        return;
    if (w->depth && w->tree->is_reversed) {
        for (uint32_t i = 0; i < w->depth; i++)
            w->reversed[i] = w->path[w->depth - 1 - i];
        (void)st_add_stack(w->stacks, w->track, w->reversed, w->depth, self, w->err);
        return;
    }
    if (w->depth) {
        (void)st_add_stack(w->stacks, w->track, w->path, w->depth, self, w->err);
        return;
    }
    missing = st_frame_id(w->stacks, PS_STR("(not in file)"));
    (void)st_add_stack(w->stacks, w->track, &missing, 1, self, w->err);
}

/* Whether the self weight is to the left of the children, as in flamegraph.pl, not to their
 * right. */
static bool self_is_left(const struct sv_tree *tree, uint32_t node)
{
    uint32_t child = tree->rects[node].first_child;
    const struct sv_rect *rect = &tree->rects[node];
    double used = 0;

    for (uint32_t c = child; c; c = tree->rects[c - 1].next_sibling)
        used += tree->rects[c - 1].width;
    return child && tree->rects[child - 1].x - rect->x > (rect->width - used) / 2;
}

static bool is_frame(const struct walk *w, uint32_t node)
{
    return node != w->tree->root && w->tree->rects[node].name != SV_SOURCE;
}

static void enter_node(struct walk *w, uint32_t node)
{
    if (is_frame(w, node) && w->depth < ST_DEPTH_MAX)
        w->path[w->depth++] = w->tree->rects[node].name;
    else if (is_frame(w, node))
        w->n_dropped_levels++;
    if (self_is_left(w->tree, node))
        push_self(w, node);
}

static void leave_node(struct walk *w, uint32_t node)
{
    if (!self_is_left(w->tree, node))
        push_self(w, node);
    if (!is_frame(w, node))
        return;
    if (w->n_dropped_levels)
        w->n_dropped_levels--;
    else
        w->depth--;
}

/* Pushes all stacks below the root. The self weight of the root becomes "(not in file)". */
static enum ps_status sv_tree_push(struct sv_tree *tree, struct st_stacks *stacks, uint32_t track,
                                   struct ps_err *err)
{
    struct walk w = {.tree = tree, .stacks = stacks, .track = track, .err = err};
    uint32_t node = tree->root;

    w.path = ps_grow(NULL, ST_DEPTH_MAX + 1, sizeof *w.path);
    w.reversed = ps_grow(NULL, ST_DEPTH_MAX + 1, sizeof *w.reversed);
    enter_node(&w, node);
    while (err->code == PS_OK) {
        if (tree->rects[node].first_child) {
            node = tree->rects[node].first_child - 1;
            enter_node(&w, node);
            continue;
        }
        leave_node(&w, node);
        while (node != tree->root && !tree->rects[node].next_sibling) {
            node = tree->rects[node].parent - 1;
            leave_node(&w, node);
        }
        if (node == tree->root)
            break;
        node = tree->rects[node].next_sibling - 1;
        enter_node(&w, node);
    }
    free(w.path);
    free(w.reversed);
    return err->code;
}

#define FILE_BYTES_MAX ((uint64_t)1 << 30)
enum { NOTES_MAX = 20 };

struct reader {
    struct st_stacks stacks;
    struct sv_tree tree;
    struct ps_sink *out;
    struct ps_buf bytes, text, number;
    bool unit_known, is_fil;
    uint64_t read, rejected, rounded, sources; /* sources: boxes with the text of a line */
};

/* --- Strings --- */

static struct ps_str unescape_xml(struct ps_buf *out, struct ps_str text)
{
    out->len = 0;
    ps_xml_decode(out, text);
    return ps_buf_slice(out);
}

/* --- Titles --- */

struct title {
    struct ps_str name, count, unit;
};

/* Parses "1,490 samples, 51.50%", possibly followed by "; +1.20%". */
static bool read_inside(struct ps_str inside, struct title *out)
{
    size_t at = 0, unit, digits = 0;
    struct ps_str rest;

    for (; at < inside.len && memchr("0123456789.,", inside.ptr[at], 12); at++)
        digits += inside.ptr[at] >= '0' && inside.ptr[at] <= '9';
    if (!digits || at >= inside.len || inside.ptr[at] != ' ')
        return false;
    out->count = (struct ps_str){inside.ptr, at};
    for (unit = ++at; at < inside.len && inside.ptr[at] != ','; at++)
        if (inside.ptr[at] == '(' || inside.ptr[at] == ')')
            return false;
    out->unit = (struct ps_str){inside.ptr + unit, at - unit};
    rest = ps_str_skip(inside, at);
    if (!ps_str_starts_with(rest, PS_STR(", ")))
        return false;
    rest = ps_str_skip(rest, 2);
    for (digits = 0; digits < rest.len && memchr("0123456789.", rest.ptr[digits], 11);)
        digits++;
    return digits && digits < rest.len && rest.ptr[digits] == '%' &&
           (digits + 1 == rest.len || rest.ptr[digits + 1] == ';');
}

/* Parses "NAME (N samples, P%)" from the end, because the name may have parentheses. */
static bool read_title(struct ps_str text, struct title *out)
{
    if (text.len < 8 || text.ptr[text.len - 1] != ')')
        return false;
    for (size_t at = text.len - 1; at > 0; at--)
        if (text.ptr[at] == '(' && text.ptr[at - 1] == ' ' &&
            read_inside((struct ps_str){text.ptr + at + 1, text.len - at - 2}, out)) {
            out->name = (struct ps_str){text.ptr, at - 1};
            return true;
        }
    return false;
}

/* Returns the exponent of the unit's power of ten; -1: the unit differs from the unit of earlier
 * titles. */
static int parse_unit(struct reader *r, struct ps_str word)
{
    enum st_unit unit = ST_WEIGHT;
    int power = 3;

    if (!st_parse_unit(word, &unit, &power) && !r->unit_known)
        st_name_unit(&r->stacks, word);
    if (!r->unit_known)
        r->stacks.unit = unit;
    r->unit_known = true;
    return unit == r->stacks.unit ? power : -1;
}

/* Parses the weight, which may have thousands separators. */
static bool read_weight(struct reader *r, const struct title *title, int64_t *out)
{
    struct st_decimal decimal;
    int power = parse_unit(r, title->unit);
    bool rounded = false;

    r->number.len = 0;
    for (size_t i = 0; i < title->count.len; i++)
        if (title->count.ptr[i] != ',')
            ps_buf_add(&r->number, &title->count.ptr[i], 1);
    if (power < 0 || !st_parse_decimal(ps_buf_slice(&r->number), &decimal) ||
        !st_scale_decimal(&decimal, power, out, &rounded) || *out < 0 || *out > INT64_MAX / 8)
        return false;
    r->rounded += rounded;
    r->stacks.has_fractions |= *out % ST_SCALE != 0;
    return true;
}

/* --- Rectangles --- */

/* Parses a number attribute: ` x="10.5"`, ` x="0.5%"`. */
static bool read_attribute(struct ps_str tag, const char *name, double *out)
{
    const char *at = ps_str_find(tag, ps_str_from_c(name));
    char copy[40];
    struct ps_str rest;
    size_t n = 0;
    char *end;

    if (!at)
        return false;
    rest = ps_str_skip(tag, (size_t)(at - tag.ptr) + strlen(name));
    while (n < rest.len && n < sizeof copy - 1 && memchr("0123456789.-+eE", rest.ptr[n], 15))
        n++;
    memcpy(copy, rest.ptr, n);
    copy[n] = '\0';
    *out = strtod(copy, &end);
    return n > 0 && !*end && isfinite(*out) && fabs(*out) < 1e12;
}

/* Reads the position of a rectangle. The attributes that only inferno writes are in samples, all
 * others in pixels. */
static bool read_position(struct ps_str tag, struct sv_rect *rect)
{
    double y;

    if (!read_attribute(tag, " y=\"", &y))
        return false;
    rect->y = llround(y * 100);
    if (read_attribute(tag, " fg:x=\"", &rect->x) && read_attribute(tag, " fg:w=\"", &rect->width))
        return true;
    return read_attribute(tag, " x=\"", &rect->x) &&
           read_attribute(tag, " width=\"", &rect->width) && rect->width >= 0;
}

static void reject_rect(struct reader *r, uint64_t at, const char *why)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, at, 0, "%s", why);
}

static uint32_t frame_id(struct reader *r, struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf scratch = {0};

    if (!r->is_fil)
        return st_frame_id(&r->stacks, name);
    if (!st_is_fil_stack(name) && !ps_str_eq_c(name, "all"))
        return SV_SOURCE;
    return st_fil_frame_id(&r->stacks, name, &scratch);
}

/* Adds the frame that has the title `raw` and the next rectangle; `rest` begins after the title. */
static void parse_frame(struct reader *r, struct ps_str raw, struct ps_str rest, uint64_t at)
{
    const char *open =
        ps_str_find((struct ps_str){rest.ptr, rest.len < 4096 ? rest.len : 4096}, PS_STR("<rect"));
    const char *close;
    struct title title = {0};
    struct sv_rect rect = {0};
    struct ps_str tag;

    r->read++;
    if (!read_title(unescape_xml(&r->text, raw), &title) || (!title.name.len && !r->is_fil) ||
        !read_weight(r, &title, &rect.weight)) {
        reject_rect(r, at, "the title has no weight");
        return;
    }
    tag = open ? ps_str_skip(rest, (size_t)(open - rest.ptr)) : PS_STR("");
    close = tag.len ? memchr(tag.ptr, '>', tag.len) : NULL;
    if (!close || !read_position((struct ps_str){tag.ptr, (size_t)(close - tag.ptr)}, &rect)) {
        reject_rect(r, at, "the frame has no position");
        return;
    }
    if (r->tree.n >= ST_ROWS_MAX) {
        reject_rect(r, at, "the picture has too many frames");
        return;
    }
    r->number.len = 0;
    ps_clean_text(&r->number, title.name);
    rect.name = frame_id(r, ps_buf_slice(&r->number));
    r->sources += rect.name == SV_SOURCE;
    PS_RESERVE_ONE(r->tree.rects, r->tree.n, r->tree.cap);
    r->tree.rects[r->tree.n++] = rect;
}

static void parse_frames(struct reader *r)
{
    struct ps_str all = ps_buf_slice(&r->bytes), rest = all;
    const char *at;

    while ((at = ps_str_find(rest, PS_STR("<title>")))) {
        const char *end;

        rest = ps_str_skip(rest, (size_t)(at - rest.ptr) + 7);
        end = ps_str_find(rest, PS_STR("</title>"));
        if (!end)
            return;
        parse_frame(r, (struct ps_str){rest.ptr, (size_t)(end - rest.ptr)},
                    ps_str_skip(rest, (size_t)(end - rest.ptr) + 8), (uint64_t)(at - all.ptr));
        rest = ps_str_skip(rest, (size_t)(end - rest.ptr) + 8);
    }
}

/* --- Reporting --- */

static void write_count(struct reader *r, enum ps_severity severity, uint64_t n, const char *what)
{
    if (n)
        ps_sink_note(r->out, severity, PS_NOTE_NO_OFFSET, 0, "%s: %llu", what,
                     (unsigned long long)n);
}

/* Returns the title of the picture, stored in r->number; empty: it has none. */
static struct ps_str read_heading(struct reader *r)
{
    const char *at = ps_str_find(ps_buf_slice(&r->bytes), PS_STR("id=\"title\""));
    struct ps_str rest = {NULL, 0};
    const char *open, *close;

    if (!at)
        return PS_STR("");
    rest = ps_str_skip(ps_buf_slice(&r->bytes), (size_t)(at - r->bytes.ptr));
    rest.len = rest.len < 65536 ? rest.len : 65536;
    open = memchr(rest.ptr, '>', rest.len);
    rest = open ? ps_str_skip(rest, (size_t)(open - rest.ptr) + 1) : PS_STR("");
    close = rest.len ? memchr(rest.ptr, '<', rest.len) : NULL;
    if (!close)
        return PS_STR("");
    r->number.len = 0;
    ps_clean_text(&r->number,
                  unescape_xml(&r->text, (struct ps_str){rest.ptr, (size_t)(close - rest.ptr)}));
    return r->number.len ? ps_buf_slice(&r->number) : PS_STR("");
}

static void write_title(struct reader *r)
{
    struct ps_str heading = read_heading(r);

    /* Only the tool is stored, not the command line, because the arguments may contain
     * passwords. */
    if (r->is_fil)
        ps_sink_meta(r->out, "tool", PS_STR("Fil"));
    if (ps_str_starts_with(heading, PS_STR("py-spy")))
        ps_sink_meta(r->out, "tool", PS_STR("py-spy"));
    else if (heading.len && heading.len < 200)
        ps_sink_meta(r->out, "title", heading);
}

static void write_all(struct reader *r)
{
    struct ps_ledger ledger = {.unit = "frames",
                               .read = r->read,
                               .stored = r->read - r->rejected - r->rounded - r->sources,
                               .repaired = r->rounded,
                               .rejected = r->rejected,
                               .other = r->sources};

    write_title(r);
    st_write(&r->stacks);
    ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                 "the file omits frames too narrow to draw: their weight counts as self weight of "
                 "the frame below");
    write_count(r, PS_NOTE_WARNING, r->tree.orphans,
                "frames whose caller is not drawn, added to the nearest caller that is");
    write_count(r, PS_NOTE_WARNING, r->tree.excess,
                "weights computed from the widths of the boxes, because the picture rounds; frames "
                "lighter than their callees");
    write_count(r, PS_NOTE_WARNING, r->rounded, "weights rounded to thousandths");
    r->out->ops->ledger(r->out, &ledger);
}

static enum ps_status refuse_weights(struct ps_err *err)
{
    return ps_fail(err, PS_BAD_INPUT,
                   "the picture contains no frame with a weight" PS_HINT
                   "its titles have no counts, as in flameprof pictures; add the original profile");
}

static enum ps_status build_tree(struct reader *r, struct ps_err *err)
{
    struct ps_str heading = read_heading(r);
    uint32_t track, process;

    r->is_fil = ps_str_starts_with(heading, PS_STR("Peak Tracked Memory Usage"));
    r->tree.is_reversed = r->is_fil && ps_str_find(heading, PS_STR(", Reversed"));
    r->stacks.label = r->is_fil ? st_fil_label : NULL;
    parse_frames(r);
    if (!sv_tree_link(&r->tree))
        return refuse_weights(err);
    r->stacks.has_fractions |= sv_tree_spread(&r->tree);
    process = st_process_id(&r->stacks, PS_STR(""), PS_STR(""));
    if (st_add_track(&r->stacks, process, PS_STR("all stacks"), PS_STR(""), &track, err) != PS_OK ||
        sv_tree_push(&r->tree, &r->stacks, track, err) != PS_OK)
        return err->code;
    if (!r->stacks.n_samples)
        return refuse_weights(err);
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.out = out, .stacks = {.out = out}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "flame graph", &r.bytes, out, err);

    if (status != PS_OK && ps_stream_is_truncated(in)) {
        ps_sink_note(out, PS_NOTE_WARNING, err->offset, 0,
                     "%s; perfshelf imported the data before that point", err->text);
        *err = (struct ps_err)PS_ERR_INIT;
        status = PS_OK;
    }
    if (status == PS_OK)
        status = build_tree(&r, err);
    if (status == PS_OK)
        write_all(&r);
    st_free(&r.stacks);
    free(r.tree.rects);
    ps_buf_free(&r.bytes);
    ps_buf_free(&r.text);
    ps_buf_free(&r.number);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    while (head.len && head.ptr[0] && strchr(" \t\r\n", head.ptr[0]))
        head = ps_str_skip(head, 1);
    if (!head.len || head.ptr[0] != '<' || !ps_str_find(head, PS_STR("<svg")))
        return PS_MATCH_NO;
    return ps_str_find(head, PS_STR("id=\"frames\"")) || ps_str_find(head, PS_STR("func_g")) ||
                   ps_str_find(head, PS_STR("fg:x="))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_flamegraph_svg = {
    .kind = "flamegraph-svg",
    .label = "Flame graph picture",
    .description =
        "SVG flame graphs of py-spy, Fil, inferno and flamegraph.pl, converted back to stacks",
    .record_command = "py-spy record -o profile.svg -- python app.py",
    .sniff = sniff,
    .load = load,
};
