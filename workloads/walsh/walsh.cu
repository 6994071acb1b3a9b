// The fast Walsh transform of signals whose lengths are powers of two. Each bit of an element's place is a stage of
// sums and differences, and the stages may come in any order: those of the high bits go over the array in global
// memory, two at a time, a launch each; those of the low bits are done piece by piece in shared memory, with a barrier
// after every two of them.
#include "../workload.h"

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow. A thread has four elements of its block's piece.
constexpr unsigned THREADS = 512, RESIDENT = 3, PIECE_BITS = 11, PIECE = 1u << PIECE_BITS;
constexpr unsigned HALF_RANGE = 8; // elements are integers from -HALF_RANGE to below HALF_RANGE
static_assert(PIECE == 4 * THREADS, "a butterfly of four elements for each thread");

// The place of the i-th butterfly's first element; its others follow at the stride, a power of two.
__host__ __device__ static unsigned first_of_two(unsigned i, unsigned stride)
{
    return 2 * i - (i & (stride - 1));
}

__device__ static unsigned first_of_four(unsigned i, unsigned stride)
{
    return 4 * i - 3 * (i & (stride - 1));
}

__host__ __device__ static void two(float *a, float *b)
{
    float sum = *a + *b, difference = *a - *b;
    *a = sum;
    *b = difference;
}

// The stages of two neighbouring bits.
__device__ static void four(float *v, unsigned stride)
{
    float a = v[0], b = v[stride], c = v[2 * stride], d = v[3 * stride];
    two(&a, &c);
    two(&b, &d);
    two(&a, &b);
    two(&c, &d);
    v[0] = a;
    v[stride] = b;
    v[2 * stride] = c;
    v[3 * stride] = d;
}

// All stages of the low PIECE_BITS bits.
__global__ void __launch_bounds__(THREADS, RESIDENT) piece_stages(float *signals)
{
    __shared__ float piece[PIECE];
    float *from = signals + (size_t)blockIdx.x * PIECE;
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < PIECE; i += THREADS)
        piece[i] = from[i];
    __syncthreads();
    for (unsigned stride = PIECE / 4; stride > 1; stride /= 4) {
        four(&piece[first_of_four(t, stride)], stride);
        __syncthreads();
    }
    for (unsigned i = t; i < PIECE / 2; i += THREADS)
        two(&piece[2 * i], &piece[2 * i + 1]);
    __syncthreads();
    for (unsigned i = t; i < PIECE; i += THREADS)
        from[i] = piece[i];
}

__global__ void __launch_bounds__(THREADS, RESIDENT) two_stages(float *signals, unsigned stride)
{
    four(&signals[first_of_four(blockIdx.x * THREADS + threadIdx.x, stride)], stride);
}

__global__ void __launch_bounds__(THREADS, RESIDENT) one_stage(float *signals, unsigned stride)
{
    float *v = &signals[first_of_two(blockIdx.x * THREADS + threadIdx.x, stride)];
    two(v, v + stride);
}

static void transform(float *signals, unsigned bits, unsigned elements)
{
    unsigned done = bits;
    for (; done >= PIECE_BITS + 2; done -= 2)
        two_stages<<<elements / 4 / THREADS, THREADS>>>(signals, 1u << (done - 2));
    if (done > PIECE_BITS)
        one_stage<<<elements / 2 / THREADS, THREADS>>>(signals, 1u << PIECE_BITS);
    piece_stages<<<elements / PIECE, THREADS>>>(signals);
    CHECK(cudaGetLastError());
}

static void host_transform(std::vector<float> &signals, unsigned bits)
{
    for (unsigned bit = 0; bit < bits; bit++)
        for (unsigned i = 0; i < signals.size() / 2; i++) {
            unsigned at = first_of_two(i, 1u << bit);
            two(&signals[at], &signals[at + (1u << bit)]);
        }
}

int main(int argc, char **argv)
{
    option options[] = {
        // Sums stay within HALF_RANGE * 2^bits, which is below 2^24: all are exact.
        {"bits", "of the length: a signal has 2^bits elements", 15, PIECE_BITS, 20, 14, 13},
        {"signals", "signals", 4, 1, 4096, 1, 512},
        {"seed", "of the signals", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned bits = (unsigned)options[0].value, count = (unsigned)options[1].value;
    generator random = {options[2].value};
    std::vector<float> signals((size_t)count << bits);
    for (float &v : signals)
        v = (float)random.below(2 * HALF_RANGE) - (float)HALF_RANGE;
    float *device = to_device(signals);
    transform(device, bits, (unsigned)signals.size());
    host_transform(signals, bits);
    std::vector<float> got = to_host(device, signals.size());
    uint64_t wrong = 0;
    for (size_t i = 0; i < signals.size(); i++)
        wrong += got[i] != signals[i];
    printf("walsh: %u signals of %u elements\n", count, 1u << bits);
    CHECK(cudaFree(device));
    return verdict("walsh", wrong);
}
