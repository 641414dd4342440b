package io.bloomguard.it.faults.shop;

import io.bloomguard.generation.KeySource;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The ids in the database as they are when the scan begins, handed out as slowly as asked. The
 * database may hold the query back.
 */
class ProductKeys implements KeySource {

  private static final int PAGE = 250;

  private final JdbcClient jdbc;
  private final String shop;
  private final String filter;
  private volatile long pauseMillis;

  ProductKeys(JdbcClient jdbc, String shop, String filter) {
    this.jdbc = jdbc;
    this.shop = shop;
    this.filter = filter;
  }

  /** Pauses after every page from now on. */
  void pause(long millis) {
    pauseMillis = millis;
  }

  @Override
  public void forEach(KeySink sink) throws Exception {
    jdbc.sql("select gate(?, ?, 'scan')").params(shop, filter).query(Boolean.class).single();
    List<Long> ids = jdbc.sql("select id from products").query(Long.class).list();
    int handedOut = 0;
    for (long id : ids) {
      sink.accept(id);
      if (++handedOut % PAGE == 0 && pauseMillis > 0) {
        Thread.sleep(pauseMillis);
      }
    }
  }
}
