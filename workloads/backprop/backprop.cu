// Training of a perceptron with one layer of 16 hidden units and one output, by back-propagation of errors with
// momentum. The layer from the inputs to the hidden units is the large one and runs on the device: one kernel
// multiplies inputs by weights and adds up in a tree in shared memory, 16 inputs a block, and one adjusts the weights.
// The host adds the blocks' sums, squashes, and works out the errors. Products that are added to something are rounded
// by __fmul_rn or belong to an fmaf, and the host adds in the same order: its weights have the same bits.
#include "../workload.h"
#include <cmath>

constexpr unsigned HIDDEN = 16, ROWS = 16;
constexpr float RATE = 0.3f, MOMENTUM = 0.3f;

// A weight and its latest change lie at [input * HIDDEN + unit] of their arrays.
__global__ void forward(const float *inputs, const float *weights, float *partial, unsigned count)
{
    __shared__ float input[ROWS], sums[ROWS][HIDDEN];
    unsigned x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * ROWS + y;
    if (x == 0)
        input[y] = i < count ? inputs[i] : 0.0f;
    __syncthreads();
    sums[y][x] = i < count ? __fmul_rn(input[y], weights[i * HIDDEN + x]) : 0.0f;
    __syncthreads();
    for (unsigned distance = 1; distance < ROWS; distance *= 2) {
        if (y % (2 * distance) == 0)
            sums[y][x] += sums[y + distance][x];
        __syncthreads();
    }
    if (y == 0)
        partial[blockIdx.x * HIDDEN + x] = sums[0][x];
}

__global__ void adjust(const float *inputs, const float *slopes, float *weights, float *changes, unsigned count)
{
    unsigned x = threadIdx.x, i = blockIdx.x * ROWS + threadIdx.y;
    if (i >= count)
        return;
    float change = fmaf(MOMENTUM, changes[i * HIDDEN + x], __fmul_rn(slopes[x], inputs[i]));
    changes[i * HIDDEN + x] = change;
    weights[i * HIDDEN + x] += change;
}

static std::vector<float> host_forward(const float *inputs, const std::vector<float> &weights, unsigned count)
{
    std::vector<float> partial((count + ROWS - 1) / ROWS * HIDDEN);
    for (size_t b = 0; b < partial.size(); b++) {
        float sums[ROWS];
        for (unsigned y = 0; y < ROWS; y++) {
            size_t i = b / HIDDEN * ROWS + y;
            sums[y] = i < count ? inputs[i] * weights[i * HIDDEN + b % HIDDEN] : 0.0f;
        }
        for (unsigned distance = 1; distance < ROWS; distance *= 2)
            for (unsigned y = 0; y < ROWS; y += 2 * distance)
                sums[y] += sums[y + distance];
        partial[b] = sums[0];
    }
    return partial;
}

static void host_adjust(const float *inputs, const std::vector<float> &slopes, std::vector<float> &weights,
                        std::vector<float> &changes)
{
    for (size_t w = 0; w < weights.size(); w++) {
        float fresh = slopes[w % HIDDEN] * inputs[w / HIDDEN];
        changes[w] = fmaf(MOMENTUM, changes[w], fresh);
        weights[w] += changes[w];
    }
}

// What the host keeps: the output's weights, and a bias, always 1, for every hidden unit and for the output.
struct small_layer {
    float output[HIDDEN + 1], output_change[HIDDEN + 1], bias[HIDDEN], bias_change[HIDDEN];
};

static float squash(float v)
{
    return 1 / (1 + expf(-v));
}

// Adjusts what the host keeps, and returns for each hidden unit by how much its weights change for each unit of input.
static std::vector<float> learn(small_layer &s, const std::vector<float> &partial, float target)
{
    std::vector<float> hidden(HIDDEN), slopes(HIDDEN);
    float out = s.output[HIDDEN];
    for (unsigned h = 0; h < HIDDEN; h++) {
        float sum = s.bias[h];
        for (size_t b = h; b < partial.size(); b += HIDDEN)
            sum += partial[b];
        hidden[h] = squash(sum);
        out = fmaf(hidden[h], s.output[h], out);
    }
    out = squash(out);
    float error = RATE * (out * (1 - out) * (target - out));
    for (unsigned h = 0; h < HIDDEN; h++) {
        slopes[h] = hidden[h] * (1 - hidden[h]) * (error * s.output[h]);
        s.bias_change[h] = fmaf(MOMENTUM, s.bias_change[h], slopes[h]);
        s.bias[h] += s.bias_change[h];
    }
    for (unsigned h = 0; h <= HIDDEN; h++) {
        s.output_change[h] = fmaf(MOMENTUM, s.output_change[h], error * (h < HIDDEN ? hidden[h] : 1));
        s.output[h] += s.output_change[h];
    }
    return slopes;
}

