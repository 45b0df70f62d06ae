/* SPDX-License-Identifier: MIT */
/* resources.h: the resources of the Model Context Protocol: texts that are part of the program. */
#ifndef PS_AGENT_RESOURCES_H
#define PS_AGENT_RESOURCES_H

#include "base/json_out.h"

/* Writes the array of resources/list. */
void ps_resources_write(struct ps_json *json);
/* Appends the text of a resource; *type receives its MIME type, static. False: there is no such
 * resource. */
bool ps_resource_read(const char *uri, struct ps_buf *text, const char **type);

#endif
