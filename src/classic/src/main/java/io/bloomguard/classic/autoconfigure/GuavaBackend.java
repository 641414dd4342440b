package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.wiring.LocalBackend;
import io.bloomguard.autoconfigure.internal.wiring.OwnSettings;
import io.bloomguard.classic.internal.guava.GuavaFilter;
import io.bloomguard.classic.internal.guava.GuavaSnapshot;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.KeyFunnel;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.guard.StartRefusedException;
import org.springframework.util.ClassUtils;

/** Filters of Guava, on this process' heap. */
record GuavaBackend(OwnSettings settings) implements FilterBackend {

  static final String LIBRARY = "com.google.common.hash.BloomFilter";

  @Override
  public String name() {
    return Backend.LOCAL + ", layout: guava";
  }

  @Override
  public FilterShape shape(String filter, FilterShape sized) {
    return LocalBackend.onHeap(filter, sized);
  }

  @Override
  public FilterStore store(StoreOrder order) {
    if (!ClassUtils.isPresent(LIBRARY, null)) {
      throw new StartRefusedException(
          "bloomguard.filters."
              + order.filter()
              + ".layout is 'guava', but Guava is not on the class path; available: [blocked]",
          "Add the dependency com.google.guava:guava, or use the layout 'blocked'.");
    }
    KeyFunnel funnel = settings.of(order.filter()).funnelOrDefault();
    return LocalBackend.store(
        order,
        settings,
        new GuavaSnapshot(order.shape(), order.folding(), funnel),
        shape -> GuavaFilter.create(shape, order.folding(), funnel));
  }
}
