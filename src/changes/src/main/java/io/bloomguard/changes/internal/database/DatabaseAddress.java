package io.bloomguard.changes.internal.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a database, taken from that of a data source.
 *
 * @param product the product that it is
 * @param host the host
 * @param port the port
 * @param database the name of the database, as the URL spells it
 * @param user the user
 * @param password the password, which may be empty
 * @param parameters the driver's parameters by their names
 */
public record DatabaseAddress(
    Product product,
    String host,
    int port,
    String database,
    String user,
    String password,
    Map<String, String> parameters) {

  private static final Pattern URL =
      Pattern.compile("jdbc:([a-z]+)://(\\[[^]]+]|[^:/?,@=]+)(?::(\\d+))?/([^?/]+)(?:\\?(.*))?");

  /** The databases whose logs are read. */
  public enum Product {
    /** PostgreSQL. */
    POSTGRESQL(
        "postgresql",
        5432,
        "debezium-connector-postgres",
        "io.debezium.connector.postgresql.PostgresConnector"),
    /** MariaDB. */
    MARIADB(
        "mariadb",
        3306,
        "debezium-connector-mariadb",
        "io.debezium.connector.mariadb.MariaDbConnector"),
    /** MySQL. */
    MYSQL("mysql", 3306, "debezium-connector-mysql", "io.debezium.connector.mysql.MySqlConnector");

    private final String scheme;
    private final int port;
    private final String artifact;
    private final String connector;

    Product(String scheme, int port, String artifact, String connector) {
      this.scheme = scheme;
      this.port = port;
      this.artifact = artifact;
      this.connector = connector;
    }

    /** {@return the artifact with Debezium's connector} */
    public String artifact() {
      return artifact;
    }

    /** {@return the name of the connector's class} */
    public String connector() {
      return connector;
    }
  }

  /**
   * {@return the address in a URL of JDBC; null if it is none of one server of a known product}
   *
   * @param url the URL
   * @param user the user; null if the URL names it
   * @param password the password; null if the URL has it, or there is none
   */
  public static @Nullable DatabaseAddress parse(
      String url, @Nullable String user, @Nullable String password) {
    Matcher parts = URL.matcher(url);
    Product product = parts.matches() ? product(parts.group(1)) : null;
    if (product == null) {
      return null;
    }
    Map<String, String> parameters = parameters(parts.group(5));
    String ofUrl = parameters.remove("user");
    String secretOfUrl = parameters.remove("password");
    String named = user == null ? ofUrl : user;
    if (named == null) {
      return null;
    }
    String secret = password == null ? secretOfUrl : password;
    return new DatabaseAddress(
        product,
        parts.group(2),
        parts.group(3) == null ? product.port : Integer.parseInt(parts.group(3)),
        parts.group(4),
        named,
        secret == null ? "" : secret,
        Map.copyOf(parameters));
  }

  private static @Nullable Product product(String scheme) {
    for (Product product : Product.values()) {
      if (product.scheme.equals(scheme)) {
        return product;
      }
    }
    return null;
  }

  private static Map<String, String> parameters(@Nullable String query) {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (query != null) {
      for (String part : query.split("&", -1)) {
        int equals = part.indexOf('=');
        if (equals > 0) {
          parameters.put(decoded(part.substring(0, equals)), decoded(part.substring(equals + 1)));
        }
      }
    }
    return parameters;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, UTF_8);
  }

  /** The URL without parameters. */
  String url() {
    return "jdbc:" + product.scheme + "://" + host + ":" + port + "/" + database;
  }

  /** Without the password. */
  @Override
  public String toString() {
    return url();
  }
}
