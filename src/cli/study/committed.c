/* Results that come with a study, in results/ of its folder: what `--report` answers from where nobody has run
 * anything. full.sqlite.zst is the database itself, compressed; where it is not there, results.csv has the means of
 * every configuration, without variants, single launches and phases. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file.h"
#include "cli/study/judge.h"
#include "cli/study/table.h"

/* A database of a study, unpacked. */
#define MOST_BYTES (UINT64_C(1) << 31)
#define LEVEL 12

static const char *packed_path(struct study *study)
{
    return arena_printf(&study->arena, "%s/full.sqlite.zst", study->out);
}

static int unpack_text(struct study *study, const char *path, const struct strbuf *packed)
{
    unsigned long long size = ZSTD_getFrameContentSize(strbuf_text(packed), packed->length);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > MOST_BYTES)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "%s is no database that a study has packed", path);
    char *text = ARENA_NEW(&study->arena, char, size + 1);
    size_t got = ZSTD_decompress(text, size, strbuf_text(packed), packed->length);
    int rc = ZSTD_isError(got) ? diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: %s", path, ZSTD_getErrorName(got))
                               : file_write(study_database(study), text, got, study->sink);
    return rc;
}

int study_unpack(struct study *study)
{
    const char *path = arena_printf(&study->arena, "%s/results/full.sqlite.zst", study->folder);
    struct strbuf packed = {0};
    if (study->quick || access(study_database(study), F_OK) == 0 || access(path, R_OK) < 0)
        return 0;
    int rc = file_read(path, MOST_BYTES, &packed, study->sink);
    rc = rc < 0 ? -1 : unpack_text(study, path, &packed);
    strbuf_free(&packed);
    return rc;
}

int study_pack(struct study *study)
{
    const char *plain = arena_printf(&study->arena, "%s/cache/packed.sqlite", study->work);
    struct strbuf text = {0};
    unlink(plain);
    char *sql = sqlite3_mprintf("VACUUM main INTO %Q", plain);
    int rc = study_tell(study, sql) < 0 ? -1 : file_read(plain, FILE_NO_BOUND, &text, study->sink);
    sqlite3_free(sql);
    unlink(plain);
    if (rc == 0) {
        size_t most = ZSTD_compressBound(text.length);
        char *packed = ARENA_NEW(&study->arena, char, most);
        size_t size = ZSTD_compress(packed, most, strbuf_text(&text), text.length, LEVEL);
        rc = ZSTD_isError(size) ? diag_error(study->sink, DIAG_NOWHERE, NULL, "zstd: %s", ZSTD_getErrorName(size))
                                : file_write(packed_path(study), packed, size, study->sink);
    }
    strbuf_free(&text);
    return rc;
}

/* results.csv */

static int create(struct study *study, const struct study_table *table)
{
    struct strbuf sql = {0};
    strbuf_add(&sql, "DROP TABLE IF EXISTS committed; CREATE TABLE committed(");
    for (size_t i = 0; i < table->columns; i++) {
        char *name = sqlite3_mprintf("%s\"%w\"", i ? ", " : "", table->names[i]);
        strbuf_add(&sql, name);
        sqlite3_free(name);
    }
    strbuf_add(&sql, ")");
    int rc = study_tell(study, strbuf_text(&sql));
    strbuf_free(&sql);
    return rc;
}

static int fill(struct study *study, const struct study_table *table)
{
    struct strbuf sql = {0};
    strbuf_add(&sql, "INSERT INTO committed VALUES(?");
    for (size_t i = 1; i < table->columns; i++)
        strbuf_add(&sql, ", ?");
    strbuf_add(&sql, ")");
    sqlite3_stmt *stmt = study_ask(study, "committed results", strbuf_text(&sql));
    int rc = stmt ? 0 : -1;
    for (size_t row = 0; stmt && row < table->rows.count && rc == 0; row++) {
        for (size_t i = 0; i < table->columns; i++)
            study_bind(stmt, (int)i + 1, *table->rows.items[row][i] ? table->rows.items[row][i] : NULL);
        rc = sqlite3_step(stmt) == SQLITE_DONE ? 0 : study_complain(study, "committed results");
        sqlite3_reset(stmt);
    }
    sqlite3_finalize(stmt);
    strbuf_free(&sql);
    return rc;
}

