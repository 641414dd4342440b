package io.bloomguard.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.ChangeReceiver;
import io.bloomguard.generation.FeedBackend;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.internal.verify.Arrivals;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Applications whose rows other programs change, by a feed of their own. */
class FeedWiringTest {

  private static final String PRODUCTS = "bloomguard.filters.products.";
  private static final String CHANGES = PRODUCTS + "source.changes.";

  private final Set<Object> rows = ConcurrentHashMap.newKeySet();
  private final HandFeed feed = new HandFeed();

  private ApplicationContextRunner application() {
    rows.add(1L);
    return Wiring.application()
        .withBean("keys", KeySource.class, () -> sink -> rows.forEach(sink::accept))
        .withBean(FeedBackend.class, () -> feed)
        .withPropertyValues(
            PRODUCTS + "expected-insertions=1000",
            PRODUCTS + "source.bean=keys",
            CHANGES + "from=hand",
            CHANGES + "key=id");
  }

  private static BloomGuard<Object> guard(ApplicationContext context) {
    return context.getBean(BloomGuards.class).guard("products");
  }

  private static ManagedFilter filter(ApplicationContext context) {
    return context.getBean(ConfiguredFilters.class).all().get(0).managed();
  }

  @Test
  void changesOfOtherProgramsAreKnown() {
    feed.beginsAtOnce = true;
    application()
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context);
              assertThat(feed.shared).isFalse();
              await().until(() -> guard.check(2L) == ABSENT);
              assertThat(guard.get(1L, () -> "old")).isEqualTo("old");

              feed.reading().apply(List.of(Change.inserted(2L), Change.updated(null, 1L)), "2");

