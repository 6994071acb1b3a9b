/* A program: functions that only compute, procedures that change memory, and a kernel. */
#include "generate.h"

/* Variables of a function, of the thread's own. */
static void locals(struct generator *g, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        enum type t = i == 0 ? U32 : any_type(g);
        const char *name = text(g, "v%u", i);
        line(g, "%s %s = %s;", type_name(t), name, expression(g, t, 1, LANE));
        declare(g, name, t, LANE, false);
    }
}

static void arrays(struct generator *g)
{
    line(g, "u32 words[8] = {1, 2, 3, %uu};", draw(g, UINT32_MAX));
    line(g, "u8 bytes[16] = {%u, 7};", draw(g, 256));
    line(g, "double reals[4] = {0.5, %u.25};", draw(g, 99));
    g->has_array = true;
}

/* What all of a thread's variables come to, so that none is lost. */
static void results(struct generator *g, const char *to)
{
    for (size_t i = 0; i < g->variable_count; i++)
        if (!g->variables[i].constant)
            line(g, "%s = mix(%s, %s(%s));", to, to,
                 g->variables[i].type == F32   ? "bits"
                 : g->variables[i].type == F64 ? "bits64"
                                               : "(u64)",
                 g->variables[i].name);
    if (g->has_structure)
        line(g, "%s = mix(%s, r.a + r.b + r.e + (u64)r.d + bits64(r.c));", to, to);
    if (g->has_array) {
        line(g, "for (u32 i = 0; i < 8; i++)");
        line(g, "    %s = mix(%s, words[i] + bytes[i] + bytes[i + 8] + bits64(reals[i & 3]));", to, to);
    }
}

static void function_begin(struct generator *g, unsigned size)
{
    g->variable_count = 0;
    g->has_array = g->has_structure = g->has_memory = false;
    g->size_left = (int)size;
}

static void recursive(struct generator *g, const char *name)
{
    line(g, "if (!(b & 3))");
    line(g, "    return %s;", expression(g, U32, 1, LANE));
    statements(g, (struct place){.depth = 1, .trips = 9, .returns = RETURNS_VALUE, .return_type = U32}, 2);
    line(g, "u32 v = %s(%s, (b & 3) - 1);", name, expression(g, U32, 2, LANE));
    declare(g, "v", U32, LANE, true);
    if (chance(g, 50))
        line(g, "v ^= %s(%s, (b & 3) - 1);", name, expression(g, U32, 1, LANE));
    line(g, "return %s + v;", expression(g, U32, 2, LANE));
}

static void pure_body(struct generator *g, enum returns returns, enum type t)
{
    locals(g, 1 + draw(g, 3));
    if (chance(g, 30))
        arrays(g);
    struct place p = {.depth = 2, .trips = 3, .returns = returns, .return_type = t};
    statements(g, p, 2 + draw(g, 3));
    if (returns == RETURNS_VALUE)
        line(g, "return %s;", expression(g, t, 2, LANE));
}

static void pure(struct generator *g, unsigned shape, unsigned number)
{
    static const struct {
        const char *returns, *parameters;
        enum type type;
    } shapes[PURE_SHAPES] = {{"u32", "u32 a, u32 b", U32},
                             {"s64", "s64 a, float b, u16 c", S64},
                             {"double", "double a, u32 b", F64},
                             {"struct rec", "struct rec r, s16 b", U64}};
    function_begin(g, 6);
    const char *name = text(g, "f%u_%u", shape, number);
    block_begin(g, "HD %s %s %s(%s)", chance(g, 60) ? "NOINLINE" : "INLINE", shapes[shape].returns, name,
                shapes[shape].parameters);
    static const enum type types[PURE_SHAPES][3] = {
        {U32, U32, TYPES}, {S64, F32, U16}, {F64, U32, TYPES}, {TYPES, S16, TYPES}};
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        if (types[shape][i] != TYPES)
            declare(g, names[i], types[shape][i], LANE, false);
    g->has_structure = shape == 3;
    if (shape == 0 && number == PURE - 1) {
        for (size_t i = 0; i < g->variable_count; i++)
            g->variables[i].constant = true;
        recursive(g, name);
    } else {
        pure_body(g, shape == 3 ? RETURNS_STRUCTURE : RETURNS_VALUE, shapes[shape].type);
        if (shape == 3) {
            line(g, "r.a ^= 5, r.d += 3, r.e = mix(r.e, %s);", expression(g, U64, 2, LANE));
            line(g, "return r;");
        }
    }
    block_end(g);
}

