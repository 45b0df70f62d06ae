/* SPDX-License-Identifier: MIT */
/* repair.c: reads events that are invalid JSON again in less strict modes, or rejects them. */
#include "importers/trace/parse.h"

bool tr_is_event_start(const char *at, const char *end)
{
    static const struct ps_str keys[] = {PS_STR("\"ph\""),   PS_STR("\"name\""), PS_STR("\"cat\""),
                                         PS_STR("\"pid\""),  PS_STR("\"ts\""),   PS_STR("\"tid\""),
                                         PS_STR("\"args\""), PS_STR("\"dur\""),  PS_STR("\"id\""),
                                         PS_STR("\"tts\""),  PS_STR("\"s\"")};
    struct ps_str rest;

    at = tr_skip_blanks(at + 1, end);
    rest = (struct ps_str){at, (size_t)(end - at)};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ps_str_starts(rest, keys[i])) {
            at = tr_skip_blanks(at + keys[i].len, end);
            return at < end && *at == ':';
        }
    return false;
}

/* Returns the last byte before `at` that is not whitespace; 0 at the start. */
static char before(const char *at, const char *start)
{
    while (at > start && (unsigned char)at[-1] <= ' ')
        at--;
    return at > start ? at[-1] : '\0';
}

const char *tr_next_event(const char *from, const char *end)
{
    const char *at = from;

    while (at < end && (at = memchr(at, '{', (size_t)(end - at)))) {
        char c = before(at, from);

        if (c != ':' && tr_is_event_start(at, end))
            return at;
        at++;
    }
    return NULL;
}

static bool ends_well(const struct tr_parser *p)
{
    const char *at = tr_skip_blanks(p->at, p->end);

    return at == p->end || *at == ',' || *at == ']' || *at == '}' || *at == '{';
}

/* Reads the event in one mode; p->end is the start of the next event. */
static bool read_as(struct tr_parser *p, enum tr_mode mode)
{
    const char *start = p->at;

    p->mode = mode;
    if (tr_read_event(p) && ends_well(p))
        return true;
    p->at = start;
    return false;
}

static void give_up(struct tr_parser *p, const char *start, enum tr_finding why)
{
    p->local.read++;
    p->local.rejected++;
    tr_find(&p->local.findings, why, tr_position(p, start));
}

/* An event that is valid up to the end of the input is only truncated: what looks like events
 * inside it are its arguments. */
bool tr_repair_event(struct tr_parser *p)
{
    bool last = p->last, cut = p->incomplete, deep = p->too_deep, good = false;
    const char *start = p->at, *end = p->end;
    const char *bound = cut ? NULL : tr_next_event(start + 1, end);

    if (!bound && !last)
        return false;
    p->end = bound ? bound : end;
    p->last = true;
    for (int mode = TR_LOOSE_QUOTES; mode < TR_N_MODES && !good && !deep && !cut; mode++)
        good = read_as(p, (enum tr_mode)mode);
    p->mode = TR_STRICT;
    p->patterned = false;
    if (good) {
        tr_keep_event(p, start);
        p->between = TR_AT_EVENT;
    } else {
        give_up(p, start, deep ? TR_TOO_DEEP : cut ? TR_CUT : TR_DAMAGED);
        p->at = p->end;
        p->between = TR_AT_COMMA;
    }
    p->end = end;
    p->last = last;
    return true;
}
