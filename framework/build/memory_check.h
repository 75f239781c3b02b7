/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check.h: proves that the tasks of a program find in memory what they read. It
 * knows of no plan: it follows the tasks alone, so that a wrong plan, a wrong in-place
 * mark and a forged file are found alike. Runs at every compile and every load.
 */
#ifndef TSR_BUILD_MEMORY_CHECK_H
#define TSR_BUILD_MEMORY_CHECK_H

#include "build/program.h"
#include "plugin/plugin_set.h"

/* Goes through the task list, which is one legal serial execution, and keeps for each byte
 * of activations and outputs who wrote it last and who has read it since. Proved is that:
 *  - every argument lies within its memory; inputs and weights are never written;
 *  - what a task reads is what the graph says: the whole value, complete, written over by
 *    nobody, through views, joined and cut tensors;
 *  - no task writes where it reads or writes something else, but for the pairs that the
 *    node's engine allows (set; NULL allows none), and those at the very same place;
 *  - workspaces and results of a node stay whole until its last task;
 *  - any two uses of a byte, one of them a write, are ordered by their stream or by events
 *    (vector clocks), so that every execution that the device may choose is this one;
 *  - in the end every graph output holds its value;
 *  - the memory table tells the same: each use of activations lies in one piece of it that
 *    is alive then.
 * nodes is the order that tasks count nodes in. Errors: CORRUPT names both tasks, both
 * tensors and both ranges. Time: about tasks times pieces of memory alive. */
gboolean tsr_memory_check(const TsrProgram *program, const GPtrArray *nodes,
                          const TsrPluginSet *set, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
