/* On a study's page: the inputs of its benchmarks, beside the paper's. */
#include <string.h>

#include "cli/study/inputs.h"
#include "cli/study/page.h"
#include "report/html.h"

static void add_paper(const struct study_shape *paper, enum study_part part, struct strbuf *out)
{
    strbuf_add(out, "<td>");
    if (paper->texts[part])
        html_escape(out, paper->texts[part]);
    else if (paper->counts[part].items.count)
        study_tell_counts(&paper->counts[part], out);
    else
        strbuf_add(out, "<span class=note>not printed</span>");
}

/* As launched. `wrong` where the study states another number; bold where the paper has one. */
static void add_launched(const struct study_input *input, const struct study_shape *launched, enum study_part part,
                         struct strbuf *out)
{
    const struct study_counts *found = &launched->counts[part], *stated = &input->stated.counts[part],
                              *paper = &input->paper.counts[part];
    if (!found->items.count) {
        strbuf_add(out, "<td><span class=note>not known</span>");
        return;
    }
    bool wrong = stated->items.count && !study_same_counts(stated, found);
    bool other = paper->items.count && !study_same_counts(paper, found);
    strbuf_addf(out, "<td class=%s>", wrong ? "no" : other ? "mixed" : "yes");
    study_tell_counts(found, out);
    if (wrong) {
        strbuf_add(out, " instead of the stated ");
        study_tell_counts(stated, out);
    }
}

static void add_texts(const struct study_input *input, struct strbuf *out)
{
    strbuf_add(out, "<td>");
    html_escape(out, *input->paper.input ? input->paper.input : "not printed");
    strbuf_add(out, "<td>");
    html_escape(out, input->stated.input);
    strbuf_add(out, *input->stated.input ? "<br><code>" : "<code>");
    html_escape(out, input->benchmark->program);
    strbuf_add(out, " ");
    html_escape(out, input->benchmark->arguments);
    strbuf_add(out, "</code>");
    if (*input->note) {
        strbuf_add(out, "<div class=small>");
        html_escape(out, input->note);
        strbuf_add(out, "</div>");
    }
}

static void add_row(const struct study_input *input, const struct study_shape *launched, struct strbuf *out)
{
    strbuf_add(out, "<tr><td>");
    html_escape(out, input->benchmark->name);
    add_texts(input, out);
    for (unsigned part = 0; part < STUDY_PARTS; part++) {
        add_paper(&input->paper, part, out);
        add_launched(input, launched, part, out);
    }
    strbuf_add(out, "</tr>\n");
}

int study_page_inputs(struct study *study, struct strbuf *out)
{
    struct study_shape *launched = ARENA_NEW(&study->arena, struct study_shape, study->inputs.count + 1);
    if (!study->inputs.count)
        return 0;
    int rc = study_find_launched(study, launched);
    strbuf_add(
        out, "<h2 id=inputs>Inputs, beside the paper's</h2>\n<p class=note>Here: of the largest launch of the "
             "benchmark's kernels, as its runs have made it. Set apart where the paper has another number.</p>\n"
             "<div class=scroll tabindex=0><table class=inputs><tr><th>benchmark<th colspan=2>input<th colspan=2>blocks"
             "<th colspan=2>threads a block<th colspan=2>warps a block<th colspan=2>threads</tr>\n<tr><th>");
    for (unsigned i = 0; i <= STUDY_PARTS; i++)
        strbuf_add(out, "<th>paper<th>here");
    strbuf_add(out, "</tr>\n");
    for (size_t i = 0; i < study->inputs.count; i++) {
        add_row(&study->inputs.items[i], &launched[i], out);
        study_free_shape(&launched[i]);
    }
    strbuf_add(out, "</table></div>\n");
    return rc;
}
