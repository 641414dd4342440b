package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.internal.properties.StoreKind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterStore;

/** Makes the stores of one {@link StoreKind}. One bean each. */
public interface FilterBackend {

  StoreKind kind();

  /**
   * The dimensions of a filter.
   *
   * @throws InvalidBloomguardSettingException if such a store has no room for it
   */
  default FilterShape shape(String filter, FilterProperties properties) {
    return properties.shapeIn(kind().backend());
  }

  FilterStore store(StoreOrder order);
}
