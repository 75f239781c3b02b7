/* SPDX-License-Identifier: Apache-2.0
 *
 * task_depend.h: which tasks a task has to wait for, by the values of the graph. Only who
 * spreads tasks over streams asks; a list on one stream keeps its order anyway.
 */
#ifndef TSR_BUILD_TASK_DEPEND_H
#define TSR_BUILD_TASK_DEPEND_H

#include "build/program.h"

/* The node of the root graph that a task belongs to: its node, or the control flow that its node
 * is inside of; NULL: none. Tasks of one node of the root graph follow each other in the list and
 * stay on one stream, since jumps cross no events (TsrTaskList). */
const TsrNode *tsr_task_root(const GPtrArray *nodes, const TsrProgramTask *task);

/* Per task a GArray of guint, ascending: the last task of each node that makes what the task's
 * node reads (of control flow: anything inside of it), through nodes without tasks (views,
 * joined and cut tensors), and the task before it in its own node. nodes is the order that tasks
 * number nodes in; program has no events yet. (transfer full: g_ptr_array_unref) */
GPtrArray *tsr_task_depend(const TsrProgram *program, const GPtrArray *nodes);

#endif
