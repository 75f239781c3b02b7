/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.h: the whole line between the framework (the host) and a plugin.
 *
 * A plugin is a shared library that exports one symbol, tsr_plugin_query().
 * Everything else hangs from tables that the two sides hand each other.
 *
 * Obligations that hold for every struct and slot below:
 *  - Every struct begins with struct_size, set by its writer to sizeof of the
 *    struct it knows. A reader treats a missing tail as zero. Fields are only
 *    ever appended. Arrays of structs are handed over as arrays of pointers, or
 *    with a stride beside them.
 *  - A slot marked "mandatory" must not be NULL; all others are optional, and
 *    the host has a default. The mark is frozen for the major version.
 *  - Every fallible slot returns a TSR_ status. Before it returns anything but
 *    TSR_OK it leaves a text with TsrHost.set_error (or the fail slot of its
 *    context). A plugin never prints, exits, aborts or throws.
 *  - Who allocates, frees. Pointers handed to a call are valid for that call
 *    unless the slot says otherwise. Strings are UTF-8 and NUL-terminated.
 *  - Threads are stated per slot: "load" is the thread that loads plugins,
 *    "compile" any one thread that compiles (several graphs may compile at once
 *    in different threads), "run" any thread that runs a model.
 */
#ifndef TESSERA_PLUGIN_H
#define TESSERA_PLUGIN_H

#include <tessera/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSR_ABI_MAJOR 1u
#define TSR_ABI_MINOR 0u

#if defined(__GNUC__)
#define TSR_EXPORT __attribute__((visibility("default")))
#define TSR_PRINTF(format_index, first_index)                                       \
    __attribute__((format(printf, format_index, first_index)))
#else
#define TSR_EXPORT
#define TSR_PRINTF(format_index, first_index)
#endif

/* Whether the table at p, written by the other side, reaches as far as the slot
 * and has it filled. */
#define TSR_HAS(p, slot)                                                            \
    ((p) != NULL && (p)->struct_size >= offsetof(__typeof__(*(p)), slot) +          \
                                            sizeof((p)->slot) && (p)->slot != 0)

/* ------------------------------------------------------------------ tensors */

/* What is known of a tensor. Both shapes have the rank beside them; an unknown
 * dimension is TSR_DIM_UNKNOWN, an unknown rank TSR_RANK_UNKNOWN (shape is then
 * NULL). Where storage_format equals origin_format both shapes are equal. */
typedef struct TsrTensorDesc {
    uint32_t struct_size;
    uint32_t dtype;
    uint32_t origin_format;
    uint32_t storage_format;
    uint32_t rank;
    uint32_t storage_rank;
    const int64_t *shape;         /* what the user means */
    const int64_t *storage_shape; /* how the bytes lie */
    const char *name;             /* the user's name of the value, or "" */
    uint32_t kind;                /* TSR_KIND_; all but tensors have no storage */
    uint32_t key_dtype;           /* of the keys of a map */
    const int64_t *max_shape;     /* a bound for each dimension that shape leaves unknown
                                     (-1 where there is none); NULL: no bounds at all */
    uint32_t expand_dims;         /* TSR_EXPAND_ set: which of N, C, H, W the dimensions are,
                                     for an origin format NCHW at a rank below 4; 0 at rank
                                     4 and where the tensor cannot be blocked */
    uint32_t reserved;
} TsrTensorDesc;

/* The expand-dims rule: the axes of NCHW that a tensor of lower rank has. The others are
 * 1 when it is blocked, so [N, C, W] with N | C | W is stored as [N, C, 1, W] is. */
enum {
    TSR_EXPAND_N = 1u << 0,
    TSR_EXPAND_C = 1u << 1,
    TSR_EXPAND_H = 1u << 2,
    TSR_EXPAND_W = 1u << 3,
};

/* A tensor with memory. The elements lie densely in the order of the storage
 * shape; data is aligned to 64 bytes unless it belongs to the caller of a run.
 * size_bytes counts packed sub-byte elements; strings count sizeof(TsrString)
 * each. data may be NULL where the tensor has no elements. */
typedef struct TsrTensor TsrTensor;
struct TsrTensor {
    uint32_t struct_size;
    uint32_t flags;
    const TsrTensorDesc *desc;
    void *data;
    uint64_t size_bytes;
    /* Of a value that is no tensor: the elements of a sequence, the one of an optional
     * (none when it is empty), keys and values of a map. */
    const TsrTensor *const *items;
    uint32_t item_count;
    uint32_t reserved;
};

/* -------------------------------------------------------------------- nodes */

enum {
    TSR_ATTR_FLOAT = 1, /* the numbers of ONNX AttributeProto.AttributeType */
    TSR_ATTR_INT = 2,
    TSR_ATTR_STRING = 3,
    TSR_ATTR_TENSOR = 4,
    TSR_ATTR_GRAPH = 5,  /* i is the index of the subgraph of the node */
    TSR_ATTR_FLOATS = 6,
    TSR_ATTR_INTS = 7,
    TSR_ATTR_STRINGS = 8,
};

/* One attribute of a node. Attributes with a default in the operator's
 * definition are always present. */
typedef struct TsrAttr {
    uint32_t struct_size;
    uint32_t type;
    const char *name;
    int64_t i;
    float f;
    uint32_t count;           /* of floats, ints or strings */
    TsrString s;
    const float *floats;
    const int64_t *ints;
    const TsrString *strings;
    const TsrTensor *tensor;
} TsrAttr;

/* A node as a plugin sees it: read only, valid for the call it is handed to. */
typedef struct TsrNodeView {
    uint32_t struct_size;
    uint32_t since_version;   /* of the operator definition it is bound to */
    const char *name;         /* the user's name; made up when the model has none */
    const char *op_type;
    const char *domain;       /* "" is the ONNX domain */
    uint32_t input_count;     /* instance inputs, omitted ones included */
    uint32_t output_count;
    uint32_t attr_count;
    uint32_t subgraph_count;
    const TsrTensorDesc *const *inputs;  /* NULL where an optional input is omitted */
    const TsrTensorDesc *const *outputs; /* NULL where an output is not wanted */
    const TsrTensor *const *values;      /* per input: its constant value or NULL */
    const TsrAttr *const *attrs;
} TsrNodeView;

