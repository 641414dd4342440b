package io.bloomguard.it.faults.shop;

import io.bloomguard.generation.KeySource;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The ids of a table as they are when the scan begins, handed out as slowly as asked. The database
 * may hold the query back, and the shop once it has the ids.
 */
class RowKeys implements KeySource {

  private static final int PAGE = 250;

  private final JdbcClient jdbc;
  private final String table;
  private final String shop;
  private final String filter;
  private volatile long pauseMillis;

  RowKeys(JdbcClient jdbc, String table, String shop, String filter) {
    this.jdbc = jdbc;
    this.table = table;
    this.shop = shop;
    this.filter = filter;
  }

  /** Pauses after every page from now on. */
  void pause(long millis) {
    pauseMillis = millis;
  }

  @Override
  public void forEach(KeySink sink) throws Exception {
    pass("scan");
    List<Long> ids = jdbc.sql("select id from " + table).query(Long.class).list();
    pass("read");
    int handedOut = 0;
    for (long id : ids) {
      sink.accept(id);
      if (++handedOut % PAGE == 0 && pauseMillis > 0) {
        Thread.sleep(pauseMillis);
      }
    }
  }

  private void pass(String reading) {
    jdbc.sql("select gate(?, ?, ?)").params(shop, filter, reading).query(Boolean.class).single();
  }
}
