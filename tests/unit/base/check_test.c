/* Derived facts: what holds passes, what does not is named, and breaking the n-th fact breaks that one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/check.h"

struct unit {
    uint8_t items[4];
    uint64_t some; /* set of items that are not 0 */
    uint16_t sum;
    uint32_t first; /* no later than the first item that is not 0 */
    uint8_t flags;  /* bit 4: not empty; the others are its own */
};

static void unit_check(struct unit *u, struct check *c)
{
    uint64_t some = 0, sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        some |= (uint64_t)(u->items[i] != 0) << i;
        sum += u->items[i];
    }
    check_of(c, "unit", 7);
    CHECK_FACT(c, "unit.some", 0, u->some, some);
    CHECK_FACT(c, "unit.sum", 0, u->sum, sum);
    check_at_most(c, "unit.first", 3, &u->first, sizeof u->first, some ? (uint64_t)__builtin_ctzll(some) : 4);
    check_bits(c, "unit.flags", 0, &u->flags, 1, 0x10, some ? 0x10 : 0);
    check_holds(c, "unit.not_empty", 0, some != 0);
}

static struct unit sound(void)
{
    return (struct unit){.items = {0, 2, 0, 5}, .some = 0xa, .sum = 7, .first = 1, .flags = 0x33};
}

static void what_holds_passes(void **state)
{
    (void)state;
    struct unit u = sound();
    struct check c;
    check_init(&c);
    unit_check(&u, &c);
    assert_null(c.wrong);
    assert_int_equal(c.stated, 4);
    u.first = 0; /* earlier is allowed */
    check_init(&c);
    unit_check(&u, &c);
    assert_null(c.wrong);
}

static void every_broken_fact_is_found(void **state)
{
    (void)state;
    const char *const names[] = {"unit.some", "unit.sum", "unit.first", "unit.flags"};
    for (uint64_t i = 0; i < 4; i++) {
        struct unit u = sound();
        struct check broken, c;
        check_init_break(&broken, i);
        unit_check(&u, &broken);
        assert_string_equal(broken.broken, names[i]);
        assert_null(broken.wrong);
        check_init(&c);
        unit_check(&u, &c);
        assert_string_equal(c.wrong, names[i]);
        assert_string_equal(c.wrong_unit, "unit 7");
        assert_true(c.kept != c.should_be);
        check_mend(&broken);
        assert_null(broken.broken);
        check_init(&c);
        unit_check(&u, &c);
        assert_null(c.wrong);
    }
}

static void note_name(void *context, const char *name, uint64_t number)
{
    ((const char **)context)[number] = name;
}

static void facts_are_heard(void **state)
{
    (void)state;
    struct unit u = sound();
    struct check c;
    const char *names[8] = {0};
    check_init_hear(&c, note_name, names);
    unit_check(&u, &c);
    assert_string_equal(names[0], "unit.some");
    assert_string_equal(names[3], "unit.flags");
    assert_null(names[4]);
}

/* No number of so many bytes is more: there is nothing to break. */
static void a_bound_that_binds_nothing(void **state)
{
    (void)state;
    uint16_t small = 7;
    uint64_t large = UINT64_MAX;
    struct check c;
    check_init_break(&c, 0);
    check_at_most(&c, "small", 0, &small, sizeof small, 0xffff);
    check_at_most(&c, "large", 0, &large, sizeof large, UINT64_MAX);
    assert_int_equal(c.stated, 0);
    assert_int_equal(small, 7);
}

static void relations_are_verified(void **state)
{
    (void)state;
    struct unit u = {.first = 0};
    struct check c;
    check_init(&c);
    unit_check(&u, &c);
    assert_string_equal(c.wrong, "unit.not_empty");
    check_init_break(&c, 4); /* there is no such fact */
    unit_check(&u, &c);
    assert_null(c.broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_passes),          cmocka_unit_test(every_broken_fact_is_found),
        cmocka_unit_test(relations_are_verified),     cmocka_unit_test(facts_are_heard),
        cmocka_unit_test(a_bound_that_binds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
