/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: the `tessera` command: one row a subcommand, one file each. docs/cli.md is
 * the contract.
 */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "tools.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} subcommands[] = {
    {"compile", tsr_tool_compile, "compiles an ONNX model to an offline model"},
    {"run", tsr_tool_run, "runs a model once or in a loop, compares its outputs"},
    {"bench", tsr_tool_bench, "times a model"},
    {"conformance", tsr_tool_conformance, "runs tests laid out as the ONNX backend suite"},
    {"engines", tsr_tool_engines, "lists engines in their order, and plugins with their state"},
    {"explain", tsr_tool_explain, "tells why each node is where it is"},
    {"inspect", tsr_tool_inspect, "tells what a plugin offers, and checks it"},
    {"report", tsr_tool_report, "writes a page about a compiled model: graph, memory, timeline"},
    {"show", tsr_tool_show, "prints what an offline model holds"},
    {"validate", tsr_tool_validate, "tells whether an offline model can run here"},
};

static void print_help(FILE *out)
{
    fputs("Usage: tessera SUBCOMMAND [OPTION...] ARGUMENTS\n\nSubcommands:\n", out);
    for (gsize i = 0; i < G_N_ELEMENTS(subcommands); i++)
        fprintf(out, "  %-12s %s\n", subcommands[i].name, subcommands[i].summary);
    fputs("\n`tessera SUBCOMMAND --help` lists its options.\n", out);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return TSR_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return TSR_EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tessera %s\n", tsr_version());
        return TSR_EXIT_DONE;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(subcommands); i++)
        if (strcmp(argv[1], subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    return tsr_tool_usage("there is no subcommand '%s'; `tessera --help` lists them", argv[1]);
}
