/* Writes a CUDA program of random functions of integers: make COUNT SEED >program.cu. Equal arguments give an equal
 * program.
 *
 * Each function is a few statements over the forms below. None has undefined behaviour: arithmetic is unsigned, shift
 * amounts are masked, divisors are constants other than 0 and -1 or have their lowest bit set. So the host's result is
 * the device's, whatever the compiler did to either; harness.h compares them. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { W8 = 1, W16 = 2, W32 = 4, W64 = 8, WORDS = W32 | W64, ANY = W8 | W16 | WORDS };

/* In a form $T is the unsigned type of the result's width, $S the signed one, $U the type its arithmetic is done in, $M
 * width - 1, $x a sub-expression of type $T, $y one of any unsigned type, $s one of any signed type, $n a shift amount
 * (any 32-bit value), $l a shift amount of 64 bits, $k a constant other than 0, $j a signed one beyond -1 and 1. */
static const struct {
    unsigned widths;
    const char *text;
} forms[] = {
    {ANY, "(($T)(($U)$x + ($U)$x))"},
    {ANY, "(($T)(($U)$x - ($U)$x))"},
    {ANY, "(($T)(($U)$x * ($U)$x))"},
    {ANY, "(($T)($x & $x))"},
    {ANY, "(($T)($x | $x))"},
    {ANY, "(($T)($x ^ $x))"},
    {ANY, "(($T)~$x)"},
    {ANY, "(($T)-($U)$x)"},
    {ANY, "(($T)$y)"},
    {ANY, "(($T)$s)"},
    {ANY, "($x < $x ? $x : $x)"},
    {ANY, "(($S)$x < ($S)$x ? $x : $x)"},
    {ANY, "(($y & 3) == ($n & 3) ? $x : $x)"},
    {ANY, "(($T)(($U)$x << ($n & $M)))"},
    {ANY, "(($T)($x >> ($n & $M)))"},
    {ANY, "(($T)(($S)$x >> ($n & $M)))"},
    {ANY, "(($T)(($U)$x << ($l & $M)))"},
    {ANY, "(($T)(($S)$x >> ($l & $M)))"},
    {ANY, "(($T)($x >> ($n & $M) & (($U)1 << ($n & $M)) - 1))"},
    {ANY, "left_or<$T>($x, $n)"},
    {ANY, "left_or<$T>($x, $l)"},
    {ANY, "right_or<$T>($x, $n)"},
    {ANY, "right_or<$T>($x, $l)"},
    {ANY, "left_test<$T>($x, $n)"},
    {ANY, "right_test<$T>($x, $l)"},
    {ANY, "left_sub<$T>($x, $n)"},
    {ANY, "left_add<$T>($x, $n)"},
    {ANY, "left_xor<$T>($x, $n)"},
    {ANY, "rotate_twice<$T>($x, $n, $n)"},
    {ANY, "rotate_loop<$T>($x, $n)"},
    {ANY, "builtin_left($x, $n)"},
    {ANY, "builtin_left($x, $l)"},
    {ANY, "builtin_right($x, $n)"},
    {ANY, "builtin_right($x, $l)"},
    {ANY, "funnel_neg<$T>($x, $x, $n)"},
    {ANY, "funnel_not<$T>($x, $x, $l)"},
    {ANY, "funnel_test<$T>($x, $x, $n)"},
    {W32, "funnel_l($x, $x, $n)"},
    {W32, "funnel_r($x, $x, $n)"},
    {W32, "funnel_lc($x, $x, $n)"},
    {W32, "funnel_rc($x, $x, $n)"},
    {W32, "byte_perm($x, $x, $n)"},
    {ANY, "(($T)($x / $k))"},
    {ANY, "(($T)($x % $k))"},
    {ANY, "(($T)(($S)$x / $j))"},
    {ANY, "(($T)(($S)$x % $j))"},
    {ANY, "(($T)($x / ($T)($x | 1)))"},
    {ANY, "(($T)($x % ($T)($x | 1)))"},
    {WORDS, "(($T)popc($x))"},
    {WORDS, "(($T)clz($x))"},
    {WORDS, "(($T)ffs($x))"},
    {WORDS, "brev($x)"},
    {W16 | WORDS, "bswap($x)"},
    {WORDS, "product_high($x, $x)"},
    {WORDS, "(($T)product_high(($S)$x, ($S)$x))"},
    {W64, "product_part($x, $x, $n)"},
    {W64, "shift_left_128($x, $x, $n)"},
    {W64, "shift_right_128($x, $x, $n)"},
    {W64, "shift_signed_128($x, $x, $n)"},
    {WORDS, "add_saturated($x, $x)"},
    {WORDS, "(($T)multiply_saturated(($S)$x, ($S)$x))"},
    {ANY, "field_unsigned<$T>($x, $x)"},
    {ANY, "field_signed<$S, $T>($x, $x)"},
    {ANY, "table<$T>($x, $n)"},
    {ANY, "through_memory<$T>($x, $y, $n)"},
    {ANY, "(($T)smaller<$S, $T>($x, $x))"},
    {ANY, "larger<$T>($x, $x)"},
    {ANY, "(($T)magnitude<$S, $T>($x))"},
    {ANY, "(($T)(((i32)(($S)$x >= ($S)$x) + 2 * ($x >= $x))))"},
    {ANY, "(($T)((bool)($y & 4) ^ ((bool)($n & 2) | !$x) ? $x : (bool)$x))"},
    {WORDS, "(($T)(i8)$x)"},
    {WORDS, "(($T)(i16)($x >> ($n & 15)))"},
    {WORDS, "(($T)(u8)((i16)$y >> 3))"},
    {W32, "(u32)sad((i32)$x, (i32)$x, $x)"},
    {W32, "usad($x, $x, $x)"},
    {W32, "(u32)dot4((i32)$x, (i32)$x, (i32)$x)"},
    {W32, "udot4($x, $x, $x)"},
    {W32, "(u32)product24((i32)$x, (i32)$x)"},
    {W32, "(u32)half_sum((i32)$x, (i32)$x)"},
    {W32, "bits($x)"},
    {W32, "bits_of((float)(i32)$x)"},
    {W32, "bits_of((float)$x)"},
    {W32, "bits_of((float)(i64)$y)"},
    {W32, "bits_of((float)(u8)$y)"},
    {W32, "bits_of((float)(i16)$y)"},
    {W32, "bits_of(half_precision($x))"},
    {W32, "(u32)to_i32(bits_to_float($x))"},
    {W32, "to_u32(bits_to_float($x))"},
    {W32, "(u32)to_i32(bits_to_double($y))"},
    {W64, "(u64)to_i64(bits_to_float((u32)$x))"},
    {W64, "to_u64(bits_to_double($x))"},
    {W64, "(u64)to_i64(bits_to_double($x))"},
    {W64, "bits_of((double)(i64)$x)"},
    {W64, "bits_of((double)$x)"},
    {W64, "bits_of((double)(u32)$x)"},
    {W64, "bits_of((double)bits_to_float((u32)$x))"},
    {W32, "bits_of((float)bits_to_double($y))"},
    {W32, "(u32)((u16)to_i32(bits_to_float($x)) + (u32)(i8)to_i32(bits_to_float($x)))"},
    {W64, "low(wide($x, $x) * wide($x, $x))"},
    {W64, "high(wide($x, $x) * wide($x, $x))"},
    {W64, "high(wide($x, $x) + wide($x, $x))"},
    {W64, "high(wide($x, $x) - wide($x, $x))"},
    {W64, "high((u128)((i128)wide($x, $x) >> ($n & 127)))"},
    {W64, "low(wide($x, $x) << ($n & 127) | wide($x, $x) >> (0 - $n & 127))"},
    {W64, "((u64)(wide($x, $x) < wide($x, $x)) + ((i128)wide($x, $x) < (i128)wide($x, $x) ? $x : $x))"},
};

