/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h: members of the JSON objects that subcommands print.
 */
#ifndef TSR_TOOLS_JSON_H
#define TSR_TOOLS_JSON_H

#include <json-glib/json-glib.h>

void tsr_json_string(JsonBuilder *json, const char *name, const char *value); /* NULL: null */
void tsr_json_int(JsonBuilder *json, const char *name, guint64 value);
void tsr_json_double(JsonBuilder *json, const char *name, double value);
void tsr_json_bool(JsonBuilder *json, const char *name, gboolean value);
/* Opens an array or object as a member. */
void tsr_json_begin_array(JsonBuilder *json, const char *name);
void tsr_json_begin_object(JsonBuilder *json, const char *name);
/* Prints the finished root on standard output. */
void tsr_json_print(JsonBuilder *json);

#endif
