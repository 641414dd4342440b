package io.bloomguard.autoconfigure.internal.wiring;

/**
 * Names that each generation of Spring Boot has of its own: of classes by text, and of starters.
 */
public final class BootNames {

  public static final String DATA_SOURCE =
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";
  public static final String REDIS =
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

  /** Sorted before {@link #TRANSACTION}, which comes after the transaction manager of R2DBC. */
  public static final String R2DBC =
      "org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration";

  public static final String TRANSACTION =
      "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration";
  public static final String DATA_JDBC =
      "org.springframework.boot.data.jdbc.autoconfigure.DataJdbcRepositoriesAutoConfiguration";
  public static final String DATA_R2DBC =
      "org.springframework.boot.data.r2dbc.autoconfigure.DataR2dbcAutoConfiguration";
  public static final String METERS =
      "org.springframework.boot.micrometer.metrics.autoconfigure"
          + ".CompositeMeterRegistryAutoConfiguration";
  public static final String WEB_MVC =
      "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration";
  public static final String WEB_FLUX =
      "org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration";

  public static final String ENTITY_SCAN =
      "org.springframework.boot.persistence.autoconfigure.EntityScanPackages";

  public static final String JSON_MAPPER = "tools.jackson.databind.json.JsonMapper";
  static final String JACKSON = "Jackson 3";

  static final String JACKSON_STARTER = "spring-boot-starter-jackson";
  public static final String WEB_STARTER = "spring-boot-starter-webmvc";

  private BootNames() {}
}
