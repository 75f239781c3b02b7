/* SPDX-License-Identifier: Apache-2.0
 *
 * device.c: opening and closing the simulated NPU, its memory, its facts. Called
 * through TsrDevice. Device memory is the host's memory (the device says so with
 * TSR_DEVICE_HOST_ACCESSIBLE), aligned to a cache line, in huge pages where large.
 */
#define _GNU_SOURCE
#include "device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/kernel_table.h"
#include "model.h"
#include "stream.h"

/* From here on memory is asked for in huge pages: fewer TLB misses in weights. */
static const uint64_t huge_page_bytes = UINT64_C(2) << 20;

/* ------------------------------------------------------------------- context */

int32_t tsr_npu_open(const TsrDevice *device, uint32_t core_count,
                     TsrDeviceContext **out_context)
{
    TsrDeviceContext *context;
    int reason;
    (void)device;
    if (core_count > TSR_NPU_MAX_CORES)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "npu_sim: wanted %u cores, it has up to %d",
                            core_count, TSR_NPU_MAX_CORES);
    if (core_count == 0) {
        core_count = tsr_npu_cpu_count();
        if (core_count > TSR_NPU_MAX_CORES)
            core_count = TSR_NPU_MAX_CORES;
    }
    context = calloc(1, sizeof(*context));
    if (context == NULL)
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "npu_sim: no memory for a context");
    context->crew = tsr_npu_crew_create(core_count, &reason);
    if (context->crew == NULL) {
        free(context);
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "npu_sim: cannot start %u cores: %s", core_count,
                            strerror(reason));
    }
    pthread_mutex_init(&context->crew_lock, NULL);
    pthread_mutex_init(&context->batch_lock, NULL);
    pthread_mutex_init(&context->queue_lock, NULL);
    context->queue_first = 1;
    tsr_npu_handle_add(&context->handle, TSR_NPU_CONTEXT, NULL);
    *out_context = context;
    return TSR_OK;
}

/* Frees whatever was made from the context and not yet destroyed, so that its
 * handles are dead from here on. */
static void children_free(TsrDeviceContext *context)
{
    for (TsrNpuHandle *handle = tsr_npu_handle_take(context); handle != NULL;
         handle = tsr_npu_handle_take(context)) {
        if (handle->kind == TSR_NPU_MODEL)
            tsr_npu_model_free((TsrDeviceModel *)handle);
        else if (handle->kind == TSR_NPU_EVENT)
            free(handle);
    }
    while (context->streams != NULL) {
        TsrStream *stream = context->streams;
        context->streams = stream->next;
        free(stream);
    }
}

void tsr_npu_close(TsrDeviceContext *context)
{
    if (context == NULL || !tsr_npu_handle_remove(context, TSR_NPU_CONTEXT))
        return;
    if (context->queue_count > 0)
        tsr_npu_host->log(tsr_npu_host, TSR_LOG_WARNING,
                          "npu_sim: closed with tasks that were never synchronized; "
                          "they did not run");
    tsr_npu_crew_destroy(context->crew);
    children_free(context);
    tsr_npu_captures_free(context);
    pthread_mutex_destroy(&context->crew_lock);
    pthread_mutex_destroy(&context->batch_lock);
    pthread_mutex_destroy(&context->queue_lock);
    free(context->queue);
    free(context);
}

static uint64_t cache_bytes(int name, uint64_t otherwise)
{
    long size = sysconf(name);
    return size > 0 ? (uint64_t)size : otherwise;
}

int32_t tsr_npu_get_info(TsrDeviceContext *context, TsrDeviceInfo *out_info)
{
    TsrDeviceInfo info = {
        .struct_size = sizeof(info),
        .c0_lanes = TSR_NPU_C0,
        .alignment = TSR_NPU_ALIGNMENT,
        .l1_bytes = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 * 1024),
        .l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1024 * 1024),
    };
    if (!tsr_npu_handle_is_live(context, TSR_NPU_CONTEXT))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "get_info: the context is closed");
    info.core_count = tsr_npu_crew_core_count(context->crew);
    strncpy(info.isa, tsr_kernel_isa_name(tsr_kernel_isa_best()), sizeof(info.isa) - 1);
    /* An older host has room for less and says so. */
    if (out_info->struct_size >= offsetof(TsrDeviceInfo, memory_bytes) &&
        out_info->struct_size < sizeof(info))
        info.struct_size = out_info->struct_size;
    memcpy(out_info, &info, info.struct_size);
    return TSR_OK;
}

/* -------------------------------------------------------------------- memory */

/* What the machine has. More than that may be promised by the kernel, but it ends
 * with the process being killed when the memory is used. */
static uint64_t machine_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 40;
}

int32_t tsr_npu_memory_alloc(TsrDeviceContext *context, uint64_t size_bytes, void **out_memory)
{
    uint64_t align = size_bytes >= huge_page_bytes ? huge_page_bytes : TSR_NPU_ALIGNMENT;
    void *memory = NULL;
    (void)context;
    if (size_bytes <= machine_bytes())
        memory = aligned_alloc(align, size_bytes == 0 ? align
                                                      : (size_bytes + align - 1) / align * align);
    if (memory == NULL)
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "npu_sim: no device memory of %llu bytes, "
                            "the machine has %llu",
                            (unsigned long long)size_bytes,
                            (unsigned long long)machine_bytes());
    if (align == huge_page_bytes)
        (void)madvise(memory, size_bytes, MADV_HUGEPAGE); /* a wish, not a need */
    *out_memory = memory;
    return TSR_OK;
}

void tsr_npu_memory_free(TsrDeviceContext *context, void *memory)
{
    (void)context;
    free(memory);
}

/* ------------------------------------------------------------------- kernels */

TsrKernelFn tsr_npu_kernel_find(TsrDeviceContext *context, const char *name)
{
    (void)context;
    return tsr_kernel_find(name);
}

uint32_t tsr_npu_kernel_params_size(TsrDeviceContext *context, const char *name)
{
    (void)context;
    return tsr_kernel_params_size(name);
}

void tsr_npu_parallel(TsrDeviceContext *context, uint32_t block_dim,
                      void (*fn)(void *arg, uint32_t block, uint32_t block_dim), void *arg)
{
    tsr_npu_crew_parallel(context->crew, block_dim, fn, arg);
}
