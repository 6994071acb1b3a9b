// Needleman and Wunsch's alignment of two sequences: the whole matrix of scores, in tiles. A tile needs the last row of
// the one above and the last column of the one to its left; warps wait for them at flags. Two launches, as the matrix
// is cut at its anti-diagonal: nw1 computes the upper left triangle of tiles, nw2 the lower right one, whose tiles it
// takes in the opposite direction.
//
// Every warp draws a ticket, and tiles are numbered so that each comes after those it needs. So what a warp waits for
// was drawn before by a warp that runs already or has ended: whatever the order in which a machine starts blocks, some
// warp always can go on. Young warps wait for old ones.
#include "../workload.h"

constexpr unsigned TILE = 16, LANES = 32, MOST_WARPS = 16; // of a block
constexpr unsigned LETTERS = 20;
constexpr int UNWRITTEN = INT32_MIN / 2;

// BLOSUM62 (Henikoff and Henikoff, PNAS 89, 1992): the score of two amino acids, in the order ARNDCQEGHILKMFPSTWYV,
// without the half above the diagonal.
static const signed char BLOSUM62[LETTERS * (LETTERS + 1) / 2] = {
    4,                                                                             // A
    -1, 5,                                                                         // R
    -2, 0,  6,                                                                     // N
    -2, -2, 1,  6,                                                                 // D
    0,  -3, -3, -3, 9,                                                             // C
    -1, 1,  0,  0,  -3, 5,                                                         // Q
    -1, 0,  0,  2,  -4, 2,  5,                                                     // E
    0,  -2, 0,  -1, -3, -2, -2, 6,                                                 // G
    -2, 0,  1,  -1, -3, 0,  0,  -2, 8,                                             // H
    -1, -3, -3, -3, -1, -3, -3, -4, -3, 4,                                         // I
    -1, -2, -3, -4, -1, -2, -3, -4, -3, 2,  4,                                     // L
    -1, 2,  0,  -1, -3, 1,  1,  -2, -1, -3, -2, 5,                                 // K
    -1, -1, -2, -3, -1, 0,  -2, -3, -2, 1,  2,  -1, 5,                             // M
    -2, -3, -3, -3, -2, -3, -3, -3, -1, 0,  0,  -3, 0,  6,                         // F
    -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7,                     // P
    1,  -1, 1,  0,  -1, 0,  0,  0,  -1, -2, -2, 0,  -1, -2, -1, 4,                 // S
    0,  -1, 0,  -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1,  5,             // T
    -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1,  -4, -3, -2, 11,        // W
    -2, -2, -2, -3, -2, -1, -2, -3, 2,  -1, -1, -2, -1, 3,  -3, -2, -2, 2,  7,     // Y
    0,  -3, -3, -3, -1, -2, -2, -3, -3, 3,  1,  -2, 1,  -1, -2, -2, 0,  -3, -1, 4, // V
};

struct place {
    unsigned short row, column; // of a tile
};

// What both kernels work on. The matrix has size + 1 rows and columns, of which row 0 and column 0 are given.
struct problem {
    const unsigned char *down, *across; // the sequences: letters of rows and of columns
    const int *scores;                  // LETTERS x LETTERS
    volatile int *matrix;
    volatile int *ready; // a flag for each tile, and one that is set
    unsigned size, tiles, pitch;
    int penalty;
};

// A warp's shared memory: a tile with the row above it and the column to its left, and the letters of its rows.
struct desk {
    int cell[TILE + 1][TILE + 1];
    int letter[TILE];
};

// Where a tile's flag is; where there is no tile, one that is always set: the row or column is there from the beginning.
static __device__ __forceinline__ unsigned flag_of(const problem &p, int row, int column)
{
    return row >= 0 && column >= 0 ? row * p.tiles + column : p.tiles * p.tiles;
}

// Waits until both tiles are done: one loop, so that every wait of the kernel goes round over the same branch.
static __device__ __forceinline__ void await(const problem &p, unsigned above, unsigned left)
{
    do {
        SPIN_LOOP();
    } while ((p.ready[above] & p.ready[left]) == 0);
}

