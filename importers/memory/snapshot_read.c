/* SPDX-License-Identifier: MIT */
/*
 * snapshot_read.c: reads a memory snapshot without building its objects.
 *
 * A stack machine runs the opcodes of a pickle; for JSON, the tokens become the same operations.
 * Python fills lists in batches of 1000 items. When a batch of events is appended to its list, the
 * events are given to the model, and the list keeps none of them. So memory holds one batch, the
 * segments, and what is shared: texts, frames and stacks. The memo refers to these by id. Any other
 * object that a pickle refers to again is `lost`: PyTorch's snapshots share no others.
 *
 *     {"segments": [{..., "blocks": [{..., "frames": [frame, ...]}, ...]}, ...],
 *      "device_traces": [[event, ...], ...], "allocator_settings": {...},
 *      "external_annotations": [{"stage": "START", ...}, ...]}
 *
 * memory_snapshot() writes the list of segments alone.
 */
#include "importers/memory/snapshot_read.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_in.h"
#include "base/json_out.h"
#include "importers/pickle/opcodes.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/records/snapshot.h"
#include "importers/text/clean.h"

enum {
    TEXT_MAX = 1 << 20,       /* maximum bytes of a text */
    STACK_MAX = 1 << 18,      /* maximum number of values; Python writes batches of 1000 */
    MARKS_MAX = 64,           /* maximum depth */
    RECORDS_MAX = 1 << 16,    /* maximum number of dicts of a batch */
    BATCH = 1000,             /* items of a JSON array that are handled together */
    CHECK_INTERVAL = 1 << 18, /* operations between two reports of progress */
    SETTINGS_ITEMS_MAX = 100,
    SETTINGS_LEN_MAX = 8192,
    MEMO_PAGE = 1024,
    MEMO_RECENT = 8,
    MEMO_PAGES_MAX = 48 * 1024, /* 192 MiB */
    MEMO_INDEX_MAX = 1 << 30,
};

enum value_kind {
    V_NONE,
    V_BOOL,  /* i */
    V_INT,   /* i; is_unsigned: the bits of a number above INT64_MAX */
    V_REAL,  /* r */
    V_TEXT,  /* id */
    V_PAIR,  /* id: number of a pool */
    V_FRAME, /* id */
    V_STACK, /* id: a complete list of frames */
    V_LIST,  /* role */
    V_DICT,  /* role */
    V_LOST,  /* an object that was not kept */
};

enum role {
    R_NEW, /* empty */
    R_OTHER,
    /* dicts with a record, whose index is i */
    R_EVENT,
    R_SEGMENT,
    R_BLOCK,
    R_OLD_BLOCK, /* an item of `history` */
    R_ANNOTATION,
    R_TOP,
    /* lists */
    R_FRAMES, /* i: stack */
    R_SEGMENTS,
    R_BLOCKS,  /* i: their number << 32 | index of the first in sn_snapshot.blocks */
    R_HISTORY, /* i: index in histories */
    R_EVENTS,
    R_TRACES, /* i: number of devices so far */
    R_ANNOTATIONS,
    R_POOL, /* i: number of a pool; JSON has no tuples */
};

/* V_DICT with R_OTHER: i is the text of its JSON, 0 if that is too long. */
struct value {
    uint8_t kind, role;
    bool is_unsigned;
    uint32_t id; /* of a list or dict: its memo index; NO_MEMO: none */
    union {
        int64_t i;
        double r;
    };
};
#define NO_MEMO UINT32_MAX

/* The known fields of a dict. */
struct record {
    uint64_t present; /* bits 1 << enum sn_word */
    struct value field[SN_N_KEYS];
};
_Static_assert(SN_N_KEYS <= 64, "record.present has a bit for each key");

struct old_block {
    int64_t size;
    uint32_t stack;
};

/* The memo: what each index refers to. Most entries of a large snapshot are events, which are lost,
 * and pools; so pages with equal content are stored once. */
struct memo_page {
    uint32_t n_users;
    uint32_t entry[MEMO_PAGE]; /* id << 3 | kind, see encode_memo */
};
struct memo {
    struct memo_page **pages;
    size_t n_pages, n_stored;
    uint64_t n; /* largest index + 1 */
    struct memo_page *recent[MEMO_RECENT];
    unsigned next_recent;
};

struct machine {
    struct sn_snapshot *s;
    struct ps_err *err;
    uint64_t offset; /* of the current operation, for messages */
    struct value *stack;
    size_t n_stack, cap_stack;
    size_t marks[MARKS_MAX];
    size_t n_marks;
    struct record *records;
    size_t n_records, cap_records;
    struct old_block *histories;
    size_t n_histories, cap_histories;
    uint32_t *frames; /* scratch: frames of a batch */
    size_t cap_frames;
    struct memo memo;
    uint64_t n_odd_frames;
};

static bool refuse(struct machine *m, const char *what)
{
    ps_fail_at(m->err, PS_BAD_INPUT, m->offset, "%s", what);
    return false;
}

static bool too_large(struct machine *m, const char *what)
{
    ps_fail_at(m->err, PS_LIMIT, m->offset, "the snapshot has %s than perfshelf accepts", what);
    return false;
}

static void reject(struct machine *m, const char *what)
{
    sn_reject(m->s, m->offset, what);
}

/* --- Memo --- */

enum { MEMO_UNSET, MEMO_LOST, MEMO_TEXT, MEMO_PAIR, MEMO_FRAME, MEMO_STACK };

