/* Traces of Perfetto, read back by a parser of its own that was written from the documentation of the format: every
 * packet is whole, tracks are described before they are used, slices nest, flows go from one event to one later one,
 * time does not go back, and what slices and counters add up to is what the statistics count. */
#include "../gpu/ways.h"

#include "profile/profile.h"
#include "report/timeline_report.h"
#include "report/trace.h"
#include "timeline/timeline.h"
#include "warp/account.h"

/* The wire format */

struct bytes {
    const uint8_t *at, *end;
};
struct field {
    uint32_t number, wire;
    uint64_t value;     /* of a number */
    struct bytes bytes; /* of a text or message */
};

static uint64_t read_varint(struct bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        assert_true(b->at < b->end);
        uint8_t byte = *b->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    fail_msg("a varint without an end");
    return 0;
}

static bool next_field(struct bytes *b, struct field *f)
{
    if (b->at == b->end)
        return false;
    uint64_t tag = read_varint(b), length;
    *f = (struct field){.number = (uint32_t)(tag >> 3), .wire = tag & 7};
    switch (f->wire) {
    case 0:
        f->value = read_varint(b);
        return true;
    case 1:
        assert_true(b->end - b->at >= 8);
        for (unsigned i = 0; i < 8; i++)
            f->value |= (uint64_t)*b->at++ << 8 * i;
        return true;
    case 2:
        length = read_varint(b);
        assert_true(length <= (uint64_t)(b->end - b->at));
        f->bytes = (struct bytes){b->at, b->at + length};
        b->at += length;
        return true;
    default:
        fail_msg("wire type %u", f->wire);
        return false;
    }
}

static double real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A trace */

#define MOST 4096
#define DEEP 8

enum { TRACK_PLAIN, TRACK_GROUP, TRACK_THREAD_OF, TRACK_COUNTS };

struct track {
    uint64_t uuid, parent;
    int kind;
    char name[64];
    /* As events come */
    unsigned depth;
    uint64_t begun[DEEP];
    char open[DEEP][64];
    double value; /* of a counter */
    uint64_t since;
    double sum; /* of value * time */
};
struct flow {
    uint64_t id;
    unsigned begins, ends;
    char name[64];
};
struct slices { /* of one name, on thread tracks, below another slice */
    char name[64];
    uint64_t count, time;
};

struct parsed {
    struct track tracks[MOST];
    unsigned track_count;
    char names[3][MOST][64]; /* interned: of events, annotations, texts */
    struct slices slices[MOST];
    unsigned slice_count;
    VEC(struct flow) flows;
    uint64_t time;
    unsigned packets, events, notes;
};

static void copy_text(char to[64], struct bytes b)
{
    size_t n = (size_t)(b.end - b.at) < 63 ? (size_t)(b.end - b.at) : 63;
    memcpy(to, b.at, n);
    to[n] = '\0';
}

static struct track *track_of(struct parsed *p, uint64_t uuid)
{
    for (unsigned i = 0; i < p->track_count; i++)
        if (p->tracks[i].uuid == uuid)
            return &p->tracks[i];
    fail_msg("no track %llx", (unsigned long long)uuid);
    return NULL;
}

static void read_name(struct bytes message, uint32_t number, char to[64])
{
    struct field f;
    while (next_field(&message, &f))
        if (f.number == number)
            copy_text(to, f.bytes);
}

static void read_track(struct parsed *p, struct bytes message)
{
    struct field f;
    struct track *track = &p->tracks[p->track_count];
    *track = (struct track){0};
    while (next_field(&message, &f)) {
        if (f.number == 1)
            track->uuid = f.value;
        else if (f.number == 2)
            copy_text(track->name, f.bytes);
        else if (f.number == 3)
            track->kind = TRACK_GROUP, read_name(f.bytes, 6, track->name);
        else if (f.number == 4)
            track->kind = TRACK_THREAD_OF, read_name(f.bytes, 5, track->name);
        else if (f.number == 5)
            track->parent = f.value;
        else if (f.number == 8)
            track->kind = TRACK_COUNTS;
        else
            fail_msg("field %u of a track", f.number);
    }
    assert_true(track->uuid != 0 && track->name[0]);
    assert_true((track->kind == TRACK_GROUP) == !track->parent);
    for (unsigned i = 0; i < p->track_count; i++)
        assert_true(p->tracks[i].uuid != track->uuid);
    if (track->parent)
        track_of(p, track->parent);
    assert_true(++p->track_count < MOST);
}

