package io.bloomguard.changes.internal.database;

import java.util.List;

/**
 * The table that a feed follows.
 *
 * @param filter the filter's name
 * @param table the table, as SQL spells it
 * @param key the columns of the key
 * @param slot the name of the slot in PostgreSQL, and of the right to read
 * @param publication the name of the publication in PostgreSQL
 * @param shared whether one process reads for all that share the filter
 */
public record FollowedTable(
    String filter,
    String table,
    List<String> key,
    String slot,
    String publication,
    boolean shared) {}
