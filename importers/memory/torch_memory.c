/* SPDX-License-Identifier: MIT */
/*
 * torch_memory.c: memory snapshots of PyTorch's caching allocator: the pickle that
 * torch.cuda.memory._dump_snapshot() writes, the list that memory_snapshot() returns, and both as
 * JSON. Tested with files of torch 2.0 to 2.10, pickle protocols 2 to 5.
 */
#include <stdlib.h>

#include "importers/memory/snapshot_read.h"

static bool is_pickle(struct ps_str head)
{
    return head.len >= 2 && head.ptr[0] == '\x80' && head.ptr[1] >= 2 && head.ptr[1] <= 5;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct sn_snapshot s;
    bool pickle = is_pickle(ps_stream_peek(in, 2));
    enum ps_status status;

    sn_init(&s, out);
    status = pickle ? sn_read_pickle(&s, in, err) : sn_read_json(&s, in, err);
    sn_free(&s);
    return status;
}

/* Returns the first text of a pickle that begins with containers and memo opcodes, and sets *opener
 * to its first container. {NULL, 0}: it begins otherwise. */
static struct ps_str first_text(struct ps_str head, char *opener)
{
    size_t i = 2;

    *opener = '\0';
    while (i < head.len && i < 64) {
        unsigned char op = (unsigned char)head.ptr[i];
        size_t operand = op == 0x95 ? 8 : op == 'q' ? 1 : op == 'r' ? 4 : 0;

        if (op == 0x8c || op == 'X') {
            size_t size_bytes = op == 'X' ? 4 : 1;

            if (i + 1 + size_bytes > head.len)
                break;
            head = ps_str_skip(head, i + 1 + size_bytes);
            return (struct ps_str){head.ptr, (unsigned char)head.ptr[-(long)size_bytes] < head.len
                                                 ? (unsigned char)head.ptr[-(long)size_bytes]
                                                 : head.len};
        }
        if (!operand && op != '}' && op != ']' && op != '(' && op != 0x94)
            break;
        if (!*opener && (op == '}' || op == ']'))
            *opener = (char)op;
        i += 1 + operand;
    }
    return (struct ps_str){NULL, 0};
}

static enum ps_match sniff(struct ps_str head)
{
    char opener;
    struct ps_str text;

    if (is_pickle(head)) {
        text = first_text(head, &opener);
        if (opener == '}' && (ps_str_eq_c(text, "segments") || ps_str_eq_c(text, "device_traces")))
            return PS_MATCH_SURE;
        return opener == ']' && (ps_str_eq_c(text, "device") || ps_str_eq_c(text, "address")) &&
                       ps_str_find(head, PS_STR("total_size"))
                   ? PS_MATCH_SURE
                   : PS_MATCH_NO;
    }
    while (head.len && strchr(" \t\r\n", head.ptr[0]) && head.ptr[0])
        head = ps_str_skip(head, 1);
    if (!head.len || (head.ptr[0] != '{' && head.ptr[0] != '['))
        return PS_MATCH_NO;
    if (head.ptr[0] == '{' && (ps_str_find(head, PS_STR("\"segments\"")) ||
                               ps_str_find(head, PS_STR("\"device_traces\"")))) {
        if (ps_str_find(head, PS_STR("\"device_traces\"")) ||
            (ps_str_find(head, PS_STR("\"total_size\"")) &&
             ps_str_find(head, PS_STR("\"segment_type\""))))
            return PS_MATCH_SURE;
        return PS_MATCH_NO;
    }
    return head.ptr[0] == '[' && ps_str_find(head, PS_STR("\"total_size\"")) &&
                   ps_str_find(head, PS_STR("\"segment_type\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_torch_memory = {
    .kind = "torch-memory",
    .label = "PyTorch memory snapshot",
    .description = "GPU allocations and segments, as torch.cuda.memory._dump_snapshot() writes "
                   "them (.pickle, .json)",
    .record_command = "torch.cuda.memory._record_memory_history(); ...; "
                      "torch.cuda.memory._dump_snapshot(\"memory.pickle\")",
    .sniff = sniff,
    .load = load,
};
