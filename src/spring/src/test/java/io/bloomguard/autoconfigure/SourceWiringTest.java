package io.bloomguard.autoconfigure;

import static io.bloomguard.autoconfigure.Wiring.refused;
import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.SourceBackend;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications whose filters read from a kind of source of their own. */
class SourceWiringTest {

  private static final String SOURCE = "bloomguard.filters.products.source.";

  // tag::own[]
  /** The numbers from 1 to a limit. */
  static class Numbers implements SourceBackend {

    @Override
    public String name() {
      return "numbers";
    }

    @Override
    public KeySource source(String filter, Map<String, String> settings) {
      long limit = Long.parseLong(settings.get("limit"));
      return keys -> LongStream.rangeClosed(1, limit).forEach(keys::accept);
    }
  }

  // end::own[]

  private static ApplicationContextRunner application(String... settings) {
    return Wiring.application()
        .withBean(Numbers.class)
        .withPropertyValues("bloomguard.filters.products.expected-insertions=1000")
        .withPropertyValues(settings);
  }

  @Test
  void aSourceOfItsOwnIsChosenByItsNameAndGetsItsSettings() {
    application(SOURCE + "from=numbers", SOURCE + "settings.limit=7")
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("products");
              await().until(() -> guard.check(8L) == ABSENT);
              assertThat(guard.check(7L)).isEqualTo(POSSIBLY_PRESENT);
            });
  }

  @Test
  void anUnknownNameIsRefusedWithThoseThatThereAre() {
    refused(application(SOURCE + "from=letters"))
        .hasMessageContaining("source.from is 'letters'")
        .hasMessageContaining("[bean, file, images, jdbc, numbers, r2dbc]");
  }

  @Test
  void ourOwnAreChosenByTheirSettings() {
    refused(application(SOURCE + "from=jdbc")).hasMessageContaining("chosen by its own settings");
    refused(application(SOURCE + "from=numbers", SOURCE + "file.path=keys.txt"))
        .hasMessageContaining("[file, numbers]");
  }

  @Test
  void settingsOfNoSourceAreRefused() {
    refused(application(SOURCE + "settings.limit=7", SOURCE + "added-only=true"))
        .hasMessageContaining("no source.from");
  }

  @Test
  void twoOfOneNameAreRefused() {
    refused(
            application(SOURCE + "from=numbers", SOURCE + "settings.limit=7")
                .withBean("others", Numbers.class))
        .hasMessageContaining("'numbers'");
  }

  /** Processes that share a filter compare it. */
  @Test
  void aBeanTellsItsIdentity() {
    KeySource identified =
        new KeySource() {
          @Override
          public void forEach(KeySink sink) {
            sink.accept(1);
          }

          @Override
          public String identity() {
            return "shop/main";
          }
        };
    application(SOURCE + "bean=identified")
        .withBean("identified", KeySource.class, () -> identified)
        .run(
            context ->
                assertThat(
                        context
                            .getBean("bloomguardBeanSources", SourceBackend.class)
                            .source("products", Map.of())
                            .identity())
                    .isEqualTo("shop/main"));
  }
}
