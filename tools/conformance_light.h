/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_light.h: the light models of the ONNX backend suite come with outputs only;
 * their input is made by rule.
 */
#ifndef TSR_TOOLS_CONFORMANCE_LIGHT_H
#define TSR_TOOLS_CONFORMANCE_LIGHT_H

#include "api/session.h"

/* What is fed to a graph input: elements 0/n, 1/n, ... (n-1)/n in order, an unknown dimension
 * taken as 1. Source: generate_dummy_data of the suite's runner. Errors: UNSUPPORTED for
 * anything but float of a known rank. (transfer full) */
TsrArray *tsr_conformance_light_input(const TsrValue *input, GError **error);

#endif
