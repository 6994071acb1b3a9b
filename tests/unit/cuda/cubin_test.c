/* Registers that machine code says its kernels have: of fat binaries that nvcc made (data/), and of broken ones. */
#include "cuda/cubin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "cuda/fatbin.h"

#define MOST_BYTES 65536

static size_t load(const char *name, char *data)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/unit/cuda/data/%s.fatbin", LOCKSTEP_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t bytes = fread(data, 1, MOST_BYTES, file);
    fclose(file);
    assert_true(bytes > 0 && bytes < MOST_BYTES);
    return bytes;
}

static struct fatbin_code code_of(const char *name, uint32_t arch)
{
    static char data[MOST_BYTES];
    struct fatbin_code code;
    assert_true(fatbin_extract_code(data, load(name, data), arch, &code));
    return code;
}

static const struct ptx_assembled *find(const struct cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->count; i++)
        if (strcmp(cubin->kernels[i].name, name) == 0)
            return &cubin->kernels[i];
    return NULL;
}

static void figures_are_those_of_the_assembler(void **state)
{
    static const struct {
        uint32_t arch, few, spilled, calls, most, stack;
    } rows[] = {{75, 8, 54, 10, 64, 0}, {80, 8, 32, 10, 32, 200}, {90, 8, 32, 10, 32, 200}};
    for (unsigned i = 0; i < 3; i++) {
        struct fatbin_code code = code_of("registers", rows[i].arch);
        struct cubin cubin;
        assert_int_equal(code.arch, rows[i].arch);
        cubin_read(code.data, code.bytes, &cubin);
        assert_int_equal(find(&cubin, "_Z3fewPf")->registers, rows[i].few);
        assert_int_equal(find(&cubin, "_Z3fewPf")->stack_bytes, 0);
        assert_int_equal(find(&cubin, "_Z5callsPi")->registers, rows[i].calls);
        assert_int_equal(find(&cubin, "_Z7spilledPfi")->registers, rows[i].spilled);
        assert_int_equal(find(&cubin, "_Z7spilledPfi")->most, rows[i].most);
        assert_int_equal(find(&cubin, "_Z7spilledPfi")->stack_bytes, rows[i].stack);
        cubin_free(&cubin);
        free(code.data);
    }
}

static void nearest_target_is_chosen(void **state)
{
    static const uint32_t rows[][2] = {{20, 75}, {75, 75}, {77, 75}, {78, 80}, {80, 80}, {85, 80}, {86, 90}, {120, 90}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fatbin_code code = code_of("registers", rows[i][0]);
        assert_int_equal(code.arch, rows[i][1]);
        free(code.data);
    }
}

/* Blocks of exactly their size, so that a sanitizer sees reads past the end. */
static void read_and_free(const char *data, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1);
    struct cubin cubin;
    if (bytes)
        memcpy(copy, data, bytes);
    cubin_read(copy, bytes, &cubin);
    cubin_free(&cubin);
    free(copy);
}

static void what_is_no_machine_code_has_no_figures(void **state)
{
    static char data[MOST_BYTES];
    struct fatbin_code code;
    struct cubin cubin;
    size_t bytes = load("default", data);
    assert_false(fatbin_extract_code(data, bytes, 80, &code)); /* PTX alone */
    assert_null(code.data);
    assert_false(fatbin_extract_code(".version 7.0", 12, 80, &code));
    cubin_read(data, bytes, &cubin);
    assert_int_equal(cubin.count, 0);
    cubin_free(&cubin);
}

static void broken_machine_code_is_read_within_its_bounds(void **state)
{
    struct fatbin_code code = code_of("registers", 80);
    for (size_t bytes = 0; bytes < code.bytes; bytes += bytes < 200 ? 1 : 97)
        read_and_free(code.data, bytes);
    struct random_stream random = random_stream_of(1, "cubin", 0);
    for (unsigned i = 0; i < 3000; i++) {
        size_t at = random_below(&random, (uint32_t)code.bytes);
        char kept = code.data[at];
        code.data[at] = (char)random_below(&random, 256);
        read_and_free(code.data, code.bytes);
        code.data[at] = kept;
    }
    free(code.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_assembler),
        cmocka_unit_test(nearest_target_is_chosen),
        cmocka_unit_test(what_is_no_machine_code_has_no_figures),
        cmocka_unit_test(broken_machine_code_is_read_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
