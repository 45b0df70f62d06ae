/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/frame_name.h"
#include "base/intern.h"
#include "base/python_plumbing.h"
#include "base/saturated.h"
#include "server/query/shapes/tree.h"
#include "server/query/trace/flames/flame.h"
#include "server/query/trace/flames/python_flame.h"

/* --- Names of frames --- */

static bool is_builtin(struct ps_str name)
{
    return ps_str_starts_with(name, PS_STR("<built-in "));
}

/* Whether a frame such as "torch/_ops.py(1244): __call__" only forwards calls. */
static bool is_plumbing(struct ps_str name)
{
    struct ps_str path, function;
    int64_t line;

    return is_builtin(name) || (ps_slice_frame_parse(name, &path, &line, &function) &&
                                ps_python_is_plumbing(function, path, PS_PLUMBING_TIME));
}

/* "<built-in method empty of type object at 0x7fe155633c40>" without the address. */
static struct ps_str without_address(struct ps_str name, struct ps_buf *out)
{
    const char *found = ps_str_find(name, PS_STR(" at 0x"));

    if (!found)
        return name;
    out->len = 0;
    ps_buf_add_str(out, (struct ps_str){name.ptr, (size_t)(found - name.ptr)});
    ps_buf_add_str(out, PS_STR(">"));
    return ps_buf_slice(out);
}

static const struct ps_str module_word = {"nn.Module: ", 11};

/* The class of a module such as "TransformerBlock_12": the name without its number. */
static struct ps_str class_of(struct ps_str module)
{
    struct ps_str class = module;

    while (class.len && isdigit((unsigned char)class.ptr[class.len - 1]))
        class.len--;
    return class.len > 1 && class.len < module.len && class.ptr[class.len - 1] == '_'
               ? (struct ps_str){class.ptr, class.len - 1}
               : module;
}

static bool is_in_list(struct ps_str list, struct ps_str text)
{
    while (list.len) {
        const char *comma = memchr(list.ptr, ',', list.len);
        struct ps_str item = {list.ptr, comma ? (size_t)(comma - list.ptr) : list.len};

        if (ps_str_eq(item, text) || ps_str_eq(item, PS_STR("*")))
            return true;
        list = ps_str_skip(list, item.len + 1);
    }
    return false;
}

/* --- Folding --- */

enum { UNDER_PYTHON = 1, UNDER_MODULE = 2, UNDER_BACKWARD = 4, NOT_ATTRIBUTED = 8 };

struct folder {
    struct ps_db *db;
    bool shows_plumbing;
    struct ps_str expand;   /* classes, separated by commas */
    struct ps_intern names; /* of the nodes of `out` */
    struct ps_tree out;
    struct ps_tree modules; /* children of a node with the same index: modules merged in a node of
                                `out`, by text id */
    struct ps_tree classes; /* roots: classes by name; children: modules by text id */
    uint32_t *n_modules;    /* by node of `out` */
    size_t n_counted;
    int64_t attributed, python, module, backward; /* ns */
};

static void folder_free(struct folder *f)
{
    ps_intern_free(&f->names);
    ps_tree_free(&f->out);
    ps_tree_free(&f->modules);
    ps_tree_free(&f->classes);
    free(f->n_modules);
}

static uint32_t child(struct folder *f, uint32_t parent, struct ps_str name,
                      const struct ps_tree_node *node)
{
    return ps_tree_child(&f->out, parent, ps_intern_add(&f->names, name), node->kind, node->family);
}

/* Counts a module in a node of `out`, and in its class. */
static void count_module(struct folder *f, uint32_t node, uint32_t text, struct ps_str class)
{
    size_t before = f->modules.n;
    uint32_t index =
        ps_tree_child(&f->classes, PS_TREE_NONE, ps_intern_add(&f->names, class), 0, 0);

    f->n_modules = ps_grow_to(f->n_modules, &f->n_counted, node, sizeof *f->n_modules);
    ps_tree_child(&f->modules, node, text, 0, 0);
    f->n_modules[node] += f->modules.n > before;
    before = f->classes.n;
    ps_tree_child(&f->classes, index, text, 0, 0);
    f->classes.nodes[index].count += f->classes.n > before;
}

