/* SPDX-License-Identifier: MIT */
/*
 * nsys.h: imports SQLite exports of Nsight Systems as records of importers/trace (fill.h). Shared
 * by the files of this folder.
 *
 *   nsys.c     detection of the format, and the order in which tables are read
 *   rows.c     reads tables, counts their rows and reports invalid ones
 *   names.c    texts, processes, threads, streams, labels of enumerations
 *   args.c     the columns of a row other than times and name, as a template and numbers
 *   target.c   session, version, GPUs, diagnostics
 *   device.c   kernels, copies, sets, waits, graphs
 *   host.c     calls of CUDA, of the operating system's library and of others
 *   nvtx.c     ranges, marks, domains, categories
 *   series.c   memory in use, GPU metrics
 *
 * The tool creates tables only when needed, and their columns differ by version: each table and
 * column may be missing. The ledger counts the rows of unknown tables.
 */
#ifndef PS_IMPORTERS_NSYS_H
#define PS_IMPORTERS_NSYS_H

#include "base/buf.h"
#include "base/hash_table.h"
#include "base/sqlite.h"
#include "importers/trace/fill.h"

/* Maps integers to strings. */
struct ns_map {
    struct ps_intern keys;
    struct ps_str *values;
    size_t cap;
};

struct ns_string {
    int64_t id;
    uint64_t at; /* offset in ns_strings.bytes */
    uint32_t len;
    /* text ids of the string, and of the string without a version; 0: not requested yet */
    uint32_t text, call;
};
struct ns_strings {
    struct ns_string *at; /* sorted by id */
    size_t n, cap;
    char *bytes;
    size_t n_bytes, cap_bytes;
};

/* Arguments of the current row. */
struct ns_args {
    struct ps_buf text, params;
};

struct ns_uses;

struct ns_gpu {
    int64_t id, multiprocessors;
};

struct ns_reader {
    struct ps_sqlite *db;
    struct ps_sink *out;
    struct ps_err *err;
    struct tr_trace trace;
    struct ns_strings strings;
    /* names: processes by the upper bits of a globalPid, threads by globalTid */
    struct ns_map processes, threads;
    struct ns_map gpu_names, metrics;      /* names: GPUs by id, metrics by type and id */
    struct ns_map copies, memories, waits; /* labels of enumerations, by number */
    struct ns_map domains, categories;     /* names in NVTX, by process and number */
    struct ps_intern thread_keys;          /* globalTid, and whether only its process counts */
    struct ps_intern stream_keys, stream_owners;
    struct ps_intern cuda_devices; /* pid and CUDA device number */
    int64_t *gpu_of;               /* GPU id, by index in cuda_devices */
    size_t cap_gpu_of;
    /* index in trace.threads, by index in thread_keys and stream_keys */
    uint32_t *thread_of, *stream_of;
    size_t cap_thread_of, cap_stream_of;
    struct ns_gpu *gpus;
    size_t n_gpus, cap_gpus;
    struct ps_hash_table gpu_at; /* id -> index in gpus */
    struct ns_args args;
    int64_t shift;         /* ns added to each time, so that the origin is a whole microsecond */
    int64_t end_ns;        /* end of the session; INT64_MIN: unknown */
    int64_t ranges;        /* number of NVTX start/end ranges so far */
    const char *table;     /* the table that is read */
    uint64_t row;          /* number of its current row, from 1 */
    const char *why;       /* why the row was rejected or repaired */
    uint64_t told;         /* repaired and rejected rows of the table */
    uint64_t rejected;     /* rejected rows of the table */
    uint64_t messages;     /* warnings and errors of the tool so far */
    struct ps_buf devices; /* JSON of the GPUs */
    struct ns_uses *uses;  /* owned by series.c; NULL except while it reads */
};

/* rows.c. Outcome of a row. */
enum ns_fate { NS_STORED, NS_REPAIRED, NS_REJECTED, NS_OTHER, NS_FAILED };
struct ns_table {
    const char *name;
    const char *const *columns;
    size_t n;
    enum ns_fate (*row)(struct ns_reader *r, const struct ps_rows *rows);
};
#define NS_COLUMNS(list) list, sizeof(list) / sizeof *(list)

