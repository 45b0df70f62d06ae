/* SPDX-License-Identifier: MIT */
/*
 * xml_in.h: reads small XML documents, strictly and without their dangers: a document type is
 * refused, so there are no entities but the five of XML, and depth and attributes are limited.
 *
 *     struct ps_xml_in xml = {.text = document};
 *
 *     while (ps_xml_in_next(&xml) < PS_XML_FINISHED)
 *         if (xml.event == PS_XML_START && ps_str_eq_c(xml.name, "testcase"))
 *             ps_xml_in_attribute(&xml, "time", &value);
 */
#ifndef PS_IMPORTERS_TEXT_XML_IN_H
#define PS_IMPORTERS_TEXT_XML_IN_H

#include "base/buf.h"

enum { PS_XML_DEPTH_MAX = 64, PS_XML_ATTRIBUTES_MAX = 64 };

enum ps_xml_event {
    PS_XML_START, /* an element begins: name, attributes */
    PS_XML_END,   /* an element ends: name */
    PS_XML_TEXT,  /* text between tags; may be one of several parts */
    PS_XML_FINISHED,
    PS_XML_CUT, /* the document ends inside of an element */
    PS_XML_BAD  /* not well-formed, or beyond a limit: see `why` */
};

struct ps_xml_in {
    struct ps_str text; /* the document; the slices below are parts of it */
    size_t at;          /* byte offset of what is read next */
    enum ps_xml_event event;
    struct ps_str name;
    struct ps_str content; /* of PS_XML_TEXT; see is_literal */
    bool is_literal;       /* the content is CDATA, in which & begins nothing */
    const char *why;
    struct {
        struct ps_str name, value;
    } attributes[PS_XML_ATTRIBUTES_MAX];
    size_t n_attributes;
    struct ps_str open[PS_XML_DEPTH_MAX]; /* the elements around */
    size_t depth;
    bool is_empty, has_root;
};

/* Appends a text with its entities decoded: &lt; and the other four of XML, &#233; and &#xe9;.
 * Others remain as they are written. */
void ps_xml_decode(struct ps_buf *out, struct ps_str text);

/* Reads the next event into xml->event and returns it. After one of the last three it is returned
 * again. */
enum ps_xml_event ps_xml_in_next(struct ps_xml_in *xml);

/* Appends the value of an attribute of the element that begins, decoded. False: it has none. */
bool ps_xml_in_attribute(const struct ps_xml_in *xml, const char *name, struct ps_buf *out);
/* Appends the text of PS_XML_TEXT, decoded. */
void ps_xml_in_content(const struct ps_xml_in *xml, struct ps_buf *out);

#endif
