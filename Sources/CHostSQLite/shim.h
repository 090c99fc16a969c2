// SQLite's C interface, and functions for what Swift cannot import of it: macros that are casts, and calls with a
// variable number of arguments. No logic lives here.
#pragma once

#include <sqlite3.h>

/// SQLITE_TRANSIENT: SQLite copies the octets before the call returns.
static inline int chost_sqlite3_bind_text_transient(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count
) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// SQLITE_STATIC: the octets stay where they are until the statement is finalized or bound anew.
static inline int chost_sqlite3_bind_text_static(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count
) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_STATIC, SQLITE_UTF8);
}

/// SQLITE_TRANSIENT, see above.
static inline int chost_sqlite3_bind_blob_transient(
    sqlite3_stmt *statement, int index, const void *octets, sqlite3_uint64 count
) {
    return sqlite3_bind_blob64(statement, index, octets, count, SQLITE_TRANSIENT);
}

/// Sets one of the boolean options of sqlite3_db_config.
static inline int chost_sqlite3_configure(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}
