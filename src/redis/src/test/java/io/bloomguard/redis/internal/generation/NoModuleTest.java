package io.bloomguard.redis.internal.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.Membership;
import org.junit.jupiter.api.Test;

/** A filter of the RedisBloom module on a server that does not have it. */
class NoModuleTest extends RedisTestBase {

  private static final FilterShape IN_MODULE = Sizing.shape(Layout.CLASSIC, 1000, 0.01);

  @Test
  void itIsToldWhatTheServerLacks() {
    RedisGenerations store = store(first, IN_MODULE);
    assertThatThrownBy(() -> store.beginBuild(IN_MODULE))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("the server has no BF.* commands: RedisBloom or valkey-bloom");
    assertThat(store.status().state()).isEqualTo(FilterState.FAILED);
    assertThat(store.warnings()).singleElement().asString().contains("no BF.* commands");
    assertThat(store.check("1")).isEqualTo(Membership.UNKNOWN);
    assertThat(images()).isEmpty();
  }
}
