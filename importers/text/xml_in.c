/* SPDX-License-Identifier: MIT */
#include "importers/text/xml_in.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_name(char c)
{
    return (c | 32) >= 'a' ? (c | 32) <= 'z' || (unsigned char)c >= 0x80
                           : (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '-' ||
                                 c == '.' || (unsigned char)c >= 0x80;
}

static struct ps_str rest_of(const struct ps_xml_in *xml)
{
    return ps_str_skip(xml->text, xml->at);
}

static bool fail(struct ps_xml_in *xml, const char *why)
{
    xml->event = PS_XML_BAD;
    xml->why = why;
    return false;
}

static bool is_cut(struct ps_xml_in *xml)
{
    xml->event = PS_XML_CUT;
    return false;
}

static void skip_blanks(struct ps_xml_in *xml)
{
    while (xml->at < xml->text.len && is_blank(xml->text.ptr[xml->at]))
        xml->at++;
}

/* Skips `from` bytes and all up to the end of `end`. */
static bool skip_through(struct ps_xml_in *xml, size_t from, const char *end)
{
    struct ps_str rest = ps_str_skip(rest_of(xml), from);
    const char *found = ps_str_find(rest, ps_str_from_c(end));

    if (!found)
        return is_cut(xml);
    xml->at = (size_t)(found - xml->text.ptr) + strlen(end);
    return true;
}

static struct ps_str read_name(struct ps_xml_in *xml)
{
    struct ps_str name = {xml->text.ptr + xml->at, 0};

    while (xml->at < xml->text.len && is_name(xml->text.ptr[xml->at])) {
        xml->at++;
        name.len++;
    }
    return name;
}

/* Reads name="value" or name='value'. */
static bool read_attribute(struct ps_xml_in *xml)
{
    struct ps_str name = read_name(xml), value;
    const char *end;
    char quote;

    skip_blanks(xml);
    if (xml->at >= xml->text.len)
        return is_cut(xml);
    if (!name.len || xml->text.ptr[xml->at] != '=')
        return fail(xml, "an attribute has no name or no value");
    xml->at++;
    skip_blanks(xml);
    if (xml->at >= xml->text.len)
        return is_cut(xml);
    quote = xml->text.ptr[xml->at++];
    if (quote != '"' && quote != '\'')
        return fail(xml, "the value of an attribute has no quotes");
    value = rest_of(xml);
    end = value.len ? memchr(value.ptr, quote, value.len) : NULL;
    if (!end)
        return is_cut(xml);
    value.len = (size_t)(end - value.ptr);
    xml->at += value.len + 1;
    if (xml->n_attributes == PS_XML_ATTRIBUTES_MAX)
        return fail(xml, "an element has too many attributes");
    xml->attributes[xml->n_attributes].name = name;
    xml->attributes[xml->n_attributes++].value = value;
    return true;
}

static bool read_start(struct ps_xml_in *xml)
{
    xml->at++;
    xml->name = read_name(xml);
    xml->n_attributes = 0;
    if (!xml->name.len)
        return xml->at < xml->text.len ? fail(xml, "a tag has no name") : is_cut(xml);
    if (!xml->depth && xml->has_root)
        return fail(xml, "the document has two root elements");
    for (;;) {
        skip_blanks(xml);
        if (xml->at >= xml->text.len)
            return is_cut(xml);
        if (xml->text.ptr[xml->at] == '>' || xml->text.ptr[xml->at] == '/')
            break;
        if (!read_attribute(xml))
            return false;
    }
    xml->is_empty = xml->text.ptr[xml->at++] == '/';
    if (xml->is_empty && xml->at >= xml->text.len)
        return is_cut(xml);
    if (xml->is_empty && xml->text.ptr[xml->at++] != '>')
        return fail(xml, "a tag ends in / without >");
    if (xml->depth == PS_XML_DEPTH_MAX)
        return fail(xml, "elements are nested too deep");
    xml->open[xml->depth++] = xml->name;
    xml->has_root = true;
    xml->event = PS_XML_START;
    return true;
}

static bool read_end(struct ps_xml_in *xml)
{
    xml->at += 2;
    xml->name = read_name(xml);
    skip_blanks(xml);
    if (xml->at >= xml->text.len)
        return is_cut(xml);
    if (!xml->depth || !ps_str_eq(xml->name, xml->open[xml->depth - 1]) ||
        xml->text.ptr[xml->at] != '>')
        return fail(xml, "an end tag closes another element");
    xml->at++;
    xml->depth--;
    xml->event = PS_XML_END;
    return true;
}

static bool read_literal(struct ps_xml_in *xml)
{
    const size_t from = xml->at + strlen("<![CDATA[");

    if (!skip_through(xml, strlen("<![CDATA["), "]]>"))
        return false;
    xml->content = (struct ps_str){xml->text.ptr + from, xml->at - strlen("]]>") - from};
    xml->is_literal = true;
    xml->event = PS_XML_TEXT;
    return true;
}

static bool read_text(struct ps_xml_in *xml)
{
    struct ps_str rest = rest_of(xml);
    const char *end = memchr(rest.ptr, '<', rest.len);

    xml->content = (struct ps_str){rest.ptr, end ? (size_t)(end - rest.ptr) : rest.len};
    xml->is_literal = false;
    xml->at += xml->content.len;
    xml->event = PS_XML_TEXT;
    for (size_t i = 0; !xml->depth && i < xml->content.len; i++)
        if (!is_blank(xml->content.ptr[i]))
            return fail(xml, "there is text outside of the root element");
    return true;
}

/* Reads one event. Comments and instructions are none: then *is_event is false. */
static void read_event(struct ps_xml_in *xml, bool *is_event)
{
    struct ps_str rest = rest_of(xml);

    *is_event = true;
    if (xml->is_empty) {
        xml->is_empty = false;
        xml->name = xml->open[--xml->depth];
        xml->event = PS_XML_END;
    } else if (!rest.len) {
        xml->event = xml->depth || !xml->has_root ? PS_XML_CUT : PS_XML_FINISHED;
    } else if (rest.ptr[0] != '<') {
        (void)read_text(xml);
        *is_event = xml->event != PS_XML_TEXT || xml->depth;
    } else if (ps_str_starts_with(rest, PS_STR("</"))) {
        (void)read_end(xml);
    } else if (ps_str_starts_with(rest, PS_STR("<?"))) {
        *is_event = !skip_through(xml, 2, "?>");
    } else if (ps_str_starts_with(rest, PS_STR("<!--"))) {
        *is_event = !skip_through(xml, 4, "-->");
    } else if (ps_str_starts_with(rest, PS_STR("<![CDATA[")) && xml->depth) {
        (void)read_literal(xml);
    } else if (ps_str_starts_with(rest, PS_STR("<!"))) {
        (void)fail(xml, "the document has a document type, which is not read");
    } else {
        (void)read_start(xml);
    }
}

enum ps_xml_event ps_xml_in_next(struct ps_xml_in *xml)
{
    bool is_event = xml->event >= PS_XML_FINISHED;

    while (!is_event)
        read_event(xml, &is_event);
    return xml->event;
}

static void put_character(struct ps_buf *out, uint32_t c)
{
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = n; i > 1; i--, c >>= 6)
        bytes[i - 1] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
    ps_buf_add(out, bytes, n);
}

