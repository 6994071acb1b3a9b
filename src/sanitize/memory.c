/* Memory as the checks know it: a cell for each word that was touched, and which bytes were ever written. Where a call
 * puts its local memory in the place of another's that is over, that counts as written. */
#include <string.h>

#include "base/bits.h"
#include "sanitize/state.h"

#define WORDS_OF_BITS (SANITIZE_PAGE / 64)

struct sanitize *sanitize_create(unsigned checks, uint64_t start, uint64_t bytes)
{
    struct sanitize *s = base_calloc(1, sizeof *s);
    s->checks = checks;
    s->start = start;
    s->pages = (bytes + SANITIZE_PAGE - 1) / SANITIZE_PAGE;
    if (checks & SANITIZE_UNWRITTEN)
        s->unwritten = base_calloc(s->pages, sizeof *s->unwritten);
    if (checks & SANITIZE_RACES)
        s->cells = base_calloc(s->pages, sizeof *s->cells);
    return s;
}

void sanitize_destroy(struct sanitize *s)
{
    if (!s)
        return;
    sanitize_free_launch(s);
    sanitize_forget_launches(s, ~UINT64_C(0));
    for (uint64_t i = 0; s->unwritten && i < s->pages; i++)
        free(s->unwritten[i]);
    free(s->unwritten);
    free(s->cells);
    free(s);
}

/* Cells */

static struct sanitize_cells *page_of(struct sanitize_cells **page)
{
    if (!*page)
        *page = base_calloc(1, sizeof **page);
    return *page;
}

struct sanitize_cell *sanitize_cell_at(struct sanitize *s, struct sanitize_block *block, uint64_t address)
{
    uint64_t offset = block ? address : address - s->start, page = offset / SANITIZE_PAGE;
    if (page >= (block ? SANITIZE_SHARED_PAGES : s->pages))
        return NULL;
    struct sanitize_cells *cells = page_of(block ? &block->cells[page] : &s->cells[page]);
    return &cells->of[offset % SANITIZE_PAGE / SANITIZE_WORD];
}

static void forget_sync(struct sanitize *s, struct sanitize_sync *sync)
{
    sanitize_forget(&sync->wide, s->rows);
    sanitize_forget(&sync->pending, s->rows);
    for (size_t k = 0; k < sync->local.count; k++)
        sanitize_forget(&sync->local.items[k].clocks, s->rows);
    vec_free(&sync->local);
}

/* The block to which a page of shared memory belonged has ended: nothing is left of accesses of its words, nor of what
 * was released by them. */
static void forget_page(struct sanitize *s, struct sanitize_cells *cells)
{
    for (unsigned i = 0; i < SANITIZE_CELLS; i++) {
        uint32_t number = cells->of[i].sync;
        if (!number)
            continue;
        forget_sync(s, &s->syncs.items[number - 1]);
        s->syncs.items[number - 1] = (struct sanitize_sync){0};
        vec_push(&s->free_syncs, number);
    }
    memset(cells, 0, sizeof *cells);
}

void sanitize_reset_block(struct sanitize *s, struct sanitize_block *block)
{
    sanitize_forget(&block->pool, s->rows);
    block->opened = 0;
    for (unsigned i = 0; i < SANITIZE_SHARED_PAGES; i++) {
        if (block->cells[i])
            forget_page(s, block->cells[i]);
        if (block->written[i])
            memset(block->written[i], 0, WORDS_OF_BITS * sizeof(uint64_t));
    }
}

void sanitize_reset_warp(struct sanitize *s, struct sanitize_warp *w)
{
    sanitize_forget(&w->known, s->rows);
    for (unsigned scope = 0; scope < 2; scope++) {
        sanitize_forget(&w->released[scope], s->rows);
        sanitize_forget(&w->pending[scope], s->rows);
    }
    sanitize_forget(&w->before, s->rows);
    w->tried = NULL;
    w->holds_more = false;
    memset(w->held, 0, sizeof w->held);
    w->unfenced.count = w->readings.count = w->groups.count = 0;
    memset(w->commits, 0, sizeof w->commits);
    memset(w->looks, 0, sizeof w->looks);
    w->at_grid = w->at_cluster = false;
    for (unsigned lane = 0; lane < 64; lane++)
        w->local[lane].count = 0;
}