              assertThat(guard.check(2L)).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.get(1L, () -> "new")).isEqualTo("new");
            });
    assertThat(feed.closed).isTrue();
  }

  @Test
  void aFilterIsInDoubtUntilABuildFollowsTheBeginOfItsFeed() {
    application()
        .withPropertyValues(PRODUCTS + "warm-up.mode=none")
        .run(
            context -> {
              ManagedFilter filter = filter(context);
              filter.rebuildOnSchedule();
              feed.receiver().failed("the place of the feed does not answer");
              assertThat(filter.warnings())
                  .anyMatch(why -> why.contains("has not begun: the place of the feed"));

              feed.begin();
              await().until(() -> guard(context).check(2L) == ABSENT);
              assertThat(filter.status().state()).isEqualTo(FilterState.READY);
              assertThat(filter.warnings()).isEmpty();

              // A trimmed log: nothing tells which rows came before.
              feed.reading().beginAt("1000");
              feed.reading().complete(Duration.ZERO);
              assertThat(guard(context).check(2L)).isEqualTo(UNKNOWN);
              assertThat(guard(context).check(1L)).isEqualTo(POSSIBLY_PRESENT);
              assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
              assertThat(filter.warnings())
                  .singleElement()
                  .asString()
                  .contains("began without a position");
            });
  }

  /** No change that came in between would drop it. */
  @Test
  void whatIsLoadedBeforeAFeedBeginsIsNotKept() {
    application()
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context);
              assertThat(guard.get(1L, () -> "old")).isEqualTo("old");
              feed.begin();
              assertThat(guard.get(1L, () -> "new")).isEqualTo("new");
            });
  }

  /** Without any operator. In real time: an application looks after its filters once a second. */
  @Tag("waits")
  @Test
  void aGapIsFilledByABuildOfItsOwn() {
    feed.beginsAtOnce = true;
    application()
        .withConfiguration(AutoConfigurations.of(BloomguardActuatorAutoConfiguration.class))
        .withPropertyValues("management.endpoints.web.exposure.include=*")
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context);
              await().until(() -> guard.check(2L) == ABSENT);
              rows.add(3L);
              feed.reading().beginAt("1000");
              feed.reading().complete(Duration.ZERO);
              await().until(() -> guard.check(3L) == POSSIBLY_PRESENT);
              await()
                  .until(
                      () -> {
                        feed.reading().complete(Duration.ZERO);
                        return guard.check(2L) == ABSENT;
                      });
              BloomFiltersEndpoint operations = context.getBean(BloomFiltersEndpoint.class);
              assertThatThrownBy(
                      () -> operations.act("products", "rollback", null, null, null, null))
                  .hasMessageContaining("lacks changes: rebuild the filter");
            });
  }

  @Test
  void aFeedThatIsBehindLeavesTheFilterReadyIfItIsToRejectAllTheSame() {
    feed.beginsAtOnce = true;
    application()
        .withPropertyValues(CHANGES + "on-lag=absent", PRODUCTS + "warm-up.mode=none")
        .run(
            context -> {
              filter(context).rebuildOnSchedule();
              await().until(() -> guard(context).check(2L) == ABSENT);
              feed.reading().complete(Duration.ofMinutes(1));
              assertThat(guard(context).check(2L)).isEqualTo(ABSENT);
              assertThat(filter(context).status().state()).isEqualTo(FilterState.READY);
              assertThat(filter(context).warnings())
                  .singleElement()
                  .asString()
                  .contains("behind by 60 s", "max-lag (PT5S)");
            });
  }

  @Test
  void aFeedThatIsBehindIsNoReasonToReject() {
    feed.beginsAtOnce = true;
    application()
        .withPropertyValues(PRODUCTS + "warm-up.mode=none")
        .run(
            context -> {
              filter(context).rebuildOnSchedule();
              await().until(() -> guard(context).check(2L) == ABSENT);
              feed.reading().complete(Duration.ofMinutes(1));
              assertThat(guard(context).check(2L)).isEqualTo(UNKNOWN);
              assertThat(guard(context).check("2")).isEqualTo(UNKNOWN);
              assertThat(filter(context).status().isSettling()).isTrue();
              feed.reading().complete(Duration.ZERO);
              assertThat(guard(context).check(2L)).isEqualTo(ABSENT);
            });
  }

  /** Until then a found key that the filter lacks is late, not wrongly rejected. */
  @Test
  void aKeyMayBeLateUntilTheFeedHasComeSoFar() {
    application()
        .withPropertyValues(PRODUCTS + "warm-up.mode=none")
        .run(
            context -> {
              feed.begin();
              filter(context).rebuildOnSchedule();
              await().until(() -> guard(context).check(2L) == ABSENT);
              Arrivals arrivals = filter(context).arrivals();
              assertThat(arrivals.expected()).isTrue();
              long moment = System.nanoTime();
              assertThat(arrivals.completeSince(moment)).isFalse();
              await()
                  .until(
                      () -> {
                        feed.reading().complete(Duration.ZERO);
                        return arrivals.completeSince(moment);
                      });
            });
  }

  /**
   * It sees every deletion, so one that a method announces too must not count twice. In real time:
   * an application looks after its filters once a second.
   */
  @Tag("waits")
  @Test
  void underCountingTheFeedAloneRemoves() {
    feed.beginsAtOnce = true;
    application()
        .withPropertyValues(PRODUCTS + "layout=counting", PRODUCTS + "rebuild.journal-retention=1s")
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context);
              await().until(() -> guard.check(2L) == ABSENT);
              guard.evict(1L);
              assertThat(guard.removeAll(List.of(1L))).isZero();
              assertThat(guard.check(1L)).isEqualTo(POSSIBLY_PRESENT);
              // Not from a generation that is new: it may never have had the key.
              await()
                  .until(
                      () -> {
                        feed.reading().apply(List.of(Change.deleted(1L)), "1");
                        feed.reading().complete(Duration.ZERO);
                        return guard.check(1L) == ABSENT;
                      });
            });
  }

  @Test
  void aPlaceThatNoBeanIsNamedAfterIsRefused() {
    assertThat(Wiring.failure(application().withPropertyValues(CHANGES + "from=elsewhere")))
        .satisfies(
            failure -> {
              assertThat(failure.getDescription())
                  .contains("source.changes.from is 'elsewhere'", "one of [hand]");
              assertThat(failure.getAction()).contains("FeedBackend");
            });
  }

  @Test
  void twoPlacesOfOneNameAreRefused() {
    assertThat(
            Wiring.failure(application().withBean("other", FeedBackend.class, HandFeed::new))
                .getDescription())
        .contains("Two beans are the backend 'hand'");
  }

  @Test
  void aFeedFromKafkaNeedsItsModule() {
    assertThat(
            Wiring.failure(
                    Wiring.application()
                        .withBean("keys", KeySource.class, () -> sink -> sink.accept(1L))
                        .withPropertyValues(
                            PRODUCTS + "source.bean=keys",
                            CHANGES + "from=kafka",
                            CHANGES + "topic=shop.products",
                            CHANGES + "key=id"))
                .getAction())
        .contains("io.bloomguard:bloomguard-changes");
  }

  /** A feed that the test moves. */
  private static final class HandFeed implements FeedBackend, ChangeFeed {

    private volatile boolean shared = true;
    private volatile boolean closed;
    private volatile boolean beginsAtOnce;
    private volatile @Nullable ChangeReceiver receiver;
    private volatile ChangeReceiver.@Nullable Reading reading;

    @Override
    public String name() {
      return "hand";
    }

    @Override
    public ChangeFeed feed(String filter, boolean one) {
      shared = one;
      return this;
    }

    @Override
    public void start(ChangeReceiver to) {
      receiver = to;
      if (beginsAtOnce) {
        begin();
      }
    }

    void begin() {
      ChangeReceiver.Reading begun = receiver().begin();
      begun.beginAt("0");
      begun.complete(Duration.ZERO);
      reading = begun;
    }

    ChangeReceiver receiver() {
      return Objects.requireNonNull(receiver);
    }

    ChangeReceiver.Reading reading() {
      return Objects.requireNonNull(reading);
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
