/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_checker.h: what the files of the checker of plans (memory_check.h) share. Private to
 * them: memory_check.c walks the tasks, memory_check_task.c looks at one of them,
 * memory_check_control.c at those of control flow, memory_check_state.c at states of loops,
 * memory_check_notify.c at records and waits of notifies, memory_check_use.c at one use of memory,
 * memory_check_trace.c at where bytes of values come from.
 */
#ifndef TSR_BUILD_MEMORY_CHECKER_H
#define TSR_BUILD_MEMORY_CHECKER_H

#include "build/memory_check.h"
#include "build/memory_map.h"
#include "build/task_order.h"

/* Bytes [offset, offset + size) of a value are those of a source from `at` on. */
typedef struct TsrCheckPiece {
    const TsrValue *source;
    guint64 at;
    guint64 offset;
    guint64 size;
} TsrCheckPiece;

/* What memory can hold that is no value: a workspace of a node, or what a state, counter or the
 * like of a loop is in the next round. */
typedef struct TsrCheckToken {
    char *text;
    guint32 node;            /* of a workspace */
    gconstpointer next_of;   /* a value or workspace; NULL: this is a workspace */
} TsrCheckToken;

/* What all memory holds at one point of the list. */
typedef struct TsrCheckState {
    TsrMemoryMap *arena;
    GPtrArray *outputs;      /* TsrMemoryMap of each graph output */
} TsrCheckState;

typedef struct TsrChecker {
    const TsrProgram *program;
    const GPtrArray *nodes;
    const TsrPluginSet *set;
    GError **error;
    TsrTaskOrder *order;
    TsrCheckState state;     /* before the task at hand */
    GHashTable *pieces;      /* value -> GArray of TsrCheckPiece: where its bytes come from */
    GHashTable *first_write; /* value or token of a workspace -> first task that writes it + 1 */
    GHashTable *last_write;  /* value -> last kernel or host call that writes it + 1 */
    GHashTable *next;        /* state or counter of a loop -> TsrCheckToken */
    GHashTable *workspaces;  /* node and index -> TsrCheckToken */
    GHashTable *tokens;      /* all TsrCheckToken, owned */
    guint8 *has_task;        /* per node */
    guint task_index;
    const TsrProgramTask *task;
} TsrChecker;

/* A use of memory by the task at hand. */
typedef struct TsrCheckUse {
    const TsrTaskArg *arg;
    TsrValue *value;         /* of inputs and outputs */
    gconstpointer source;    /* what a write leaves behind: the value or a token; NULL: the
                                argument is no memory that tasks write */
    guint64 begin;
    guint64 end;
    gboolean writes;
} TsrCheckUse;

gboolean tsr_checker_wrong(TsrChecker *checker, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* "'x' at activations [0, 64)"; (transfer full) */
char *tsr_checker_use_text(const TsrChecker *checker, const TsrCheckUse *use);
guint64 tsr_checker_bytes(const TsrValue *value);

/* Whether every notify is recorded and waited for in turn. */
gboolean tsr_checker_notifies(TsrChecker *checker);

/* Fills checker->pieces from the graph. */
void tsr_checker_trace(TsrChecker *checker);

/* The memory of an address that tasks write, or NULL. */
TsrMemoryMap *tsr_checker_map(const TsrChecker *checker, const TsrAddress *address);
/* Fills a use from an argument of the task at hand. */
gboolean tsr_checker_arg(TsrChecker *checker, guint index, TsrCheckUse *out_use);
/* Whether [begin, end) of the use's memory holds the source from `at` on. */
gboolean tsr_checker_holds(TsrChecker *checker, const TsrCheckUse *use, guint64 begin,
                           guint64 end, gconstpointer source, guint64 at, const char *does);
/* Whether the use finds its value; notes that it was read. */
gboolean tsr_checker_read(TsrChecker *checker, const TsrCheckUse *use);
/* Whether all of the use's memory holds that source; notes that it was read. */
gboolean tsr_checker_read_source(TsrChecker *checker, const TsrCheckUse *use,
                                 gconstpointer source);
/* Whether whoever used the memory before is done in every execution. */
gboolean tsr_checker_earlier(TsrChecker *checker, const TsrCheckUse *use,
                             const TsrMemoryMap *map);
/* A write of a kernel or host call: what its node began it goes on with. */
gboolean tsr_checker_write(TsrChecker *checker, const TsrCheckUse *use);
/* Leaves source in all of the use's memory, which may be written. */
gboolean tsr_checker_put(TsrChecker *checker, const TsrCheckUse *use, gconstpointer source);
TsrCheckToken *tsr_checker_workspace(TsrChecker *checker, const TsrTaskArg *arg);

/* The task at hand; uses has room for its arguments. */
gboolean tsr_checker_task(TsrChecker *checker, GArray *uses);
/* The same for a task of a node with subgraphs; uses holds all its arguments. */
gboolean tsr_checker_control(TsrChecker *checker, const GArray *uses);

/* Whether the node's definition has one of the flags. */
gboolean tsr_checker_flag(const TsrNode *node, guint32 flags);
/* Whether it is a loop: a TSR_OP_LOOP or TSR_OP_SCAN. */
gboolean tsr_checker_repeats(const TsrNode *node);
const TsrGraph *tsr_checker_body(const TsrNode *node);
/* The first input of the body that is a state, and whether one is; the condition of a Loop is a
 * state as well, its count is none. */
guint tsr_checker_first_state(const TsrNode *node);
gboolean tsr_checker_is_state(const TsrNode *node, guint input);
/* What stands for a state (a value, or the workspace of a counter) of a loop, once the body has
 * made the next one, until it begins again: nobody may read it as the old one. */
TsrCheckToken *tsr_checker_next(TsrChecker *checker, gconstpointer state);
/* What a state's memory holds at the end of the body: that, or the state where the body hands
 * it on as it is. */
gconstpointer tsr_checker_now_or_next(TsrChecker *checker, const TsrNode *node, guint input);
/* The jump at hand goes back to the task `begin`: next states are the states now, and what
 * the tasks between them wrote is there no more. */
gboolean tsr_checker_again(TsrChecker *checker, guint begin);

#endif
