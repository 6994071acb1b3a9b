/* Copies in bulk: see async.h. Commands wait in a line. The front end takes one after the other, for as long as a command
 * takes there; behind it, each has to wait for its own time, and then its pieces leave at the pace of the unit. A piece is a
 * request to the slices that passes the L1 by; its bytes count at the command's mbarrier, or for its group, when the answer
 * comes, in whatever order. */
#include <string.h>

#include "async/async.h"
#include "memory/packet_values.h"
#include "simt/lanes.h"
#include "simt/mbarrier.h"

#define FRACTION 1024 /* the pace is kept in 1024ths of a cycle: sm.bulk_kib for a byte is so many */

static struct warp_slot *warp_of(const struct async *async, const struct async_bulk *b)
{
    return &async->warp->slots[b->slot];
}

/* The shared memory of the block that gave the command. */
static uint8_t *shared_of(const struct async *async, const struct async_bulk *b)
{
    return warp_of(async, b)->simt.block->shared;
}

/* Commands */

static uint32_t new_command(struct async *async)
{
    for (uint32_t i = 0; i < async->commands.count; i++)
        if (!async->commands.items[i].used)
            return i;
    vec_push(&async->commands, (struct async_bulk){0});
    return (uint32_t)async->commands.count - 1;
}

/* Of a command, by where it reads: cycles behind the front end, and for a KiB. */
static uint32_t latency_of(const struct async *async, const struct simt_bulk *command)
{
    const struct sm_params *p = async->params;
    if (command->kind == SIMT_BULK_SEND && p->bulk_send_latency)
        return p->bulk_send_latency;
    return command->kind != SIMT_BULK_LOAD && p->bulk_store_latency ? p->bulk_store_latency : p->bulk_latency;
}
static uint32_t pace_of(const struct async *async, const struct simt_bulk *command)
{
    const struct sm_params *p = async->params;
    return command->kind != SIMT_BULK_LOAD && p->bulk_store_kib ? p->bulk_store_kib : p->bulk_kib;
}

uint32_t async_number_copies(struct async *async, uint32_t count)
{
    uint32_t first = async->numbered + 1;
    async->numbered += count;
    return first;
}

static bool writes_global(const struct simt_bulk *command)
{
    return command->kind == SIMT_BULK_STORE || command->kind == SIMT_BULK_REDUCE;
}

/* The front end takes a command that comes now: returns when it has passed it on. */
static uint64_t take_in(struct async *async)
{
    uint64_t from = cycle_max(async->front_free, async->agenda->now);
    async->front_free = from + async->params->bulk_front;
    return async->params->bulk_issue ? from : async->front_free;
}

void async_bulk_begins(struct async *async, unsigned slot, unsigned lane, uint32_t pc, uint32_t number,
                       const struct simt_bulk *command)
{
    uint64_t now = async->agenda->now, out = take_in(async);
    uint32_t place = new_command(async);
    bool grouped = writes_global(command);
    async->commands.items[place] =
        (struct async_bulk){.command = *command,
                            .ready = out + latency_of(async, command),
                            .epoch = grouped && async->params->bulk_posted ? lsu_async_begins(async->lsu, slot) : 0,
                            .group = grouped ? async_group_begins(async, slot, BIT64(lane), true) : ASYNC_NO_GROUP,
                            .number = number,
                            .pc = pc,
                            .slot = (uint8_t)slot,
                            .lane = (uint8_t)lane,
                            .used = true};
    vec_push(&async->line, place);
    warp_copies_begin(async->warp, slot);
    async_note(async, async->commands.items[place].ready > now ? async->commands.items[place].ready : now + 1);
}

static void end_command(struct async *async, struct async_bulk *b)
{
    if (b->out || !b->walked)
        return;
    unsigned slot = b->slot;
    b->used = false;
    warp_copies_end(async->warp, slot);
    if (b->group != ASYNC_NO_GROUP && async->params->bulk_posted)
        lsu_async_ends(async->lsu, slot, b->epoch);
    else if (b->group != ASYNC_NO_GROUP)
        async_copied(async, slot, b->group);
    async->port->rests(async->sm, slot);
}

static void fail(struct async *async, const struct async_bulk *b, const struct simt_fault *fault)
{
    struct simt_fault found = *fault;
    found.lane = b->lane;
    found.pc = b->pc;
    async->port->fault(async->sm, b->slot, &found);
}

/* Bytes of the command are still to come. */
static bool brings_more(const struct async *async, const struct async_bulk *b)
{
    bool more = b->command.done < b->command.bytes;
    for (size_t i = 0; i < async->pieces.count && b->out && !more; i++)
        more = async->pieces.items[i].used && &async->commands.items[async->pieces.items[i].command] == b;
    return more;
}

