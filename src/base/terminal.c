/* Terminals: their width, and colours on them; see terminal.h. */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLUMNS 80
#define MOST_COLUMNS 10000

/* COLUMNS of the environment, or 0 for what is no sensible number. */
static unsigned columns_of_environment(void)
{
    const char *text = getenv("COLUMNS");
    char *end;
    unsigned long columns = text && *text ? strtoul(text, &end, 10) : 0;
    return columns && !*end && columns <= MOST_COLUMNS ? (unsigned)columns : 0;
}

unsigned terminal_columns(int stream)
{
    struct winsize size = {0};
    if (!isatty(stream))
        return 0;
    if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    unsigned columns = columns_of_environment();
    return columns ? columns : USUAL_COLUMNS;
}

bool terminal_colours(int stream)
{
    const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(stream) && !(none && *none) && !(kind && strcmp(kind, "dumb") == 0);
}

const char *terminal_begin(enum terminal_paint paint)
{
    static const char *const sequences[] = {
        [TERMINAL_GOOD] = "\033[32m",   [TERMINAL_BAD] = "\033[1;31m", [TERMINAL_CARE] = "\033[1;33m",
        [TERMINAL_ADVICE] = "\033[36m", [TERMINAL_STRONG] = "\033[1m",
    };
    return sequences[paint];
}

const char *terminal_end(void)
{
    return "\033[0m";
}

const char *terminal_erase(void)
{
    return "\r\033[K";
}

static const struct word {
    const char *text; /* as it stands in a diagnostic, with the colon behind it */
    enum terminal_paint paint;
} words[] = {
    {"error:", TERMINAL_BAD},
    {"warning:", TERMINAL_CARE},
    {"note:", TERMINAL_ADVICE},
    {"hint:", TERMINAL_ADVICE},
};

/* The first word of a severity in the line of n bytes: at its begin or behind the position, which a blank ends. *at
 * receives where. Lines that are indented are source, or more of a message; a hint alone is told by its indent. */
static const struct word *word_in(const char *line, size_t n, size_t *at)
{
    static const char indent[] = "    ";
    bool hint = strncmp(line, "    hint:", 9) == 0;
    for (size_t i = hint ? sizeof indent - 1 : 0; i < n && (hint || line[0] != ' '); i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if ((i == 0 || line[i - 1] == ' ') && strncmp(line + i, words[k].text, strlen(words[k].text)) == 0) {
                *at = i;
                return &words[k];
            }
    return NULL;
}

void terminal_paint_diags(const char *formatted, struct strbuf *out)
{
    while (*formatted) {
        size_t n = strcspn(formatted, "\n"), at;
        const struct word *word = word_in(formatted, n, &at);
        if (word) {
            size_t length = strlen(word->text);
            strbuf_addn(out, formatted, at);
            strbuf_addf(out, "%s%s%s", terminal_begin(word->paint), word->text, terminal_end());
            formatted += at + length;
            n -= at + length;
        }
        n += formatted[n] == '\n';
        strbuf_addn(out, formatted, n);
        formatted += n;
    }
}