struct problem {
    unsigned count, samples;
    std::vector<float> inputs, targets, weights; // of all samples, one after the other; the first weights
    small_layer first;
};

static float small_random(generator &random, float most)
{
    return ((float)random.below(1u << 16) / 32768 - 1) * most;
}

// Weights small enough for the sums to stay where squashing has a slope.
static problem make_problem(unsigned count, unsigned samples, uint64_t seed)
{
    generator random = {seed};
    problem p = {count, samples, {}, {}, {}, {}};
    float most = 4 / sqrtf((float)count);
    for (size_t i = 0; i < (size_t)count * samples; i++)
        p.inputs.push_back((float)random.below(1u << 16) / 65536);
    for (unsigned i = 0; i < samples; i++)
        p.targets.push_back(i % 2 ? 0.9f : 0.1f);
    for (size_t i = 0; i < (size_t)count * HIDDEN; i++)
        p.weights.push_back(small_random(random, most));
    for (unsigned h = 0; h <= HIDDEN; h++)
        p.first.output[h] = small_random(random, 1);
    for (float &b : p.first.bias)
        b = small_random(random, 1);
    return p;
}

// The weights after all samples, then the latest changes.
static std::vector<float> device_train(const problem &p)
{
    small_layer s = p.first;
    std::vector<float> zero(p.weights.size());
    float *inputs = to_device(p.inputs), *weights = to_device(p.weights), *changes = to_device(zero), *partial, *slope;
    unsigned blocks = (p.count + ROWS - 1) / ROWS;
    CHECK(cudaMalloc(&partial, blocks * HIDDEN * sizeof(float)));
    CHECK(cudaMalloc(&slope, HIDDEN * sizeof(float)));
    for (unsigned i = 0; i < p.samples; i++) {
        const float *sample = inputs + (size_t)i * p.count;
        forward<<<blocks, dim3(HIDDEN, ROWS)>>>(sample, weights, partial, p.count);
        CHECK(cudaGetLastError());
        std::vector<float> slopes = learn(s, to_host(partial, blocks * HIDDEN), p.targets[i]);
        CHECK(cudaMemcpy(slope, slopes.data(), HIDDEN * sizeof(float), cudaMemcpyHostToDevice));
        adjust<<<blocks, dim3(HIDDEN, ROWS)>>>(sample, slope, weights, changes, p.count);
        CHECK(cudaGetLastError());
    }
    std::vector<float> result = to_host(weights, p.weights.size()), change = to_host(changes, p.weights.size());
    result.insert(result.end(), change.begin(), change.end());
    for (float *f : {inputs, weights, changes, partial, slope})
        CHECK(cudaFree(f));
    return result;
}

static std::vector<float> host_train(const problem &p)
{
    small_layer s = p.first;
    std::vector<float> weights = p.weights, changes(p.weights.size());
    for (unsigned i = 0; i < p.samples; i++) {
        const float *sample = &p.inputs[(size_t)i * p.count];
        host_adjust(sample, learn(s, host_forward(sample, weights, p.count), p.targets[i]), weights, changes);
    }
    weights.insert(weights.end(), changes.begin(), changes.end());
    return weights;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"inputs", "inputs", 8192, 1, 1u << 24, 600, 65536},
        {"samples", "samples to learn from", 4, 1, 1000, 2, 2},
        {"seed", "of samples and weights", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    problem p = make_problem((unsigned)options[0].value, (unsigned)options[1].value, options[2].value);
    std::vector<float> got = device_train(p), want = host_train(p);
    uint64_t wrong = 0, changed = 0;
    for (size_t i = 0; i < want.size(); i++) {
        wrong += got[i] != want[i];
        changed += i < p.weights.size() && got[i] != p.weights[i];
    }
    printf("backprop: %u inputs, %u hidden units, %u samples\n", p.count, HIDDEN, p.samples);
    return verdict("backprop", wrong + (changed == 0));
}
