/* SPDX-License-Identifier: MIT */
/* guides.h: the pages docs/agents-*.md, embedded at build time (server/embed.cmake). */
#ifndef PS_AGENT_GUIDES_H
#define PS_AGENT_GUIDES_H

struct ps_agent_guide {
    const char *name; /* "imports" of docs/agents-imports.md; NULL ends the table */
    const char *text; /* Markdown; its first line is "# TITLE" */
};
extern const struct ps_agent_guide ps_agent_guides[];

#endif
