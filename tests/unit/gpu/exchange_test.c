/* Instructions that lanes of a warp execute together, in a whole device: lanes that come to different ones of one kind,
 * with one member mask and the same qualifiers, meet there if the program's target is sm_70 or later (PTX ISA,
 * "shfl.sync" and its kin); and each half of a warp of 64 lanes is a warp of its own to the program. */
#include "base/bits.h"
#include "gpu_support.h"

#define THREADS 128

/* ---- each kind, with lanes at three places, by two masks ---- */

/* What a lane of a warp of 32 gets; member: the lanes of its group that have not ended; v: the lanes' values. */
typedef uint32_t oracle(const uint32_t *v, unsigned lane, uint32_t members);

static uint32_t ballot_of(const uint32_t *v, uint32_t members)
{
    uint32_t ballot = 0;
    for (unsigned i = 0; i < 32; i++)
        ballot |= members >> i & 1 && v[i] % 3 == 0 ? 1u << i : 0;
    return ballot;
}

static uint32_t shfl_idx(const uint32_t *v, unsigned lane, uint32_t members)
{
    return v[lane ^ 8];
}
static uint32_t shfl_up(const uint32_t *v, unsigned lane, uint32_t members)
{
    return lane < 8 ? v[lane] : v[lane - 8] + 1;
}
static uint32_t shfl_down(const uint32_t *v, unsigned lane, uint32_t members)
{
    return lane % 16 >= 8 ? v[lane] : v[lane + 8] + 1; /* in segments of 16 */
}
static uint32_t ballot(const uint32_t *v, unsigned lane, uint32_t members)
{
    return ballot_of(v, members);
}
static uint32_t any(const uint32_t *v, unsigned lane, uint32_t members)
{
    return ballot_of(v, members) != 0;
}
static uint32_t all(const uint32_t *v, unsigned lane, uint32_t members)
{
    return ballot_of(v, members) == members;
}
static uint32_t match_any(const uint32_t *v, unsigned lane, uint32_t members)
{
    uint32_t same = 0;
    for (unsigned i = 0; i < 32; i++)
        same |= members >> i & 1 && v[i] % 4 == v[lane] % 4 ? 1u << i : 0;
    return same;
}
static uint32_t match_all(const uint32_t *v, unsigned lane, uint32_t members)
{
    return match_any(v, lane, members) == members ? members + 1 : 0;
}
static uint32_t sum(const uint32_t *v, unsigned lane, uint32_t members)
{
    uint32_t total = 0;
    for (unsigned i = 0; i < 32; i++)
        total += members >> i & 1 ? v[i] : 0;
    return total;
}
static uint32_t most(const uint32_t *v, unsigned lane, uint32_t members)
{
    int32_t greatest = INT32_MIN;
    for (unsigned i = 0; i < 32; i++)
        greatest = members >> i & 1 && (int32_t)v[i] > greatest ? (int32_t)v[i] : greatest;
    return (uint32_t)greatest;
}
static uint32_t elected(const uint32_t *v, unsigned lane, uint32_t members)
{
    return mask_first(members) + (lane == mask_first(members) ? 100 : 0);
}
static uint32_t partner(const uint32_t *v, unsigned lane, uint32_t members)
{
    return v[lane ^ 16];
}

/* D: the destination register, another one at each place. In: %r11 the lane, %r12 its value, %r13 its mask, %r14
 * another lane, %p3 whether the value is a multiple of 3, %r15 the value modulo 4, %rd8 that with 2^40 times as much,
 * %r16 and %r17 addresses in shared memory of the lane's and its partner's word. */
struct kind {
    const char *name, *text;
    oracle *expected;
    bool exits; /* it may be tried with lanes that have ended */
};
#define PRED(op) op "; selp.u32 D, 1, 0, %p4;"
static const struct kind kinds[] = {
    {"shfl.idx", "shfl.sync.idx.b32 D, %r12, %r14, 31, %r13;", shfl_idx, false},
    {"shfl.bfly", "shfl.sync.bfly.b32 D, %r12, 8, 31, %r13;", shfl_idx, false},
    {"shfl.up", "shfl.sync.up.b32 D|%p4, %r12, 8, 0, %r13; @%p4 add.u32 D, D, 1;", shfl_up, false},
    {"shfl.down", "shfl.sync.down.b32 D|%p4, %r12, 8, 0x101f, %r13; @%p4 add.u32 D, D, 1;", shfl_down, false},
    {"vote.ballot", "vote.sync.ballot.b32 D, %p3, %r13;", ballot, true},
    {"vote.any", PRED("vote.sync.any.pred %p4, %p3, %r13"), any, true},
    {"vote.all", PRED("vote.sync.all.pred %p4, %p3, %r13"), all, true},
    {"match.any.b32", "match.any.sync.b32 D, %r15, %r13;", match_any, true},
    {"match.any.b64", "match.any.sync.b64 D, %rd8, %r13;", match_any, true},
    {"match.all.b32", "match.all.sync.b32 D|%p4, %r15, %r13; @%p4 add.u32 D, D, 1;", match_all, true},
    {"redux.add", "redux.sync.add.u32 D, %r12, %r13;", sum, true},
    {"redux.max", "redux.sync.max.s32 D, %r12, %r13;", most, true},
    {"elect", "elect.sync D|%p4, %r13; @%p4 add.u32 D, D, 100;", elected, true},
    {"bar.warp", "st.shared.u32 [%r16], %r12; bar.warp.sync %r13; ld.shared.u32 D, [%r17];", partner, false},
};

