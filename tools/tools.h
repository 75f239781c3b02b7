/* SPDX-License-Identifier: Apache-2.0
 *
 * tools.h: the subcommands. argv[0] is the subcommand's name; each returns the exit
 * status of the command.
 */
#ifndef TSR_TOOLS_TOOLS_H
#define TSR_TOOLS_TOOLS_H

int tsr_tool_compile(int argc, char **argv);
int tsr_tool_run(int argc, char **argv);
int tsr_tool_bench(int argc, char **argv);
int tsr_tool_conformance(int argc, char **argv);
int tsr_tool_engines(int argc, char **argv);
int tsr_tool_explain(int argc, char **argv);
int tsr_tool_inspect(int argc, char **argv);
int tsr_tool_report(int argc, char **argv);
int tsr_tool_show(int argc, char **argv);
int tsr_tool_validate(int argc, char **argv);

#endif
