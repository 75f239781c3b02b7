/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_tmpl.c: moves a run of elements of one size. Included by walk.c once per size
 * with T (the carrier type) and NAME.
 */
static void NAME(void *arg, const int64_t *offset, int64_t n)
{
    const CopyJob *job = arg;
    T *to = (T *)job->copy->to + job->copy->to_offset + offset[0];
    const T *from = (const T *)job->copy->from + job->copy->from_offset + offset[1];
    int64_t to_step = aicpu_grid_inner(job->grid, 0), from_step = aicpu_grid_inner(job->grid, 1);
    if (to_step == 1 && from_step == 1) {
        memcpy(to, from, (size_t)n * sizeof(T));
    } else if (to_step == 1 && from_step == 0) {
        T value = *from;
        for (int64_t i = 0; i < n; i++)
            to[i] = value;
    } else {
        for (int64_t i = 0; i < n; i++)
            to[i * to_step] = from[i * from_step];
    }
}

#undef T
#undef NAME
