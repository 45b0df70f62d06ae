/* SPDX-License-Identifier: MIT */
/*
 * xplane_events.c: turns the events of a plane into records, and their stats into arguments.
 *
 * Events with the same metadata and the same kinds of stats share a shape: a template of arguments
 * (slices/args.h) and the numbers that are the same for all of them, which their metadata has.
 *
 * Times are picoseconds in the file and nanoseconds in a run. Start and duration are each rounded
 * to the nearest nanosecond, as in the JSON that JAX writes. If a time is not a whole number of
 * nanoseconds, the arguments duration_ps and start_remainder_ps make it exact.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "base/saturated.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/trace/xplane.h"

enum {
    NAME_MAX_BYTES = 64 << 10,
    LONG_NAME_MAX_BYTES = 1024,
    AGGREGATED_MAX = 100,      /* events without a time in the header */
    AGGREGATED_NAME_MAX = 100, /* bytes of their names */
    NOTES_MAX = 10,            /* notes on single events */
    TEMPLATE_BYTES_MAX = 32 << 20,
};
#define TIME_MAX (INT64_MAX / 4) /* ns; the difference of two such times cannot overflow */

/* --- Metadata --- */

struct xplane_stat *xplane_plane_stat(struct xplane_plane *plane, int64_t id)
{
    uint32_t index = xplane_id_index(&plane->stat_ids, id);

    if (index >= plane->n_stats)
        plane->stats = ps_grow_to(plane->stats, &plane->n_stats, index, sizeof *plane->stats);
    return &plane->stats[index];
}

struct xplane_meta *xplane_plane_meta(struct xplane_plane *plane, int64_t id)
{
    uint32_t index = xplane_id_index(&plane->meta_ids, id);

    if (index >= plane->n_metas)
        plane->metas = ps_grow_to(plane->metas, &plane->n_metas, index, sizeof *plane->metas);
    return &plane->metas[index];
}

struct ps_str xplane_stat_name(struct xplane_plane *plane, int64_t id, char number[24])
{
    const struct xplane_stat *stat = xplane_plane_stat(plane, id);

    if (stat->name.len)
        return stat->name;
    (void)snprintf(number, 24, "%" PRId64, id);
    return ps_str_from_c(number);
}

static enum xplane_role role_of_name(struct ps_str name)
{
    static const struct {
        const char *name;
        enum xplane_role role;
    } roles[] = {
        {"_pt", XPLANE_ROLE_PRODUCER_TYPE},          {"_p", XPLANE_ROLE_PRODUCER},
        {"_ct", XPLANE_ROLE_CONSUMER_TYPE},          {"_c", XPLANE_ROLE_CONSUMER},
        {"correlation_id", XPLANE_ROLE_CORRELATION}, {"allocator_name", XPLANE_ROLE_ALLOCATOR},
        {"bytes_allocated", XPLANE_ROLE_ALLOCATED},  {"bytes_reserved", XPLANE_ROLE_RESERVED},
        {"kernel_details", XPLANE_ROLE_KERNEL},      {"memcpy_details", XPLANE_ROLE_COPY},
        {"memset_details", XPLANE_ROLE_COPY},
    };

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (ps_str_eq_c(name, roles[i].name))
            return roles[i].role;
    return XPLANE_ROLE_NONE;
}

static enum xplane_role role_of(struct xplane_plane *plane, int64_t id)
{
    struct xplane_stat *stat = xplane_plane_stat(plane, id);

    if (!stat->is_described) {
        stat->role = (uint8_t)role_of_name(stat->name);
        stat->is_described = true;
    }
    return (enum xplane_role)stat->role;
}

static uint32_t clean_text_id(struct xplane_events *e, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    text = ps_truncate_text(text, NAME_MAX_BYTES);
    if (text.len && !ps_is_clean_text(text)) {
        e->n_unclean++;
        ps_clean_text(&clean, text);
        text = ps_buf_slice(&clean);
    }
    return tr_text_id(e->trace, text);
}