/* --------------------------------------------------------------------- host */

enum { TSR_LOG_DEBUG = 0, TSR_LOG_INFO = 1, TSR_LOG_WARNING = 2, TSR_LOG_ERROR = 3 };

/* Services of the host. It outlives the plugin. Threads: any. */
typedef struct TsrHost TsrHost;
struct TsrHost {
    uint32_t struct_size;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t sanitizer;       /* TSR_SANITIZER_ of the host's build */
    void *context;
    void (*log)(const TsrHost *host, uint32_t level, const char *text);
    /* Stores code and text for the calling thread and returns code, so that a
     * slot can end with: return host->set_error(host, TSR_..., "...", ...); */
    int32_t (*set_error)(const TsrHost *host, int32_t code, const char *format, ...)
        TSR_PRINTF(3, 4);
    /* 64-byte aligned memory of the host's allocator; NULL when there is none. */
    void *(*alloc)(const TsrHost *host, uint64_t size_bytes);
    void (*free)(const TsrHost *host, void *memory); /* NULL is a no-op */
    /* A further service table by name, or NULL when the host lacks it or has an
     * older one. */
    const void *(*find_service)(const TsrHost *host, const char *name,
                                uint32_t min_version);
};

enum { TSR_SANITIZER_NONE = 0, TSR_SANITIZER_ADDRESS = 1, TSR_SANITIZER_THREAD = 2 };

/* ------------------------------------------------------------------- plugin */

/* The interfaces that the framework asks a plugin for. */
#define TSR_INTERFACE_ENGINE "tessera.engine"
#define TSR_INTERFACE_FORMAT_SELECTOR "tessera.format_selector"
#define TSR_INTERFACE_FUSION "tessera.fusion"
#define TSR_INTERFACE_EXECUTOR "tessera.executor"
#define TSR_INTERFACE_DEVICE "tessera.device"
#define TSR_INTERFACE_OPS "tessera.ops"
#define TSR_INTERFACE_VERSION 1u

/* What tsr_plugin_query hands out: static data, valid as long as the library is
 * loaded. All text fields are mandatory. */
typedef struct TsrPlugin TsrPlugin;
struct TsrPlugin {
    uint32_t struct_size;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t sanitizer;       /* TSR_SANITIZER_ of the plugin's build */
    uint32_t pointer_bits;    /* 8 * sizeof(void *) */
    uint32_t byte_order;      /* 0x01020304 as the plugin's machine stores it */
    const char *name;         /* canonical, lower case, [a-z0-9_] */
    const char *version;
    const char *vendor;
    const char *license;
    const char *url;
    const char *description;
    /* Starts what the plugin needs. Threads: load, once, before any interface
     * is used. Optional. */
    int32_t (*init)(const TsrPlugin *plugin, const TsrHost *host);
    /* Joins every thread of the plugin and frees what init made. Threads: load,
     * once, after every object made from the plugin is gone. Optional. */
    void (*shutdown)(const TsrPlugin *plugin);
    /* The table of an interface, or NULL when the plugin does not offer it in
     * that version. Pure. Threads: load. Mandatory. */
    const void *(*get_interface)(const TsrPlugin *plugin, const char *name,
                                 uint32_t version);
};

/* The one exported symbol. Pure: no threads, files or allocation. Writes
 * *out_plugin only on TSR_OK; a plugin that cannot serve this host returns
 * TSR_INCOMPATIBLE after set_error. */
typedef int32_t (*TsrPluginQuery)(const TsrHost *host, const TsrPlugin **out_plugin);
#define TSR_PLUGIN_SYMBOL "tsr_plugin_query"
TSR_EXPORT int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin);

/* ------------------------------------------------------------------- engine */

enum {
    TSR_ENGINE_HOST = 1u << 0,      /* runs on the host through TsrExecutor.run;
                                       without it the engine builds device tasks */
    TSR_ENGINE_REFERENCE = 1u << 1, /* right before fast: folds constants, is the
                                       last fallback and the safe mode */
    TSR_ENGINE_DYNAMIC = 1u << 2,   /* takes nodes whose shapes are known only when
                                       they run (a device engine then builds tasks
                                       at run time) */
    TSR_ENGINE_VALUES = 1u << 3,    /* takes sequences, optionals and maps */
};

enum { TSR_SUPPORT_NO = 0, TSR_SUPPORT_YES = 1, TSR_SUPPORT_IF = 2 };

/* Why a node is refused. */
enum {
    TSR_REFUSE_NONE = 0,
    TSR_REFUSE_OP = 1,      /* no rule for this operator */
    TSR_REFUSE_VERSION = 2, /* nor for this version of it */
    TSR_REFUSE_DTYPE = 3,
    TSR_REFUSE_SHAPE = 4,
    TSR_REFUSE_DYNAMIC = 5, /* needs static shapes */
    TSR_REFUSE_ATTR = 6,
    TSR_REFUSE_VALUE = 7,   /* an input would have to be constant */
    TSR_REFUSE_CLUSTER = 8, /* the nodes alone, but not together */
    TSR_REFUSE_USER = 9,    /* a setting forbids it */
};

/* How an operator takes to narrow floats. */
enum {
    TSR_PRECISION_GREY = 0,  /* follows its producers */
    TSR_PRECISION_WHITE = 1, /* gains by them: convolutions, matrix products */
    TSR_PRECISION_BLACK = 2, /* keeps float: sums over much, exponentials */
};

/* Answer to "can you run this node?". A reason is mandatory for "no" and "if". */
typedef struct TsrSupport {
    uint32_t struct_size;
    uint32_t answer;      /* TSR_SUPPORT_ */
    uint32_t reason_code; /* TSR_REFUSE_ */
    float cost;           /* hint in microseconds; 0 is unknown */
    char reason[232];
} TsrSupport;

