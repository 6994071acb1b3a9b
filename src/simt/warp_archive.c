/* A warp in a checkpoint: registers, predicates, local memory and the paths; and a memory instruction under way. */
#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "simt/execute.h"
#include "simt/image.h"
#include "simt/lock.h"

#define MAX_ROWS (1u << 24)
#define MAX_PATHS (1u << 20)
#define MAX_HELD 4096

static const struct isa_module *module_of(const struct simt_warp *warp)
{
    return warp->code->module;
}

/* A path's frame must lie in the buffers. */
static void archive_path(struct simt_warp *warp, struct archive *ar, struct simt_path *p)
{
    const struct isa_module *module = module_of(warp);
    struct simt_frame *frame = &p->frame;
    archive_place(ar, &p->pc, module->instr_count);
    archive_place(ar, &p->until, module->instr_count);
    ARCHIVE(ar, p->mask);
    archive_u8_to(ar, &p->kind, (uint8_t)(warp->paths.model->kinds - 1));
    ARCHIVE(ar, p->what);
    ARCHIVE(ar, p->spent);
    ARCHIVE(ar, p->key);
    archive_u32_to(ar, &frame->function, module->function_count - 1);
    const struct isa_function *function = &module->functions[frame->function];
    archive_u32_to(ar, &frame->reg_base, warp->row_capacity);
    archive_u32_to(ar, &frame->pred_base, warp->pred_capacity);
    ARCHIVE(ar, frame->local_base);
    if ((!function->is_kernel && frame->reg_base % ISA_FRAME_ROWS) ||
        function->row_count > warp->row_capacity - frame->reg_base ||
        function->pred_count > warp->pred_capacity - frame->pred_base)
        archive_fail(ar, "a frame lies outside its warp's registers, or across the rows of other widths");
}

static void archive_paths(struct simt_warp *warp, struct archive *ar)
{
    struct simt_paths *paths = &warp->paths;
    uint32_t count = paths->count;
    archive_u32_to(ar, &count, MAX_PATHS);
    ARCHIVE(ar, paths->most);
    ARCHIVE(ar, paths->asked);
    ARCHIVE(ar, paths->past);
    ARCHIVE(ar, paths->skipped);
    if (archive_loading(ar)) {
        paths->model = simt_model_of(warp->block->grid);
        paths->module = warp->block->grid->code->module;
        paths->timeout = warp->block->grid->aware_timeout;
        simt_paths_reserve(paths, count);
    }
    paths->count = count;
    for (uint32_t i = 0; i < count; i++)
        archive_path(warp, ar, &paths->table[i]);
    paths->now = count ? paths->model->turn(paths) : NULL;
    if (archive_loading(ar) && count && !paths->model->holds(paths))
        archive_fail(ar, "the paths of a warp do not fit together");
}

static void archive_local(struct simt_warp *warp, struct archive *ar)
{
    size_t width = warp->code->width;
    uint32_t words = warp->local_words;
    archive_u32_to(ar, &words, warp->block->grid->stack_bytes / 4 * 2 + 64);
    if (archive_loading(ar) && words > warp->local_words) {
        warp->local = base_realloc(warp->local, words * width * 4);
        warp->local_words = words;
    }
    if (archive_loading(ar) && warp->local_words)
        memset(warp->local, 0, warp->local_words * width * 4);
    ARCHIVE_ARRAY(ar, warp->local, words * width);
}

/* The answers of an instruction that is under way name its lanes; locks that lanes hold name where they were taken. */
static void archive_locks(struct simt_warp *warp, struct archive *ar)
{
    bool present = warp->locks != NULL;
    archive_bool(ar, &present);
    if (archive_loading(ar)) {
        simt_locks_free(warp->locks);
        warp->locks = present ? base_calloc(1, sizeof *warp->locks) : NULL;
    }
    if (!present)
        return;
    struct simt_locks *l = warp->locks;
    const uint32_t last = module_of(warp)->instr_count - 1;
    uint32_t levels = l->levels;
    ARCHIVE(ar, l->asking);
    ARCHIVE(ar, l->got);
    ARCHIVE(ar, l->address);
    ARCHIVE(ar, l->found);
    archive_u32_to(ar, &l->pc, last);
    ARCHIVE(ar, l->vain);
    ARCHIVE(ar, l->queued);
    ARCHIVE(ar, l->granted);
    ARCHIVE(ar, l->refused);
    ARCHIVE(ar, l->leaving);
    ARCHIVE(ar, l->over);
    ARCHIVE(ar, l->again);
    ARCHIVE(ar, l->timed);
    ARCHIVE(ar, l->attempts);
    ARCHIVE(ar, l->since);
    archive_u32_to(ar, &levels, MAX_HELD);
    if (archive_loading(ar))
        l->held = base_calloc((size_t)levels * SIMT_MAX_WIDTH + 1, sizeof *l->held);
    l->levels = levels;
    for (unsigned lane = 0; lane < SIMT_MAX_WIDTH; lane++) {
        archive_u32_to(ar, &l->held_count[lane], levels);
        ARCHIVE(ar, l->first[lane].address);
        archive_u32_to(ar, &l->first[lane].pc, last);
    }
    for (size_t i = 0; i < (size_t)levels * SIMT_MAX_WIDTH; i++) {
        ARCHIVE(ar, l->held[i].address);
        archive_u32_to(ar, &l->held[i].pc, last);
    }
}

