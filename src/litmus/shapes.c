/* Lockstep's own litmus tests: every shape of shapes.def, with every way to order its accesses, every scope, and its
 * threads in one block, in blocks of their own, or the first two in one. */
#include "litmus/litmus.h"

#define SHAPE_THREADS 4

static const struct shape {
    const char *name, *condition, *threads[SHAPE_THREADS];
} shapes[] = {
#define SHAPE(name, condition, ...) {name, condition, {__VA_ARGS__}},
#include "litmus/shapes.def"
#undef SHAPE
};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* The ways: what accesses are, and what stands between a thread's two. Where data is weak, those of a thread that begin
 * with a write or end with a read are weak: what others are told of, or have been told of, by the thread's other one.
 */
enum way {
    WAY_WEAK,
    WAY_RELAXED,
    WAY_PAIRS,
    WAY_PAIRS_DATA,
    WAY_FENCE,
    WAY_FENCE_DATA,
    WAY_SC,
    WAY_SC_DATA,
    WAY_ATOMICS,
    WAY_BARRIER,
    WAYS
};
static const struct {
    const char *name, *between; /* between: the instruction, without its scope */
    bool scoped, weak_data;
} ways[WAYS] = {
    [WAY_WEAK] = {"weak", NULL, false, true},
    [WAY_RELAXED] = {"relaxed", NULL, true, false},
    [WAY_PAIRS] = {"release-acquire", NULL, true, false},
    [WAY_PAIRS_DATA] = {"data-release-acquire", NULL, true, true},
    [WAY_FENCE] = {"fence.acq_rel", "fence.acq_rel", true, false},
    [WAY_FENCE_DATA] = {"data-fence.acq_rel", "fence.acq_rel", true, true},
    [WAY_SC] = {"fence.sc", "fence.sc", true, false},
    [WAY_SC_DATA] = {"data-fence.sc", "fence.sc", true, true},
    [WAY_ATOMICS] = {"atomics", NULL, true, false},
    [WAY_BARRIER] = {"barrier", "bar.cta.sync 0", false, true},
};
static const char *const scope_names[] = {"cta", "gpu", "sys"};
enum placement { ONE_BLOCK, OWN_BLOCKS, TWO_TOGETHER, PLACEMENTS };
static const char *const placement_names[PLACEMENTS] = {"one-block", "own-blocks", "two-together"};

struct variant {
    const struct shape *shape;
    enum way way;
    unsigned scope;
    enum placement placement;
};

static unsigned threads_of(const struct shape *shape)
{
    unsigned n = 0;
    while (n < SHAPE_THREADS && shape->threads[n])
        n++;
    return n;
}

/* Weak accesses and barriers have no scope; a barrier is one block's. */
static bool is_sensible(const struct variant *v)
{
    if (!ways[v->way].scoped && v->scope != 0)
        return false;
    if (v->way == WAY_BARRIER && v->placement != ONE_BLOCK)
        return false;
    return v->placement != TWO_TOGETHER || threads_of(v->shape) > 2;
}

static unsigned block_of(const struct variant *v, unsigned thread)
{
    return v->placement == ONE_BLOCK ? 0 : v->placement == OWN_BLOCKS ? thread : thread < 2 ? 0 : thread - 1;
}

/* The way's name or instruction with its scope. */
static void write_scoped(const struct variant *v, const char *word, struct strbuf *out)
{
    strbuf_addf(out, ways[v->way].scoped ? "%s.%s" : "%s", word, scope_names[v->scope]);
}

static const char *order_of(const struct variant *v, bool writes, bool first)
{
    bool pairs = v->way == WAY_PAIRS || v->way == WAY_PAIRS_DATA;
    if (ways[v->way].weak_data && (writes == first || !ways[v->way].scoped))
        return "weak";
    if (pairs && writes != first)
        return writes ? "release" : "acquire";
    return "relaxed";
}

/* access: Wx1 or Ry0. first: of its thread. */
static void write_access(const struct variant *v, const char *access, bool first, struct strbuf *out)
{
    const char *scope = scope_names[v->scope];
    bool writes = access[0] == 'W';
    if (v->way == WAY_ATOMICS && writes) {
        strbuf_addf(out, " atom.acq_rel.%s.exch r9, %c, %c", scope, access[1], access[2]);
        return;
    }
    if (v->way == WAY_ATOMICS) {
        strbuf_addf(out, " atom.acq_rel.%s.add r%c, %c, 0", scope, access[2], access[1]);
        return;
    }
    const char *order = order_of(v, writes, first);
    strbuf_addf(out, " %s.%s", writes ? "st" : "ld", order);
    if (order[0] != 'w')
        strbuf_addf(out, ".%s", scope);
    if (writes)
        strbuf_addf(out, " %c, %c", access[1], access[2]);
    else
        strbuf_addf(out, " r%c, %c", access[2], access[1]);
}

/* Row 0 and 2 are a thread's accesses, row 1 is between them. A thread with one has it in the last row, so that it
 * comes behind a barrier. */
static void write_cell(const struct variant *v, unsigned thread, unsigned row, struct strbuf *out)
{
    const char *what = v->shape->threads[thread];
    bool two = what[3] == ' ';
    if (row == 1 && ways[v->way].between) {
        strbuf_add(out, " ");
        write_scoped(v, ways[v->way].between, out);
    } else if (row == 2) {
        write_access(v, two ? what + 4 : what, !two && what[0] == 'R', out);
    } else if (row == 0 && two) {
        write_access(v, what, true, out);
    }
}

static void write_test(const struct variant *v, struct strbuf *out)
{
    unsigned threads = threads_of(v->shape);
    strbuf_addf(out, "PTX %s+", v->shape->name);
    write_scoped(v, ways[v->way].name, out);
    strbuf_addf(out, "+%s\n{\n}\n", placement_names[v->placement]);
    for (unsigned i = 0; i < threads; i++)
        strbuf_addf(out, " P%u@cta %u,gpu 0 %s", i, block_of(v, i), i + 1 < threads ? "|" : ";\n");
    for (unsigned row = 0; row < 3; row++)
        for (unsigned i = 0; i < threads; i++) {
            write_cell(v, i, row, out);
            strbuf_add(out, i + 1 < threads ? " |" : " ;\n");
        }
    strbuf_addf(out, "exists (%s)\n", v->shape->condition);
}

bool litmus_shape(unsigned number, struct strbuf *out)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (unsigned way = 0; way < WAYS; way++)
            for (unsigned scope = 0; scope < 3; scope++)
                for (unsigned placement = 0; placement < PLACEMENTS; placement++) {
                    struct variant v = {&shapes[i], way, scope, placement};
                    if (!is_sensible(&v) || number-- > 0)
                        continue;
                    write_test(&v, out);
                    return true;
                }
    return false;
}
