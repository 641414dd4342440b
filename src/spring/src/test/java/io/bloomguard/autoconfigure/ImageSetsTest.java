package io.bloomguard.autoconfigure;

import static io.bloomguard.autoconfigure.Wiring.refused;
import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.SourceBackend;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageStorage;
import io.bloomguard.image.TestImages;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Applications whose filters read image sets. */
class ImageSetsTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final String FILTER = "bloomguard.filters.urls.";
  private static final String MANIFEST = FILTER + "source.images.manifest=";

  @TempDir Path folder;

  private static ApplicationContextRunner application(String... settings) {
    return Wiring.application()
        .withPropertyValues(
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            FILTER + "expected-insertions=1000",
            FILTER + "source.images.poll=1s",
            FILTER + "rebuild.journal-retention=27h")
        .withPropertyValues(settings);
  }

  private String manifest() {
    return folder.resolve("urls").resolve(TestImages.MANIFEST).toString();
  }

  /**
   * A new journal has nothing from before the start, so an older set denies no key. In real time:
   * whether there is a newer set is asked once a second.
   */
  @Tag("waits")
  @Test
  void aSetServesAndANewerOneIsFound() throws IOException {
    set(Instant.now().minusSeconds(1), "a");
    application(MANIFEST + manifest())
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("urls");
              await().until(() -> guard.check("a") == POSSIBLY_PRESENT);
              assertThat(guard.check("never")).isEqualTo(UNKNOWN);

              await().pollDelay(Duration.ofMillis(1_100)).until(() -> true);
              set(Instant.now().plusSeconds(59), "b");
              await().until(() -> guard.check("never") == ABSENT);
              assertThat(guard.check("b")).isEqualTo(POSSIBLY_PRESENT);
            });
  }

  @Test
  void filesAreAnyResourceOrABean() throws IOException {
    set(Instant.now().minusSeconds(1), "a");
    List<String> manifests =
        List.of(
            "file:" + manifest(),
            "lake:urls/" + TestImages.MANIFEST,
            "urls:" + TestImages.MANIFEST);
    for (String manifest : manifests) {
      application(MANIFEST + manifest)
          .withBean("lake", ImageStorage.class, () -> new ImageDirectory(folder))
          .withBean("urls", ImageStorage.class, () -> new ImageDirectory(folder.resolve("urls")))
          .run(
              context -> {
                BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("urls");
                await().until(() -> guard.check("a") == POSSIBLY_PRESENT);
              });
    }
  }

  /** It would find no key but those of recent rows. */
  @Test
  void aRecentQueryIsNotAskedForOneKey() {
    application(
            MANIFEST + manifest(),
            FILTER + "source.jdbc.recent-query=select id from urls where changed >= ?",
            FILTER + "warm-up.mode=none")
        .withBean(DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:urls"))
        .run(
            context -> {
              KeySource source =
                  context
                      .getBean("bloomguardImageSets", SourceBackend.class)
                      .source("urls", Map.of());
              assertThat(source.knowsRecent()).isTrue();
              assertThat(source.lookup()).isNull();
            });
  }

  @Test
  void settingsThatCannotWorkAreRefused() {
    refused(application(MANIFEST)).hasMessageContaining("source.images.manifest is empty");
    refused(application(MANIFEST + manifest(), FILTER + "rebuild.journal-retention=26h"))
        .hasMessageContainingAll("rebuild.journal-retention", "Set it to 27h", "21 adds a second");
    refused(application(MANIFEST + manifest(), FILTER + "layout=counting"))
        .hasMessageContaining("the layout is 'counting'");
    refused(application(MANIFEST + manifest(), "bloomguard.hash-secret="))
        .hasMessageContaining("bloomguard.hash-secret is not set");
    refused(application(MANIFEST + manifest(), FILTER + "source.file.path=keys.txt"))
        .hasMessageContaining("[file, images]");
    refused(application(MANIFEST + manifest(), FILTER + "source.jdbc.fetch-size=7"))
        .hasMessageContaining("recent-query");
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
    TestImages.write(plan, SECRET, asOf, List.of(key), new ImageDirectory(folder.resolve("urls")));
  }
}