typedef struct TsrEngine TsrEngine;
struct TsrEngine {
    uint32_t struct_size;
    uint32_t flags;           /* TSR_ENGINE_ */
    const char *name;         /* canonical, lower case */
    const char *device;       /* the device it launches on; NULL for a host engine */
    int32_t default_priority; /* 1 (last) to 100 (first); the user's order wins */
    uint32_t blob_version;    /* of what its executor stores in a compiled model */
    /* Whether the engine runs the node. Pure: same view, same answer. Threads:
     * compile, reentrant. Mandatory. */
    int32_t (*check)(const TsrEngine *engine, const TsrNodeView *node,
                     TsrSupport *out_support);
    /* Whether it runs this final, convex cluster; node_count views in topological
     * order. Default: yes. Threads: compile, reentrant. */
    int32_t (*confirm)(const TsrEngine *engine, const TsrNodeView *const *nodes,
                       uint32_t node_count, TsrSupport *out_support);
    /* Whether work that an engine of this name and version built can run here;
     * compat is what this plugin wrote when it compiled (describe, or compat). IF: it
     * can, but should be compiled again, for the reason given. Default: the same
     * blob_version. Pure, and reads no work: it is asked before anything is loaded.
     * Threads: load. */
    int32_t (*validate)(const TsrEngine *engine, uint32_t blob_version,
                        const char *compat, TsrSupport *out_support);
    const char *compat;       /* opaque text written into compiled models, or NULL */
    /* TSR_PRECISION_ of the node's operator, by which the mixed modes decide; a list of the
     * user wins. Default: grey. Pure. Threads: compile, reentrant. */
    uint32_t (*precision)(const TsrEngine *engine, const TsrNodeView *node);
    /* Writes the text that a compiled model keeps with this cluster, whose nodes are in
     * topological order, and that validate gets again: at most capacity bytes with the NUL.
     * Default: compat. Pure. Threads: compile, reentrant. */
    int32_t (*describe)(const TsrEngine *engine, const TsrNodeView *const *nodes,
                        uint32_t node_count, char *out_text, uint32_t capacity);
};

/* ---------------------------------------------------------- format selector */

enum { TSR_SELECTOR_KERNEL = 1, TSR_SELECTOR_BUILTIN = 2, TSR_SELECTOR_CUSTOMIZE = 3 };
enum { TSR_OPINION_NONE = 0, TSR_OPINION_CONVERT = 1, TSR_OPINION_KEEP = 2 };

/* The combinations of formats that a node can take: count columns of port_count
 * entries each, the inputs first, then the outputs. The host allocates
 * formats[capacity * port_count] and scores[capacity]; a selector writes at most
 * capacity columns. TSR_FORMAT_ANY in several ports of one column means: any one
 * format, the same in all of them; TSR_FORMAT_ND means plain storage, as the origin lies.
 *
 * A higher score is better, and the difference of two scores is a price: a node that takes a
 * column with s less than its best is weighed as if s times the bytes of its tensors were
 * converted. The host takes the columns with the least price plus conversions over the whole
 * graph, so equal scores leave the choice to the neighbours. */
typedef struct TsrColumnSet {
    uint32_t struct_size;
    uint32_t port_count;
    uint32_t capacity;
    uint32_t count;
    uint32_t selector;  /* TSR_SELECTOR_ that served the node */
    uint32_t *formats;
    float *scores;
} TsrColumnSet;

typedef struct TsrFormatSelector TsrFormatSelector;
struct TsrFormatSelector {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name;
    /* Fills the columns of a node of the engine that it serves; none means: every port
     * keeps its origin format, or of another plugin's engine that its own selector is
     * asked. Pure. Threads: compile, reentrant. Mandatory. */
    int32_t (*columns)(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out_columns);
    /* TSR_OPINION_ on giving the node that storage format; default: none. */
    uint32_t (*opinion)(const TsrFormatSelector *selector, const TsrNodeView *node,
                        uint32_t format);
    const char *engine; /* whose nodes it serves, asked before the engine's own selector;
                           NULL: those of its own plugin's engine */
};

/* ------------------------------------------------------------------- fusion */

#define TSR_NO_VALUE UINT32_MAX

/* Description of the node that takes the place of fused nodes. values are ids of
 * a TsrGraphEdit, TSR_NO_VALUE for an omitted input. */
typedef struct TsrFusedNode {
    uint32_t struct_size;
    uint32_t node_count;      /* nodes to replace */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t attr_count;
    const char *op_type;
    const char *domain;
    const uint32_t *nodes;
    const uint32_t *inputs;
    const uint32_t *outputs;  /* values of the replaced nodes that stay alive */
    const TsrAttr *const *attrs;
} TsrFusedNode;

/* A graph while a pass works on it. Ids are valid during the call. Every change
 * is a transaction that the host checks and takes back when the graph would be
 * wrong. */
typedef struct TsrGraphEdit TsrGraphEdit;
struct TsrGraphEdit {
    uint32_t struct_size;
    uint32_t reserved;
    void *context;
    /* View of a node; valid until the next change. NULL when it is gone. */
    const TsrNodeView *(*node)(const TsrGraphEdit *edit, uint32_t node);
    /* Ids of the values that the node reads and writes. */
    uint32_t (*input_value)(const TsrGraphEdit *edit, uint32_t node, uint32_t index);
    uint32_t (*output_value)(const TsrGraphEdit *edit, uint32_t node, uint32_t index);
    /* The node that writes a value, or UINT32_MAX (graph input, constant). */
    uint32_t (*producer)(const TsrGraphEdit *edit, uint32_t value);
    /* How often a value is read by nodes of the graph. */
    uint32_t (*consumer_count)(const TsrGraphEdit *edit, uint32_t value);
    uint32_t (*consumer)(const TsrGraphEdit *edit, uint32_t value, uint32_t index);
    /* Nonzero when the value is an output of the graph or read by a subgraph, so
     * that it has to stay. */
    uint32_t (*is_needed)(const TsrGraphEdit *edit, uint32_t value);
    const TsrTensorDesc *(*desc)(const TsrGraphEdit *edit, uint32_t value);
    const TsrTensor *(*constant)(const TsrGraphEdit *edit, uint32_t value); /* or NULL */
    /* Adds a constant (data is copied); returns its value, TSR_NO_VALUE on error. */
    uint32_t (*add_constant)(const TsrGraphEdit *edit, const TsrTensorDesc *desc,
                             const void *data);
    /* Replaces nodes by one. TSR_INVALID_ARGUMENT when a value that would vanish is
     * still needed, or when the operator is unknown; TSR_UNSUPPORTED when no engine takes
     * the new node, which a pass may hand on as its own answer. */
    int32_t (*fuse)(const TsrGraphEdit *edit, const TsrFusedNode *fused);
};

