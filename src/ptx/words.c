/* See words.h. */
#include "ptx/words.h"

#include <string.h>

#include "base/check.h"

void ptx_words_init(struct ptx_words *words)
{
    *words = (struct ptx_words){0};
    for (unsigned i = 0; i < ISA_OP_COUNT; i++) {
        const char *text = isa_op_info(i)->text;
        strmap_put(&words->ops, text, strlen(text), i);
        words->field_count[i] = (uint8_t)isa_op_fields(i, words->fields[i]);
    }
    for (unsigned i = 1; i < ISA_TYPE_COUNT; i++)
        strmap_put(&words->types, isa_type_info(i)->text, strlen(isa_type_info(i)->text), i);
    for (unsigned i = 0; i < ISA_SREG_COUNT; i++)
        strmap_put(&words->sregs, isa_sreg_info(i)->text, strlen(isa_sreg_info(i)->text), i);
    unsigned count;
    const struct isa_mod_info *mods = isa_mod_table(&count);
    contract(count <= sizeof words->next_mod / sizeof words->next_mod[0]);
    for (unsigned i = count; i-- > 0;) {
        uint32_t next = strmap_get(&words->mods, mods[i].text, strlen(mods[i].text));
        words->next_mod[i] = next == STRMAP_NONE ? 0 : (uint16_t)(next + 1);
        strmap_put(&words->mods, mods[i].text, strlen(mods[i].text), i);
    }
}

void ptx_words_free(struct ptx_words *words)
{
    strmap_free(&words->ops);
    strmap_free(&words->types);
    strmap_free(&words->mods);
    strmap_free(&words->sregs);
}

const char *ptx_nearest_op(const char *text)
{
    const char *candidates[ISA_OP_COUNT + 1];
    unsigned count = 0;
    for (unsigned i = 0; i < ISA_OP_COUNT; i++)
        if (i != ISA_OP_NOP && i != ISA_OP_OUTSIDE)
            candidates[count++] = isa_op_info(i)->text;
    candidates[count] = NULL;
    return str_nearest(text, candidates);
}

static uint8_t *field_of(struct isa_mods *mods, unsigned field)
{
    return (uint8_t *)mods + field;
}

bool ptx_words_set_mod(const struct ptx_words *words, enum isa_op op, struct isa_mods *mods, const char *text, size_t n)
{
    uint32_t row = strmap_get(&words->mods, text, n);
    if (row == STRMAP_NONE)
        return false;
    unsigned count;
    const struct isa_mod_info *table = isa_mod_table(&count);
    for (unsigned f = 0; f < words->field_count[op]; f++) {
        uint8_t field = words->fields[op][f], *value = field_of(mods, field);
        for (uint32_t i = row + 1; i; i = words->next_mod[i - 1]) {
            const struct isa_mod_info *mod = &table[i - 1];
            /* Cache hints may pile up; `mmio` is always written with `relaxed`; `nc` may follow a cache operator, and
             * says more than it. */
            bool is_nc = field == ISA_FIELD_CACHE && mod->value == ISA_CACHE_NC && *value <= ISA_CACHE_CS;
            bool repeats = field == ISA_FIELD_HINT || (field == ISA_FIELD_ORDER && *value == ISA_ORDER_MMIO);
            if (mod->field == field && (!*value || repeats || is_nc)) {
                *value = *value && !is_nc ? *value : mod->value;
                return true;
            }
        }
    }
    return false;
}

static bool begins_with(const char *text, size_t n, const char *prefix)
{
    size_t length = strlen(prefix);
    return n >= length && !memcmp(text, prefix, length);
}

bool ptx_word_is_outside(const char *text, size_t n)
{
    static const char *const exact[] = {"unified", "e2m1x2",    "e2m3x2",        "e3m2x2",
                                        "ue8m0x2", "s2f6x2", "f32x2",   "f16x4",     "e4m3x4",        "e5m2x4",
                                        "e2m1x4",  "e2m3x4", "e3m2x4",  "tensormap", "sync_restrict",
                                        "rs",      "oob",    "scaled",  "mask",
                                        "2dms",    "a2dms",  "s4",      "u4",        "b1",            "sp",     "m16n16",  "m8n16",     "bulk"};
    static const char *const prefixes[] = {"proxy",     "level::",     "sp::",         "tile::",         "kind::",
                                           "im2col",          "cta_group", "op_restrict", "sync_restrict"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        if (strlen(exact[i]) == n && !memcmp(exact[i], text, n))
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (begins_with(text, n, prefixes[i]))
            return true;
    return false;
}

bool ptx_sreg_is_outside(const char *text, size_t n)
{
    static const char *const prefixes[] = {"%envreg", "%pm", "%reserved_smem"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (begins_with(text, n, prefixes[i]))
            return true;
    return false;
}
