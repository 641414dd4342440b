package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.internal.properties.StoreKind;
import io.bloomguard.autoconfigure.internal.wiring.FilterBackend;
import io.bloomguard.autoconfigure.internal.wiring.LocalBackend;
import io.bloomguard.autoconfigure.internal.wiring.StoreOrder;
import io.bloomguard.classic.internal.guava.GuavaFilter;
import io.bloomguard.classic.internal.guava.GuavaSnapshot;
import io.bloomguard.filter.KeyFunnel;
import io.bloomguard.generation.FilterStore;
import org.springframework.util.ClassUtils;

/** Filters of Guava, on this process' heap. */
final class GuavaBackend implements FilterBackend {

  static final String LIBRARY = "com.google.common.hash.BloomFilter";

  @Override
  public StoreKind kind() {
    return StoreKind.GUAVA;
  }

  @Override
  public FilterStore store(StoreOrder order) {
    if (!ClassUtils.isPresent(LIBRARY, null)) {
      throw new InvalidBloomguardSettingException(
          "bloomguard.filters."
              + order.filter()
              + ".layout is 'guava', but Guava is not on the class path; available: [blocked]",
          "Add the dependency com.google.guava:guava, or use the layout 'blocked'.");
    }
    KeyFunnel funnel = order.properties().funnelOrDefault();
    return LocalBackend.store(
        order,
        new GuavaSnapshot(order.filter(), order.shape(), order.folding(), funnel),
        shape -> GuavaFilter.create(shape, order.folding(), funnel));
  }
}