// One tile by one warp, a lane for each column: lanes go down their columns one step apart. The matrix is volatile,
// since an L1 cache may hold lines of it from before a neighbour wrote there; the fence after the wait keeps these
// loads behind it.
static __device__ __forceinline__ void compute(const problem &p, place at, const int *scores, volatile desk *d)
{
    unsigned lane = threadIdx.x % LANES, top = at.row * TILE, left = at.column * TILE;
    await(p, flag_of(p, at.row - 1, at.column), flag_of(p, at.row, at.column - 1));
    __threadfence();
    if (lane < TILE)
        d->letter[lane] = p.down[top + lane];
    if (lane <= TILE) {
        d->cell[0][lane] = p.matrix[top * p.pitch + left + lane];
        d->cell[lane][0] = p.matrix[(top + lane) * p.pitch + left];
    }
    __syncwarp();
    unsigned letter = lane < TILE ? p.across[left + lane] : 0;
    for (unsigned step = 0; step < 2 * TILE - 1; step++) {
        unsigned row = step - lane;
        if (lane < TILE && row < TILE) {
            int match = d->cell[row][lane] + scores[d->letter[row] * LETTERS + letter];
            d->cell[row + 1][lane + 1] = max(match, max(d->cell[row][lane + 1], d->cell[row + 1][lane]) - p.penalty);
        }
        __syncwarp();
    }
    for (unsigned row = lane / TILE; row < TILE; row += LANES / TILE)
        p.matrix[(top + row + 1) * p.pitch + left + 1 + lane % TILE] = d->cell[row + 1][lane % TILE + 1];
    __threadfence();
    __syncwarp();
    if (lane == 0)
        p.ready[at.row * p.tiles + at.column] = 1;
}

// The next tile of the list for each warp of the block.
static __device__ __forceinline__ void take_tiles(const problem &p, const place *order, unsigned count,
                                                  unsigned *tickets)
{
    __shared__ int scores[LETTERS * LETTERS];
    extern __shared__ desk desks[];
    for (unsigned i = threadIdx.x; i < LETTERS * LETTERS; i += blockDim.x)
        scores[i] = p.scores[i];
    __syncthreads();
    unsigned ticket = 0;
    if (threadIdx.x % LANES == 0)
        ticket = atomicAdd(tickets, 1);
    ticket = __shfl_sync(0xffffffff, ticket, 0);
    if (ticket < count)
        compute(p, order[ticket], scores, &desks[threadIdx.x / LANES]);
}

__global__ void nw1(problem p, const place *order, unsigned count, unsigned *tickets)
{
    take_tiles(p, order, count, tickets);
}

__global__ void nw2(problem p, const place *order, unsigned count, unsigned *tickets)
{
    take_tiles(p, order, count, tickets);
}

// Tiles by anti-diagonals, from the corner to the longest one: within one downwards.
static std::vector<place> upper_left(unsigned tiles)
{
    std::vector<place> order;
    for (unsigned sum = 0; sum < tiles; sum++)
        for (unsigned row = 0; row <= sum; row++)
            order.push_back({(unsigned short)row, (unsigned short)(sum - row)});
    return order;
}

// The other tiles, to the opposite corner: within an anti-diagonal upwards.
static std::vector<place> lower_right(unsigned tiles)
{
    std::vector<place> order;
    for (unsigned sum = tiles; sum < 2 * tiles - 1; sum++)
        for (unsigned row = tiles - 1; row > sum - tiles; row--)
            order.push_back({(unsigned short)row, (unsigned short)(sum - row)});
    return order;
}

static std::vector<int> score_table()
{
    std::vector<int> scores(LETTERS * LETTERS);
    for (unsigned a = 0, i = 0; a < LETTERS; a++)
        for (unsigned b = 0; b <= a; b++, i++)
            scores[a * LETTERS + b] = scores[b * LETTERS + a] = BLOSUM62[i];
    return scores;
}

// The matrix by rows, on the host.
static std::vector<int> align(const std::vector<unsigned char> &down, const std::vector<unsigned char> &across,
                              const std::vector<int> &scores, int penalty)
{
    size_t size = down.size(), pitch = size + 1;
    std::vector<int> m(pitch * pitch);
    for (size_t i = 0; i < pitch; i++)
        m[i] = m[i * pitch] = -(int)i * penalty;
    for (size_t r = 1; r < pitch; r++)
        for (size_t c = 1; c < pitch; c++) {
            int best = m[(r - 1) * pitch + c - 1] + scores[down[r - 1] * LETTERS + across[c - 1]];
            int up = m[(r - 1) * pitch + c] - penalty, left = m[r * pitch + c - 1] - penalty;
            best = up > best ? up : best;
            m[r * pitch + c] = left > best ? left : best;
        }
    return m;
}

