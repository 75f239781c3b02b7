/* SPDX-License-Identifier: Apache-2.0
 *
 * min_cut.c: see min_cut.h. Maximum flow by Dinic's method ("Algorithm for solution of a
 * problem of maximum flow in networks with power estimation", 1970): blocking flows over
 * shortest paths; what the source still reaches at the end is its side of a minimum cut.
 */
#include "base/min_cut.h"

enum { SOURCE = 0, SINK = 1, FIRST_VARIABLE = 2 };

/* Edges lie in pairs: edge e and its reverse e ^ 1. */
typedef struct Edge {
    guint to;
    guint next; /* of the same vertex, + 1; 0 ends the list */
    double room;
} Edge;

typedef struct Vertex {
    guint first; /* edge + 1 */
    guint current;
    guint level; /* distance from the source + 1; 0: not reached */
} Vertex;

struct TsrMinCut {
    GArray *vertices;
    GArray *edges;
};

static Vertex *vertex(const TsrMinCut *cut, guint i)
{
    return &g_array_index(cut->vertices, Vertex, i);
}

static Edge *edge(const TsrMinCut *cut, guint i)
{
    return &g_array_index(cut->edges, Edge, i);
}

TsrMinCut *tsr_min_cut_new(void)
{
    TsrMinCut *cut = g_new0(TsrMinCut, 1);
    cut->vertices = g_array_new(FALSE, TRUE, sizeof(Vertex));
    cut->edges = g_array_new(FALSE, TRUE, sizeof(Edge));
    g_array_set_size(cut->vertices, FIRST_VARIABLE);
    return cut;
}

void tsr_min_cut_free(TsrMinCut *cut)
{
    if (cut == NULL)
        return;
    g_array_unref(cut->vertices);
    g_array_unref(cut->edges);
    g_free(cut);
}

guint tsr_min_cut_variable(TsrMinCut *cut)
{
    g_array_set_size(cut->vertices, cut->vertices->len + 1);
    return cut->vertices->len - 1;
}

static void add_edge(TsrMinCut *cut, guint from, guint to, double room)
{
    const Edge forward = {to, vertex(cut, from)->first, room};
    const Edge reverse = {from, vertex(cut, to)->first, 0.0};
    if (room <= 0.0 || from == to)
        return;
    g_array_append_val(cut->edges, forward);
    vertex(cut, from)->first = cut->edges->len;
    g_array_append_val(cut->edges, reverse);
    vertex(cut, to)->first = cut->edges->len;
}

void tsr_min_cut_if_zero(TsrMinCut *cut, guint variable, double cost)
{
    add_edge(cut, variable, SINK, cost);
}

void tsr_min_cut_if_one(TsrMinCut *cut, guint variable, double cost)
{
    add_edge(cut, SOURCE, variable, cost);
}

void tsr_min_cut_if_differ(TsrMinCut *cut, guint zero, guint one, double cost)
{
    add_edge(cut, zero, one, cost);
}

/* Distances from the source over edges with room; FALSE when the sink is out of reach. */
static gboolean find_levels(TsrMinCut *cut)
{
    g_autofree guint *queue = g_new(guint, cut->vertices->len);
    guint head = 0, tail = 0;
    for (guint i = 0; i < cut->vertices->len; i++) {
        vertex(cut, i)->level = 0;
        vertex(cut, i)->current = vertex(cut, i)->first;
    }
    vertex(cut, SOURCE)->level = 1;
    queue[tail++] = SOURCE;
    while (head < tail) {
        const Vertex *from = vertex(cut, queue[head++]);
        for (guint e = from->first; e != 0; e = edge(cut, e - 1)->next) {
            Vertex *to = vertex(cut, edge(cut, e - 1)->to);
            if (to->level != 0 || edge(cut, e - 1)->room <= 0.0)
                continue;
            to->level = from->level + 1;
            queue[tail++] = edge(cut, e - 1)->to;
        }
    }
    return vertex(cut, SINK)->level != 0;
}

/* Pushes flow along one shortest path; its amount, 0 when there is none left. The path is
 * kept as a list, not on the stack of the machine: it may be as long as the graph. */
static double push_path(TsrMinCut *cut, GArray *path)
{
    double amount = G_MAXDOUBLE;
    guint at = SOURCE;
    g_array_set_size(path, 0);
    while (at != SINK) {
        Vertex *v = vertex(cut, at);
        while (v->current != 0) {
            const Edge *e = edge(cut, v->current - 1);
            if (e->room > 0.0 && vertex(cut, e->to)->level == v->level + 1)
                break;
            v->current = e->next;
        }
        if (v->current == 0) {
            guint back;
            if (path->len == 0)
                return 0.0;
            /* A dead end: never again in this phase. */
            back = g_array_index(path, guint, path->len - 1);
            g_array_set_size(path, path->len - 1);
            at = edge(cut, back ^ 1)->to;
            vertex(cut, at)->current = edge(cut, back)->next;
            continue;
        }
        {
            const guint taken = v->current - 1;
            g_array_append_val(path, taken);
            at = edge(cut, taken)->to;
        }
    }
    for (guint i = 0; i < path->len; i++)
        amount = MIN(amount, edge(cut, g_array_index(path, guint, i))->room);
    for (guint i = 0; i < path->len; i++) {
        const guint e = g_array_index(path, guint, i);
        edge(cut, e)->room -= amount;
        edge(cut, e ^ 1)->room += amount;
    }
    return amount;
}

void tsr_min_cut_solve(TsrMinCut *cut)
{
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint));
    while (find_levels(cut))
        while (push_path(cut, path) > 0.0) {
        }
}

gboolean tsr_min_cut_answer(const TsrMinCut *cut, guint variable)
{
    return vertex(cut, variable)->level == 0;
}