static void read_interned(struct parsed *p, struct bytes message)
{
    struct field list, f;
    while (next_field(&message, &list)) {
        int kind = list.number == 2 ? 0 : list.number == 3 ? 1 : list.number == 29 ? 2 : -1;
        uint64_t iid = 0;
        struct bytes text = {0};
        assert_true(kind >= 0);
        while (next_field(&list.bytes, &f))
            if (f.number == 1)
                iid = f.value;
            else
                text = f.bytes;
        assert_true(iid > 0 && iid < MOST && !p->names[kind][iid][0]);
        copy_text(p->names[kind][iid], text);
    }
}

static void read_note(struct parsed *p, struct bytes message)
{
    struct field f;
    while (next_field(&message, &f)) {
        assert_true(f.number == 1 || f.number == 3 || f.number == 17);
        if (f.number != 3)
            assert_true(f.value < MOST && p->names[f.number == 1 ? 1 : 2][f.value][0]);
    }
    p->notes++;
}

static void note_slice(struct parsed *p, const char *name, uint64_t time)
{
    unsigned i = 0;
    while (i < p->slice_count && strcmp(p->slices[i].name, name))
        i++;
    if (i == p->slice_count) {
        snprintf(p->slices[i].name, 64, "%s", name);
        assert_true(++p->slice_count < MOST);
    }
    p->slices[i].count++;
    p->slices[i].time += time;
}

static void begin_slice(struct parsed *p, struct track *track, const char *name)
{
    assert_true(track->depth < DEEP && name[0]);
    snprintf(track->open[track->depth], 64, "%s", name);
    track->begun[track->depth++] = p->time;
}

static void end_slice(struct parsed *p, struct track *track)
{
    assert_true(track->depth > 0);
    track->depth--;
    if (track->kind != TRACK_THREAD_OF || track->depth == 1)
        note_slice(p, track->open[track->depth], p->time - track->begun[track->depth]);
}

static void count(struct parsed *p, struct track *track, double value)
{
    assert_int_equal(track->kind, TRACK_COUNTS);
    track->sum += track->value * (double)(p->time - track->since);
    track->value = value;
    track->since = p->time;
}

/* name: of the event: "gives back LOCK" and "holds LOCK". */
static void note_flow(struct parsed *p, uint64_t id, bool ends, const char *name)
{
    if (!ends) {
        struct flow flow = {.id = id, .begins = 1};
        for (size_t i = 0; i < p->flows.count; i++)
            assert_true(p->flows.items[i].id != id);
        assert_memory_equal(name, "gives back ", 11);
        snprintf(flow.name, sizeof flow.name, "holds %s", name + 11);
        vec_push(&p->flows, flow);
        return;
    }
    for (size_t i = 0; i < p->flows.count; i++)
        if (p->flows.items[i].id == id) {
            assert_string_equal(p->flows.items[i].name, name);
            p->flows.items[i].ends++;
            return;
        }
    fail_msg("flow %llu ends and has not begun", (unsigned long long)id);
}

static void read_event(struct parsed *p, struct bytes message)
{
    struct field f;
    struct track *track = NULL;
    uint64_t type = 0, flow = 0, ends = 0;
    const char *name = "";
    while (next_field(&message, &f)) {
        if (f.number == 9)
            type = f.value;
        else if (f.number == 11)
            track = track_of(p, f.value);
        else if (f.number == 10)
            name = p->names[0][f.value];
        else if (f.number == 4)
            read_note(p, f.bytes);
        else if (f.number == 30)
            count(p, track, (double)(int64_t)f.value);
        else if (f.number == 44)
            count(p, track, real_of(f.value));
        else if (f.number == 47 || f.number == 48)
            *(f.number == 47 ? &flow : &ends) = f.value, assert_int_equal(f.wire, 1);
        else
            fail_msg("field %u of an event", f.number);
    }
    assert_non_null(track);
    assert_true((type == 4) == (track->kind == TRACK_COUNTS));
    if (type == 1)
        begin_slice(p, track, name);
    else if (type == 2)
        end_slice(p, track);
    else
        assert_true(type == 3 || type == 4);
    if (flow)
        note_flow(p, flow, false, name);
    if (ends)
        note_flow(p, ends, true, name);
    p->events++;
}