static void add_site(struct strbuf *out, const char *text, const char *destination)
{
    for (; *text; text++)
        if (*text == 'D')
            strbuf_add(out, destination);
        else
            strbuf_addf(out, "%c", *text);
}

/* Lanes go to one of three places by their number, or all to one; those of masks 0x0f0f0f0f and 0xf0f0f0f0 are at each.
 */
static void write_kernel(struct strbuf *out, const struct kind *k, unsigned places, bool exits)
{
    static const char *const destinations[] = {"%r20", "%r21", "%r22"};
    strbuf_add(out, ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 s[512];\n"
                    ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN
                    "mov.u32 %r11, %laneid; mad.lo.u32 %r12, %r2, -7, 200; mov.u32 %r13, 0x0f0f0f0f;\n"
                    "and.b32 %r18, %r11, 4; setp.ne.u32 %p1, %r18, 0; @%p1 mov.u32 %r13, 0xf0f0f0f0;\n"
                    "xor.b32 %r14, %r11, 8; rem.u32 %r18, %r12, 3; setp.eq.u32 %p3, %r18, 0; rem.u32 %r15, %r12, 4;\n"
                    "cvt.u64.u32 %rd8, %r15; shl.b64 %rd9, %rd8, 40; or.b64 %rd8, %rd8, %rd9;\n"
                    "mov.u32 %r16, s; shl.b32 %r17, %r2, 2; add.u32 %r16, %r16, %r17; xor.b32 %r17, %r16, 64;\n");
    strbuf_add(out, exits ? "setp.gt.u32 %p1, %r11, 25; @%p1 exit;\n" : "");
    strbuf_addf(out, "rem.u32 %%r18, %%r11, %u;\n", places);
    strbuf_add(out, "setp.eq.u32 %p1, %r18, 1; @%p1 bra ONE; setp.eq.u32 %p1, %r18, 2; @%p1 bra TWO;\n");
    for (unsigned i = 0; i < 3; i++) {
        strbuf_add(out, i == 1 ? "ONE: " : i == 2 ? "TWO: " : "");
        add_site(out, k->text, destinations[i]);
        strbuf_addf(out, "add.u32 %%r23, %s, %u; bra.uni OVER;\n", destinations[i], i * 1000);
    }
    strbuf_add(out, "OVER: st.global.u32 [%rd2], %r23; ret;\n}\n");
}

static uint32_t expected_of(const struct kind *k, unsigned thread, unsigned places, bool exits)
{
    unsigned lane = thread % 32;
    uint32_t v[32], members = (lane & 4 ? 0xf0f0f0f0 : 0x0f0f0f0f) & (exits ? mask_low(26) : UINT32_MAX);
    for (unsigned i = 0; i < 32; i++)
        v[i] = (thread - lane + i) * (uint32_t)-7 + 200;
    return exits && lane > 25 ? 0 : k->expected(v, lane, members) + lane % places * 1000;
}

