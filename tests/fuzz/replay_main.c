/*
 * `replay TARGET PATH...`: runs a fuzz target over stored inputs, without libFuzzer.
 *
 * The build renames the function of each target to fuzz_TARGET; TARGETS names the generated table of them. Each PATH is
 * a file, or a directory whose plain files are all run (not its subdirectories). Every input is handed over in a heap
 * block of exactly its size, so that a sanitizer sees any read past its end. Finding no input at all is a failure: an
 * empty corpus tests nothing.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef int target_fn(const uint8_t *data, size_t size);

#define TARGET(name) target_fn fuzz_##name;
#include TARGETS
#undef TARGET

static const struct {
    const char *name;
    target_fn *run;
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include TARGETS
#undef TARGET
};

static target_fn *run; // of the target that the command line names

static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    uint8_t *data = malloc(size ? size : 1);
    int rc = data && fread(data, 1, size, file) == size ? 0 : -1;
    fclose(file);
    if (rc == 0)
        run(data, size);
    else
        fprintf(stderr, "%s: cannot read\n", path);
    free(data);
    return rc;
}

static int run_path(const char *path, unsigned *count);

static int run_directory(const char *path, unsigned *count)
{
    struct dirent **names;
    int found = scandir(path, &names, NULL, alphasort);
    if (found < 0) {
        perror(path);
        return -1;
    }
    int rc = 0;
    for (int i = 0; i < found; i++) {
        char full[4096];
        int length = snprintf(full, sizeof full, "%s/%s", path, names[i]->d_name);
        struct stat info;
        if (length < (int)sizeof full && stat(full, &info) == 0 && S_ISREG(info.st_mode) && run_path(full, count) < 0)
            rc = -1;
        free(names[i]);
    }
    free(names);
    return rc;
}

static int run_path(const char *path, unsigned *count)
{
    struct stat info;
    if (stat(path, &info) < 0) {
        perror(path);
        return -1;
    }
    if (S_ISDIR(info.st_mode))
        return run_directory(path, count);
    *count += 1;
    return run_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(argv[1], targets[i].name) == 0)
            run = targets[i].run;
    if (!run) {
        fprintf(stderr, "usage: %s TARGET PATH...; there is no target %s\n", argv[0], argc > 1 ? argv[1] : "given");
        return 2;
    }
    unsigned count = 0;
    int rc = 0;
    for (int i = 2; i < argc; i++)
        if (run_path(argv[i], &count) < 0)
            rc = 1;
    printf("%u inputs replayed\n", count);
    return count ? rc : 1;
}
