package io.bloomguard.it.faults.shop;

import io.bloomguard.generation.KeySource;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The ids in the database as they are when the scan begins, handed out as slowly as asked. */
@Component("productKeys")
class ProductKeys implements KeySource {

  private static final int PAGE = 250;

  private final JdbcClient jdbc;
  private volatile long pauseMillis;

  ProductKeys(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Pauses after every page from now on. */
  void pause(long millis) {
    pauseMillis = millis;
  }

  @Override
  public void forEach(KeySink sink) throws Exception {
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