/* The text id of the name of events. */
static uint32_t name_of(struct xplane_events *e, struct xplane_meta *meta, int64_t id)
{
    char number[24];

    if (meta->text)
        return meta->text;
    (void)snprintf(number, sizeof number, "#%" PRId64, id);
    meta->text = clean_text_id(e, meta->display_name.len ? meta->display_name
                                  : meta->name.len       ? meta->name
                                                         : ps_str_from_c(number));
    return meta->text;
}

/* --- Values --- */

/* How a stat becomes an argument. */
enum value_kind { VALUE_NONE, VALUE_INT, VALUE_DECIMAL, VALUE_LITERAL, VALUE_TEXT, VALUE_BYTES };

struct value {
    enum value_kind kind;
    int64_t number; /* VALUE_INT; the digits of VALUE_DECIMAL; the size of VALUE_BYTES */
    uint32_t decimals;
    struct ps_str text; /* VALUE_TEXT; the JSON of VALUE_LITERAL */
    bool is_ref;        /* the text is the name of the stat metadata with the id `number` */
    char digits[32];    /* memory of a literal or of the number of a ref */
};

static bool is_link(enum xplane_role role)
{
    return role >= XPLANE_ROLE_PRODUCER_TYPE && role <= XPLANE_ROLE_CONSUMER;
}

/* Ids of links are hashes, of which half are above the greatest signed number. */
static void set_unsigned(struct value *out, uint64_t number, enum xplane_role role)
{
    *out = (struct value){.kind = VALUE_INT, .number = (int64_t)number};
    if (number <= INT64_MAX || is_link(role))
        return;
    out->kind = VALUE_LITERAL;
    (void)snprintf(out->digits, sizeof out->digits, "%" PRIu64, number);
    out->text = ps_str_from_c(out->digits);
}

/* A number as its shortest decimal, if that has no exponent. */
static void set_real(struct value *out, double number)
{
    *out = (struct value){.kind = VALUE_LITERAL};
    if (!isfinite(number)) {
        out->text = PS_STR("null");
    } else if (ps_args_split_real(number, &out->number, &out->decimals)) {
        out->kind = VALUE_DECIMAL;
    } else {
        out->text = (struct ps_str){out->digits, ps_real_format(number, out->digits)};
    }
}

static void set_ref(struct xplane_plane *plane, struct value *out, uint64_t id)
{
    *out = (struct value){.kind = VALUE_TEXT, .number = (int64_t)id, .is_ref = true};
    out->text = xplane_stat_name(plane, (int64_t)id, out->digits);
}

static void read_value(struct xplane_plane *plane, const struct xp_xstat *stat,
                       enum xplane_role role, struct value *out)
{
    if (stat->has & XP_XSTAT_HAS_INT64_VALUE)
        *out = (struct value){.kind = VALUE_INT, .number = stat->int64_value};
    else if (stat->has & XP_XSTAT_HAS_UINT64_VALUE)
        set_unsigned(out, stat->uint64_value, role);
    else if (stat->has & XP_XSTAT_HAS_REF_VALUE)
        set_ref(plane, out, stat->ref_value);
    else if (stat->has & XP_XSTAT_HAS_STR_VALUE)
        *out = (struct value){.kind = VALUE_TEXT,
                              .text = ps_truncate_text(stat->str_value, NAME_MAX_BYTES)};
    else if (stat->has & XP_XSTAT_HAS_DOUBLE_VALUE)
        set_real(out, stat->double_value);
    else if (stat->has & XP_XSTAT_HAS_BYTES_VALUE)
        *out = (struct value){.kind = VALUE_BYTES, .number = (int64_t)stat->bytes_value.len};
    else
        *out = (struct value){.kind = VALUE_NONE};
}

/* --- Templates --- */

static void put_key(struct ps_buf *text, struct ps_str key)
{
    struct ps_json json = ps_json_writer(text);

    ps_buf_puts(text, text->len ? "," : "{");
    ps_json_str(&json, key);
    ps_buf_puts(text, ":");
}