void simt_warp_archive(struct simt_warp *warp, const struct simt_block *block, struct archive *ar)
{
    warp->block = block;
    warp->code = block->grid->code;
    size_t width = block->grid->code->width;
    uint32_t rows = warp->row_capacity, preds = warp->pred_capacity;
    ARCHIVE(ar, warp->index);
    ARCHIVE(ar, warp->sm);
    ARCHIVE(ar, warp->slot);
    const uint32_t *block_size = block->grid->block;
    uint64_t threads = round_up_u64((uint64_t)block_size[0] * block_size[1] * block_size[2], width);
    for (unsigned lane = 0; lane < width; lane++)
        archive_u16_to(ar, &warp->threads[lane], (uint16_t)(threads - 1));
    archive_bool(ar, &warp->mixed);
    ARCHIVE(ar, warp->live);
    ARCHIVE(ar, warp->carry);
    archive_u32_to(ar, &rows, MAX_ROWS);
    archive_u32_to(ar, &preds, MAX_ROWS);
    if (archive_loading(ar))
        simt_grow_frame(warp, rows, preds);
    ARCHIVE_ARRAY(ar, warp->rows, rows * width);
    ARCHIVE_ARRAY(ar, warp->preds, preds);
    archive_local(warp, ar);
    archive_paths(warp, ar);
    archive_locks(warp, ar);
}

static void archive_sample(struct simt_sample *sample, struct archive *ar)
{
    ARCHIVE(ar, sample->weight);
    archive_u8_to(ar, &sample->corners, SIMT_TEXEL_PARTS);
    ARCHIVE(ar, sample->present);
    archive_u8_to(ar, &sample->channels, 4);
    archive_u8_to(ar, &sample->channel_bytes, 4);
    archive_u8_to(ar, &sample->format, SIMT_CHANNEL_FLOAT);
    ARCHIVE(ar, sample->as_float);
    ARCHIVE(ar, sample->border);
    ARCHIVE(ar, sample->value);
}

static void archive_texels(struct simt_texels *texels, struct archive *ar)
{
    ARCHIVE(ar, texels->lanes);
    ARCHIVE(ar, texels->parted);
    archive_u32_to(ar, &texels->parts, SIMT_TEXEL_PARTS);
    for (unsigned p = 0; p < SIMT_TEXEL_PARTS; p++)
        for (uint64_t rest = texels->parted[p]; rest; rest &= rest - 1) {
            ARCHIVE(ar, texels->address[p][mask_first(rest)]);
            archive_u8_to(ar, &texels->corner[p][mask_first(rest)], SIMT_TEXEL_PARTS - 1);
        }
    for (uint64_t rest = texels->lanes; rest; rest &= rest - 1)
        archive_sample(&texels->lane[mask_first(rest)], ar);
}

void simt_access_archive(struct simt_access *access, const struct simt_code *code, struct archive *ar)
{
    uint32_t pc = archive_loading(ar) ? 0 : (uint32_t)(access->instr - code->module->instrs);
    archive_u32_to(ar, &pc, code->module->instr_count - 1);
    access->instr = &code->module->instrs[pc];
    access->op = &code->ops[pc];
    ARCHIVE(ar, access->mask);
    ARCHIVE(ar, access->changed);
    ARCHIVE(ar, access->leaving);
    ARCHIVE(ar, access->waiting);
    ARCHIVE(ar, access->remote);
    ARCHIVE(ar, access->kind);
    archive_u8_to(ar, &access->space, ISA_SPACE_CLUSTER);
    archive_u8_to(ar, &access->element_bytes, SIMT_ACCESS_BYTES);
    archive_u8_to(ar, &access->elements, SIMT_ACCESS_BYTES);
    archive_u8_to(ar, &access->stride, SIMT_ACCESS_BYTES);
    archive_bool(ar, &access->straight);
    archive_bool(ar, &access->same);
    ARCHIVE(ar, access->low);
    ARCHIVE(ar, access->high);
    ARCHIVE(ar, access->reg_base);
    ARCHIVE(ar, access->pred_base);
    ARCHIVE(ar, access->pc);
    ARCHIVE(ar, access->since);
    ARCHIVE(ar, access->group);
    archive_bool(ar, &access->samples);
    if (access->samples)
        archive_texels(access->texels, ar);
    ARCHIVE(ar, access->address);
    ARCHIVE(ar, access->data);
}
