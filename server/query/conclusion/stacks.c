/* SPDX-License-Identifier: MIT */
/*
 * stacks.c: the conclusion of sampled stacks, and of traces of Python calls.
 *
 * Time is charged to functions of the program (stack_time.h). If they cause too little of it, and
 * for stacks of memory, each stack belongs to one owner, by its innermost frame: a function of the
 * program is an owner of its own; functions of an installed package or of a module of the standard
 * library share one owner; native and built-in code belongs to the owner of the Python function
 * above it. So the weights of the owners add up to the weight of all stacks. A stack whose
 * innermost function waits belongs to the innermost function of the program in it, apart from the
 * time that this function works.
 *
 * A thread that nearly always waits is idle: it is left out, because a program may have any number
 * of them. If all threads are idle, none is left out.
 *
 * Samples without a frame (importers/stacks/stacks.h) are part of the total, but nothing that
 * somebody can change. A function whose samples are all at one line may wait there, because
 * time.sleep() and other C functions have no frame. It is said so if the profile has samples that
 * wait: py-spy without --idle, for example, leaves those out.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tree.h"
#include "importers/records/stacks.h"
#include "server/query/conclusion/causes.h"
#include "server/query/conclusion/stack_time.h"

#define CAUSE_SHARE 0.05 /* owners with a smaller share of the total are not causes */
#define PART_SHARE  0.10 /* parts with a smaller share of their owner are not listed */
#define NOTHING     0.10 /* if no owner has more, nothing stands out */
/* Parts of the recording that are of no use are said first from this percentage on. */
#define QUALITY_PCT 10
#define CAUSES_MAX  20
#define PARTS_MAX   4
/* Of the longest thread's time: if no thread works for more, the program waits. */
#define ACTIVE_SHARE 0.3
#define DEPTH_MAX    (1u << 16)
/* Of a profile with both: lines with less CPU time for the time of a clock wait. */
#define WAIT_CPU_SHARE 0.1

/* --- Reading --- */

/* The owners of the stacks whose innermost function is this one: indexes + 1; 0: not yet known. */
struct function_owners {
    uint32_t owner, waiting_owner;
};

struct owner {
    int64_t weight;
    bool waits;
    uint32_t function;     /* text id; 0: a package */
    struct ps_str package; /* slice of a text of the run */
};

struct thread {
    struct ps_str name;
    int64_t weight, waiting;
    bool is_left_out;
};

/* A frame of the current stack. Depths are indices into the stack + 1; 0: none. */
struct open_frame {
    uint32_t text;
    uint8_t family;       /* of its slice */
    uint32_t python, own; /* depth of the nearest such frame, from this one outward */
    bool waits;           /* this one or another frame inside of `python` waits */
    bool is_named;        /* this frame or one around it has a name */
};

/* What the text of a frame says. */
enum { HAS_NAME = 1, IS_OF_PROFILER = 2 };

struct reader {
    struct ps_db *db;
    struct ps_stack_frames frames;
    struct ps_stack_waits waits;
    struct ps_stack_selection part;
    struct function_owners *owners_of; /* by text id of the function */
    uint8_t *text_flags;               /* by text id: HAS_NAME, IS_OF_PROFILER */
    struct ps_arena arena;
    struct thread *threads; /* by track id */
    size_t n_threads;
    uint32_t track;
    struct open_frame *open;
    size_t n_open, cap_open;
    bool counts_threads; /* first pass: only the weights of the threads */
    bool are_devices;    /* the tracks are devices, not threads that wait or work */
    bool weighs_waits;   /* the weights are moments of a clock, in which threads may wait */

    struct owner *owners;
    size_t n_owners, cap_owners;
    struct ps_intern packages;
    uint32_t *package_owner[2]; /* [waits][id of the package]: index + 1 */
    size_t n_package_owner[2];
    /* Weights of parts of owners: `parent` is the owner, `key` the text id of a function */
    struct ps_tree parts;
    /* ... and of the places where owners work or are called: text ids of frames */
    struct ps_tree places;
    int64_t weight;                  /* of all threads that are not left out */
    int64_t by_origin[PS_N_ORIGINS]; /* the same by the origin of the innermost frame */
    int64_t frameless;               /* of samples without a frame */
    int64_t nameless, with_frames;   /* of stacks whose functions have no names; of all stacks */
    uint32_t no_frame;               /* text id of their frame; 0: there are none */
    bool has_waiting;                /* some samples wait */
    bool has_native;                 /* some frames are of native or built-in code */
    int sign;                        /* of the weights that are read */
    int sign_of_sum;           /* of all weights; -1: of a difference, what shrank is judged */
    bool tracks_are_threads;   /* or parts of them */
    bool knows_cpu;            /* which lines wait is told by the CPU time of their samples */
    bool has_all_threads;      /* the profiler records more than the thread that started it */
    bool has_def_lines;        /* lines are those of the `def`, not those that ran */
    double n_samples, seconds; /* of the recording; NaN: unknown */
    double late_pct;           /* percentage of samples that were taken too late */
    double gc_pct;             /* percentage of the time in the garbage collector */
    struct ps_tree
        by_thread; /* weights of lines that ran: `parent` is the text id, `key` the track */
    double scale;  /* divisor of weights */
    const char *unit;
};

static void reader_free(struct reader *r)
{
    ps_stack_frames_free(&r->frames);
    ps_stack_waits_free(&r->waits);
    ps_stack_selection_free(&r->part);
    free(r->owners_of);
    free(r->text_flags);
    free(r->threads);
    free(r->open);
    free(r->owners);
    ps_intern_free(&r->packages);
    free(r->package_owner[0]);
    free(r->package_owner[1]);
    ps_tree_free(&r->parts);
    ps_tree_free(&r->places);
    ps_tree_free(&r->by_thread);
    ps_arena_free(&r->arena);
}

static uint32_t add_owner(struct reader *r, struct owner owner)
{
    PS_RESERVE_ONE(r->owners, r->n_owners, r->cap_owners);
    r->owners[r->n_owners++] = owner;
    return (uint32_t)r->n_owners;
}