static void put_value(struct ps_buf *text, const struct value *value)
{
    struct ps_json json = ps_json_writer(text);

    if (value->kind == VALUE_INT)
        ps_buf_add(text, &(char){PS_TEMPLATE_INT}, 1);
    else if (value->kind == VALUE_DECIMAL)
        ps_buf_add(text, &(char){PS_TEMPLATE_DECIMAL}, 1);
    else if (value->kind == VALUE_LITERAL)
        ps_buf_add_str(text, value->text);
    else if (value->kind == VALUE_BYTES)
        ps_buf_printf(text, "\"%" PRId64 " bytes\"", value->number);
    else
        ps_json_str(&json, value->text.ptr ? value->text : PS_STR(""));
}

static void put_param(struct ps_buf *params, const struct value *value)
{
    if (value->kind == VALUE_INT)
        ps_args_put_int(params, value->number);
    else if (value->kind == VALUE_DECIMAL)
        ps_args_put_decimal(params, value->number, value->decimals);
}

/* Reads up to three numbers with commas between them. Returns how many it read. */
static int read_numbers(struct ps_str text, int64_t out[3])
{
    int n = 0;

    while (n < 3 && text.len) {
        const char *comma = memchr(text.ptr, ',', text.len);
        size_t len = comma ? (size_t)(comma - text.ptr) : text.len;

        if (!ps_str_parse_i64((struct ps_str){text.ptr, len}, &out[n]))
            return n;
        n++;
        text = ps_str_skip(text, comma ? len + 1 : len);
    }
    return n;
}

/* What words of kernel_details and memcpy_details are called in traces of GPUs. The values of the
 * words of one key are added up. */
static const struct detail {
    const char *key;
    int n; /* numbers of the value */
    const char *words[4];
} details[] = {
    {"grid", 3, {"grid"}},
    {"block", 3, {"block"}},
    {"registers per thread", 1, {"regs"}},
    {"shared memory", 1, {"static_shared", "dynamic_shared", "group_mem"}},
    {"bytes", 1, {"size", "num_bytes"}},
};

/* Finds "word:numbers" in the text. Returns how many numbers it has. */
static int find_word(struct ps_str text, const char *word, int64_t out[3])
{
    size_t n = strlen(word);

    while (text.len) {
        const char *blank = memchr(text.ptr, ' ', text.len);
        size_t len = blank ? (size_t)(blank - text.ptr) : text.len;

        if (len > n && memcmp(text.ptr, word, n) == 0 && text.ptr[n] == ':')
            return read_numbers((struct ps_str){text.ptr + n + 1, len - n - 1}, out);
        text = ps_str_skip(text, blank ? len + 1 : len);
    }
    return 0;
}

static bool find_detail(struct ps_str text, const struct detail *detail, int64_t out[3])
{
    int64_t numbers[3];
    bool is_found = false;

    out[0] = out[1] = out[2] = 0;
    for (int i = 0; detail->words[i]; i++) {
        if (find_word(text, detail->words[i], numbers) < detail->n)
            continue;
        for (int k = 0; k < detail->n; k++)
            out[k] = ps_add_saturated(out[k], numbers[k]);
        is_found = true;
    }
    return is_found;
}

/* Adds the numbers in the text as arguments. */
static void put_details(struct xplane_events *e, struct ps_str text)
{
    int64_t numbers[3];

    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        const struct detail *detail = &details[i];

        if (!find_detail(text, detail, numbers))
            continue;
        put_key(&e->text, ps_str_from_c(detail->key));
        for (int k = 0; k < detail->n; k++) {
            ps_buf_puts(&e->text, detail->n == 1 ? "" : k ? "," : "[");
            ps_buf_add(&e->text, &(char){PS_TEMPLATE_INT}, 1);
            ps_args_put_int(&e->params, numbers[k]);
        }
        ps_buf_puts(&e->text, detail->n == 1 ? "" : "]");
    }
}

/* --- Shapes --- */

/* What an event says about others: the ends of arrows, and the memory in use. */
struct links {
    unsigned has; /* bits 1 << enum xplane_role */
    int64_t numbers[XPLANE_ROLE_RESERVED + 1];
    struct ps_str allocator;
    char number[32]; /* the name of an allocator whose text the file lacks */
};

#define HAS(links, role) ((links)->has & 1u << (role))

