package io.bloomguard.autoconfigure.properties;

import io.bloomguard.source.SqlQuery;

/** The rules for filters from which keys are removed: each row must have counted exactly once. */
final class RemovalRules {

  private RemovalRules() {}

  static void validate(String prefix, SourceProperties source, ReplicaProperties replica) {
    if (replica.enabled()) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".replica.enabled is true, but the layout is 'counting': the copy repeats additions"
              + " and receives no removals",
          "Leave the replica out, or use the layout 'blocked'.");
    }
    SourceProperties.Jdbc jdbc = source.jdbc();
    SourceProperties.R2dbc r2dbc = source.r2dbc();
    if (jdbc != null) {
      requireRowsApart(prefix + ".source.jdbc.query", jdbc.query());
    }
    if (r2dbc != null) {
      requireRowsApart(prefix + ".source.r2dbc.query", r2dbc.query());
    }
    if (jdbc != null && jdbc.recentQueryOrNull() != null) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".source.jdbc.recent-query is set, but the layout is 'counting': each reading would"
              + " count its keys once more",
          "Leave it out and add such keys through the filter, or use the layout 'blocked'.");
    }
  }

  private static void requireRowsApart(String property, String query) {
    if (new SqlQuery(query).mergesRows()) {
      throw new InvalidBloomguardSettingException(
          property
              + " merges rows (distinct, group by or union), but the layout is"
              + " 'counting': a key of several rows would be removed with the first of them",
          "Have the query yield a key that one row has, or use the layout 'blocked'.");
    }
  }
}
