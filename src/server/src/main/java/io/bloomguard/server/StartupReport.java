package io.bloomguard.server;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.console.internal.Console;
import io.bloomguard.generation.FilterStatus;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.Ssl;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** Logs, once the server is up, a line for each filter and where to look next. */
class StartupReport {

  private static final Logger log = LoggerFactory.getLogger(StartupReport.class);

  private static final String REMOVALS = "bloomguard.server.removals";

  private final @Nullable OperatedFilters filters;
  private final Environment environment;

  /**
   * @param filters null where the guard is turned off
   */
  StartupReport(@Nullable OperatedFilters filters, Environment environment) {
    this.filters = filters;
    this.environment = environment;
  }

  @EventListener(ApplicationReadyEvent.class)
  void report() {
    if (filters == null) {
      log.warn("bloomguard.enabled is false: there are no filters, and nothing is guarded");
      return;
    }
    filters.all().forEach(filter -> log.info("{}", line(filter)));
    log.info("Look at {}", endpoint());
    if (environment.getProperty("bloomguard.console.enabled", boolean.class, false)) {
      log.info("Console at {}", base() + Console.PATH + "/");
    }
    if (!environment.matchesProfiles(SecuredConfiguration.PROFILE)) {
      log.warn(
          "The profile '{}' is not active: {} may rebuild, disarm and clear filters and add keys to them{}",
          SecuredConfiguration.PROFILE,
          environment.getProperty("bloomguard.server.open-writes", boolean.class, false)
              ? "every caller, from any machine,"
              : "every caller on this machine",
          environment.getProperty(REMOVALS, boolean.class, false)
              ? ", and remove keys from them (" + REMOVALS + ")"
              : "");
    }
  }

  static String line(OperatedFilter operated) {
    FilterStatus status = operated.filter().status();
    return "Filter '%s': backend %s, %s, %s, about %d of %d keys"
        .formatted(
            operated.name(),
            operated.filter().store().backend(),
            status.state(),
            size(status.shape().sizeBytes()),
            status.estimatedElements(),
            status.shape().expectedInsertions());
  }

  /** Bytes below 10 KiB, then KiB, then MiB. */
  private static String size(long bytes) {
    DataSize size = DataSize.ofBytes(bytes);
    if (size.toMegabytes() >= 10) {
      return size.toMegabytes() + " MiB";
    }
    return size.toKilobytes() >= 10 ? size.toKilobytes() + " KiB" : bytes + " bytes";
  }

  /** The endpoint's address, with the paths as configured. */
  String endpoint() {
    return base()
        + environment.getProperty("management.endpoints.web.base-path", "/actuator")
        + "/bloomfilters";
  }

  /** The management port where there is one of its own. */
  private String base() {
    String own = environment.getProperty("local.management.port");
    String main = environment.getProperty("local.server.port");
    boolean apart = own != null && !own.equals(main);
    String base = apart ? path("management.server.base-path") : path("server.servlet.context-path");
    return (secured(apart) ? "https" : "http")
        + "://localhost:"
        + Optional.ofNullable(apart ? own : main).orElse("8080")
        + base;
  }

  /** A management port of its own takes the main port's TLS over unless it has settings for it. */
  private boolean secured(boolean apart) {
    Binder binder = Binder.get(environment);
    BindResult<Ssl> main = binder.bind("server.ssl", Ssl.class);
    BindResult<Ssl> own = binder.bind("management.server.ssl", Ssl.class);
    return Ssl.isEnabled((apart && own.isBound() ? own : main).orElse(null));
  }

  private String path(String property) {
    String path = environment.getProperty(property, "");
    return path.equals("/") ? "" : path;
  }
}