static void keep_link(struct links *links, enum xplane_role role, const struct value *value)
{
    if (role == XPLANE_ROLE_NONE || role > XPLANE_ROLE_RESERVED)
        return;
    if (role != XPLANE_ROLE_ALLOCATOR && value->kind == VALUE_INT) {
        links->numbers[role] = value->number;
    } else if (role == XPLANE_ROLE_ALLOCATOR && value->kind == VALUE_TEXT) {
        memcpy(links->number, value->digits, sizeof links->number);
        links->allocator = value->text.ptr == value->digits
                               ? (struct ps_str){links->number, value->text.len}
                               : value->text;
    } else {
        return;
    }
    links->has |= 1u << role;
}

static void add_to_key(struct ps_buf *key, const void *bytes, size_t n)
{
    ps_buf_add(key, bytes, n);
}

/* Adds a stat to the key of the shape, and its number to the parameters. */
static void add_to_shape(struct xplane_events *e, int64_t id, const struct value *value)
{
    struct {
        int64_t id;
        uint32_t kind;
        uint32_t len;
    } head = {id, (uint32_t)value->kind | (value->is_ref ? 16u : 0), 0};
    bool has_text = (value->kind == VALUE_TEXT && !value->is_ref) || value->kind == VALUE_LITERAL;

    head.len = has_text ? (uint32_t)value->text.len : 0;
    add_to_key(&e->key, &head, sizeof head);
    if (has_text)
        ps_buf_add_str(&e->key, value->text);
    else if (value->is_ref || value->kind == VALUE_BYTES)
        add_to_key(&e->key, &value->number, sizeof value->number);
    put_param(&e->params, value);
}

/* Reads the stats of an event into the key of its shape, its parameters and its links. False: a
 * stat is damaged. */
static bool read_stats(struct xplane_events *e, struct ps_wire_list list, struct links *links)
{
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes)) {
        struct xp_xstat stat;
        struct value value;
        enum xplane_role role;

        if (!ps_wire_read(&xp_xstat_message, bytes, &stat, &fault))
            return false;
        role = role_of(e->plane, stat.metadata_id);
        read_value(e->plane, &stat, role, &value);
        if (value.kind == VALUE_NONE)
            continue;
        add_to_shape(e, stat.metadata_id, &value);
        keep_link(links, role, &value);
    }
    return true;
}

/* Writes a stat as a member of the template. */
static void put_stat(struct xplane_events *e, const struct xp_xstat *stat, bool has_param)
{
    enum xplane_role role = role_of(e->plane, stat->metadata_id);
    struct value value;
    char number[24];

    read_value(e->plane, stat, role, &value);
    if (value.kind == VALUE_NONE)
        return;
    put_key(&e->text, xplane_stat_name(e->plane, stat->metadata_id, number));
    put_value(&e->text, &value);
    if (has_param)
        put_param(&e->params, &value);
}

static bool next_stored_stat(struct ps_str *rest, struct xp_xstat *out)
{
    struct ps_wire_fault fault;
    uint32_t len;

    if (rest->len < sizeof len)
        return false;
    memcpy(&len, rest->ptr, sizeof len);
    *rest = ps_str_skip(*rest, sizeof len);
    (void)ps_wire_read(&xp_xstat_message, (struct ps_str){rest->ptr, len}, out, &fault);
    *rest = ps_str_skip(*rest, len);
    return true;
}

/* Whether one of the stats has this id. */
static bool has_stat(struct ps_wire_list list, int64_t id)
{
    struct ps_wire_fault fault;
    struct ps_str bytes;
    struct xp_xstat stat;

    while (ps_wire_next_string(&list, &bytes))
        if (ps_wire_read(&xp_xstat_message, bytes, &stat, &fault) && stat.metadata_id == id)
            return true;
    return false;
}

static void put_details_of(struct xplane_events *e, const struct xp_xstat *stat)
{
    enum xplane_role role = role_of(e->plane, stat->metadata_id);
    struct value value;

    if (role != XPLANE_ROLE_KERNEL && role != XPLANE_ROLE_COPY)
        return;
    read_value(e->plane, stat, role, &value);
    if (value.kind == VALUE_TEXT)
        put_details(e, value.text);
}

