/* SPDX-License-Identifier: MIT */
/* resources.c: what agents can read: guides, and the views for SQL. */
#include "server/agent/resources.h"

#include <stdio.h>
#include <string.h>

#include "schema/schema.h"
#include "server/agent/guides.h"

#define GUIDE_URI "perfshelf://guide/"
#define VIEWS_URI "perfshelf://sql/views"

static const char views_intro[] =
    "The views for the tool sql, as SQLite defines them. Of one run: those of the first part. Of "
    "several runs they have a first column run, the id; the last part has the views of the "
    "catalog, which need no run.\n\n";

static void write_resource(struct ps_json *json, const char *uri, const char *name,
                           struct ps_str title, const char *type)
{
    ps_json_object(json);
    ps_json_key_str(json, "uri", uri);
    ps_json_key_str(json, "name", name);
    ps_json_key(json, "title");
    ps_json_str(json, title);
    ps_json_key_str(json, "mimeType", type);
    ps_json_end(json);
}

void ps_resources_write(struct ps_json *json)
{
    char uri[80];

    ps_json_array(json);
    for (const struct ps_agent_guide *guide = ps_agent_guides; guide->name; guide++) {
        const char *title = guide->text + strspn(guide->text, "# ");

        (void)snprintf(uri, sizeof uri, GUIDE_URI "%s", guide->name);
        write_resource(json, uri, guide->name, (struct ps_str){title, strcspn(title, "\n")},
                       "text/markdown");
    }
    write_resource(json, VIEWS_URI, "sql-views", PS_STR("Views for SQL"), "text/plain");
    ps_json_end(json);
}

/* The text of a file of schema/, from `mark` on; "" if there is none. */
static const char *schema_text(const char *name, const char *mark)
{
    for (size_t i = 0; i < ps_n_schema_texts; i++) {
        const char *found = strcmp(ps_schema_texts[i].name, name) == 0
                                ? strstr(ps_schema_texts[i].text, mark)
                                : NULL;

        if (found)
            return found;
    }
    return "";
}

bool ps_resource_read(const char *uri, struct ps_buf *text, const char **type)
{
    *type = "text/markdown";
    for (const struct ps_agent_guide *guide = ps_agent_guides; guide->name; guide++) {
        if (strncmp(uri, GUIDE_URI, strlen(GUIDE_URI)) == 0 &&
            strcmp(uri + strlen(GUIDE_URI), guide->name) == 0) {
            ps_buf_puts(text, guide->text);
            return true;
        }
    }
    if (strcmp(uri, VIEWS_URI) != 0)
        return false;
    *type = "text/plain";
    ps_buf_puts(text, views_intro);
    ps_buf_puts(text, schema_text("run", "CREATE VIEW run AS"));
    ps_buf_puts(text, "\n\n");
    ps_buf_puts(text, schema_text("shelf_views", "CREATE TEMP VIEW"));
    return true;
}
