/* The host side: runs each test of `tests`, counts how its instances ended, and prints a line: name, terms, outcomes with
 * their counts. An outcome is a number whose hexadecimal digits are the values of the terms, the first one lowest; 15 stands
 * for anything greater than 14. */
struct terms {
    int count;
    struct term term[MOST_TERMS];
};
__global__ void outcomes(launch l, terms t, u32 *to)
{
    u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    if (i >= (u64)l.instances * l.rounds)
        return;
    u32 outcome = 0;
    for (int k = 0; k < t.count; k++) {
        u64 value = l.results[i * MOST_TERMS + k];
        if (t.term[k].place >= 0)
            value = l.memory[word_of(l, (int)(i / l.instances), (u32)(i % l.instances), t.term[k].place)];
        if (t.term[k].bits < 64)
            value &= (1ull << t.term[k].bits) - 1;
        outcome |= (u32)(value > 14 ? 15 : value) << 4 * k;
    }
    to[i] = outcome;
}
static bool bad(cudaError_t e, const char *what)
{
    if (e)
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    return e != cudaSuccess;
}
int main(int argc, char **argv)
{
    enum { MOST_ROUNDS = 64, MEMORY = 400 << 20 };
    int rounds = argc > 1 ? atoi(argv[1]) : 18, launches = argc > 2 ? atoi(argv[2]) : 1;
    const u64 most = (u64)SETS * LANES * 32; /* instances of all rounds */
    launch l = {};
    u32 *to;
    if (rounds < 1 || rounds > MOST_ROUNDS || launches < 1 || bad(cudaMalloc(&l.memory, MEMORY), "memory") ||
        bad(cudaMalloc(&l.results, most * MOST_TERMS * 8), "memory") || bad(cudaMalloc(&to, most * 4), "memory") ||
        bad(cudaMalloc(&l.meetings, MOST_ROUNDS * SETS * 4), "memory"))
        return 1;
    for (const test &x : tests) {
        std::map<u32, u64> counts;
        terms t = {x.count, {}};
        std::copy(x.term, x.term + MOST_TERMS, t.term);
        l.threads = x.threads;
        l.places = x.places;
        l.terms = x.count;
        l.instances = (u32)(BLOCKS / rounded(x.threads.blocks) * (WARPS / rounded(x.threads.most_in_block)) * LANES);
        l.stride = (u64)l.instances * (u64)x.places * 16;
        l.rounds = (int)std::min<u64>((u64)rounds, std::min(MEMORY / (l.stride * 8), most / l.instances));
        for (int k = 0; k < launches; k++) {
            u64 n = (u64)l.instances * l.rounds;
            l.seed = k * 101 + 3;
            cudaMemset(l.memory, 0, l.stride * 8 * l.rounds);
            cudaMemset(l.results, 0, n * MOST_TERMS * 8);
            cudaMemset(l.meetings, 0, MOST_ROUNDS * SETS * 4);
            x.kernel<<<BLOCKS, WARPS * LANES>>>(l);
            outcomes<<<(unsigned)((n + 255) / 256), 256>>>(l, t, to);
            std::vector<u32> got(n);
            if (bad(cudaGetLastError(), x.name) || bad(cudaMemcpy(got.data(), to, n * 4, cudaMemcpyDeviceToHost), x.name))
                return 1;
            for (u32 outcome : got)
                counts[outcome]++;
        }
        printf("%s|%s", x.name, x.terms);
        for (const auto &c : counts)
            printf("|%x:%llu", c.first, c.second);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