static uint32_t owner_of_package(struct reader *r, struct ps_str package, bool waits)
{
    uint32_t id = ps_intern_add(&r->packages, package);

    r->package_owner[waits] = ps_grow_to(r->package_owner[waits], &r->n_package_owner[waits], id,
                                         sizeof *r->package_owner[waits]);
    if (!r->package_owner[waits][id])
        r->package_owner[waits][id] =
            add_owner(r, (struct owner){.waits = waits, .package = r->packages.items[id]});
    return r->package_owner[waits][id];
}

/* The index of the owner of a frame. */
static uint32_t owner_of(struct reader *r, uint32_t text, bool waits)
{
    uint32_t function = ps_stack_function(&r->frames, text);
    struct function_owners *owners = &r->owners_of[function];
    uint32_t *owner = waits ? &owners->waiting_owner : &owners->owner;
    const struct ps_frame_kind *kind = &r->waits.kinds[text];

    if (!*owner && kind->is_python && !kind->is_own) {
        struct ps_frame_name name = ps_frame_name_parse(ps_trace_text(r->db, text));

        *owner = owner_of_package(r, ps_frame_package(&name), waits);
    } else if (!*owner) {
        *owner = add_owner(r, (struct owner){.waits = waits, .function = function});
    }
    return *owner - 1;
}

/* Whether the weights are memory of the process: it counts for the innermost function of the
 * program in a stack, whatever that calls. */
static bool is_memory(const struct reader *r)
{
    return !r->are_devices && strcmp(r->unit, "bytes") == 0;
}

static void add_weight(struct ps_tree *weights, uint32_t owner, uint32_t text, int64_t weight)
{
    uint32_t node = ps_tree_child(weights, owner, text, 0, 0);

    weights->nodes[node].total = ps_add_saturated(weights->nodes[node].total, weight);
}

/* The innermost frame of the current stack that is not of the profiler itself, or the outermost. */
static const struct open_frame *find_leaf(const struct reader *r)
{
    size_t n = r->n_open;

    while (n > 1 && r->text_flags[r->open[n - 1].text] & IS_OF_PROFILER)
        n--;
    return &r->open[n - 1];
}

/* Adds the current stack. */
static void add_stack(struct reader *r, int64_t weight)
{
    const struct open_frame *leaf = find_leaf(r);
    const bool has_frame =
        leaf->text != r->no_frame && !(r->text_flags[leaf->text] & IS_OF_PROFILER);
    uint32_t python = leaf->python ? r->open[leaf->python - 1].text : leaf->text,
             own = leaf->own ? r->open[leaf->own - 1].text : 0;
    bool waits = r->weighs_waits && (leaf->waits || r->waits.kinds[python].waits);
    uint32_t owner, part;
    int64_t *origin;

    if (r->counts_threads) {
        struct thread *thread = &r->threads[r->track];

        thread->weight = ps_add_saturated(thread->weight, weight);
        thread->waiting = ps_add_saturated(thread->waiting, waits ? weight : 0);
        r->has_waiting |= waits;
        r->has_native |= !r->waits.kinds[leaf->text].is_python && leaf->text != r->no_frame;
        if (has_frame) {
            r->with_frames = ps_add_saturated(r->with_frames, weight);
            r->nameless = ps_add_saturated(r->nameless, leaf->is_named ? 0 : weight);
        }
        return;
    }
    origin = &r->by_origin[ps_stack_origin(&r->frames, leaf->text, leaf->family)];
    *origin = ps_add_saturated(*origin, weight);
    if (!has_frame) {
        r->frameless = ps_add_saturated(r->frameless, weight);
        r->weight = ps_add_saturated(r->weight, weight);
        return;
    }
    owner = owner_of(r, (waits || is_memory(r)) && own ? own : python, waits);
    part = ps_stack_function(&r->frames, r->owners[owner].function && !waits ? leaf->text : python);
    r->owners[owner].weight = ps_add_saturated(r->owners[owner].weight, weight);
    r->weight = ps_add_saturated(r->weight, weight);
    add_weight(&r->parts, owner, part, weight);
    if (own || r->owners[owner].function)
        add_weight(&r->places, owner, own ? own : python, weight);
    if (own && own == leaf->text)
        add_weight(&r->by_thread, own, r->track, weight);
}

/* Whether a frame is a piece of the function that encloses it: a comprehension or a lambda. */
static bool is_piece(const struct reader *r, uint32_t text)
{
    static const char *const pieces[] = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>",
                                         "<lambda>"};
    const struct ps_frame_name name = ps_frame_name_parse(ps_trace_text(r->db, text));

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        if (ps_str_ends_with(name.function, ps_str_from_c(pieces[i])))
            return true;
    return false;
}

static void add_slice(struct reader *r, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t depth = ps_chunk_value(chunk, PS_COL_DEPTH, i),
            text = ps_chunk_value(chunk, PS_COL_NAME, i),
            self = ps_chunk_value(chunk, PS_COL_SELF, i);
    const struct open_frame *up;
    const struct ps_frame_kind *kind;
    struct open_frame frame;

    if (!ps_stack_function(&r->frames, text))
        return;
    if (depth >= 0 && (uint64_t)depth < r->n_open)
        r->n_open = (size_t)depth;
    if (r->n_open >= DEPTH_MAX)
        return;
    kind = ps_stack_frame_kind(&r->waits, (uint32_t)text,
                               (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i));
    PS_RESERVE_ONE(r->open, r->n_open, r->cap_open);
    up = r->n_open ? &r->open[r->n_open - 1] : NULL;
    frame = (struct open_frame){.text = (uint32_t)text,
                                .family = (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i),
                                .python = up ? up->python : 0,
                                .own = up ? up->own : 0,
                                .is_named =
                                    (up && up->is_named) || (r->text_flags[text] & HAS_NAME) != 0,
                                .waits = !kind->is_python && (kind->waits || (up && up->waits))};
    r->n_open++;
    frame.python = kind->is_python ? (uint32_t)r->n_open : frame.python;
    if (kind->is_own && !(frame.own && is_memory(r) && is_piece(r, (uint32_t)text)))
        frame.own = (uint32_t)r->n_open;
    r->open[r->n_open - 1] = frame;
    if (self > 0)
        add_stack(r, self * r->sign);
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;

    if (chunk->track != r->track)
        r->n_open = 0;
    r->track = chunk->track;
    if (chunk->track >= r->n_threads || r->threads[chunk->track].is_left_out)
        return true;
    for (uint32_t i = 0; i < chunk->n; i++)
        add_slice(r, chunk, i);
    return true;
}