/* Bytes of the command have come to shared memory. */
static void complete_bytes(struct async *async, const struct async_bulk *b, uint32_t bytes)
{
    uint32_t address = LANE_SHARED_OFFSET(b->command.mbarrier);
    if (!b->command.arrives)
        return;
    struct mbarrier_step step =
        simt_mbarrier_take(warp_of(async, b)->simt.block, address, ISA_OP_MBARRIER_COMPLETE_TX, bytes, SIMT_NO_THREAD);
    struct simt_fault fault;
    if (b->number)
        async->port->counted(async->sm, b->slot,
                             &(struct async_counted){.pc = b->pc,
                                                     .lane = b->lane,
                                                     .copy = b->number,
                                                     .address = address,
                                                     .bytes = bytes,
                                                     .ended = step.completed});
    if (step.completed)
        async_phase_ended(async, warp_of(async, b)->block, address, ASYNC_BY_BYTES);
    if (step.completed && brings_more(async, b))
        step.fault = MBARRIER_PARTED;
    if (!step.fault)
        return;
    simt_mbarrier_fault(&fault, &step, address, b->lane, b->pc);
    fail(async, b, &fault);
}

/* Pieces */

/* The number that the next piece gets. */
static uint32_t free_piece(const struct async *async)
{
    uint32_t number = 0;
    while (number < async->pieces.count && async->pieces.items[number].used)
        number++;
    return number;
}

static uint32_t keep_piece(struct async *async, uint32_t command, const struct simt_piece *piece)
{
    uint32_t number = free_piece(async);
    if (number == async->pieces.count)
        vec_push(&async->pieces, (struct async_piece){0});
    async->pieces.items[number] = (struct async_piece){*piece, command, true};
    async->commands.items[command].out++;
    return number;
}

static bool covers(struct async *async, const struct async_bulk *b, const struct simt_piece *piece)
{
    if (store_covers(async->store, piece->global, piece->bytes))
        return true;
    fail(async, b,
         &(struct simt_fault){.kind = SIMT_FAULT_BOUNDS, .space = ISA_SPACE_GLOBAL, .address = piece->global});
    return false;
}

/* A request for the sectors of a piece. */
static struct packet *new_request(struct async *async, unsigned kind, uint32_t command, const struct simt_piece *piece)
{
    uint64_t from = piece->global & ~UINT64_C(31), end = (piece->global + piece->bytes + 31) & ~UINT64_C(31);
    return lsu_async_request(async->lsu, kind, from, (uint32_t)(end - from), keep_piece(async, command, piece));
}

static void put_bytes(const struct simt_bulk *command, const struct simt_piece *piece, const uint8_t *bytes,
                      struct message_write *m)
{
    for (uint32_t i = 0; i < piece->bytes; i++) {
        unsigned at = (unsigned)((piece->global + i) % PACKET_LINE_BYTES);
        if (!mask_has(command->bytes_kept, (piece->offset + i) % 16))
            continue;
        m->data[at] = bytes[i];
        m->mask[at / 64] |= BIT64(at % 64);
    }
}

/* Where values are changed at issue (sm.values_at_issue), the store's are now. */
static void perform_write(const struct async *async, const struct simt_piece *piece, struct message_write *m)
{
    if (!async->params->values_at_issue)
        return;
    for (uint32_t i = 0; i < piece->bytes; i++) {
        unsigned at = (unsigned)((piece->global + i) % PACKET_LINE_BYTES);
        if (m->mask[at / 64] >> at % 64 & 1)
            *store_at(async->store, piece->global + i) = m->data[at];
    }
    m->how = PACKET_PERFORMED;
}

static void send_write(struct async *async, uint32_t command, const struct simt_piece *piece)
{
    uint8_t bytes[PACKET_LINE_BYTES];
    struct async_bulk *b = &async->commands.items[command];
    simt_bulk_read(&b->command, piece, shared_of(async, b), bytes);
    struct packet *p = new_request(async, PACKET_WRITE, command, piece);
    put_bytes(&async->commands.items[command].command, piece, bytes, write_of(p));
    perform_write(async, piece, write_of(p));
    lsu_async_send(async->lsu, p);
}

/* A reduction of the elements of a piece, as many as a request has places for. */
static void send_atomics(struct async *async, uint32_t command, const struct simt_piece *piece)
{
    uint8_t bytes[PACKET_LINE_BYTES];
    const struct async_bulk *b = &async->commands.items[command];
    const struct simt_bulk of = b->command;
    simt_bulk_read(&of, piece, shared_of(async, b), bytes);
    struct packet *p = new_request(async, PACKET_ATOMIC, command, piece);
    struct message_atomic *m = atomic_of(p);
    m->atomic = of.atomic;
    m->type = of.type;
    packet_add_elements(m, (uint32_t)(piece->global % PACKET_LINE_BYTES), bytes, piece->bytes, simt_bulk_element(&of), 0);
    lsu_async_send(async->lsu, p);
}

