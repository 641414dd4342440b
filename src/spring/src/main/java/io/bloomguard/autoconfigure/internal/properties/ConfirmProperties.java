package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.source.internal.SqlQuery;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The exact source that a blacklist asks before it rejects a key.
 *
 * @param jdbc A query on the application's data source.
 */
public record ConfirmProperties(@Nullable Jdbc jdbc) {

  /**
   * A query with one parameter, the key: a row says that the key is listed.
   *
   * @param query The SQL text, such as select 1 from revoked where id = ?.
   * @param timeout How long a request waits for the answer; after that the key is unknown.
   * @param dataSource The name of the DataSource that is asked, where the application has several;
   *     empty for the only or primary one.
   */
  public record Jdbc(
      @Nullable String query,
      @DefaultValue("1s") Duration timeout,
      @DefaultValue("") String dataSource) {

    /** The query of a filter that has been validated. */
    public String sql() {
      return query == null ? "" : query;
    }

    /** The parameters of the query. */
    public int parameters() {
      return new SqlQuery(sql()).parameters();
    }

    public boolean aggregate() {
      return new SqlQuery(sql()).isAggregate();
    }
  }
}