static void read_packet(struct parsed *p, struct bytes packet)
{
    struct field f;
    uint64_t sequence = 0, flags = 0, time = UINT64_MAX;
    struct bytes again = packet;
    while (next_field(&packet, &f)) {
        sequence = f.number == 10 ? f.value : sequence;
        flags = f.number == 13 ? f.value : flags;
        time = f.number == 8 ? f.value : time;
        if (f.number == 12)
            read_interned(p, f.bytes);
    }
    assert_int_equal(sequence, 1);
    assert_int_equal(flags, p->packets++ ? 2 : 1);
    if (time != UINT64_MAX) {
        assert_true(time >= p->time);
        p->time = time;
    }
    while (next_field(&again, &f)) {
        assert_true(f.number == 8 || f.number == 10 || (f.number >= 11 && f.number <= 13) || f.number == 60);
        if (f.number == 60)
            read_track(p, f.bytes);
        if (f.number == 11) {
            assert_true(time != UINT64_MAX);
            read_event(p, f.bytes);
        }
    }
}

static struct parsed *parse(const struct strbuf *trace)
{
    struct parsed *p = calloc(1, sizeof *p);
    struct bytes all = {(const uint8_t *)trace->text, (const uint8_t *)trace->text + trace->length};
    struct field f;
    while (next_field(&all, &f)) {
        assert_true(f.number == 1 && f.wire == 2);
        read_packet(p, f.bytes);
    }
    for (unsigned i = 0; i < p->track_count; i++)
        assert_int_equal(p->tracks[i].depth, 0);
    for (size_t i = 0; i < p->flows.count; i++)
        assert_int_equal(p->flows.items[i].ends, 1);
    return p;
}

static void parsed_free(struct parsed *p)
{
    vec_free(&p->flows);
    free(p);
}

static uint64_t time_of(const struct parsed *p, const char *name)
{
    for (unsigned i = 0; i < p->slice_count; i++)
        if (!strcmp(p->slices[i].name, name))
            return p->slices[i].time;
    return 0;
}

/* Tests */

static struct timeline_read read_text(const char *text)
{
    struct timeline_read t = {0};
    struct strbuf lines = {0};
    struct diag_sink sink;
    diag_init(&sink);
    strbuf_add(&lines, "{\"lockstep timeline\":1}\n");
    strbuf_add(&lines, text);
    if (timeline_read(&t, "it", &lines, &sink) < 0) {
        diag_format_all(&sink, &lines);
        fail_msg("%s", lines.text);
    }
    strbuf_free(&lines);
    diag_free(&sink);
    return t;
}

/* The sum over counter tracks of that name. */
static double area_of(const struct parsed *p, const char *name)
{
    double sum = 0;
    for (unsigned i = 0; i < p->track_count; i++)
        if (p->tracks[i].kind == TRACK_COUNTS && !strcmp(p->tracks[i].name, name)) {
            assert_true(p->tracks[i].value == 0); /* at the end */
            sum += p->tracks[i].sum;
        }
    return sum;
}

static void expect_counted(const struct device *d, const struct parsed *p)
{
    for (unsigned c = 0; c < WARP_CAUSE_COUNT; c++) {
        uint64_t found = time_of(p, profile_cause_words(warp_cause_names[c]));
        uint64_t counted = device_stat(d, "warps", warp_cause_names[c]);
        if (found != counted)
            fail_msg("%s: %llu cycles in the trace, %llu counted", warp_cause_names[c], (unsigned long long)found,
                     (unsigned long long)counted);
    }
    assert_true(area_of(p, "warps resident") == (double)device_stat(d, "sm", "warp_cycles"));
    double instructions = area_of(p, "IPC"), issued = (double)device_stat(d, "sm", "warp_instructions");
    assert_true(instructions > issued * 0.9 &&
                instructions <= issued + 0.5); /* the last bin may go on behind the end */
}