static enum ps_status read_tracks_of(struct reader *r, const struct ps_track_set *tracks, int sign,
                                     struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .range = PS_RANGE_ALL,
        .tracks = tracks,
        .columns = PS_COL_BIT(PS_COL_SELF) | PS_COL_BIT(PS_COL_DEPTH) | PS_COL_BIT(PS_COL_NAME) |
                   PS_COL_BIT(PS_COL_FAMILY),
    };

    r->track = 0;
    r->n_open = 0;
    r->sign = sign;
    return ps_trace_each_chunk(r->db, &query, add_chunk, r, err);
}

static enum ps_status read_stacks(struct reader *r, struct ps_err *err)
{
    if (!r->part.has_no_tracks && read_tracks_of(r, &r->part.tracks, r->sign_of_sum, err) != PS_OK)
        return err->code;
    return r->part.negated.n ? read_tracks_of(r, &r->part.negated, -r->sign_of_sum, err)
                             : err->code;
}

/* Whether the sample type is CPU time, in which nothing waits for a lock. */
static bool is_cpu_time(const struct reader *r)
{
    return strstr(r->part.sample_type_name, "cpu") || strstr(r->part.sample_type_name, "CPU");
}

/* Whether the sample type is time in which threads wait for each other: "delay" of Go's profiles of
 * mutexes and blocks, "lock-acquire-wait" of ddtrace. */
static bool is_contention(const struct reader *r)
{
    static const char *const words[] = {"delay", "contention", "wait"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(r->part.sample_type_name, words[i]))
            return true;
    return false;
}

/* Whether things are counted, such as goroutines or exceptions, and not moments of a clock. */
static bool is_count(const struct reader *r)
{
    return r->part.sample_type && strcmp(r->unit, "s") != 0 && strcmp(r->unit, "bytes") != 0 &&
           strcmp(r->unit, "samples") != 0;
}

/* Whether objects are counted. Profilers sample allocations, so a few objects tell little. */
static bool counts_objects(const struct reader *r)
{
    return strcmp(r->part.unit, "objects") == 0;
}