static uint32_t encode_memo(const struct value *value)
{
    switch (value->kind) {
    case V_TEXT:
        return value->id << 3 | MEMO_TEXT;
    case V_PAIR:
        return value->id << 3 | MEMO_PAIR;
    case V_FRAME:
        return value->id << 3 | MEMO_FRAME;
    case V_STACK:
        return value->id << 3 | MEMO_STACK;
    case V_LIST:
        return value->role == R_FRAMES ? (uint32_t)value->i << 3 | MEMO_STACK : MEMO_LOST;
    default:
        return MEMO_LOST;
    }
}

/* Shares a page with a recent one of the same content. */
static void share_page(struct memo *memo, size_t index)
{
    struct memo_page *page = memo->pages[index];

    for (size_t i = 0; i < MEMO_RECENT; i++)
        if (memo->recent[i] && memo->recent[i] != page &&
            memcmp(memo->recent[i]->entry, page->entry, sizeof page->entry) == 0) {
            memo->pages[index] = memo->recent[i];
            memo->recent[i]->n_users++;
            memo->n_stored--;
            free(page);
            return;
        }
    if (memo->recent[memo->next_recent] && --memo->recent[memo->next_recent]->n_users == 0) {
        free(memo->recent[memo->next_recent]);
        memo->n_stored--;
    }
    page->n_users++;
    memo->recent[memo->next_recent] = page;
    memo->next_recent = (memo->next_recent + 1) % MEMO_RECENT;
}

/* Returns the page of an index, which may be written to. */
static struct memo_page *own_page(struct machine *m, size_t index)
{
    struct memo *memo = &m->memo;
    struct memo_page *page, *copy;

    while (index >= memo->n_pages) {
        size_t last = memo->n_pages;

        if (!memo->pages || (last & (last - 1)) == 0)
            memo->pages = ps_grow(memo->pages, last ? last * 2 : 1, sizeof(struct memo_page *));
        memo->pages[memo->n_pages++] = NULL;
        if (last && memo->pages[last - 1] && memo->pages[last - 1]->n_users == 1)
            share_page(memo, last - 1);
    }
    page = memo->pages[index];
    if (page && page->n_users == 1)
        return page;
    if (++memo->n_stored > MEMO_PAGES_MAX) {
        (void)too_large(m, "more shared objects");
        return NULL;
    }
    copy = ps_alloc(sizeof *copy);
    if (page) {
        *copy = *page;
        page->n_users--;
    }
    copy->n_users = 1;
    return memo->pages[index] = copy;
}

static bool set_memo(struct machine *m, uint32_t index, uint32_t entry)
{
    struct memo_page *page = own_page(m, index / MEMO_PAGE);

    if (!page)
        return false;
    page->entry[index % MEMO_PAGE] = entry;
    return true;
}

static bool put_memo(struct machine *m, uint64_t index)
{
    struct value *value;

    if (m->n_stack == 0 || (m->n_marks && m->marks[m->n_marks - 1] == m->n_stack))
        return refuse(m, "invalid pickle: nothing to memoize");
    if (index > m->offset || index >= MEMO_INDEX_MAX)
        return refuse(m, "a memo index is larger than PyTorch writes");
    value = &m->stack[m->n_stack - 1];
    if (index >= m->memo.n)
        m->memo.n = index + 1;
    if (value->kind == V_LIST || value->kind == V_DICT)
        value->id = (uint32_t)index;
    return set_memo(m, (uint32_t)index, encode_memo(value));
}

static void free_memo(struct memo *memo)
{
    for (size_t i = 0; i < MEMO_RECENT; i++)
        if (memo->recent[i] && --memo->recent[i]->n_users == 0)
            free(memo->recent[i]);
    for (size_t i = 0; i < memo->n_pages; i++)
        if (memo->pages[i] && --memo->pages[i]->n_users == 0)
            free(memo->pages[i]);
    free(memo->pages);
}

/* --- The stack --- */

static bool push_value(struct machine *m, struct value value)
{
    if (m->n_stack >= STACK_MAX)
        return too_large(m, "larger batches");
    PS_RESERVE_ONE(m->stack, m->n_stack, m->cap_stack);
    m->stack[m->n_stack++] = value;
    return true;
}

static bool push_int(struct machine *m, int64_t i, bool is_unsigned)
{
    return push_value(m, (struct value){.kind = V_INT, .is_unsigned = is_unsigned, .i = i});
}

static bool push_text(struct machine *m, struct ps_str text)
{
    uint32_t id = sn_text_id(m->s, text, m->err);

    return m->err->code == PS_OK && push_value(m, (struct value){.kind = V_TEXT, .id = id});
}

static bool push_container(struct machine *m, enum value_kind kind)
{
    return push_value(m, (struct value){.kind = (uint8_t)kind, .role = R_NEW, .id = NO_MEMO});
}

static bool push_memo(struct machine *m, uint64_t index)
{
    static const uint8_t kinds[8] = {[MEMO_LOST] = V_LOST,
                                     [MEMO_TEXT] = V_TEXT,
                                     [MEMO_PAIR] = V_PAIR,
                                     [MEMO_FRAME] = V_FRAME,
                                     [MEMO_STACK] = V_STACK};
    const struct memo_page *page =
        index / MEMO_PAGE < m->memo.n_pages ? m->memo.pages[index / MEMO_PAGE] : NULL;
    uint32_t entry = page ? page->entry[index % MEMO_PAGE] : MEMO_UNSET;

    if (entry == MEMO_UNSET)
        return refuse(m, "invalid pickle: a memo index that was never set");
    return push_value(m, (struct value){.kind = kinds[entry & 7], .id = entry >> 3});
}

