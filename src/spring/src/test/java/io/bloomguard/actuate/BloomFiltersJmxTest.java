package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.management.JMException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** The endpoint over JMX, with real filters. */
class BloomFiltersJmxTest {

  private static final String DOMAIN = "io.bloomguard.test";

  private final MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();
  private final ExecutorService background = Executors.newSingleThreadExecutor();
  private final GatedSource gated = new GatedSource();
  private final TestFilters filters =
      new TestFilters()
          .with("products", UnknownPolicy.OPEN, sink -> sink.accept(42L))
          .with(
              "slow",
              UnknownPolicy.OPEN,
              gated,
              background,
              RebuildListener.NONE,
              GuardListener.NONE);
  private @Nullable ConfigurableApplicationContext application;

  @AfterEach
  void stop() {
    gated.open();
    if (application != null) {
      application.close();
    }
    background.shutdownNow();
  }

  @Test
  void readsRebuildsExplainsAndCancels() throws Exception {
    start("management.endpoint.bloomfilters.access=unrestricted");
    assertThat(map(map(call("filters")).get("filters"))).containsOnlyKeys("products", "slow");

    Object run = map(call("act", "products", "rebuild", null, null, null, null)).get("run");
    assertThatThrownBy(() -> call("act", "products", "rebuild", null, null, null, null))
        .isInstanceOf(JMException.class)
        .rootCause()
        .hasMessageContaining("was rebuilt on request")
        .hasMessageContaining(String.valueOf(run));
    Map<String, Object> rebuilt = map(call("filter", "products"));
    assertThat(rebuilt.get("state")).isEqualTo("READY");
    assertThat(map(rebuilt.get("lastRebuild")).get("run")).isEqualTo(run);

    assertThat(map(call("act", "products", "explain", "42", null, null, null)).get("membership"))
        .isEqualTo("POSSIBLY_PRESENT");
    assertThat(map(call("act", "products", "explain", "43", null, null, null)).get("membership"))
        .isEqualTo("ABSENT");

    assertThat(map(call("cancel", "slow", "rebuild"))).containsEntry("cancelled", false);
    call("act", "slow", "rebuild", null, null, null, null);
    gated.awaitReading();
    assertThat(map(call("cancel", "slow", "rebuild"))).containsEntry("cancelled", true);
    gated.open();
    await()
        .until(
            () ->
                filters.operated().find("slow").orElseThrow().filter().lastRebuild().stream()
                    .anyMatch(report -> report.outcome() == RebuildOutcome.CANCELLED));
  }

  @Test
  void isReadOnlyByDefault() throws Exception {
    start();
    assertThat(Arrays.stream(jmx.getMBeanInfo(name()).getOperations()))
        .extracting(MBeanOperationInfo::getName)
        .containsExactlyInAnyOrder("filters", "filter");
    assertThat(map(call("filter", "products")).get("state")).isEqualTo("EMPTY");
    assertThatThrownBy(() -> call("act", "products", "rebuild", null, null, null, null))
        .isInstanceOf(JMException.class);
  }

  private void start(String... properties) {
    ApplicationContextInitializer<GenericApplicationContext> beans =
        context ->
            context.registerBean(
                BloomFiltersEndpoint.class, () -> new BloomFiltersEndpoint(filters.operated()));
    application =
        new SpringApplicationBuilder(BloomFiltersEndpointTest.App.class)
            .initializers(beans)
            .web(WebApplicationType.NONE)
            .properties(
                "spring.config.name=none",
                "spring.main.banner-mode=off",
                "logging.level.org=warn",
                "bloomguard.enabled=false",
                "spring.jmx.enabled=true",
                "management.endpoints.jmx.domain=" + DOMAIN,
                "management.endpoints.jmx.exposure.include=bloomfilters")
            .properties(properties)
            .run();
  }

  private @Nullable Object call(String operation, @Nullable Object... arguments)
      throws JMException {
    String[] types = new String[arguments.length];
    Arrays.fill(types, String.class.getName());
    return jmx.invoke(name(), operation, arguments, types);
  }

  private static ObjectName name() throws JMException {
    return new ObjectName(DOMAIN + ":type=Endpoint,name=Bloomfilters");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(@Nullable Object value) {
    assertThat(value).isInstanceOf(Map.class);
    return (Map<String, Object>) value;
  }
}