/* When a pass runs and on which nodes. */
enum {
    TSR_STAGE_PLACED = 0,         /* after placement, on nodes of the plugin's own engine */
    TSR_STAGE_BEFORE_FORMATS = 1, /* before origin formats are inferred, on anyone's nodes */
    TSR_STAGE_AFTER_FORMATS = 2,  /* after that and before placement, on anyone's nodes */
};

typedef struct TsrFusionPass TsrFusionPass;
struct TsrFusionPass {
    uint32_t struct_size;
    int32_t order;                /* lower runs first; ties by name */
    const char *name;             /* what switches it on and off */
    const char *description;
    uint32_t default_on;
    uint32_t root_count;
    const char *const *root_ops;  /* operator types at which apply is called */
    /* Looks at a pattern rooted at the node, and fuses it. TSR_OK when it changed
     * the graph, TSR_UNSUPPORTED (no text needed) when there is nothing to do.
     * Threads: compile. */
    int32_t (*apply)(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node);
    uint32_t stage;               /* TSR_STAGE_ */
    uint32_t reserved;
};

typedef struct TsrFusion {
    uint32_t struct_size;
    uint32_t pass_count;
    const TsrFusionPass *const *passes;
} TsrFusion;

/* ----------------------------------------------------------------- executor */

/* Where the argument of a device kernel lies: one of the kinds below with an
 * index in the low 24 bits. */
enum {
    TSR_ARG_INPUT = 0u << 24,
    TSR_ARG_OUTPUT = 1u << 24,
    TSR_ARG_WORKSPACE = 2u << 24,
    TSR_ARG_CONSTANT = 3u << 24,
    TSR_ARG_NULL = 4u << 24,      /* the kernel gets NULL */
};

/* One kernel launch. args are TSR_ARG_ references; params are copied. */
typedef struct TsrKernelTask {
    uint32_t struct_size;
    uint32_t block_dim;
    uint32_t arg_count;
    uint32_t params_size;
    const char *kernel;
    const uint32_t *args;
    const void *params;
    uint64_t operations;  /* scalar multiplications and additions of the whole task, roughly,
                             by which tasks are spread over streams; 0: as its bytes say */
} TsrKernelTask;

/* Takes what a device engine builds for one node. */
typedef struct TsrTaskSink TsrTaskSink;
struct TsrTaskSink {
    uint32_t struct_size;
    uint32_t core_count;     /* cores of the device that the task is built for */
    uint32_t c0_lanes;
    uint32_t l2_bytes;       /* per core */
    void *context;
    /* Memory that lives while the node's tasks run. */
    int32_t (*workspace)(TsrTaskSink *sink, uint64_t size_bytes, uint32_t *out_arg);
    /* Read-only data stored in the compiled model, 64-byte aligned (data is
     * copied): packed weights, tables. */
    int32_t (*constant)(TsrTaskSink *sink, const void *data, uint64_t size_bytes,
                        uint32_t *out_arg);
    int32_t (*kernel)(TsrTaskSink *sink, const TsrKernelTask *task);
    int32_t (*fail)(TsrTaskSink *sink, int32_t code, const char *format, ...)
        TSR_PRINTF(3, 4);
};

/* One run of a node on a host engine. */
typedef struct TsrRunContext TsrRunContext;
struct TsrRunContext {
    uint32_t struct_size;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t subgraph_count;
    const TsrNodeView *node;          /* descs here are those of this very run */
    const TsrTensor *const *inputs;   /* NULL where omitted */
    TsrTensor *const *outputs;        /* NULL where not wanted. Memory is there
                                         already unless the operator's definition is
                                         TSR_OP_DATA_DEPENDENT. */
    void *context;
    /* Gives output index its dtype and shape, and memory. Only for operators marked
     * TSR_OP_DATA_DEPENDENT, once per output. */
    int32_t (*alloc_output)(TsrRunContext *run, uint32_t index, uint32_t dtype,
                            uint32_t rank, const int64_t *shape);
    /* Makes a tensor got from run_subgraph or an input the output, without a copy
     * where that is possible. Only for TSR_OP_DATA_DEPENDENT operators. */
    int32_t (*forward_output)(TsrRunContext *run, uint32_t index, const TsrTensor *tensor);
    /* 64-byte aligned memory freed by the host after the run; NULL (with the error
     * set) when there is none. */
    void *(*scratch)(TsrRunContext *run, uint64_t size_bytes);
    /* Calls fn over [0, count) in pieces of at least grain, on all cores; returns
     * when all are done. fn must not call back into the context. */
    void (*parallel)(TsrRunContext *run, uint64_t count, uint64_t grain,
                     void (*fn)(void *arg, uint64_t begin, uint64_t end), void *arg);
    /* Runs subgraph index. Outputs belong to the host and live until this node's run
     * ends. */
    int32_t (*run_subgraph)(TsrRunContext *run, uint32_t index,
                            const TsrTensor *const *inputs, uint32_t input_count,
                            const TsrTensor **out_outputs, uint32_t output_count);
    int32_t (*fail)(TsrRunContext *run, int32_t code, const char *format, ...)
        TSR_PRINTF(3, 4);
    /* Sets a string element of an output; bytes are copied and owned by the host. */
    int32_t (*set_string)(TsrRunContext *run, TsrString *element, const char *data,
                          uint64_t size);
    /* A tensor of the host to fill and hand to set_items or run_subgraph; NULL (with the
     * error set) when it cannot be. It lives until the run ends, or as long as the value
     * that it became part of. */
    TsrTensor *(*new_tensor)(TsrRunContext *run, uint32_t dtype, uint32_t rank,
                             const int64_t *shape);
    /* Makes output index a sequence, optional or map of these items: inputs, items of
     * inputs, subgraph outputs or tensors of new_tensor. dtype is that of the tensors
     * inside. Only for TSR_OP_DATA_DEPENDENT operators. */
    int32_t (*set_items)(TsrRunContext *run, uint32_t index, uint32_t kind, uint32_t dtype,
                         const TsrTensor *const *items, uint32_t item_count);
};