static void send_reduction(struct async *async, uint32_t command, const struct simt_piece *piece)
{
    uint32_t most = PACKET_LANES * simt_bulk_element(&async->commands.items[command].command);
    for (struct simt_piece part = *piece; part.offset < piece->offset + piece->bytes; part.offset += part.bytes) {
        uint32_t done = part.offset - piece->offset, left = piece->bytes - done;
        part.bytes = left < most ? left : most;
        part.global = piece->global + done;
        send_atomics(async, command, &part);
    }
}

#define NO_READ UINT32_MAX
/* Sends bytes of a piece to another block, by parts that lie in one line there. NULL: what the READ with that number
 * brings, which slices send. */
static void send_parts(struct async *async, const struct async_bulk *b, const struct simt_piece *piece, unsigned rank,
                       const uint8_t *bytes, uint32_t read)
{
    const struct simt_bulk *command = &b->command;
    for (uint32_t at = 0, run; at < piece->bytes; at += run) {
        uint32_t offset = simt_bulk_place(command, piece->offset + at, &run);
        run = run < piece->bytes - at ? run : piece->bytes - at;
        const struct async_parcel parcel = {.address = LANE_SHARED_ADDRESS(rank, offset),
                                            .data = bytes ? bytes + at : NULL,
                                            .bytes = run,
                                            .mbarrier =
                                                command->arrives ? LANE_SHARED_OFFSET(command->mbarrier) : PACKET_NOBODY,
                                            .copy = b->number,
                                            .pc = b->pc,
                                            .lane = b->lane,
                                            .cast = command->blocks != 0,
                                            .atomic = command->atomic,
                                            .type = command->type,
                                            .element = (uint8_t)simt_bulk_element(command)};
        if (bytes)
            async->port->send(async->sm, b->slot, &parcel);
        else
            async->port->cast(async->sm, b->slot, &parcel, read, (uint32_t)(piece->global + at) % PACKET_LINE_BYTES);
    }
}

/* The blocks that the command writes, but for its own: a set of ranks. */
static uint32_t others_of(const struct async *async, const struct async_bulk *b)
{
    const struct simt_block *block = warp_of(async, b)->simt.block;
    return simt_bulk_targets(&b->command, block) & ~(UINT32_C(1) << block->rank);
}

/* True: what the command reads is for other blocks, and slices send it to these. */
static bool is_cast(const struct async *async, const struct async_bulk *b)
{
    return async->lsu->cluster.casts && b->command.kind == SIMT_BULK_LOAD && others_of(async, b);
}

/* Bytes of a piece have come, NULL: those that fill it. They go to all blocks that the command names, and that slices
 * do not send them to. */
static void deliver(struct async *async, const struct async_bulk *b, const struct simt_piece *piece, const uint8_t *bytes)
{
    const struct simt_block *block = warp_of(async, b)->simt.block;
    uint8_t filled[PACKET_LINE_BYTES];
    uint32_t others = is_cast(async, b) && !piece->outside ? 0 : others_of(async, b);
    if (simt_bulk_targets(&b->command, block) >> block->rank & 1) {
        simt_bulk_write(&b->command, piece, bytes, shared_of(async, b));
        complete_bytes(async, b, piece->bytes);
    }
    for (uint32_t rest = others; rest; rest &= rest - 1) {
        if (!bytes)
            simt_bulk_fill(&b->command, piece, filled);
        send_parts(async, b, piece, (unsigned)__builtin_ctz(rest), bytes ? bytes : filled, NO_READ);
    }
}

/* Asks for a piece's bytes. */
static void send_read(struct async *async, uint32_t command, const struct simt_piece *piece)
{
    struct packet *p = new_request(async, PACKET_READ, command, piece);
    const struct async_bulk *b = &async->commands.items[command];
    for (uint32_t rest = is_cast(async, b) ? others_of(async, b) : 0; rest; rest &= rest - 1)
        send_parts(async, b, piece, (unsigned)__builtin_ctz(rest), NULL, access_of(p)->waiter);
    lsu_async_send(async->lsu, p);
}

/* A part of a piece that nothing is read for, or that comes from the block's own shared memory: no larger than a line. */
static void move_here(struct async *async, uint32_t command, const struct simt_piece *piece)
{
    const struct async_bulk *b = &async->commands.items[command];
    for (struct simt_piece part = *piece; part.offset < piece->offset + piece->bytes; part.offset += part.bytes) {
        uint32_t left = piece->offset + piece->bytes - part.offset;
        const uint8_t *from = shared_of(async, b) + LANE_SHARED_OFFSET(b->command.from) + part.offset;
        part.bytes = left < PACKET_LINE_BYTES ? left : PACKET_LINE_BYTES;
        deliver(async, b, &part, b->command.kind == SIMT_BULK_SEND ? from : NULL);
    }
}

