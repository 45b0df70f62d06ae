/* SPDX-License-Identifier: MIT */
/*
 * parse.h: the parser of events (parse.c, pattern.c), which read.c calls for each block of a trace.
 *
 * A parser belongs to one thread. It reads events from bytes in memory and stores records with
 * local ids (struct tr_parser_output), which read.c maps to ids of the trace. TR_PADDING readable
 * bytes must follow the input, so that eight bytes can be loaded at any position.
 */
#ifndef PS_TRACE_PARSE_H
#define PS_TRACE_PARSE_H

#include "importers/trace/trace.h"

#define TR_PADDING            64
#define TR_DEPTH_MAX          256
#define TR_SLOTS_MAX          48
#define TR_REPAIRED_NAME_MARK '\xff'

/* The rules for finding the end of a string, since some writers quote incorrectly. The modes are
 * tried in this order. */
enum tr_mode {
    TR_MODE_STRICT,          /* JSON, but control characters are allowed in strings */
    TR_MODE_LOOSE_QUOTES,    /* a quote ends a string only before , : } ] */
    TR_MODE_PLAIN_BACKSLASH, /* TR_MODE_LOOSE_QUOTES, and a backslash is an ordinary character */
    TR_MODE_WHOLE_NAME, /* TR_MODE_PLAIN_BACKSLASH, and the name ends before the next key of the
                           event */
    TR_N_MODES
};

/* Defects of the input. Each defect is counted, and the first TR_FINDINGS_MAX of a kind are
 * reported with their position. */
enum tr_finding {
    /* repaired */
    TR_FINDING_CONTROL,
    TR_FINDING_QUOTES,
    TR_FINDING_BACKSLASH,
    TR_FINDING_NAME,
    TR_FINDING_UTF8,
    TR_FINDING_SURROGATE,
    TR_FINDING_NUMBER,
    TR_FINDING_NOT_A_NUMBER,
    TR_FINDING_TRAILING_COMMA,
    TR_FINDING_NEGATIVE_DURATION,
    TR_N_REPAIRS,
    /* rejected */
    TR_FINDING_DAMAGED = TR_N_REPAIRS,
    TR_FINDING_TOO_DEEP,
    TR_FINDING_NOT_AN_EVENT,
    TR_FINDING_NO_PHASE,
    TR_FINDING_NO_TIME,
    TR_FINDING_OUT_OF_RANGE,
    TR_FINDING_TRUNCATED,
    TR_N_REJECTIONS,
    /* defects of the document */
    TR_FINDING_NO_COMMA = TR_N_REJECTIONS,
    TR_FINDING_EXTRA_COMMA,
    TR_FINDING_NO_BRACKET,
    TR_FINDING_NO_BRACE,
    TR_FINDING_HEADER_REPAIRED,
    TR_FINDING_HEADER_LOST,
    TR_FINDING_HEADER_TOO_LARGE,
    TR_FINDING_GARBAGE,
    TR_FINDING_SECOND_DOCUMENT,
    TR_FINDING_EVENT_LINES,
    TR_FINDING_EVENTS_TEXT,
    TR_FINDING_STREAM_TRUNCATED,
    TR_N_FINDINGS
};
/* maximum number of findings of a kind that are reported with their position */
#define TR_FINDINGS_MAX 20

struct tr_finding_position {
    uint64_t offset;
    uint8_t kind;
};

struct tr_findings {
    struct tr_finding_position *items;
    size_t n, cap;
    uint64_t count[TR_N_FINDINGS];
};
void tr_note_finding(struct tr_findings *findings, enum tr_finding what, uint64_t at);

struct tr_local_record {
    /* name, template and category are local ids; args_address is an offset in tr_local.args */
    struct tr_record record;
    uint32_t thread;
};

/* Output of a parser, with local ids. */
struct tr_parser_output {
    struct ps_intern names, templates, categories,
        threads; /* keys of `threads` are made by tr_thread_key */
    struct tr_local_record *records;
    size_t n, cap;
    struct ps_buf args;
    struct tr_findings findings;
    int64_t first_ns, last_ns; /* of the events with another time than 0 in the file */
    uint64_t n_zero;           /* number of the others */
    int64_t zero_end_ns;       /* last end of these */
    uint64_t read, repaired, rejected;
};

/* A string as written between its quotes. */
struct tr_string {
    struct ps_str raw;
    /* `raw` has escapes; control characters; bytes that are not ASCII */
    bool has_escapes, has_control, has_non_ascii;
    bool needs_repair; /* `raw` has quotes or backslashes that only the repair modes accept */
};

/* The kind of a number in the text of an event. pattern.c uses the numbers to read the next event
 * of the same form without parsing it. */
enum tr_slot_kind {
    TR_SLOT_TS,
    TR_SLOT_DUR,
    TR_SLOT_PID,
    TR_SLOT_TID,
    TR_SLOT_ID,
    TR_SLOT_INT,
    TR_SLOT_DECIMAL,
    TR_SLOT_END
};
struct tr_slot {
    const char *ptr;
    size_t len;
    enum tr_slot_kind kind;
};

struct tr_packed {
    struct ps_buf text, params;
};

struct tr_number {
    enum tr_number_kind {
        TR_NUM_INT,     /* the number is `value`, in canonical form */
        TR_NUM_DECIMAL, /* the number is value * 10^-decimals, in canonical form */
        TR_NUM_TEXT,    /* a JSON number in another form */
        TR_NUM_LOOSE,   /* +1, 007, .5, 1. */
        TR_NUM_NAN,     /* NaN, Infinity, -Infinity */
        TR_NUM_WORD /* true, false, null */,
        TR_NUM_NONE /* neither a number nor a literal */
    } kind;
    int64_t value;
    uint32_t decimals;
};

