// A cloth's distance solver: particles joined by constraints, each of which wants two of them at a given distance. A
// thread for each constraint locks both particles, moves them towards that distance, and releases them.
//
// The locks are two nested try-locks in the order of the particles' numbers, as in atm. What a constraint does depends
// on where its particles are, so on the order of all corrections, and the sums are rounded: to check the result
// exactly, each particle counts its corrections under its lock and each constraint notes the two counts it met. The
// host carries out the constraints in an order that agrees with all of these notes and must come to the same bits.
#include "../workload.h"
#include <algorithm>

// `moves` are the corrections so far.
struct particle {
    float x, y, z;
    unsigned moves;
};

struct constraint {
    unsigned a, b;          // particles, a < b
    float rest;             // the distance they should have
    float share_a, share_b; // what each gives of the way there: less the more mass it has, nothing when it is pinned
};

// How the constraint found its particles.
struct note {
    unsigned moves_a, moves_b;
};

// Moves both particles along the line between them, each by its share. No product is added to anything but by fmaf, so
// that there is nothing that one compiler contracts and another does not.
static __host__ __device__ inline void correct(particle *a, particle *b, float rest, float share_a, float share_b)
{
    float x = b->x - a->x, y = b->y - a->y, z = b->z - a->z;
    float length = sqrtf(fmaf(x, x, fmaf(y, y, z * z)));
    float way = (length - rest) / length, move_a = way * share_a, move_b = -way * share_b;
    a->x = fmaf(move_a, x, a->x);
    a->y = fmaf(move_a, y, a->y);
    a->z = fmaf(move_a, z, a->z);
    b->x = fmaf(move_b, x, b->x);
    b->y = fmaf(move_b, y, b->y);
    b->z = fmaf(move_b, z, b->z);
}

// Particles are volatile and stand between fences, for the reasons given in hashtable.
static __device__ particle load(const volatile particle *from)
{
    return {from->x, from->y, from->z, from->moves};
}

static __device__ void store(volatile particle *to, const particle &p)
{
    to->x = p.x;
    to->y = p.y;
    to->z = p.z;
    to->moves = p.moves + 1;
}

// One sweep over all constraints. Launches ask for shared memory that is not used, to limit the blocks of an SM.
__global__ void solve(const constraint *constraints, unsigned count, volatile particle *particles, int *locks,
                      note *notes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    constraint c = constraints[i];
    bool done = false;
    while (!done) {
        SPIN_LOOP();
        if (atomicCAS(&locks[c.a], 0, 1) == 0) {
            if (atomicCAS(&locks[c.b], 0, 1) == 0) {
                __threadfence();
                particle a = load(&particles[c.a]), b = load(&particles[c.b]);
                correct(&a, &b, c.rest, c.share_a, c.share_b);
                store(&particles[c.a], a);
                store(&particles[c.b], b);
                notes[i] = {a.moves, b.moves};
                __threadfence();
                atomicExch(&locks[c.b], 0);
                done = true;
            }
            atomicExch(&locks[c.a], 0);
        }
    }
}

// Shirts, each cut from a sheet of `width` x `width` places: the upper third is as wide as the sleeves, the rest half
// of that. A place is a row and a column of one of the sheets, which lie one below the other. The weight of a particle
// is the inverse of its mass: the uppermost are pinned, those of the hem have half the mass.
struct wardrobe {
    unsigned width, shirts;
    std::vector<unsigned> number; // of the particle at a place, or NONE
    std::vector<particle> particles;
    std::vector<float> weights;
    static constexpr float STIFFNESS = 0.75f;
    static constexpr unsigned NONE = UINT32_MAX, KINDS = 6;