static void move(struct async *async, uint32_t command, const struct simt_piece *piece)
{
    struct async_bulk *b = &async->commands.items[command];
    bool loads = b->command.kind == SIMT_BULK_LOAD;
    if (b->command.kind == SIMT_BULK_SEND || (piece->outside && loads)) {
        move_here(async, command, piece);
        return;
    }
    if (piece->outside || !covers(async, b, piece))
        return;
    switch (b->command.kind) {
    case SIMT_BULK_STORE:
        send_write(async, command, piece);
        break;
    case SIMT_BULK_REDUCE:
        send_reduction(async, command, piece);
        break;
    default:
        send_read(async, command, piece);
        break;
    }
}

/* The first command of the line sends a piece, if there is room. Returns whether it did something. */
static bool step_first(struct async *async)
{
    uint32_t number = async->line.items[0];
    struct async_bulk *b = &async->commands.items[number];
    struct simt_piece piece;
    if (lsu_async_room(async->lsu) < 2) /* a reduction of small elements asks twice */
        return false;
    if (is_cast(async, b) && free_piece(async) >= PARTITION_CASTS)
        return false;
    if (simt_bulk_next(&b->command, &piece)) {
        uint64_t now = async->agenda->now * FRACTION;
        async->pace = (async->pace > now ? async->pace : now) + (uint64_t)pace_of(async, &b->command) * piece.bytes;
        move(async, number, &piece);
        b = &async->commands.items[number];
    }
    if (b->command.done < b->command.bytes)
        return true;
    memmove(async->line.items, async->line.items + 1, --async->line.count * sizeof *async->line.items);
    b->walked = true;
    if (b->group != ASYNC_NO_GROUP)
        async_source_read(async, b->slot, b->group);
    if (b->group != ASYNC_NO_GROUP && async->params->bulk_posted)
        async_copied(async, b->slot, b->group);
    end_command(async, b);
    return true;
}

/* The cycle in which the first command of the line goes on. */
static uint64_t first_ready(const struct async *async)
{
    uint64_t pace = async->pace / FRACTION, ready = async->commands.items[async->line.items[0]].ready;
    return pace > ready ? pace : ready;
}

uint64_t async_bulk_next(const struct async *async)
{
    if (!async->line.count)
        return CYCLE_NEVER;
    uint64_t ready = first_ready(async);
    return ready > async->agenda->now ? ready : async->agenda->now;
}

void async_bulk_step(struct async *async)
{
    while (async->line.count && first_ready(async) <= async->agenda->now && step_first(async))
        made_progress(async->agenda);
}

/* Answers */

static void take_bytes(struct async *async, const struct async_bulk *b, const struct async_piece *piece,
                       const struct packet *p)
{
    const uint8_t *bytes = packet_data(p) + piece->piece.global % PACKET_LINE_BYTES;
    if (async->params->values_at_issue)
        bytes = store_at(async->store, piece->piece.global);
    deliver(async, b, &piece->piece, bytes);
}

void async_answer(struct async *async, const struct packet *p)
{
    uint32_t number = access_of(p)->waiter;
    contract(number < async->pieces.count && async->pieces.items[number].used);
    struct async_piece *piece = &async->pieces.items[number];
    struct async_bulk *b = &async->commands.items[piece->command];
    piece->used = false;
    b->out--;
    if (b->command.kind == SIMT_BULK_LOAD)
        take_bytes(async, b, piece, p);
    end_command(async, b);
}

/* True: its bytes count at the mbarrier of that block. */
static bool counts_at(const struct async *async, const struct async_bulk *b, const struct simt_block *block,
                      uint32_t mbarrier)
{
    const struct simt_block *own = warp_of(async, b)->simt.block;
    return b->command.arrives && LANE_SHARED_OFFSET(b->command.mbarrier) == mbarrier &&
           simt_bulk_targets(&b->command, own) >> block->rank & 1 &&
           simt_cluster_of(own->grid, own->index) == simt_cluster_of(block->grid, block->index);
}

uint64_t async_bytes_for(const struct async *async, const struct simt_block *block, uint32_t mbarrier)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < async->commands.count; i++) {
        const struct async_bulk *b = &async->commands.items[i];
        if (b->used && counts_at(async, b, block, mbarrier))
            bytes += b->command.bytes - b->command.done;
    }
    for (size_t i = 0; i < async->pieces.count; i++) {
        const struct async_piece *p = &async->pieces.items[i];
        if (p->used && counts_at(async, &async->commands.items[p->command], block, mbarrier))
            bytes += p->piece.bytes;
    }
    return bytes;
}
