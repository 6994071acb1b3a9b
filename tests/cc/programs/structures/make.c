/* Writes a CUDA program of random structures that functions take and return by value: make COUNT SEED >program.cu.
 * Equal arguments give an equal program.
 *
 * Kernels take them by value too. The functions are never inlined: their structures pass through .param variables, whose addresses they take for
 * elements of arrays at indices that differ by lane. They call each other directly, by recursion and through pointers.
 * Members are integers, and floats that hold small ones, so device and host agree to the bit; padding is never looked
 * at. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_MEMBERS = 12, MAX_STRUCTURES = 1000, MAX_BYTES = 64 };

static const struct {
    const char *name;
    unsigned bytes, align;
} scalars[] = {{"u8", 1, 1},  {"i8", 1, 1},     {"u16", 2, 2},    {"i16", 2, 2},   {"u32", 4, 4},     {"float", 4, 4},
               {"u64", 8, 8}, {"double", 8, 8}, {"uchar4", 4, 4}, {"uint2", 8, 8}, {"float4", 16, 16}};
enum { SCALARS = sizeof scalars / sizeof scalars[0], FIRST_VECTOR = 8 };

struct member {
    int scalar;         /* index into scalars, or -1 */
    unsigned structure; /* otherwise */
    unsigned count;     /* elements of the array; 0 for none */
};
static struct structure {
    struct member members[MAX_MEMBERS];
    unsigned count, bytes, align;
} structures[MAX_STRUCTURES];

static uint64_t state;

static unsigned below(unsigned n)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) >> 32) % n;
}

static unsigned round_up(unsigned value, unsigned align)
{
    return (value + align - 1) / align * align;
}

/* One more member, if it fits within the bytes left. */
static bool add_member(struct structure *s, unsigned number, unsigned most)
{
    struct member m = {.scalar = (int)below(SCALARS), .count = below(2) ? 1 + below(9) : 0};
    bool is_structure = number && !below(6);
    if (is_structure) {
        m.scalar = -1;
        m.structure = below(number);
    }
    unsigned bytes = is_structure ? structures[m.structure].bytes : scalars[m.scalar].bytes;
    unsigned align = is_structure ? structures[m.structure].align : scalars[m.scalar].align;
    unsigned end = round_up(s->bytes, align) + bytes * (m.count ? m.count : 1);
    unsigned whole = align > s->align ? align : s->align;
    if (round_up(end, whole) > most)
        return false;
    s->bytes = end;
    s->align = whole;
    s->members[s->count++] = m;
    return true;
}

static void make_structure(unsigned number)
{
    struct structure *s = &structures[number];
    unsigned most = 1 + below(MAX_BYTES);
    s->align = 1;
    for (unsigned tries = 0; tries < 40 && s->count < MAX_MEMBERS; tries++)
        add_member(s, number, most);
    if (!s->count) /* u8 always fits */
        s->members[s->count++] = (struct member){.scalar = 0}, s->bytes = 1;
    s->bytes = round_up(s->bytes, s->align);
}

static void print_type(const struct member *m)
{
    if (m->scalar < 0)
        printf("S%u", m->structure);
    else
        printf("%s", scalars[m->scalar].name);
}

/* Statements for each member, or each element of it. */
static void for_members(const struct structure *s, const char *action)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->members[i].count)
            printf("    for (u32 k = 0; k < %u; k++)\n        %s(x.m%u[k]);\n", s->members[i].count, action, i);
        else
            printf("    %s(x.m%u);\n", action, i);
}

static void print_structure(unsigned number)
{
    const struct structure *s = &structures[number];
    printf("struct S%u {\n", number);
    for (unsigned i = 0; i < s->count; i++) {
        printf("    ");
        print_type(&s->members[i]);
        printf(s->members[i].count ? " m%u[%u];\n" : " m%u;\n", i, s->members[i].count);
    }
    printf("};\nstatic_assert(sizeof(S%u) == %u, \"\");\n", number, s->bytes);
    printf("BOTH void fill(S%u &x, u64 &seed)\n{\n#define SET(m) fill(m, seed)\n", number);
    for_members(s, "SET");
    printf("#undef SET\n}\nBOTH u64 sum(const S%u &x)\n{\n    u64 result = 17;\n", number);
    for_members(s, "ADD");
    printf("    return result;\n}\n");
}

/* The element that a lane picks, or the only one. */
static void print_element(const struct structure *s, unsigned i)
{
    printf("x.m%u", i);
    if (s->members[i].count)
        printf("[i %% %u]", s->members[i].count);
}

static void print_functions(unsigned number)
{
    const struct structure *s = &structures[number];
    unsigned other = below(number + 1), changed = below(s->count);
    printf("BOTH u64 elements%u(const S%u &x, u32 i)\n{\n    u64 result = i;\n", number, number);
    for (unsigned i = 0; i < s->count; i++) {
        printf("    ADD(");
        print_element(s, i);
        printf(");\n");
    }
    printf("    return result;\n}\nFUNCTION u64 look%u(S%u x, u32 i)\n{\n    return elements%u(x, i);\n}\n", number, number,
           number);
    printf("FUNCTION S%u change%u(S%u x, u32 i)\n{\n    u64 seed = i;\n    fill(", number, number, number);
    print_element(s, changed);
    printf(", seed);\n    return x;\n}\n");
    printf("FUNCTION S%u renew%u(S%u x, u32 i)\n{\n    u64 seed = sum(x) + i;\n    S%u y;\n    fill(y, seed);\n"
           "    return y;\n}\n",
           number, number, number, number);
    printf("FUNCTION S%u pick%u(u8 before, S%u x, u16 between, S%u y, u32 i)\n{\n"
           "    S%u (*volatile f)(S%u, u32) = (before ^ i) & 1 ? change%u : renew%u;\n"
           "    if (between %% 3 == 0)\n        return x;\n"
           "    return f(x, i + between + (u32)sum(y));\n}\n",
           number, number, number, other, number, number, number, number);
    printf("FUNCTION S%u deep%u(S%u x, S%u y, u8 i)\n{\n"
           "    if (i == 0)\n        return pick%u(i, x, 7, y, 5);\n"
           "    S%u z = deep%u(change%u(x, i), y, (u8)(i - 1));\n"
           "    return sum(z) & 1 ? pick%u(i, z, i, change%u(y, i), (u32)sum(x)) : z;\n}\n",
           number, number, number, other, number, number, number, number, number, other);
    printf("FUNCTION u64 f%u(u32 i)\n{\n    u64 seed = i, result;\n    S%u x;\n    S%u y;\n    fill(x, seed);\n"
           "    fill(y, seed);\n    S%u z = deep%u(x, y, i & 3);\n"
           "    result = look%u(z, i) + look%u(change%u(z, i + 1), i + 2);\n"
           "    return result * 31 + sum(x) + sum(y) + sum(z);\n}\nKERNEL(%u)\n\n",
           number, number, other, number, number, number, number, number, number);
}

int main(int argc, char **argv)
{
    unsigned count = argc == 3 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (!count || count > MAX_STRUCTURES)
        return fprintf(stderr, "usage: make COUNT SEED\n"), 2;
    state = strtoull(argv[2], NULL, 10);
    printf("#include \"harness.h\"\n\n");
    for (unsigned i = 0; i < count; i++) {
        make_structure(i);
        print_structure(i);
        print_functions(i);
    }
    printf("int main()\n{\n    prepare();\n");
    for (unsigned i = 0; i < count; i++)
        printf("    COMPARE(%u);\n", i);
    printf("    return report();\n}\n");
    return 0;
}
