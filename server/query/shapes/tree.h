/* SPDX-License-Identifier: MIT */
/*
 * tree.h: which nodes of a tree an answer has, in which order, and how they are written as JSON.
 * All trees have the same form: schema/answers/tree.answers.
 *
 * Subjects keep their trees in different ways: as struct ps_tree (base/tree.h), as arrays that all
 * requests share, or as rows of a table. So this header asks for a skeleton and for columns, which
 * are members of structs or elements of arrays at equal distances. It copies no tree.
 *
 * Weights are int64_t in the unit of the subject. A total includes the descendants. Whether it is
 * their sum is for the subject to say: bounds and printed values are not.
 *
 * All loops end early if the context of the thread ends (base/context.h). Nothing here fails. What
 * the functions return belongs to the caller.
 */
#ifndef PS_QUERY_SHAPES_TREE_H
#define PS_QUERY_SHAPES_TREE_H

#include "base/json_out.h"
#include "base/tree.h"

/* --- Picture: the nodes of an answer --- */

struct ps_picture_options {
    size_t limit; /* the nodes with the greatest totals; 0: all */
    /* siblings with a smaller total become one node PS_ROLE_REST, after the others; 0: none do */
    int64_t rest_below;
    uint32_t never_rest; /* a node that stays a node; PS_TREE_NONE: there is none */
    bool has_empty;      /* also nodes whose total is 0, if their count is not */
    bool is_by_level;    /* all nodes of a depth before the next depth; else preorder */
};

enum ps_picture_role { PS_ROLE_NODE, PS_ROLE_REST };

struct ps_picture_node {
    uint32_t node;   /* of the tree; PS_TREE_NONE unless the role is PS_ROLE_NODE */
    uint32_t parent; /* index in the picture; PS_TREE_NONE: none */
    enum ps_picture_role role;
    int64_t total, count; /* of PS_ROLE_REST sums of the merged nodes */
};

struct ps_picture {
    struct ps_picture_node *nodes; /* parents before children, siblings by descending total */
    size_t n;
    size_t n_cut; /* nodes with a total that were left out because of the limit */
};

/* Chooses the nodes with a total above 0 of a tree. A node is left out with its descendants.
 * `totals` and `counts` have a value for each node, at distances of `stride` bytes. Siblings with
 * equal totals are in the order of the tree. Takes 20 bytes for each node of the tree. Release
 * the picture with ps_picture_free. */
struct ps_picture ps_picture_choose(const struct ps_skeleton *skeleton, const int64_t *totals,
                                    const int64_t *counts, size_t stride,
                                    const struct ps_picture_options *options);
/* The same for a tree in preorder, with the `limit` greatest totals. */
struct ps_picture ps_picture_choose_nodes(const struct ps_tree *tree, size_t limit);
void ps_picture_free(struct ps_picture *picture); /* for PS_AUTO */

/* --- Numbers of keys --- */

/* Numbers keys from 0 in the order of their first use: answers write each name once. Release it
 * with ps_key_numbers_free. */
struct ps_key_numbers {
    uint32_t *keys; /* [number] */
    size_t n, cap;
    uint32_t *numbers; /* [key]: number + 1; 0: none */
    size_t n_numbers;
};

uint32_t ps_key_number(struct ps_key_numbers *numbers, uint32_t key);
void ps_key_numbers_free(struct ps_key_numbers *numbers); /* for PS_AUTO */

/* --- JSON --- */

enum ps_column_type {
    PS_COLUMN_U8,
    PS_COLUMN_U32,
    PS_COLUMN_PARENT, /* U32; PS_TREE_NONE is written as -1 */
    PS_COLUMN_INT,
    PS_COLUMN_NULLABLE, /* INT; PS_COLUMN_NULL is written as null */
    PS_COLUMN_REAL,     /* double; NaN is written as null */
    PS_COLUMN_NUM,      /* struct ps_num */
    PS_COLUMN_STR,      /* struct ps_str */
};
#define PS_COLUMN_NULL INT64_MIN