/* Calls table->row for each row and counts the outcomes. PS_BAD_INPUT: most rows are invalid, so
 * the table is damaged or does not contain what its name means. */
enum ps_status ns_count(struct ns_reader *r, const struct ns_table *table);
/* Calls table->row for each row of a table without records, such as names or devices; counts
 * nothing. */
enum ps_status ns_look(struct ns_reader *r, const struct ns_table *table);
enum ns_fate ns_reject(struct ns_reader *r, const char *why);
/* Reads the times of a row from columns 0 (start) and 1 (end), on the trace's axis. NS_STORED: it
 * has both; NS_OTHER: it has no end, *dur is TR_NO_DURATION. */
enum ns_fate ns_times(struct ns_reader *r, const struct ps_rows *rows, int64_t *start,
                      int64_t *dur);
/* Adds a record with the arguments r->args to the trace. Returns `fate`, or NS_FAILED. */
enum ns_fate ns_give(struct ns_reader *r, uint32_t thread, struct tr_record record,
                     enum ns_fate fate);

/* names.c */
enum ps_status ns_names_read(struct ns_reader *r);
uint32_t ns_text_of(struct ns_reader *r, int64_t id); /* id: of StringIds */
uint32_t ns_call_of(struct ns_reader *r, int64_t id); /* cudaLaunchKernel_v7000 without _v7000 */
uint32_t ns_text(struct ns_reader *r, struct ps_str text);
struct ps_str ns_clean(struct ns_reader *r, struct ps_str text); /* valid as long as the trace */
uint32_t ns_thread(struct ns_reader *r, int64_t global_tid);
uint32_t ns_process(struct ns_reader *r, int64_t global_pid); /* for events without a thread */
struct ns_stream {
    int64_t device, pid, context, stream;
};
#define NS_NO_STREAM (-2) /* work of the complete device */
#define NS_WAITS     (-1) /* waits for contexts and events */
uint32_t ns_stream(struct ns_reader *r, const struct ns_stream *stream);
int64_t ns_pid(int64_t global);                           /* pid of a globalTid or globalPid */
uint32_t ns_gpu_thread(struct ns_reader *r, int64_t gpu); /* for events without a stream */
void ns_map_put(struct ns_map *map, const void *key, size_t size, struct ps_str value);
struct ps_str ns_map_get(struct ns_map *map, const void *key, size_t size); /* {NULL, 0}: none */
struct ps_str ns_word(struct ns_map *map, int64_t number);
void ns_names_free(struct ns_reader *r);

/* args.c */
void ns_args_clear(struct ns_args *args);
void ns_arg_int(struct ns_args *args, const char *key, int64_t value);
void ns_arg_decimal(struct ns_args *args, const char *key, double value); /* two decimals */
void ns_arg_word(struct ns_args *args, const char *key,
                 struct ps_str word); /* for few different values */
void ns_arg_column(struct ns_args *args, const char *key, const struct ps_rows *rows,
                   size_t column);
/* Escapes the key, which comes from the file. */
void ns_arg_number(struct ns_args *args, struct ps_str key, struct ps_num value);
void ns_arg_three(struct ns_args *args, const char *key, const struct ps_rows *rows, size_t first);
void ns_args_free(struct ns_args *args);

/* target.c, device.c, host.c, nvtx.c, series.c */
enum ps_status ns_target_read(struct ns_reader *r);
int64_t ns_device_of(struct ns_reader *r, int64_t pid, int64_t cuda_device);
int64_t ns_multiprocessors(const struct ns_reader *r, int64_t device); /* 0: unknown */
/* the last one has no name */
extern const struct ns_table ns_device_tables[];
/* also counts the tables that no other part reads */
enum ps_status ns_host_read(struct ns_reader *r);
extern const struct ns_table ns_nvtx_names, ns_nvtx_table;
enum ps_status ns_series_read(struct ns_reader *r);
bool ns_is_read(const char *table); /* whether another part reads it */

#endif