/* Cycles of sections that hold a lock, and of warps that wait for one. */
static void expect_locks(const struct timeline_read_launch *l, const struct parsed *p)
{
    uint64_t held = 0, lanes_waited = 0, handed = 0;
    for (size_t i = 0; i < l->sections.count; i++) {
        const struct timeline_read_section *s = &l->sections.items[i];
        held += s->given - s->taken;
        lanes_waited += s->taken - s->since;
        for (size_t k = 0; k < l->sections.count; k++) /* the lock was given back before */
            if (l->sections.items[k].given <= s->taken && k != i) {
                handed++;
                break;
            }
    }
    assert_true(l->sections.count > 20 && l->locks == 1);
    char name[80];
    snprintf(name, sizeof name, "holds %s", timeline_read_lock(l, 0));
    assert_int_equal(time_of(p, name), held);
    snprintf(name, sizeof name, "waits for %s", timeline_read_lock(l, 0));
    assert_int_equal(time_of(p, name), lanes_waited);
    assert_int_equal(p->flows.count, handed);
    double waiting = area_of(p, "warps waiting for locks");
    assert_true(waiting > 0 && waiting <= (double)lanes_waited);
}

static void expect_barriers(const struct timeline_read_launch *l, const struct parsed *p)
{
    uint64_t waited = 0;
    for (size_t i = 0; i < l->waits.count; i++)
        waited += l->waits.items[i].opened - l->waits.items[i].came;
    assert_true(waited > 0);
    assert_int_equal(time_of(p, "at barrier"), waited);
}

static void test_kernel(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++) {
        struct device d;
        struct timeline_options options;
        struct strbuf trace = {0};
        timeline_read_options(&options, NULL, NULL, "1", NULL);
        device_open(&d, ways[w].machine, ways[w].settings);
        gpu_timeline(d.gpu, &options);
        device_load(&d, waits_text);
        device_run(&d, "k", (struct shape){.grid = GRID, .block = BLOCK}, device_buffer(&d, 131072 + 4 * THREADS), 2);
        struct timeline_read t = read_text(d.result.timeline);
        report_trace(&t, &trace);
        struct parsed *p = parse(&trace);
        expect_counted(&d, p);
        expect_barriers(&t.launches.items[0], p);
        if (!strstr(ways[w].settings, "dwf"))
            expect_locks(&t.launches.items[0], p);
        assert_true(p->notes > p->events / 3);
        parsed_free(p);
        strbuf_free(&trace);
        timeline_read_free(&t);
        device_close(&d);
    }
}

#define HEAD                                                                                                           \
    "{\"launch\":0,\"name\":\"k\",\"start\":100,\"cycles\":50,\"sms\":[2],\"causes\":[\"issued\",\"atomic\"],"         \
    "\"locks\":[{\"name\":\"hot\",\"space\":\"global\",\"address\":256}],"                                             \
    "\"lost\":{\"phases\":3,\"lives\":0,\"barriers\":0,\"locks\":0},"                                                  \
    "\"instructions\":[{\"pc\":1,\"text\":\"add\",\"ptx_line\":7,\"places\":[{\"file\":\"d/a.cu\",\"line\":4}]}]}\n"
#define LIFE                                                                                                           \
    "{\"sm\":2,\"slot\":5,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"cut\":false,"                        \
    "\"phases\":[10,0,1,10,30,1,1,25]}\n"

/* Two holders of a lock that hand it on at once; taking and giving back in one cycle. */
static void test_known(void **state)
{
    (void)state;
    struct strbuf trace = {0};
    struct timeline_read t = read_text(HEAD LIFE "{\"sm\":2,\"bin\":25,\"issues\":[50,25]}\n"
                                                 "{\"sm\":2,\"locks\":[0,0,5,3,5,20,20,1,1,0,0,5,4,6,10,20,1,1]}\n");
    report_trace(&t, &trace);
    struct parsed *p = parse(&trace);
    assert_int_equal(time_of(p, "issued"), 10);
    assert_int_equal(time_of(p, "atomic"), 30);
    assert_int_equal(time_of(p, "holds hot"), 10);
    assert_int_equal(time_of(p, "waits for hot"), 19);
    assert_int_equal(p->flows.count, 1);
    assert_true(area_of(p, "IPC") == 75);
    assert_true(area_of(p, "warps resident") == 40);
    assert_true(area_of(p, "warps waiting for locks") == 15); /* from 5 to 20: two lanes, in one stretch */
    assert_int_equal(p->time, 150);
    assert_string_equal(p->names[2][1], "a.cu:4");
    struct table_page page = {0};
    report_timeline(&t, &page);
    assert_has(page.text.text, "1 warps in 2 phases");
    assert_has(page.text.text, "not kept, for want of room: 3 phases");
    assert_has(page.text.text, "atomic 75%, issued 25%");
    table_page_free(&page);
    parsed_free(p);
    strbuf_free(&trace);
    timeline_read_free(&t);
}