// Blanks what a launch is to compute: the cells of the tiles in the list.
static void blank(std::vector<int> &matrix, size_t pitch, const std::vector<place> &order)
{
    for (place at : order)
        for (unsigned row = 1; row <= TILE; row++)
            for (unsigned column = 1; column <= TILE; column++)
                matrix[(at.row * TILE + row) * pitch + at.column * TILE + column] = UNWRITTEN;
}

static uint64_t check(const std::vector<int> &expected, const std::vector<int> &found, size_t pitch)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < expected.size(); i++)
        if (found[i] != expected[i] && !wrong++)
            fprintf(stderr, "nw: first wrong at row %zu, column %zu: %d, not %d\n", i / pitch, i % pitch, found[i],
                    expected[i]);
    return wrong;
}

static void launch(void (*kernel)(problem, const place *, unsigned, unsigned *), const problem &p,
                   const std::vector<place> &order, unsigned warps)
{
    unsigned count = (unsigned)order.size(), *tickets = to_device(std::vector<unsigned>(1, 0));
    place *dorder = to_device(order);
    if (count)
        kernel<<<(count + warps - 1) / warps, warps * LANES, warps * sizeof(desk)>>>(p, dorder, count, tickets);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(tickets));
    CHECK(cudaFree(dorder));
}

int main(int argc, char **argv)
{
    option options[] = {
        {"size", "length of either sequence, whole tiles of 16", 768, TILE, 1u << 14, 96, 2048},
        {"warps", "of a block, a tile each", 4, 1, MOST_WARPS, 2, 4},
        {"kernel", "1 or 2: only that one, 0: both", 0, 0, 2, 0, 0},
        {"penalty", "of a gap", 10, 0, 1000, 10, 10},
        {"seed", "of the sequences", 7, 0, UINT64_MAX, 7, 7},
    };
    option_read(options, argc, argv);
    unsigned size = (unsigned)options[0].value / TILE * TILE, warps = (unsigned)options[1].value,
             which = (unsigned)options[2].value;
    unsigned tiles = size / TILE, pitch = size + 1;
    int penalty = (int)options[3].value;
    generator random = {options[4].value};
    std::vector<unsigned char> down(size), across(size);
    for (unsigned i = 0; i < size; i++) {
        down[i] = (unsigned char)random.below(LETTERS);
        across[i] = (unsigned char)random.below(LETTERS);
    }
    std::vector<int> scores = score_table(), expected = align(down, across, scores, penalty);
    std::vector<place> first = upper_left(tiles), second = lower_right(tiles);
    std::vector<int> matrix = expected, ready(tiles * tiles + 1, 0);
    ready.back() = 1;
    if (which != 2)
        blank(matrix, pitch, first);
    else
        for (place at : first)
            ready[at.row * tiles + at.column] = 1;
    blank(matrix, pitch, second);
    if (which == 1)
        blank(expected, pitch, second);

    problem p = {to_device(down), to_device(across), to_device(scores), to_device(matrix), to_device(ready),
                 size, tiles, pitch, penalty};
    printf("nw: %u x %u, %zu + %zu tiles, blocks of %u warps\n", size, size, first.size(), second.size(), warps);
    if (which != 2)
        launch(nw1, p, first, warps);
    if (which != 1)
        launch(nw2, p, second, warps);
    std::vector<int> found = to_host(const_cast<const int *>(p.matrix), matrix.size());
    uint64_t wrong = check(expected, found, pitch);
    printf("nw: score %d\n", found.back());
    CHECK(cudaFree((void *)p.down));
    CHECK(cudaFree((void *)p.across));
    CHECK(cudaFree((void *)p.scores));
    CHECK(cudaFree((void *)p.matrix));
    CHECK(cudaFree((void *)p.ready));
    return verdict("nw", wrong);
}
