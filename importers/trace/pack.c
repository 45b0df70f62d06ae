/* SPDX-License-Identifier: MIT */
/* pack.c: separates arguments into a template and parameters (slices/args.h), without recursion. */
#include "importers/trace/parse.h"

struct packing {
    struct tr_parser *parser;
    struct tr_packed *to;
    unsigned depth, level;
    char open[TR_DEPTH_MAX + 2]; /* bracket of each depth */
};

static bool next(struct tr_parser *parser, char *c)
{
    parser->at = tr_skip_blanks(parser->at, parser->end);
    if (parser->at >= parser->end) {
        parser->incomplete = true;
        return false;
    }
    *c = *parser->at;
    return true;
}

static void put(struct packing *p, char c)
{
    ps_buf_add(&p->to->text, &c, 1);
}

static void note_slot(struct tr_parser *parser, struct ps_str word, enum tr_slot_kind kind)
{
    if (parser->n_slots >= TR_SLOTS_MAX - 1)
        parser->patterned = false;
    else
        parser->slots[parser->n_slots++] = (struct tr_slot){word.at, word.len, kind};
}

/* Appends a number such as +1, 007, .5 or 1. in JSON notation. */
static void put_loose(struct packing *p, struct ps_str word)
{
    struct ps_buf *out = &p->to->text;
    size_t whole = 0, i = word.at[0] == '-' || word.at[0] == '+' ? 1 : 0;

    if (word.at[0] == '-')
        put(p, '-');
    while (i + 1 < word.len && word.at[i] == '0' && word.at[i + 1] >= '0' && word.at[i + 1] <= '9')
        i++;
    for (; i < word.len && word.at[i] >= '0' && word.at[i] <= '9'; i++, whole++)
        put(p, word.at[i]);
    if (whole == 0)
        put(p, '0');
    if (i < word.len && word.at[i] == '.' && (i + 1 == word.len || (word.at[i + 1] | 32) == 'e'))
        i++;
    ps_buf_str(out, ps_str_skip(word, i));
}

static bool put_word(struct packing *p)
{
    struct ps_str word;
    struct tr_number number;
    bool apart = p->depth == 1 || (p->depth == 2 && p->open[2] == '[');

    if (!tr_scan_word(p->parser, &word))
        return false;
    number = tr_number_of(word);
    if (number.kind == TR_NUM_NONE)
        return false;
    if (number.kind == TR_NUM_INT && apart) {
        put(p, PS_TEMPLATE_INT);
        ps_args_put_int(&p->to->params, number.value);
        note_slot(p->parser, word, TR_SLOT_INT);
    } else if (number.kind == TR_NUM_DECIMAL && apart) {
        put(p, PS_TEMPLATE_DECIMAL);
        ps_args_put_decimal(&p->to->params, number.value, number.decimals);
        note_slot(p->parser, word, TR_SLOT_DECIMAL);
    } else if (number.kind == TR_NUM_NAN) {
        p->parser->repairs |= 1u << TR_NOT_A_NUMBER;
        put(p, '"');
        ps_buf_str(&p->to->text, word);
        put(p, '"');
    } else if (number.kind == TR_NUM_LOOSE) {
        p->parser->repairs |= 1u << TR_NUMBER;
        put_loose(p, word);
    } else {
        ps_buf_str(&p->to->text, word);
    }
    return true;
}

static bool put_string(struct packing *p)
{
    struct tr_string string;

    if (!tr_scan_string(p->parser, &string))
        return false;
    tr_encode(p->parser, &string, &p->to->text);
    return true;
}

static bool put_key(struct packing *p)
{
    char c;

    if (!next(p->parser, &c) || c != '"' || !put_string(p) || !next(p->parser, &c) || c != ':')
        return false;
    p->parser->at++;
    put(p, ':');
    return true;
}

static bool open_bracket(struct packing *p, char c)
{
    if (p->depth >= TR_DEPTH_MAX) {
        p->parser->too_deep = true;
        return false;
    }
    p->open[++p->depth] = c;
    p->parser->at++;
    put(p, c);
    return true;
}

/* Reads the closing brackets after a value. *more: a comma and another value follow. */
static bool close_brackets(struct packing *p, bool *more)
{
    char c;

    *more = false;
    while (p->depth > p->level) {
        if (!next(p->parser, &c))
            return false;
        if (c == ',') {
            p->parser->at++;
            if (!next(p->parser, &c))
                return false;
            if (c != '}' && c != ']') {
                put(p, ',');
                *more = true;
                return true;
            }
            p->parser->repairs |= 1u << TR_TRAILING_COMMA;
        }
        if (c != (p->open[p->depth] == '{' ? '}' : ']'))
            return false;
        put(p, c);
        p->parser->at++;
        p->depth--;
    }
    return true;
}

/* Reads opening brackets and keys, then one value; none if the last bracket closes at once. */
static bool put_value(struct packing *p)
{
    char c;

    for (;;) {
        if (p->depth > p->level && p->open[p->depth] == '{' && !put_key(p))
            return false;
        if (!next(p->parser, &c))
            return false;
        if (c == '"')
            return put_string(p);
        if (c != '{' && c != '[')
            return put_word(p);
        if (!open_bracket(p, c) || !next(p->parser, &c))
            return false;
        if (c == '}' || c == ']')
            return true;
    }
}

bool tr_pack_value(struct tr_parser *parser, struct tr_packed *to, unsigned level)
{
    struct packing p = {.parser = parser, .to = to, .depth = level, .level = level};
    bool more = true;

    p.open[0] = p.open[1] = '[';
    while (more)
        if (!put_value(&p) || !close_brackets(&p, &more))
            return false;
    return true;
}
