/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h: a compiled network: its placed graph, the task list with every address
 * decided, the memory table and the weights. task_build.c makes it, om_write.c and
 * om_read.c carry it through a file, the runtime binds and runs it.
 */
#ifndef TSR_BUILD_PROGRAM_H
#define TSR_BUILD_PROGRAM_H

#include "build/weights.h"
#include "ir/graph.h"

/* What an address counts from. */
typedef enum TsrSpace {
    TSR_SPACE_NULL,
    TSR_SPACE_ARENA,   /* offset into the activation memory */
    TSR_SPACE_WEIGHTS, /* offset into the weights section */
    TSR_SPACE_INPUT,   /* index of a graph input */
    TSR_SPACE_OUTPUT,  /* index of a graph output */
} TsrSpace;

typedef struct TsrAddress {
    guint32 space;
    guint32 index;     /* of the graph input or output; else 0 */
    guint64 offset;    /* bytes */
} TsrAddress;

/* Further references of arguments, of the tasks that control flow becomes: an input or output
 * of a subgraph of the task's node, its number in bits 16 to 23. */
enum {
    TSR_REF_BODY_INPUT = 0x10u << 24,
    TSR_REF_BODY_OUTPUT = 0x11u << 24,
};

/* The parameters of a TSR_TASK_MEMCPY_AT; those of a TSR_TASK_SWITCH are its labels. */
typedef struct TsrPlaceParams {
    guint64 rows;
    guint64 places;
    guint32 flags;      /* TSR_AT_ */
    guint32 reserved;
} TsrPlaceParams;

/* An argument of a task: where it lies, and what it is: a TSR_ARG_ reference into the
 * inputs, outputs, workspaces or constants of the task's node, or a TSR_REF_. Of a copy that has
 * no node: to TSR_ARG_OUTPUT and from TSR_ARG_INPUT of a graph output's index. */
typedef struct TsrTaskArg {
    TsrAddress address;
    guint32 ref;
    guint64 bytes;
} TsrTaskArg;

typedef struct TsrProgramTask {
    guint32 kind;       /* TSR_TASK_ */
    guint32 block_dim;
    guint32 stream;
    guint32 node;       /* index in TsrProgram.nodes, or G_MAXUINT32 */
    char *kernel;       /* name, for TSR_TASK_KERNEL */
    char *name;         /* the user's node */
    guint32 event;      /* of TSR_TASK_EVENT_ and NOTIFY_; the label of TSR_TASK_LABEL and GOTO */
    GArray *args;       /* TsrTaskArg; a host call has the node's inputs, then outputs */
    GBytes *params;     /* of a kernel; TsrPlaceParams; the labels of a switch; or NULL */
    guint64 bytes;      /* of TSR_TASK_MEMCPY, MEMCPY_AT and SWITCH */
    guint64 operations; /* what its engine said that it computes, 0: unknown; not stored */
} TsrProgramTask;

/* What a tensor's memory is. */
typedef enum TsrMemoryKind {
    TSR_MEMORY_OWN,       /* a piece of its own */
    TSR_MEMORY_WORKSPACE, /* a piece that only one node's tasks use */
    TSR_MEMORY_VIEW,      /* the whole of another tensor in another shape */
    TSR_MEMORY_PART,      /* lies in a larger tensor: written into it or read from it */
    TSR_MEMORY_INPLACE,   /* written over an input that nobody reads any more */
} TsrMemoryKind;

/* A tensor's memory and when it is in use: positions in the task list, both included.
 * Only own pieces and workspaces are planned; the others say with whom they share. */
typedef struct TsrMemoryRow {
    char *name;
    TsrAddress address;
    guint64 size;
    guint32 birth;
    guint32 death;
    guint32 kind;         /* TsrMemoryKind */
    char *with;           /* whose memory it shares, or NULL */
    char *note;           /* why it does not share, where it could have, or NULL */
} TsrMemoryRow;

typedef struct TsrMemoryStats {
    guint64 activation_bytes;
    guint64 lower_bound_bytes; /* the largest sum of pieces alive at once */
    guint64 no_reuse_bytes;
    guint64 weight_bytes;
    guint64 workspace_bytes;   /* the largest of one node */
    const char *planner;       /* that made the plan: static or interned text, or NULL */
} TsrMemoryStats;

/* Where a value lies, for whoever wants to see it. */
typedef struct TsrValuePlace {
    guint32 node;           /* its producer: index in TsrProgram.nodes */
    guint32 output;
    TsrAddress address;
} TsrValuePlace;

typedef struct TsrKnownPart TsrKnownPart; /* known_parts.h */

typedef struct TsrProgram {
    TsrGraph *graph;
    GPtrArray *nodes;       /* TsrNode of all graphs, borrowed: each in its graph's topological
                               order, those of subgraphs right before the node they belong to */
    char *why_not_sink;     /* the first reason, where is_sink is FALSE; or NULL */
    gboolean is_sink;       /* tasks and memory hold; else the nodes run one by one */
    GPtrArray *parts;       /* TsrKnownPart: nodes that then are one call, perhaps none */
    GPtrArray *tasks;       /* TsrProgramTask */
    GArray *memory;         /* TsrMemoryRow */
    TsrWeights *weights;    /* that addresses of TSR_SPACE_WEIGHTS count in */
    GHashTable *constants;  /* TsrValue -> offset + 1 of its data in the weights */
    GArray *places;         /* TsrValuePlace of each value, of a program with tasks */
    TsrMemoryStats stats;
    guint32 stream_count;
    guint32 event_count;
    guint32 notify_count;
    guint32 label_count;
    guint32 c0_lanes;
    guint32 core_count;
    char *device;           /* or NULL */
} TsrProgram;

/* Takes a reference of the graph; weights NULL: new ones. (transfer full) */
TsrProgram *tsr_program_new(TsrGraph *graph, TsrWeights *weights);
void tsr_program_free(TsrProgram *program);   /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrProgram, tsr_program_free)
TsrProgramTask *tsr_program_task_new(guint32 kind, const char *name);
void tsr_program_task_free(TsrProgramTask *task);

/* Whether the task writes its argument of that index. */
gboolean tsr_task_writes(const TsrProgramTask *task, guint index);
/* The labels of a GOTO or SWITCH; the number of them. */
guint tsr_task_labels(const TsrProgramTask *task, const guint32 **out_labels);

/* Bytes of the memory that an address counts in; FALSE where there is none. */
gboolean tsr_program_space_bytes(const TsrProgram *program, const TsrAddress *address,
                                 guint64 *out_bytes) G_GNUC_WARN_UNUSED_RESULT;

/* tsr_weights_add, noting the size. */
guint64 tsr_program_add_weights(TsrProgram *program, GBytes *bytes);
/* Stores the data of a constant value, once. Returns the offset. */
guint64 tsr_program_add_constant(TsrProgram *program, TsrValue *value);
/* The same for all constants of the graph and of those below it. */
void tsr_program_keep_constants(TsrProgram *program);

#endif