/* Writes the template of the event's arguments to e->text. Appends the numbers that are the same
 * for each event of the shape to e->params. */
static void write_template(struct xplane_events *e, const struct xplane_meta *meta,
                           struct ps_wire_list stats, bool has_remainder)
{
    struct ps_str rest = ps_buf_slice(&meta->stats), bytes;
    struct ps_wire_list list = stats;
    struct ps_wire_fault fault;
    struct xp_xstat stat;

    e->text.len = 0;
    if (has_remainder)
        ps_buf_puts(&e->text, "{\"start_remainder_ps\":\1,\"duration_ps\":\1");
    while (ps_wire_next_string(&list, &bytes))
        if (ps_wire_read(&xp_xstat_message, bytes, &stat, &fault))
            put_stat(e, &stat, false);
    while (next_stored_stat(&rest, &stat))
        if (!has_stat(stats, stat.metadata_id))
            put_stat(e, &stat, true);
    for (list = stats; ps_wire_next_string(&list, &bytes);)
        if (ps_wire_read(&xp_xstat_message, bytes, &stat, &fault))
            put_details_of(e, &stat);
    if (meta->display_name.len && meta->name.len && !ps_str_eq(meta->display_name, meta->name)) {
        put_key(&e->text, PS_STR("long_name"));
        put_value(&e->text,
                  &(struct value){.kind = VALUE_TEXT,
                                  .text = ps_truncate_text(meta->name, LONG_NAME_MAX_BYTES)});
    }
    if (e->text.len)
        ps_buf_puts(&e->text, "}");
}

static uint32_t find_shape(struct xplane_events *e, const struct xplane_meta *meta)
{
    struct ps_str key = ps_buf_slice(&e->key);

    if (meta->last_shape && ps_str_eq(e->shapes.items[meta->last_shape - 1], key))
        return meta->last_shape - 1;
    return ps_intern_find(&e->shapes, key);
}

/* Sets the template of the record, and completes e->params. */
static void set_arguments(struct xplane_events *e, struct xplane_meta *meta,
                          struct ps_wire_list stats, bool has_remainder, struct tr_record *record)
{
    uint32_t shape = find_shape(e, meta);
    size_t n = e->params.len;
    struct ps_str constant; /* numbers that are the same for all events of the shape */

    if (shape != PS_INTERN_NONE) {
        ps_buf_add_str(&e->params, e->items[shape].params);
        record->template = e->items[shape].template;
        meta->last_shape = shape + 1;
        return;
    }
    write_template(e, meta, stats, has_remainder);
    record->template = tr_fill_template_below(e->trace, ps_buf_slice(&e->text), TEMPLATE_BYTES_MAX);
    if (!record->template && e->text.len) {
        ps_args_put_whole(ps_buf_slice(&e->text), &e->params);
        record->template = PS_TEMPLATE_WHOLE;
        return;
    }
    shape = ps_intern_add(&e->shapes, ps_buf_slice(&e->key));
    if (shape >= e->cap_items)
        e->items = ps_grow_to(e->items, &e->cap_items, shape, sizeof *e->items);
    constant =
        e->params.len > n ? (struct ps_str){e->params.ptr + n, e->params.len - n} : PS_STR("");
    e->items[shape] =
        (struct xplane_shape){record->template, ps_arena_copy(&e->plane->arena, constant)};
    meta->last_shape = shape + 1;
}

/* --- Arrows and counters --- */

static enum ps_status add_flow(struct xplane_events *e, uint32_t thread, int64_t ts_ns,
                               uint16_t category, uint32_t name, int64_t id, bool is_start)
{
    struct tr_record record = {.ts_ns = ts_ns,
                               .dur_or_id = id,
                               .name = name,
                               .template = is_start ? 0 : e->enclosing,
                               .category = category};

    record.phase = is_start ? 's' : 'f';
    return tr_fill_record(e->trace, thread, record, (struct ps_str){NULL, 0});
}