static void free_warps(struct sanitize *s)
{
    for (uint32_t i = 0; i < s->sms * SANITIZE_WARPS; i++) {
        struct sanitize_block *block = &s->blocks[i];
        sanitize_reset_warp(s, &s->warps[i]);
        vec_free(&s->warps[i].readings);
        vec_free(&s->warps[i].unfenced);
        vec_free(&s->warps[i].groups);
        for (unsigned lane = 0; lane < 64; lane++)
            vec_free(&s->warps[i].local[lane]);
        sanitize_forget(&block->pool, s->rows);
        for (unsigned page = 0; page < SANITIZE_SHARED_PAGES; page++) {
            free(block->cells[page]);
            free(block->written[page]);
        }
    }
    free(s->warps);
    free(s->blocks);
    s->warps = NULL;
    s->blocks = NULL;
}

void sanitize_free_present(struct sanitize *s)
{
    free_warps(s);
    for (uint32_t i = 0; s->flights && i < s->sms; i++)
        vec_free(&s->flights[i]);
    sanitize_forget(&s->grid, s->rows);
    sanitize_forget(&s->clusters, s->rows);
    sanitize_forget(&s->proxied, s->rows);
    sanitize_forget(&s->begins, s->rows);
    sanitize_forget(&s->ends, s->rows);
    free(s->objects);
    free(s->phases);
    free(s->flights);
    s->objects = s->phases = NULL;
    s->flights = NULL;
    vec_free(&s->findings);
    free(s->polls);
    free(s->overwrites);
    free(s->moves);
    s->polls = s->overwrites = s->moves = NULL;
}

void sanitize_free_launch(struct sanitize *s)
{
    sanitize_free_present(s);
    for (size_t i = 0; i < s->syncs.count; i++)
        forget_sync(s, &s->syncs.items[i]);
    for (uint64_t i = 0; s->cells && i < s->pages; i++) {
        free(s->cells[i]);
        s->cells[i] = NULL;
    }
    vec_free(&s->copies);
    vec_free(&s->free_syncs);
    vec_free(&s->syncs);
    vec_free(&s->crews);
    s->block_count = s->sms = s->rows = s->launch_row = 0;
}

/* Bytes that were written */

static bool has(const uint64_t *bits, uint64_t at)
{
    return bits && bits[at / 64] >> (at % 64) & 1;
}

static void set(uint64_t **bits, uint64_t at, bool to)
{
    if (!*bits && !to)
        return;
    if (!*bits)
        *bits = base_calloc(WORDS_OF_BITS, sizeof **bits);
    uint64_t bit = BIT64(at % 64), *word = &(*bits)[at / 64];
    *word = to ? *word | bit : *word & ~bit;
}

static void set_page(uint64_t **bits, bool to)
{
    if (!*bits && to)
        *bits = base_malloc(WORDS_OF_BITS * sizeof **bits);
    if (*bits)
        memset(*bits, to ? 0xff : 0, WORDS_OF_BITS * sizeof **bits);
}

/* Bytes of device memory count as written, or not: whole pages at once. */
static void set_bytes(struct sanitize *s, uint64_t address, uint64_t bytes, bool unwritten)
{
    uint64_t end = address - s->start + bytes;
    end = end < s->pages * SANITIZE_PAGE ? end : s->pages * SANITIZE_PAGE;
    for (uint64_t at = address - s->start; s->unwritten && at < end;) {
        uint64_t **page = &s->unwritten[at / SANITIZE_PAGE];
        bool whole = at % SANITIZE_PAGE == 0 && end - at >= SANITIZE_PAGE;
        if (whole)
            set_page(page, unwritten);
        else
            set(page, at % SANITIZE_PAGE, unwritten);
        at += whole ? SANITIZE_PAGE : 1;
    }
}

