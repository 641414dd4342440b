package io.bloomguard.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.ReplicatedStore.CopyWaits;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** What the page says of the copies of a filter. */
class CopiesTest {

  @Test
  void theMeanIsThatOfAllWaits() {
    assertThat(ConsoleData.Copies.of(store(CopyWaits.NONE)))
        .isEqualTo(new ConsoleData.Copies(0, 0, 0, 0));
    assertThat(ConsoleData.Copies.of(store(new CopyWaits(4, 10_000_000, 1, 3))))
        .isEqualTo(new ConsoleData.Copies(3, 4, 2.5, 1));
  }

  private static ReplicatedStore store(CopyWaits waits) {
    return (ReplicatedStore)
        Proxy.newProxyInstance(
            ReplicatedStore.class.getClassLoader(),
            new Class<?>[] {ReplicatedStore.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("copyWaits");
              return waits;
            });
  }
}
