/* Words of memory in results, and the instructions that use them: text for reports of profiles. */
#ifndef LOCKSTEP_REPORT_PROFILE_USES_H
#define LOCKSTEP_REPORT_PROFILE_USES_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* Instructions of which sentences have told, each once. */
struct profile_told {
    VEC(uint64_t) pcs;
    bool polls; /* and of waits at barriers for warps that poll a word */
};

/* Adds the instructions of an array to those that were told of. */
void profile_uses_tell(const json_t *uses, struct profile_told *told);
/* An integer member; 0: there is none. */
uint64_t profile_uses_number(const json_t *object, const char *name);
/* Adds an integer member to a count over launches; most: of which the largest counts instead. */
void profile_uses_count(const json_t *object, const char *name, bool most, uint64_t *count);
/* Of the launches of the kernel of that name among result objects: what their profiles have in the array `member`, one
 * launch behind the other. The array is new, its items are the results'. */
json_t *profile_uses_all(const json_t *kernels, const char *name, const char *member);
/* The member `name`; "": there is none. */
const char *profile_uses_name(const json_t *object);
/* Appends the index of a block, [x, y, z] in results: "block 3", "block (3,1)". */
void profile_uses_add_block(const json_t *block, struct strbuf *out);
/* Appends the place of an instruction: its line, or its line of the PTX. calls: with the outermost call in whose place
 * it stands, "lock.cu:9 (called from main.cu:23)". */
void profile_uses_add_place(const json_t *use, bool calls, struct strbuf *out);
/* True: that says the same of two instructions. */
bool profile_uses_same_place(const json_t *one, const json_t *other, bool calls);
/* Likewise, with other words in place of "called from". */
void profile_uses_add_called(const json_t *use, const char *called, struct strbuf *out);
/* Appends where a word is taken, "taken at lock.cu:9 (called from main.cu:23)", by the instructions of an array. Of
 * several lines the first two. called: words in front of the call around the first one. */
void profile_uses_add_taken(const json_t *takes, const char *called, struct strbuf *out);
/* Likewise where it is given back, ", given back at lock.cu:13"; or (given is false) where others write it, or that it
 * is never given back. */
void profile_uses_add_given(const json_t *word, bool given, struct strbuf *out);
/* Appends the line of an instruction, or that of the outermost call in whose place it stands: "main.cu:23". */
void profile_uses_add_caller(const json_t *use, struct strbuf *out);
/* Appends the places of the first instructions of an array, each once, up to two: "a.cu:9 and a.cu:12". Returns how
 * many. */
unsigned profile_uses_add_places(const json_t *uses, struct strbuf *out);
/* The number of the innermost place that lies in no header that came with a compiler; of the outermost one where all
 * do.
 */
size_t profile_uses_user_place(const json_t *places);
/* A file without its folders. */
const char *profile_uses_base_name(const char *file);
/* part / whole; 0 where there is no whole. */
double profile_uses_ratio(uint64_t part, uint64_t whole);

#endif
