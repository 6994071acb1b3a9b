/* Where the ports of a mesh sit: lists of nodes. */
#include <ctype.h>
#include <string.h>

#include "network/mesh.h"

/* Reads a number of at most three digits; MESH_NONE: there is none. */
static unsigned read_number(const char **at)
{
    unsigned number = 0, digits = 0;
    for (; isdigit((unsigned char)**at) && digits < 4; digits++)
        number = 10 * number + (unsigned)(*(*at)++ - '0');
    return digits && digits < 4 ? number : MESH_NONE;
}

/* One item, "FIRST", "FIRST-LAST" or "FIRST-LAST/STEP". False: it is none of these. */
static bool read_item(const char **at, unsigned *first, unsigned *last, unsigned *step)
{
    *first = *last = read_number(at);
    *step = 1;
    if (**at == '-') {
        ++*at;
        *last = read_number(at);
        if (**at == '/') {
            ++*at;
            *step = read_number(at);
        }
    }
    return *first != MESH_NONE && *last != MESH_NONE && *last >= *first && *step != MESH_NONE && *step;
}

bool mesh_place(const char *text, unsigned ports, unsigned nodes, uint16_t *node_of, const char **why)
{
    unsigned seen = 0, first, last, step;
    if (!text || !strcmp(text, "spread")) {
        for (unsigned i = 0; i < ports; i++)
            node_of[i] = (uint16_t)(i * nodes / ports);
        return true;
    }
    for (const char *at = text;; at++) {
        *why = "each is `spread`, or a list of routers such as 0-124/4,127";
        if (!read_item(&at, &first, &last, &step) || (*at && *at != ','))
            return false;
        *why = "a router is named that the mesh does not have: their numbers go from 0, row by row";
        if (last >= nodes)
            return false;
        *why = "sm_nodes must name as many routers as there are SMs, slice_nodes as L2 slices";
        for (unsigned node = first; node <= last; node += step) {
            if (seen == ports)
                return false;
            node_of[seen++] = (uint16_t)node;
        }
        if (!*at)
            return seen == ports;
    }
}
