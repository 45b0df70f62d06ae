/* SPDX-License-Identifier: MIT */
/*
 * nsys.h: an SQLite export of Nsight Systems on its way to the trace house, shared by the files of
 * this folder.
 *
 *   nsys.c     what such a file is, and the order in which it is read
 *   rows.c     each row of a table counted, those that cannot be used told
 *   names.c    texts, processes, threads, streams, words of enumerations
 *   args.c     what a row says beside its times and name, as a template and numbers
 *   target.c   session, version, GPUs, diagnostics
 *   device.c   kernels, copies, sets, waits, graphs
 *   host.c     calls of CUDA, of the operating system's library and of others
 *   nvtx.c     ranges, marks, domains, categories
 *   series.c   memory in use, GPU metrics
 *
 * Tables are made when they are needed and their columns differ by version: all are asked for, and
 * a table that nobody knows is a line of the ledger.
 */
#ifndef PS_IMPORTERS_NSYS_H
#define PS_IMPORTERS_NSYS_H

#include "base/buf.h"
#include "base/hash_table.h"
#include "base/sqlite.h"
#include "importers/trace/feed.h"

/* Integers to texts. */
struct ns_map {
    struct ps_intern keys;
    struct ps_str *values;
    size_t cap;
};

struct ns_string {
    int64_t id;
    uint64_t at; /* in the bytes of all */
    uint32_t len;
    uint32_t text, call; /* text id as it is, and without a version; 0: not asked yet */
};
struct ns_strings {
    struct ns_string *at; /* by id */
    size_t n, cap;
    char *bytes;
    size_t n_bytes, cap_bytes;
};

/* Arguments of the row at hand. */
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
    struct ns_map processes, threads; /* names, by the upper bits of a globalPid, by globalTid */
    struct ns_map gpu_names, metrics; /* by id; by type and id */
    struct ns_map copies, memories, waits; /* words of enumerations */
    struct ns_map domains, categories;     /* of NVTX: by process and number */
    struct ps_intern thread_keys;          /* globalTid */
    struct ps_intern stream_keys, stream_owners;
    struct ps_intern cuda_devices; /* (pid, CUDA's number) */
    int64_t *gpu_of;               /* by index of it */
    size_t cap_gpu_of;
    uint32_t *thread_of, *stream_of; /* by index of the keys: of trace.threads */
    size_t cap_thread_of, cap_stream_of;
    struct ns_gpu *gpus;
    size_t n_gpus, cap_gpus;
    struct ps_hash_table gpu_at; /* id -> index in gpus */
    struct ns_args args;
    int64_t shift;         /* ns added to each time: the origin is a whole microsecond */
    int64_t end_ns;        /* of the session; INT64_MIN unknown */
    int64_t ranges;        /* NVTX start/end ranges so far */
    const char *table;     /* that is read */
    uint64_t row;          /* of it, from 1 */
    const char *why;       /* the row was rejected or repaired */
    uint64_t told;         /* of the table */
    uint64_t rejected;     /* of the table */
    uint64_t messages;     /* of the tool, so far */
    struct ps_buf devices; /* JSON of the GPUs */
    struct ns_uses *uses;  /* series.c's own, while it reads */
};

/* rows.c. What became of a row. */
enum ns_fate { NS_STORED, NS_REPAIRED, NS_REJECTED, NS_OTHER, NS_FAILED };
struct ns_table {
    const char *name;
    const char *const *columns;
    size_t n;
    enum ns_fate (*row)(struct ns_reader *r, const struct ps_rows *rows);
};
#define NS_COLUMNS(list) list, sizeof(list) / sizeof *(list)

/* Shows each row and counts what became of it. PS_BAD_INPUT: most rows cannot be used, so the table
 * is damaged, or not what its name says. */
enum ps_status ns_count(struct ns_reader *r, const struct ns_table *table);
/* Shows each row of a table that is no record: names, devices. */
enum ps_status ns_look(struct ns_reader *r, const struct ns_table *table);
enum ns_fate ns_reject(struct ns_reader *r, const char *why);
/* The times of a row from the columns 0 (start) and 1 (end) on the trace's axis. NS_STORED: both
 * are there; NS_OTHER: it has no end, *dur is TR_NO_DURATION. */
enum ns_fate ns_times(struct ns_reader *r, const struct ps_rows *rows, int64_t *start,
                      int64_t *dur);
/* Gives a record with r->args. */
enum ns_fate ns_give(struct ns_reader *r, uint32_t thread, struct tr_record record,
                     enum ns_fate fate);

/* names.c */
enum ps_status ns_names_read(struct ns_reader *r);
uint32_t ns_text_of(struct ns_reader *r, int64_t id); /* of StringIds */
uint32_t ns_call_of(struct ns_reader *r, int64_t id); /* cudaLaunchKernel_v7000 without _v7000 */
uint32_t ns_text(struct ns_reader *r, struct ps_str text);
struct ps_str ns_clean(struct ns_reader *r, struct ps_str text); /* lives as long as the trace */
uint32_t ns_thread(struct ns_reader *r, int64_t global_tid);
uint32_t ns_process(struct ns_reader *r, int64_t global_pid); /* what is of no thread */
struct ns_stream {
    int64_t device, pid, context, stream;
};
#define NS_NO_STREAM (-2) /* work of the device as a whole */
#define NS_WAITS     (-1) /* waits of contexts and events */
uint32_t ns_stream(struct ns_reader *r, const struct ns_stream *stream);
int64_t ns_pid(int64_t global);                           /* of a globalTid or globalPid */
uint32_t ns_gpu_thread(struct ns_reader *r, int64_t gpu); /* what is of no stream */
void ns_map_put(struct ns_map *map, const void *key, size_t size, struct ps_str value);
struct ps_str ns_map_get(struct ns_map *map, const void *key,
                         size_t size); /* {NULL, 0}: not there */
struct ps_str ns_word(struct ns_map *map, int64_t number);
void ns_names_free(struct ns_reader *r);

/* args.c */
void ns_args_clear(struct ns_args *args);
void ns_arg_int(struct ns_args *args, const char *key, int64_t value);
void ns_arg_decimal(struct ns_args *args, const char *key, double value); /* two digits */
void ns_arg_word(struct ns_args *args, const char *key,
                 struct ps_str word); /* few different ones */
void ns_arg_column(struct ns_args *args, const char *key, const struct ps_rows *rows,
                   size_t column);
/* A key that is not ours. */
void ns_arg_number(struct ns_args *args, struct ps_str key, struct ps_num value);
void ns_arg_three(struct ns_args *args, const char *key, const struct ps_rows *rows, size_t first);
void ns_args_free(struct ns_args *args);

/* The parts. */
enum ps_status ns_target_read(struct ns_reader *r);
int64_t ns_device_of(struct ns_reader *r, int64_t pid, int64_t cuda_device);
int64_t ns_multiprocessors(const struct ns_reader *r, int64_t device); /* 0 unknown */
extern const struct ns_table ns_device_tables[];                       /* to one without a name */
enum ps_status ns_host_read(struct ns_reader *r); /* and all tables that nobody else reads */
extern const struct ns_table ns_nvtx_names, ns_nvtx_table;
enum ps_status ns_series_read(struct ns_reader *r);
bool ns_is_read(const char *table); /* one of those that the other parts read */

#endif
