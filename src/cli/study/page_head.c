/* The first lines of a study's page: how many claims hold, what was found, and what does not hold, with reasons. */
#include <string.h>

#include "cli/study/page.h"
#include "report/html.h"

#define MOST_LINES 10

struct counts {
    unsigned judged, direction, sized, magnitude, open;
};

static struct counts count(const struct study *study, const struct study_found *found)
{
    struct counts c = {0};
    for (size_t i = 0; i < study->claims.count; i++) {
        const struct study_verdict *v = &found->answers[i].all.verdict;
        c.judged += v->direction >= 0;
        c.direction += v->direction == 1;
        c.sized += v->magnitude >= 0;
        c.magnitude += v->magnitude == 1;
        c.open += v->direction < 0;
    }
    return c;
}

void study_page_counts(const struct study *study, const struct study_found *found, struct strbuf *out)
{
    struct counts c = count(study, found);
    if (!study->claims.count)
        return;
    strbuf_addf(out, "<p class=counts><b>%u of %u</b> claims reproduce in direction, <b>%u of %u</b> in size",
                c.direction, c.judged, c.magnitude, c.sized);
    if (c.open)
        strbuf_addf(out, "; %u of %zu could not be judged", c.open, study->claims.count);
    strbuf_add(out, ".</p>\n");
}

/* The first sentence of a reason: up to a full stop before a blank. */
static void add_reason(const char *why, struct strbuf *out)
{
    const char *end = strstr(why, ". ");
    struct strbuf first = {0};
    strbuf_addn(&first, why, end ? (size_t)(end - why) + 1 : strlen(why));
    html_escape(out, strbuf_text(&first));
    strbuf_free(&first);
}

static bool deviates(const struct study_found *found, size_t claim)
{
    return found->answers[claim].all.verdict.direction == 0;
}

/* Claims of one `each` that do not hold for one reason are one deviation. */
static bool same_deviation(const struct study *study, size_t a, size_t b)
{
    const struct study_claim *first = &study->claims.items[a], *second = &study->claims.items[b];
    return first->copy.of && first->copy.of == second->copy.of && !strcmp(first->why, second->why);
}

static bool is_first(const struct study *study, const struct study_found *found, size_t claim)
{
    for (size_t i = 0; i < claim; i++)
        if (deviates(found, i) && same_deviation(study, i, claim))
            return false;
    return true;
}

static void add_link(const struct study_claim *claim, const char *separator, struct strbuf *out)
{
    strbuf_addf(out, "%s<a href=\"#%s\">%s</a>", separator, claim->id, claim->id);
}

static void head_deviation(const struct study *study, const struct study_found *found, size_t claim, struct strbuf *out)
{
    const struct study_claim *c = &study->claims.items[claim];
    bool several = false;
    strbuf_add(out, "<li><span class=no>&#x2717;</span>");
    add_link(c, " ", out);
    for (size_t i = claim + 1; i < study->claims.count; i++)
        if (deviates(found, i) && same_deviation(study, claim, i)) {
            add_link(&study->claims.items[i], ", ", out);
            several = true;
        }
    strbuf_add(out, " ");
    html_escape(out, several ? c->copy.text : c->text);
    strbuf_add(out, ": ");
    if (!several)
        html_escape(out, found->answers[claim].all.ours.text);
    if (!several && *c->paper) {
        strbuf_add(out, " instead of ");
        html_escape(out, c->paper);
    }
    if (*c->why) {
        strbuf_add(out, several ? "<span class=note>" : ". <span class=note>");
        add_reason(c->why, out);
        strbuf_add(out, "</span>");
    }
    strbuf_add(out, "\n");
}

static unsigned count_deviations(const struct study *study, const struct study_found *found)
{
    unsigned n = 0;
    for (size_t i = 0; i < study->claims.count; i++)
        n += deviates(found, i) && is_first(study, found, i);
    return n;
}

/* As many deviations as there is room for; the others by name, on one line. */
static void head_deviations(const struct study *study, const struct study_found *found, unsigned room,
                            struct strbuf *out)
{
    unsigned all = count_deviations(study, found), shown = 0, most = all <= room ? all : room ? room - 1 : 0;
    for (size_t i = 0; i < study->claims.count; i++) {
        if (!deviates(found, i) || !is_first(study, found, i))
            continue;
        if (shown < most) {
            head_deviation(study, found, i, out);
        } else {
            if (shown == most)
                strbuf_addf(out, "<li><span class=no>&#x2717;</span> and %u more:", all - most);
            add_link(&study->claims.items[i], " ", out);
        }
        shown++;
    }
}

void study_page_head(struct study *study, const struct study_found *found, struct strbuf *out)
{
    unsigned lines = 1 + (unsigned)study->findings.count; /* that of the counts, too */
    if (!study->findings.count && !count_deviations(study, found))
        return;
    strbuf_add(out, "<ul class=head>\n");
    for (size_t i = 0; i < study->findings.count; i++) {
        strbuf_add(out, "<li>");
        html_escape(out, found->findings[i]);
        strbuf_add(out, "\n");
    }
    head_deviations(study, found, lines < MOST_LINES ? MOST_LINES - lines : 1, out);
    strbuf_add(out, "</ul>\n");
}
