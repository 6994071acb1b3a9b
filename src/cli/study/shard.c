/* Shards: a study's executions dealt out to processes, on one machine or many. Shard i of n runs every n-th execution
 * into a database of its own, in a folder of its own, and moves it to shards/i-of-n.sqlite of the results folder when
 * it is whole: whoever reads that folder sees finished shards alone. Killed on its way it goes on where it was, as long
 * as its folder is there. study_merge puts them together. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw */
#endif
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "cli/study/study.h"

/* Seconds between two words about how far a shard is. */
#define TELL_EVERY 5

bool study_is_mine(const struct study *study, size_t execution)
{
    if (study->only && !study->only[execution])
        return false;
    return !study->shards || execution % study->shards == study->shard - 1;
}

unsigned study_missing(const struct study *study, struct study_shard shard)
{
    unsigned missing = 0;
    for (size_t i = shard.number - 1; i < study->executions.count; i += shard.of)
        missing += !study->executions.items[i].stored && !study_is_absent(study, i);
    return missing;
}

uint64_t study_definition(const struct study *study)
{
    struct strbuf text = {0};
    for (size_t i = 0; i < study->executions.count; i++)
        strbuf_addf(&text, "%s%s\n", study->executions.items[i].key,
                    study->executions.items[i].phases ? " phases" : "");
    uint64_t hash = hash_bytes(strbuf_text(&text), text.length);
    strbuf_free(&text);
    return hash;
}

/* Files */

static const char *prefix(const struct study *study)
{
    return study->quick ? "quick-" : "";
}

const char *study_shard_path(struct study *study, struct study_shard shard, const char *suffix)
{
    return arena_printf(&study->arena, "%s/shards/%s%u-of-%u%s", study->out, prefix(study), shard.number, shard.of,
                        suffix);
}

static int compare_shards(const void *a, const void *b)
{
    const struct study_shard *x = a, *y = b;
    return x->of != y->of ? (x->of < y->of ? -1 : 1) : (x->number > y->number) - (x->number < y->number);
}

struct study_shard *study_find_shards(struct study *study, const char *suffix)
{
    DIR *folder = opendir(arena_printf(&study->arena, "%s/shards", study->out));
    VEC(struct study_shard) found = {0};
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *name = entry->d_name;
        struct study_shard shard;
        int end = 0;
        if (strncmp(name, prefix(study), strlen(prefix(study))))
            continue;
        name += strlen(prefix(study));
        if (sscanf(name, "%u-of-%u%n", &shard.number, &shard.of, &end) == 2 && !strcmp(name + end, suffix) &&
            shard.number > 0 && shard.number <= shard.of)
            vec_push(&found, shard);
    }
    if (folder)
        closedir(folder);
    struct study_shard *list = ARENA_NEW(&study->arena, struct study_shard, found.count + 1);
    if (found.count) {
        qsort(found.items, found.count, sizeof *found.items, compare_shards);
        memcpy(list, found.items, found.count * sizeof *list);
    }
    vec_free(&found);
    return list;
}

void study_peek_all(struct study *study)
{
    for (size_t i = 0; i < study->executions.count; i++)
        study->executions.items[i].seconds = -1;
    study_peek(study, arena_printf(&study->arena, "%s/%s.sqlite", study->out, study->quick ? "quick" : "full"));
    for (const struct study_shard *s = study_find_shards(study, ".sqlite"); s->of; s++)
        if (s->of != study->shards || s->number != study->shard)
            study_peek(study, study_shard_path(study, *s, ".sqlite"));
}

/* Running one */

void study_tell_progress(struct study *study, bool due)
{
    char host[80] = "";
    struct study_shard shard = {study->shard, study->shards};
    double now = host_seconds();
    unsigned all = 0, missing = study->shards ? study_missing(study, shard) : 0;
    if (!study->shards || (!due && now - study->told < TELL_EVERY))
        return;
    study->told = now;
    for (size_t i = shard.number - 1; i < study->executions.count; i += shard.of)
        all += !study_is_absent(study, i);
    gethostname(host, sizeof host - 1);
    const char *text = arena_printf(&study->arena, "%u of %u on %s\n", all - missing, all, host);
    file_store(study_shard_path(study, shard, ".progress"), text, strlen(text),
               0666); /* a word that is lost is no harm */
}

