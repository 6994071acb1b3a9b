/* Memory as the checks know it: a cell for each word that was touched, and which bytes were ever written. */
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

struct sanitize_cell *sanitize_cell_at(struct sanitize *s, struct sanitize_block *block, uint32_t space,
                                       uint64_t address)
{
    bool shared = space == LOCKSTEP_SHARED;
    uint64_t offset = shared ? address : address - s->start, page = offset / SANITIZE_PAGE;
    if (page >= (shared ? SANITIZE_SHARED_PAGES : s->pages))
        return NULL;
    struct sanitize_cells *cells = page_of(shared ? &block->cells[page] : &s->cells[page]);
    return &cells->of[offset % SANITIZE_PAGE / SANITIZE_WORD];
}

void sanitize_reset_block(struct sanitize *s, struct sanitize_block *block)
{
    sanitize_forget(&block->pool, s->sms);
    block->opened = 0;
    for (unsigned i = 0; i < SANITIZE_SHARED_PAGES; i++) {
        if (block->cells[i])
            memset(block->cells[i], 0, sizeof *block->cells[i]);
        if (block->written[i])
            memset(block->written[i], 0, WORDS_OF_BITS * sizeof(uint64_t));
    }
}

void sanitize_reset_warp(struct sanitize *s, struct sanitize_warp *w)
{
    sanitize_forget(&w->known, s->sms);
    for (unsigned scope = 0; scope < 2; scope++) {
        sanitize_forget(&w->released[scope], s->sms);
        sanitize_forget(&w->pending[scope], s->sms);
    }
    sanitize_forget(&w->before, s->sms);
    w->tried = NULL;
    w->holds_more = false;
    memset(w->held, 0, sizeof w->held);
    w->unfenced.count = w->readings.count = 0;
    memset(w->looks, 0, sizeof w->looks);
    w->at_grid = w->at_cluster = false;
}

static void free_warps(struct sanitize *s)
{
    for (uint32_t i = 0; i < s->sms * SANITIZE_WARPS; i++) {
        struct sanitize_block *block = &s->blocks[i];
        sanitize_reset_warp(s, &s->warps[i]);
        vec_free(&s->warps[i].readings);
        vec_free(&s->warps[i].unfenced);
        sanitize_forget(&block->pool, s->sms);
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

void sanitize_free_launch(struct sanitize *s)
{
    free_warps(s);
    for (size_t i = 0; i < s->syncs.count; i++) {
        struct sanitize_sync *sync = &s->syncs.items[i];
        sanitize_forget(&sync->wide, s->sms);
        for (size_t k = 0; k < sync->local.count; k++)
            sanitize_forget(&sync->local.items[k].clocks, s->sms);
        vec_free(&sync->local);
    }
    for (uint64_t i = 0; s->cells && i < s->pages; i++) {
        free(s->cells[i]);
        s->cells[i] = NULL;
    }
    sanitize_forget(&s->grid, s->sms);
    sanitize_forget(&s->clusters, s->sms);
    s->unseen = false;
    vec_free(&s->syncs);
    vec_free(&s->crews);
    vec_free(&s->findings);
    free(s->polls);
    s->polls = NULL;
    s->block_count = s->sms = 0;
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

void sanitize_host_allocated(struct sanitize *s, uint64_t address, uint64_t bytes)
{
    set_bytes(s, address, bytes, true);
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
