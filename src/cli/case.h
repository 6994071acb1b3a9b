/* Launch files: a bare PTX kernel with its grid, its buffers and how they are filled, its arguments, and what must hold
 * afterwards.
 *
 *   ptx: FILE            beside the launch file        grid: [x, y, z]     blocks; y and z may be left out
 *   kernel: NAME                                       block: [x, y, z]    threads
 *   shared: BYTES        dynamic shared memory         registers: N        a thread, for occupancy, unless --registers
 *                                                       says how many; 0: the kernel's own
 *   cluster: [2, 1, 1]   blocks of a cluster, on a machine that has them (gpu.gpc_sms); up to 16
 *   cooperative: true    all blocks resident at once, with a workspace for grid barriers (%envreg1, %envreg2)
 *   buffers:             allocated and copied to the device in this order
 *     NAME: {type: u32|i32|f32, count: N, init: INIT}
 *   constants:           the same, for __constant__ and __device__ variables of that name
 *   args: [BUFFER, {u32: N}, {f32: X}, ...]            also i32, u64, i64, f64
 *   check: [{buffer: NAME, crc32: N}, {buffer: NAME, sum_u32: N}]
 *
 * INIT: zero | {const: V} | {iota: {start: A, step: B}}, element i is A + B*i | {lcg: {seed: S, mod: M}}, x = S and for
 * each element x = (1664525*x + 1013904223) mod 2^32, element = (x >> 8) mod M | {file: NAME}, raw little-endian
 * elements. crc32 is zlib's, over the buffer's bytes; sum_u32 adds its words modulo 2^32. */
#ifndef LOCKSTEP_CLI_CASE_H
#define LOCKSTEP_CLI_CASE_H

#include "config/yaml.h"

enum case_type { CASE_U32, CASE_I32, CASE_F32, CASE_U64, CASE_I64, CASE_F64 };
enum case_fill { CASE_ZERO, CASE_CONST, CASE_IOTA, CASE_LCG, CASE_FILE };

struct case_buffer {
    const char *name;
    enum case_type type; /* of 4 bytes */
    uint64_t count;      /* elements */
    enum case_fill fill;
    uint64_t a, b;    /* CONST: the element's bits; IOTA: start, step modulo 2^32; LCG: seed, mod */
    const char *file; /* FILE: as written */
    const struct yaml_node *node;
};

struct case_arg {
    unsigned buffer;     /* index, or CASE_VALUE */
    enum case_type type; /* of a value */
    uint64_t bits;
    const struct yaml_node *node;
};
#define CASE_VALUE UINT32_MAX

struct case_check {
    unsigned buffer;
    bool is_sum; /* sum_u32, else crc32 */
    uint32_t expected;
    const struct yaml_node *node;
};

struct launch_case {
    struct arena arena; /* owns everything, the text included */
    struct yaml_doc doc;
    const char *ptx, *kernel;
    const struct yaml_node *ptx_node, *kernel_node, *args_node;
    uint32_t grid[3], block[3];
    uint64_t shared;
    uint32_t registers;
    bool cooperative;
    uint32_t cluster[3]; /* 0: the kernel's own, or none */
    unsigned buffer_count, constant_count, arg_count, check_count;
    struct case_buffer *buffers, *constants;
    struct case_arg *args;
    struct case_check *checks;
};

/* Largest buffer, in bytes. */
#define CASE_MAX_BYTES (UINT64_C(1) << 30)

unsigned case_type_bytes(enum case_type type);
/* Reads a launch file's text; no other file is touched. Returns 0, or -1 with diagnostics (all of them, with line and
 * column); case_free in either case. */
int case_parse(struct launch_case *c, const char *file, const char *text, size_t length, struct diag_sink *sink);
void case_free(struct launch_case *c);
/* A path written in the launch file, seen from where the launch file is. */
const char *case_path(struct launch_case *c, const char *path);
/* Writes the buffer's initial content, count elements, to `to`. content holds a FILE's bytes, else it is unused. */
void case_fill_buffer(const struct case_buffer *buffer, const void *content, void *to);
/* Returns true if the buffer's final bytes pass the check; *found receives the computed value. */
bool case_check_holds(const struct case_check *check, const void *data, uint64_t bytes, uint32_t *found);

#endif