static bool push_mark(struct machine *m)
{
    if (m->n_marks == MARKS_MAX)
        return refuse(m, "more than 64 nested containers");
    m->marks[m->n_marks++] = m->n_stack;
    return true;
}

/* Removes the topmost n values; *out are the removed values, valid until the next push. */
static bool pop_values(struct machine *m, size_t n, struct value **out)
{
    size_t floor = m->n_marks ? m->marks[m->n_marks - 1] : 0;

    if (m->n_stack - floor < n)
        return refuse(m, "invalid pickle: stack underflow");
    m->n_stack -= n;
    *out = m->stack + m->n_stack;
    return true;
}

static bool pop_mark(struct machine *m, struct value **out, size_t *n)
{
    if (!m->n_marks)
        return refuse(m, "invalid pickle: no mark on the stack");
    *n = m->n_stack - m->marks[m->n_marks - 1];
    m->n_stack = m->marks[--m->n_marks];
    *out = m->stack + m->n_stack;
    return true;
}

/* --- Records --- */

static bool has_record(const struct value *value)
{
    return value->kind == V_DICT && value->role >= R_EVENT && value->role <= R_TOP;
}

/* Releases the records of values that were removed. Records nest like the values. */
static void release_records(struct machine *m, const struct value *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (has_record(&values[i]) && (size_t)values[i].i < m->n_records)
            m->n_records = (size_t)values[i].i;
}

static bool has_field(const struct record *record, enum sn_word key)
{
    return record->present >> key & 1;
}

/* Returns a field if it is an integer; else `otherwise`. */
static int64_t int_field(const struct record *record, enum sn_word key, int64_t otherwise)
{
    const struct value *value = &record->field[key];

    return has_field(record, key) && (value->kind == V_INT || value->kind == V_BOOL) ? value->i
                                                                                     : otherwise;
}

/* Whether a field is an integer; for addresses and streams also one above INT64_MAX. */
static bool is_int_field(const struct record *record, enum sn_word key, bool may_be_unsigned)
{
    const struct value *value = &record->field[key];

    return has_field(record, key) && value->kind == V_INT &&
           (may_be_unsigned || !value->is_unsigned);
}

/* Whether a field is a number of bytes. */
static bool is_bytes_field(const struct record *record, enum sn_word key)
{
    return is_int_field(record, key, false) && record->field[key].i >= 0 &&
           record->field[key].i <= SN_BYTES_MAX;
}

static int64_t bytes_field(const struct record *record, enum sn_word key, int64_t otherwise)
{
    return is_bytes_field(record, key) ? record->field[key].i : otherwise;
}

/* Returns the time of an event or annotation in us since 1970; -1: unknown. */
static int64_t time_field(struct machine *m, const struct record *record)
{
    const struct value *value = &record->field[SN_TIME_US];

    if (!is_int_field(record, SN_TIME_US, true))
        return -1;
    if (!value->is_unsigned && value->i >= 0 && value->i <= SN_TIME_US_MAX)
        return value->i;
    m->s->n_bad_times++;
    return -1;
}

/* Returns the text of a field; 0, which is no text of these fields, if it has none. */
static uint32_t text_field(const struct record *record, enum sn_word key)
{
    const struct value *value = &record->field[key];

    if (!has_field(record, key))
        return 0;
    if (value->kind == V_DICT && value->role == R_OTHER)
        return (uint32_t)value->i;
    return value->kind == V_TEXT && value->id != SN_NOT_AVAILABLE ? value->id : 0;
}

static uint32_t stack_field(const struct record *record)
{
    const struct value *value = &record->field[SN_FRAMES];

    if (!has_field(record, SN_FRAMES))
        return 0;
    if (value->kind == V_STACK)
        return value->id;
    return value->kind == V_LIST && value->role == R_FRAMES ? (uint32_t)value->i : 0;
}

static uint32_t pool_field(const struct record *record, enum sn_word key)
{
    const struct value *value = &record->field[key];

    if (!has_field(record, key))
        return 0;
    if (value->kind == V_PAIR)
        return value->id;
    return value->kind == V_LIST && value->role == R_POOL ? (uint32_t)value->i : 0;
}

static enum role classify(const struct record *record)
{
    static const struct {
        enum sn_word key;
        enum role role;
    } rules[] = {
        {SN_ACTION, R_EVENT},    {SN_TOTAL_SIZE, R_SEGMENT},  {SN_BLOCKS, R_SEGMENT},
        {SN_STATE, R_BLOCK},     {SN_REAL_SIZE, R_OLD_BLOCK}, {SN_STAGE, R_ANNOTATION},
        {SN_FILENAME, R_FRAMES}, {SN_LINE, R_FRAMES},         {SN_NAME, R_FRAMES},
        {SN_SEGMENTS, R_TOP},    {SN_DEVICE_TRACES, R_TOP},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (has_field(record, rules[i].key))
            return rules[i].role;
    return R_OTHER;
}

static bool add_record(struct machine *m, size_t *out)
{
    if (m->n_records >= RECORDS_MAX)
        return too_large(m, "larger batches");
    if (m->n_records == m->cap_records) {
        m->cap_records = m->cap_records ? m->cap_records * 2 : 64;
        m->records = ps_grow(m->records, m->cap_records, sizeof *m->records);
    }
    m->records[m->n_records].present = 0;
    *out = m->n_records++;
    return true;
}

/* --- Dicts --- */

static void write_setting(struct machine *m, struct ps_json *json, const struct value *value)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    switch (value->kind) {
    case V_BOOL:
        ps_json_bool(json, value->i);
        break;
    case V_INT:
        ps_json_int(json, value->i);
        break;
    case V_REAL:
        ps_json_real(json, value->r);
        break;
    case V_TEXT:
        ps_clean_text(&clean, m->s->texts.items[value->id]);
        ps_json_str(json, clean.len ? ps_buf_slice(&clean) : PS_STR(""));
        break;
    case V_DICT:
        if (value->role == R_OTHER && value->i) {
            ps_json_raw(json, m->s->texts.items[value->i]);
            break;
        }
        ps_json_null(json);
        break;
    default:
        ps_json_null(json);
    }
}

