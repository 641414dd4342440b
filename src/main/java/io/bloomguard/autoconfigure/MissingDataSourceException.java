package io.bloomguard.autoconfigure;

/** A filter's source that has no data source to read from; refused where the filter is asked. */
final class MissingDataSourceException extends InvalidBloomguardSettingException {

  private static final long serialVersionUID = 1L;

  /**
   * @param use what needs it
   */
  MissingDataSourceException(String filter, String use) {
    super(
        "Filter '"
            + filter
            + "' has a "
            + use
            + ", which needs one data source; this application has none",
        "Add org.springframework.boot:spring-boot-starter-jdbc with a driver and set"
            + " spring.datasource.url, or declare a bean of type javax.sql.DataSource. In a test"
            + " without a data source, set bloomguard.enabled=false.");
  }
}