/* A column of an answer: a key, and an array with a value for each node. */
struct ps_tree_column {
    const char *key; /* NULL: the column is not written */
    enum ps_column_type type;
    const void *items;  /* structs or values, of which the column has one member */
    size_t offset;      /* of the member */
    size_t stride;      /* size of an item */
    bool is_of_picture; /* items are in the order of the picture; else of the nodes of the tree */
};

/* A column of one member of an array of structs, for the nodes of the tree; and of the nodes of a
 * picture. */
#define PS_NODE_COLUMN(key, type, items, member)                                                   \
    {                                                                                              \
        key, type, items, offsetof(__typeof__(*(items)), member), sizeof *(items), false           \
    }
#define PS_PICTURE_COLUMN(key, type, items, member)                                                \
    {                                                                                              \
        key, type, items, offsetof(__typeof__(*(items)), member), sizeof *(items), true            \
    }
/* Columns of arrays of values. */
#define PS_NODE_VALUES(key, type, values)                                                          \
    {                                                                                              \
        key, type, values, 0, sizeof *(values), false                                              \
    }
#define PS_PICTURE_VALUES(key, type, values)                                                       \
    {                                                                                              \
        key, type, values, 0, sizeof *(values), true                                               \
    }

/* The members `columns` and `n_columns` of a struct. */
#define PS_COLUMNS(items) .columns = (items), .n_columns = sizeof(items) / sizeof *(items)

/* Writes the first n values of each column: for rows that are in the order of the answer. */
void ps_rows_write_columns(const struct ps_tree_column *columns, size_t n_columns, size_t n,
                           struct ps_json *json);

/* A frame of an answer. */
struct ps_tree_frame {
    struct ps_str name, file;  /* {NULL, 0}: unknown */
    int64_t line;              /* 0: unknown */
    int64_t id;                /* of the run; 0: none */
    int64_t origin, collapsed; /* codes of the answer */
};
/* What a subject knows of its frames, beside their names. */
enum {
    PS_FRAME_FILE = 1 << 0,
    PS_FRAME_LINE = 1 << 1,
    PS_FRAME_ID = 1 << 2,
    PS_FRAME_ORIGIN = 1 << 3,
    PS_FRAME_COLLAPSED = 1 << 4
};

/* Keys of nodes that show no frame: merged siblings, and memory without a stack. */
#define PS_KEY_REST     UINT32_MAX
#define PS_KEY_NO_STACK (UINT32_MAX - 1)

struct ps_tree_frames {
    const uint32_t *keys; /* [node of the answer]: nodes with equal keys show one frame */
    /* node: the first one that shows the frame. Texts are valid until the answer is written. */
    void (*describe)(const void *subject, uint32_t key, size_t node, struct ps_tree_frame *out);
    const void *subject;
    unsigned fields; /* PS_FRAME_... */
    bool are_nodes;  /* node i shows frame i, whose key is i */
};

/* One side of a comparison. */
struct ps_tree_side {
    struct ps_num sum;
    double floor; /* nodes that are null have less; 0 or INFINITY: unknown */
    const struct ps_tree_column *columns;
    size_t n_columns;
};

struct ps_tree_answer {
    const struct ps_picture *picture; /* NULL: the first n values of all columns are written */
    size_t n;
    size_t n_cut; /* nodes that are not in the answer */
    const char *unit;
    struct ps_num sum; /* PS_NO_NUM: the sides have sums */
    struct ps_tree_frames frames;
    const struct ps_tree_column *columns; /* without a picture also "parent" */
    size_t n_columns;
    const struct ps_tree_side *base, *new; /* NULL: the tree is no comparison */
};

/* Writes the members of a tree. The caller opens the object, and adds what its subject has beside
 * them. */
void ps_tree_write(const struct ps_tree_answer *tree, struct ps_json *json);

#endif