typedef struct TsrExecutor TsrExecutor;
struct TsrExecutor {
    uint32_t struct_size;
    uint32_t reserved;
    /* Device engines: describes the tasks of a node with static shapes. Constant
     * inputs are in node->values; whatever a task does not name as argument is not
     * stored. Threads: compile, and run for dynamic nodes; reentrant. Mandatory for
     * engines without TSR_ENGINE_HOST. */
    int32_t (*build)(const TsrExecutor *executor, const TsrNodeView *node,
                     TsrTaskSink *sink);
    /* Host engines: makes the state that every run of the node shares (attributes
     * read once). *out_state may stay NULL. Threads: compile, load; reentrant. */
    int32_t (*prepare)(const TsrExecutor *executor, const TsrNodeView *node,
                       void **out_state);
    void (*release)(const TsrExecutor *executor, void *state);
    /* Host engines: computes the node. Threads: run; reentrant, also on one state.
     * Mandatory for engines with TSR_ENGINE_HOST. */
    int32_t (*run)(const TsrExecutor *executor, void *state, TsrRunContext *run);
    /* Bit per input over whose memory the tasks (or run) may write that output: they read
     * an element of it before they write the one in its place, and never after, whatever
     * cores do it; a node that reads the same memory through several of these inputs is
     * right as well. The host asks for it where both have as many bytes and nobody else
     * reads the input any more. Default: none. Pure. Threads: compile, load; reentrant. */
    uint64_t (*inplace)(const TsrExecutor *executor, const TsrNodeView *node, uint32_t output);
};

/* ------------------------------------------------------------------- device */

typedef struct TsrDeviceInfo {
    uint32_t struct_size;
    uint32_t core_count;      /* as opened */
    uint32_t c0_lanes;        /* C0: elements of a channel block, of any type */
    uint32_t alignment;       /* of device memory */
    uint64_t l1_bytes;        /* per core */
    uint64_t l2_bytes;
    uint64_t memory_bytes;    /* 0: what the machine has */
    char isa[64];             /* such as "avx512" */
} TsrDeviceInfo;

enum {
    TSR_DEVICE_HOST_ACCESSIBLE = 1u << 0, /* the host may read and write its memory */
};

enum {
    TSR_TASK_KERNEL = 1,
    TSR_TASK_HOST_CALL = 2,    /* host_fn(host_arg), one core, in stream order */
    TSR_TASK_EVENT_RECORD = 3,
    TSR_TASK_EVENT_WAIT = 4,
    TSR_TASK_MEMCPY = 5,       /* args[0] <- args[1], bytes */
    TSR_TASK_NOTIFY_RECORD = 6,
    TSR_TASK_NOTIFY_WAIT = 7,  /* wait, then reset */
    TSR_TASK_LABEL = 8,        /* a place that jumps go to; event is the label's number */
    TSR_TASK_GOTO = 9,         /* goes on behind label `event` */
    TSR_TASK_SWITCH = 10,      /* goes on behind labels[i], where i is the value at args[0], a
                                  bool (bytes 1) or an int32 (bytes 4); the last label for
                                  any other value */
    TSR_TASK_COUNT_BEGIN = 11, /* *counter = 0, and then as the next */
    TSR_TASK_COUNT_NEXT = 12,  /* ++*counter; *go = *counter < *limit && *condition. args
                                  {int64 counter, int32 go, int64 limit, bool condition}; the
                                  last two may be NULL: no limit, true */
    TSR_TASK_MEMCPY_AT = 13,   /* a copy to or from one place of a larger tensor, args {to,
                                  from, int64 index}. That one is rows times places pieces of
                                  `bytes` each and the piece `index` of every row is meant; the
                                  other one is rows pieces. An index that is no place ends
                                  the execution with INVALID_ARGUMENT */
};

/* Of a TSR_TASK_MEMCPY_AT. */
enum {
    TSR_AT_FROM = 1u << 0,     /* the larger tensor is the source, else the target */
    TSR_AT_BACKWARD = 1u << 1, /* the index counts from the last place down */
};

/* One task. Everything it points to belongs to the caller and outlives the task
 * (a launch: until the stream is synchronized; a model: until it is unloaded).
 * The caller may change args[] between two executions of a model. */
typedef struct TsrTask {
    uint32_t struct_size;
    uint32_t kind;           /* TSR_TASK_ */
    uint32_t stream;         /* index into the model's streams; unused by launch */
    uint32_t block_dim;
    uint32_t event;          /* index into the model's events, notifies or labels */
    uint32_t arg_count;
    TsrKernelFn kernel;
    void **args;
    const void *params;
    uint64_t bytes;
    int32_t (*host_fn)(void *host_arg); /* a status; not TSR_OK stops the execution */
    void *host_arg;
    const char *name;        /* the user's node, for profiles and errors; or NULL */
    const uint32_t *labels;  /* of a SWITCH */
    uint32_t label_count;
    uint32_t flags;          /* TSR_AT_ */
    uint64_t rows;           /* of a MEMCPY_AT; 0 is 1 */
    uint64_t places;
} TsrTask;

/* A task list that the device keeps and runs with one call (sink). A list with jumps is
 * still told in one order: from a jump to its label (either may come first) all tasks are of
 * one stream, and none is an event or a notify. So nobody can wait for what a jump leaves
 * out, and what a jump repeats is in the order of its stream. */
typedef struct TsrTaskList {
    uint32_t struct_size;
    uint32_t task_count;
    uint32_t task_stride;    /* bytes from one task to the next */
    uint32_t stream_count;
    uint32_t event_count;
    uint32_t notify_count;
    const TsrTask *tasks;    /* in an order that is one legal serial execution, but for jumps */
    uint32_t label_count;
    uint32_t reserved;
} TsrTaskList;