/* A pid, tid or id: a number or a string. */
struct tr_key {
    bool is_text;
    int64_t number;
    struct ps_str text; /* points into the event's bytes or the parser's buffers */
};

/* The fields of the current event. */
struct tr_event {
    char phase;
    bool has_ts, has_dur, has_id, has_tdur, is_out_of_range, is_dur_negative;
    int64_t ts_us, ts_ns; /* the time: whole µs, and the remainder in ns with the same sign */
    int64_t dur_ns, tdur_ns;
    uint32_t name, category; /* local id + 1; 0: none */
    struct tr_key pid, tid, id;
    unsigned seen_fields; /* bits 1 << enum field of parse.c */
};

struct tr_thread_cache {
    int64_t pid, tid;
    uint32_t thread;
    bool is_used;
};

struct tr_patterns;

struct tr_parser {
    const char *cursor, *end;
    const char *base;
    uint64_t base_offset; /* position of base in the input */
    bool is_last;         /* `end` is the end of the input */
    /* the element of the list that was read last */
    enum tr_last_read { TR_LAST_READ_NOTHING, TR_LAST_READ_COMMA, TR_LAST_READ_EVENT } last_read;
    /* the parser reached `end` inside a value */
    bool is_incomplete;
    bool is_too_deep;
    enum tr_mode mode;
    uint32_t repairs; /* repairs of the current event: bits 1 << enum tr_finding */
    bool is_origin_known;
    int64_t origin_us;
    struct tr_parser_output local;
    struct tr_event event;
    struct tr_packed args, remainder;
    struct ps_buf scratch, pid_text, tid_text, id_text, key_text;
    struct tr_slot slots[TR_SLOTS_MAX];
    unsigned n_slots;
    bool has_pattern; /* `slots` has every number that may differ in the next event of this form */
    struct tr_thread_cache threads[16];
    struct tr_patterns *patterns;
};

void tr_parser_init(struct tr_parser *parser);
void tr_parser_free(struct tr_parser *parser);
void tr_parser_begin(struct tr_parser *parser, struct ps_str bytes, uint64_t at, bool last);
static inline uint64_t tr_parser_offset(const struct tr_parser *parser, const char *at)
{
    return parser->base_offset + (uint64_t)(at - parser->base);
}

/* A function that returns false found that the bytes end too early (parser->is_incomplete is true)
 * or are invalid in this mode (parser->is_incomplete is false). parser->cursor advances only if the
 * function returns true. */
const char *tr_skip_blanks(const char *at, const char *end);
bool tr_scan_string(struct tr_parser *parser, struct tr_string *out);
bool tr_skip_value(struct tr_parser *parser); /* checks only strings and brackets */

/* Appends the decoded string to `out`; sets parser->repairs. */
void tr_decode_string(struct tr_parser *parser, const struct tr_string *string, struct ps_buf *out);

/* Separates a value into compact JSON and its numbers. level 0: the value is a complete object; 1:
 * the value is a member of an object; 2: the numbers remain in the text. */
bool tr_pack_value(struct tr_parser *parser, struct tr_packed *to, unsigned level);

/* Whether an object with the first key of an event begins at `at`. */
bool tr_is_event_start(const char *at, const char *end);
/* Returns the start of the next event at or after `from`; NULL: the bytes contain no event start.
 */
const char *tr_next_event(const char *from, const char *end);

/* The result of tr_parse_events, which parses events and the commas between them, up to the end of
 * the array or of the bytes. */
enum tr_events_end {
    TR_EVENTS_INCOMPLETE, /* parser->cursor is at the end or at an incomplete event */
    TR_EVENTS_CLOSED,     /* parser->cursor is after the `]` */
    /* parser->cursor is at a value that cannot be an element of the list: the `]` is missing */
    TR_EVENTS_OPEN,
};
/* `bare`: the events are not in an array (one per line). */
enum tr_events_end tr_parse_events(struct tr_parser *parser, bool bare);

/* --- parser_output.c --- */

/* Extends first_ns and last_ns, or zero_end_ns, to include the record. */
void tr_extend_times(struct tr_parser *parser, const struct tr_record *record);
/* The time 0 of the file, in ns since its origin. False: it cannot be represented. */
bool tr_zero_time(int64_t origin_us, int64_t *out);
/* Returns the thread of an event, adding it to the threads of the parser if it is new. */
uint32_t tr_local_thread(struct tr_parser *parser, const struct tr_key *pid,
                         const struct tr_key *tid);

/* --- pattern.c --- */

/* pattern.c: reads events that have the form of an earlier event, without parsing them. */
struct tr_patterns *tr_patterns_new(void);
void tr_patterns_free(struct tr_patterns *patterns);
/* Whether the patterns use too much memory. Patterns contain local ids: free them together with the
 * tables of the parser. */
bool tr_patterns_are_full(const struct tr_patterns *patterns);

/* Reads the event at parser->cursor if it has one of the expected forms, and appends its record to
 * local. False: the caller must parse the event. */
bool tr_pattern_match(struct tr_parser *parser);
/* Call after an event was parsed and stored as the last record of local; `start`: first byte of the
 * event. */
void tr_pattern_add(struct tr_parser *parser, const char *start);

#endif
