/* SPDX-License-Identifier: MIT */
/*
 * client.h: what the readers of results of clients share: a walk through JSON of any size, exact
 * numbers, the names of metrics, and the loads of a file until their rows can be written.
 *
 * All tools have the same names for the same metrics, by their definition: what AIPerf and
 * guidellm call inter-token latency is a mean for each request, and so "time per output token"
 * here. A row has the key of the tool, and its definition. Times are in seconds: the number has the
 * digits of the file, with the decimal point moved.
 *
 *     struct sv_client client;
 *
 *     sv_client_begin(&client, run, name, "vLLM");
 *     load = sv_client_add_load(&client);
 *     sv_load_add_parameter(&client, load, key, PS_JSON_NUMBER, text);
 *     sv_measure(&client, load, key, unit)->values.mean = sv_number(text, 0);
 *     sv_client_end(&client);         writes the rows of all loads
 */
#ifndef PS_IMPORTERS_SERVING_CLIENT_H
#define PS_IMPORTERS_SERVING_CLIENT_H

#include "base/json_in.h"
#include "importers/records/measurements.h"
#include "importers/serving/serving.h"

/* Writes the metrics of tables of AIPerf whose results have none yet. */
void sv_write_tables(struct sv_run *run);
uint64_t sv_count_table_rows(struct sv_run *run, struct ps_str text);
/* Results that have requests and no metrics get the metrics that follow from the requests.
 * sv_run_write calls it. */
void sv_complete_results(struct sv_run *run);

/* --- Numbers --- */

/* The number of a text times 10^shift: the double nearest to its digits, or an integer if it is
 * written as one and shift is 0. None: no finite number. */
struct ps_num sv_number(struct ps_str text, int shift);
/* The same, rounded to an integer: shift 9 makes ns of seconds. PS_TIME_UNKNOWN: no number, or too
 * large. Exact for the 19 leading digits. */
int64_t sv_integer(struct ps_str text, int shift);
/* Like sv_integer with a shift of 0, but PS_COUNT_UNKNOWN for what is no count. */
int64_t sv_count(struct ps_str text);

/* --- Walking through JSON --- */

/* A value, or the start or the end of an object or array, with its path: "metrics.ttft.mean".
 * Elements of arrays have the path of the array; the path of a document is empty. The texts are
 * valid until the visit returns. False at a start: skip what is in it. */
typedef bool sv_visit(void *data, struct ps_str path, enum ps_json_token token, struct ps_str text);

/* Visits all values of all documents of a stream: one, or one a line. Stops at damage, which is the
 * error unless a document was read before it: then it becomes a note. Returns the number of
 * complete documents. */
uint64_t sv_walk(struct sv_run *run, struct ps_stream *in, sv_visit *visit, void *data,
                 struct ps_err *err);

/* --- Loads --- */

/* Of guidellm. */
#define SV_PERCENTILES_OF_VALUES "values of requests, not interpolated"
#define SV_WEIGHTED_TPOT                                                                           \
    "mean of each request: time after the first token, divided by the number of tokens after it; " \
    "weighted by tokens"

enum { SV_PERCENTILES_MAX = 16 };

struct sv_values {
    struct ps_num mean, median, stddev, min, max, q1, q3, n;
    struct {
        double p;
        struct ps_num value;
    } percentiles[SV_PERCENTILES_MAX];
    size_t n_percentiles;
    double resolution;
};

/* A metric of a load. */
struct sv_measure {
    struct ps_str key;  /* of the tool */
    struct ps_str name; /* as all tools have it */
    const char *unit;
    int shift; /* of the numbers of the tool */
    enum ps_better better;
    const char *definition; /* NULL: none is needed */
    struct sv_values values;
    const double *samples; /* owned by the load */
    size_t n_samples;
    size_t rank;      /* in the order of the rows */
    bool is_computed; /* from the requests: the file does not state it */
};

struct sv_parameter {
    struct ps_str key;
    struct ps_num number;
    struct ps_str text; /* if the number is none */
};

struct sv_client_load {
    uint32_t result; /* id */
    struct sv_parameter *parameters;
    size_t n_parameters, cap_parameters;
    struct sv_measure *measures;
    size_t n_measures, cap_measures;
    double *samples[8]; /* owned; of measures */
    size_t n_samples;
    int64_t completed; /* PS_COUNT_UNKNOWN: not stated */
    int64_t failed;
};

struct sv_client {
    struct sv_run *run;
    const char *tool;
    uint32_t file;           /* index */
    const char *percentiles; /* how they are computed, for users */
    struct ps_str benchmark; /* of the rows: "serving" */
    struct sv_client_load *loads;
    size_t n_loads, cap_loads;
    /* Statistics of no value at all are zeros: numpy is given a 0 then. */
    bool has_filler_zeros;
};

void sv_client_begin(struct sv_client *client, struct sv_run *run, struct ps_str name,
                     const char *tool);
/* Adds a load, with a result; valid until the next one. */
struct sv_client_load *sv_client_add_load(struct sv_client *client);
/* Adds a load for a result that exists already. */
struct sv_client_load *sv_client_add_load_of(struct sv_client *client, uint32_t result);
/* Removes the last load, and its result, which has no requests yet. */
void sv_client_drop_load(struct sv_client *client);
/* The file has times: of 1970, or of an own clock. */
void sv_client_set_clock(struct sv_client *client, enum sv_clock clock);
/* What the tool states of the load. The keys are those of the tool, but "request_rate" and
 * "concurrency" for all. Null is ignored. */
void sv_load_add_parameter(struct sv_client *client, struct sv_client_load *load, const char *key,
                           enum ps_json_token token, struct ps_str text);
/* Finds or adds a metric. `unit`: as the tool writes it; NULL: by the key ("ttft_ms"). */
struct sv_measure *sv_measure(struct sv_client *client, struct sv_client_load *load,
                              struct ps_str key, const char *unit);
/* Sets a statistic by its name ("mean", "avg", "p99", "std_dev"). False: the name is unknown. */
bool sv_measure_set(struct sv_measure *measure, struct ps_str statistic, struct ps_str text);
/* Gives the measure its samples, which the load owns from now on. Those that are not finite are
 * left out. */
void sv_measure_take_samples(struct sv_client_load *load, struct sv_measure *measure,
                             double *samples, size_t n);
/* Writes the rows of all loads, and frees them. */
void sv_client_end(struct sv_client *client);

/* The last line of an error, which may be a traceback, for display. */
struct ps_str sv_error_text(struct sv_run *run, struct ps_str text);

#endif
