/* SPDX-License-Identifier: MIT */
/* flat.h: reads results of vLLM and SGLang: an object of parameters, statistics and, with details,
 * a list of a value for each request. */
#ifndef PS_IMPORTERS_SERVING_FLAT_H
#define PS_IMPORTERS_SERVING_FLAT_H

#include "importers/serving/client.h"

struct flat_format {
    const char *tool;
    /* Names of parameters of the tool, and what they are called here; ends with {NULL, NULL}. */
    const char *const (*parameters)[2];
    /* The latency of a request ends with its last chunk, so it follows from the gaps. */
    bool ends_with_last_chunk;
    const char *details; /* how to record the requests too, for users */
    /* Reads a value inside of an object of the result; NULL: none is of interest. */
    void (*read_nested)(struct sv_client *client, struct sv_client_load *load, struct ps_str path,
                        enum ps_json_token token, struct ps_str text);
};

/* Reads all results of a file: an object, a list of objects, or an object a line. */
enum ps_status flat_read(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                         const struct flat_format *format, struct ps_err *err);

#endif
