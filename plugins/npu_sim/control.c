/* SPDX-License-Identifier: Apache-2.0
 *
 * control.c: control flow of task lists: labels, jumps, the counter of a loop and copies to
 * a computed place. model.c asks for the checks, execute.c for the rest. What is checked
 * here is what makes jumps harmless to waiting streams: from a jump to its label there is
 * nothing but plain tasks of the one stream, so the position of a stream goes back and forth
 * only between two records that somebody may wait for.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* ---------------------------------------------------------------------- load */

/* Why the task cannot be what its kind says, or NULL. */
static const char *control_fault(const TsrTask *task)
{
    const uint64_t rows = task->rows != 0 ? task->rows : 1;
    uint64_t pieces, all;
    const uint32_t wanted = task->kind == TSR_TASK_SWITCH      ? 1
                            : task->kind == TSR_TASK_MEMCPY_AT ? 3
                            : task->kind == TSR_TASK_LABEL || task->kind == TSR_TASK_GOTO ? 0
                                                                                         : 4;
    if (wanted > 0 && (task->args == NULL || task->arg_count < wanted))
        return task->kind == TSR_TASK_SWITCH      ? "a switch wants args {value}"
               : task->kind == TSR_TASK_MEMCPY_AT ? "a copy to a place wants args {to, from, "
                                                    "index}"
                                                  : "a counter wants args {counter, go, limit, "
                                                    "condition}";
    if (task->kind == TSR_TASK_SWITCH && (task->labels == NULL || task->label_count == 0))
        return "a switch wants at least one label";
    if (task->kind == TSR_TASK_SWITCH && task->bytes != 1 && task->bytes != sizeof(int32_t))
        return "the value of a switch has 1 or 4 bytes";
    if (task->kind == TSR_TASK_MEMCPY_AT &&
        (__builtin_mul_overflow(rows, task->places, &pieces) ||
         __builtin_mul_overflow(pieces, task->bytes, &all) || all > (uint64_t)INT64_MAX))
        return "its tensor is larger than any memory";
    return NULL;
}

int32_t tsr_npu_control_add(const TsrTaskList *list, uint32_t index, TsrNpuStep *step)
{
    const TsrTask task = tsr_npu_list_task(list, index);
    const char *fault = control_fault(&task);
    char text[160];
    if (fault != NULL)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: %s",
                            tsr_npu_list_text(list, index, text, sizeof(text)), fault);
    switch (task.kind) {
    case TSR_TASK_GOTO:
    case TSR_TASK_SWITCH:
        step->jump.args = task.args;
        step->jump.bytes = (uint32_t)task.bytes;
        break;
    case TSR_TASK_MEMCPY_AT:
        step->at.args = task.args;
        step->at.places = malloc(sizeof(*step->at.places));
        if (step->at.places == NULL)
            return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory for a copy");
        *step->at.places = (TsrNpuPlaces){.bytes = task.bytes,
                                          .rows = task.rows != 0 ? task.rows : 1,
                                          .places = task.places, .flags = task.flags};
        break;
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
        step->counter.args = task.args;
        break;
    default:
        break;
    }
    step->kind = task.kind;
    return TSR_OK;
}

void tsr_npu_control_free(TsrNpuStep *step)
{
    if (tsr_npu_is_jump(step))
        free(step->jump.targets);
    else if (step->kind == TSR_TASK_MEMCPY_AT)
        free(step->at.places);
}

/* While the jumps of a list are resolved. */
typedef struct Resolver {
    TsrDeviceModel *model;
    const TsrTaskList *list;
    uint32_t label_count;
    uint32_t *labels; /* per label: the task that sets it + 1 */
    uint32_t *runs;   /* per task: number of its run of plain tasks of one stream */
} Resolver;

static bool is_sync(uint32_t kind)
{
    return kind == TSR_TASK_EVENT_RECORD || kind == TSR_TASK_EVENT_WAIT;
}

static int32_t labels_find(Resolver *resolver)
{
    TsrDeviceModel *model = resolver->model;
    char text[160], other[160];
    for (uint32_t i = 0, run = 0; i < model->task_count; i++) {
        const TsrNpuStep *step = model->serial[i];
        const uint32_t label = tsr_npu_list_task(resolver->list, i).event;
        if (is_sync(step->kind) || (i > 0 && step->stream != model->serial[i - 1]->stream))
            run++;
        resolver->runs[i] = run;
        run += is_sync(step->kind);
        if (step->kind != TSR_TASK_LABEL)
            continue;
        tsr_npu_list_text(resolver->list, i, text, sizeof(text));
        if (label >= resolver->label_count)
            return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                                "%s: label %u is out of range, the list has %u", text, label,
                                resolver->label_count);
        if (resolver->labels[label] != 0)
            return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: label %u is there already (%s)", text,
                                label,
                                tsr_npu_list_text(resolver->list, resolver->labels[label] - 1,
                                                  other, sizeof(other)));
        resolver->labels[label] = i + 1;
    }
    return TSR_OK;
}

