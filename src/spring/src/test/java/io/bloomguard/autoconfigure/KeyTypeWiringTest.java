package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.generation.KeySource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A source whose keys are not of the type that methods and web rules ask with. */
class KeyTypeWiringTest {

  private static final String ITEMS = "bloomguard.filters.items.";
  private static final KeySource NAMES = sink -> List.of("apple", "pear").forEach(sink::accept);

  /** Public, so that its proxy may be of another class loader. */
  public static class Items {

    @BloomGuarded(filter = "items", key = "#ids")
    public Set<String> findAll(List<Long> ids) {
      return Set.of();
    }
  }

  /** As above, with one key. */
  public static class Names {

    @BloomGuarded(filter = "items", key = "#name")
    public Optional<String> find(String name) {
      return Optional.of(name);
    }
  }

  @Test
  void methodThatAsksWithNumbersRefusesASourceOfText() {
    assertThat(description(application().withBean(Items.class)))
        .contains("yields text", "Items.findAll", "with a Long", "0 of its first 2 keys");
  }

  @Test
  void columnOfAnotherTypeIsNamed() {
    ApplicationContextRunner application =
        Wiring.application()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withPropertyValues(
                "spring.datasource.generate-unique-name=true",
                ITEMS + "source.jdbc.query=select x > 1 as listed from system_range(1, 9)",
                ITEMS + "warm-up.mode=blocking");
    assertThat(description(application)).contains("'LISTED' of type BOOLEAN", "a key is text");
  }

  @Test
  void webRuleThatAsksWithNumbersRefusesASourceOfText() {
    assertThat(
            description(
                Wiring.webApplication()
                    .withBean("keys", KeySource.class, () -> NAMES)
                    .withPropertyValues(settings())
                    .withPropertyValues(
                        "bloomguard.web.rules[0].pattern=/items/{id}",
                        "bloomguard.web.rules[0].filter=items",
                        "bloomguard.web.rules[0].key=id",
                        "bloomguard.web.rules[0].type=long")))
        .contains("yields text", "the web rule /items/{id}", "with a Long");
  }

  @Test
  void methodThatAsksWithTextTakesAnySource() {
    application()
        .withBean(Names.class)
        .withPropertyValues(ITEMS + "verify.first=0", ITEMS + "verify.sample=0")
        .run(context -> assertThat(context.getBean(Names.class).find("plum")).isEmpty());
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void methodThatAsksABlacklistOfNumbersForTextIsNamed(CapturedOutput output) {
    Wiring.application()
        .withBean("keys", KeySource.class, () -> sink -> sink.accept(4711L))
        .withBean(Names.class)
        .withPropertyValues(settings())
        .withPropertyValues(ITEMS + "reject=present", ITEMS + "on-unknown=closed")
        .run(
            context ->
                assertThat(output)
                    .contains("Names.find", "asks the blacklist 'items' for text", "+7 for 7"));
  }

  /** Its bean's definition does not tell its type. */
  @Test
  void methodThatIsCompiledAfterTheBuildIsRefused() {
    application()
        .withBean("late", Object.class, Items::new, definition -> definition.setLazyInit(true))
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThatThrownBy(() -> context.getBean("late"))
                  .hasMessageContaining("Items.findAll")
                  .hasMessageContaining("yields text");
            });
  }

  private static ApplicationContextRunner application() {
    return Wiring.application()
        .withBean("keys", KeySource.class, () -> NAMES)
        .withPropertyValues(settings());
  }

  private static String[] settings() {
    return new String[] {
      ITEMS + "expected-insertions=1000",
      ITEMS + "source.bean=keys",
      ITEMS + "warm-up.mode=blocking"
    };
  }

  private static String description(AbstractApplicationContextRunner<?, ?, ?> application) {
    return Wiring.failure(application).getDescription();
  }
}
