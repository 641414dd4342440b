package io.bloomguard.autoconfigure.internal.wiring;

/**
 * Names that each generation of Spring Boot has of its own: of classes by text, and of starters.
 */
public final class BootNames {

  public static final String DATA_SOURCE =
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration";
  public static final String REDIS =
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration";

  /** Sorted before {@link #TRANSACTION}, which comes after the transaction manager of R2DBC. */
  public static final String R2DBC =
      "org.springframework.boot.autoconfigure.r2dbc.R2dbcAutoConfiguration";

  public static final String TRANSACTION =
      "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration";
  public static final String DATA_JDBC =
      "org.springframework.boot.autoconfigure.data.jdbc.JdbcRepositoriesAutoConfiguration";
  public static final String DATA_R2DBC =
      "org.springframework.boot.autoconfigure.data.r2dbc.R2dbcDataAutoConfiguration";
  public static final String METERS =
      "org.springframework.boot.actuate.autoconfigure.metrics"
          + ".CompositeMeterRegistryAutoConfiguration";
  public static final String WEB_MVC =
      "org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration";
  public static final String WEB_FLUX =
      "org.springframework.boot.autoconfigure.web.reactive.WebFluxAutoConfiguration";

  public static final String ENTITY_SCAN =
      "org.springframework.boot.autoconfigure.domain.EntityScanPackages";

  public static final String JSON_MAPPER = "com.fasterxml.jackson.databind.json.JsonMapper";
  static final String JACKSON = "Jackson 2";

  static final String JACKSON_STARTER = "spring-boot-starter-json";
  public static final String WEB_STARTER = "spring-boot-starter-web";

  private BootNames() {}
}
