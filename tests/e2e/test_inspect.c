/* SPDX-License-Identifier: Apache-2.0
 *
 * test_inspect.c: `tessera inspect`: what a plugin offers, and problems instead of harm.
 */
#include <json-glib/json-glib.h>
#include <sys/wait.h>

#include "fixture.h"

/* The object that the command prints. */
static JsonParser *inspect(const char *folder, const char *name, const char *options,
                           int *out_status)
{
    g_autofree char *command =
        g_strdup_printf("%s inspect %s/%s.so --json %s", TESSERA, folder, name, options);
    g_autofree char *text = NULL;
    g_autofree char *errors = NULL;
    JsonParser *parser = json_parser_new();
    int status = 0;
    ck_assert(g_spawn_command_line_sync(command, &text, &errors, &status, NULL));
    ck_assert_msg(WIFEXITED(status), "%s", errors);
    *out_status = WEXITSTATUS(status);
    ck_assert_msg(json_parser_load_from_data(parser, text, -1, NULL), "%s: %s", text, errors);
    return parser;
}

static JsonObject *root(JsonParser *parser)
{
    return json_node_get_object(json_parser_get_root(parser));
}

START_TEST(what_it_offers)
{
    int status;
    g_autoptr(JsonParser) parser =
        inspect(PLUGINS_DIR "/nn_engine", "nn_engine", "--check", &status);
    JsonObject *object = root(parser);
    JsonArray *interfaces = json_object_get_array_member(object, "interfaces");
    ck_assert_int_eq(status, 0);
    ck_assert(json_object_get_boolean_member(object, "ok"));
    ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(object, "problems")), 0);
    ck_assert_str_eq(json_object_get_string_member(object, "name"), "nn_engine");
    ck_assert_uint_ge(json_array_get_length(interfaces), 4);
    ck_assert_str_eq(json_array_get_string_element(interfaces, 0), "tessera.engine");
    ck_assert_uint_gt(json_array_get_length(json_object_get_array_member(object, "fusions")), 10);
}
END_TEST

START_TEST(problems)
{
    static const struct {
        const char *name, *part;
    } cases[] = {
        {"bad_load_crashes", "signal 11"},
        {"bad_load_exits", "ended"},
        {"bad_init_fails", ""},
        {"bad_not_there", ""},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        int status;
        g_autoptr(JsonParser) parser = inspect(BAD_PLUGINS_DIR, cases[i].name, "", &status);
        JsonArray *found = json_object_get_array_member(root(parser), "problems");
        ck_assert_int_eq(status, 1);
        ck_assert(!json_object_get_boolean_member(root(parser), "ok"));
        ck_assert_uint_eq(json_array_get_length(found), 1);
        ck_assert_ptr_nonnull(strstr(json_array_get_string_element(found, 0), cases[i].part));
    }
}
END_TEST

FIXTURE_MAIN("inspect", what_it_offers, problems)
