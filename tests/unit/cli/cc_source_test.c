/* Tokens of CUDA C++, and the forms that are rewritten: what becomes of each, and what is left as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cc_source.h"

/* The tokens of the text, with a bar between them. */
static void assert_tokens(const char *text, const char *expected)
{
    struct cc_tokens tokens = {0};
    struct strbuf out = {0};
    cc_tokens_read(&tokens, text);
    for (size_t i = 0; i < tokens.count; i++)
        strbuf_addf(&out, "%s%.*s", i ? "|" : "", (int)tokens.items[i].length, tokens.items[i].text);
    assert_string_equal(strbuf_text(&out), expected);
    assert_int_equal(tokens.items[tokens.count].kind, CC_TOKENS_END);
    strbuf_free(&out);
    vec_free(&tokens);
}

static void test_tokens(void **state)
{
    assert_tokens("", "");
    assert_tokens("a<<<1>>>b", "a|<|<|<|1|>|>|>|b");
    assert_tokens("x /* << */ = 1'000.5e-3f; // y", "x|=|1'000.5e-3f|;");
    assert_tokens("L\"a\\\"b\" u8R\"q(\")\")q\" 'c' '\\''", "L\"a\\\"b\"|u8R\"q(\")\")q\"|'c'|'\\''");
    assert_tokens("\"never ended\nnext", "\"never ended|next");
    assert_tokens("R\"(never ended", "R\"(never ended");
    assert_tokens("a\\\nb /* never ended", "a|b");
    assert_tokens("_Z$1 x\xc3\xa4y .5", "_Z$1|x\xc3\xa4y|.5");
}

static void test_places(void **state)
{
    struct cc_tokens tokens = {0};
    cc_tokens_read(&tokens, "a\n  b /*\n*/ c\n# define F(x) \\\n  (x\n)");
    static const uint32_t places[][3] = {{1, 1, 0}, {2, 3, 0}, {3, 4, 0}, {4, 1, 1}, {4, 3, 1}, {4, 10, 1}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_int_equal(tokens.items[i].line, places[i][0]);
        assert_int_equal(tokens.items[i].column, places[i][1]);
        assert_int_equal(tokens.items[i].directive, places[i][2]);
    }
    assert_int_equal(cc_token_close(&tokens, 6), 8);            /* (x) */
    assert_int_equal(cc_token_close(&tokens, 9), tokens.count); /* the bracket that closes is in no directive */
    vec_free(&tokens);
}

/* Rewrites; NULL: nothing is to change. */
static void assert_becomes(const char *text, const struct cc_spot *spot, const char *expected)
{
    struct arena arena;
    struct strbuf out = {0};
    struct cc_spots spots = {0};
    unsigned number = 0;
    arena_init(&arena);
    if (spot)
        vec_push(&spots, *spot);
    assert_int_equal(cc_source_rewrite(text, "/a.cu", &spots, &number, &arena, &out), expected != NULL);
    assert_string_equal(strbuf_text(&out), expected ? expected : "");
    strbuf_free(&out);
    vec_free(&spots);
    arena_free(&arena);
}