/* Returns the JSON of a small dict without known keys as a text: allocator settings, metadata of a
 * user. 0: too long. */
static uint32_t dict_text(struct machine *m, const struct value *items, size_t n)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(&text);

    if (n > 2 * SETTINGS_ITEMS_MAX)
        return 0;
    ps_json_object(&json);
    for (size_t i = 0; i < n && text.len < SETTINGS_LEN_MAX; i += 2) {
        PS_AUTO(ps_buf_free) struct ps_buf key = {0};

        if (items[i].kind != V_TEXT)
            continue;
        ps_clean_text(&key, m->s->texts.items[items[i].id]);
        ps_buf_add(&key, "", 1);
        ps_json_key(&json, key.ptr);
        write_setting(m, &json, &items[i + 1]);
    }
    ps_json_end(&json);
    return text.len < SETTINGS_LEN_MAX ? sn_text_id(m->s, ps_buf_slice(&text), m->err) : 0;
}

static bool make_frame(struct machine *m, struct value *dict, const struct record *record)
{
    uint32_t empty = sn_text_id(m->s, PS_STR(""), m->err), frame;
    uint32_t name = text_field(record, SN_NAME), file = text_field(record, SN_FILENAME);
    int64_t line = int_field(record, SN_LINE, 0);

    frame = sn_frame_id(m->s, name ? name : empty, file ? file : empty,
                        line >= 0 && line <= INT32_MAX ? line : 0);
    m->n_records--;
    if (dict->id != NO_MEMO && !set_memo(m, dict->id, frame << 3 | MEMO_FRAME))
        return false;
    *dict = (struct value){.kind = V_FRAME, .id = frame};
    return m->err->code == PS_OK;
}

/* Adds keys and values to a dict. They were removed from the stack, but are still behind it. */
static bool set_items(struct machine *m, const struct value *items, size_t n)
{
    struct value *dict = m->n_stack ? &m->stack[m->n_stack - 1] : NULL;
    struct record *record;
    size_t index;

    if (!dict || dict->kind != V_DICT || (m->n_marks && m->marks[m->n_marks - 1] == m->n_stack))
        return refuse(m, "invalid pickle: items added to an object that is not a dict");
    if (n % 2)
        return refuse(m, "invalid pickle: a dict key without a value");
    release_records(m, items, n);
    if (n == 0 || dict->role == R_OTHER)
        return true;
    if (dict->role == R_NEW) {
        if (!add_record(m, &index))
            return false;
    } else {
        index = (size_t)dict->i;
    }
    record = &m->records[index];
    for (size_t i = 0; i < n; i += 2)
        if (items[i].kind == V_TEXT && items[i].id < SN_N_KEYS) {
            record->present |= UINT64_C(1) << items[i].id;
            record->field[items[i].id] = items[i + 1];
        }
    dict->role = (uint8_t)classify(record);
    dict->i = (int64_t)index;
    if (dict->role == R_FRAMES)
        return make_frame(m, dict, record);
    if (dict->role == R_OTHER) {
        m->n_records--;
        dict->i = dict_text(m, items, n);
    }
    return m->err->code == PS_OK;
}

/* --- Lists --- */

/* Returns the key under which the value at a position of the stack will be; SN_N_KEYS: none. */
static uint32_t key_of(const struct machine *m, size_t position)
{
    return position && m->stack[position - 1].kind == V_TEXT ? m->stack[position - 1].id
                                                             : SN_N_KEYS;
}

/* Returns the device whose events a list holds: its position in `device_traces`; -1: none. */
static int64_t device_of(const struct machine *m, size_t position)
{
    size_t mark = m->n_marks ? m->marks[m->n_marks - 1] : 0;
    size_t traces = m->n_marks && mark && m->stack[mark - 1].kind == V_LIST ? mark - 1 : SIZE_MAX;

    if (traces != SIZE_MAX && key_of(m, traces) == SN_DEVICE_TRACES)
        return m->stack[traces].i + (int64_t)(position - mark);
    if (position && m->stack[position - 1].kind == V_LIST &&
        key_of(m, position - 1) == SN_DEVICE_TRACES)
        return m->stack[position - 1].i;
    return -1;
}

static bool action_of(const struct record *record, enum ps_snapshot_action *out)
{
    const struct value *value = &record->field[SN_ACTION];

    if (value->kind != V_TEXT || value->id < SN_FIRST_ACTION ||
        value->id >= SN_FIRST_ACTION + PS_N_SNAPSHOT_ACTIONS)
        return false;
    *out = (enum ps_snapshot_action)(value->id - SN_FIRST_ACTION);
    return true;
}

