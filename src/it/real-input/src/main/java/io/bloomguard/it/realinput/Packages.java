package io.bloomguard.it.realinput;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The packages in the database. */
@Repository
public class Packages {

  private final JdbcClient jdbc;

  Packages(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "packages", key = "#name")
  public Optional<PackageEntry> find(String name) {
    return jdbc.sql("select name, position from packages where name = ?")
        .param(name)
        .query(PackageEntry.class)
        .optional();
  }
}