/* What may stand for $n and $l; N is the function's amount. */
static const char *const amounts[] = {"N",          "N",          "N",        "(N + #)", "(N * #)",  "(# - N)",
                                      "-N",         "~N",         "(N ^ 63)", "(N & #)", "(N >> 3)", "(64 - (N & 63))",
                                      "(u32)(u8)N", "(u32)(i8)N", "#"};
static const char *const long_amounts[] = {"(u64)N",        "(u64)N",    "(u64)(i32)N", "a",       "(a + N)",
                                           "(64 - (u64)N)", "(b >> 58)", "(u64)(u16)N", "-(u64)N", "~b"};

static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
    return (unsigned)(next() >> 32) % n;
}

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* A value of `width` bits: small, near a power of two, or anything. */
static uint64_t constant(unsigned width)
{
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    switch (below(4)) {
    case 0:
        return below(70) & mask;
    case 1:
        return ((UINT64_C(1) << below(width)) + below(3) - 1) & mask;
    default:
        return next() & mask;
    }
}

static void print_amount(const char *text)
{
    for (; *text; text++)
        if (*text == '#')
            printf("%uu", below(8) ? below(130) : (unsigned)next());
        else
            putchar(*text);
}

static void print_leaf(unsigned width, unsigned temporaries)
{
    static const char *const names[] = {"a", "b", "c", "N"};
    unsigned pick = below(5 + temporaries);
    if (pick < 4)
        printf("(u%u)%s", width, names[pick]);
    else if (pick == 4)
        printf("(u%u)%" PRIu64 "u", width, constant(width));
    else
        printf("(u%u)t%u", width, pick - 5);
}