/* Returns why the event cannot be used; NULL: it is in *out. */
static const char *read_event(struct machine *m, const struct record *record, struct sn_event *out)
{
    enum sn_word address;

    if (!action_of(record, &out->action))
        return "an event with an unknown action";
    address = out->action == PS_SNAPSHOT_OOM ? SN_DEVICE_FREE : SN_ADDR;
    if (address == SN_ADDR && !is_int_field(record, address, true))
        return "an event without an address";
    if (address == SN_DEVICE_FREE && !is_bytes_field(record, address))
        return "a failed allocation whose free bytes are missing, negative or too large";
    if (!is_bytes_field(record, SN_SIZE))
        return "an event whose size is missing, negative or too large";
    out->address = record->field[address].i;
    out->bytes = record->field[SN_SIZE].i;
    out->stream = int_field(record, SN_STREAM, 0);
    out->t_us = time_field(m, record);
    out->stack = stack_field(record);
    out->pool = pool_field(record, SN_POOL_ID);
    out->context = text_field(record, SN_COMPILE_CONTEXT);
    out->user = text_field(record, SN_USER_METADATA);
    out->category = text_field(record, SN_CATEGORY);
    return NULL;
}

static bool is_event(const struct value *value)
{
    return value->kind == V_DICT && value->role == R_EVENT;
}

/* Prefetches for the events after item i, so that memory answers while items before them are
 * added. */
static void prefetch_event(const struct machine *m, int64_t device, const struct value *items,
                           size_t i, size_t n)
{
    enum { ENTRIES_AHEAD = 8, IDS_AHEAD = 16 };
    const struct record *record;

    if (i + IDS_AHEAD < n && is_event(&items[i + IDS_AHEAD])) {
        record = &m->records[items[i + IDS_AHEAD].i];
        sn_prefetch_ids(m->s, device, int_field(record, SN_ADDR, 0), stack_field(record));
    }
    if (i + ENTRIES_AHEAD < n && is_event(&items[i + ENTRIES_AHEAD])) {
        record = &m->records[items[i + ENTRIES_AHEAD].i];
        sn_prefetch_entries(m->s, device, int_field(record, SN_ADDR, 0), stack_field(record));
    }
}

static bool add_events(struct machine *m, int64_t device, const struct value *items, size_t n)
{
    struct sn_event event;

    for (size_t i = 0; i < n && m->err->code == PS_OK; i++) {
        const char *reason = is_event(&items[i]) ? read_event(m, &m->records[items[i].i], &event)
                                                 : "an event that is not a dict with an action";

        prefetch_event(m, device, items, i, n);
        if (!reason && !sn_add_event(m->s, device, &event, m->err) && m->err->code == PS_OK)
            reason = "an event whose device or sum of bytes is out of range";
        if (reason) {
            reject(m, reason);
            sn_skip_event(m->s, device);
        }
    }
    return m->err->code == PS_OK;
}

static bool read_segment(const struct record *record, struct sn_segment *out)
{
    const struct value *blocks = &record->field[SN_BLOCKS];

    if (!is_int_field(record, SN_ADDRESS, true) || !is_bytes_field(record, SN_TOTAL_SIZE) ||
        !is_int_field(record, SN_DEVICE, false) || record->field[SN_DEVICE].i < 0 ||
        record->field[SN_DEVICE].i >= SN_DEVICES_MAX)
        return false;
    *out = (struct sn_segment){
        .device = record->field[SN_DEVICE].i,
        .address = record->field[SN_ADDRESS].i,
        .total = record->field[SN_TOTAL_SIZE].i,
        .allocated = bytes_field(record, SN_ALLOCATED_SIZE, 0),
        .active = bytes_field(record, SN_ACTIVE_SIZE, 0),
        .requested = bytes_field(record, SN_REQUESTED_SIZE, -1),
        .stream = int_field(record, SN_STREAM, 0),
        .pool = pool_field(record, SN_SEGMENT_POOL_ID),
        .stack = stack_field(record),
        .is_large = !has_field(record, SN_SEGMENT_TYPE) ||
                    record->field[SN_SEGMENT_TYPE].kind != V_TEXT ||
                    record->field[SN_SEGMENT_TYPE].id != SN_SMALL,
        .is_expandable = int_field(record, SN_IS_EXPANDABLE, 0) != 0,
    };
    if (has_field(record, SN_BLOCKS) && blocks->kind == V_LIST && blocks->role == R_BLOCKS) {
        out->first_block = (uint32_t)blocks->i;
        out->n_blocks = (uint32_t)(blocks->i >> 32);
    }
    return true;
}

static bool add_segments(struct machine *m, const struct value *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sn_segment segment;

        if (items[i].kind != V_DICT)
            return refuse(m, "a segment that is not a dict");
        if (m->s->n_segments >= SN_SEGMENTS_MAX)
            return too_large(m, "more segments");
        if (items[i].role != R_SEGMENT || !read_segment(&m->records[items[i].i], &segment))
            reject(m, "a segment without device, address or total_size");
        else if (!sn_add_segment(m->s, &segment))
            reject(m, "a segment whose sizes are out of range");
    }
    return true;
}

static bool state_of(const struct record *record, enum ps_block_state *out)
{
    const struct value *value = &record->field[SN_STATE];

    *out = PS_BLOCK_PENDING_FREE;
    if (value->kind != V_TEXT || value->id < SN_FIRST_STATE || value->id > SN_AWAITING_FREE)
        return false;
    if (value->id != SN_AWAITING_FREE)
        *out = (enum ps_block_state)(value->id - SN_FIRST_STATE);
    return true;
}

