/* Where a compiler put the PTX of a program: the wrapper that __cudaRegisterFatBinary receives, and the container
 * behind it. The container holds one entry per target: PTX text or machine code, stored or compressed (LZ4 block, zstd
 * frame). Nobody executes the machine code here; it says how many registers its kernels have (cubin.h). Raw PTX text in
 * place of a container is taken as it is. */
#ifndef LOCKSTEP_CUDA_FATBIN_H
#define LOCKSTEP_CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* For data inside this process, whose end only its own headers tell. */
#define FATBIN_UNKNOWN_SIZE SIZE_MAX
/* Uncompressed PTX beyond this is refused as malformed. */
#define FATBIN_MAX_TEXT (UINT64_C(512) << 20)

enum fatbin_result {
    FATBIN_OK,
    FATBIN_MALFORMED, /* lengths, magic numbers or compressed data that cannot be */
    FATBIN_NO_PTX,    /* well formed, but with machine code only */
};

struct fatbin_ptx {
    char *text; /* NUL-terminated, from malloc */
    size_t length;
    uint32_t arch; /* 75 for compute_75; 0 for raw text */
};

/* The data a wrapper points at, or NULL with a diagnostic when it is no wrapper. */
const void *fatbin_unwrap(const void *wrapper, struct diag_sink *sink);
/* Returns true if the wrapper stands for several fat binaries that a device linker put together (nvcc -rdc=true). */
bool fatbin_is_linked(const void *wrapper);
/* Those fat binaries' data, a list that ends with NULL. The program fills it before it registers the wrapper. */
const void *const *fatbin_linked(const void *wrapper);
/* Bytes of the container or text that begins in data, its end and the padding behind it included; 0: none does. */
size_t fatbin_size(const void *data, size_t size);
/* Takes the PTX out of data. Of several PTX entries the one with the highest target is chosen, the first of equals: the
 * simulator runs PTX of every target, and the highest is what a current GPU would have been given. On success ptx->text
 * is the caller's to free. */
enum fatbin_result fatbin_extract(const void *data, size_t size, struct fatbin_ptx *ptx, struct diag_sink *sink);

struct fatbin_code {
    char *data; /* an ELF file, from malloc */
    size_t bytes;
    uint32_t arch;
};
/* Takes out the machine code for sm_`arch`, or for the nearest target that there is, the lower of two. Returns false when
 * there is none or it cannot be unpacked. */
bool fatbin_extract_code(const void *data, size_t size, uint32_t arch, struct fatbin_code *code);

#endif
