package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.StartRefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.AbstractThrowableAssert;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.util.ClassUtils;

/** Small applications that have the starter. */
public final class Wiring {

  private static final AutoConfigurations OURS = ours();

  public static final AutoConfigurations METERS =
      AutoConfigurations.of(
          MetricsAutoConfiguration.class,
          SimpleMetricsExportAutoConfiguration.class,
          CompositeMeterRegistryAutoConfiguration.class);

  private Wiring() {}

  /** Those of the modules on the class path, but for the server's. */
  static AutoConfigurations ours() {
    ClassLoader loader = Wiring.class.getClassLoader();
    List<Class<?>> ours = new ArrayList<>(List.of(EndpointAutoConfiguration.class));
    for (String name : ImportCandidates.load(AutoConfiguration.class, loader)) {
      if (name.startsWith("io.bloomguard.") && !name.startsWith("io.bloomguard.server.")) {
        ours.add(ClassUtils.resolveClassName(name, loader));
      }
    }
    return AutoConfigurations.of(ours.toArray(new Class<?>[0]));
  }

  public static ApplicationContextRunner application() {
    return new ApplicationContextRunner().withConfiguration(OURS);
  }

  public static WebApplicationContextRunner webApplication() {
    return new WebApplicationContextRunner()
        .withConfiguration(OURS)
        .withConfiguration(
            AutoConfigurations.of(
                DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class));
  }

  /** One with a rule for each pattern, by a filter of these keys, which may be a blacklist. */
  static WebApplicationContextRunner ruled(
      List<String> patterns, boolean blacklist, Object... keys) {
    WebApplicationContextRunner application =
        webApplication()
            .withBean("source", KeySource.class, () -> sink -> List.of(keys).forEach(sink::accept))
            .withPropertyValues(
                "bloomguard.filters.keys.false-positive-probability=0.000001",
                "bloomguard.filters.keys.source.bean=source",
                "bloomguard.filters.keys.warm-up.mode=blocking");
    for (int i = 0; i < patterns.size(); i++) {
      String rule = "bloomguard.web.rules[" + i + "].";
      application =
          application.withPropertyValues(
              rule + "pattern=" + patterns.get(i),
              rule + "filter=keys",
              rule + "key=" + (patterns.get(i).contains("path") ? "path" : "id"));
    }
    return blacklist
        ? application.withPropertyValues(
            "bloomguard.filters.keys.reject=present", "bloomguard.filters.keys.on-unknown=closed")
        : application;
  }

  /** The refusal of the start. */
  static AbstractThrowableAssert<?, ?> refused(ApplicationContextRunner application) {
    AbstractThrowableAssert<?, ?>[] refused = {null};
    application.run(
        context ->
            refused[0] =
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(StartRefusedException.class));
    return refused[0];
  }

  /** What our analysis says of the start that fails. */
  public static FailureAnalysis failure(AbstractApplicationContextRunner<?, ?, ?> application) {
    AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
    application.run(
        context -> {
          assertThat(context).hasFailed();
          analysis.set(new BloomguardFailureAnalyzer().analyze(context.getStartupFailure()));
        });
    assertThat(analysis.get()).as("an analysis of ours").isNotNull();
    return analysis.get();
  }
}
