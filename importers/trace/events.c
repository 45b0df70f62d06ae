/* SPDX-License-Identifier: MIT */
/* events.c: parses events and the commas between them. */
#include <stdlib.h>

#include "importers/trace/parse.h"
#include "importers/trace/pattern.h"

void tr_find(struct tr_findings *findings, enum tr_finding what, uint64_t at)
{
    if (findings->count[what]++ >= TR_FINDINGS_TOLD)
        return;
    PS_PUSH_ROOM(findings->at, findings->n, findings->cap);
    findings->at[findings->n++] = (struct tr_found){at, (uint8_t)what};
}

void tr_parser_init(struct tr_parser *p)
{
    *p = (struct tr_parser){.mode = TR_STRICT};
    p->local.first_ns = INT64_MAX;
    p->local.last_ns = INT64_MIN;
    p->patterns = tr_patterns_new();
}

void tr_parser_free(struct tr_parser *p)
{
    struct ps_buf *bufs[] = {&p->local.args,  &p->args.text, &p->args.params, &p->rest.text,
                             &p->rest.params, &p->scratch,   &p->pid_text,    &p->tid_text,
                             &p->id_text,     &p->key_text};

    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        ps_buf_free(bufs[i]);
    ps_intern_free(&p->local.names);
    ps_intern_free(&p->local.templates);
    ps_intern_free(&p->local.cats);
    ps_intern_free(&p->local.threads);
    free(p->local.records);
    free(p->local.findings.at);
    tr_patterns_free(p->patterns);
}

void tr_parser_begin(struct tr_parser *p, struct ps_str bytes, uint64_t at, bool last)
{
    p->base = p->at = bytes.at;
    p->end = bytes.at + bytes.len;
    p->base_at = at;
    p->last = last;
}

/* Skips a value that is followed by a comma, a bracket or the end of the input. False with
 * p->incomplete set: more bytes are needed to decide. */
static bool skip_element(struct tr_parser *p)
{
    const char *start = p->at, *behind;

    p->incomplete = false;
    if (!tr_skip_value(p))
        return false;
    behind = tr_skip_blanks(p->at, p->end);
    if (behind < p->end ? *behind == ',' || *behind == ']' : p->last)
        return true;
    p->incomplete = behind >= p->end;
    p->at = start;
    return false;
}

/* Skips and rejects what is not an event: a value, or all up to the next event. False: more bytes
 * are needed. */
static bool skip_other(struct tr_parser *p)
{
    const char *start = p->at, *next;
    bool value = skip_element(p);

    if (!value) {
        if (p->incomplete && !p->last)
            return false;
        next = tr_next_event(start + 1, p->end);
        if (!next && !p->last)
            return false;
        p->at = next ? next : p->end;
    }
    p->local.read++;
    p->local.rejected++;
    tr_find(&p->local.findings, TR_NOT_AN_EVENT, tr_position(p, start));
    p->between = value ? TR_AT_EVENT : TR_AT_COMMA;
    return true;
}

static bool one_event(struct tr_parser *p)
{
    const char *start = p->at;
    enum tr_between before = p->between;

    p->between = TR_AT_EVENT;
    if (p->origin_known && tr_pattern_event(p))
        return true;
    if (!tr_read_event(p)) {
        p->between = before;
        if (p->incomplete && !p->last)
            return false;
        return tr_repair_event(p);
    }
    if (tr_keep_event(p, start))
        tr_pattern_learn(p, start);
    return true;
}

static void comma(struct tr_parser *p)
{
    if (p->between != TR_AT_EVENT)
        tr_find(&p->local.findings, TR_EXTRA_COMMA, tr_position(p, p->at));
    p->between = TR_AT_COMMA;
    p->at++;
}

enum tr_events_end tr_parse_events(struct tr_parser *p, bool bare)
{
    for (;;) {
        p->at = tr_skip_blanks(p->at, p->end);
        if (p->at >= p->end)
            return TR_EVENTS_MORE;
        if (*p->at == '{') {
            uint64_t at = tr_position(p, p->at);
            bool no_comma = p->between == TR_AT_EVENT && !bare;

            if (!one_event(p))
                return TR_EVENTS_MORE;
            if (no_comma)
                tr_find(&p->local.findings, TR_NO_COMMA, at);
        } else if (*p->at == ',') {
            comma(p);
        } else if (*p->at == '}' || bare) {
            return TR_EVENTS_OPEN;
        } else if (*p->at == ']') {
            if (p->between == TR_AT_COMMA)
                tr_find(&p->local.findings, TR_EXTRA_COMMA, tr_position(p, p->at));
            p->at++;
            return TR_EVENTS_CLOSED;
        } else if (!skip_other(p)) {
            return TR_EVENTS_MORE;
        }
    }
}
