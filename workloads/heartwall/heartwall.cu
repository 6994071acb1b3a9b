// Following points of a beating heart's walls through the frames of an ultrasound film. A block follows one point: it
// copies the part of the frame around the point's latest place to shared memory, smooths it by a 3 x 3 convolution,
// compares a pattern with it at every place within reach, moves the point to the best one, and blends what is there
// into the pattern. Each of these is a loop in which the threads take every 512th element. Pixels and sums are
// integers: the host's places and patterns are the same, whatever the order.
#include "../workload.h"
#include <cmath>

constexpr unsigned THREADS = 512;

struct place {
    unsigned x, y; // of the pattern's upper left corner
};

struct view {
    unsigned rows, columns, side, reach; // of a frame; of a pattern; how far a point may move between two frames
    __host__ __device__ unsigned window() const { return side + 2 * reach; }
    __host__ __device__ unsigned places() const { return 2 * reach + 1; }
    // The window's upper left corner: such that the point can move as far to all sides, and inside the frame's margin.
    __host__ __device__ place corner(place at) const
    {
        unsigned x = at.x > reach ? at.x - reach : 1, y = at.y > reach ? at.y - reach : 1;
        unsigned most_x = columns - window() - 1, most_y = rows - window() - 1;
        return {x < most_x ? x : most_x, y < most_y ? y : most_y};
    }
};

// The pixel at `p` and its eight neighbours, weighted 1 2 1 along either axis.
template <typename PIXELS> __host__ __device__ static unsigned smoothed(PIXELS p, int line)
{
    unsigned above = p[-line - 1] + 2 * p[-line] + p[-line + 1], under = p[line - 1] + 2 * p[line] + p[line + 1];
    return (above + 2 * (p[-1] + 2 * p[0] + p[1]) + under + 8) / 16;
}

__host__ __device__ static unsigned char blended(unsigned pattern, unsigned pixel)
{
    return (unsigned char)((3 * pattern + pixel + 2) / 4);
}

__device__ static unsigned difference(const unsigned char *window, unsigned line, const unsigned char *pattern,
                                      unsigned side)
{
    unsigned sum = 0;
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++) {
            int d = window[y * line + x] - pattern[y * side + x];
            sum += (unsigned)(d * d);
        }
    return sum;
}

// The least value of all threads of the block.
__device__ static unsigned long long least_of(unsigned long long value)
{
    __shared__ unsigned long long values[THREADS];
    unsigned t = threadIdx.x;
    values[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            values[t] = min(values[t], values[t + half]);
        __syncthreads();
    }
    return values[0];
}

__global__ void __launch_bounds__(THREADS, 2)
    follow(const unsigned char *frame, unsigned char *patterns, place *points, view v)
{
    extern __shared__ unsigned char shared[];
    unsigned width = v.window(), line = width + 2, area = v.side * v.side, places = v.places();
    unsigned char *raw = shared, *window = raw + line * line, *pattern = window + width * width;
    unsigned char *own = patterns + blockIdx.x * area;
    place corner = v.corner(points[blockIdx.x]);
    const unsigned char *from = frame + (corner.y - 1) * v.columns + corner.x - 1;
    for (unsigned i = threadIdx.x; i < line * line; i += THREADS)
        raw[i] = from[i / line * v.columns + i % line];
    for (unsigned i = threadIdx.x; i < area; i += THREADS)
        pattern[i] = own[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < width * width; i += THREADS)
        window[i] = (unsigned char)smoothed(raw + (i / width + 1) * line + i % width + 1, (int)line);
    __syncthreads();
    unsigned long long best = ~0ull;
    for (unsigned i = threadIdx.x; i < places * places; i += THREADS) {
        unsigned d = difference(window + i / places * width + i % places, width, pattern, v.side);
        best = min(best, (unsigned long long)d << 32 | i);
    }
    unsigned found = (unsigned)least_of(best), x = found % places, y = found / places;
    for (unsigned i = threadIdx.x; i < area; i += THREADS)
        own[i] = blended(pattern[i], window[(y + i / v.side) * width + x + i % v.side]);
    if (threadIdx.x == 0)
        points[blockIdx.x] = {corner.x + x, corner.y + y};
}

typedef std::vector<unsigned char> image;

static size_t at(place corner, unsigned x, unsigned y, view v)
{
    return (size_t)(corner.y + y) * v.columns + corner.x + x;
}

static void host_follow(const image &frame, image &patterns, std::vector<place> &points, view v)
{
    unsigned width = v.window(), area = v.side * v.side;
    for (size_t k = 0; k < points.size(); k++) {
        image window;
        unsigned char *pattern = &patterns[k * area];
        place corner = v.corner(points[k]);
        for (unsigned y = 0; y < width; y++)
            for (unsigned x = 0; x < width; x++)
                window.push_back((unsigned char)smoothed(&frame[at(corner, x, y, v)], (int)v.columns));
        unsigned least = UINT32_MAX, best_x = 0, best_y = 0;
        for (unsigned y = 0; y < v.places(); y++)
            for (unsigned x = 0; x < v.places(); x++) {
                unsigned sum = 0;
                for (unsigned i = 0; i < area; i++) {
                    int d = window[(y + i / v.side) * width + x + i % v.side] - pattern[i];
                    sum += (unsigned)(d * d);
                }
                if (sum < least) {
                    least = sum;
                    best_x = x;
                    best_y = y;
                }
            }
        for (unsigned i = 0; i < area; i++)
            pattern[i] = blended(pattern[i], window[(best_y + i / v.side) * width + best_x + i % v.side]);
        points[k] = {corner.x + best_x, corner.y + best_y};
    }
}

