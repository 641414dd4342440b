package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.GenerationStoreContractTest;
import io.bloomguard.redis.BloomModule;
import io.bloomguard.redis.TestRedisFilters;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Generations whose bits are in filters of the RedisBloom module. */
@Tag("redis")
class ModuleGenerationsContractTest extends GenerationStoreContractTest {

  private static final FilterShape SPARSE = Sizing.shape(Layout.CLASSIC, 20_000, 1e-9);

  private static BloomModule first;
  private static BloomModule second;

  @BeforeAll
  static void open() {
    first = BloomModule.open();
    second = BloomModule.open();
    first.commands().flushall();
  }

  @AfterAll
  static void close() {
    if (second != null) {
      first.close();
      second.close();
    }
  }

  @Override
  protected FilterShape shape() {
    return SPARSE;
  }

  /** The module shows none. */
  @Override
  protected boolean showsBits() {
    return false;
  }

  @Override
  protected boolean followsFeed() {
    return true;
  }

  @Override
  protected GenerationStore newStore(String filterName) {
    return store(filterName, first);
  }

  @Override
  protected GenerationStore another(GenerationStore store, String filterName) {
    return store(filterName, second);
  }

  private static GenerationStore store(String filterName, BloomModule redis) {
    RedisFilter filter =
        TestRedisFilters.filter(
            filterName, SPARSE, redis.connections(), "bloomguard", RedisTestBase.RETENTION, null);
    return RedisTestBase.store(filter, RedisTestBase.AT_ONCE);
  }
}
