// What every program of this folder shares on the host: numeric options, checked CUDA calls, a random number generator
// that is the same everywhere, and the verdict. Standard output holds only what is fixed by the options: no times and no
// counts that depend on the machine, so that two machines or two compilers can be compared line by line.
#ifndef LOCKSTEP_WORKLOAD_H
#define LOCKSTEP_WORKLOAD_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t check_error_ = (call);                                                                   \
        if (check_error_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(check_error_)); \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

// Says of the innermost loop around it that it waits: for a lock, or for what another thread will write. Lockstep's
// static spin detector and its statistics of waiting go by it; it is no instruction, and other compilers' tools ignore it.
#define SPIN_LOOP() asm volatile(".pragma \"lockstep.spin\";")

// An option `--name VALUE` with its bounds; `value` holds the default and then what the user gave. `small` is the default
// under --small, which the tests use, and `paper`, where not 0, under --paper. An option with `words` is given by one of
// them: they stand for 0 to `most`.
struct option {
    const char *name;
    const char *help;
    uint64_t value, least, most, small, paper;
    const char *const *words = nullptr;
};

static inline void option_usage(const char *program, const option *options, size_t count, FILE *to)
{
    fprintf(to, "usage: %s [--small] [--paper] [--option VALUE]...\n", program);
    for (size_t i = 0; i < count; i++) {
        const option &o = options[i];
        if (o.words)
            fprintf(to, "  --%-12s %s (%s; small: %s)\n", o.name, o.help, o.words[o.value], o.words[o.small]);
        else
            fprintf(to, "  --%-12s %s (%llu; small: %llu)\n", o.name, o.help, (unsigned long long)o.value,
                    (unsigned long long)o.small);
    }
}

static inline void option_refuse(const char *program, const option *options, size_t count, const char *word)
{
    fprintf(stderr, "%s: cannot use '%s'\n", program, word);
    option_usage(program, options, count, stderr);
    exit(2);
}

static inline void option_preset(option *options, size_t count, bool paper)
{
    for (size_t i = 0; i < count; i++)
        if (!paper || options[i].paper)
            options[i].value = paper ? options[i].paper : options[i].small;
}

// Takes what the user gave for an option. False: it is none of the words, or no number within the bounds.
static inline bool option_take(option &o, const char *text)
{
    char *end;
    uint64_t value = o.words ? o.least : strtoull(text, &end, 0);
    if (o.words)
        while (value <= o.most && strcmp(text, o.words[value]))
            value++;
    else if (*end || end == text)
        return false;
    if (value < o.least || value > o.most)
        return false;
    o.value = value;
    return true;
}

// Reads the command line into the options: presets first, whatever their place, then single values. Ends the program with
// status 2 on what it does not know, with 0 after --help.
template <size_t N> static inline void option_read(option (&options)[N], int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--small") || !strcmp(argv[i], "--paper"))
            option_preset(options, N, argv[i][2] == 'p');
        if (!strcmp(argv[i], "--help")) {
            option_usage(argv[0], options, N, stdout);
            exit(0);
        }
    }
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--small") || !strcmp(argv[i], "--paper"))
            continue;
        option *found = nullptr;
        for (option &o : options)
            if (!strncmp(argv[i], "--", 2) && !strcmp(argv[i] + 2, o.name))
                found = &o;
        if (!found || i + 1 == argc)
            option_refuse(argv[0], options, N, argv[i]);
        if (!option_take(*found, argv[++i]))
            option_refuse(argv[0], options, N, argv[i]);
    }
}

// The splitmix64 step: state advances by a fixed odd number, the result is a mix of it. Equal seeds give equal sequences.
struct generator {
    uint64_t state;
    uint64_t next()
    {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // Uniform in [0, bound) but for a bias below bound / 2^32.
    uint32_t below(uint32_t bound) { return (uint32_t)(((next() >> 32) * bound) >> 32); }
};

// A device copy of a host vector, and back.
template <typename T> static inline T *to_device(const std::vector<T> &host)
{
    T *device;
    CHECK(cudaMalloc(&device, host.size() * sizeof(T) + 1));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <typename T> static inline std::vector<T> to_host(const T *device, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

// Prints the verdict and gives the exit status.
static inline int verdict(const char *name, uint64_t wrong)
{
    if (wrong)
        printf("%s: FAILED, %llu wrong\n", name, (unsigned long long)wrong);
    else
        printf("%s: correct\n", name);
    return wrong ? 1 : 0;
}

#endif
