package io.bloomguard.it.faults.shop;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomPut;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Rows that come and go, and their keys with them. */
@Repository
public class Codes {

  private final JdbcClient jdbc;

  Codes(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Adds the id to the filter, then inserts the row. */
  @BloomPut(filter = "codes", key = "#id")
  public void insert(long id) {
    jdbc.sql("insert into codes (id) values (?)").param(id).update();
  }

  /** Deletes rows that are there; their ids leave the filter after the commit. */
  @BloomEvict(filter = "codes", key = "#ids")
  public void delete(List<Long> ids) {
    int deleted = 0;
    for (long id : ids) {
      deleted += jdbc.sql("delete from codes where id = ?").param(id).update();
    }
    if (deleted != ids.size()) {
      throw new IllegalStateException("only " + deleted + " of the rows are there");
    }
  }
}
