package io.bloomguard.test;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.GenerationStoreContractTest;
import io.bloomguard.generation.StoreOrder;
import java.time.Duration;

/** The published contract, for a store of an application's own. */
class SetBackendTest extends GenerationStoreContractTest {

  @Override
  protected GenerationStore newStore(String filterName) {
    return new SetBackend()
        .store(
            new StoreOrder(
                filterName,
                shape(),
                KeyHash.SIPHASH_1_3,
                KeyFolding.EXACT,
                HashSecret.random(),
                Duration.ofMinutes(10),
                1 << 20));
  }

  @Override
  protected boolean showsBits() {
    return false;
  }
}
