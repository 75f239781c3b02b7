/* SPDX-License-Identifier: Apache-2.0
 *
 * dynamic_net.h: a small network whose input has extents that only a run knows, and runs of it.
 */
#ifndef TSR_TEST_DYNAMIC_NET_H
#define TSR_TEST_DYNAMIC_NET_H

#include "api/session.h"
#include "fixture.h"

/* x [N,3,height,width] through two convolutions, a reshape that reads the shape, and a product
 * to y [N,5]. */
TsrGraph *dynamic_net(TsrSession *session);
/* dims NULL: no gears. (transfer full) */
TsrModel *dynamic_compile(TsrSession *session, const char *dims, gboolean disable_plans);
/* x of that shape, other numbers for every seed. (transfer full) */
TsrArray *dynamic_input(const gint64 *shape, guint32 seed);
/* y; the run must succeed. (transfer full) */
TsrArray *dynamic_run(TsrModel *model, TsrArray *x);
/* The greatest difference of two outputs, which have one shape. */
float dynamic_difference(TsrArray *a, TsrArray *b);

#endif