/* Adds an end of an arrow between threads: the ends have the type of their context and an id. */
static enum ps_status add_context(struct xplane_events *e, uint32_t thread, int64_t ts_ns,
                                  int64_t type, int64_t id, bool is_start)
{
    char name[40];

    (void)snprintf(name, sizeof name, "context %" PRId64, type);
    return add_flow(e, thread, ts_ns, e->context, tr_text_id(e->trace, ps_str_from_c(name)), id,
                    is_start);
}

/* Adds the memory that an allocator has in use. */
static enum ps_status add_memory(struct xplane_events *e, uint32_t thread, int64_t ts_ns,
                                 const struct links *links)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    struct tr_record record = {.ts_ns = ts_ns, .dur_or_id = TR_NO_DURATION, .phase = 'C'};

    if (!links->allocator.len || !HAS(links, XPLANE_ROLE_ALLOCATED))
        return PS_OK;
    ps_buf_puts(&name, "Memory of ");
    ps_buf_add_str(&name, links->allocator);
    record.name = clean_text_id(e, ps_buf_slice(&name));
    record.template = e->allocated;
    e->params.len = 0;
    ps_args_put_int(&e->params, links->numbers[XPLANE_ROLE_ALLOCATED]);
    ps_args_put_int(&e->params, links->numbers[XPLANE_ROLE_RESERVED]);
    return tr_fill_record(e->trace, thread, record, ps_buf_slice(&e->params));
}

static enum ps_status add_links(struct xplane_events *e, uint32_t thread, int64_t ts_ns,
                                const struct links *links)
{
    const int64_t *numbers = links->numbers;
    enum ps_status status = PS_OK;

    if (HAS(links, XPLANE_ROLE_PRODUCER))
        status = add_context(e, thread, ts_ns, numbers[XPLANE_ROLE_PRODUCER_TYPE],
                             numbers[XPLANE_ROLE_PRODUCER], true);
    if (status == PS_OK && HAS(links, XPLANE_ROLE_CONSUMER))
        status = add_context(e, thread, ts_ns, numbers[XPLANE_ROLE_CONSUMER_TYPE],
                             numbers[XPLANE_ROLE_CONSUMER], false);
    if (status == PS_OK && HAS(links, XPLANE_ROLE_CORRELATION))
        status = add_flow(e, thread, ts_ns, e->launch, 0, numbers[XPLANE_ROLE_CORRELATION],
                          !e->is_device);
    return status == PS_OK ? add_memory(e, thread, ts_ns, links) : status;
}

/* --- Events --- */

static void note_event(struct xplane_events *e, enum ps_severity severity, uint64_t offset,
                       const char *what)
{
    struct tr_counts *counts = &e->trace->counts;

    counts->rejected += severity == PS_NOTE_REJECTED;
    counts->repaired += severity == PS_NOTE_REPAIRED;
    if (e->n_notes++ < NOTES_MAX)
        ps_sink_note(e->trace->out, severity, offset, 0, "event of plane %.*s: %s",
                     (int)(e->plane->name.len < 100 ? e->plane->name.len : 100), e->plane->name.ptr,
                     what);
}

/* Picoseconds as nanoseconds, rounded to the nearest. */
static int64_t round_to_ns(int64_t ps)
{
    int64_t rest = ps % 1000;

    return ps / 1000 + (rest >= 500) - (rest <= -500);
}

/* Sets the times of a record. NULL: they are as in the file; else what was wrong with them.
 * `is_lost`: the event has no time. */
static const char *set_times(const struct xplane_line *line, const struct xp_xevent *event,
                             struct tr_record *record, bool *is_lost)
{
    *is_lost =
        __builtin_add_overflow(line->timestamp_ns, round_to_ns(event->offset_ps), &record->ts_ns) ||
        record->ts_ns > TIME_MAX || record->ts_ns < -TIME_MAX;
    if (*is_lost)
        return "its time is out of range";
    record->dur_or_id = event->duration_ps < 0 ? 0 : round_to_ns(event->duration_ps);
    return event->duration_ps < 0 ? "its duration is negative; set to 0" : NULL;
}