/* The first ones call none, the others those: what a call costs is bounded. */
static void pure_functions(struct generator *g)
{
    for (unsigned layer = 0; layer < 2; layer++) {
        for (unsigned shape = 0; shape < PURE_SHAPES; shape++)
            for (unsigned i = 0; i < PURE / 2; i++)
                if (layer == 0 || shape < 2)
                    pure(g, shape, layer * PURE / 2 + i);
        for (unsigned shape = 0; shape < PURE_SHAPES; shape++)
            g->pure[shape] = layer == 0 || shape >= 2 ? PURE / 2 : PURE;
    }
    line(g, "typedef u32 (*shape0)(u32, u32);");
    line(g, "typedef s64 (*shape1)(s64, float, u16);");
    for (unsigned shape = 0; shape < 2; shape++) {
        block_begin(g, "HD INLINE shape%u pick%u(u32 k)", shape, shape);
        line(g, "const shape%u table[4] = {f%u_0, f%u_1, f%u_2, f%u_3};", shape, shape, shape, shape, shape);
        line(g, "return table[k & 3];");
        block_end(g);
    }
}

static void procedure(struct generator *g, unsigned number)
{
    function_begin(g, 8);
    block_begin(g, "HD NOINLINE void own%u(struct arena *g, struct block_memory *s, u32 a, u32 b)", number);
    g->has_memory = true;
    declare(g, "a", U32, LANE, false);
    declare(g, "b", U32, LANE, false);
    locals(g, 2);
    g->forms = 0;
    g->locks_left = number == 0 ? 0 : 1;
    statements(g, (struct place){.depth = 2, .trips = 1, .returns = RETURNS_NOTHING}, 4);
    g->procedure_forms[number] = g->forms;
    line(g, "g->out[gid()] = mix(g->out[gid()], v0);");
    block_end(g);
}

static void collective_procedure(struct generator *g, unsigned number)
{
    function_begin(g, 8);
    block_begin(g, "HD NOINLINE u32 masked%u(struct arena *g, struct block_memory *s, const u32 mask, u32 a)", number);
    g->has_memory = true;
    declare(g, "a", U32, LANE, false);
    locals(g, 2);
    g->locks_left = 0;
    statements(g, (struct place){.level = MASKED, .mask = "mask", .depth = 2, .trips = 3}, 4);
    line(g, "return %s;", expression(g, U32, 1, LANE));
    block_end(g);
}

static void block_procedure(struct generator *g)
{
    function_begin(g, 8);
    block_begin(g, "HD NOINLINE u32 whole0(struct arena *g, struct block_memory *s, u32 a)");
    g->has_memory = true;
    line(g, "const u32 m0 = warp_mask();");
    declare(g, "a", U32, LANE, false);
    locals(g, 2);
    line(g, "u32 all = bid(), warp = tid() / 32;");
    declare(g, "all", U32, BLOCK, false);
    declare(g, "warp", U32, WARP, false);
    g->locks_left = 0;
    statements(g, (struct place){.level = BLOCK, .mask = "m0", .depth = 2, .trips = 3}, 4);
    line(g, "return %s + all + warp;", expression(g, U32, 1, LANE));
    block_end(g);
}

static void procedures(struct generator *g)
{
    for (unsigned i = 0; i < PROCEDURES; i++) {
        procedure(g, i);
        g->procedures = 0; /* none calls another */
    }
    for (unsigned i = 0; i < 2; i++)
        collective_procedure(g, i);
    g->collective_procedures = 2;
    g->procedures = 0;
    block_procedure(g);
    g->procedures = PROCEDURES;
    g->block_procedures = 1;
    line(g, "typedef void (*any_procedure)(struct arena *, struct block_memory *, u32, u32);");
    block_begin(g, "HD INLINE any_procedure procedure(u32 k)");
    line(g, "const any_procedure table[3] = {own0, own1, own2};");
    line(g, "return table[k %% 3];");
    block_end(g);
}