/* Returns how many instructions its threads executed. */
static uint64_t try_kind(const struct kind *k, const char *machine, const char *way, enum gpu_mode mode,
                         unsigned places, bool exits)
{
    struct device d;
    struct strbuf text = {0};
    char settings[80];
    snprintf(settings, sizeof settings, "gpu.watch_cycles=100000 sm.divergence=%s", way);
    write_kernel(&text, k, places, exits);
    device_open(&d, machine, settings);
    device_load(&d, strbuf_text(&text));
    uint64_t params[] = {device_buffer(&d, 4 * THREADS), 1};
    enum gpu_status status =
        device_try(&d, "k", (struct shape){.grid = 1, .block = THREADS, .mode = mode, .check_sync = true}, 2, params);
    uint32_t got[THREADS];
    device_read(&d, got, params[0], sizeof got);
    for (unsigned t = 0; t < THREADS; t++)
        if (status != GPU_OK || got[t] != expected_of(k, t, places, exits))
            fail_msg("%s, %s %s, mode %d, %u places, exits %d: %s, thread %u got %u, expected %u\n%s\n%s", k->name,
                     machine, way, (int)mode, places, exits, gpu_status_name(status), t, got[t],
                     expected_of(k, t, places, exits), strbuf_text(&d.text), strbuf_text(&text));
    uint64_t executed = device_stat(&d, "sm", "thread_instructions");
    strbuf_free(&text);
    device_close(&d);
    return executed;
}

static const char *const waiting[] = {"its", "aware", "dwf"};

/* Lanes at three places meet, in warps of 32 and 64 lanes. Each executes its instruction once. */
static void test_meet_wherever_they_are(void **state)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (unsigned exits = 0; exits <= kinds[i].exits; exits++) {
            uint64_t executed = 0;
            for (unsigned w = 0; w < 12; w++) {
                uint64_t here = try_kind(&kinds[i], w % 2 ? "apu8" : "gtx480", waiting[w / 4],
                                         w / 2 % 2 ? GPU_FUNCTIONAL : GPU_TIMING, 3, exits);
                assert_true(here > 0 && (!executed || here == executed));
                executed = here;
            }
        }
}

/* Where no lanes part, each half of a warp of 64 does what a warp of 32 does, under the stack too. */
static void test_halves_are_warps(void **state)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (unsigned w = 0; w < 4; w++) {
            enum gpu_mode mode = w % 2 ? GPU_FUNCTIONAL : GPU_TIMING;
            try_kind(&kinds[i], w / 2 ? "apu8" : "gtx480", "stack", mode, 1, false);
            if (kinds[i].exits)
                try_kind(&kinds[i], w / 2 ? "apu8" : "gtx480", "stack", mode, 1, true);
        }
}

/* ---- what a thread sees of its warp ---- */

/* Forms without a mask act on the lanes that execute them together: on those of the half. */
static void test_places_in_halves(void **state)
{
    static const char text[] = PTX_HEAD PTX_KERNEL(
        "k", PTX_BEGIN
        "mul.lo.u32 %r6, %r2, 48; cvt.u64.u32 %rd4, %r6; add.u64 %rd5, %rd1, %rd4; and.b32 %r7, %r2, 3;\n"
        "mov.u32 %r8, %laneid; st.global.u32 [%rd5], %r8; mov.u32 %r8, %lanemask_eq; st.global.u32 [%rd5+4], %r8;\n"
        "mov.u32 %r8, %lanemask_le; st.global.u32 [%rd5+8], %r8; mov.u32 %r8, %lanemask_lt; st.global.u32 [%rd5+12], "
        "%r8;\n"
        "mov.u32 %r8, %lanemask_ge; st.global.u32 [%rd5+16], %r8; mov.u32 %r8, %lanemask_gt; st.global.u32 [%rd5+20], "
        "%r8;\n"
        "mov.u32 %r8, %warpid; mov.u32 %r9, %nwarpid; setp.lt.u32 %p2, %r8, %r9; selp.u32 %r9, 0, 77, %p2;\n"
        "add.u32 %r9, %r8, %r9; st.global.u32 [%rd5+24], %r9; mov.u32 %r8, WARP_SZ; st.global.u32 [%rd5+28], %r8;\n"
        "setp.eq.u32 %p1, %r7, 0; @%p1 bra OVER;\n"
        "activemask.b32 %r8; st.global.u32 [%rd5+32], %r8; vote.ballot.b32 %r8, 1; st.global.u32 [%rd5+36], %r8;\n"
        "shfl.down.b32 %r8, %r2, 4, 31; st.global.u32 [%rd5+40], %r8;\nOVER: ret;\n");
    for (unsigned w = 0; w < 16; w++) {
        struct device d;
        char settings[40];
        snprintf(settings, sizeof settings, "sm.divergence=%s", w / 4 ? waiting[w / 4 - 1] : "stack");
        device_open(&d, w % 2 ? "apu128" : "gtx480", settings);
        device_load(&d, text);
        uint64_t buffer = device_buffer(&d, 48 * THREADS);
        device_run(&d, "k", (struct shape){.grid = 1, .block = THREADS, .mode = w & 2 ? GPU_FUNCTIONAL : GPU_TIMING},
                   buffer, 1);
        uint32_t got[THREADS][12];
        device_read(&d, got, buffer, sizeof got);
        for (unsigned t = 0; t < THREADS; t++) {
            uint32_t lane = t % 32, one = 1u << lane, part = t % 4 ? 0xeeeeeeee : 0;
            const uint32_t expected[12] = {lane,
                                           one,
                                           one | (one - 1),
                                           one - 1,
                                           ~(one - 1),
                                           ~(one | (one - 1)),
                                           t / 32,
                                           32,
                                           part,
                                           part,
                                           t % 4 == 0  ? 0
                                           : lane < 28 ? t + 4
                                                       : t};
            for (unsigned i = 0; i < 12; i++)
                if (got[t][i] != expected[i])
                    fail_msg("settings %s, run %u: word %u of thread %u is %x, not %x", settings, w, i, t, got[t][i],
                             expected[i]);
        }
        device_close(&d);
    }
}

