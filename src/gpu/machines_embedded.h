/*
 * The machines of machines/, carried inside the program.
 *
 * The build writes the array from machines/NAME.yaml (cmake/embed.cmake), sorted by name. A row {NULL, NULL} follows
 * the last machine and is not counted.
 */
#ifndef GPU_MACHINES_EMBEDDED_H
#define GPU_MACHINES_EMBEDDED_H

struct embedded_machine {
    const char *name; /* file name without .yaml */
    const char *text; /* the whole file, unparsed */
};

extern const struct embedded_machine embedded_machines[];
extern const unsigned embedded_machine_count;

#endif