/* What launches did there was to memory that is no more. */
static void forget_cells(struct sanitize *s, uint64_t address, uint64_t bytes)
{
    uint64_t from = address - s->start, end = from + bytes;
    end = end < s->pages * SANITIZE_PAGE ? end : s->pages * SANITIZE_PAGE;
    for (uint64_t page = from / SANITIZE_PAGE; s->cells && page * SANITIZE_PAGE < end; page++)
        for (unsigned i = 0; s->cells[page] && i < SANITIZE_CELLS; i++) {
            uint64_t at = page * SANITIZE_PAGE + i * SANITIZE_WORD;
            if (at >= from && at < end) {
                struct sanitize_cell *cell = &s->cells[page]->of[i];
                *cell = (struct sanitize_cell){.sync = cell->sync};
            }
        }
}

void sanitize_host_allocated(struct sanitize *s, uint64_t address, uint64_t bytes)
{
    set_bytes(s, address, bytes, true);
    forget_cells(s, address, bytes);
}

void sanitize_host_wrote(struct sanitize *s, uint64_t address, uint64_t bytes)
{
    set_bytes(s, address, bytes, false);
}

void sanitize_host_copied(struct sanitize *s, uint64_t to, uint64_t from, uint64_t bytes)
{
    for (uint64_t i = 0; s->unwritten && i < bytes; i++) {
        uint64_t at = from - s->start + i;
        bool unwritten = at < s->pages * SANITIZE_PAGE && has(s->unwritten[at / SANITIZE_PAGE], at % SANITIZE_PAGE);
        set_bytes(s, to + i, 1, unwritten);
    }
}

void sanitize_write_bytes(struct sanitize *s, struct sanitize_block *block, uint64_t address, uint32_t bytes)
{
    if (!block)
        set_bytes(s, address, bytes, false);
    for (uint64_t at = address; block && at < address + bytes && at / SANITIZE_PAGE < SANITIZE_SHARED_PAGES; at++)
        set(&block->written[at / SANITIZE_PAGE], at % SANITIZE_PAGE, true);
}

void sanitize_unwrite_byte(struct sanitize *s, struct sanitize_block *block, uint64_t address)
{
    if (!block)
        set_bytes(s, address, 1, true);
    else if (address / SANITIZE_PAGE < SANITIZE_SHARED_PAGES)
        set(&block->written[address / SANITIZE_PAGE], address % SANITIZE_PAGE, false);
}

bool sanitize_is_hosts(const struct sanitize *s, const struct sanitize_block *block, uint64_t address)
{
    return !block && s->host_writes && s->host_writes(s->context, address);
}

bool sanitize_never_written(const struct sanitize *s, const struct sanitize_block *block, uint64_t address,
                            uint32_t bytes)
{
    uint64_t offset = block ? address : address - s->start, most = block ? SANITIZE_SHARED_PAGES : s->pages;
    for (uint64_t at = offset; at < offset + bytes; at++) {
        uint64_t page = at / SANITIZE_PAGE;
        if (page >= most)
            return false;
        if (block ? has(block->written[page], at % SANITIZE_PAGE) : !has(s->unwritten[page], at % SANITIZE_PAGE))
            return false;
    }
    return true;
}

void sanitize_write_local(struct sanitize_warp *w, unsigned lane, uint64_t address, uint32_t bytes)
{
    for (uint64_t at = address; at < address + bytes; at++) {
        while (w->local[lane].count <= at / 64)
            vec_push(&w->local[lane], 0);
        w->local[lane].items[at / 64] |= BIT64(at % 64);
    }
}

bool sanitize_never_written_local(const struct sanitize_warp *w, unsigned lane, uint64_t address, uint32_t bytes)
{
    for (uint64_t at = address; at < address + bytes; at++)
        if (at / 64 < w->local[lane].count && w->local[lane].items[at / 64] >> (at % 64) & 1)
            return false;
    return true;
}
