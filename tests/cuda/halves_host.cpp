// Halves and bf16 numbers in plain host code: values of all kinds as sums over their bits, which NVIDIA's headers give alike.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>

static unsigned long long sum;

template <class T> static void add(T v)
{
    unsigned long long bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    sum = (sum ^ bits) * 0x100000001b3ull + (sum >> 29);
}

static void say(const char *what)
{
    std::printf("%-12s %016llx\n", what, sum);
    sum = 0;
}

static float number(unsigned bits)
{
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return f;
}

template <class S> static void arithmetic(const S *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < count; k++) {
            const S a = values[i], b = values[k];
            add(a + b), add(a - b), add(a * b), add(__hadd(a, b)), add(__hmul(a, b));
            add((unsigned char)(a < b)), add((unsigned char)__heq(a, b)), add(__hmax(a, b));
            S c = a;
            c += b;
            add(-c);
        }
}

int main()
{
    half few[64];
    nv_bfloat16 few_b[64];
    for (unsigned i = 0; i < 64; i++)
        few[i] = __float2half((float)((int)(i * i) - 700) / 64.0f), few_b[i] = __float2bfloat16((float)((int)(i * i) - 700) / 64.0f);
    for (unsigned b = 0; b < 65536; b++) {
        const half h = __ushort_as_half((unsigned short)b);
        if (!__hisnan(h))
            add(__half2float(h)), add(__half2int_rz(h)), add(__half2uint_rz(h)), add(__half2ll_rz(h)), add(__half2short_rz(h));
    }
    say("from half");
    for (unsigned b = 0; b < 65536; b++) {
        const nv_bfloat16 h = __ushort_as_bfloat16((unsigned short)b);
        if (!__hisnan(h))
            add((float)h), add(__bfloat162int_rz(h)), add(__bfloat162ull_rz(h)), add(__bfloat162uchar_rz(h));
    }
    say("from bf16");
    for (unsigned b = 0; b < 0xffff0000u; b += 9973) {
        const float f = number(b);
        if (f == f)
            add(__float2half(f)), add(__float2half_rz(f)), add(__float2half_ru(f)), add(__float2half_rd(f)), add(__double2half(f));
    }
    say("to half");
    for (unsigned b = 0; b < 0xffff0000u; b += 9973) {
        const float f = number(b);
        if (f == f)
            add(__float2bfloat16(f)), add(__float2bfloat16_rz(f)), add(__float2bfloat16_ru(f)), add(__float2bfloat16_rd(f));
    }
    say("to bf16");
    for (int i = -70000; i < 70000; i += 7)
        add(__int2half_rn(i)), add(__int2half_rz(i)), add(half(i)), add(half((long)i)), add(nv_bfloat16((unsigned long)i)), add(__int2bfloat16_rn(i)), add(__ll2half_rn(i * 1000ll));
    say("of integers");
    arithmetic(few, 64);
    say("halves");
    arithmetic(few_b, 64);
    say("bf16 numbers");
    const half2 pair = __floats2half2_rn(1.5f, -2.25f);
    const float2 two = __half22float2(__hmul2(pair, pair));
    std::printf("%g %g, %d bytes, %d\n", two.x, two.y, (int)sizeof pair, (int)sizeof(__nv_bfloat162));
    return 0;
}