static void shared_variables(struct generator *g)
{
    static const struct {
        const char *name, *value;
        enum type type;
        enum level level;
    } all[] = {{"g0", "n * 7", U32, GRID},          {"g1", "(s32)n - 5", S32, GRID},
               {"b0", "bid() + 3", U32, BLOCK},     {"b1", "bid() * 99", U64, BLOCK},
               {"w0", "tid() / 32 + 1", U32, WARP}, {"w1", "(s32)(tid() / 32) - 2", S32, WARP}};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        line(g, "%s %s = %s;", type_name(all[i].type), all[i].name, all[i].value);
        declare(g, all[i].name, all[i].type, all[i].level, false);
    }
    declare(g, "n", U32, GRID, true);
}

static void kernel(struct generator *g)
{
    function_begin(g, 45);
    block_begin(g, "HD INLINE void body(struct arena *g, struct block_memory *s, u32 n)");
    line(g, "begin_shared(s);");
    line(g, "const u32 m0 = warp_mask();");
    line(g, "u32 rounds = 0;");
    line(g, "u32 t = tid(), l = lane();");
    declare(g, "t", U32, LANE, true);
    declare(g, "l", U32, LANE, true);
    g->has_memory = true;
    shared_variables(g);
    locals(g, 7);
    arrays(g);
    line(g, "struct rec r = rec_of(t);");
    g->has_structure = true;
    if (g->forms & FORM_EARLY && chance(g, 50))
        line(g, "let_launches_begin();");
    if (g->forms & FORM_ROLES)
        line(g, "registers_few();");
    statements(g, (struct place){.level = GRID, .mask = "m0", .depth = 3, .trips = 1}, 10 + draw(g, 8));
    if (g->forms & FORM_ROLES)
        line(g, "sync(); registers_%s();", g->number % 2 ? "some" : "more");
    line(g, "u64 result = m0 + rounds;");
    results(g, "result");
    line(g, "g->out[gid()] = mix(g->out[gid()], result);");
    line(g, "end_shared(g, s);");
    if (chance(g, 50)) { /* threads end one after the other */
        g->shared_ended = true;
        g->size_left = 10;
        statements(g, (struct place){.level = LANE, .depth = 2, .trips = 1, .returns = RETURNS_NOTHING}, 4);
        line(g, "g->out[gid()] = mix(g->out[gid()], 1);");
    }
    block_end(g);
    line(g, "#ifdef __CUDACC__");
    block_begin(g, g->forms & FORM_ROLES ? "__global__ __launch_bounds__(MOST_THREADS) void kernel(struct arena *g, u32 n)"
                                         : "__global__ void kernel(struct arena *g, u32 n)");
    line(g, "__shared__ struct block_memory s;");
    if (g->forms & FORM_EARLY) /* all threads, or one that the others follow */
        line(g, g->number % 2 ? "wait_for_launch();" : "if (tid() == 0) wait_for_launch();\n    __syncthreads();");
    line(g, "body(g, &s, n);");
    block_end(g);
    line(g, "#endif");
}

bool uses_groups(uint32_t number)
{
    return number / GROUP % 4 == 3;
}

void program_text(struct generator *g)
{
    static const unsigned sizes[] = {32, 64, 64, 96, 128, 128, 80, 33};
    uint32_t group = g->number / GROUP;
    g->random = random_stream_of(group, "functions", 0);
    g->groups = uses_groups(g->number);
    g->threads = 33; /* those of a kernel that uses the functions: no warp need be whole */
    line(g, "namespace group_%u {", group);
    lock_functions(g);
    pure_functions(g);
    procedures(g);
    line(g, "}");
    g->kernel_begins = g->out.length;
    g->random = random_stream_of(g->number, "program", 0);
    g->threads = sizes[draw(g, 8)];
    g->blocks = 1 + (draw(g, 4) > 0);
    g->locks_left = 1 + (int)draw(g, 4);
    g->forms = g->blocks == 2 && chance(g, 25) ? FORM_CLUSTER : 0;
    struct generator apart = {.random = random_stream_of(g->number, "roles", 0)};
    g->forms |= chance(&apart, 15) ? FORM_ROLES : 0;
    g->forms |= chance(&apart, 20) ? FORM_EARLY : 0;
    line(g, "namespace program_%u {", g->number);
    line(g, "using namespace group_%u;", group);
    kernel(g);
    line(g, "}");
}