    bool inside(unsigned row, unsigned column) const
    {
        return row < width && column < width &&
               (row < width / 3 || (column >= width / 4 && column < width - width / 4));
    }
    explicit wardrobe(unsigned wide, unsigned many, generator &random)
        : width(wide), shirts(many), number((size_t)many * wide * wide, NONE)
    {
        for (size_t place = 0; place < number.size(); place++) {
            unsigned row = (unsigned)(place / width % width), column = (unsigned)(place % width);
            if (inside(row, column)) {
                float z = (float)random.below(1024) / 4096, x = (float)random.below(1024) / 4096;
                number[place] = (unsigned)particles.size();
                particles.push_back({(float)column + x, (float)row, z, 0});
                weights.push_back(row == 0 ? 0.f : row == width - 1 ? 2.f : 1.f);
            }
        }
    }
    // The constraint to the place `down` and `right` of this one, where there is one and not both ends are pinned.
    void join(std::vector<constraint> &list, size_t sheet, unsigned row, unsigned column, unsigned down, int right,
              float rest) const
    {
        if (!inside(row, column) || !inside(row + down, column + (unsigned)right))
            return;
        const unsigned *of_sheet = &number[sheet * width * width];
        unsigned a = of_sheet[row * width + column], b = of_sheet[(row + down) * width + column + (unsigned)right];
        float sum = weights[a] + weights[b];
        if (sum > 0)
            list.push_back({a, b, rest, STIFFNESS * weights[a] / sum, STIFFNESS * weights[b] / sum});
    }
    // Of one shirt, the first so many kinds: threads along and across, diagonals against shear, and pairs two apart
    // against bending.
    std::vector<constraint> constraints(size_t sheet, size_t kinds) const
    {
        static const struct {
            unsigned down;
            int right;
            float rest;
        } kind[KINDS] = {{0, 1, 1.f}, {1, 0, 1.f}, {1, 1, 1.41421356f}, {1, -1, 1.41421356f}, {0, 2, 2.f}, {2, 0, 2.f}};
        std::vector<constraint> list;
        for (unsigned row = 0; row < width; row++)
            for (unsigned column = 0; column < width; column++)
                for (size_t k = 0; k < kinds; k++)
                    join(list, sheet, row, column, kind[k].down, kind[k].right, kind[k].rest);
        return list;
    }
};

static bool touches(const std::vector<constraint> &group, const constraint &c)
{
    return std::any_of(group.begin(), group.end(),
                       [&](const constraint &o) { return o.a == c.a || o.a == c.b || o.b == c.a || o.b == c.b; });
}

// The list in groups of so many constraints without a common particle: each goes into the first open group that it
// fits, of which there are few, so that neighbours stay near each other. 1 leaves the list as it is.
static std::vector<constraint> grouped(const std::vector<constraint> &list, size_t size)
{
    constexpr size_t OPEN = 16;
    std::vector<std::vector<constraint>> open;
    std::vector<constraint> result;
    auto close = [&](size_t which) {
        result.insert(result.end(), open[which].begin(), open[which].end());
        open.erase(open.begin() + (ptrdiff_t)which);
    };
    for (const constraint &c : list) {
        size_t at = 0;
        while (at < open.size() && touches(open[at], c))
            at++;
        if (at == OPEN)
            close(0);
        if (at >= open.size()) {
            open.emplace_back();
            at = open.size() - 1;
        }
        open[at].push_back(c);
        if (open[at].size() == size)
            close(at);
    }
    while (!open.empty())
        close(0);
    return result;
}

// The constraints of all shirts, in groups: one of the first shirt, one of the second, and so on round the shirts.
static std::vector<constraint> woven(const wardrobe &all, size_t kinds, size_t group)
{
    std::vector<std::vector<constraint>> lists;
    size_t longest = 0;
    for (size_t sheet = 0; sheet < all.shirts; sheet++) {
        lists.push_back(grouped(all.constraints(sheet, kinds), group));
        longest = std::max(longest, lists.back().size());
    }
    std::vector<constraint> result;
    for (size_t start = 0; start < longest; start += group)
        for (const std::vector<constraint> &list : lists)
            for (size_t i = start; i < std::min(start + group, list.size()); i++)
                result.push_back(list[i]);
    return result;
}

static uint64_t wrong_if(bool bad, const char *what, uint64_t where)
{
    if (bad)
        fprintf(stderr, "cloth: %s %llu\n", what, (unsigned long long)where);
    return bad;
}

// What two free particles gained in mass times position: nothing but rounding. `was` and `now` are before and after.
static double gain(const particle (&now)[2], const particle (&was)[2], double mass_a, double mass_b)
{
    double x = (now[0].x - was[0].x) * mass_a + (now[1].x - was[1].x) * mass_b;
    double y = (now[0].y - was[0].y) * mass_a + (now[1].y - was[1].y) * mass_b;
    double z = (now[0].z - was[0].z) * mass_a + (now[1].z - was[1].z) * mass_b;
    return std::max({x, -x, y, -y, z, -z});
}

// One sweep on the host: a constraint is carried out once both its particles have come to the counts it noted. Where
// none can be, two constraints had one particle at the same time, or their order runs in a circle.
struct replay {
    const std::vector<constraint> &constraints;
    const std::vector<float> &weights;
    std::vector<particle> particles;
    double most_gain = 0;

