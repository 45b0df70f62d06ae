/* SPDX-License-Identifier: MIT */
/*
 * pprof.h: what a pprof profile holds, between its reading (pprof.c) and its writing
 * (pprof_write.c).
 *
 * A file states samples before the names of their functions, and may have millions of samples. So a
 * sample is reduced to small numbers when it is read: the node of its stack in a tree of locations,
 * the id of its set of labels, and its values that are not 0.
 */
#ifndef PS_IMPORTERS_PPROF_H
#define PS_IMPORTERS_PPROF_H

#include "base/hash_table.h"
#include "importers/stacks/stacks.h"

enum {
    PPROF_TYPES_MAX = 64,
    PPROF_LABELS_MAX = 64, /* labels of a sample; keys of a file */
    /* Values of a label that are told apart. A label with more is taken for an id or a time: its
     * values are neither kept nor counted. */
    PPROF_LABEL_VALUES_MAX = 65536,
    PPROF_SETS_MAX = 4096,        /* sets of labels that divide tracks */
    PPROF_READ_SETS_MAX = 262144, /* sets of labels while the samples are read */
    PPROF_VALUES_SHOWN = 100,     /* values of a label that are written, for each sample type */
};

/* Maps the ids of a file, which are any numbers, to indexes from 0. */
struct pprof_ids {
    uint64_t *ids;
    size_t n, cap;
    struct ps_hash_table table;
    uint32_t *small; /* [id]: index + 1, of small ids */
    size_t n_small;
};

struct pprof_line {
    uint64_t function; /* id */
    int64_t line;
};

struct pprof_location {
    uint64_t mapping, address; /* mapping: id */
    uint32_t first_line, n_lines;
    bool is_known;        /* the file has the location, not only references to it */
    bool is_pruned;       /* drop_frames removes it and what it calls */
    bool is_pruned_below; /* drop_frames removes functions inlined into it, and what they call */
    uint32_t first_frame, n_frames; /* ids of its frames, the outermost first */
    bool is_unique;                 /* no other location has its outermost frame */
};

/* Texts are indexes in the string table. */
struct pprof_function {
    int64_t name, system_name, file;
    bool is_known;
};

struct pprof_mapping {
    uint64_t start, offset;
    int64_t file;
};

/* A node of a tree of stacks; node 0 is the empty stack. */
struct pprof_node {
    uint32_t parent, key; /* key: index of a location, or id of a frame */
};

/* A profile may have millions of nodes. So the hash table has only the indexes of nodes, which are
 * compared with the key itself: a quarter of the memory of a ps_hash_table. */
struct pprof_nodes {
    struct pprof_node *items;
    size_t n, cap;
    uint32_t *slots; /* index of a node; 0, the root, which is not searched: free */
    size_t n_slots;  /* a power of two, or 0 */
};

/* A value of a sample that is not 0. */
struct pprof_value {
    uint32_t node, set;
    int64_t value;
};

/* The values of one sample type. */
struct pprof_column {
    struct pprof_value *items;
    size_t n, cap;
    __int128 positive, negative; /* sums of the values above and below 0 */
    int64_t samples;             /* samples whose value is not 0 */
};

struct pprof_label_value {
    int64_t text, number; /* text: index of a string; 0: the label is a number */
};

/* A key of labels. */
struct pprof_key {
    int64_t name, unit;
    struct pprof_label_value *values;
    size_t n_values, cap_values;
    struct ps_hash_table table;
    int64_t *totals, *samples; /* [value * width + sample type] */
    int64_t n_samples;
    bool has_too_many; /* more than PPROF_LABEL_VALUES_MAX values */
    bool is_summed;    /* sets do not have it */
    bool is_thread;
    bool is_moment; /* says when or in which request a sample was taken */
};

struct pprof_label {
    uint32_t key, value; /* indexes */
};

/* A set of labels: a range of `labels`, sorted by key. Set 0 is empty. */
struct pprof_set {
    uint32_t first, n;
};

struct pprof_type {
    int64_t name, unit; /* indexes of strings */
};

struct pprof {
    struct ps_stream *in;
    struct ps_sink *out;

    struct pprof_type types[PPROF_TYPES_MAX], period_type;
    size_t n_types;
    int64_t period, time_ns, duration_ns, default_type, drop_frames, keep_frames, doc_url;
    int64_t *comments;
    size_t n_comments, cap_comments;

    struct ps_buf text; /* the bytes of all strings */
    size_t *string_ends;
    size_t n_strings, cap_strings;
    struct pprof_ids location_ids, function_ids, mapping_ids;
    struct pprof_location *locations;
    struct pprof_function *functions;
    struct pprof_mapping *mappings;
    size_t cap_locations, cap_functions, cap_mappings;
    struct pprof_line *lines;
    size_t n_lines, cap_lines;
    uint32_t *frames; /* ids of the frames of all locations */
    size_t n_frames;

    struct pprof_nodes stacks;   /* of locations */
    uint32_t *path, *path_nodes; /* the stack of the sample before, the root first */
    size_t n_path, cap_path, cap_path_nodes;
    uint32_t *stack; /* of the current sample, the leaf first */
    size_t n_stack, cap_stack;

    struct pprof_column columns[PPROF_TYPES_MAX];
    size_t width; /* values of the longest sample */
    struct pprof_key keys[PPROF_LABELS_MAX];
    size_t n_keys;
    struct pprof_set *sets;
    size_t n_sets, cap_sets;
    struct pprof_label *labels;
    size_t n_labels, cap_labels;
    struct ps_hash_table set_table;

    uint64_t n_samples, n_rejected, n_padded, n_deep, n_unknown_locations, n_bad_strings,
        n_dropped_labels, n_pruned;
    bool is_cut;
};

/* pprof_samples.c */
uint32_t pprof_index_of(struct pprof_ids *ids, uint64_t id); /* adds the id if it is new */
/* UINT32_MAX: the file has no such id */
uint32_t pprof_find_id(const struct pprof_ids *ids, uint64_t id);
void pprof_ids_free(struct pprof_ids *ids);
/* Returns the child of a node with a key, and adds it if there is none. */
uint32_t pprof_child(struct pprof_nodes *nodes, uint32_t parent, uint32_t key);
/* Adds a child that pprof_child is never asked for. */
uint32_t pprof_new_child(struct pprof_nodes *nodes, uint32_t parent, uint32_t key);
/* Frees what only pprof_child needs. */
void pprof_nodes_finish(struct pprof_nodes *nodes);
void pprof_nodes_free(struct pprof_nodes *nodes);
/* Adds a Sample message. */
enum ps_status pprof_add_sample(struct pprof *p, struct ps_str bytes, struct ps_err *err);
/* Removes a key from all sets, and merges the sets that differ in nothing else. */
void pprof_sum_key(struct pprof *p, size_t key);
/* Returns the key that divides most and may be summed; SIZE_MAX: there is none. */
size_t pprof_key_to_sum(const struct pprof *p, bool with_threads);
void pprof_samples_free(struct pprof *p);

/* pprof_frames.c: computes the frames of all locations, and marks those that drop_frames removes.
 */
void pprof_name_frames(struct pprof *p, struct st_stacks *stacks);
/* The string with this index, or an empty one if the file has no such string. */
struct ps_str pprof_string(struct pprof *p, int64_t index);

/* pprof_write.c: writes everything to the sink. */
enum ps_status pprof_write(struct pprof *p, struct ps_err *err);

#endif
