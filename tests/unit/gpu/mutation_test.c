/* Every derived fact that the checks state (base/check.h) is broken on purpose while kernels run, and the checks find
 * it each time. So no check is one that cannot fail; and each fact that a source states is met here, or the test says
 * which is not. */
#include <dirent.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/hash.h"
#include "gpu/gpu_check.h"
#include "gpu_support.h"

#define NAMES 512
#define TIMES (getenv("LOCKSTEP_LONG") ? 2 : 1) /* that each fact is broken: with LOCKSTEP_LONG on each machine */
#define BETWEEN 907 /* cycles between two looks */
#define CYCLES 20000

struct fact {
    const char *name;
    uint64_t chosen; /* of this look: the number of one of those of this name */
    unsigned met;    /* of this look: how many there are */
    unsigned broken; /* on this machine */
};

struct mutator {
    struct gpu *gpu;
    struct fact facts[NAMES];
    unsigned count, looks;
    uint64_t drawn;
};

static struct fact *fact_of(struct mutator *m, const char *name)
{
    for (unsigned i = 0; i < m->count; i++)
        if (strcmp(m->facts[i].name, name) == 0)
            return &m->facts[i];
    assert_true(m->count < NAMES);
    m->facts[m->count] = (struct fact){.name = name};
    return &m->facts[m->count++];
}

static void meet(void *context, const char *name, uint64_t number)
{
    struct mutator *m = context;
    struct fact *f = fact_of(m, name);
    if (random_at(7, m->drawn++) % ++f->met == 0)
        f->chosen = number;
}

static struct check walk(struct mutator *m, bool listening)
{
    struct check c;
    if (listening)
        check_init_hear(&c, meet, m);
    else
        check_init(&c);
    gpu_check(m->gpu->run, &c);
    return c;
}

static void expect_sound(struct mutator *m, bool listening, const char *after)
{
    struct check c = walk(m, listening);
    if (c.wrong)
        fail_msg("cycle %llu%s%s: %s: %s[%u] is %llu and should be %llu", (unsigned long long)m->gpu->cycle,
                 after ? ", after " : "", after ? after : "", c.wrong_unit, c.wrong, c.at, (unsigned long long)c.kept,
                 (unsigned long long)c.should_be);
}

static void break_fact(struct mutator *m, struct fact *f)
{
    struct check broken;
    check_init_break(&broken, f->chosen);
    gpu_check(m->gpu->run, &broken);
    assert_string_equal(broken.broken, f->name);
    struct check c = walk(m, false);
    if (!c.wrong)
        fail_msg("cycle %llu: %s was broken and nobody saw it", (unsigned long long)m->gpu->cycle, f->name);
    check_mend(&broken);
    expect_sound(m, false, f->name);
    f->broken++;
}

/* Called between two windows, as for a checkpoint. */
static void look(void *context)
{
    struct mutator *m = context;
    for (unsigned i = 0; i < m->count; i++)
        m->facts[i].met = 0;
    m->looks++;
    expect_sound(m, true, NULL);
    for (unsigned i = 0; i < m->count; i++)
        if (m->facts[i].met && m->facts[i].broken < TIMES)
            break_fact(m, &m->facts[i]);
}

/* Loads and stores that miss and meet, atomics, local and constant memory, barriers, calls and divergence, and locks.
 */