static enum ps_status read_threads(struct reader *r, const struct ps_conclusion *c,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_stack_selection_read(r->db, c->params, &r->part, err);
    ps_db_prepare(r->db, ps_query_sql("conclude_threads"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t id = ps_col_int(stmt, 0);

        if (id <= 0 || id > UINT32_MAX ||
            !ps_try_grow_to(&r->threads, &r->n_threads, (size_t)id, sizeof *r->threads))
            return ps_fail(err, PS_BAD_INPUT, "track %lld: invalid id", (long long)id);
        r->threads[id].name = ps_arena_copy(&r->arena, ps_col_text(stmt, 1));
        r->tracks_are_threads |= !ps_str_starts_with(r->threads[id].name, PS_STR("all "));
        r->unit = r->part.unit;
    }
    r->scale = r->part.scale;
    if (r->part.sample_type) {
        /* a sample of the file may be the sum of many that the profiler took */
        r->n_samples =
            strcmp(r->part.unit, "samples") == 0 || counts_objects(r) ? r->part.total : NAN;
        r->seconds = strcmp(r->part.unit, "s") == 0 ? r->part.total : NAN;
    }
    if (r->unit && strcmp(r->unit, "B") == 0)
        r->unit = "bytes";
    return err->code;
}

/* --- Threads --- */

struct thread_counts {
    size_t all, worked, left_out; /* threads with stacks */
    uint32_t most_active;         /* track id; 0: none */
    int64_t activity;             /* weight of that thread without waiting */
};

static bool is_idle(const struct thread *thread)
{
    return (double)thread->waiting >= PS_STACK_IDLE_SHARE * (double)thread->weight;
}

static struct thread_counts leave_out_idle_threads(struct reader *r)
{
    struct thread_counts counts = {.activity = -1};

    if (!r->tracks_are_threads)
        return counts;
    for (size_t i = 0; i < r->n_threads; i++) {
        counts.all += r->threads[i].weight > 0;
        counts.worked += r->threads[i].weight > 0 && !is_idle(&r->threads[i]);
    }
    for (size_t i = 0; i < r->n_threads; i++) {
        struct thread *thread = &r->threads[i];

        if (thread->weight <= 0)
            continue;
        thread->is_left_out = counts.worked > 0 && is_idle(thread);
        counts.left_out += thread->is_left_out;
        if (!thread->is_left_out && thread->weight - thread->waiting > counts.activity) {
            counts.activity = thread->weight - thread->waiting;
            counts.most_active = (uint32_t)i;
        }
    }
    return counts;
}

/* --- Sentences --- */

/* Weights of one owner in reader.parts or .places, sorted. */
struct weights {
    const struct ps_tree_node **nodes; /* largest first */
    size_t n;
};

static int by_owner_and_weight(const void *a, const void *b)
{
    const struct ps_tree_node *x = *(const struct ps_tree_node *const *)a,
                              *y = *(const struct ps_tree_node *const *)b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static const struct ps_tree_node **sort_weights(const struct ps_tree *weights)
{
    const struct ps_tree_node **nodes = ps_alloc_array(weights->n + 1, sizeof *nodes);

    for (size_t i = 0; i < weights->n; i++)
        nodes[i] = &weights->nodes[i];
    qsort(nodes, weights->n, sizeof *nodes, by_owner_and_weight);
    return nodes;
}

static struct weights weights_of(const struct ps_tree_node **sorted, size_t n, uint32_t owner)
{
    struct weights found = {sorted, 0};

    while (n && found.nodes[0]->parent != owner)
        found.nodes++, n--;
    while (found.n < n && found.nodes[found.n]->parent == owner)
        found.n++;
    return found;
}

struct answer {
    struct reader *r;
    struct ps_conclusion *c;
    const struct ps_tree_node **parts, **places;
    struct thread_counts threads;
    double total;
};

static double amount_of(const struct answer *a, int64_t weight)
{
    return (double)weight / a->r->scale;
}

static struct ps_report_link link_function(struct ps_conclusion *c, uint32_t function)
{
    return (struct ps_report_link){
        "stack-functions",
        {{"fn", ps_conclusion_id(c, function)}, {"sort", "self"}, {"desc", "1"}}};
}

static struct ps_report_link link_line(struct ps_conclusion *c, uint32_t text)
{
    return (struct ps_report_link){"sandwich",
                                   {{"fn", ps_conclusion_id(c, text)}, {"mode", "line"}}};
}

static struct ps_report_link link_owner(const struct answer *a, const struct owner *owner)
{
    struct ps_conclusion *c = a->c;

    if (owner->function && owner->waits)
        return (struct ps_report_link){"sandwich", {{"fn", ps_conclusion_id(c, owner->function)}}};
    return owner->function
               ? link_function(c, owner->function)
               : (struct ps_report_link){"stack-functions",
                                         {{"q", ps_arena_copy(&c->arena, owner->package).ptr},
                                          {"sort", "self"},
                                          {"desc", "1"}}};
}

static struct ps_frame_name name_of(const struct answer *a, uint32_t text)
{
    return ps_frame_name_parse(ps_trace_text(a->r->db, text));
}

static struct ps_subject function_subject(const struct answer *a, struct ps_report_link link,
                                          uint32_t text)
{
    const struct ps_frame_name name = name_of(a, text);
    /* an address means nothing without its library */
    const bool has_name = name.function.len && !ps_str_starts_with(name.function, PS_STR("0x"));

    return ps_subject_of(a->c, PS_SUBJECT_FUNCTION, link, has_name ? name.function : name.text);
}

static struct ps_subject owner_subject(const struct answer *a, const struct owner *owner)
{
    const struct ps_report_link link = link_owner(a, owner);

    return owner->function ? function_subject(a, link, owner->function)
                           : ps_subject_of(a->c, PS_SUBJECT_PACKAGE, link, owner->package);
}

/* The unit of values in sentences. Some files state none. */
static const char *value_unit(const struct answer *a)
{
    return a->r->unit[0] ? a->r->unit : "count";
}

/* Whether a function may wait, if the weights are of time: all its samples are at one line, without
 * a frame of native code. */
static bool may_wait(const struct answer *a, uint32_t id)
{
    const struct owner *owner = &a->r->owners[id];
    struct weights places = weights_of(a->places, a->r->places.n, id),
                   parts = weights_of(a->parts, a->r->parts.n, id);

    return a->r->has_waiting && !a->r->has_def_lines && !a->r->frames.idle_from &&
           strcmp(a->r->unit, "bytes") != 0 && !a->r->are_devices && owner->function &&
           !owner->waits && places.n == 1 && parts.n == 1 &&
           parts.nodes[0]->key == owner->function && name_of(a, places.nodes[0]->key).line;
}

/* The line of a frame; PS_SUBJECT_NONE: it has none. */
static struct ps_subject line_subject(const struct answer *a, uint32_t text)
{
    const struct ps_frame_name name = name_of(a, text);

    if (!name.file.len || !name.line)
        return ps_no_subject;
    return (struct ps_subject){.kind = PS_SUBJECT_LINE,
                               .path = ps_arena_copy(&a->c->arena, name.file),
                               .line = name.line,
                               .link = link_line(a->c, text)};
}

/* The place with the most of an owner, or the one that calls it most. */
static struct ps_fact place_fact(const struct answer *a, uint32_t id)
{
    const struct owner *owner = &a->r->owners[id];
    const struct weights places = weights_of(a->places, a->r->places.n, id);
    struct ps_fact fact = {.unit = value_unit(a)};

    if (!places.n)
        return fact;
    fact.subject = line_subject(a, places.nodes[0]->key);
    if (fact.subject.kind == PS_SUBJECT_NONE)
        return fact;
    fact.link = fact.subject.link;
    fact.values[0] = amount_of(a, places.nodes[0]->total);
    if (a->r->has_def_lines && owner->function)
        fact.code = PS_FACT_DEFINED_AT;
    else if (places.nodes[0]->total < owner->weight)
        fact.code = owner->function ? PS_FACT_MUCH_AT : PS_FACT_MUCH_CALLED_FROM;
    else
        fact.code = !owner->function  ? PS_FACT_ALL_CALLED_FROM
                    : may_wait(a, id) ? PS_FACT_AT_MAY_WAIT
                                      : PS_FACT_AT;
    return fact;
}

static void add_parts(const struct answer *a, uint32_t id)
{
    const struct owner *owner = &a->r->owners[id];
    struct weights parts = weights_of(a->parts, a->r->parts.n, id);

    if (parts.n == 1 && parts.nodes[0]->key == owner->function)
        return; /* the part is the owner */
    for (size_t i = 0; i < parts.n && i < PARTS_MAX; i++) {
        uint32_t function = parts.nodes[i]->key;
        double amount = amount_of(a, parts.nodes[i]->total);
        struct ps_claim claim;

        if (amount < PART_SHARE * amount_of(a, owner->weight))
            return;
        claim = function == owner->function
                    ? ps_claim_of(
                          "self", PS_TAKES,
                          ps_subject_of(a->c, PS_SUBJECT_PART, ps_link_none, PS_STR("own code")),
                          amount / a->total)
                    : ps_claim_of("callee", PS_TAKES,
                                  function_subject(a, link_function(a->c, function), function),
                                  amount / a->total);
        ps_conclusion_claim_part(a->c, &claim, amount);
    }
}

static bool is_too_short(const struct reader *r)
{
    return r->n_samples < PS_SAMPLES_MIN || r->seconds < PS_SECONDS_MIN;
}

/* The number of threads that are at one place of an owner most of their time, if all of its weight
 * is theirs. They wait for a lock there, or take turns with the GIL. */
static size_t count_threads_at(const struct answer *a, uint32_t id)
{
    const struct reader *r = a->r;
    struct weights places = weights_of(a->places, r->places.n, id);
    size_t n = 0;

    if (!places.n || r->are_devices || r->owners[id].waits)
        return 0;
    for (size_t i = 0; i < r->by_thread.n; i++) {
        const struct ps_tree_node *node = &r->by_thread.nodes[i];

        n += node->parent == places.nodes[0]->key && node->total > r->threads[node->key].weight / 2;
    }
    return n > 1 ? n : 0;
}

/* Whether the bytes are those that are still in use, and not all that were ever allocated: Go and
 * pyroscope say "inuse_space", ddtrace "heap-space", JAX and tcmalloc "space". */
static bool is_in_use(const struct reader *r)
{
    const char *name = r->part.sample_type_name;

    return strcmp(r->unit, "bytes") == 0 &&
           (strstr(name, "inuse") || strstr(name, "heap") || strcmp(name, "space") == 0);
}

static void add_cause(const struct answer *a, uint32_t id)
{
    const struct owner *owner = &a->r->owners[id];
    const double amount = amount_of(a, owner->weight), share = amount / a->total;
    struct ps_claim claim = ps_claim_of(owner->waits      ? "waiting"
                                        : owner->function ? "function"
                                                          : "package",
                                        owner->waits      ? PS_WAITS
                                        : is_in_use(a->r) ? PS_HOLDS
                                                          : PS_TAKES,
                                        owner_subject(a, owner), share);
    struct ps_cause *cause;

    if (owner->waits) {
        claim.title.code = PS_FACT_WAITING_IN;
        claim.waits = share;
        claim.waits_for = "unknown";
    }
    claim.evidence = place_fact(a, id);
    cause = ps_conclusion_claim(a->c, &claim, amount);
    if (!count_threads_at(a, id) && strcmp(a->r->unit, "bytes") != 0)
        ps_cause_save(cause, owner->waits || may_wait(a, id) || is_too_short(a->r) ? 0 : NAN,
                      amount);
    add_parts(a, id);
}

static int by_weight(const void *a, const void *b)
{
    const struct owner *x = *(const struct owner *const *)a, *y = *(const struct owner *const *)b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x > y) - (x < y);
}

/* What shares are of, if not of the time. A profile with values below 0 is the difference of two:
 * what grew is judged. */
static const char *whole_of(const struct reader *r)
{
    if (r->part.negated.n)
        return r->sign_of_sum > 0 ? "growth" : "decrease";
    return strcmp(r->unit, "samples") == 0      ? "samples"
           : strcmp(r->unit, "bytes") == 0      ? "memory"
           : strcmp(r->unit, "goroutines") == 0 ? "goroutines"
           : strcmp(r->unit, "s") == 0          ? "waiting time"
                                                : "total";
}

/* Adds the threads that are left out, and the most active one. */
static void add_thread_facts(const struct answer *a)
{
    const uint32_t thread = a->threads.most_active;
    const struct ps_report_link link = {"stack-flame",
                                        {{"threads", ps_conclusion_id(a->c, thread)}}};

    if (a->threads.left_out)
        ps_first_fact(
            a->c, (struct ps_fact){PS_FACT_IDLE_THREADS, .values = {(double)a->threads.worked,
                                                                    (double)a->threads.left_out}});
    if (a->threads.worked < 2 || !thread || a->r->are_devices ||
        ps_str_starts_with(a->r->threads[thread].name, PS_STR("all ")))
        return; /* "all threads": the tracks are processes, whose threads are not named */
    ps_first_fact(a->c, (struct ps_fact){PS_FACT_MOST_ACTIVE,
                                         ps_subject_of(a->c, PS_SUBJECT_PROCESS, link,
                                                       a->r->threads[thread].name),
                                         .values = {amount_of(a, a->threads.activity)},
                                         .unit = value_unit(a), .link = link});
}

/* Whether shares are of all samples, and not of those of some threads. */
static bool is_of_total(const struct answer *a)
{
    return strcmp(a->c->base, "of total") == 0;
}

/* Adds what limits what the recording can tell. */
static void add_quality(const struct answer *a, double no_frame_share)
{
    const struct reader *r = a->r;
    const struct ps_fact facts[] = {
        {PS_FACT_NO_FRAMES, .values = {no_frame_share},
         .word = is_of_total(a) ? PS_STR("total") : PS_STR("threads that worked")},
        {PS_FACT_LATE, .values = {r->late_pct / 100}},
        {PS_FACT_COLLECTS, .values = {r->gc_pct / 100}},
    };

    if (is_too_short(r)) {
        ps_first_fact(a->c, r->seconds < PS_SECONDS_MIN
                                ? (struct ps_fact){PS_FACT_SHORT, .values = {r->seconds}}
                                : (struct ps_fact){counts_objects(r) ? PS_FACT_FEW_OBJECTS
                                                                     : PS_FACT_FEW_SAMPLES,
                                                   .values = {round(r->n_samples)}});
        ps_conclusion_note(a->c, "Record the real input, for at least %d samples and %.1f s.",
                           PS_SAMPLES_MIN, PS_SECONDS_MIN);
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (100 * facts[i].values[0] >= QUALITY_PCT)
            ps_first_fact(a->c, facts[i]);
}

/* Adds to the claim of the first owner its amount, and the threads that wait there or take turns.
 */
static void add_first_facts(const struct answer *a, const struct owner *first)
{
    const uint32_t id = (uint32_t)(first - a->r->owners);
    const size_t n_threads = a->r->has_def_lines ? 0 : count_threads_at(a, id);
    const struct weights places = weights_of(a->places, a->r->places.n, id);
    struct ps_subject line;

    ps_first_fact(a->c, (struct ps_fact){PS_FACT_AMOUNT_AT,
                                         .values = {amount_of(a, first->weight), a->total},
                                         .unit = value_unit(a), .link = {.tab = "stack-flame"}});
    if (!n_threads)
        return;
    line = line_subject(a, places.nodes[0]->key);
    if (line.kind != PS_SUBJECT_NONE)
        ps_first_fact(a->c,
                      (struct ps_fact){PS_FACT_TOGETHER, line, .values = {(double)n_threads}});
}

static void say_notes(const struct answer *a, double no_frame_share, bool is_own_code)
{
    if (no_frame_share >= 0.0005) /* less is written as 0.0 % */
        ps_conclusion_note(a->c,
                           "%.1f %% of the %s are samples without a frame: the profiler saw no "
                           "%s in the thread.",
                           100 * no_frame_share, is_of_total(a) ? "total" : "threads that worked",
                           a->r->part.sample_type ? "function" : "Python function");
    if (a->r->are_devices) {
        ps_conclusion_note(a->c,
                           "Native and built-in code counts for the Python function that calls "
                           "it, packages and modules of the standard library as a whole.");
        return;
    }
    if (is_memory(a->r)) {
        ps_conclusion_note(a->c, "What packages and native code allocate counts for the innermost "
                                 "function of the program that calls them.");
        return;
    }
    if (!is_own_code)
        ps_conclusion_note(a->c,
                           "Native and built-in code counts for the Python function that calls "
                           "it, packages and modules of the standard library as a whole. "
                           "Waiting that has no frame of its own, such as time.sleep() "
                           "without native frames, counts as work. A saving is what remains "
                           "if the code cost nothing.");
    if (a->threads.left_out)
        ps_conclusion_note(a->c, "A thread is idle if it waits at least 95 %% of its time.");
    if (a->r->frames.lacks_folders)
        ps_conclusion_note(a->c, "The profile names files without folders, so functions of "
                                 "packages count like functions of the program.");
}

/* Innermost frames by origin. The link selects the threads that are counted. */
static void compose(const struct answer *a, const double *values)
{
    PS_AUTO(ps_buf_free) struct ps_buf threads = {0};
    struct ps_report_link link = {.tab = "stack-flame"};

    for (size_t i = 0; a->threads.left_out && i < a->r->n_threads; i++)
        if (a->r->threads[i].weight > 0 && !a->r->threads[i].is_left_out)
            ps_buf_printf(&threads, "%s%zu", threads.len ? "," : "", i);
    if (threads.len)
        link.params[0] =
            (struct ps_param){"threads", ps_arena_copy(&a->c->arena, ps_buf_slice(&threads)).ptr};
    a->c->composition =
        (struct ps_composition){.title = strcmp(a->r->unit, "bytes") == 0 ? "Allocations by origin"
                                         : is_count(a->r)                 ? "Counts by origin"
                                                                          : "Self time by origin",
                                .unit = value_unit(a),
                                .base = a->c->base};
    ps_compose_origins(a->c, values, "native", link, false);
}

static int64_t longest_thread(const struct reader *r)
{
    int64_t longest = 0;

    for (size_t i = 0; i < r->n_threads; i++)
        longest = r->threads[i].weight > longest ? r->threads[i].weight : longest;
    return longest;
}

/* Whether the program as a whole waits: its most active thread does so for most of the recording.
 * Then the waits of idle threads may be what it waits for. */
static bool is_waiting_program(const struct reader *r)
{
    int64_t active = 0;

    for (size_t i = 0; i < r->n_threads; i++) {
        int64_t of_thread = r->threads[i].weight - r->threads[i].waiting;

        active = of_thread > active ? of_thread : active;
    }
    return (double)active < ACTIVE_SHARE * (double)longest_thread(r);
}

/* Adds the times of all tracks, charged to own functions. *is_said: own code causes enough of them,
 * so that the conclusion is said. */
static enum ps_status conclude_own_code(struct answer *a, bool has_calls, bool *is_said,
                                        struct ps_err *err)
{
    struct reader *r = a->r;
    PS_AUTO(ps_own_time_free) struct ps_own_time times = {.n_functions = 0};
    PS_AUTO(ps_free_ptr) bool *is_left_out = ps_alloc_array(r->n_threads + 1, sizeof *is_left_out);
    struct ps_stack_time stacks = {
        .db = r->db,
        .frames = &r->frames,
        .waits = &r->waits,
        .tracks = &r->part.tracks,
        .negated = &r->part.negated,
        .sign = r->sign_of_sum,
        .finds_locks = r->tracks_are_threads && !is_cpu_time(r),
        .is_left_out = is_left_out,
        .n_tracks = r->n_threads,
        .no_frame = r->no_frame,
        .scale = r->scale,
        .has_calls = has_calls,
        .has_def_lines = r->has_def_lines || has_calls,
        .skips_thread_waits = a->threads.all > 1 && !is_contention(r),
        .has_one_class = is_contention(r) || is_count(r),
        .class = is_contention(r) ? PS_TIME_LOCK : PS_TIME_WORK,
    };
    struct ps_stack_time_rest rest;
    bool is_waiting = is_waiting_program(r);

    for (size_t i = 0; i < r->n_threads; i++)
        is_left_out[i] = r->threads[i].is_left_out && !is_waiting;
    if (ps_stack_time_read(&stacks, &times, &rest, is_said, err) != PS_OK)
        return err->code;
    if (stacks.skips_thread_waits &&
        times.total_s * r->scale < ACTIVE_SHARE * (double)longest_thread(r)) {
        /* what the threads wait for is not in the profile */
        is_waiting = stacks.skips_thread_waits = false;
        for (size_t i = 0; i < r->n_threads; i++)
            is_left_out[i] = r->threads[i].is_left_out;
        ps_own_time_free(&times);
        if (ps_stack_time_read(&stacks, &times, &rest, is_said, err) != PS_OK)
            return err->code;
    }
    if (!*is_said)
        return PS_OK;
    for (size_t i = 0; i < r->n_threads && is_waiting; i++)
        r->threads[i].is_left_out = false;
    if (is_waiting)
        a->threads = (struct thread_counts){.all = a->threads.all, .worked = a->threads.worked};
    times.tab = has_calls ? "slices" : "stack-functions";
    times.whole =
        strcmp(r->unit, "s") == 0 && !is_contention(r) && !r->part.negated.n ? NULL : whole_of(r);
    times.is_too_short = is_too_short(r);
    times.hides_waits = !has_calls && !r->knows_cpu && r->has_waiting && !r->has_def_lines &&
                        !r->has_native && !r->frames.idle_from;
    times.has_all_threads = r->has_all_threads;
    a->c->base = a->threads.left_out || rest.skipped_s > 0 ? "of threads that worked" : "of total";
    *is_said = ps_conclude_charged_time(a->c, &times);
    if (!*is_said)
        return PS_OK;
    add_quality(a, rest.no_frame_s / times.total_s);
    add_thread_facts(a);
    if (rest.skipped_s >= CAUSE_SHARE * times.total_s)
        ps_conclusion_note(a->c, "Waits of threads for other threads, and of event loops, do not "
                                 "count: the other threads are in the profile.");
    /* a composition of waits left out, or of values below 0, would differ from the flame graph */
    if (!(rest.skipped_s > 0) && !r->part.negated.n)
        compose(a, rest.origins_s);
    say_notes(a, rest.no_frame_s / times.total_s, true);
    return PS_OK;
}

static void conclude(const struct answer *a)
{
    const struct reader *r = a->r;
    PS_AUTO(ps_free_ptr)
    const struct owner **ranks = ps_alloc_array(r->n_owners + 1, sizeof *ranks);
    double no_frame_share = r->weight > 0 ? (double)r->frameless / (double)r->weight : 0;
    double origins[PS_N_ORIGINS];
    size_t n = r->n_owners;

    if (!n || !(a->total > 0)) {
        ps_conclude_first(a->c, ps_claim_of(NULL, PS_TOO_FEW, ps_no_subject, NAN));
        ps_first_fact(a->c, (struct ps_fact){.code = r->frameless > 0  ? PS_FACT_ALL_FRAMELESS
                                                     : r->frames.n > 1 ? PS_FACT_ALL_ZERO
                                                                       : PS_FACT_NO_SAMPLES});
        say_notes(a, no_frame_share, false);
        return;
    }
    for (size_t i = 0; i < n; i++)
        ranks[i] = &r->owners[i];
    qsort(ranks, n, sizeof *ranks, by_weight);
    if (strcmp(r->unit, "s") != 0)
        a->c->whole = whole_of(r);
    for (size_t i = 0; i < n && i < CAUSES_MAX; i++)
        if (amount_of(a, ranks[i]->weight) >= CAUSE_SHARE * a->total)
            add_cause(a, (uint32_t)(ranks[i] - r->owners));
    if (amount_of(a, ranks[0]->weight) < NOTHING * a->total) {
        ps_conclude_flat(a->c, "function");
        ps_first_largest(a->c, owner_subject(a, ranks[0]),
                         amount_of(a, ranks[0]->weight) / a->total);
    } else {
        add_first_facts(a, ranks[0]);
    }
    add_quality(a, no_frame_share);
    add_thread_facts(a);
    for (size_t i = 0; i < PS_N_ORIGINS; i++)
        origins[i] = amount_of(a, r->by_origin[i]);
    compose(a, origins);
    say_notes(a, no_frame_share, false);
}

static enum ps_status read_summary(struct reader *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(r->db, ps_query_sql("conclude_stack_summary"), &stmt, err);
    r->n_samples = r->seconds = NAN;
    if (!ps_stmt_step(stmt, err))
        return err->code;
    r->has_def_lines = ps_col_int(stmt, 0) != 0;
    r->n_samples = ps_col_real_or_nan(stmt, 2);
    r->seconds = ps_col_real_or_nan(stmt, 3);
    r->late_pct = ps_col_real(stmt, 4);
    r->has_all_threads = ps_col_int(stmt, 5) != 0;
    r->gc_pct = ps_col_real(stmt, 6);
    return err->code;
}

/* --- Waits that CPU time tells --- */

/* Self times by text id of the frame, in seconds. */
struct self_times {
    double *s;
    size_t n;
    double scale;
};

static bool add_self_times(void *user, const struct ps_chunk *chunk)
{
    struct self_times *times = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t text = ps_chunk_value(chunk, PS_COL_NAME, i);

        if (text > 0 && (uint64_t)text < times->n)
            times->s[text] += (double)ps_chunk_value(chunk, PS_COL_SELF, i) / times->scale;
    }
    return true;
}

static enum ps_status read_self_times(struct reader *r, const struct ps_stack_selection *part,
                                      struct self_times *out, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .range = PS_RANGE_ALL,
        .tracks = &part->tracks,
        .columns = PS_COL_BIT(PS_COL_SELF) | PS_COL_BIT(PS_COL_NAME),
    };

    *out = (struct self_times){.s = ps_alloc_array(r->frames.n + 1, sizeof *out->s),
                               .n = r->frames.n,
                               .scale = part->scale};
    return part->has_no_tracks ? err->code
                               : ps_trace_each_chunk(r->db, &query, add_self_times, out, err);
}

