package io.bloomguard.autoconfigure;

/**
 * Names that each generation of Spring Boot has of its own: of classes by text, and of starters.
 */
final class BootNames {

  static final String DATA_SOURCE =
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";
  static final String REDIS =
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

  /** Sorted before {@link #TRANSACTION}, which comes after the transaction manager of R2DBC. */
  static final String R2DBC = "org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration";

  static final String TRANSACTION =
      "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration";
  static final String DATA_JDBC =
      "org.springframework.boot.data.jdbc.autoconfigure.DataJdbcRepositoriesAutoConfiguration";
  static final String METERS =
      "org.springframework.boot.micrometer.metrics.autoconfigure"
          + ".CompositeMeterRegistryAutoConfiguration";
  static final String WEB_MVC =
      "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration";

  static final String ENTITY_SCAN =
      "org.springframework.boot.persistence.autoconfigure.EntityScanPackages";

  static final String JSON_MAPPER = "tools.jackson.databind.json.JsonMapper";
  static final String JACKSON = "Jackson 3";

  static final String JACKSON_STARTER = "spring-boot-starter-jackson";
  static final String WEB_STARTER = "spring-boot-starter-webmvc";

  private BootNames() {}
}