typedef struct TsrDeviceContext TsrDeviceContext; /* of the device's plugin */
typedef struct TsrStream TsrStream;
typedef struct TsrEvent TsrEvent;
typedef struct TsrDeviceModel TsrDeviceModel;

/* Called by each core that took part in a task of a profiled execution, when it is done with its
 * part: from its first block to its last, in nanoseconds of a monotonic clock. Threads: any core
 * of the device. */
typedef void (*TsrTaskProfileFn)(void *arg, uint32_t task, uint32_t core,
                                 uint64_t begin_ns, uint64_t end_ns);

typedef struct TsrDevice TsrDevice;
struct TsrDevice {
    uint32_t struct_size;
    uint32_t flags;           /* TSR_DEVICE_ */
    const char *name;         /* canonical, lower case */
    /* Opens the device with that many cores (0: all of the machine). A context may be used
     * from several threads. An execution that finds the cores free takes all of them; one
     * that does not runs at once on the thread that asks, with the same results.
     * Mandatory, as all of the following without a remark. */
    int32_t (*open)(const TsrDevice *device, uint32_t core_count,
                    TsrDeviceContext **out_context);
    void (*close)(TsrDeviceContext *context); /* NULL is a no-op */
    int32_t (*get_info)(TsrDeviceContext *context, TsrDeviceInfo *out_info);
    /* Device memory; contents undefined. size 0 gives a unique pointer. */
    int32_t (*memory_alloc)(TsrDeviceContext *context, uint64_t size_bytes,
                            void **out_memory);
    void (*memory_free)(TsrDeviceContext *context, void *memory);
    /* The kernel of that name that suits this machine best, or NULL. */
    TsrKernelFn (*kernel_find)(TsrDeviceContext *context, const char *name);
    int32_t (*stream_create)(TsrDeviceContext *context, TsrStream **out_stream);
    void (*stream_destroy)(TsrStream *stream); /* waits for its tasks */
    /* Appends a task to a stream: KERNEL, HOST_CALL, MEMCPY, MEMCPY_AT or COUNT_. */
    int32_t (*launch)(TsrStream *stream, const TsrTask *task);
    /* Waits until every task launched so far is done; the status of the first that
     * failed. */
    int32_t (*stream_synchronize)(TsrStream *stream);
    int32_t (*event_create)(TsrDeviceContext *context, TsrEvent **out_event);
    void (*event_destroy)(TsrEvent *event);
    /* The event completes when all tasks launched before it are done; recording it
     * again starts a new generation. */
    int32_t (*event_record)(TsrEvent *event, TsrStream *stream);
    /* Later tasks of the stream wait for the last record made before this call; an
     * event never recorded counts as complete. */
    int32_t (*event_wait)(TsrStream *stream, TsrEvent *event);
    /* *out_done is 1 when the last record is complete. */
    int32_t (*event_query)(TsrEvent *event, uint32_t *out_done);
    /* Keeps a task list. Errors: INVALID_ARGUMENT names the task that uses a stream
     * or event out of range, waits for an event that no earlier task of the list
     * records, has no kernel, or jumps to a label that is not there, is there twice, or lies
     * beyond a task of another stream or an event. */
    int32_t (*model_load)(TsrDeviceContext *context, const TsrTaskList *tasks,
                          TsrDeviceModel **out_model);
    /* Runs every task, streams side by side; returns when all are done. timeout_us 0: none;
     * else the execution, also one that would jump for ever, ends with DEADLINE_EXCEEDED.
     * Executions never wait for each other, be they of different models of the context or of
     * one: the tasks of two executions of one model may run side by side, on the same args.
     * Where they write memory, the caller has them exclude each other. Threads: any. */
    int32_t (*model_execute)(TsrDeviceModel *model, uint64_t timeout_us);
    /* Waits for executions of the model in other threads, but not from within an execution
     * of the context: the model then goes when its last execution ends. */
    void (*model_unload)(TsrDeviceModel *model);
    /* Reports every task of later executions to fn, which cores and executions side by side
     * call side by side; NULL ends that. Waits for executions of the model; from within one of the
     * context: INVALID_ARGUMENT. Optional. */
    int32_t (*model_profile)(TsrDeviceModel *model, TsrTaskProfileFn fn, void *arg);
    /* Calls fn(arg, block, block_dim) for every block on the cores and returns when
     * all are done. May be called from within a HOST_CALL: idle cores help. */
    void (*parallel)(TsrDeviceContext *context, uint32_t block_dim,
                     void (*fn)(void *arg, uint32_t block, uint32_t block_dim), void *arg);
    /* Bytes of the parameters that the kernel of that name was built to read, by which the
     * host notices an engine that was built against other ones; 0 for an unknown name.
     * Optional. */
    uint32_t (*kernel_params_size)(TsrDeviceContext *context, const char *name);
    /* From here on tasks launched on the stream, and its events, are kept and not run. A
     * stream that waits for an event recorded in the capture joins it. INVALID_ARGUMENT: the
     * stream captures already. Until the end, what would have to run such tasks is
     * INVALID_ARGUMENT: stream_synchronize, event_query, a wait by a capturing stream for a
     * record outside of the capture. Optional, both. */
    int32_t (*capture_begin)(TsrStream *stream);
    /* Ends the capture that began on the stream and makes a model of it, which executes any
     * number of times; what the tasks point to outlives the model. INVALID_ARGUMENT, after
     * which the capture is gone as well: the stream does not capture or only joined, a
     * stream that joined was destroyed or has tasks that the first one does not wait for. */
    int32_t (*capture_end)(TsrStream *stream, TsrDeviceModel **out_model);
    /* As model_profile, but begin and end are readings of a counter of the machine, which cost
     * less than a look at the clock; whoever reads the profile makes nanoseconds of them, by
     * profile_clock. Where there is no such counter they are nanoseconds as well. Optional,
     * both. */
    int32_t (*model_profile_ticks)(TsrDeviceModel *model, TsrTaskProfileFn fn, void *arg);
    /* A reading of that counter and of CLOCK_MONOTONIC at the same moment. The counter runs
     * evenly and never backwards, on all cores alike. Threads: any. */
    void (*profile_clock)(TsrDeviceContext *context, uint64_t *out_ticks, uint64_t *out_ns);
};

