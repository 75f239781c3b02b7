/* SPDX-License-Identifier: Apache-2.0
 *
 * group_load.c: is it a plugin that a host can load: its symbol, descriptor, tables and
 * manifest, and whether all that it says of itself is said twice alike.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/error.h"
#include "plugin/host.h"
#include "plugin/manifest.h"
#include "plugin_check/check.h"

static void check_loads(PcContext *context)
{
    TsrLoadedPlugin *record = g_new0(TsrLoadedPlugin, 1);
    record->path = g_strdup(context->plugin->path);
    record->name = g_strdup(context->plugin->name);
    tsr_plugin_open(record);
    if (record->state == TSR_PLUGIN_LOADED)
        pc_pass(context);
    else
        pc_fail(context, "%s: %s", tsr_plugin_fault_name(record->fault), record->reason);
    tsr_plugin_free(record);
}

/* The table of symbols of a loaded library; their number is the length of its hash chains. */
static void check_symbols(PcContext *context, void *handle)
{
    g_autoptr(GString) others = g_string_new(NULL);
    const struct link_map *map = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    gsize names_end = 0;
    guint count = 0;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        pc_skip(context, "the system's loader does not tell");
        return;
    }
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_STRTAB)
            names = (const char *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_STRSZ)
            names_end = entry->d_un.d_val;
    }
    /* The linker puts the strings right behind the symbols. */
    for (const ElfW(Sym) *at = symbols; at != NULL && (const char *)at < names; at++) {
        const char *name = names + at->st_name;
        const guint bind = ELF64_ST_BIND(at->st_info), type = ELF64_ST_TYPE(at->st_info);
        if (at->st_name >= names_end || at->st_shndx == SHN_UNDEF || bind == STB_LOCAL ||
            type == STT_SECTION || strcmp(name, TSR_PLUGIN_SYMBOL) == 0 || name[0] == '_')
            continue;
        if (count++ < 5)
            g_string_append_printf(others, "%s%s", count > 1 ? ", " : "", name);
    }
    if (count == 0)
        pc_pass(context);
    else
        pc_fail(context,
                "%u other symbols are visible and may clash with those of other plugins: %s%s; "
                "build with -fvisibility=hidden",
                count, others->str, count > 5 ? ", ..." : "");
}

static void check_pure(PcContext *context, void *handle)
{
    static const char *const names[] = {
        TSR_INTERFACE_ENGINE, TSR_INTERFACE_FORMAT_SELECTOR, TSR_INTERFACE_FUSION,
        TSR_INTERFACE_EXECUTOR, TSR_INTERFACE_DEVICE, TSR_INTERFACE_OPS,
    };
    const TsrPluginQuery query = (TsrPluginQuery)dlsym(handle, TSR_PLUGIN_SYMBOL);
    const TsrPlugin *first = NULL, *second = NULL;
    if (pc_begin(context, "the query answers the same twice")) {
        if (query(tsr_host_get(), &first) != TSR_OK || query(tsr_host_get(), &second) != TSR_OK ||
            first != second)
            pc_fail(context, "two queries gave %p and %p", (const void *)first,
                    (const void *)second);
        else
            pc_pass(context);
    }
    if (query(tsr_host_get(), &first) != TSR_OK || first == NULL)
        return;
    if (pc_begin(context, "tables of interfaces are the same twice")) {
        const char *other = NULL;
        for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
            if (first->get_interface(first, names[i], TSR_INTERFACE_VERSION) !=
                first->get_interface(first, names[i], TSR_INTERFACE_VERSION))
                other = names[i];
        if (other != NULL)
            pc_fail(context, "%s has another table when it is asked again", other);
        else
            pc_pass(context);
    }
    if (pc_begin(context, "what it does not know of is NULL")) {
        if (first->get_interface(first, "tessera.no_such_thing", TSR_INTERFACE_VERSION) != NULL)
            pc_fail(context, "interface tessera.no_such_thing has a table");
        else if (first->get_interface(first, TSR_INTERFACE_ENGINE, 1000) != NULL)
            pc_fail(context, "version 1000 of %s has a table", TSR_INTERFACE_ENGINE);
        else
            pc_pass(context);
    }
    if (pc_begin(context, "numbers of the descriptor are in their ranges")) {
        const TsrEngine *engine =
            first->get_interface(first, TSR_INTERFACE_ENGINE, TSR_INTERFACE_VERSION);
        const TsrOps *ops = first->get_interface(first, TSR_INTERFACE_OPS, TSR_INTERFACE_VERSION);
        const TsrFusion *fusion =
            first->get_interface(first, TSR_INTERFACE_FUSION, TSR_INTERFACE_VERSION);
        if (engine != NULL && (engine->default_priority < 1 || engine->default_priority > 100))
            pc_fail(context, "default_priority is %d, wanted 1 to 100", engine->default_priority);
        else if (engine != NULL && (engine->flags & ~15u) != 0)
            pc_fail(context, "engine flags %#x hold bits that no version knows", engine->flags);
        else if (ops != NULL && (ops->op_count > 100000 || ops->op_stride < 8))
            pc_fail(context, "%u operators of %u bytes each", ops->op_count, ops->op_stride);
        else if (fusion != NULL && fusion->pass_count > 10000)
            pc_fail(context, "%u fusion passes", fusion->pass_count);
        else
            pc_pass(context);
    }
}

static void check_manifest(PcContext *context)
{
    g_autofree char *base = g_strndup(context->plugin->path, strlen(context->plugin->path) - 3);
    g_autofree char *path = g_strconcat(base, ".plugin", NULL);
    if (!pc_begin(context, "the manifest and the library agree"))
        return;
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        pc_skip(context, "there is no %s", path);
    } else {
        GError *error = NULL;
        TsrSession *session = pc_session(context, &error);
        if (session != NULL)
            pc_loaded(context, session, &error);
        pc_end(context, error);
        tsr_session_free(session);
    }
}

static void run(PcContext *context)
{
    void *handle;
    if (pc_begin(context, "loads"))
        check_loads(context);
    handle = context->plugin->is_known
                 ? dlopen(context->plugin->path, RTLD_NOW | RTLD_LOCAL)
                 : NULL;
    if (handle == NULL || dlsym(handle, TSR_PLUGIN_SYMBOL) == NULL)
        return;
    if (pc_begin(context, "shows one symbol"))
        check_symbols(context, handle);
    check_pure(context, handle);
    check_manifest(context);
    if (pc_begin(context, "a session takes it")) {
        GError *error = NULL;
        TsrSession *session = pc_session(context, &error);
        if (session != NULL)
            pc_loaded(context, session, &error);
        tsr_session_free(session);
        pc_end(context, error);
    }
}

const PcGroup pc_group_load = {"load", "symbol, descriptor, tables, manifest", run, FALSE};