/* Of a profile with the time of a clock and with CPU time, lines that have hardly any CPU time
 * wait. */
static enum ps_status find_waits_by_cpu(struct reader *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_stack_selection_free) struct ps_stack_selection cpu = {.scale = 1};
    struct self_times of_clock = {.s = NULL}, of_cpu = {.s = NULL};
    struct ps_param name = {"sample_type", NULL};

    if (!r->part.sample_type || strcmp(r->unit, "s") != 0)
        return err->code;
    ps_db_prepare(r->db, ps_query_sql("cpu_sample_type"), &stmt, err);
    ps_bind_int(stmt, ":clock", r->part.sample_type);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    name.value = ps_arena_copy(&r->arena, ps_col_text(stmt, 0)).ptr;
    ps_stack_selection_read(r->db, (struct ps_params){&name, 1}, &cpu, err);
    read_self_times(r, &r->part, &of_clock, err);
    read_self_times(r, &cpu, &of_cpu, err);
    for (uint32_t text = 1; text < r->frames.n && err->code == PS_OK; text++)
        if (of_clock.s[text] > 0 && of_cpu.s[text] < WAIT_CPU_SHARE * of_clock.s[text])
            ps_stack_frame_set_waiting(&r->waits, text);
    r->knows_cpu = true;
    free(of_clock.s);
    free(of_cpu.s);
    return err->code;
}

