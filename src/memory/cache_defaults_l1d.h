/* Defaults of the L1 data cache (GPGPU-Sim 3.2.2 GTX480 configuration) for the expansion of cache_params.def to
 * descriptors. No include guard: used once per table; undone by cache_defaults_end.h. */
#define CACHE_DEFAULT_SETS 32
#define CACHE_DEFAULT_WAYS 4
#define CACHE_DEFAULT_LINE_BYTES 128
#define CACHE_DEFAULT_SECTOR_BYTES 128
#define CACHE_DEFAULT_REPLACEMENT CACHE_LRU
#define CACHE_DEFAULT_ALLOCATE CACHE_ALLOCATE_ON_MISS
#define CACHE_DEFAULT_SET_INDEX CACHE_INDEX_HASHED
#define CACHE_DEFAULT_MSHR_ENTRIES 32
#define CACHE_DEFAULT_MSHR_MERGES 8
#define CACHE_DEFAULT_MISS_ROOM 2
