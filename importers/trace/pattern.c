/* SPDX-License-Identifier: MIT */
/*
 * pattern.c: reads events that have the form of an earlier event, without parsing them.
 *
 * The events of a trace differ mostly in their numbers. The text between the numbers of an event is
 * its pattern. Each pattern remembers the patterns that followed it, since the next event is
 * probably one of these. An event is compared with them, and its numbers are read during the
 * comparison. If a pattern matches, the event need not be parsed, decoded or looked up. Otherwise
 * the event is compared with the patterns that have the same beginning, up to the name. If no
 * pattern matches, parse.c parses the event. A pattern is stored when an event has it for the
 * second time.
 */
#include <stdlib.h>

#include "base/hash_table.h"
#include "base/powers_of_ten.h"
#include "importers/trace/parse.h"
#include "importers/trace/plain_text.h"

/* --- Digits --- */

/* Decimal digits are read eight at a time, little-endian: most of the time is spent here. Eight
 * bytes must be readable from any digit. */

/* Returns the number of leading digits in x, which contains eight bytes, each XOR '0'. */
static inline unsigned digit_run(uint64_t x)
{
    uint64_t other = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;

    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* Returns the value of the first n digits of x, n from 1 to 8: combines pairs, then fours, then
 * eights. */
static inline uint64_t digits_value(uint64_t x, unsigned n)
{
    x <<= 64 - 8 * n;
    x = x * 10 + (x >> 8);
    return ((x & 0x000000ff000000ffu) * 0x000f424000000064u +
            (x >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
           32;
}

static inline uint64_t digits_at(const char *at)
{
    uint64_t x;

    memcpy(&x, at, 8);
    return x ^ 0x3030303030303030u;
}

/* Like read_digits, for input whose first eight bytes are digits. */
static inline unsigned read_8_digits(const char *at, uint64_t *value)
{
    unsigned n = 8, run = 8;

    *value = digits_value(digits_at(at), 8);
    while (run == 8 && n <= 18) {
        uint64_t x = digits_at(at + n);

        run = digit_run(x);
        if (run)
            *value = *value * (uint64_t)ps_powers_of_ten[run] + digits_value(x, run);
        n += run;
    }
    return n <= 18 ? n : 0;
}

/* Reads the digits at `at`, at most 18. Returns the number of digits; 0 if there are no digits or
 * more than 18. */
static inline unsigned read_digits(const char *at, uint64_t *value)
{
    uint64_t x = digits_at(at);
    unsigned n = digit_run(x);

    if (n == 8)
        return read_8_digits(at, value);
    *value = n ? digits_value(x, n) : 0;
    return n;
}

/* Reads a number in canonical form. Sets *decimals to the number of digits after its point. Returns
 * the position after the number; NULL: the number has another form. */
static inline const char *read_canonical(const char *at, int64_t *out, unsigned *decimals)
{
    bool minus = *at == '-';
    uint64_t whole, fraction = 0;
    unsigned n;

    at += minus;
    n = read_digits(at, &whole);
    *decimals = 0;
    if (n == 0 || (n > 1 && *at == '0'))
        return NULL;
    at += n;
    if (*at == '.') {
        *decimals = read_digits(at + 1, &fraction);
        if (*decimals == 0 || n + *decimals > 18)
            return NULL;
        at += 1 + *decimals;
        whole = whole * (uint64_t)ps_powers_of_ten[*decimals] + fraction;
    }
    if (minus && whole == 0)
        return NULL;
    *out = minus ? -(int64_t)whole : (int64_t)whole;
    return at;
}

/* Reads a number >= 0 as whole microseconds and the remainder in ns. Returns the position after the
 * number; NULL: there is no such number. */
static inline const char *read_us(const char *at, int64_t *us, int64_t *ns)
{
    uint64_t whole, fraction;
    unsigned n = read_digits(at, &whole), decimals;

    if (n == 0)
        return NULL;
    at += n;
    *us = (int64_t)whole;
    *ns = 0;
    if (*at != '.')
        return at;
    decimals = read_digits(at + 1, &fraction);
    if (decimals == 0)
        return NULL;
    if (decimals <= 3)
        fraction *= (uint64_t)ps_powers_of_ten[3 - decimals];
    else
        fraction = (fraction / (uint64_t)ps_powers_of_ten[decimals - 4] + 5) / 10;
    /* may be 1000 after rounding, which is correct because callers only add it */
    *ns = (int64_t)fraction;
    return at + 1 + decimals;
}

/* --- Patterns --- */

#define FOLLOWERS 3
#define ALIKE_MAX 6     /* maximum number of patterns with the same beginning that are tried */
#define TEXT_MAX  4096u /* maximum bytes of an event that may become a pattern */
/* maximum bytes of a number in a pattern: sign, 18 digits, point, 18 digits */
#define NUMBER_MAX 40u
/* maximum bytes of the patterns of a worker; when exceeded, they are cleared */
#define MEMORY_MAX (6u << 20)
/* maximum distance from the origin, so that times in ns are far below 2^63 */
#define TIME_US_MAX (INT64_C(2) << 50)
#define SCORE_MAX   16
#define SEEN_HASHES 8192u

struct step {
    uint16_t len; /* length of the text before the number */
    uint8_t kind; /* enum tr_slot_kind */
};

struct tr_pattern {
    struct tr_pattern *next[FOLLOWERS]; /* patterns of the events that followed, the latest first */
    struct tr_pattern *next_alike;      /* next pattern with the same beginning */
    uint64_t start_hash;
    const char *text; /* the event without its numbers, followed by TR_PADDING bytes */
    const struct step *steps;
    uint32_t text_len, longest; /* longest: maximum bytes of an event with this pattern */
    uint32_t name, template, thread;
    uint16_t category, n_steps;
    uint8_t phase;
    bool id_text;
    bool fixed_thread;        /* pid and tid are part of `text`; `thread` is the thread */
    int64_t pid, tid, dur_ns; /* values that are part of `text` */
};

struct tr_patterns {
    struct tr_pattern root, *last; /* last: pattern of the previous event; &root if it has none */
    int match_score;               /* > 0 while followers match most events */
    unsigned n_skipped_matches;
    struct tr_pattern **items;
    size_t n, cap;
    struct ps_hash_table by_text; /* text -> index in items */
    struct tr_pattern **starts;   /* first pattern of each beginning */
    size_t n_starts, cap_starts;
    struct ps_hash_table by_start; /* start hash -> index in starts */
    struct ps_arena arena;
    uint32_t seen_hashes[SEEN_HASHES]; /* hashes of forms that occurred once */
};

struct tr_patterns *tr_patterns_new(void)
{
    struct tr_patterns *patterns = ps_alloc(sizeof *patterns);

    patterns->last = &patterns->root;
    return patterns;
}

void tr_patterns_free(struct tr_patterns *patterns)
{
    if (!patterns)
        return;
    ps_arena_free(&patterns->arena);
    ps_hash_table_free(&patterns->by_text);
    ps_hash_table_free(&patterns->by_start);
    free(patterns->items);
    free(patterns->starts);
    free(patterns);
}

static bool bytes_equal(const char *a, const char *b, size_t len)
{
    uint64_t x[2], y[2];

    for (; len >= 16; a += 16, b += 16, len -= 16) {
        memcpy(x, a, 16);
        memcpy(y, b, 16);
        if ((x[0] ^ y[0]) | (x[1] ^ y[1]))
            return false;
    }
    if (len >= 8) {
        memcpy(x, a, 8);
        memcpy(y, b, 8);
        if (x[0] != y[0])
            return false;
        a += 8;
        b += 8;
        len -= 8;
    }
    if (len == 0)
        return true;
    memcpy(x, a, 8);
    memcpy(y, b, 8);
    /* the first bytes are the low bytes (little-endian) */
    return (x[0] ^ y[0]) << (64 - 8 * len) == 0;
}

static char *put_varint(char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (char)(value | 0x80);
    *to++ = (char)value;
    return to;
}

static char *put_int(char *to, int64_t value)
{
    return put_varint(to, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* The numbers of an event. */
struct numbers {
    int64_t ts, dur, pid, tid;
    char *params;
};

/* Reads the number of a step. Returns the position after the number; NULL: the number does not fit
 * the step. */
static const char *read_step(const char *at, enum tr_slot_kind kind, int64_t origin_us,
                             struct numbers *out)
{
    int64_t us, ns, value;
    unsigned decimals;

    if (kind == TR_SLOT_TS || kind == TR_SLOT_DUR) {
        at = read_us(at, &us, &ns);
        us -= kind == TR_SLOT_TS && at ? origin_us : 0;
        if (!at || us > TIME_US_MAX || us < -TIME_US_MAX)
            return NULL;
        *(kind == TR_SLOT_TS ? &out->ts : &out->dur) = us * 1000 + ns;
        return at;
    }
    at = read_canonical(at, &value, &decimals);
    if (!at || (decimals > 0) != (kind == TR_SLOT_DECIMAL))
        return NULL;
    if (kind == TR_SLOT_PID)
        out->pid = value;
    else if (kind == TR_SLOT_TID)
        out->tid = value;
    else if (kind == TR_SLOT_ID)
        out->dur = value;
    else
        out->params = put_int(out->params, value);
    if (kind == TR_SLOT_DECIMAL)
        out->params = put_varint(out->params, decimals);
    return at;
}

static bool match_pattern(struct tr_parser *p, const struct tr_pattern *pattern)
{
    struct tr_parser_output *local = &p->local;
    struct numbers numbers = {0, pattern->dur_ns, pattern->pid, pattern->tid, NULL};
    const char *at = p->cursor, *text = pattern->text;
    struct tr_local_record *record;

    if ((size_t)(p->end - at) < pattern->longest)
        return false;
    ps_buf_reserve(&local->args, (size_t)pattern->n_steps * 12);
    numbers.params = local->args.ptr + local->args.len;
    for (const struct step *step = pattern->steps;; step++) {
        if (!bytes_equal(at, text, step->len))
            return false;
        at += step->len;
        text += step->len;
        if (step->kind == TR_SLOT_END)
            break;
        at = read_step(at, (enum tr_slot_kind)step->kind, p->origin_us, &numbers);
        if (!at)
            return false;
    }
    PS_RESERVE_ONE(local->records, local->n, local->cap);
    record = &local->records[local->n++];
    record->record = (struct tr_record){.ts_ns = numbers.ts,
                                        .dur_or_id = numbers.dur,
                                        .name = pattern->name,
                                        .template = pattern->template,
                                        .args_address = local->args.len & 0xffffffffff,
                                        .phase = (unsigned)pattern->phase & 0x7f,
                                        .is_text_id = pattern->id_text,
                                        .category = pattern->category};
    record->thread = pattern->thread;
    if (!pattern->fixed_thread)
        record->thread = tr_local_thread(p, &(struct tr_key){.number = numbers.pid},
                                         &(struct tr_key){.number = numbers.tid});
    local->args.len = (size_t)(numbers.params - local->args.ptr);
    local->read++;
    tr_extend_times(p, &record->record);
    p->cursor = at;
    return true;
}

/* Moves `pattern` to the front of the followers of `before`. */
static void move_follower_to_front(struct tr_pattern *before, struct tr_pattern *pattern)
{
    struct tr_pattern *moved = pattern;

    for (size_t i = 0; i < FOLLOWERS && moved; i++) {
        struct tr_pattern *old = before->next[i];

        before->next[i] = moved;
        if (old == pattern)
            break;
        moved = old;
    }
}

/* Returns the position after the string that begins at `at`; NULL: no end, or a control
 * character. */
static const char *string_end(const char *at, const char *end)
{
    at = tr_skip_plain_text(at + 1, end);
    while (at < end && *at == '\\')
        at = tr_skip_plain_text(at + 2, end);
    return at < end && *at == '"' ? at + 1 : NULL;
}

/* Returns a hash of the event up to its name, or of the complete event if it has no name, without
 * numbers and whitespace. Events with the same pattern have the same hash. 0: the end was not
 * found. */
static uint64_t start_hash(const char *at, const char *end)
{
    struct ps_hash hash = ps_hash_begin();
    uint64_t marks = 0; /* hash of the characters between two strings */
    size_t depth = 0;
    bool named = false;

    end = end - at > (ptrdiff_t)TEXT_MAX ? at + TEXT_MAX : end;
    while (at < end) {
        const char *from = at;
        char c = *at;

        if (c != '"') {
            at++;
            if (c > '9')
                marks = marks * 31 + (unsigned char)c;
            depth += c == '{';
            depth -= c == '}';
            if (depth == 0) {
                ps_hash_add(&hash, marks);
                return ps_hash_end(&hash) | 1;
            }
            continue;
        }
        at = string_end(at, end);
        if (!at)
            return 0;
        ps_hash_add(&hash, marks);
        ps_hash_add_bytes(&hash, from, (size_t)(at - from));
        if (named)
            return ps_hash_end(&hash) | 1;
        named = depth == 1 && at - from == 6 && *at == ':' && memcmp(from, "\"name\"", 6) == 0;
    }
    return 0;
}

static bool is_start(const void *items, uint32_t index, const void *hash)
{
    struct tr_pattern *const *starts = items;

    return starts[index]->start_hash == *(const uint64_t *)hash;
}

/* Tries the patterns that have the same beginning as the event, and moves the matching pattern to
 * the front. */
static struct tr_pattern *match_by_start(struct tr_parser *p)
{
    struct tr_patterns *patterns = p->patterns;
    uint64_t hash = start_hash(p->cursor, p->end);
    uint32_t start =
        hash ? ps_hash_table_find(&patterns->by_start, hash, is_start, patterns->starts, &hash)
             : PS_HASH_NONE;
    struct tr_pattern **head, **link, *found;

    if (start == PS_HASH_NONE)
        return NULL;
    head = &patterns->starts[start];
    link = head;
    for (size_t i = 0; i < ALIKE_MAX && *link; i++, link = &(*link)->next_alike)
        if (match_pattern(p, *link)) {
            found = *link;
            *link = found->next_alike;
            found->next_alike = *head;
            *head = found;
            return found;
        }
    return NULL;
}

/* Tries the followers of the last pattern: for each event while followers match most events, else
 * for every 16th event. */
static struct tr_pattern *match_follower(struct tr_parser *p)
{
    struct tr_patterns *patterns = p->patterns;
    const struct tr_pattern *before = patterns->last;

    if (patterns->match_score <= 0 && patterns->n_skipped_matches++ % 16)
        return NULL;
    for (size_t i = 0; i < FOLLOWERS && before->next[i]; i++)
        if (match_pattern(p, before->next[i])) {
            patterns->match_score += patterns->match_score < SCORE_MAX;
            return before->next[i];
        }
    patterns->match_score -= patterns->match_score > 0;
    return NULL;
}

bool tr_pattern_match(struct tr_parser *p)
{
    struct tr_pattern *before = p->patterns->last, *pattern = match_follower(p);

    if (!pattern)
        pattern = match_by_start(p);
    if (!pattern)
        return false;
    if (pattern != before->next[0])
        move_follower_to_front(before, pattern);
    p->patterns->last = pattern;
    return true;
}

/* Splits the event into the text without its numbers, and the steps. False: a number is too
 * long. */
static bool split_steps(const struct tr_parser *p, struct ps_str text, struct ps_buf *out,
                        struct step *steps)
{
    const char *from = text.ptr, *end = text.ptr + text.len;

    out->len = 0;
    for (unsigned i = 0; i <= p->n_slots; i++) {
        const struct tr_slot *slot = i < p->n_slots ? &p->slots[i] : NULL;
        const char *to = slot ? slot->ptr : end;

        if ((slot && slot->len > NUMBER_MAX) || to < from)
            return false;
        steps[i] = (struct step){(uint16_t)(to - from), (uint8_t)(slot ? slot->kind : TR_SLOT_END)};
        ps_buf_add(out, from, (size_t)(to - from));
        from = slot ? to + slot->len : end;
    }
    return true;
}

/* The text and the steps that the events of a pattern have in common. */
struct form {
    struct ps_str text;
    const struct step *steps;
    unsigned n_steps;
};

static uint64_t hash_of(const struct form *form)
{
    struct ps_hash hash = ps_hash_begin();

    ps_hash_add_bytes(&hash, form->text.ptr, form->text.len);
    for (unsigned i = 0; i < form->n_steps; i++)
        ps_hash_add(&hash, (uint64_t)form->steps[i].len << 8 | form->steps[i].kind);
    return ps_hash_end(&hash);
}

static bool has_form(const void *items, uint32_t index, const void *of)
{
    const struct tr_pattern *pattern = ((struct tr_pattern *const *)items)[index];
    const struct form *form = of;

    if (pattern->n_steps != form->n_steps || pattern->text_len != form->text.len ||
        memcmp(pattern->text, form->text.ptr, form->text.len) != 0)
        return false;
    for (unsigned i = 0; i < form->n_steps; i++)
        if (pattern->steps[i].len != form->steps[i].len ||
            pattern->steps[i].kind != form->steps[i].kind)
            return false;
    return true;
}

static struct tr_pattern *find_pattern(const struct tr_patterns *patterns, const struct form *form,
                                       uint64_t hash)
{
    uint32_t index = ps_hash_table_find(&patterns->by_text, hash, has_form, patterns->items, form);

    return index == PS_HASH_NONE ? NULL : patterns->items[index];
}

static void insert_pattern(struct tr_patterns *patterns, struct tr_pattern *pattern,
                           const struct form *form, uint64_t hash)
{
    uint32_t start;

    PS_RESERVE_ONE(patterns->items, patterns->n, patterns->cap);
    (void)ps_hash_table_add(&patterns->by_text, hash, (uint32_t)patterns->n, has_form,
                            patterns->items, form);
    patterns->items[patterns->n++] = pattern;
    start =
        ps_hash_table_add(&patterns->by_start, pattern->start_hash, (uint32_t)patterns->n_starts,
                          is_start, patterns->starts, &pattern->start_hash);
    if (start == patterns->n_starts) {
        PS_RESERVE_ONE(patterns->starts, patterns->n_starts, patterns->cap_starts);
        patterns->starts[patterns->n_starts++] = NULL;
    }
    pattern->next_alike = patterns->starts[start];
    patterns->starts[start] = pattern;
}

static struct tr_pattern *add_pattern(struct tr_parser *p, const struct form *form, uint64_t hash,
                                      uint64_t start)
{
    struct tr_patterns *patterns = p->patterns;
    const struct tr_local_record *record = &p->local.records[p->local.n - 1];
    struct tr_pattern *out = ps_arena_alloc(&patterns->arena, sizeof *out);
    struct ps_str text = form->text;
    size_t n = form->n_steps;
    struct step *kept = ps_arena_alloc(&patterns->arena, n * sizeof *kept);
    char *kept_text = ps_arena_alloc(&patterns->arena, text.len + TR_PADDING);
    bool pid = false, tid = false;

    memcpy(kept, form->steps, n * sizeof *kept);
    memcpy(kept_text, text.ptr, text.len);
    memset(kept_text + text.len, 0, TR_PADDING);
    for (size_t i = 0; i < n; i++) {
        pid |= kept[i].kind == TR_SLOT_PID;
        tid |= kept[i].kind == TR_SLOT_TID;
    }
    *out = (struct tr_pattern){.start_hash = start,
                               .text = kept_text,
                               .steps = kept,
                               .text_len = (uint32_t)text.len,
                               .longest = (uint32_t)(text.len + n * NUMBER_MAX),
                               .name = record->record.name,
                               .template = record->record.template,
                               .thread = record->thread,
                               .category = record->record.category,
                               .n_steps = (uint16_t)n,
                               .phase = record->record.phase,
                               .fixed_thread = !pid && !tid,
                               .pid = p->event.pid.number,
                               .tid = p->event.tid.number,
                               .dur_ns = record->record.dur_or_id,
                               .id_text = record->record.is_text_id};
    insert_pattern(patterns, out, form, hash);
    return out;
}

/* If only the pid or only the tid is a number, makes both part of the pattern's text. */
static void add_thread_to_text(struct tr_parser *p)
{
    unsigned n = 0;

    if (p->event.pid.is_text == p->event.tid.is_text)
        return;
    for (unsigned i = 0; i < p->n_slots; i++)
        if (p->slots[i].kind != TR_SLOT_PID && p->slots[i].kind != TR_SLOT_TID)
            p->slots[n++] = p->slots[i];
    p->n_slots = n;
}

static bool may_become_pattern(const struct tr_parser *p, struct ps_str text)
{
    const struct tr_event *e = &p->event;

    return p->has_pattern && !p->repairs && text.len <= TEXT_MAX && e->phase != 'M' &&
           (e->phase == 'X' || !e->has_dur);
}

void tr_pattern_add(struct tr_parser *p, const char *start)
{
    struct tr_patterns *patterns = p->patterns;
    struct ps_str text = {start, (size_t)(p->cursor - start)};
    struct step steps[TR_SLOTS_MAX] = {0};
    struct tr_pattern *pattern = NULL, *before = patterns->last;
    struct form form;
    uint64_t hash;

    patterns->last = &patterns->root;
    if (!may_become_pattern(p, text))
        return;
    add_thread_to_text(p);
    if (!split_steps(p, text, &p->scratch, steps))
        return;
    form = (struct form){ps_buf_slice(&p->scratch), steps, p->n_slots + 1};
    hash = hash_of(&form);
    pattern = find_pattern(patterns, &form, hash);
    if (!pattern) {
        uint32_t *seen = &patterns->seen_hashes[hash % SEEN_HASHES];

        if (*seen != (uint32_t)(hash >> 32)) {
            *seen = (uint32_t)(hash >> 32);
            return;
        }
        pattern = add_pattern(p, &form, hash, start_hash(start, p->end));
    }
    move_follower_to_front(before, pattern);
    patterns->last = pattern;
}

bool tr_patterns_are_full(const struct tr_patterns *patterns)
{
    return patterns->arena.allocated_bytes > MEMORY_MAX;
}