/* Where a shard works: one place for each results folder and shard, so that what is left there is found again. */
static const char *choose_work(struct study *study, const char *work)
{
    struct study_shard shard = {study->shard, study->shards};
    if (!work)
        return study_shard_path(study, shard, ".part");
    char *real = realpath(study->out, NULL);
    const char *out = real ? real : study->out;
    const char *path =
        arena_printf(&study->arena, "%s/lockstep-%s-%016llx-%s%u-of-%u", work, study->name,
                     (unsigned long long)hash_bytes(out, strlen(out)), prefix(study), shard.number, shard.of);
    free(real);
    return path;
}

static int check_owner(struct study *study)
{
    struct stat info;
    if (stat(study->work, &info) == 0 && info.st_uid == geteuid())
        return 0;
    return diag_error(study->sink, DIAG_NOWHERE, "--work FOLDER chooses another place", "%s belongs to somebody else",
                      study->work);
}

/* Starts from the results of the shard's last complete run, where there are any. */
static int take_former(struct study *study, const char *finished)
{
    struct strbuf content = {0};
    const char *path = study_database(study);
    int why = access(path, F_OK) == 0 || access(finished, F_OK) < 0 ? 0 : file_load(finished, FILE_NO_BOUND, &content);
    if (!why && content.length)
        why = file_store(path, content.text, content.length, 0666);
    strbuf_free(&content);
    return why ? diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot copy %s: %s", finished, strerror(why)) : 0;
}

static int sign(struct study *study)
{
    return study_tell(study, arena_printf(&study->arena,
                                          "CREATE TABLE IF NOT EXISTS shard(number INTEGER, of INTEGER, identity TEXT, "
                                          "definition TEXT); DELETE FROM shard; "
                                          "INSERT INTO shard VALUES(%u, %u, '%s', '%016llx')",
                                          study->shard, study->shards, study->build,
                                          (unsigned long long)study_definition(study)));
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    remove(path);
    return 0;
}

void study_remove_folder(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static int finish(struct study *study, const char *finished)
{
    const char *path = study_database(study);
    study_close(study);
    int why = file_move(path, finished);
    if (why)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot move %s to %s: %s", path, finished, strerror(why));
    study_remove_folder(study->work);
    unlink(study_shard_path(study, (struct study_shard){study->shard, study->shards}, ".progress"));
    return 0;
}

int study_run_shard(struct study *study, const char *work, int *stopped)
{
    struct study_shard shard = {study->shard, study->shards};
    const char *finished = study_shard_path(study, shard, ".sqlite");
    if (mkdir(study->out, 0777) < 0 && errno != EEXIST)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot create %s: %s", study->out, strerror(errno));
    study->work = choose_work(study, work);
    study_peek_all(study);
    if (study_make_folders(study) < 0 || check_owner(study) < 0 || study_lock(study) < 0 ||
        take_former(study, finished) < 0 || study_open(study, study_database(study)) < 0 || sign(study) < 0 ||
        study_note_runs(study) < 0 || study_make_view(study) < 0 || (*stopped = study_execute(study)) != 0)
        return -1;
    int64_t failed = study_count(study, "SELECT count(*) FROM executions WHERE status = 'failed' "
                                        "AND id IN (SELECT execution FROM runs UNION SELECT execution FROM tried)");
    if (failed < 0 || finish(study, finished) < 0)
        return -1;
    cli_printf("shard %u/%u: %s\n", shard.number, shard.of, finished);
    if (failed)
        cli_printf("%lld runs did not end well\n", (long long)failed);
    return failed ? CLI_FAILED : CLI_OK;
}