/* Of a difference of profiles, whether it is more or less in sum; its tracks are no threads of one
 * program. */
static void set_sign(struct reader *r)
{
    int64_t sum = 0;

    for (size_t i = 0; i < r->n_threads && r->part.negated.n; i++)
        sum = ps_add_saturated(sum, r->threads[i].weight);
    r->sign_of_sum = sum < 0 ? -1 : 1;
    r->tracks_are_threads &= !r->part.negated.n;
}

/* --- Names --- */

/* Whether a text names code only by its place in a library: "app+0x1f". */
static bool is_offset(struct ps_str text)
{
    size_t i = text.len;

    while (i > 0 && strchr("0123456789abcdef", text.ptr[i - 1]))
        i--;
    return i < text.len && i > 3 && memcmp(text.ptr + i - 3, "+0x", 3) == 0;
}

/* Whether a frame is of a profiler that takes samples inside of the program: of pprof-rs, whose
 * handler of signals walks the stack with the crate backtrace. */
static bool is_of_profiler(struct ps_str text)
{
    return ps_str_find(text, PS_STR("backtrace::backtrace::")) ||
           ps_str_find(text, PS_STR("backtrace_rs.rs")) ||
           ps_str_find(text, PS_STR("pprof::profiler::perf_signal_handler"));
}

