package io.bloomguard.guard;

import java.util.Map;
import java.util.Set;

/** Reads the values of several keys at once; keys without a value are left out of the map. */
@FunctionalInterface
public interface BatchLoader<K, V, X extends Throwable> {

  Map<K, V> load(Set<K> keys) throws X;
}
