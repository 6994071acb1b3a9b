/* Words for accesses of memory: see profile_memory.h. */
#include "report/profile_memory.h"

#include "report/profile_uses.h"

/* The L1 is asked for what somebody waits for; stores go past it. */
static void add_global(const uint64_t *n, struct strbuf *out)
{
    double each = profile_uses_ratio(n[PROFILE_transactions], n[PROFILE_accesses]);
    strbuf_addf(out, "%.3g transaction%s each", each, each > 1 ? "s" : "");
    const char *hits = ", hits";
    if (n[PROFILE_hits] || n[PROFILE_awaited]) {
        strbuf_addf(out, "%s L1 %.0f%%", hits, 100 * profile_uses_ratio(n[PROFILE_hits], n[PROFILE_transactions]));
        hits = "";
    }
    if (n[PROFILE_l2_accesses])
        strbuf_addf(out, "%s L2 %.0f%%", hits,
                    100 * profile_uses_ratio(n[PROFILE_l2_accesses] - n[PROFILE_l2_misses], n[PROFILE_l2_accesses]));
    if (n[PROFILE_dram_bytes] && 2 * n[PROFILE_dram_bytes] >= n[PROFILE_accesses])
        strbuf_addf(out, ", DRAM %.0f B", profile_uses_ratio(n[PROFILE_dram_bytes], n[PROFILE_accesses]));
}

bool profile_memory_add(const struct profile_sum *sum, struct strbuf *out)
{
    const uint64_t *n = sum->counts;
    bool global = n[PROFILE_transactions], conflicts = n[PROFILE_passes];
    if (global)
        add_global(n, out);
    if (conflicts)
        strbuf_addf(out, "%s%.3g passes each", global ? "; " : "",
                    1 + profile_uses_ratio(n[PROFILE_passes], n[PROFILE_accesses]));
    return global || conflicts;
}
