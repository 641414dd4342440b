package io.bloomguard.it.plus;

import io.bloomguard.it.support.MariaDb;
import java.util.List;

/** Databases in a MariaDB for all tests of this process. */
public final class RealMariaDb {

  private static final MariaDb SERVER = new MariaDb();

  private RealMariaDb() {}

  /** The properties of a database. */
  public static List<String> properties(String database) {
    return List.of(
        "spring.datasource.url=" + SERVER.url(database),
        "spring.datasource.username=root",
        "spring.datasource.password=");
  }
}