/* Parses "#955" or "#x3bb". */
static bool parse_char_reference(struct ps_str name, uint32_t *out)
{
    bool hex = name.len > 1 && (name.ptr[1] | 32) == 'x';
    uint32_t value = 0;

    for (size_t i = 1 + hex; i < name.len; i++) {
        char c = (char)(name.ptr[i] | 32);
        uint32_t digit = c >= '0' && c <= '9'          ? (uint32_t)(name.ptr[i] - '0')
                         : hex && c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                                                       : 99;

        if (digit == 99 || value > 0x10ffff)
            return false;
        value = value * (hex ? 16 : 10) + digit;
    }
    *out = value;
    return name.len > 1u + hex && value && value <= 0x10ffff;
}

static bool put_entity(struct ps_buf *out, struct ps_str name)
{
    static const struct {
        const char *name, *text;
    } known[] = {{"lt", "<"}, {"gt", ">"}, {"amp", "&"}, {"quot", "\""}, {"apos", "'"}};
    uint32_t c;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ps_str_eq_c(name, known[i].name)) {
            ps_buf_puts(out, known[i].text);
            return true;
        }
    if (!name.len || name.ptr[0] != '#' || !parse_char_reference(name, &c))
        return false;
    put_character(out, c);
    return true;
}

void ps_xml_decode(struct ps_buf *out, struct ps_str text)
{
    while (text.len) {
        const char *mark = memchr(text.ptr, '&', text.len);
        size_t plain = mark ? (size_t)(mark - text.ptr) : text.len;
        const char *end;

        ps_buf_add(out, text.ptr, plain);
        text = ps_str_skip(text, plain);
        if (!text.len)
            break;
        end = memchr(text.ptr, ';', text.len < 12 ? text.len : 12);
        if (end && put_entity(out, (struct ps_str){text.ptr + 1, (size_t)(end - text.ptr) - 1})) {
            text = ps_str_skip(text, (size_t)(end - text.ptr) + 1);
        } else {
            ps_buf_add(out, text.ptr, 1);
            text = ps_str_skip(text, 1);
        }
    }
}

bool ps_xml_in_attribute(const struct ps_xml_in *xml, const char *name, struct ps_buf *out)
{
    for (size_t i = 0; i < xml->n_attributes; i++)
        if (ps_str_eq_c(xml->attributes[i].name, name)) {
            ps_xml_decode(out, xml->attributes[i].value);
            return true;
        }
    return false;
}

void ps_xml_in_content(const struct ps_xml_in *xml, struct ps_buf *out)
{
    if (xml->is_literal)
        ps_buf_add_str(out, xml->content);
    else
        ps_xml_decode(out, xml->content);
}
