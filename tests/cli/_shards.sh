# A small study for the tests of shards: mini/, 13 runs of a launch file and of a program.
mini_study() {
    mkdir mini
    cp "$LOCKSTEP_SRC"/tests/reference/vecadd.{yaml,ptx} mini/
    cat >mini/count.cu <<'C'
__global__ void count(int *sum) { atomicAdd(sum, threadIdx.x); }
int main()
{
    int *sum, got = 0;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    count<<<4, 64>>>(sum);
    cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost);
    return got != 4 * 2016;
}
C
    cat >mini/study.yaml <<'Y'
title: shards
benchmarks:
  add: {program: vecadd.yaml}
  count: {program: count}
readings:
  plain: []
runs:
  - {benchmarks: [add], machines: [gtx480], schedulers: [lrr, gto], readings: [plain], set: {gpu.sms: [2, 4]}, seeds: 2}
  - {benchmarks: [count], machines: [gtx480], schedulers: [gto], readings: [plain]}
  - {benchmarks: [add], machines: [gtx480], schedulers: [tls, gto+bows], readings: [plain], set: {energy.decode: [1.5, 2.5]}}
Y
}

# without_program: the 12 of them that are of the launch file; every shard would compile the program again.
without_program() {
    sed -i '/count/d' mini/study.yaml
}
