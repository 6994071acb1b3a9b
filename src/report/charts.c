/* The library by which pages draw: see charts.h. */
#include "report/charts.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/chart.h"

#define LIBRARY_MOST (UINT64_C(4) << 20)

static const char *load(struct arena *arena, const char *folder, size_t length)
{
    struct strbuf text = {0};
    const char *found = NULL;
    const char *path = arena_printf(arena, "%.*s/javascript/chart.js/chart.min.js", (int)length, folder);
    if (file_load(path, LIBRARY_MOST, &text) == 0 && chart_knows(strbuf_text(&text)))
        found = arena_strdup(arena, strbuf_text(&text));
    strbuf_free(&text);
    return found;
}

const char *charts_library(struct arena *arena)
{
    const char *folders = getenv("XDG_DATA_DIRS"), *found = NULL;
    if (!folders || !*folders)
        folders = "/usr/local/share:/usr/share";
    while (!found && *folders) {
        size_t length = strcspn(folders, ":");
        if (length)
            found = load(arena, folders, length);
        folders += length + (folders[length] == ':');
    }
    return found;
}