static bool read_block(const struct machine *m, const struct record *record, struct sn_block *out)
{
    const struct value *history = &record->field[SN_HISTORY];

    if (!is_bytes_field(record, SN_SIZE) || !state_of(record, &out->state))
        return false;
    out->size = record->field[SN_SIZE].i;
    out->has_address = is_int_field(record, SN_ADDRESS, true);
    out->address = out->has_address ? record->field[SN_ADDRESS].i : 0;
    out->requested = bytes_field(record, SN_REQUESTED_SIZE, out->size);
    out->stack = stack_field(record);
    if (has_field(record, SN_HISTORY) && history->kind == V_LIST && history->role == R_HISTORY) {
        out->requested = m->histories[history->i].size;
        out->stack = m->histories[history->i].stack;
    }
    return true;
}

static bool add_blocks(struct machine *m, struct value *list, const struct value *items, size_t n)
{
    if (list->role == R_NEW) {
        list->role = R_BLOCKS;
        list->i = m->s->n_blocks;
    }
    for (size_t i = 0; i < n; i++) {
        struct sn_block block;

        if (m->s->n_blocks >= SN_BLOCKS_MAX)
            return too_large(m, "more blocks");
        if (items[i].kind != V_DICT || items[i].role != R_BLOCK ||
            !read_block(m, &m->records[items[i].i], &block)) {
            reject(m, "a block without size, or with an unknown state");
            continue;
        }
        if (sn_add_block(m->s, &block))
            list->i += INT64_C(1) << 32;
        else
            reject(m, "a block whose size is out of range");
    }
    m->n_histories = 0;
    return true;
}

/* Keeps the first item of a block's history, which is the newest. */
static bool add_history(struct machine *m, struct value *list, const struct value *items, size_t n)
{
    const struct record *record;

    if (list->role != R_NEW || !n || items[0].kind != V_DICT || items[0].role != R_OLD_BLOCK)
        return true;
    if (m->n_histories >= RECORDS_MAX)
        return too_large(m, "larger batches");
    record = &m->records[items[0].i];
    PS_RESERVE_ONE(m->histories, m->n_histories, m->cap_histories);
    m->histories[m->n_histories] =
        (struct old_block){bytes_field(record, SN_REAL_SIZE, 0), stack_field(record)};
    list->role = R_HISTORY;
    list->i = (int64_t)m->n_histories++;
    return true;
}

static bool add_annotations(struct machine *m, const struct value *items, size_t n)
{
    struct sn_snapshot *s = m->s;

    for (size_t i = 0; i < n; i++) {
        const struct record *record = items[i].kind == V_DICT && items[i].role == R_ANNOTATION
                                          ? &m->records[items[i].i]
                                          : NULL;
        uint32_t name = record ? text_field(record, SN_NAME) : 0;
        const struct value *stage = record ? &record->field[SN_STAGE] : NULL;

        if (!name || stage->kind != V_TEXT || (stage->id != SN_START && stage->id != SN_END)) {
            reject(m, "an annotation without name, or with an unknown stage");
            continue;
        }
        if (s->n_annotations >= SN_ANNOTATIONS_MAX)
            return too_large(m, "more annotations");
        PS_RESERVE_ONE(s->annotations, s->n_annotations, s->cap_annotations);
        s->annotations[s->n_annotations++] =
            (struct sn_annotation){.device = int_field(record, SN_DEVICE, -1),
                                   .t_us = time_field(m, record),
                                   .name = name,
                                   .is_end = stage->id == SN_END};
    }
    return true;
}

static bool add_traces(struct machine *m, struct value *list, const struct value *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (items[i].kind != V_LIST || (items[i].role != R_NEW && items[i].role != R_EVENTS))
            return refuse(m, "device_traces has an item that is not a list of events");
    list->role = R_TRACES;
    list->i += (int64_t)n;
    if (list->i > SN_DEVICES_MAX)
        return too_large(m, "more devices");
    return true;
}

static bool add_frames(struct machine *m, struct value *list, const struct value *items, size_t n)
{
    uint32_t stack = list->role == R_FRAMES ? (uint32_t)list->i : 0;
    size_t n_frames = 0;

    if (n > m->cap_frames) {
        m->cap_frames = n + 64;
        m->frames = ps_grow(m->frames, m->cap_frames, sizeof *m->frames);
    }
    for (size_t i = 0; i < n; i++)
        if (items[i].kind == V_FRAME)
            m->frames[n_frames++] = items[i].id;
    m->n_odd_frames += n - n_frames;
    stack = sn_stack_extend(m->s, stack, m->frames, n_frames, m->err);
    list->role = R_FRAMES;
    list->i = stack;
    return m->err->code == PS_OK &&
           (list->id == NO_MEMO || set_memo(m, list->id, encode_memo(list)));
}

/* A pool in JSON: [0, 7]. */
static void add_other(struct machine *m, struct value *list, const struct value *items, size_t n)
{
    if (list->role == R_NEW && n == 2 && items[0].kind == V_INT && items[1].kind == V_INT) {
        list->role = R_POOL;
        list->i = sn_pool_number(m->s, items[0].i, items[1].i);
        return;
    }
    list->role = R_OTHER;
}

static bool is_segments(const struct machine *m, size_t position, const struct value *items)
{
    return key_of(m, position) == SN_SEGMENTS ||
           (position == 0 && items[0].kind == V_DICT && items[0].role == R_SEGMENT);
}

