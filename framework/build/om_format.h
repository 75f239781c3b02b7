/* SPDX-License-Identifier: Apache-2.0
 *
 * om_format.h: the offline model file. A fixed header and a section table in little
 * endian, then sections at multiples of 64 bytes; docs/om-format.md has the whole.
 * Every section but the weights is one GVariant in normal form.
 */
#ifndef TSR_BUILD_OM_FORMAT_H
#define TSR_BUILD_OM_FORMAT_H

#include <glib.h>

#define TSR_OM_MAGIC "TESSERA"  /* with its NUL: 8 bytes */
#define TSR_OM_VERSION 3u
#define TSR_OM_MAX_SECTIONS 128u

typedef struct TsrOmHeader {
    char magic[8];
    guint32 version;
    guint32 section_count;
    guint64 file_size;
    guint64 table_hash;   /* XXH3-64 of the section table */
} TsrOmHeader;

typedef struct TsrOmSection {
    char name[16];
    guint64 offset;
    guint64 size;
    guint64 hash;         /* XXH3-64 of the contents */
    guint64 reserved;
} TsrOmSection;

#define TSR_OM_META "meta"
#define TSR_OM_GRAPH "graph"
#define TSR_OM_TASKS "tasks"
#define TSR_OM_MEMORY "memory"
#define TSR_OM_WEIGHTS "weights"

/* Of a model with dimensions that only a run knows: its graph as it was imported, and how it
 * is to be compiled for the shapes of a run. */
#define TSR_OM_SOURCE "source"
/* A program for fixed shapes is one section: "gear" and its number. */
#define TSR_OM_GEAR "gear"
#define TSR_OM_MAX_GEARS 100u

/* "meta": a{sv}. "tasks" and "memory": see om_write.c. */
#define TSR_OM_TASKS_TYPE "a(uuuuussa(uutut)ayt)"
#define TSR_OM_MEMORY_TYPE "a(suuttuuuss)"
/* In "meta", for dumps: where each value of the root graph lies (node, output, address), and
 * which values went into which fused node (node, value). */
#define TSR_OM_PLACES_TYPE "a(uuuut)"
#define TSR_OM_FUSED_TYPE "a(ss)"
/* In "meta": every cluster: engine, nodes, its first node, the engine's text on what can run
 * it, XXH3-64 of what it was compiled from but for the data of constants. */
#define TSR_OM_COMPAT_BYTES 512 /* of that text, with its NUL */
#define TSR_OM_CLUSTERS_TYPE "a(susst)"
/* In "meta": what is known of the dimensions of inputs that a run settles (input, axis, name,
 * least, most; input_dim.h). */
#define TSR_OM_DIMS_TYPE "a(uusxx)"
/* In "meta" of a graph with dimensions that only a run knows: "extents", extents_variant.h. */
/* In "meta": known parts (known_parts.h): the four of a program, the nodes it stands for, its
 * inputs and outputs (node, output). "graph" is graph_variant.h's. */
#define TSR_OM_PARTS_TYPE(graph) \
    "a((a{sv}" graph TSR_OM_TASKS_TYPE TSR_OM_MEMORY_TYPE ")aua(uu)a(uu))"

#endif