/* A divisor: as the C type that holds `width` bits, without the value -1 that would overflow. */
static void print_divisor(unsigned width)
{
    int64_t value = (int64_t)(constant(width) << (64 - width)) >> (64 - width);
    if (value >= -1 && value <= 1)
        value = 3;
    if (value == INT64_MIN)
        value++;
    printf("(i%u)%" PRId64 "%s", width, value, width == 64 ? "ll" : "");
}

static void print_expression(unsigned width, unsigned depth, unsigned temporaries)
{
    unsigned form;
    if (!depth) {
        print_leaf(width, temporaries);
        return;
    }
    do
        form = below(COUNT(forms));
    while (!(forms[form].widths & width / 8));
    for (const char *p = forms[form].text; *p; p++) {
        unsigned other = 8u << below(4);
        if (*p != '$') {
            putchar(*p);
            continue;
        }
        switch (*++p) {
        case 'T':
            printf("u%u", width);
            break;
        case 'S':
            printf("i%u", width);
            break;
        case 'U':
            printf("u%u", width < 32 ? 32 : width);
            break;
        case 'M':
            printf("%u", width - 1);
            break;
        case 'n':
            print_amount(amounts[below(COUNT(amounts))]);
            break;
        case 'l':
            print_amount(long_amounts[below(COUNT(long_amounts))]);
            break;
        case 'k':
            printf("(u%u)%" PRIu64 "u", width, constant(width) | 1u << below(4));
            break;
        case 'j':
            print_divisor(width);
            break;
        case 'x':
            print_expression(width, below(3) ? depth - 1 : 0, temporaries);
            break;
        case 's':
            printf("(i%u)", other);
            /* fall through */
        default:
            print_expression(other, below(3) ? depth - 1 : 0, temporaries);
            break;
        }
    }
}

static void print_function(unsigned number)
{
    unsigned temporaries = 1 + below(5);
    printf("static __host__ __device__ u64 f%u(u64 a, u64 b, u64 c, u32 N)\n{\n", number);
    for (unsigned i = 0; i < temporaries; i++) {
        unsigned width = 8u << below(4);
        printf("    u%u t%u = ", width, i);
        print_expression(width, 1 + below(3), i);
        printf(";\n");
    }
    printf("    u64 result = ");
    print_expression(64, 2, temporaries);
    printf(";\n");
    for (unsigned i = 0; i < temporaries; i++)
        printf("    result = result * 31 + t%u;\n", i);
    printf("    return result;\n}\nKERNEL(%u)\n\n", number);
}

int main(int argc, char **argv)
{
    unsigned count = argc == 3 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (!count)
        return fprintf(stderr, "usage: make COUNT SEED\n"), 2;
    state = strtoull(argv[2], NULL, 10);
    printf("#include \"harness.h\"\n\n");
    for (unsigned i = 0; i < count; i++)
        print_function(i);
    printf("int main()\n{\n    prepare();\n");
    for (unsigned i = 0; i < count; i++)
        printf("    COMPARE(%u);\n", i);
    printf("    return report();\n}\n");
    return 0;
}
