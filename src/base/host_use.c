/* Asks the operating system what this process has used so far (host_use.h). */
#include "base/host_use.h"

#include <sys/resource.h>

#include "base/interrupt.h"

struct host_use host_use_now(void)
{
    struct rusage usage;
    struct host_use use = {.seconds = host_seconds()};
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        use.system_seconds = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
        use.page_faults = (uint64_t)usage.ru_minflt;
    }
    return use;
}

struct host_use host_use_since(const struct host_use *before)
{
    struct host_use use = host_use_now();
    use.seconds -= before->seconds;
    use.system_seconds -= before->system_seconds;
    use.page_faults -= before->page_faults;
    return use;
}
