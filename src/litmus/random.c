/* Random litmus tests: short enough that the model can look at all of their executions, and with everything in them
 * that a test may hold: all sizes, orders and scopes, atomics that fail and succeed, values that go from one access to
 * the next, branches, fences, barriers of a block and of a part of it. A mixed test has accesses by several proxies and
 * by two addresses of a place, too, and fences of proxies. */
#include "base/arena.h"
#include "base/random.h"
#include "litmus/litmus.h"

#define MOST_THREADS 4
#define MOST_CELLS 32
#define MOST_MEETINGS 2

static const char *const scopes[] = {"cta", "gpu", "gpu", "sys"};
static const char *const load_orders[] = {"weak", "relaxed", "acquire", "volatile"};
static const char *const store_orders[] = {"weak", "relaxed", "release", "volatile"};
static const char *const atomic_orders[] = {"relaxed", "acquire", "release", "acq_rel"};
static const char *const fence_orders[] = {"acq_rel", "sc"};
static const char *const updates[] = {"exch", "cas", "add", "sub", "and", "or", "xor", "min", "max"};
static const char *const proxy_loads[] = {"suld", "tld", "cold"};
static const char *const proxies[] = {"alias", "alias", "surface", "surface", "texture", "constant"};
static const char places[] = "xyz", aliases[] = "XYZ";
static const unsigned sizes[] = {8, 16, 32, 64};

/* One barrier of some threads of a block. Threads come to barriers in the order of their numbers, so that none of them
 * waits for ever. */
struct meeting {
    unsigned takes;             /* 0: all threads of the block, and the instruction does not say so */
    uint32_t waiting, arriving; /* threads, by bit */
};

struct maker {
    struct random_stream random;
    struct arena arena;
    unsigned threads, places, meetings;
    bool mixed;
    bool cycle; /* each thread's second access and the next one's first are of one place */
    enum { NO_EDGE, READS, OVERTAKES, OVERWRITES } edge[MOST_THREADS]; /* the next one's first does, or is overtaken */
    unsigned edge_place[MOST_THREADS];
    unsigned cta[MOST_THREADS], bits[3];
    struct meeting meeting[MOST_MEETINGS];
    const char *cells[MOST_THREADS][MOST_CELLS];
    unsigned cell_count[MOST_THREADS];
    unsigned registers[MOST_THREADS]; /* r0 and on hold what was read */
    unsigned labels;
    const char *label; /* of the cell that is next */
};

static unsigned below(struct maker *m, unsigned n)
{
    return random_below(&m->random, n);
}

static bool one_in(struct maker *m, unsigned n)
{
    return below(m, n) == 0;
}

#define PICK(m, words) ((words)[below(m, sizeof(words) / sizeof *(words))])

static void add_cell(struct maker *m, unsigned thread, const char *text)
{
    if (m->label)
        text = arena_printf(&m->arena, "%s: %s", m->label, text);
    m->label = NULL;
    m->cells[thread][m->cell_count[thread]++] = text;
}

/* Accesses */

static const char *order(struct maker *m, const char *word)
{
    bool scoped = word[0] != 'w' && word[0] != 'v';
    return scoped ? arena_printf(&m->arena, "%s.%s", word, PICK(m, scopes)) : word;
}

/* A number, or what was read before, perhaps one more. */
static const char *value(struct maker *m, unsigned thread)
{
    unsigned known = m->registers[thread];
    if (!known || !one_in(m, 3))
        return arena_printf(&m->arena, "%u", 1 + below(m, 3));
    unsigned from = below(m, known);
    if (!one_in(m, 3))
        return arena_printf(&m->arena, "r%u", from);
    add_cell(m, thread, arena_printf(&m->arena, "add r9, r%u, %u", from, 1 + below(m, 2)));
    return "r9";
}

static const char *new_register(struct maker *m, unsigned thread)
{
    return arena_printf(&m->arena, "r%u", m->registers[thread]++);
}

/* The address by which an access names a place. */
static char name_of(struct maker *m, unsigned place)
{
    return m->mixed && one_in(m, 4) ? aliases[place] : places[place];
}

static void make_load(struct maker *m, unsigned thread, unsigned place, const char *word)
{
    bool generic = !m->mixed || word[0] != 'w' || one_in(m, 2);
    const char *by = generic ? "ld" : PICK(m, proxy_loads);
    char name = name_of(m, place);
    word = order(m, word);
    add_cell(m, thread, arena_printf(&m->arena, "%s.%s %s, %c", by, word, new_register(m, thread), name));
}

static void make_store(struct maker *m, unsigned thread, unsigned place, const char *word)
{
    const char *what = value(m, thread), *by = m->mixed && word[0] == 'w' && one_in(m, 2) ? "sust" : "st";
    char name = name_of(m, place);
    add_cell(m, thread, arena_printf(&m->arena, "%s.%s %c, %s", by, order(m, word), name, what));
}

