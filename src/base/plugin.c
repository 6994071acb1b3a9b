/* Opens a shared object and finds the symbol in it by which it says what it is (plugin.h). */
#include "base/plugin.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"

int plugin_wrong(const struct plugin *plugin, const char *path, const char *hint, const char *why,
                 struct diag_sink *sink)
{
    return diag_error(sink, DIAG_NOWHERE, hint, "%s is no %s: %s", path, plugin->kind, why);
}

int plugin_load(struct plugin *plugin, const char *path, const char *hint, const char *contract, void **function,
                struct diag_sink *sink)
{
    char *whole = realpath(path, NULL); /* without a '/', dlopen would look elsewhere */
    plugin->library = dlopen(whole ? whole : path, RTLD_NOW | RTLD_LOCAL);
    free(whole);
    if (!plugin->library)
        return diag_error(sink, DIAG_NOWHERE, hint, "cannot load the %s %s: %s", plugin->kind, path, dlerror());
    *function = dlsym(plugin->library, plugin->symbol);
    if (*function)
        return 0;
    struct strbuf why = {0}, says = {0};
    strbuf_addf(&why, "it does not define %s", plugin->symbol);
    strbuf_addf(&says, "%s says what it must define", contract);
    plugin_wrong(plugin, path, strbuf_text(&says), strbuf_text(&why), sink);
    strbuf_free(&why);
    strbuf_free(&says);
    plugin_unload(plugin);
    return -1;
}

void plugin_unload(struct plugin *plugin)
{
    if (plugin->library)
        dlclose(plugin->library);
    plugin->library = NULL;
}

void plugin_identify(const char *path, struct strbuf *out)
{
    struct strbuf content = {0};
    file_load(path, FILE_TEXT_MOST, &content); /* it could be opened when it was loaded */
    const char *slash = strrchr(path, '/');
    strbuf_addf(out, "%s (content %016" PRIx64 ")", slash ? slash + 1 : path,
                hash_bytes(strbuf_text(&content), content.length));
    strbuf_free(&content);
}