static const char text[] = PTX_HEAD
    ".const .align 4 .b32 c[4] = {3, 1, 4, 1};\n.shared .align 4 .b8 s[512];\n"
    ".func f(.param .b32 a)\n{\n" PTX_REGS "ld.param.u32 %r1, [a]; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0;\n"
    "@%p1 bra OUT; activemask.b32 %r2; bar.warp.sync %r2; OUT: ret;\n}\n" PTX_KERNEL(
        "k",
        ".local .align 8 .b8 l[256];\n" PTX_BEGIN
        "mov.u64 %rd5, l; mov.u64 %rd10, c; mov.u32 %r6, %r5; shl.b32 %r20, %r2, 2;\n"
        "mbarrier.init.shared.b64 [s+504], 1; bar.sync 0;\n"
        "LOOP: mbarrier.try_wait.parity.shared.b64 %p4, [s+504], 0, 30;\n"
        "mul.lo.u32 %r7, %r5, 97; mad.lo.u32 %r7, %r1, 1031, %r7; and.b32 %r7, %r7, 16383;\n"
        "mul.wide.u32 %rd4, %r7, 4; add.u64 %rd4, %rd1, %rd4;\n"
        "ld.global.u32 %r8, [%rd4+4096]; ld.global.u32 %r9, [%rd2+4096]; add.u32 %r6, %r6, %r8; add.u32 %r6, %r6, "
        "%r9;\n"
        "ld.volatile.global.u32 %r9, [%rd4+8192]; st.global.u32 [%rd4+12288], %r9; st.global.u8 [%rd4+16384], %r9;\n"
        "and.b32 %r8, %r6, 60; cvt.u64.u32 %rd6, %r8; add.u64 %rd6, %rd5, %rd6; st.local.u32 [%rd6], %r6;\n"
        "ld.local.u32 %r9, [%rd5+16]; and.b32 %r8, %r5, 12; cvt.u64.u32 %rd6, %r8; add.u64 %rd6, %rd10, %rd6;\n"
        "ld.const.u32 %r9, [%rd6]; st.shared.u32 [%r20], %r9; bar.sync 0; ld.shared.u32 %r10, [s]; atom.shared.add.u32 "
        "%r9, [s+400], 1;\n"
        "rem.u32 %r8, %r5, 24; mul.wide.u32 %rd8, %r8, 132; add.u64 %rd8, %rd1, %rd8;\n"
        "atom.global.add.u32 %r9, [%rd8], 1; red.global.max.u32 [%rd1], %r5; membar.gl;\n"
        "div.rn.f64 %d2, %d2, %d1; sin.approx.f32 %f3, %f3; setp.gt.u32 %p2, %r2, 40; @%p2 bra OVER;\n"
        "{ .param .b32 a; st.param.b32 [a], %r2; call.uni f, (a); }\n"
        "OVER: and.b32 %r8, %r2, 31; setp.ne.u32 %p3, %r8, 0; @%p3 bra NEXT;\n"
        "TRY: atom.global.cas.b32 %r8, [%rd1+1024], 0, 1; setp.ne.u32 %p4, %r8, 0; @%p4 bra TRY;\n"
        "membar.gl; atom.global.exch.b32 %r8, [%rd1+1024], 0; nanosleep.u32 50;\n"
        "lockstep.lock.b32 [%rd1+3200]; nanosleep.u32 20; lockstep.unlock.b32 [%rd1+3200];\n"
        "NEXT: add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP; st.global.u32 [%rd2], %r6; ret;\n");

/* Two warpgroups of which one gives registers back late, and the other waits for them. */
static const char pools[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 p, .param .u64 n)\n.maxnreg 64\n{\n" PTX_REGS PTX_BEGIN
    "setp.lt.u32 %p1, %r2, 128; @%p1 bra GIVES; setmaxnreg.inc.sync.aligned.u32 96; bra OUT;\n"
    "GIVES: mov.u32 %r6, 400;\nMORE: sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra MORE;\n"
    "setmaxnreg.dec.sync.aligned.u32 32;\nOUT: bar.sync 0; st.global.u32 [%rd2], %r5; ret;\n}\n";

static void break_all_on(struct mutator *m, const char *machine, const char *settings, unsigned threads)
{
    struct device d;
    bool moves = strcmp(machine, "h100") == 0; /* registers, between warps */
    device_open(&d, machine, settings);
    device_load(&d, moves ? pools : text);
    m->gpu = d.gpu;
    for (unsigned i = 0; i < m->count && getenv("LOCKSTEP_LONG"); i++)
        m->facts[i].broken = 0;
    gpu_set_checkpoints(d.gpu, 1, BETWEEN, look, m);
    uint64_t params[] = {device_buffer(&d, 1 << 17), 5};
    assert_int_equal(gpu_fill(d.gpu, params[0] + 3200, 0xff, 4, &d.sink), 0); /* a lock that is free */
    struct shape shape = {.grid = 12, .block = moves ? 256 : 96, .max_cycles = CYCLES, .threads = threads};
    enum gpu_status status = device_try(&d, "k", shape, 2, params);
    if (status != GPU_OK && status != GPU_LIMIT)
        fail_msg("%s %s: %s %s", machine, settings, gpu_status_name(status), strbuf_text(&d.text));
    device_close(&d);
}

/* The name that a line states, in `name`, when it states one: the string behind the word. */
static bool stated_on(const char *line, char name[64])
{
    static const char *const words[] = {"CHECK_FACT(", "check_fact(", "check_bits(", "check_at_most("};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = strstr(line, words[i]), *from = at ? strchr(at, '"') : NULL;
        const char *to = from ? strchr(from + 1, '"') : NULL;
        if (to && to - from < 64) {
            memcpy(name, from + 1, (size_t)(to - from - 1));
            name[to - from - 1] = 0;
            return true;
        }
    }
    return false;
}

