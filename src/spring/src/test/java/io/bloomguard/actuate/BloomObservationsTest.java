package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a trace would show. */
class BloomObservationsTest {

  private final ObservationRegistry registry = ObservationRegistry.create();
  private final List<Observation.Context> stopped = new ArrayList<>();
  private final BloomObservations observations = new BloomObservations(registry, null, null);
  private Runnable source = () -> {};
  private final TestFilters filters =
      new TestFilters()
          .with(
              "products",
              UnknownPolicy.OPEN,
              sink -> {
                source.run();
                sink.accept(42L);
              },
              Runnable::run,
              observations.around("products", RebuildListener.NONE),
              observations.around("products", GuardListener.NONE));

  BloomObservationsTest() {
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<Observation.Context>() {
              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }

              @Override
              public void onStop(Observation.Context context) {
                stopped.add(context);
              }
            });
  }

  @Test
  void whatALoadDoesIsPartOfIt() {
    BloomGuard<String> guard = guard();
    guard.get(42L, () -> inner("a product"));

    assertThat(stopped)
        .extracting(Observation.Context::getName)
        .containsExactly("query", "bloomguard.load");
    Observation.Context load = stopped.get(1);
    assertThat(parent(stopped.get(0))).isSameAs(load);
    assertThat(load.getContextualName()).isEqualTo("load products");
    assertThat(keyValues(load)).containsExactlyInAnyOrder("filter=products", "outcome=found");
    assertThat(load.getError()).isNull();
    assertThat(registry.getCurrentObservation()).isNull();
  }

  @Test
  void aConventionOfTheApplicationNamesThem() {
    BloomObservations named =
        new BloomObservations(
            registry,
            new LoadObservationConvention() {
              @Override
              public String getName() {
                return "shop.load";
              }

              @Override
              public KeyValues getLowCardinalityKeyValues(LoadObservationContext context) {
                return LoadObservationConvention.super
                    .getLowCardinalityKeyValues(context)
                    .and("team", "search");
              }
            },
            null);
    GuardListener.LoadListener load = named.around("products", GuardListener.NONE).onLoad();
    load.onReturn();
    load.onEnd(GuardListener.LoadResult.FOUND, 1);

    assertThat(stopped)
        .singleElement()
        .returns("shop.load", Observation.Context::getName)
        .returns("load products", Observation.Context::getContextualName);
    assertThat(keyValues(stopped.get(0)))
        .containsExactlyInAnyOrder("filter=products", "outcome=found", "team=search");
  }

  @Test
  void aFailedLoadSaysNothingOfItsException() {
    BloomGuard<String> guard = guard();
    assertThatThrownBy(
            () ->
                guard.get(
                    42L,
                    () -> {
                      throw new IllegalStateException("no product 42");
                    }))
        .hasMessage("no product 42");

    Observation.Context load = stopped.get(0);
    assertThat(keyValues(load)).containsExactlyInAnyOrder("filter=products", "outcome=error");
    assertThat(load.getError()).isNotNull().hasNoCause().hasMessageNotContaining("42");
    assertThat(registry.getCurrentObservation()).isNull();
  }

  @Test
  void aLoadElsewhereEndsWithItsValueAndLeavesTheThreadAtOnce() {
    CompletableFuture<String> value = new CompletableFuture<>();
    CompletableFuture<String> answer =
        guard().getAsync(42L, () -> inner(value)).toCompletableFuture();

    assertThat(registry.getCurrentObservation()).isNull();
    assertThat(stopped).extracting(Observation.Context::getName).containsExactly("query");
    value.complete("a product");
    assertThat(answer).isCompletedWithValue("a product");
    assertThat(stopped.get(1).getName()).isEqualTo("bloomguard.load");
    assertThat(parent(stopped.get(0))).isSameAs(stopped.get(1));
    assertThat(keyValues(stopped.get(1))).contains("outcome=found");
  }

  @Test
  void whatABuildReadsIsPartOfIt() {
    source = () -> inner("all keys");
    String run = filter().filter().requestRebuild(RebuildTrigger.REQUEST);

    assertThat(stopped)
        .extracting(Observation.Context::getName)
        .containsExactly("query", "bloomguard.rebuild");
    Observation.Context rebuild = stopped.get(1);
    assertThat(parent(stopped.get(0))).isSameAs(rebuild);
    assertThat(rebuild.getContextualName()).isEqualTo("rebuild products");
    assertThat(keyValues(rebuild))
        .containsExactlyInAnyOrder(
            "filter=products", "trigger=request", "outcome=succeeded", "run=" + run);
    assertThat(rebuild.getError()).isNull();
    assertThat(registry.getCurrentObservation()).isNull();
  }

  @Test
  void aFailedBuildSaysNothingOfItsException() {
    source =
        () -> {
          throw new IllegalStateException("row 42 is no number");
        };
    filter().filter().requestRebuild(RebuildTrigger.REQUEST);

    assertThat(keyValues(stopped.get(0))).contains("outcome=failed");
    assertThat(stopped.get(0).getError()).isNotNull().hasNoCause().hasMessageNotContaining("42");
  }

  @Test
  void theHandlerThatMakesNoMetersTakesTheseAndNoOthers() {
    guard().get(42L, () -> inner("a product"));
    filter().filter().requestRebuild(RebuildTrigger.REQUEST);

    assertThat(stopped)
        .filteredOn(context -> BloomObservations.unmetered().supportsContext(context))
        .extracting(Observation.Context::getName)
        .containsExactly("bloomguard.load", "bloomguard.rebuild");
  }

  /** As an observed driver of a database would. */
  private <T> T inner(T value) {
    return Observation.createNotStarted("query", registry).observe(() -> value);
  }

  private BloomGuard<String> guard() {
    return filters
        .guards()
        .guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
  }

  private OperatedFilter filter() {
    return filters.operated().find("products").orElseThrow();
  }

  private static Observation.@Nullable ContextView parent(Observation.Context context) {
    var parent = context.getParentObservation();
    return parent == null ? null : parent.getContextView();
  }

  private static List<String> keyValues(Observation.Context context) {
    return StreamSupport.stream(context.getAllKeyValues().spliterator(), false)
        .map((KeyValue pair) -> pair.getKey() + "=" + pair.getValue())
        .toList();
  }
}
