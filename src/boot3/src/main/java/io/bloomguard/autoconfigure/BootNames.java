package io.bloomguard.autoconfigure;

/** Names that each generation of Spring Boot has of its own: of classes by text, and of starters. */
final class BootNames {

  static final String DATA_SOURCE =
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration";
  static final String REDIS =
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration";
  /** Sorted before {@link #TRANSACTION}, which comes after the transaction manager of R2DBC. */
  static final String R2DBC = "org.springframework.boot.autoconfigure.r2dbc.R2dbcAutoConfiguration";

  static final String TRANSACTION =
      "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration";
  static final String DATA_JDBC =
      "org.springframework.boot.autoconfigure.data.jdbc.JdbcRepositoriesAutoConfiguration";
  static final String METERS =
      "org.springframework.boot.actuate.autoconfigure.metrics"
          + ".CompositeMeterRegistryAutoConfiguration";
  static final String WEB_MVC =
      "org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration";

  static final String ENTITY_SCAN =
      "org.springframework.boot.autoconfigure.domain.EntityScanPackages";

  static final String JSON_MAPPER = "com.fasterxml.jackson.databind.json.JsonMapper";
  static final String JACKSON = "Jackson 2";

  static final String JACKSON_STARTER = "spring-boot-starter-json";
  static final String WEB_STARTER = "spring-boot-starter-web";

  private BootNames() {}
}