static void make_atomic(struct maker *m, unsigned thread, unsigned place)
{
    const char *update = m->bits[place] == 16 ? "cas" : PICK(m, updates);
    const char *word = order(m, PICK(m, atomic_orders)), *what = value(m, thread);
    bool compares = update[0] == 'c';
    if (compares)
        what = arena_printf(&m->arena, "%u, %s", one_in(m, 3) ? 7 : below(m, 3), what);
    if (compares || !one_in(m, 4))
        add_cell(m, thread,
                 arena_printf(&m->arena, "atom.%s.%s %s, %c, %s", word, update, new_register(m, thread), places[place],
                              what));
    else
        add_cell(m, thread, arena_printf(&m->arena, "red.%s.%s %c, %s", word, update, places[place], what));
}

static void make_fence(struct maker *m, unsigned thread)
{
    for (unsigned i = m->mixed ? below(m, 3) : 0; i; i--)
        add_cell(m, thread, arena_printf(&m->arena, "fence.proxy.%s", PICK(m, proxies)));
    add_cell(m, thread, arena_printf(&m->arena, "fence.%s.%s", PICK(m, fence_orders), PICK(m, scopes)));
}

/* One of the first two accesses of a thread in a cycle. Most threads tell others of what they wrote before, or look at
 * what they were told of: data is weak, and what tells of it is a release or acquire, or has a fence. */
static void make_step(struct maker *m, unsigned thread, unsigned number)
{
    unsigned edge = (thread + m->threads - 1 + number) % m->threads, place = m->edge_place[edge];
    bool writes = number ? m->edge[edge] != OVERTAKES : m->edge[edge] != READS, is_data = writes == !number;
    bool fence = one_in(m, 2);
    const char *tells = fence ? "relaxed" : writes ? "release" : "acquire";
    if (number && fence)
        make_fence(m, thread);
    if (one_in(m, 8) && m->bits[place] > 16)
        make_atomic(m, thread, place);
    else if (writes)
        make_store(m, thread, place, one_in(m, 4) ? PICK(m, store_orders) : is_data ? "weak" : tells);
    else
        make_load(m, thread, place, one_in(m, 4) ? PICK(m, load_orders) : is_data ? "weak" : tells);
    if (!number && fence && !is_data)
        make_fence(m, thread);
}

/* One access, perhaps behind a fence, and perhaps only if a value that was read is not another one. number: of the
 * thread's accesses. */
static void make_access(struct maker *m, unsigned thread, unsigned number)
{
    unsigned place = below(m, m->places), kind = below(m, 10);
    if (m->cycle && number < 2) {
        make_step(m, thread, number);
        return;
    }
    const char *past = NULL;
    if (one_in(m, 4))
        make_fence(m, thread);
    if (m->registers[thread] && one_in(m, 6)) {
        past = arena_printf(&m->arena, "L%u", m->labels++);
        add_cell(m, thread,
                 arena_printf(&m->arena, "%s r%u, %u, %s", one_in(m, 2) ? "beq" : "bne", below(m, m->registers[thread]),
                              below(m, 3), past));
    }
    if (kind < 4)
        make_load(m, thread, place, PICK(m, load_orders));
    else if (kind < 7 || m->bits[place] == 8)
        make_store(m, thread, place, PICK(m, store_orders));
    else
        make_atomic(m, thread, place);
    m->label = past;
}

/* Threads */

static void make_meeting(struct maker *m, struct meeting *meeting)
{
    unsigned block = m->cta[below(m, m->threads)], count = 0;
    uint32_t all = 0;
    *meeting = (struct meeting){0};
    for (unsigned t = 0; t < m->threads; t++)
        if (m->cta[t] == block) {
            all |= 1u << t;
            count++;
        }
    if (count < 2)
        return;
    meeting->waiting = all;
    if (count == MOST_THREADS && one_in(m, 2)) {
        meeting->takes = 2; /* two of them and two of them, whoever comes first */
        return;
    }
    if (one_in(m, 3))
        return;
    meeting->takes = count;
    if (count > 2 && one_in(m, 2)) {
        unsigned absent = below(m, m->threads);
        meeting->takes -= meeting->waiting >> absent & 1;
        meeting->waiting &= ~(1u << absent);
    }
    unsigned arrives = below(m, m->threads);
    if (one_in(m, 2)) {
        meeting->arriving = meeting->waiting & 1u << arrives;
        meeting->waiting &= ~meeting->arriving;
    }
}

static void add_meeting(struct maker *m, unsigned thread, unsigned number)
{
    const struct meeting *meeting = &m->meeting[number];
    if (!((meeting->waiting | meeting->arriving) >> thread & 1))
        return;
    const char *word = meeting->arriving >> thread & 1 ? "arrive" : "sync";
    if (meeting->takes)
        add_cell(m, thread, arena_printf(&m->arena, "bar.%s %u, %u", word, number, meeting->takes));
    else
        add_cell(m, thread, arena_printf(&m->arena, "bar.%s %u", word, number));
}

