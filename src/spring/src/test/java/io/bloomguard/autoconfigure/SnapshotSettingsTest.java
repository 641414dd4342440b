package io.bloomguard.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Applications that are started again beside the files of those before. */
@ExtendWith(OutputCaptureExtension.class)
class SnapshotSettingsTest {

  private static final String PRODUCTS = "bloomguard.filters.products.";

  @TempDir private Path directory;

  @Test
  void aRestartKnowsItsKeysBeforeTheSourceIsRead() throws IOException {
    firstRun();
    assertThat(permissions("products.secret")).isEqualTo("rw-------");
    CountDownLatch open = new CountDownLatch(1);

    application(gated(open))
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              assertThat(guard.check(42L)).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.check(43L)).isEqualTo(UNKNOWN);
              open.countDown();
              await().until(() -> guard.check(43L) == ABSENT);
              assertThat(guard.check(42L)).isEqualTo(POSSIBLY_PRESENT);
            });
  }

  @Test
  void aTrustedSnapshotDeniesBeforeTheSourceIsRead() {
    firstRun();
    CountDownLatch open = new CountDownLatch(1);

    application(gated(open))
        .withPropertyValues(PRODUCTS + "warm-up.trust-snapshot=true")
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              assertThat(guard.check(42L)).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.check(43L)).isEqualTo(ABSENT);
              var managed = context.getBean(ConfiguredFilters.class).all().get(0).managed();
              open.countDown();
              await().until(() -> managed.lastSuccess().isPresent());
            });
  }

  @Test
  void whatWasAddedIsThereAfterACleanEnd() {
    application(new TestKeys(sink -> sink.accept(42L)))
        .withPropertyValues(PRODUCTS + "warm-up.mode=blocking")
        .run(context -> guard(context.getBean(BloomGuards.class)).put(77L));

    application(gated(new CountDownLatch(1)))
        .run(
            context ->
                assertThat(guard(context.getBean(BloomGuards.class)).check(77L))
                    .isEqualTo(POSSIBLY_PRESENT));
  }

  @Test
  void aFilterWithoutASourceOutlivesItsProcess() {
    ApplicationContextRunner application =
        Wiring.application()
            .withPropertyValues(
                PRODUCTS + "source.added-only=true",
                PRODUCTS + "warm-up.snapshot=" + directory + "/products");
    application.run(
        context -> {
          BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
          assertThat(guard.check(42L)).isEqualTo(ABSENT);
          guard.put(42L);
        });
    application.run(
        context -> {
          BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
          assertThat(guard.check(42L)).isEqualTo(POSSIBLY_PRESENT);
          assertThat(guard.check(43L)).isEqualTo(UNKNOWN);
        });
    application
        .withPropertyValues(PRODUCTS + "warm-up.trust-snapshot=true")
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              assertThat(guard.check(42L)).isEqualTo(POSSIBLY_PRESENT);
              assertThat(guard.check(43L)).isEqualTo(ABSENT);
            });
  }

  /** Whatever lies there, the application starts, denies nothing, and warms up. */
  @ParameterizedTest
  @CsvSource({
    "products, no snapshot, truncated",
    "products, '', truncated",
    "products.secret, no secret, holds no hash secret"
  })
  void aForeignFileCostsTheWarmUpAlone(
      String file, String content, String said, CapturedOutput output) throws IOException {
    firstRun();
    Files.writeString(directory.resolve(file), content);
    CountDownLatch open = new CountDownLatch(1);

    application(gated(open))
        .withPropertyValues(PRODUCTS + "warm-up.trust-snapshot=true")
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context.getBean(BloomGuards.class));
              assertThat(guard.check(42L)).isEqualTo(UNKNOWN);
              open.countDown();
              await().until(() -> guard.check(43L) == ABSENT);
              assertThat(guard.check(42L)).isEqualTo(POSSIBLY_PRESENT);
            });
    assertThat(output).contains(directory + "/products is refused", directory + "/" + file, said);
    restartServes();
  }

  @Test
  void aConfiguredSecretNeedsNoFile() {
    ApplicationContextRunner application =
        application(new TestKeys(sink -> sink.accept(42L)))
            .withPropertyValues("bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f");
    application.run(context -> awaitReady(context.getBean(ConfiguredFilters.class)));
    assertThat(directory.resolve("products")).exists();
    assertThat(directory.resolve("products.secret")).doesNotExist();
  }

  @Test
  void anOldFileIsRefused(CapturedOutput output) {
    firstRun();
    application(gated(new CountDownLatch(1)))
        .withPropertyValues(PRODUCTS + "warm-up.snapshot-max-age=1ns")
        .run(
            context ->
                assertThat(guard(context.getBean(BloomGuards.class)).check(42L))
                    .isEqualTo(UNKNOWN));
    assertThat(output).contains("may be at most PT0.000000001S old");
  }

  @Test
  void theTemporaryFilesOfAKilledProcessAreDeleted() throws IOException {
    Files.writeString(directory.resolve("products.4711.tmp"), "half a snapshot");
    firstRun();
    assertThat(directory.resolve("products.4711.tmp")).doesNotExist();
  }

  private void firstRun() {
    application(new TestKeys(sink -> sink.accept(42L)))
        .run(context -> awaitReady(context.getBean(ConfiguredFilters.class)));
  }

  private void restartServes() {
    application(gated(new CountDownLatch(1)))
        .run(
            context ->
                assertThat(guard(context.getBean(BloomGuards.class)).check(42L))
                    .isEqualTo(POSSIBLY_PRESENT));
  }

  private ApplicationContextRunner application(TestKeys keys) {
    return Wiring.application()
        .withBean("keys", TestKeys.class, () -> keys)
        .withPropertyValues(
            PRODUCTS + "source.bean=keys",
            PRODUCTS + "expected-insertions=1000",
            PRODUCTS + "warm-up.snapshot=" + directory + "/products");
  }

  /** Waits until it is opened, or its thread is interrupted. */
  private static TestKeys gated(CountDownLatch open) {
    return new TestKeys(
        sink -> {
          open.await();
          sink.accept(42L);
        });
  }

  private static BloomGuard<Object> guard(BloomGuards guards) {
    return guards.guard("products");
  }

  private static void awaitReady(ConfiguredFilters filters) {
    var managed = filters.all().get(0).managed();
    await().until(() -> managed.status().state() == FilterState.READY);
  }

  private String permissions(String file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(file)));
  }
}
