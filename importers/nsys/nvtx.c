/* SPDX-License-Identifier: MIT */
/*
 * nvtx.c: ranges and marks that a program set with NVTX.
 *
 * Push/pop ranges nest on their thread. Start/end ranges may overlap and end on other threads: they
 * get a row of their process and domain, next to the threads. The names of domains and categories
 * are rows of the same table, at any position; so the table is read twice.
 */
#include "importers/nsys/nsys.h"

#include <stdio.h>

enum { START, END, TYPE, CATEGORY, TEXT, TEXT_ID, THREAD, END_THREAD, DOMAIN, VALUES };
static const char *const columns[] = {"start",      "end",         "eventType",  "category",
                                      "text",       "textId",      "globalTid",  "endGlobalTid",
                                      "domainId",   "uint64Value", "int64Value", "uint32Value",
                                      "int32Value", "doubleValue", "floatValue"};
#define N_COLUMNS (sizeof columns / sizeof *columns)

/* ENUM_NSYS_EVENT_TYPE. NVTXT names are for a text file that was imported with the report. */
enum {
    NVTX_CATEGORY = 33,
    NVTX_MARK = 34,
    NVTX_THREAD = 39,
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
    NVTXT_CATEGORY = 64,
    NVTXT_MARK = 65,
    NVTXT_PUSH_POP = 70,
    NVTXT_START_END = 71,
    NVTX_DOMAIN = 75,
};

/* Key of a domain of a process, or of a category in a domain. */
struct number {
    int64_t process, domain, category;
};

static struct number number_of(const struct ps_rows *rows, bool category)
{
    struct number number = {0};

    (void)ps_rows_int(rows, THREAD, &number.process);
    number.process = (int64_t)((uint64_t)number.process >> 24);
    (void)ps_rows_int(rows, DOMAIN, &number.domain);
    if (category)
        (void)ps_rows_int(rows, CATEGORY, &number.category);
    return number;
}

static uint32_t text_of(struct ns_reader *r, const struct ps_rows *rows)
{
    struct ps_str text = ps_rows_text(rows, TEXT);
    int64_t id;

    if (text.at)
        return ns_text(r, text);
    return ps_rows_int(rows, TEXT_ID, &id) ? ns_text_of(r, id) : 0;
}

/* --- Names --- */

static enum ns_fate name_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct number number;
    struct ps_str text;
    int64_t type, thread;

    if (!ps_rows_int(rows, TYPE, &type) || (type != NVTX_CATEGORY && type != NVTXT_CATEGORY &&
                                            type != NVTX_DOMAIN && type != NVTX_THREAD))
        return NS_OTHER;
    text = tr_text(&r->trace, text_of(r, rows));
    if (!text.len)
        return NS_OTHER;
    number = number_of(rows, type != NVTX_DOMAIN);
    if (type == NVTX_DOMAIN)
        ns_map_put(&r->domains, &number, sizeof number, text);
    else if (type != NVTX_THREAD)
        ns_map_put(&r->categories, &number, sizeof number, text);
    else if (ps_rows_int(rows, THREAD, &thread))
        ns_map_put(&r->threads, &thread, sizeof thread, text);
    return NS_OTHER;
}

/* --- Ranges and marks --- */

/* Returns "nvtx", or "nvtx:NCCL" in a domain that has a name. */
static uint16_t category_of(struct ns_reader *r, struct ps_str domain)
{
    char word[128];
    uint16_t cat = 0;

    if (domain.len) {
        (void)snprintf(word, sizeof word, "nvtx:%.*s", (int)domain.len, domain.at);
        cat = tr_fill_cat(&r->trace, ns_clean(r, ps_str_of(word)), PS_SLICE_NVTX);
    }
    return cat ? cat : tr_fill_cat(&r->trace, PS_STR("nvtx"), PS_SLICE_NVTX);
}

static void say(struct ns_reader *r, const struct ps_rows *rows, struct ps_str domain)
{
    struct number number = number_of(rows, true);
    struct ps_str category = {NULL, 0};

    if (number.category)
        category = ns_map_get(&r->categories, &number, sizeof number);
    ns_arg_word(&r->args, "domain", domain);
    if (category.len)
        ns_arg_word(&r->args, "category", category);
    else if (number.category)
        ns_arg_int(&r->args, "category", number.category);
    for (size_t i = VALUES; i < N_COLUMNS; i++)
        if (ps_rows_num(rows, i).kind != PS_NUM_NONE) {
            ns_arg_column(&r->args, "value", rows, i);
            break;
        }
}

static enum ns_fate range_row(struct ns_reader *r, uint32_t thread, struct tr_record record,
                              enum ns_fate fate)
{
    int64_t duration = record.dur;

    record.ph = 'b';
    record.dur = ++r->ranges;
    fate = ns_give(r, thread, record, fate);
    if (fate == NS_FAILED || duration == TR_NO_DURATION)
        return fate;
    ns_args_clear(&r->args);
    record.ph = 'e';
    record.ts += duration;
    record.template = 0;
    return ns_give(r, thread, record, fate);
}

static enum ns_fate event_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct number number = number_of(rows, false);
    struct tr_record record = {0};
    struct ps_str domain;
    int64_t type, start, duration, thread;
    enum ns_fate fate;

    if (!ps_rows_int(rows, TYPE, &type))
        return ns_reject(r, "the row has no type");
    if (type != NVTX_MARK && type != NVTXT_MARK && type != NVTX_PUSH_POP &&
        type != NVTXT_PUSH_POP && type != NVTX_START_END && type != NVTXT_START_END)
        return NS_OTHER;
    fate = ns_times(r, rows, &start, &duration);
    if (fate == NS_REJECTED)
        return fate;
    if (!ps_rows_int(rows, THREAD, &thread))
        return ns_reject(r, "the row has no thread");
    domain = ns_map_get(&r->domains, &number, sizeof number);
    record.ts = start;
    record.dur = duration;
    record.name = text_of(r, rows);
    record.cat = category_of(r, domain);
    say(r, rows, domain);
    fate = fate == NS_OTHER ? NS_STORED : fate;
    if (type == NVTX_START_END || type == NVTXT_START_END)
        return range_row(r, ns_thread(r, thread), record, fate);
    record.ph = duration >= 0 ? 'X' : 'B';
    if (type == NVTX_MARK || type == NVTXT_MARK) {
        record.ph = 'i';
        record.dur = TR_NO_DURATION;
    }
    return ns_give(r, ns_thread(r, thread), record, fate);
}

const struct ns_table ns_nvtx_names = {"NVTX_EVENTS", NS_COLUMNS(columns), name_row};
const struct ns_table ns_nvtx_table = {"NVTX_EVENTS", NS_COLUMNS(columns), event_row};