/* Leaves out rows of configurations that the study does not have, and of a benchmark that is another program by now or
 * has other arguments (a file that does not say which it had is taken as it is). Returns how many; -1 with a
 * diagnostic.
 */
static int leave_out(struct study *study, const struct study_table *table)
{
    const bool says = study_table_column(table, "program") < table->columns;
    struct strbuf sql = {0};
    int rc = 0;
    strbuf_add(&sql, "DELETE FROM committed WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE committed.benchmark = "
                     "r.benchmark AND committed.machine = r.machine AND committed.scheduler = r.scheduler AND "
                     "committed.reading = r.reading");
    study_add_same_point(study, "committed", "r", &sql);
    strbuf_add(&sql, ")");
    rc = study_tell(study, strbuf_text(&sql));
    for (size_t i = 0; says && rc == 0 && i < study->benchmarks.count; i++) {
        const char *name = study->benchmarks.items[i].name;
        char *other = sqlite3_mprintf("DELETE FROM committed WHERE benchmark = %Q AND program IS NOT %Q", name,
                                      study_program_of(study, name));
        rc = study_tell(study, other);
        sqlite3_free(other);
    }
    strbuf_free(&sql);
    return rc < 0 ? -1 : (int)((int64_t)table->rows.count - study_count(study, "SELECT count(*) FROM committed"));
}

/* Of whatever has a row there all runs have ended well. */
static int note_ended(struct study *study)
{
    struct strbuf sql = {0};
    strbuf_add(
        &sql, "UPDATE executions SET status = 'ok', build = 'committed' WHERE status = '" STUDY_WAITS
              "' AND id IN (SELECT r.execution FROM runs r JOIN committed c ON c.benchmark = r.benchmark AND c.machine "
              "= r.machine AND c.scheduler = r.scheduler AND c.reading = r.reading AND c.variants = r.variants");
    study_add_same_point(study, "c", "r", &sql);
    strbuf_add(&sql, ")");
    int rc = study_tell(study, strbuf_text(&sql));
    strbuf_free(&sql);
    return rc;
}

const char *study_committed_path(struct study *study)
{
    return arena_printf(&study->arena, "%s/results/results.csv", study->folder);
}

int study_take_committed(struct study *study)
{
    const char *path = study_committed_path(study);
    struct study_table table;
    int others = 0;
    if (study->quick || access(path, R_OK) < 0 || study_count(study, "SELECT count(*) FROM kernels") != 0)
        return 0;
    int rc = study_table_read(&table, path, &study->arena, study->sink);
    if (rc == 0 && study_table_column(&table, "benchmark") == 0 &&
        study_table_column(&table, "variants") < table.columns)
        rc = study_tell(study, "BEGIN IMMEDIATE") < 0 || create(study, &table) < 0 || fill(study, &table) < 0 ||
                     (others = leave_out(study, &table)) < 0 || note_ended(study) < 0 || study_tell(study, "COMMIT") < 0
                 ? -1
                 : 0;
    else if (rc == 0)
        rc = diag_error(study->sink, DIAG_NOWHERE, NULL, "%s has no results of a study", path);
    study->committed = rc == 0;
    const size_t rows = table.rows.count;
    study_table_free(&table);
    if (rc == 0)
        fprintf(stderr, "lockstep study: nothing was run in %s: the means of %s, without variants and phases\n",
                study->out, path);
    if (rc == 0 && others)
        fprintf(stderr,
                "lockstep study: %d of %zu rows are of programs, arguments or configurations that the study "
                "does not have: left out\n",
                others, rows);
    return rc;
}
