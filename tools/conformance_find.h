/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_find.h: the tests below directories, by the layout of the ONNX backend suite.
 */
#ifndef TSR_TOOLS_CONFORMANCE_FIND_H
#define TSR_TOOLS_CONFORMANCE_FIND_H

#include "conformance_test.h"

/* Folders with a model.onnx at any depth, and X.onnx files with X_output_0.pb beside them
 * (light models), sorted by name: the path below the directory given. A manifest.tsv with
 * columns id and expect says which folders beside it must end in an error, and that they
 * exist. filter is a glob that names must match, or NULL. Errors: IO; NOT_FOUND when there
 * is no test; INVALID_ARGUMENT for a manifest that cannot be. (transfer full) */
GPtrArray *tsr_conformance_find(char **directories, int count, const char *filter,
                                GError **error);

#endif
