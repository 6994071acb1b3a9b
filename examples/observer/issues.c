/* An observer that counts the issues of each instruction. README.md builds and runs it; lockstep/observer.h is the contract. */
#include <lockstep/observer.h>

static size_t state_bytes(const struct lockstep_observed *observed)
{
    return observed->instructions * sizeof(uint64_t); /* a counter for each instruction, on each SM */
}
static void issue(void *state, const struct lockstep_issue_event *event)
{
    ((uint64_t *)state)[event->pc]++;
}
static void report(const struct lockstep_observed *observed, const void *const *states, FILE *to)
{
    for (uint32_t pc = 0; pc < observed->instructions; pc++) {
        uint64_t count = 0;
        for (uint32_t sm = 0; sm < observed->sms; sm++)
            count += ((const uint64_t *)states[sm])[pc];
        if (count)
            fprintf(to, "%10llu  %-40s %s\n", (unsigned long long)count, observed->text(observed, pc), observed->place(observed, pc));
    }
}
static const struct lockstep_observer issues = {
    .version = LOCKSTEP_OBSERVER_VERSION, .name = "issues", .doc = "how often each instruction was issued",
    .state_bytes = state_bytes, .issue = issue, .report = report};

const struct lockstep_observer *lockstep_observer_plugin(void)
{
    return &issues;
}
