package io.bloomguard.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageStorage;
import io.bloomguard.image.TestImages;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Image sets in a store of objects, behind a bean of the application or by its URLs. */
class ObjectStoreImagesTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final String FILTER = "bloomguard.filters.urls.";

  private ObjectStore store;

  @BeforeEach
  void start() throws IOException {
    store = new ObjectStore();
  }

  @AfterEach
  void stop() {
    store.close();
  }

  /**
   * The second set is later than the journal. In real time: whether there is a newer set is asked
   * once a second.
   */
  @Tag("waits")
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void setsArePublishedAndOneWithoutASliceIsRefused(boolean bean) throws IOException {
    set(Instant.now().minusSeconds(1), "a");
    Wiring.webApplication()
        .withPropertyValues(
            "management.endpoints.web.exposure.include=*",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            FILTER + "expected-insertions=1000",
            FILTER + "source.images.poll=1s",
            FILTER + "rebuild.journal-retention=27h",
            FILTER
                + "source.images.manifest="
                + (bean ? "lake:" : store.url(""))
                + TestImages.MANIFEST)
        .withBean("lake", ImageStorage.class, () -> store)
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("urls");
              await().until(() -> guard.check("a") == POSSIBLY_PRESENT);
              assertThat(guard.check("never")).isEqualTo(UNKNOWN);

              await().pollDelay(Duration.ofMillis(1_100)).until(() -> true);
              set(Instant.now().plusSeconds(59), "b");
              await().until(() -> guard.check("never") == ABSENT);
              assertThat(guard.check("b")).isEqualTo(POSSIBLY_PRESENT);

              store.loses("/0");
              set(Instant.now().plusSeconds(59), "c");
              BloomFiltersEndpoint endpoint = context.getBean(BloomFiltersEndpoint.class);
              await()
                  .untilAsserted(
                      () -> assertThat(endpoint.filter("urls").toString()).contains("is missing"));
              assertThat(guard.check("b")).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.check("c")).isEqualTo(ABSENT);
            });
  }

  private void set(Instant asOf, String key) throws IOException {
    ImagePlan plan =
        ImagePlan.of(
            "urls",
            FilterPlan.local(1_000, 0.001),
            KeyHash.SIPHASH_1_3,
            SECRET,
            KeyFolding.EXACT,
            1024);
    TestImages.write(plan, SECRET, asOf, List.of(key), store);
  }
}