/* A lock that is never given back, and a lane that waits for it to the end. */
static void test_unfinished(void **state)
{
    (void)state;
    struct strbuf trace = {0};
    struct timeline_read t = read_text(HEAD LIFE "{\"sm\":2,\"locks\":[0,0,5,3,5,6,9,1,1]}\n"
                                                 "{\"sm\":2,\"unfinished\":[0,5,3,1,10,40,0,5,4,0,12,33]}\n");
    report_trace(&t, &trace);
    struct parsed *p = parse(&trace);
    assert_int_equal(time_of(p, "holds hot"), 3 + 30);
    assert_int_equal(time_of(p, "waits for hot"), 1 + 21);
    assert_int_equal(p->flows.count, 0);
    assert_true(area_of(p, "warps waiting for locks") == 22);
    parsed_free(p);
    strbuf_free(&trace);
    timeline_read_free(&t);
}

/* Numbers that lead nowhere are refused: nothing is read beyond a table. */
static void test_damaged(void **state)
{
    (void)state;
    static const char *const bad[] = {
        LIFE,
        HEAD "{\"sm\":2,\"slot\":64,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"phases\":[]}\n",
        HEAD "{\"sm\":2,\"slot\":5,\"block\":[1,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"phases\":[]}\n",
        HEAD "{\"sm\":2,\"slot\":5,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"phases\":[10,2,1,1]}\n",
        HEAD "{\"sm\":2,\"slot\":5,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"phases\":[10,0,0,1]}\n",
        HEAD "{\"sm\":2,\"slot\":5,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"phases\":[10,0,9,1]}\n",
        HEAD "{\"sm\":2,\"slot\":5,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"phases\":[10,0,1,11]}\n",
        HEAD "{\"sm\":2,\"slot\":5,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"phases\":[41,0,1,1]}\n",
        HEAD "{\"sm\":2,\"slot\":5,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":1,\"phases\":[9,0,1]}\n",
        HEAD "{\"sm\":2,\"slot\":5,\"block\":[1,0,0],\"warp\":0,\"life\":[1,41],\"at\":0,\"phases\":[]}\n",
        HEAD "{\"sm\":-1,\"phases\":[]}\n",
        HEAD "{\"sm\":2,\"locks\":[1,0,5,3,5,10,20,1,1]}\n",
        HEAD "{\"sm\":2,\"locks\":[0,0,5,3,11,10,20,1,1]}\n",
        HEAD "{\"sm\":2,\"locks\":[0,0,5,3,5,10,9,1,1]}\n",
        HEAD "{\"sm\":2,\"locks\":[0,0,5,3,5,10,20,1]}\n",
        HEAD "{\"sm\":2,\"unfinished\":[0,5,4,2,30,50]}\n",
        HEAD "{\"sm\":2,\"unfinished\":[0,5,4,1,30,20]}\n",
        HEAD "{\"sm\":2,\"barriers\":[5,9,8,1]}\n",
        HEAD "{\"sm\":2,\"barriers\":[5,9,\"x\",1]}\n",
        HEAD "{\"sm\":2,\"bin\":0,\"issues\":[1]}\n",
        HEAD "{\"sm\":2,\"bin\":5,\"issues\":[-1]}\n",
        HEAD "{\"sm\":2,",
        "{\"launch\":0}\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct timeline_read t = {0};
        struct strbuf lines = {0};
        struct diag_sink sink;
        diag_init(&sink);
        strbuf_addf(&lines, "{\"lockstep timeline\":1}\n%s", bad[i]);
        if (timeline_read(&t, "it", &lines, &sink) == 0)
            fail_msg("read: %s", bad[i]);
        assert_int_equal(sink.count, 1);
        timeline_read_free(&t);
        strbuf_free(&lines);
        diag_free(&sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernel), cmocka_unit_test(test_known),
                                       cmocka_unit_test(test_unfinished), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