/* ---------------------------------------------------------------------- ops */

enum {
    TSR_PARAM_REQUIRED = 0,
    TSR_PARAM_OPTIONAL = 1, /* may be omitted, also in the middle (an empty name) */
    TSR_PARAM_VARIADIC = 2, /* zero or more at the end, of one dtype */
    TSR_PARAM_VARIADIC_MIXED = 3, /* zero or more at the end, dtypes differ */
};

/* An input or output of an operator definition. */
typedef struct TsrOpParam {
    const char *name;
    uint32_t kind;      /* TSR_PARAM_ */
    uint32_t type_group;/* params of one nonzero group have one dtype ("T" is 1) */
    uint64_t dtypes;    /* TSR_BIT set; 0 means any */
} TsrOpParam;

/* An attribute of an operator definition. The default is the field that the type
 * names. */
typedef struct TsrOpAttr {
    const char *name;
    uint32_t type;      /* TSR_ATTR_ */
    uint32_t required;  /* 1: no default, must be there */
    uint32_t has_default;
    float f;
    int64_t i;
    const char *s;
    const int64_t *ints;
    uint32_t ints_count;
    /* Allowed range of INT and INTS values where min < max; allowed words of a
     * STRING, separated by '|', where words is not NULL. */
    uint32_t reserved;
    int64_t min;
    int64_t max;
    const char *words;
} TsrOpAttr;

enum {
    TSR_OP_DATA_DEPENDENT = 1u << 0, /* output shapes follow from data: the kernel
                                        allocates them */
    TSR_OP_RANDOM = 1u << 1,         /* never folded, never merged */
    TSR_OP_VIEW = 1u << 2,           /* output 0 is input 0's bytes in a new shape: no
                                        task when the memory can be shared */
    TSR_OP_NO_FOLD = 1u << 3,
    TSR_OP_SHAPE_ONLY = 1u << 4,     /* reads no data of its inputs, only their shapes
                                        and dtypes: folded as soon as those are known;
                                        the kernel then gets inputs without data */
    TSR_OP_ELEMENTWISE = 1u << 5,    /* an element of output 0 follows from the elements of the
                                        inputs at its place, broadcast as numpy does */
    TSR_OP_JOIN = 1u << 6,           /* output 0 is the inputs side by side along the dimension
                                        of attribute axis: no task when they can be written
                                        into it */
    TSR_OP_PARTS = 1u << 7,          /* the outputs are input 0 cut along attribute axis: no
                                        task when they can be read from it */
    TSR_OP_RANGE = 1u << 8,          /* output 0 is a part of input 0: starts, ends, axes and
                                        steps are attributes, or inputs 1 to 4 */
    TSR_OP_FOLD_LATE = 1u << 9,      /* a constant one is computed only after the passes of
                                        TSR_STAGE_BEFORE_FORMATS, which want its inputs */
    /* Control flow, which the host can turn into jumps of a task list (TSR_TASK_SWITCH and
     * its like) where all shapes inside are static: */
    TSR_OP_BRANCH = 1u << 10,        /* the outputs are those of one subgraph, which have no
                                        inputs: of attribute then_branch when input 0, a bool,
                                        is true, else of else_branch */
    TSR_OP_LOOP = 1u << 11,          /* subgraph body, (count, condition, states...) ->
                                        (condition, states..., scanned...), runs again while
                                        the count is below input 0 (omitted: any) and the
                                        condition, input 1 (omitted: true) at first, is true.
                                        The other inputs are the first states, the outputs the
                                        last ones and then what was scanned, stacked along a
                                        new first dimension: where inference knows its extent,
                                        so many rounds it has for certain */
    TSR_OP_SCAN = 1u << 12,          /* subgraph body, (states..., parts...) -> (states...,
                                        scanned...), runs for each part of the last
                                        num_scan_inputs inputs along scan_input_axes; outputs
                                        are stacked along scan_output_axes. An entry 1 of
                                        scan_input_directions or scan_output_directions goes
                                        from the end to the begin */
};

/* Inference of one node. Input descs are complete as far as known; an input whose
 * dtype or shape is not known yet has TSR_DTYPE_UNDEFINED / TSR_RANK_UNKNOWN. */
typedef struct TsrInferContext TsrInferContext;
struct TsrInferContext {
    uint32_t struct_size;
    uint32_t reserved;
    const TsrNodeView *node;  /* values only of inputs in TsrOpDef.value_inputs */
    void *context;
    /* Says what output index is; shape may be NULL with rank TSR_RANK_UNKNOWN.
     * An output not wanted is ignored. */
    int32_t (*set_output)(TsrInferContext *infer, uint32_t index, uint32_t dtype,
                          uint32_t rank, const int64_t *shape);
    /* Infers subgraph index for these inputs; *out_outputs lives until the next call
     * and has as many entries as the subgraph has outputs. None at all: a subgraph
     * without inputs contradicts the shapes that it captures, so that it can never
     * run; an operator that chooses between subgraphs goes by the others. */
    int32_t (*infer_subgraph)(TsrInferContext *infer, uint32_t index,
                              const TsrTensorDesc *const *inputs, uint32_t input_count,
                              const TsrTensorDesc *const **out_outputs,
                              uint32_t *out_output_count);
    /* Stores the text (the host adds operator, node and shapes) and returns code. */
    int32_t (*fail)(TsrInferContext *infer, int32_t code, const char *format, ...)
        TSR_PRINTF(3, 4);
    /* set_output for a value of that TSR_KIND_; dtype and shape of the tensors inside. */
    int32_t (*set_output_kind)(TsrInferContext *infer, uint32_t index, uint32_t kind,
                               uint32_t dtype, uint32_t rank, const int64_t *shape);
    /* Bounds the dimensions of output index, whose rank set_output gave; see
     * TsrTensorDesc.max_shape. Only from infer_range. */
    int32_t (*set_output_max)(TsrInferContext *infer, uint32_t index, uint32_t rank,
                              const int64_t *max_shape);
    /* The extent of an input along an axis: a number, TSR_DIM_UNKNOWN, or a symbol
     * (TSR_DIM_IS_SYMBOL) for what only a run knows. A definition that does not ask sees
     * TSR_DIM_UNKNOWN in the descs instead; set_output, set_output_kind and the inputs of
     * infer_subgraph take symbols, whose outputs may have them. */
    int64_t (*extent)(TsrInferContext *infer, uint32_t index, uint32_t axis);
    /* a op b for a TSR_DIM_ op, each a number or a symbol, into *out. 0: it has no form, and
     * *out is TSR_DIM_UNKNOWN. */
    int32_t (*combine)(TsrInferContext *infer, uint32_t op, int64_t a, int64_t b, int64_t *out);
    /* The elements of an integer input of rank 0 or 1, numbers or symbols, whether it is a
     * constant or follows from shapes. Returns their count; -1: not known, or above room. */
    int64_t (*elements)(TsrInferContext *infer, uint32_t index, int64_t *out, uint32_t room);
    /* Says what the elements of output index are; of rank 0 or 1 and at most
     * TSR_INFER_ELEMENTS, else they are ignored. Only from infer_elements. */
    void (*set_elements)(TsrInferContext *infer, uint32_t index, uint32_t count,
                         const int64_t *elements);
    /* What is known of an output of subgraph index beside its desc: its value where that is
     * constant (else NULL), and which input of the subgraph it is, handed on as it came
     * (UINT32_MAX: none). */
    int32_t (*subgraph_output)(TsrInferContext *infer, uint32_t index, uint32_t output,
                               const TsrTensor **out_value, uint32_t *out_input);
};