/* Names what lies between a jump and its label. */
static int32_t between_fail(const Resolver *resolver, uint32_t jump, uint32_t label)
{
    const uint32_t at = resolver->labels[label] - 1;
    const uint32_t first = jump < at ? jump : at, last = jump < at ? at : jump;
    TsrNpuStep *const *serial = resolver->model->serial;
    uint32_t i = first;
    char text[160], other[160];
    while (i < last && serial[i]->stream == serial[jump]->stream && !is_sync(serial[i]->kind))
        i++;
    return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                        "%s: from the jump on stream %u to label %u there is %s, %s",
                        tsr_npu_list_text(resolver->list, jump, text, sizeof(text)),
                        serial[jump]->stream, label,
                        tsr_npu_list_text(resolver->list, i, other, sizeof(other)),
                        is_sync(serial[i]->kind) ? "an event or a notify"
                                                 : "a task of another stream");
}

static int32_t jump_resolve(const Resolver *resolver, uint32_t index)
{
    const TsrTask task = tsr_npu_list_task(resolver->list, index);
    TsrNpuStep *step = resolver->model->serial[index];
    const bool is_goto = task.kind == TSR_TASK_GOTO;
    const uint32_t *labels = is_goto ? &task.event : task.labels;
    char text[160];
    step->jump.count = is_goto ? 1 : task.label_count;
    step->jump.targets = calloc(step->jump.count, sizeof(*step->jump.targets));
    if (step->jump.targets == NULL)
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory for a jump to %u labels",
                            step->jump.count);
    for (uint32_t i = 0; i < step->jump.count; i++) {
        const uint32_t label = labels[i];
        if (label >= resolver->label_count || resolver->labels[label] == 0)
            return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: no task of the list sets label %u",
                                tsr_npu_list_text(resolver->list, index, text, sizeof(text)),
                                label);
        if (resolver->runs[resolver->labels[label] - 1] != resolver->runs[index])
            return between_fail(resolver, index, label);
        step->jump.targets[i] = resolver->model->serial[resolver->labels[label] - 1];
    }
    return TSR_OK;
}

int32_t tsr_npu_jumps_resolve(TsrDeviceModel *model, const TsrTaskList *list)
{
    enum { LABELS_MAX = 1 << 24 };
    Resolver resolver = {.model = model, .list = list};
    bool has_jumps = false;
    int32_t status;
    for (uint32_t i = 0; i < model->task_count && !has_jumps; i++)
        has_jumps = model->serial[i]->kind == TSR_TASK_LABEL || tsr_npu_is_jump(model->serial[i]);
    if (!has_jumps)
        return TSR_OK;
    resolver.label_count = TSR_HAS(list, label_count) ? list->label_count : 0;
    if (resolver.label_count > LABELS_MAX)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "a list with %u labels; the device takes up "
                            "to %d", resolver.label_count, LABELS_MAX);
    resolver.labels = calloc((size_t)resolver.label_count + 1, sizeof(uint32_t));
    resolver.runs = calloc(model->task_count, sizeof(uint32_t));
    status = resolver.labels != NULL && resolver.runs != NULL
                 ? labels_find(&resolver)
                 : TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory for the labels of %u tasks",
                                model->task_count);
    for (uint32_t i = 0; i < model->task_count && status == TSR_OK; i++)
        if (tsr_npu_is_jump(model->serial[i]))
            status = jump_resolve(&resolver, i);
    free(resolver.labels);
    free(resolver.runs);
    return status;
}

/* ----------------------------------------------------------------------- run */

const TsrNpuStep *tsr_npu_jump_target(const TsrNpuStep *step)
{
    uint32_t index = 0;
    if (step->kind == TSR_TASK_SWITCH) {
        int32_t value;
        if (step->jump.bytes == 1)
            value = *(const uint8_t *)step->jump.args[0];
        else
            memcpy(&value, step->jump.args[0], sizeof(value));
        index = value >= 0 && (uint32_t)value < step->jump.count ? (uint32_t)value
                                                                 : step->jump.count - 1;
    }
    return step->jump.targets[index];
}

static void counter_run(const TsrNpuStep *step)
{
    int64_t *counter = step->counter.args[0];
    int32_t *go = step->counter.args[1];
    const int64_t *limit = step->counter.args[2];
    const uint8_t *condition = step->counter.args[3];
    *counter = step->kind == TSR_TASK_COUNT_BEGIN ? 0 : *counter + 1;
    *go = (limit == NULL || *counter < *limit) && (condition == NULL || *condition != 0);
}

static int32_t copy_at(const TsrNpuStep *step)
{
    const TsrNpuPlaces *at = step->at.places;
    const bool from = (at->flags & TSR_AT_FROM) != 0;
    char *to = step->at.args[0];
    const char *source = step->at.args[1];
    int64_t index;
    memcpy(&index, step->at.args[2], sizeof(index));
    if (index < 0 || (uint64_t)index >= at->places)
        return TSR_INVALID_ARGUMENT;
    if ((at->flags & TSR_AT_BACKWARD) != 0)
        index = (int64_t)at->places - 1 - index;
    for (uint64_t row = 0; row < at->rows && at->bytes > 0; row++) {
        const uint64_t large = (row * at->places + (uint64_t)index) * at->bytes;
        const uint64_t small = row * at->bytes;
        memmove(to + (from ? small : large), source + (from ? large : small), at->bytes);
    }
    return TSR_OK;
}

int32_t tsr_npu_control_run(const TsrNpuStep *step)
{
    if (step->kind == TSR_TASK_MEMCPY_AT)
        return copy_at(step);
    counter_run(step);
    return TSR_OK;
}