static uint32_t module_node(struct folder *f, uint32_t parent, struct ps_str text,
                            const struct ps_tree_node *node)
{
    struct ps_str module = ps_str_skip(text, module_word.len), class = class_of(module);
    uint32_t out = child(f, parent, is_in_list(f->expand, class) ? module : class, node);

    count_module(f, out, node->key, class);
    return out;
}

/* Whether a node has this name: a function that reaches itself through plumbing, such as
 * __torch_function__, is one frame. */
static bool is_named(const struct folder *f, uint32_t node, struct ps_str name)
{
    return node != PS_TREE_NONE && ps_str_eq(f->names.items[f->out.nodes[node].key], name);
}

/* Returns the node of `out` for a node; `parent` if it is left out. *under: flags of the node. */
static uint32_t fold_node(struct folder *f, uint32_t parent, const struct ps_tree_node *node,
                          uint8_t *under, struct ps_buf *buf)
{
    struct ps_str text = ps_trace_text(f->db, node->key);

    if (node->key == PS_PYTHON_FLAME_NOT_ATTRIBUTED) {
        *under |= NOT_ATTRIBUTED;
        return child(f, parent, PS_STR("not attributed"), node);
    }
    if (node->key == PS_PYTHON_FLAME_BACKWARD) {
        *under |= UNDER_BACKWARD;
        return child(f, parent, PS_STR("backward"), node);
    }
    if (node->kind != PS_SLICE_PYTHON)
        return child(f, parent, text.ptr ? text : PS_STR("(no name)"), node);
    *under |= UNDER_PYTHON;
    if (ps_str_starts_with(text, module_word)) {
        *under |= UNDER_MODULE;
        return module_node(f, parent, text, node);
    }
    if (!f->shows_plumbing && (is_plumbing(text) || is_named(f, parent, text)))
        return parent;
    return child(f, parent, is_builtin(text) ? without_address(text, buf) : text, node);
}

static void add_sums(struct folder *f, uint8_t under, int64_t ns)
{
    if (under & NOT_ATTRIBUTED)
        return;
    f->attributed = ps_add_saturated(f->attributed, ns);
    if (under & UNDER_PYTHON)
        f->python = ps_add_saturated(f->python, ns);
    if (under & UNDER_MODULE)
        f->module = ps_add_saturated(f->module, ns);
    if (under & UNDER_BACKWARD)
        f->backward = ps_add_saturated(f->backward, ns);
}

static void fold(struct folder *f, const struct ps_tree *tree)
{
    PS_AUTO(ps_buf_free) struct ps_buf buf = {0};
    PS_AUTO(ps_free_ptr) uint32_t *nodes = ps_alloc_array(tree->n + 1, sizeof *nodes);
    PS_AUTO(ps_free_ptr) uint8_t *under = ps_alloc_array(tree->n + 1, sizeof *under);

    for (size_t i = 0; i < tree->n && !ps_context_has_ended(); i++) {
        const struct ps_tree_node *node = &tree->nodes[i];
        uint32_t parent = node->parent == PS_TREE_NONE ? PS_TREE_NONE : nodes[node->parent];

        nodes[i] = parent;
        under[i] = node->parent == PS_TREE_NONE ? 0 : under[node->parent];
        if (node->total <= 0)
            continue; /* launched nothing that takes time */
        nodes[i] = fold_node(f, parent, node, &under[i], &buf);
        if (node->count && nodes[i] != PS_TREE_NONE) {
            struct ps_tree_node *into = &f->out.nodes[nodes[i]];

            into->count += node->count;
            into->self = ps_add_saturated(into->self, node->self);
            add_sums(f, under[i], node->self);
        }
    }
    ps_tree_add_up(&f->out);
    if (f->out.n) { /* counts are totals too */
        const struct ps_skeleton skeleton = ps_tree_skeleton(&f->out);

        ps_skeleton_add_up(&skeleton, &f->out.nodes->count, sizeof *f->out.nodes);
    }
    f->n_modules = ps_grow_to(f->n_modules, &f->n_counted, f->out.n, sizeof *f->n_modules);
}

/* --- JSON --- */

