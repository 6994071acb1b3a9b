/* Disassembly parses back to an equal module: over the reference kernels, over what nvcc and clang made of data/mix.cu,
 * and over a text with one of everything that those do not use. */
#include "unit/ptx/ptx_support.h"

#include <dirent.h>

static void round_trip(const char *name, const char *text)
{
    struct isa_module *first = support_load(name, text);
    struct strbuf out = {0};
    isa_disasm_module(first, &out);
    struct isa_module *second = support_load("disassembly", strbuf_text(&out));
    support_same_module(first, second);
    struct strbuf again = {0};
    isa_disasm_module(second, &again);
    assert_string_equal(strbuf_text(&out), strbuf_text(&again));
    strbuf_free(&out);
    strbuf_free(&again);
    isa_module_free(first);
    isa_module_free(second);
}

static unsigned round_trip_folder(const char *folder)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    unsigned files = 0;
    for (int i = 0; i < count; i++) {
        char path[1000];
        const char *dot = strrchr(names[i]->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (dot && !strcmp(dot, ".ptx")) {
            size_t length;
            char *text = support_read(path, &length);
            round_trip(path, text);
            free(text);
            files++;
        }
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return files;
}

static void reference_kernels(void **state)
{
    assert_true(round_trip_folder(LOCKSTEP_SOURCE_DIR "/tests/reference") >= 20);
}

static void compiler_output(void **state)
{
    assert_true(round_trip_folder(LOCKSTEP_SOURCE_DIR "/tests/unit/ptx/data") >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_kernels),
        cmocka_unit_test(compiler_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