static void make_thread(struct maker *m, unsigned thread)
{
    static const unsigned most[] = {0, 0, 4, 3, 2};
    unsigned accesses = 1 + below(m, most[m->threads]), number = 0;
    if (accesses < 2 && (m->cycle || one_in(m, 2)))
        accesses = 2;
    for (unsigned part = 0; part <= m->meetings; part++) {
        unsigned here = part == m->meetings ? accesses : below(m, accesses + 1);
        for (unsigned i = 0; i < here; i++)
            make_access(m, thread, number++);
        accesses -= here;
        if (part < m->meetings)
            add_meeting(m, thread, part);
    }
    if (m->label)
        add_cell(m, thread, "");
}

/* Edges as in known shapes: most often what one thread writes, the next reads. Neighbours are of different places where
 * there are enough. */
static void make_cycle(struct maker *m)
{
    m->cycle = true;
    for (unsigned t = 0; t < m->threads; t++) {
        unsigned kind = below(m, 5);
        m->edge[t] = kind < 3 ? READS : kind < 4 ? OVERTAKES : OVERWRITES;
        m->edge_place[t] = t ? (m->edge_place[t - 1] + 1 + below(m, m->places - 1)) % m->places : 0;
    }
    if (m->edge_place[m->threads - 1] == 0)
        m->edge_place[m->threads - 1] = m->places - 1;
}

static void make_test(struct maker *m)
{
    unsigned way = below(m, 4);
    m->threads = 2 + (below(m, 2) ? below(m, 3) : 0);
    m->places = one_in(m, 8) ? 1 : 2 + below(m, 2);
    if (m->places > 1 && one_in(m, 2))
        make_cycle(m);
    bool sized = one_in(m, 2);
    for (unsigned i = 0; i < m->places; i++)
        m->bits[i] = sized ? PICK(m, sizes) : 32;
    for (unsigned t = 0; t < m->threads; t++)
        m->cta[t] = way == 0 ? 0 : way == 1 ? t : below(m, 2);
    m->meetings = one_in(m, 3) ? 1 + below(m, MOST_MEETINGS) : 0;
    for (unsigned i = 0; i < m->meetings; i++)
        make_meeting(m, &m->meeting[i]);
    for (unsigned t = 0; t < m->threads; t++)
        make_thread(m, t);
}

/* Text */

static void write_rows(const struct maker *m, struct strbuf *out)
{
    unsigned rows = 1;
    for (unsigned t = 0; t < m->threads; t++)
        rows = m->cell_count[t] > rows ? m->cell_count[t] : rows;
    for (unsigned row = 0; row < rows; row++)
        for (unsigned t = 0; t < m->threads; t++)
            strbuf_addf(out, " %-28s %s", row < m->cell_count[t] ? m->cells[t][row] : "",
                        t + 1 < m->threads ? "|" : ";\n");
}

/* A condition on every value: an outcome is all of them. */
static void write_condition(struct maker *m, struct strbuf *out)
{
    const char *between = "exists (";
    for (unsigned t = 0; t < m->threads; t++)
        for (unsigned r = 0; r < m->registers[t]; r++) {
            strbuf_addf(out, "%sP%u:r%u == %u", between, t, r, below(m, 3));
            between = " /\\ ";
        }
    for (unsigned i = 0; i < m->places; i++) {
        strbuf_addf(out, "%s%c == %u", between, places[i], below(m, 4));
        between = " /\\ ";
    }
    strbuf_add(out, ")\n");
}

void litmus_random(uint64_t seed, uint64_t number, bool mixed, struct strbuf *out)
{
    struct maker m = {.random = random_stream_of(seed, mixed ? "mixed litmus" : "random litmus", number),
                      .mixed = mixed};
    arena_init(&m.arena);
    make_test(&m);
    strbuf_addf(out, "PTX %s-%llu-%llu\n{", mixed ? "mixed" : "random", (unsigned long long)seed,
                (unsigned long long)number);
    for (unsigned i = 0; i < m.places; i++)
        strbuf_addf(out, " b%u %c=0;", m.bits[i], places[i]);
    for (unsigned i = 0; mixed && i < m.places; i++)
        strbuf_addf(out, " %c @ generic aliases %c;", aliases[i], places[i]);
    strbuf_add(out, " }\n");
    for (unsigned t = 0; t < m.threads; t++) {
        const char *head = arena_printf(&m.arena, "P%u@cta %u,gpu 0", t, m.cta[t]);
        strbuf_addf(out, " %-28s %s", head, t + 1 < m.threads ? "|" : ";\n");
    }
    write_rows(&m, out);
    write_condition(&m, out);
    arena_free(&m.arena);
}