static void read_text_flags(struct reader *r)
{
    r->text_flags = ps_alloc_array(r->frames.n + 1, sizeof *r->text_flags);
    for (uint32_t id = 1; id < r->frames.n; id++) {
        const struct ps_str text = ps_trace_text(r->db, id);
        const bool has_name = text.len && !ps_str_eq_c(text, "?") &&
                              !ps_str_starts_with(text, PS_STR("0x")) &&
                              !(r->part.sample_type && is_offset(text));

        r->text_flags[id] =
            (uint8_t)((has_name ? HAS_NAME : 0) |
                      (r->part.sample_type && is_of_profiler(text) ? IS_OF_PROFILER : 0));
        if (!r->no_frame && ps_str_eq_c(text, PS_NO_FRAME))
            r->no_frame = id;
    }
}

/* Says so if the profile does not name most of the code; no cause can be found then. */
static bool conclude_nameless(const struct answer *a)
{
    const struct reader *r = a->r;

    if (!(r->with_frames > 0) || r->nameless <= r->with_frames / 2)
        return false;
    ps_conclude_first(a->c, ps_claim_of(NULL, PS_TOO_FEW, ps_no_subject, NAN));
    ps_first_fact(a->c, (struct ps_fact){.code = PS_FACT_NO_NAMES});
    return true;
}

