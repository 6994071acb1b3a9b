/* Whole files: what has no end is refused, what is replaced is replaced at once, and a failure leaves the old file. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static char folder[] = "/tmp/lockstep-file-XXXXXX";

static int enter(void **state)
{
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    static const char *const names[] = {"a", "b", "link", "pipe"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    return rmdir(folder); /* fails when a test left something else */
}

static void assert_content(const char *path, const char *text)
{
    struct strbuf found = {0};
    assert_int_equal(file_load(path, FILE_TEXT_MOST, &found), 0);
    assert_string_equal(strbuf_text(&found), text);
    strbuf_free(&found);
}

static void test_no_end(void **state)
{
    struct strbuf text = {0};
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(file_load("/dev/zero", 100000, &text), EFBIG);
    assert_true(text.length <= 100000);
    assert_int_equal(file_read("/dev/zero", 7, &text, &sink), -1);
    assert_non_null(strstr(sink.items[0].message, "more than 7 bytes"));
    assert_int_equal(file_load("none", 7, &text), ENOENT);
    assert_int_equal(file_load(".", 7, &text), EISDIR);
    strbuf_free(&text);
    diag_free(&sink);
    assert_int_equal(file_store("a", "1234567", 7, 0600), 0);
    assert_int_equal(file_load("a", 7, &text), 0); /* just as much as may be */
    assert_int_equal(text.length, 7);
    strbuf_free(&text);
}

static void test_replaces(void **state)
{
    struct stat before, after;
    assert_int_equal(file_store("a", "old", 3, 0640), 0);
    assert_int_equal(stat("a", &before), 0);
    assert_int_equal(before.st_mode & 0777 & ~0640, 0);
    unlink("link");
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(file_store("link", "newer", 5, 0666), 0);
    assert_int_equal(lstat("link", &after), 0);
    assert_true(S_ISLNK(after.st_mode));
    assert_content("a", "newer");
    assert_int_equal(file_store("none/a", "x", 1, 0666), ENOENT);
    assert_int_equal(file_store("/dev/full", "x", 1, 0666), ENOSPC);
    assert_int_equal(file_store("/dev/null", "x", 1, 0666), 0);
}

static void test_moves(void **state)
{
    struct stat info;
    assert_int_equal(file_store("b", "program", 7, 0755), 0);
    assert_int_equal(file_move("b", "a"), 0);
    assert_content("a", "program");
    assert_int_equal(stat("a", &info), 0);
    assert_true(info.st_mode & S_IXUSR);
    assert_int_equal(file_move("a", "/dev/full"), ENOSPC);
    assert_int_equal(file_move("none", "a"), ENOENT);
    assert_content("a", "program");
}

/* A limit on the size of files stands in for a full disk. */
static void test_no_room(void **state)
{
    struct rlimit old, small;
    char *large = calloc(1, 100000);
    assert_int_equal(file_store("a", "old", 3, 0666), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){4096, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int why = file_store("a", large, 100000, 0666);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(why, EFBIG);
    assert_content("a", "old");
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_end),
        cmocka_unit_test(test_replaces),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
