package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.LoadObservationConvention;
import io.bloomguard.actuate.RebuildObservationConvention;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** An application whose observations become meters and, here, names in a list. */
class ObservationWiringTest {

  private final List<String> observed = new CopyOnWriteArrayList<>();
  private final ApplicationContextRunner application =
      Wiring.application()
          .withConfiguration(Wiring.METERS)
          .withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
          .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
          .withBean(Names.class, () -> new Names(observed))
          .withPropertyValues(
              "bloomguard.filters.items.expected-insertions=1000",
              "bloomguard.filters.items.source.bean=keys",
              "bloomguard.filters.items.warm-up.mode=blocking");

  @Test
  void loadsAndBuildsAreObservedAndMakeNoOtherMeters() {
    application.run(
        context -> {
          Set<Meter.Id> before = ours(context);
          load(context);
          Observation.createNotStarted("other", context.getBean(ObservationRegistry.class))
              .observe(() -> {});

          assertThat(observed).containsExactly("bloomguard.rebuild", "bloomguard.load", "other");
          assertThat(before).isNotEmpty().isEqualTo(ours(context));
          MeterRegistry meters = context.getBean(MeterRegistry.class);
          assertThat(meters.get("bloomguard.load").tag("outcome", "found").timer().count()).isOne();
          assertThat(meters.get("other").timer().count()).isOne();
        });
  }

  @Test
  void observationsCanBeTurnedOffAndTheTimersStay() {
    application
        .withPropertyValues("management.observations.enable.bloomguard=false")
        .run(
            context -> {
              load(context);
              assertThat(observed).isEmpty();
              assertThat(
                      context
                          .getBean(MeterRegistry.class)
                          .get("bloomguard.load")
                          .tag("outcome", "found")
                          .timer()
                          .count())
                  .isOne();
            });
  }

  @Test
  void beansNameThemOtherwise() {
    application
        .withBean(
            RebuildObservationConvention.class,
            () ->
                new RebuildObservationConvention() {
                  @Override
                  public String getName() {
                    return "shop.filling";
                  }
                })
        .withBean(
            LoadObservationConvention.class,
            () ->
                new LoadObservationConvention() {
                  @Override
                  public String getName() {
                    return "shop.query";
                  }
                })
        .run(
            context -> {
              Set<Meter.Id> before = ours(context);
              load(context);
              assertThat(observed).containsExactly("shop.filling", "shop.query");
              assertThat(ours(context)).isEqualTo(before);
            });
  }

  private static void load(ApplicationContext context) {
    context.getBean(BloomGuards.class).guard("items", String.class).get("known", () -> "a value");
  }

  private static Set<Meter.Id> ours(ApplicationContext context) {
    return context.getBean(MeterRegistry.class).getMeters().stream()
        .map(Meter::getId)
        .filter(id -> id.getName().startsWith("bloomguard"))
        .collect(Collectors.toSet());
  }

  /** The names of observations, as they end. */
  private record Names(List<String> observed) implements ObservationHandler<Observation.Context> {

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }

    @Override
    public void onStop(Observation.Context context) {
      observed.add(context.getName());
    }
  }
}