static void put_short(struct ps_json *json, const char *key, struct ps_str text)
{
    ps_json_key(json, key);
    ps_json_str(json, text.len ? ps_truncate_text(text, AGGREGATED_NAME_MAX) : PS_STR(""));
}

/* An event with a number of occurrences has no time: it is listed in the header. */
static void add_aggregated(struct xplane_events *e, const struct xplane_line *line,
                           struct xplane_meta *meta, const struct xp_xevent *event)
{
    struct ps_json json = ps_json_writer(&e->aggregated);

    e->trace->counts.other++;
    if (e->n_aggregated++ >= AGGREGATED_MAX)
        return;
    ps_buf_puts(&e->aggregated, e->aggregated.len ? "," : "");
    ps_json_object(&json);
    put_short(&json, "plane", e->plane->name);
    put_short(&json, "line", line->name);
    put_short(&json, "name", tr_text_of_id(e->trace, name_of(e, meta, event->metadata_id)));
    ps_json_key_int(&json, "occurrences", event->num_occurrences);
    ps_json_key_int(&json, "duration_ps", event->duration_ps);
    ps_json_end(&json);
}

/* Begins the key and the parameters of an event. Returns whether its times are not whole
 * nanoseconds. */
static bool begin_shape(struct xplane_events *e, const struct xplane_meta *meta,
                        const struct xp_xevent *event)
{
    bool has_remainder = event->offset_ps % 1000 || event->duration_ps % 1000;
    uint64_t head = (uint64_t)(meta - e->plane->metas) << 1 | has_remainder;

    e->key.len = e->params.len = 0;
    add_to_key(&e->key, &head, sizeof head);
    if (has_remainder) {
        ps_args_put_int(&e->params, event->offset_ps - round_to_ns(event->offset_ps) * 1000);
        ps_args_put_int(&e->params, event->duration_ps);
    }
    return has_remainder;
}

static enum ps_status add_event(struct xplane_events *e, const struct xplane_line *line,
                                uint32_t thread, struct ps_str bytes, uint64_t offset)
{
    struct tr_record record = {.phase = 'X'};
    struct ps_wire_fault fault;
    struct links links = {0};
    struct xplane_meta *meta;
    struct xp_xevent event;
    bool is_lost, has_remainder;
    const char *wrong;

    e->trace->counts.read++;
    if (!ps_wire_read(&xp_xevent_message, bytes, &event, &fault)) {
        note_event(e, PS_NOTE_REJECTED, offset + fault.at, fault.what);
        return PS_OK;
    }
    meta = xplane_plane_meta(e->plane, event.metadata_id);
    if (event.has & XP_XEVENT_HAS_NUM_OCCURRENCES) {
        add_aggregated(e, line, meta, &event);
        return PS_OK;
    }
    wrong = set_times(line, &event, &record, &is_lost);
    has_remainder = begin_shape(e, meta, &event);
    if (!is_lost && !read_stats(e, event.stats, &links)) {
        is_lost = true;
        wrong = "one of its stats is damaged";
    }
    if (wrong)
        note_event(e, is_lost ? PS_NOTE_REJECTED : PS_NOTE_REPAIRED, offset, wrong);
    if (is_lost)
        return PS_OK;
    record.name = name_of(e, meta, event.metadata_id);
    set_arguments(e, meta, event.stats, has_remainder, &record);
    if (tr_fill_record(e->trace, thread, record, ps_buf_slice(&e->params)) != PS_OK)
        return e->trace->err->code;
    return links.has ? add_links(e, thread, record.ts_ns, &links) : PS_OK;
}

/* --- Lines --- */

/* The id by which JAX's JSON calls the line: the lower half of its id. Another line of the plane
 * may have the same; then it is the whole id and the place of the line. */
static uint32_t thread_of(struct xplane_events *e, struct ps_str pid, size_t index)
{
    const struct xplane_line *line = &e->plane->lines[index];
    int64_t id = line->display_id ? line->display_id : line->id;
    uint32_t n = e->trace->n_threads, thread;
    char tid[64];

    (void)snprintf(tid, sizeof tid, "%" PRIu32, (uint32_t)id);
    thread = tr_fill_thread(e->trace, pid, ps_str_from_c(tid));
    if (thread == n)
        return thread;
    (void)snprintf(tid, sizeof tid, "%" PRId64 " #%zu", id, index + 1);
    return tr_fill_thread(e->trace, pid, ps_str_from_c(tid));
}