// Where the points are in a frame: two fifths of them on an inner ellipse, the others on an outer one, which contract
// together.
static std::vector<place> true_places(unsigned count, unsigned frame, view v)
{
    std::vector<place> points;
    unsigned inner = count * 2 / 5;
    for (unsigned k = 0; k < count; k++) {
        double angle = 2 * M_PI * (k < inner ? (double)k / inner : (double)(k - inner) / (count - inner));
        double radius = (k < inner ? 0.2 : 0.32) * (0.9 + 0.1 * cos(M_PI * frame / 4));
        double x = v.columns * (0.5 + radius * cos(angle)), y = v.rows * (0.5 + radius * sin(angle));
        points.push_back({(unsigned)(x - v.side / 2.0), (unsigned)(y - v.side / 2.0)});
    }
    return points;
}

// Dark speckle, new in each frame, and around each point its own bright speckle, which stays but for a little noise.
static image make_frame(generator &random, const std::vector<place> &points, view v, uint64_t seed)
{
    image frame((size_t)v.rows * v.columns);
    for (unsigned char &p : frame)
        p = (unsigned char)random.below(100);
    for (size_t k = 0; k < points.size(); k++) {
        generator own = {seed + k};
        for (unsigned i = 0; i < v.side * v.side; i++)
            frame[at(points[k], i % v.side, i / v.side, v)] = (unsigned char)(64 + own.below(176) + random.below(16));
    }
    return frame;
}

static image first_patterns(const image &frame, const std::vector<place> &points, view v)
{
    image patterns;
    for (place p : points)
        for (unsigned i = 0; i < v.side * v.side; i++)
            patterns.push_back((unsigned char)smoothed(&frame[at(p, i % v.side, i / v.side, v)], (int)v.columns));
    return patterns;
}

// The differences between the two results, and into `*kept` how many points are no more than a pixel from the true
// place.
static uint64_t count_wrong(const std::vector<place> &got, const std::vector<place> &want, const image &got_patterns,
                            const image &want_patterns, const std::vector<place> &truth, unsigned *kept)
{
    uint64_t wrong = 0;
    for (size_t k = 0; k < want.size(); k++) {
        wrong += got[k].x != want[k].x || got[k].y != want[k].y;
        *kept += labs((long)got[k].x - (long)truth[k].x) <= 1 && labs((long)got[k].y - (long)truth[k].y) <= 1;
    }
    for (size_t i = 0; i < want_patterns.size(); i++)
        wrong += got_patterns[i] != want_patterns[i];
    return wrong;
}

static uint64_t film(view v, unsigned count, unsigned frames, uint64_t seed, unsigned *kept)
{
    generator random = {seed};
    std::vector<place> points = true_places(count, 0, v), want = points;
    image frame = make_frame(random, points, v, seed), patterns = first_patterns(frame, points, v);
    image want_patterns = patterns;
    unsigned char *pixels = to_device(frame), *device_patterns = to_device(patterns);
    place *places = to_device(points);
    unsigned shared = (v.window() + 2) * (v.window() + 2) + v.window() * v.window() + v.side * v.side;
    for (unsigned f = 1; f <= frames; f++) {
        frame = make_frame(random, true_places(count, f, v), v, seed);
        CHECK(cudaMemcpy(pixels, frame.data(), frame.size(), cudaMemcpyHostToDevice));
        follow<<<count, THREADS, shared>>>(pixels, device_patterns, places, v);
        CHECK(cudaGetLastError());
        host_follow(frame, want_patterns, want, v);
    }
    points = to_host(places, points.size());
    patterns = to_host(device_patterns, patterns.size());
    for (void *p : {(void *)pixels, (void *)device_patterns, (void *)places})
        CHECK(cudaFree(p));
    return count_wrong(points, want, patterns, want_patterns, true_places(count, frames, v), kept);
}

int main(int argc, char **argv)
{
    option options[] = {
        {"points", "points on the walls", 15, 3, 4096, 3, 51},
        {"frames", "frames after the first", 2, 1, 1000, 1, 2},
        {"rows", "rows of a frame", 256, 64, 4096, 160, 590},
        {"columns", "columns of a frame", 256, 64, 4096, 160, 609},
        {"side", "side of a pattern", 15, 2, 48, 3, 17},
        {"reach", "farthest motion between two frames", 24, 1, 48, 36, 40},
        {"seed", "of the film", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned count = (unsigned)options[0].value, frames = (unsigned)options[1].value, kept = 0;
    view v = {(unsigned)options[2].value, (unsigned)options[3].value, (unsigned)options[4].value,
              (unsigned)options[5].value};
    unsigned smaller = v.rows < v.columns ? v.rows : v.columns;
    if (v.window() + 2 > smaller || 3 * v.side > smaller)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--reach, --side: too much for the frame");
    uint64_t wrong = film(v, count, frames, options[6].value, &kept);
    printf("heartwall: %u points through %u frames of %u x %u, %u kept\n", count, frames, v.columns, v.rows, kept);
    return verdict("heartwall", wrong);
}