/* Elements that inference follows of one tensor. */
#define TSR_INFER_ELEMENTS (2 * TSR_MAX_RANK)

/* What TsrInferContext.combine does; DIV rounds down. */
enum {
    TSR_DIM_ADD = 0,
    TSR_DIM_SUB = 1,
    TSR_DIM_MUL = 2,
    TSR_DIM_DIV = 3,
    TSR_DIM_MIN = 4,
    TSR_DIM_MAX = 5
};

/* Origin formats of one node, with all that is known of it. */
typedef struct TsrFormatContext TsrFormatContext;
struct TsrFormatContext {
    uint32_t struct_size;
    uint32_t reserved;
    const TsrNodeView *node;  /* constant values of all inputs, formats so far */
    void *context;
    /* Fixes the origin format of an input or output, and for one of a rank below 4 its
     * TSR_EXPAND_ rule (else 0). Index beyond the ports: INVALID_ARGUMENT. */
    int32_t (*set_input)(TsrFormatContext *context, uint32_t index, uint32_t format,
                         uint32_t expand_dims);
    int32_t (*set_output)(TsrFormatContext *context, uint32_t index, uint32_t format,
                          uint32_t expand_dims);
    int32_t (*fail)(TsrFormatContext *context, int32_t code, const char *format, ...)
        TSR_PRINTF(3, 4);
    /* Says that an input (output) of the node and one of that subgraph are the same value,
     * so that both have one format; no effect where their ranks differ. */
    int32_t (*tie_input)(TsrFormatContext *context, uint32_t subgraph, uint32_t input,
                         uint32_t body_input);
    int32_t (*tie_output)(TsrFormatContext *context, uint32_t subgraph, uint32_t output,
                          uint32_t body_output);
};

/* An operator definition; lives as long as the process. The definition with the
 * highest since_version not above the model's opset serves a node. The slots get this
 * definition, or a copy of it where the plugin's header is older than the host's. */
typedef struct TsrOpDef TsrOpDef;
struct TsrOpDef {
    uint32_t struct_size;
    uint32_t since_version;
    const char *domain;
    const char *name;
    const TsrOpParam *inputs;
    const TsrOpParam *outputs;
    const TsrOpAttr *attrs;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t attr_count;
    uint32_t input_stride;   /* sizeof(TsrOpParam) of the writer; likewise below */
    uint32_t output_stride;
    uint32_t attr_stride;
    uint32_t flags;          /* TSR_OP_ */
    /* "y=x,z=x": output y has dtype and shape of input x. Used where infer is NULL. */
    const char *follow;
    uint64_t value_inputs;   /* bit per input whose value infer may read */
    /* Sets every output's dtype and shape. Pure. Threads: compile, run; reentrant. */
    int32_t (*infer)(const TsrOpDef *def, TsrInferContext *infer);
    /* Writes the origin format of each input and output that the operator fixes
     * (TSR_FORMAT_ANY: no opinion). Default: none fixed. */
    int32_t (*infer_format)(const TsrOpDef *def, const TsrNodeView *node,
                            uint32_t *input_formats, uint32_t *output_formats);
    /* Bounds what infer had to leave unknown, by shapes and declared values; called after
     * it. The host gives a data-dependent output memory for its bound before the kernel
     * runs; alloc_output then takes the real shape, which must not pass it. Pure. Default:
     * no bounds. */
    int32_t (*infer_range)(const TsrOpDef *def, TsrInferContext *infer);
    /* infer_format with full context; where it is there, infer_format is not asked. Called
     * again while formats spread, so it may follow what its neighbours got. Pure. */
    int32_t (*infer_format_full)(const TsrOpDef *def, TsrFormatContext *context);
    /* Says what the elements of small integer outputs are, as far as they follow from shapes
     * and from elements of inputs: sizes that a network computes from its own shapes. Called
     * after infer, only while a network is compiled. Pure. Default: nothing is known. */
    int32_t (*infer_elements)(const TsrOpDef *def, TsrInferContext *infer);
};

/* Operator definitions that a plugin brings, in domains of its own or further ones
 * of a known domain. A name, domain and since_version that exists already is
 * refused, naming both owners. */
typedef struct TsrOps {
    uint32_t struct_size;
    uint32_t op_count;
    uint32_t op_stride;      /* sizeof(TsrOpDef) of the writer */
    uint32_t reserved;
    const TsrOpDef *ops;
} TsrOps;

#ifdef __cplusplus
}
#endif
#endif