static int64_t device_of_name(struct ps_str name)
{
    size_t at = name.len;
    int64_t device;

    while (at && name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9')
        at--;
    return at && name.ptr[at - 1] == ':' && ps_str_parse_i64(ps_str_skip(name, at), &device)
               ? device
               : -1;
}

static struct ps_str clean_copy(struct tr_trace *trace, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    ps_clean_text(&clean, ps_truncate_text(text, NAME_MAX_BYTES));
    return ps_arena_copy(&trace->arena, clean.len ? ps_buf_slice(&clean) : PS_STR(""));
}

static void describe_thread(struct xplane_events *e, uint32_t index, size_t line_index)
{
    const struct xplane_line *line = &e->plane->lines[line_index];
    struct tr_thread *thread = &e->trace->threads[index];

    thread->name = clean_copy(e->trace, line->display_name.len ? line->display_name : line->name);
    thread->process_name = clean_copy(e->trace, e->plane->name);
    thread->sort_index = (int64_t)line_index;
    thread->device = e->is_device ? device_of_name(e->plane->name) : -1;
}

static enum ps_status add_line(struct xplane_events *e, struct ps_str pid, size_t index)
{
    struct xplane_line *line = &e->plane->lines[index];
    struct xplane_position at = line->first;
    enum ps_status status = PS_OK;
    uint32_t thread;

    if (!line->n_events)
        return PS_OK;
    thread = thread_of(e, pid, index);
    describe_thread(e, thread, index);
    for (uint64_t i = 0; i < line->n_events && status == PS_OK; i++) {
        uint64_t offset;
        struct ps_str event = xplane_spool_next(e->plane->spool, &at, &offset);

        status = add_event(e, line, thread, event, offset);
    }
    return status;
}

void xplane_events_begin(struct xplane_events *e, struct tr_trace *trace)
{
    e->trace = trace;
    e->enclosing = tr_fill_template(trace, PS_STR("\3{\"bp\":\"e\"}"));
    e->allocated =
        tr_fill_template(trace, PS_STR("{\"allocated bytes\":\1,\"reserved bytes\":\1}"));
    e->context = tr_fill_category(trace, PS_STR("context"), PS_SLICE_OTHER);
    e->launch = tr_fill_category(trace, PS_STR("ac2g"), PS_SLICE_OTHER);
}

enum ps_status xplane_events_add(struct xplane_events *e, struct xplane_plane *plane,
                                 struct ps_str pid)
{
    enum ps_status status = PS_OK;

    e->plane = plane;
    e->is_device = ps_str_starts_with(plane->name, PS_STR("/device:"));
    for (size_t i = 0; i < plane->n_lines && status == PS_OK; i++)
        status = add_line(e, pid, i);
    ps_intern_free(&e->shapes);
    return status;
}

void xplane_write_stats(struct xplane_plane *plane, struct ps_str stats, struct ps_buf *out)
{
    struct xp_xstat stat;

    while (next_stored_stat(&stats, &stat)) {
        struct ps_json json = ps_json_writer(out);
        struct value value;
        char number[24];

        read_value(plane, &stat, XPLANE_ROLE_NONE, &value);
        if (value.kind == VALUE_NONE)
            continue;
        put_key(out, xplane_stat_name(plane, stat.metadata_id, number));
        if (value.kind == VALUE_INT)
            ps_buf_printf(out, "%" PRId64, value.number);
        else if (value.kind == VALUE_DECIMAL)
            ps_json_real(&json, stat.double_value);
        else
            put_value(out, &value);
    }
    ps_buf_puts(out, out->len ? "}" : "{}");
}

void xplane_events_free(struct xplane_events *e)
{
    ps_intern_free(&e->shapes);
    free(e->items);
    ps_buf_free(&e->key);
    ps_buf_free(&e->params);
    ps_buf_free(&e->text);
    ps_buf_free(&e->aggregated);
}