/* ---- who does not meet ---- */

struct stranger {
    const char *target, *low, *high, *says;
};

/* The message names the difference, whichever side comes last. */
static void test_strangers(void **state)
{
    static const struct stranger strangers[] = {
        {"70", "shfl.sync.bfly.b32 %r8, %r2, 1, 31, 0xffffffff;", "shfl.sync.idx.b32 %r8, %r2, 1, 31, 0xffffffff;",
         "at shfl.sync."},
        {"70", "vote.sync.any.pred %p2, %p1, 0xffffffff;", "vote.sync.all.pred %p2, %p1, 0xffffffff;",
         "at vote.sync.a"},
        {"80", "redux.sync.add.u32 %r8, %r2, 0xffffffff;", "redux.sync.add.s32 %r8, %r2, 0xffffffff;",
         "at redux.sync.add."},
        {"70", "match.any.sync.b32 %r8, %r2, 0xffffffff;", "match.any.sync.b64 %r8, %rd1, 0xffffffff;",
         "at match.any.sync.b"},
        {"70", "bar.warp.sync 0xffffffff;", "bar.warp.sync 0xfffffffe;", "with mask 0xfffffff"},
        {"70", "vote.sync.ballot.b32 %r8, %p1, -1;", "shfl.sync.bfly.b32 %r8, %r2, 1, 31, -1;", "at "},
        {"70", "bar.warp.sync 0xffffffff;", "bar.sync 0;", "at bar."},
        {"60", "shfl.sync.bfly.b32 %r8, %r2, 1, 31, 0xffffffff;", "shfl.sync.bfly.b32 %r8, %r2, 1, 31, 0xffffffff;",
         "lanes of target sm_60 meet at one instruction only"},
        {"60", "bar.warp.sync 0xffffffff;", "bar.warp.sync 0xffffffff;",
         "lanes of target sm_60 meet at one instruction only"},
    };
    for (size_t i = 0; i < 6 * (sizeof strangers / sizeof strangers[0]); i++) {
        const struct stranger *s = &strangers[i / 6];
        struct device d;
        struct strbuf text = {0};
        char settings[40];
        snprintf(settings, sizeof settings, "sm.divergence=%s", waiting[i % 3]);
        strbuf_addf(&text, ".version 7.0\n.target sm_%s\n.address_size 64\n", s->target);
        strbuf_add(&text, ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN
                          "and.b32 %r6, %r2, 31; setp.ge.u32 %p1, %r6, 16; @%p1 bra HIGH;\n");
        strbuf_add(&text, s->low);
        strbuf_add(&text, " bra.uni OVER;\nHIGH: ");
        strbuf_add(&text, s->high);
        strbuf_add(&text, "\nOVER: ret;\n}\n");
        device_open(&d, i % 2 ? "apu8" : "gtx480", settings);
        device_load(&d, strbuf_text(&text));
        uint64_t params[] = {device_buffer(&d, 256), 1};
        struct shape shape = {.grid = 1, .block = 64, .mode = i % 6 > 2 ? GPU_FUNCTIONAL : GPU_TIMING};
        assert_int_equal(device_try(&d, "k", shape, 2, params), GPU_FAULT);
        const char *said = strbuf_text(&d.text);
        if (!strstr(said, "of the warp would wait here for ever for lanes") || !strstr(said, s->says))
            fail_msg("%s, sm_%s, '%s' and '%s': no word of '%s':\n%s", settings, s->target, s->low, s->high, s->says,
                     said);
        strbuf_free(&text);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meet_wherever_they_are),
        cmocka_unit_test(test_halves_are_warps),
        cmocka_unit_test(test_places_in_halves),
        cmocka_unit_test(test_strangers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