static void describe_frame(const void *subject, uint32_t key, size_t node,
                           struct ps_tree_frame *out)
{
    (void)node;
    out->name = ((const struct folder *)subject)->names.items[key];
}

static void write_tree(const struct folder *f, int64_t sum, size_t limit, struct ps_json *json)
{
    PS_AUTO(ps_picture_free) struct ps_picture picture = ps_picture_choose_nodes(&f->out, limit);
    PS_AUTO(ps_free_ptr) uint32_t *keys = ps_grow(NULL, picture.n + 1, sizeof *keys);
    const struct ps_tree_column columns[] = {
        PS_NODE_COLUMN("total", PS_COLUMN_INT, f->out.nodes, total),
        PS_NODE_COLUMN("self", PS_COLUMN_INT, f->out.nodes, self),
        PS_NODE_COLUMN("count", PS_COLUMN_INT, f->out.nodes, count),
        PS_NODE_COLUMN("family", PS_COLUMN_U8, f->out.nodes, family),
        PS_NODE_COLUMN("kind", PS_COLUMN_U8, f->out.nodes, kind),
        PS_NODE_VALUES("modules", PS_COLUMN_U32, f->n_modules),
    };
    const struct ps_tree_answer tree = {
        .picture = &picture,
        .n_cut = picture.n_cut,
        .unit = "ns",
        .sum = ps_int(sum),
        .frames = {keys, describe_frame, f, 0, false},
        PS_COLUMNS(columns),
    };

    for (size_t i = 0; i < picture.n; i++)
        keys[i] = f->out.nodes[picture.nodes[i].node].key;
    ps_tree_write(&tree, json);
}

static void write_classes(const struct folder *f, struct ps_json *json)
{
    ps_json_key(json, "classes");
    ps_json_array(json);
    for (size_t i = 0; i < f->classes.n; i++) {
        const struct ps_tree_node *class = &f->classes.nodes[i];

        if (class->parent != PS_TREE_NONE)
            continue;
        ps_json_object(json);
        ps_json_key(json, "name");
        ps_json_str(json, f->names.items[class->key]);
        ps_json_key_int(json, "modules", class->count);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_answer(const struct folder *f, const struct ps_python_flame *flame, size_t limit,
                         struct ps_answer *answer)
{
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t without = ps_add_saturated(flame->without_launch, flame->without_frame);

    ps_json_object(&json);
    if (flame->tracks)
        ps_json_key_int(&json, "tracks", flame->tracks);
    write_tree(f, ps_add_saturated(f->attributed, without), limit, &json);
    write_classes(f, &json);
    ps_json_key(&json, "attributed");
    ps_json_object(&json);
    ps_json_key_int(&json, "total", f->attributed);
    ps_json_key_int(&json, "python", f->python);
    ps_json_key_int(&json, "modules", f->module);
    ps_json_key_int(&json, "backward", f->backward);
    ps_json_key_int(&json, "without_launch", flame->without_launch);
    ps_json_key_int(&json, "without_frame", flame->without_frame);
    ps_json_end(&json);
    ps_json_end(&json);
}

enum ps_status ps_python_flame_answer(struct ps_db *db, struct ps_params params, size_t limit,
                                      struct ps_answer *answer, struct ps_err *err)
{
    PS_AUTO(ps_python_flame_free) struct ps_python_flame flame = {.without_launch = 0};
    PS_AUTO(folder_free)
    struct folder folder = {.db = db, .expand = ps_str_from_c(ps_param_get(params, "expand"))};
    const struct ps_flame_names names = {&folder.names, "(no name)"};
    const struct ps_str around = ps_str_from_c(ps_param_get(params, "around"));
    int64_t plumbing = 0;

    ps_param_int(params, "plumbing", 0, 1, 0, &plumbing, err);
    if (err->code != PS_OK || ps_python_flame_build(db, params, &flame, err) != PS_OK)
        return err->code;
    folder.shows_plumbing = plumbing;
    fold(&folder, &flame.tree);
    if (around.len)
        return ps_slice_sandwich_write(db, &folder.out, limit, &names, around, answer, err);
    write_answer(&folder, &flame, limit, answer);
    return err->code;
}