/* Names that the sources state and nothing has met. */
static unsigned not_met(struct mutator *m, const char *path, unsigned *stated)
{
    struct stat info;
    unsigned missing = 0;
    char line[512], name[64];
    assert_int_equal(stat(path, &info), 0);
    if (S_ISDIR(info.st_mode)) {
        DIR *dir = opendir(path);
        for (struct dirent *e; (e = readdir(dir));) {
            char inner[1024];
            snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
            if (e->d_name[0] != '.')
                missing += not_met(m, inner, stated);
        }
        closedir(dir);
        return missing;
    }
    size_t length = strlen(path);
    if (length < 2 || strcmp(path + length - 2, ".c") != 0 || strstr(path, "/base/check.c"))
        return 0;
    FILE *file = fopen(path, "r");
    while (fgets(line, sizeof line, file)) {
        bool found = !stated_on(line, name);
        *stated += !found;
        for (unsigned i = 0; i < m->count && !found; i++)
            found = strcmp(m->facts[i].name, name) == 0;
        if (!found)
            print_message("%s: \"%s\" was never met\n", path, name);
        missing += !found;
    }
    fclose(file);
    return missing;
}

static void test_every_fact_is_seen_to_break(void **state)
{
    static const struct {
        const char *machine, *settings;
        unsigned threads;
    } machines[] = {
        {"gtx480", "gpu.sms=2 partition.channels=2 dram.scheduler_queue=8 sm.blocks=3", 1},
        {"gtx480-sm2", "gpu.sms=3 partition.channels=2 l1d.mshr_entries=2 l1d.ways=1 l2.sets=8 l2.mshr_entries=4", 2},
        {"gtx1080ti", "gpu.sms=2 partition.channels=2 l2.sets=8 l2.mshr_entries=8", 1},
        {"gtx480",
         "gpu.sms=2 partition.channels=1 network.core=ideal l1d.allocate=on_fill l1d.sets=2 l1d.mshr_entries=4 "
         "sm.scheduler=tls "
         "spin.detector=ddos",
         1},
        {"gtx480",
         "gpu.sms=3 partition.channels=2 network.core=mesh network.columns=3 network.rows=2 sm.divergence=its", 1},
        {"gtx480", "gpu.sms=3 network.core=ideal network.latency=20 network.boundary_flits=1 partition.l2_icnt_queue=1",
         2},
        {"gtx480",
         "gpu.sms=3 partition.channels=2 coherence.protocol=hlrc coherence.store_queue=4 l1d.sets=4 l1d.ways=2 "
         "l2.sets=8",
         1},
        {"gtx480",
         "gpu.sms=3 partition.channels=2 coherence.protocol=lease coherence.lease=1500 l1d.sets=4 l1d.ways=2 "
         "l2.sets=8",
         1},
        {"apu8", "coherence.protocol=rsp", 2},
        {"gtx480", "gpu.sms=3 partition.channels=2 locks.queue=true", 1},
        {"gtx480", "gpu.sms=2 partition.channels=2 sm.cores=4", 1},
        {"gtx480", "gpu.sms=66 partition.channels=2", 1}, /* more ports than a word has bits */
        {"h100", "gpu.sms=2 gpu.memory_mib=64", 1},
    };
    struct mutator *m = calloc(1, sizeof *m);
    for (unsigned i = 0; i < sizeof machines / sizeof machines[0]; i++)
        break_all_on(m, machines[i].machine, machines[i].settings, machines[i].threads);
    unsigned stated = 0, missing = not_met(m, LOCKSTEP_SOURCE_DIR "/src", &stated);
    assert_true(stated > 30 && m->looks > 100);
    assert_int_equal(missing, 0);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_fact_is_seen_to_break)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