/* Reads what the stacks of all tracks have in common, and their weights by thread. */
static enum ps_status read_tracks(struct answer *a, struct ps_err *err)
{
    struct reader *r = a->r;

    ps_stack_frames_read(r->db, (struct ps_params){NULL, 0}, &r->frames, err);
    read_summary(r, err);
    read_threads(r, a->c, err);
    if (err->code != PS_OK)
        return err->code;
    read_text_flags(r);
    r->weighs_waits = strcmp(r->unit, "bytes") != 0 && !is_count(r) && !is_cpu_time(r);
    ps_stack_waits_init(&r->waits, r->db, &r->frames);
    r->owners_of = ps_alloc_array(r->frames.n + 1, sizeof *r->owners_of);
    if (find_waits_by_cpu(r, err) != PS_OK)
        return err->code;
    r->counts_threads = true;
    read_stacks(r, err);
    set_sign(r);
    a->threads = leave_out_idle_threads(r);
    r->counts_threads = false;
    a->c->unit = r->unit = ps_arena_copy(&a->c->arena, ps_str_from_c(r->unit)).ptr;
    return err->code;
}

static enum ps_status conclude_tracks(struct ps_db *db, bool are_devices, struct ps_conclusion *out,
                                      struct ps_err *err)
{
    PS_AUTO(reader_free)
    struct reader r = {.db = db, .unit = "samples", .are_devices = are_devices, .sign_of_sum = 1};
    struct answer answer = {.r = &r, .c = out};
    bool is_said = false;
    int64_t grown = 0; /* of a difference of profiles: shares are of all that grew */

    if (read_tracks(&answer, err) != PS_OK || conclude_nameless(&answer))
        return err->code;
    if (!are_devices && strcmp(r.unit, "bytes") != 0 &&
        conclude_own_code(&answer, false, &is_said, err) != PS_OK)
        return err->code;
    if (is_said || read_stacks(&r, err) != PS_OK)
        return err->code;
    out->base = answer.threads.left_out ? "of threads that worked" : "of total";
    for (size_t i = 0; i < r.n_owners && r.part.negated.n; i++)
        grown = ps_add_saturated(grown, r.owners[i].weight > 0 ? r.owners[i].weight : 0);
    answer.total = amount_of(&answer, r.part.negated.n ? grown : r.weight);
    answer.parts = sort_weights(&r.parts);
    answer.places = sort_weights(&r.places);
    conclude(&answer);
    free(answer.parts);
    free(answer.places);
    return PS_OK;
}

enum ps_status ps_conclude_python_trace(struct ps_db *db, bool is_sampled, bool *is_said,
                                        struct ps_conclusion *out, struct ps_err *err)
{
    PS_AUTO(reader_free) struct reader r = {.db = db, .unit = "s", .sign_of_sum = 1};
    struct answer answer = {.r = &r, .c = out};

    *is_said = false;
    if (read_tracks(&answer, err) != PS_OK)
        return err->code;
    out->unit = r.unit = "s";
    r.scale = 1e9;
    r.n_samples = r.seconds = NAN;
    r.late_pct = r.gc_pct = 0;
    return conclude_own_code(&answer, !is_sampled, is_said, err);
}

enum ps_status ps_conclude_stacks(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    return conclude_tracks(db, false, out, err);
}

enum ps_status ps_conclude_live_set(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    return conclude_tracks(db, true, out, err);
}
