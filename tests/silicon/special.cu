/* Special registers, and printf on the device: what it prints and what it returns. */
#include "silicon.h"

__global__ void registers(u32 *out)
{
    u32 t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), a, b, c, d, e, f, g, h;
    extern __shared__ u32 dynamic[];
    __shared__ u32 fixed[10];
    dynamic[t % 4] = t;
    fixed[t % 10] = t;
    __syncthreads();
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(a));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(b));
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(c));
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(d));
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(e));
    asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(f));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(g));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(h));
    u32 *o = out + t * 8;
    o[0] = a, o[1] = b, o[2] = c, o[3] = d, o[4] = e, o[5] = f, o[6] = g, o[7] = h;
}
__global__ void clocks(u64 *out)
{
    u64 a, b, c, d, n1, n2;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(a)::"memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(n1)::"memory");
    for (volatile int i = 0; i < 2000; i++)
        ;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(b)::"memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(n2)::"memory");
    u32 lo, hi;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(lo)::"memory");
    asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(hi)::"memory");
    c = (u64)hi << 32 | lo;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(d)::"memory");
    out[0] = b > a, out[1] = n2 >= n1, out[2] = c >= b && c <= d, out[3] = n2 - n1;
    u32 sm, sms;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    out[4] = sm < sms;
    out[5] = sms;
}
__global__ void prints(int *to)
{
    int n = 0;
    const char *word = "word";
    to[n++] = printf("nothing\n");
    to[n++] = printf("%d %i %u %x %X %o\n", -5, 7, 4000000000u, 0xabcd, 0xabcd, 8);
    to[n++] = printf("%5d|%-5d|%05d|%+d|% d|%.3d\n", 42, 42, 42, 42, 42, 42);
    to[n++] = printf("%ld %lld %lu %llx %hd\n", -1l, -2ll, 3ul, 0x123456789abcull, (short)-3);
    to[n++] = printf("%f %.2f %10.3f|%-10.1f|%e %g %G\n", 1.5, 2.345, 3.14159, 2.5, 12345.678, 0.0001, 1e20);
    to[n++] = printf("%f %f %f %a\n", 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0 == 0.0 ? 1.0 : 2.0, 1.0);
    to[n++] = printf("%c%c%c %s %10s|%-10s|%.2s|%%\n", 'a', 66, '!', word, word, word, word);
    to[n++] = printf("%p\n", (void *)0x1234);
    to[n++] = printf("%*d|%-*d|\n", 6, 12, 6, 12);
    to[n++] = printf("%#x %#o %5.1f%%\n", 255, 8, 99.5);
    to[n++] = printf("");
    to[n++] = printf("%s", "");
    to[n++] = printf("%d %d\n", 1, 2);
}

int main()
{
    u32 *out = words<u32>(2048), h[2048];
    registers<<<1, dim3(7, 5, 2), 48>>>(out);
    if (!refused("registers")) {
        cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
        for (int t : {0, 1, 31, 32, 40, 69})
            printf("thread %d: lane %u lt %x ge %x dynamic %u eq %x\n", t, h[t * 8], h[t * 8 + 1], h[t * 8 + 2], h[t * 8 + 3], h[t * 8 + 5]);
        for (int t : {0, 31, 32, 64, 69})
            printf("~ thread %d: warpid %u of %u, shared %u\n", t, h[t * 8 + 6], h[t * 8 + 7], h[t * 8 + 4]);
    }
    u64 *c = (u64 *)out, hc[6];
    clocks<<<1, 1>>>(c);
    if (!refused("clocks")) {
        cudaMemcpy(hc, c, sizeof hc, cudaMemcpyDeviceToHost);
        printf("clock goes on %llu, timer %llu, halves agree %llu, smid below nsmid %llu\n", hc[0], hc[1], hc[2], hc[4]);
        printf("~ timer went on by %llu; nsmid %llu\n", hc[3], hc[5]);
    }
    fflush(stdout);
    int *to = (int *)out, hp[16];
    prints<<<1, 1>>>(to);
    if (!refused("prints")) {
        cudaMemcpy(hp, to, sizeof hp, cudaMemcpyDeviceToHost);
        printf("printf returns");
        for (int i = 0; i < 13; i++)
            printf(" %d", hp[i]);
        printf("\n");
    }
    return 0;
}