static bool add_items(struct machine *m, struct value *list, const struct value *items, size_t n)
{
    size_t position = m->n_stack - 1;
    int64_t device = device_of(m, position);

    if (device >= 0) {
        list->role = R_EVENTS;
        return add_events(m, device, items, n);
    }
    if (is_segments(m, position, items)) {
        list->role = R_SEGMENTS;
        return add_segments(m, items, n);
    }
    switch (key_of(m, position)) {
    case SN_FRAMES:
        return add_frames(m, list, items, n);
    case SN_BLOCKS:
        return add_blocks(m, list, items, n);
    case SN_HISTORY:
        return add_history(m, list, items, n);
    case SN_DEVICE_TRACES:
        return add_traces(m, list, items, n);
    case SN_EXTERNAL_ANNOTATIONS:
        list->role = R_ANNOTATIONS;
        return add_annotations(m, items, n);
    default:
        add_other(m, list, items, n);
        return true;
    }
}

static bool append_items(struct machine *m, const struct value *items, size_t n)
{
    struct value *list = m->n_stack ? &m->stack[m->n_stack - 1] : NULL;

    if (!list || list->kind != V_LIST || (m->n_marks && m->marks[m->n_marks - 1] == m->n_stack))
        return refuse(m, "invalid pickle: items added to an object that is not a list");
    if (n && !add_items(m, list, items, n))
        return false;
    release_records(m, items, n);
    return true;
}

static bool make_tuple(struct machine *m, const struct value *items, size_t n)
{
    bool is_pair = n == 2 && items[0].kind == V_INT && items[1].kind == V_INT;
    uint32_t number = is_pair ? sn_pool_number(m->s, items[0].i, items[1].i) : 0;

    release_records(m, items, n);
    return push_value(m, (struct value){.kind = is_pair ? V_PAIR : V_LOST, .id = number});
}

/* --- The document --- */

/* Checks the document, which is the only value left. */
static bool end_document(struct machine *m)
{
    const struct value *top = m->stack;
    const struct record *record;
    const struct value *settings;
    bool segments, traces;

    if (m->n_stack != 1 || m->n_marks)
        return refuse(m, "invalid pickle: not one value at its end");
    if (top->kind == V_LIST && top->role == R_SEGMENTS)
        return true;
    if (top->kind != V_DICT || top->role != R_TOP)
        return refuse(m, "not a memory snapshot: it has neither segments nor device_traces");
    record = &m->records[top->i];
    segments =
        has_field(record, SN_SEGMENTS) && record->field[SN_SEGMENTS].kind == V_LIST &&
        (record->field[SN_SEGMENTS].role == R_SEGMENTS || record->field[SN_SEGMENTS].role == R_NEW);
    traces = !has_field(record, SN_DEVICE_TRACES) ||
             (record->field[SN_DEVICE_TRACES].kind == V_LIST &&
              (record->field[SN_DEVICE_TRACES].role == R_TRACES ||
               record->field[SN_DEVICE_TRACES].role == R_NEW));
    if (!segments)
        return refuse(m, "not a memory snapshot: segments is not a list");
    if (!traces)
        return refuse(m, "not a memory snapshot: device_traces is not a list");
    settings = &record->field[SN_ALLOCATOR_SETTINGS];
    if (has_field(record, SN_ALLOCATOR_SETTINGS) && settings->kind == V_DICT &&
        settings->role == R_OTHER && settings->i)
        m->s->settings = m->s->texts.items[settings->i];
    if (m->n_odd_frames)
        ps_sink_count(m->s->out, PS_NOTE_REPAIRED, m->n_odd_frames,
                      "frames that are not dicts were left out");
    return true;
}

static enum ps_status end_machine(struct machine *m)
{
    if (m->err->code == PS_OK)
        (void)sn_finish(m->s, m->err);
    free(m->stack);
    free(m->records);
    free(m->histories);
    free(m->frames);
    free_memo(&m->memo);
    return m->err->code;
}

/* --- Pickle --- */

static bool push_real(struct machine *m, const struct ps_pickle_op *op)
{
    if (op->is_unsigned)
        return push_int(m, op->i, true);
    return push_value(m, (struct value){.kind = V_REAL, .r = op->r});
}

static bool run_op(struct machine *m, const struct ps_pickle_op *op)
{
    struct value *items = NULL;
    size_t n = 0;

    switch (op->action) {
    case PS_PICKLE_PUSH_NONE:
        return push_value(m, (struct value){.kind = V_NONE});
    case PS_PICKLE_PUSH_BOOL:
        return push_value(m, (struct value){.kind = V_BOOL, .i = op->i});
    case PS_PICKLE_PUSH_INT:
        return push_int(m, op->i, false);
    case PS_PICKLE_PUSH_REAL:
        return push_real(m, op);
    case PS_PICKLE_PUSH_TEXT:
        return push_text(m, op->text);
    case PS_PICKLE_PUSH_LIST:
        return push_container(m, V_LIST);
    case PS_PICKLE_PUSH_DICT:
        return push_container(m, V_DICT);
    case PS_PICKLE_PUSH_MARK:
        return push_mark(m);
    case PS_PICKLE_TUPLE_OF:
        return pop_values(m, (size_t)op->i, &items) && make_tuple(m, items, (size_t)op->i);
    case PS_PICKLE_TUPLE_TO_MARK:
        return pop_mark(m, &items, &n) && make_tuple(m, items, n);
    case PS_PICKLE_MEMOIZE:
        return put_memo(m, m->memo.n);
    case PS_PICKLE_PUT:
        return put_memo(m, (uint64_t)op->i);
    case PS_PICKLE_GET:
        return push_memo(m, (uint64_t)op->i);
    case PS_PICKLE_APPEND:
        return pop_values(m, 1, &items) && append_items(m, items, 1);
    case PS_PICKLE_APPEND_TO_MARK:
        return pop_mark(m, &items, &n) && append_items(m, items, n);
    case PS_PICKLE_SET:
        return pop_values(m, 2, &items) && set_items(m, items, 2);
    case PS_PICKLE_SET_TO_MARK:
        return pop_mark(m, &items, &n) && set_items(m, items, n);
    default:
        return refuse(m, "PyTorch never writes this opcode");
    }
}

