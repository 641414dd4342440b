package io.bloomguard.changes.autoconfigure;

import static io.bloomguard.changes.autoconfigure.DatabaseFeedBackend.nameOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.Wiring;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The names of slots and publications. */
class DatabaseFeedBackendTest {

  @Test
  void anOrdinaryPrefixIsReadAsItIs() {
    assertThat(nameOf("bloomguard", "order-items")).isEqualTo("bloomguard_order_items");
  }

  /** One reader alone has the lock of a name. */
  @Test
  void everyPrefixHasNamesOfItsOwn() {
    List<String> names =
        List.of("订单", "用户", "größe", "grösse", "my-shop", "my_shop", "my.shop", "My-shop").stream()
            .map(prefix -> nameOf(prefix, "products"))
            .toList();
    assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z0-9_]{1,63}"));
    assertThat(nameOf("a_b", "c")).isNotEqualTo(nameOf("a", "b-c"));
  }

  /** The slot of the image sets is made when one is published, but its name is judged before. */
  @Test
  void aNameThatPostgresHasNotIsRefusedAtTheStart() {
    String filter = "f".repeat(46); // bloomguard_ before it makes 57
    for (String images : List.of("_images", "")) {
      String name = "bloomguard_" + "f".repeat(53 - images.length()) + images;
      assertThat(name).hasSize(64);
      assertThat(
              Wiring.failure(application("f".repeat(53 - images.length()), !images.isEmpty()))
                  .getDescription())
          .contains("The name '" + name + "' of a slot");
    }
    String changes = "bloomguard.filters." + filter + ".source.changes.";
    application(filter, true)
        .withPropertyValues(changes + "slot=short")
        .run(context -> assertThat(context).hasNotFailed());
  }

  private static ApplicationContextRunner application(String filter, boolean images) {
    String of = "bloomguard.filters." + filter + ".";
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
        .withPropertyValues(
            "bloomguard.hash-secret=00112233445566778899aabbccddeeff",
            "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/shop",
            "spring.datasource.username=shop",
            of + "expected-insertions=1000",
            of + "warm-up.min-keys=0",
            of + "source." + (images ? "images.manifest=none" : "jdbc.query=select 1"),
            of + "source.changes.from=database",
            of + "source.changes.table=public.products",
            of + "source.changes.key=id");
  }
}
