package io.bloomguard.classic.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.bloomguard.autoconfigure.TestKeys;
import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications beside a file that a program with Guava has written. */
class GuavaSettingsTest {

  private static final String PRODUCTS = "bloomguard.filters.products.";

  @TempDir private Path directory;

  @BeforeEach
  void fileOfGuava() throws IOException {
    BloomFilter<Integer> guava = BloomFilter.create(Funnels.integerFunnel(), 1_000, 1e-6);
    for (int key = 0; key < 1_000; key++) {
      guava.put(key);
    }
    try (OutputStream out = Files.newOutputStream(directory.resolve("products"))) {
      guava.writeTo(out);
    }
  }

  @Test
  void aTrustedFileIsServedAtOnce() {
    application()
        .withPropertyValues(
            PRODUCTS + "warm-up.mode=none", PRODUCTS + "warm-up.trust-snapshot=true")
        .run(
            context -> {
              var filter = context.getBean(ConfiguredFilters.class).all().get(0).managed();
              assertThat(filter.status().state()).isEqualTo(FilterState.READY);
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              assertThat(guard.check(42)).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.check("42")).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.check(1_000L)).isEqualTo(ABSENT);
              guard.put(-5);
              assertThat(guard.check(-5)).isEqualTo(POSSIBLY_PRESENT);
            });
  }

  @Test
  void aFileThatNothingProvesDeniesNothing() {
    application()
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              assertThat(guard.check(42)).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.check(1_000)).isEqualTo(UNKNOWN);
            });
  }

  @Test
  void aKeyThatIsNoNumberOfTheFunnelIsRefused() {
    application()
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              for (Object key : List.of("abc", "1.5", "2147483648", 2147483648L, "007")) {
                assertThatExceptionOfType(InvalidKeyException.class)
                    .isThrownBy(() -> guard.check(key))
                    .withMessage(
                        "A key must be a decimal number of 32 bits, because its filter's funnel is"
                            + " int");
              }
            });
  }

  @Test
  void theSourceProvesTheFileBeforeItDenies() {
    withSource()
        .run(
            context -> {
              var filter = context.getBean(ConfiguredFilters.class).all().get(0).managed();
              assertThat(filter.status().state()).isEqualTo(FilterState.READY);
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              assertThat(guard.check(999)).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.check(5_000)).isEqualTo(ABSENT);
            });
    withSource()
        .withPropertyValues(PRODUCTS + "funnel=string-utf16")
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              assertThat(guard.check(999)).isEqualTo(UNKNOWN);
            });
  }

  @Test
  void aKeyIsPresentInAllItsSpellings() {
    Wiring.application()
        .withPropertyValues(
            PRODUCTS + "layout=guava",
            PRODUCTS + "source.added-only=true",
            PRODUCTS + "keys.case=lower",
            PRODUCTS + "keys.trim=trailing",
            PRODUCTS + "keys.normalise=nfc")
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              guard.put("Admin");
              guard.putAll(List.of("E\u0301va  ", 42L));
              assertThat(
                      guard.checkAll(List.of("ADMIN", "admin ", "\u00c9VA", "\u00e9va", "42", 42)))
                  .containsOnly(POSSIBLY_PRESENT);
              assertThat(guard.checkAll(List.of(" admin", "eva"))).containsOnly(ABSENT);
            });
  }

  @Test
  void hashForALayoutWithItsOwnIsRefused() {
    FailureAnalysis failure =
        Wiring.failure(
            Wiring.application()
                .withPropertyValues(PRODUCTS + "layout=guava", PRODUCTS + "hash=siphash-2-4"));
    assertThat(failure.getDescription())
        .contains("products.hash is set, but the layout 'guava' has its own hash");
  }

  @Test
  void layoutWithoutItsLibraryIsRefusedBeforeTheFirstBuild() {
    FailureAnalysis failure =
        Wiring.failure(
            Wiring.application()
                .withClassLoader(new FilteredClassLoader(BloomFilter.class))
                .withPropertyValues(PRODUCTS + "layout=guava", PRODUCTS + "warm-up.mode=none"));
    assertThat(failure.getDescription() + failure.getAction())
        .contains("products.layout is 'guava'", "available: [blocked]", "com.google.guava:guava");
  }

  @Test
  void theLayoutNeedsNoSecretBesideItsFile() {
    Path file = directory.resolve("fresh");
    withSource()
        .withPropertyValues(
            PRODUCTS + "funnel=string-utf8",
            PRODUCTS + "warm-up.mode=background",
            PRODUCTS + "warm-up.trust-snapshot=false",
            PRODUCTS + "warm-up.snapshot=" + file)
        .run(
            context -> {
              var filter = context.getBean(ConfiguredFilters.class).all().get(0).managed();
              await().until(() -> filter.status().state() == FilterState.READY);
            });
    assertThat(directory.resolve("fresh.secret")).doesNotExist();
    assertThat(file).exists();
  }

  private ApplicationContextRunner withSource() {
    return Wiring.application()
        .withBean(
            "productKeys",
            TestKeys.class,
            () ->
                new TestKeys(
                    sink -> {
                      for (long key = 0; key < 1_000; key++) {
                        sink.accept(key);
                      }
                    }))
        .withPropertyValues(
            PRODUCTS + "layout=guava",
            PRODUCTS + "funnel=int",
            PRODUCTS + "source.bean=productKeys",
            PRODUCTS + "warm-up.mode=none",
            PRODUCTS + "warm-up.trust-snapshot=true",
            PRODUCTS + "warm-up.snapshot=" + directory + "/products");
  }

  private ApplicationContextRunner application() {
    return Wiring.application()
        .withPropertyValues(
            PRODUCTS + "layout=guava",
            PRODUCTS + "funnel=int",
            PRODUCTS + "expected-insertions=7",
            PRODUCTS + "source.added-only=true",
            PRODUCTS + "warm-up.snapshot=" + directory + "/products");
  }

  private static BloomGuard<Object> guard(BloomGuards guards) {
    return guards.guard("products", Object.class);
  }
}
