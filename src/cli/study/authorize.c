/* The rules for a study's SQL. Its views and questions come from a file that somebody else may have written: they read
 * the results and make temporary views, and nothing else. SQLite asks `allows` about every step of a statement while it
 * prepares it; what Lockstep itself tells the database runs between study_trust and study_distrust. */
#include <string.h>

#include "cli/study/study.h"

/* Steps of questions. pragma_table_info is how tables tell their columns. */
static bool reads(int action, const char *what, const char *detail)
{
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return true;
    case SQLITE_FUNCTION:
        return !detail || sqlite3_stricmp(detail, "load_extension") != 0;
    case SQLITE_PRAGMA:
        return what && sqlite3_stricmp(what, "table_info") == 0;
    default:
        return false;
    }
}

/* Steps of `views` besides: a temporary view, and its row in the list of what is temporary. */
static bool makes_view(int action, const char *what)
{
    static const char list[] = "sqlite_temp_";
    if (action == SQLITE_CREATE_TEMP_VIEW)
        return true;
    return (action == SQLITE_INSERT || action == SQLITE_UPDATE) && what && !strncmp(what, list, strlen(list));
}

static int allows(void *context, int action, const char *what, const char *detail, const char *database,
                  const char *inside)
{
    struct study_rights *rights = context;
    (void)database, (void)inside;
    if (rights->trusted)
        return SQLITE_OK;
    rights->asked |= action == SQLITE_SELECT || action == SQLITE_CREATE_TEMP_VIEW;
    if (reads(action, what, detail) || (rights->views && makes_view(action, what)))
        return SQLITE_OK;
    rights->refused = true;
    return SQLITE_DENY;
}

/* Some seconds of work, and more rows than a page can show. */
#define MOST_STEPS UINT64_C(200000000)
#define MOST_ROWS UINT64_C(50000)
#define STEPS_A_LOOK 10000

/* Of a database that is guarded. */
static struct study_budget *budget_of(struct study_rights *rights, const sqlite3 *db)
{
    return &rights->budgets[rights->budgets[0].db == db ? 0 : 1];
}

/* SQLite asks this every so many steps. Nonzero ends the statement. */
static int looks(void *context)
{
    struct study_budget *budget = context;
    budget->steps += STEPS_A_LOOK;
    budget->endless |= budget->limited && budget->steps > MOST_STEPS;
    return budget->endless;
}

void study_begin(struct study_rights *rights, sqlite3 *db, bool limited)
{
    *budget_of(rights, db) = (struct study_budget){.db = db, .limited = limited};
}

bool study_row(struct study_rights *rights, sqlite3 *db)
{
    struct study_budget *budget = budget_of(rights, db);
    budget->endless |= ++budget->rows > MOST_ROWS && budget->limited;
    return budget->endless;
}

bool study_gave_up(struct study_rights *rights, sqlite3 *db)
{
    return budget_of(rights, db)->endless;
}

const char *study_said(struct study_rights *rights, sqlite3 *db)
{
    return study_gave_up(rights, db)
               ? "it comes to no end: given up after 50,000 rows, or 200 million steps of the database"
               : sqlite3_errmsg(db);
}

int study_guard(struct study_rights *rights, sqlite3 *db)
{
    struct study_budget *budget = &rights->budgets[rights->budgets[0].db != NULL];
    *budget = (struct study_budget){.db = db};
    sqlite3_progress_handler(db, STEPS_A_LOOK, looks, budget);
    /* A database is a file as well: triggers in it do not run, and its views call no function that does anything. */
    return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) == SQLITE_OK &&
                   sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) == SQLITE_OK &&
                   sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) == SQLITE_OK &&
                   sqlite3_set_authorizer(db, allows, rights) == SQLITE_OK
               ? 0
               : -1;
}

void study_trust(struct study *study)
{
    study->rights.trusted++;
}

void study_distrust(struct study *study)
{
    study->rights.trusted--;
}

/* Only blanks, comments and semicolons. */
static bool is_empty(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    bool empty = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && !stmt;
    sqlite3_finalize(stmt);
    return empty;
}

/* Says instead of SQLite why there is no statement. */
static sqlite3_stmt *refuse(sqlite3_stmt *stmt, const char *why, const char **said)
{
    sqlite3_finalize(stmt);
    *said = why;
    return NULL;
}

sqlite3_stmt *study_prepare(struct study_rights *rights, sqlite3 *db, const char *sql, bool views, const char **rest,
                            const char **said)
{
    static const char only[] = "a study's SQL only reads: views are CREATE TEMP VIEW, questions SELECT";
    sqlite3_stmt *stmt = NULL;
    const char *tail = NULL;
    study_begin(rights, db, true);
    rights->views = views;
    rights->asked = rights->refused = false;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, &tail);
    rights->views = false;
    bool asked = rights->asked;
    *said = NULL;
    if (rest)
        *rest = tail;
    if (rights->refused || (stmt && !asked))
        return refuse(stmt, only, said);
    if (rc != SQLITE_OK) {
        *said = sqlite3_errmsg(db);
        return NULL;
    }
    if (!rest && !stmt)
        return refuse(stmt, "there is no SQL", said);
    if (!rest && !is_empty(db, tail))
        return refuse(stmt, "more than one statement", said);
    return stmt;
}