static void test_forms_of_the_text(void **state)
{
    static const struct {
        const char *text, *becomes;
    } cases[] = {
        {"k << <1, 2 >> >(3);", "k <<< 1, 2 >>> (3);"},
        {"k<<\n<1, (2 >> 1) >>\n>();", "k<<<\n1, (2 >> 1) >>>\n();"},
        {"k<<<1, 2>>>(3);", NULL},
        {"a << 1 >> 2 > 3;", NULL},
        {"vector<vector<vector<int>> > v;", NULL},
        {"__shared__ alignas(16) int s[4];", "alignas(16) __shared__ int s[4];"},
        {"extern __shared__ alignas(8) char s[];", "alignas(8) extern __shared__ char s[];"},
        {"static alignas(8) int a;", NULL},
        {"asm(\"mov.u32 %0, %smid;\" : \"=r\"(x));", "asm(\"mov.u32 %0,%%smid;\" : \"=r\"(x));"},
        {"asm(\"mov.u32 %0, %%smid;\" : \"=r\"(x));", NULL},
        {"asm(\"mov.u32 %r1, %smid;\");", NULL},
        {"#define ALL #pragma unroll 4\nint x;", "#define ALL _Pragma(\"unroll 4\")\nint x;"},
        {"#define SAY # pragma message(\"a\\n\")", "#define SAY _Pragma(\"message(\\\"a\\\\n\\\")\")"},
        {"#define CHECK #pragma nv_exec_check_disable\nT f();", "#define CHECK \nT f();"},
        {"#define OF(x) #pragma x", NULL},
        {"#define pragma #pragma_", NULL},
        {"#pragma unroll\n#define pragma", NULL},
        {"asm volatile(\"\" : ", NULL},
        {"__managed__ int a = 1, b[2];", "__device__  int lockstep_managed_a = 1, lockstep_managed_b[2]; "
                                         "LOCKSTEP_MANAGED(a, 1) LOCKSTEP_MANAGED(b, 2)"},
        {"extern __managed__ int a;", NULL},
        {"#define M __managed__\nM int a;", NULL},
        {"__managed__ int f(", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_becomes(cases[i].text, NULL, cases[i].becomes);
}

#define SPOT(where, l, c, of)                                                                                          \
    {                                                                                                                  \
        .path = where, .line = l, .column = c, .kind = of                                                              \
    }

static void test_places_that_clang_names(void **state)
{
    const struct cc_spot other = SPOT("/b.cu", 1, 14, CC_SPOT_SHARED), simple = SPOT("/a.cu", 1, 14, CC_SPOT_SHARED),
                         scoped = SPOT("/a.cu", 1, 24, CC_SPOT_SHARED), word = SPOT("/a.cu", 1, 18, CC_SPOT_DEFAULT),
                         open = SPOT("/a.cu", 1, 3, CC_SPOT_DEFAULT), member = SPOT("/a.cu", 1, 16, CC_SPOT_TEMPLATE),
                         result = SPOT("/a.cu", 1, 12, CC_SPOT_TYPENAME),
                         list = SPOT("/a.cu", 1, 12, CC_SPOT_ATTRIBUTE);
    assert_becomes("__shared__ B b;", &other, NULL);
    assert_becomes(
        "__shared__ B b;", &simple,
        "__shared__ lockstep_shared<B > lockstep_shared_b; B (&b) = reinterpret_cast<B (&)>(lockstep_shared_b);");
    assert_becomes("__shared__ ::n::C<a::b>d[2];", &scoped,
                   "__shared__ lockstep_shared<::n::C<a::b>> lockstep_shared_d[2]; ::n::C<a::b>(&d)[2] = "
                   "reinterpret_cast<::n::C<a::b>(&)[2]>(lockstep_shared_d);");
    assert_becomes("int S<T>::f(int, T a = g(1, 2), int b) {}", &word, "int S<T>::f(int, T a          , int b) {}");
    assert_becomes("typename S<T>::f<int> x;", &member, "typename S<T>::template f<int> x;");
    assert_becomes("__device__ S<T>::type S<T>::f() {}", &result, "__device__ typename S<T>::type S<T>::f() {}");
    assert_becomes("__device__ [[nodiscard, a::b(\"]]\")]]\nint f();", &list,
                   "__device__ "
                   "                         "
                   "\nint f();");
    assert_becomes("__device__ [[a,\nb]] int f();", &list, "__device__     \n    int f();");
    assert_becomes("_ [[clean]] T f();", &list, NULL);
    assert_becomes("__devi__ [[nodiscard]] T f();", &list,
                   "__devi__ "
                   "             "
                   " T f();");
    assert_becomes("__device__ [nodiscard] int f();", &list, NULL);
    assert_becomes("__device__ [[nodiscard", &list, NULL);
    assert_becomes("f(a = (", &open, "f(a    ");
    assert_becomes("f(a", &open, NULL);
}

static void test_spaces(void **state)
{
    const struct cc_spot argument = {.path = "/a.cu", .line = 2, .column = 3, .kind = CC_SPOT_BOTH},
                         second = {.path = "/a.cu", .line = 2, .column = 6, .kind = CC_SPOT_DEVICE},
                         whole = {.path = "/a.cu", .line = 2, .column = 1, .kind = CC_SPOT_BOTH, .is_expanded = true},
                         joined = {.path = "/a.cu", .line = 1, .column = 18, .kind = CC_SPOT_BOTH},
                         word = {.path = "/a.cu", .line = 2, .column = 1, .kind = CC_SPOT_MANAGED},
                         itself = {.path = "/a.cu", .line = 1, .column = 1, .kind = CC_SPOT_MANAGED};
    (void)state;
    assert_becomes(
        "#define F(n) int n(int); int n(int a) { return n(a); }\nF(g)", &argument,
        "#define F(n) __host__ __device__ int n(int); __host__ __device__ int n(int a) { return n(a); }\nF(g)");
    assert_becomes("#define F(k, n) void n##_k(int k)\nF(1, g);", &second,
                   "#define F(k, n) __device__ void n##_k(int k)\nF(1, g);");
    assert_becomes("#define F(n) __global__ void n(int)\nF(g)", &argument, NULL);
    assert_becomes("int f();\nF(g) int h();", &whole, NULL);
    assert_becomes("#define F(n) int n##_f(int) { }\nF(g)", &joined,
                   "#define F(n) __host__ __device__ int n##_f(int) { }\nF(g)");
    assert_becomes("#define M __managed__\nM int a;", &word,
                   "#define M __managed__\n__device__  int lockstep_managed_a; LOCKSTEP_MANAGED(a, 1)");
    assert_becomes("__managed__ int a;", &itself, "__device__  int lockstep_managed_a; LOCKSTEP_MANAGED(a, 1)");
    assert_becomes("F(", &whole, NULL);
    assert_becomes("\n)F(a", &argument, NULL);
}

/* The columns of the spots, one after the other; 0: an end. */
static void assert_unmarked(const char *text, const uint32_t *columns)
{
    const char *named[] = {"f", "g"};
    const struct cc_names names = {named, 2, 2};
    struct cc_tokens tokens = {0};
    struct cc_spots spots = {0};
    size_t count = 0;
    cc_tokens_read(&tokens, text);
    cc_find_unmarked(&tokens, "/a.cu", &names, &spots);
    for (; columns[count]; count++) {
        assert_true(count < spots.count);
        assert_int_equal(spots.items[count].column, columns[count]);
    }
    assert_int_equal(spots.count, count);
    vec_free(&tokens);
    vec_free(&spots);
}

static void test_unmarked(void **state)
{
    (void)state;
    assert_unmarked("int f(int a) { }", (const uint32_t[]){5, 0});
    assert_unmarked("auto n::f(int a) const noexcept -> int *{ }", (const uint32_t[]){9, 0});
    assert_unmarked("int f(int a); int h() { f(1); } x = g(2);", (const uint32_t[]){0});
    assert_unmarked("__device__ int f() { } __global__ void g() { }", (const uint32_t[]){0});
    assert_unmarked("#define M(n, o) int n(int) { } int o##_x() { } int f() { } int h() { }",
                    (const uint32_t[]){21, 36, 52, 0});
    assert_unmarked("#define M(n) n\nint n() { } int f(", (const uint32_t[]){0});
    assert_unmarked("f(", (const uint32_t[]){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_unmarked),
        cmocka_unit_test(test_forms_of_the_text),
        cmocka_unit_test(test_places_that_clang_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