/* the opcodes of snapshots; see sn_read_pickle */
#define ACCEPTED "KMJ\x8aG\x8cX\x8d\x94qrhj)t\x85\x86\x87]}aesu(N\x88\x89"

static bool check_progress(struct machine *m, struct ps_stream *in)
{
    return ps_reading_check(in, m->s->out, m->s->n_events, m->err) == PS_OK;
}

enum ps_status sn_read_pickle(struct sn_snapshot *s, struct ps_stream *in, struct ps_err *err)
{
    struct machine m = {.s = s, .err = err};
    struct ps_pickle_opcodes reader;
    struct ps_pickle_op op = {0};
    uint64_t n = 0;

    ps_pickle_open_stream(&reader, in, TEXT_MAX, PS_STR(ACCEPTED), "PyTorch");
    reader.err = err;
    while (ps_pickle_next_op(&reader, &op)) {
        m.offset = reader.op_offset;
        if (op.action == PS_PICKLE_STOP) {
            (void)end_document(&m);
            break;
        }
        if (!run_op(&m, &op) || (++n % CHECK_INTERVAL == 0 && !check_progress(&m, in)))
            break;
    }
    return end_machine(&m);
}

/* --- JSON --- */

static bool push_number(struct machine *m, struct ps_str text)
{
    char copy[64], *end;
    int64_t i;
    unsigned long long u;
    double r;

    if (ps_str_parse_i64(text, &i))
        return push_int(m, i, false);
    if (text.len == 0 || text.len >= sizeof copy)
        return push_value(m, (struct value){.kind = V_LOST});
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (strspn(copy, "0123456789") == text.len && text.len <= 20) {
        u = strtoull(copy, NULL, 10);
        if (u > INT64_MAX && u < UINT64_MAX)
            return push_int(m, (int64_t)u, true);
    }
    r = strtod(copy, &end);
    return push_value(m, (struct value){.kind = *end || !isfinite(r) ? V_LOST : V_REAL, .r = r});
}

/* Appends the items of an array that were read so far. */
static bool end_batch(struct machine *m)
{
    struct value *items = NULL;
    size_t n = 0;

    return pop_mark(m, &items, &n) && append_items(m, items, n);
}

static bool run_token(struct machine *m, enum ps_json_token token, struct ps_str text)
{
    struct value *items = NULL;
    size_t n = 0;

    switch (token) {
    case PS_JSON_OBJECT:
        return push_container(m, V_DICT) && push_mark(m);
    case PS_JSON_ARRAY:
        return push_container(m, V_LIST) && push_mark(m);
    case PS_JSON_OBJECT_END:
        return pop_mark(m, &items, &n) && set_items(m, items, n);
    case PS_JSON_ARRAY_END:
        return end_batch(m);
    case PS_JSON_KEY:
    case PS_JSON_STRING:
        if (text.len > TEXT_MAX)
            return too_large(m, "longer texts");
        return push_text(m, text);
    case PS_JSON_NUMBER:
        return push_number(m, text);
    case PS_JSON_TRUE:
    case PS_JSON_FALSE:
        return push_value(m, (struct value){.kind = V_BOOL, .i = token == PS_JSON_TRUE});
    default:
        return push_value(m, (struct value){.kind = V_NONE});
    }
}

/* Whether the innermost container is an array with a full batch. */
static bool is_batch_full(const struct machine *m)
{
    size_t mark = m->n_marks ? m->marks[m->n_marks - 1] : 0;

    return mark && m->n_stack - mark >= BATCH && m->stack[mark - 1].kind == V_LIST;
}

enum ps_status sn_read_json(struct sn_snapshot *s, struct ps_stream *in, struct ps_err *err)
{
    struct machine m = {.s = s, .err = err};
    struct ps_json_in json = {.in = in};
    enum ps_json_token token;
    uint64_t n = 0;

    do {
        token = ps_json_in_next(&json);
        m.offset = ps_json_in_offset(&json);
        if (token == PS_JSON_INVALID)
            (void)ps_json_in_fail(&json, err);
        else if (token == PS_JSON_END && ps_stream_status(in, err) == PS_OK)
            (void)refuse(&m, "the document ends before the snapshot is complete");
        if (token == PS_JSON_INVALID || token == PS_JSON_END || !run_token(&m, token, json.text) ||
            (is_batch_full(&m) && (!end_batch(&m) || !push_mark(&m))) ||
            (++n % CHECK_INTERVAL == 0 && !check_progress(&m, in)))
            break;
    } while (m.n_marks);
    if (err->code == PS_OK)
        (void)end_document(&m);
    ps_json_in_free(&json);
    return end_machine(&m);
}
