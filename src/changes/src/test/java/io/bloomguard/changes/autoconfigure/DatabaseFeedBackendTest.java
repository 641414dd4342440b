package io.bloomguard.changes.autoconfigure;

import static io.bloomguard.changes.autoconfigure.DatabaseFeedBackend.nameOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

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
}