    bool can_go(size_t i, const std::vector<note> &notes) const
    {
        const constraint &c = constraints[i];
        return particles[c.a].moves == notes[i].moves_a && particles[c.b].moves == notes[i].moves_b;
    }
    void go(size_t i)
    {
        const constraint &c = constraints[i];
        particle was[2] = {particles[c.a], particles[c.b]}, now[2] = {was[0], was[1]};
        correct(&now[0], &now[1], c.rest, c.share_a, c.share_b);
        if (weights[c.a] > 0 && weights[c.b] > 0)
            most_gain = std::max(most_gain, gain(now, was, 1. / weights[c.a], 1. / weights[c.b]));
        now[0].moves++;
        now[1].moves++;
        particles[c.a] = now[0];
        particles[c.b] = now[1];
    }
    uint64_t sweep(const std::vector<note> &notes, const std::vector<std::vector<unsigned>> &of_particle)
    {
        std::vector<bool> done(constraints.size());
        size_t left = constraints.size();
        std::vector<unsigned> ready;
        for (unsigned i = 0; i < constraints.size(); i++)
            ready.push_back(i);
        while (!ready.empty()) {
            unsigned i = ready.back();
            ready.pop_back();
            if (done[i] || !can_go(i, notes))
                continue;
            go(i);
            done[i] = true;
            left--;
            for (unsigned end : {constraints[i].a, constraints[i].b})
                ready.insert(ready.end(), of_particle[end].begin(), of_particle[end].end());
        }
        return wrong_if(left != 0, "corrections in no order that the notes allow:", left);
    }
};

int main(int argc, char **argv)
{
    option options[] = {
        {"width", "particles across the sleeves, and down", 48, 4, 1024, 12, 128},
        {"shirts", "that are corrected in turns", 1, 1, 1000, 1, 1},
        {"kinds", "of constraints: 2 threads, 2 against shear, 2 against bending", 6, 1, 6, 6, 6},
        {"sweeps", "over all constraints, a launch each", 2, 1, 1000, 2, 2},
        {"block", "threads of a block", 192, 1, 1024, 64, 192},
        {"group", "constraints in a row without a common particle", 8, 1, 32, 8, 8},
        {"shared", "bytes of shared memory to ask for a block", 12288, 0, 49152, 12288, 12288},
        {"seed", "of the positions", 2009, 0, UINT64_MAX, 2009, 2009},
    };
    option_read(options, argc, argv);
    unsigned width = (unsigned)options[0].value, shirts = (unsigned)options[1].value,
             sweeps = (unsigned)options[3].value, block = (unsigned)options[4].value;
    size_t kinds = options[2].value, group = options[5].value, shared = options[6].value;
    generator random = {options[7].value};
    wardrobe cut(width, shirts, random);
    std::vector<constraint> list = woven(cut, kinds, group);
    unsigned count = (unsigned)list.size(), blocks = (count + block - 1) / block;
    std::vector<std::vector<unsigned>> of_particle(cut.particles.size());
    for (unsigned i = 0; i < count; i++) {
        of_particle[list[i].a].push_back(i);
        of_particle[list[i].b].push_back(i);
    }

    constraint *constraints = to_device(list);
    particle *particles = to_device(cut.particles);
    int *locks = to_device(std::vector<int>(cut.particles.size(), 0));
    note *notes = to_device(std::vector<note>(count, note{0, 0}));
    printf("cloth: %zu particles, %u constraints, %u blocks of %u threads, %u sweeps\n", cut.particles.size(), count,
           blocks, block, sweeps);
    replay host = {list, cut.weights, cut.particles};
    uint64_t wrong = 0;
    for (unsigned sweep = 0; sweep < sweeps && !wrong; sweep++) {
        solve<<<blocks, block, shared>>>(constraints, count, particles, locks, notes);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        wrong += host.sweep(to_host(notes, count), of_particle);
    }
    std::vector<particle> found = to_host(particles, cut.particles.size());
    std::vector<int> held = to_host(locks, cut.particles.size());
    for (size_t i = 0; i < found.size() && wrong < 10; i++) {
        wrong += wrong_if(held[i] != 0, "still locked: particle", i);
        wrong += wrong_if(memcmp(&found[i], &host.particles[i], sizeof found[i]) != 0,
                          "other bits than in that order on the host: particle", i);
    }
    wrong += wrong_if(host.most_gain > width * 1e-6,
                      "mass times position not kept by a pair, in millionths:", (uint64_t)(host.most_gain * 1e6));
    CHECK(cudaFree(constraints));
    CHECK(cudaFree(particles));
    CHECK(cudaFree(locks));
    CHECK(cudaFree(notes));
    return verdict("cloth", wrong);
}
