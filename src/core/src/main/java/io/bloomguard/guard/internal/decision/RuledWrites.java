package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.writes.FilterWrites;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The writes of one filter, of keys that are held against the rules for keys first. */
record RuledWrites(KeyDecisions<?> decisions, FilterWrites writes) implements KeyWrites {

  @Override
  public int putAll(Collection<?> keys) {
    return added(decisions.distinctForWrite(keys));
  }

  /** Adds canonical keys; how many were new. */
  private int added(List<String> distinct) {
    int added = 0;
    for (boolean isNew : writes.put(distinct)) {
      if (isNew) {
        added++;
      }
    }
    return added;
  }

  @Override
  public CompletionStage<Integer> putAllAsync(Collection<?> keys) {
    List<String> distinct = decisions.distinctForWrite(keys);
    return decisions.async.waited(() -> added(distinct));
  }

  @Override
  public List<Boolean> putEach(Collection<?> keys) {
    List<String> canonical = decisions.canonicalForWrite(keys);
    List<String> distinct = KeyDecisions.distinct(canonical);
    boolean[] isNew = writes.put(distinct);
    Set<String> news = new HashSet<>();
    for (int i = 0; i < isNew.length; i++) {
      if (isNew[i]) {
        news.add(distinct.get(i));
      }
    }
    // The first of equal keys takes the answer.
    return canonical.stream().map(news::remove).toList();
  }

  @Override
  public Write beginWrites(Collection<?> added, Collection<?> changed) {
    return writes.begin(decisions.distinctForWrite(added), decisions.distinctForWrite(changed));
  }

  @Override
  public CompletionStage<@Nullable Void> evictAsync(Object key) {
    List<String> canonical = List.of(decisions.canonicalForWrite(key));
    return decisions.async.waited(
        () -> {
          writes.evict(canonical, writes.beginRemoval());
          return null;
        });
  }

  @Override
  public void evictAll(Collection<?> keys, Removal removal) {
    writes.evict(decisions.distinctForWrite(keys), removal);
  }

  @Override
  public Removal beginRemoval() {
    return canonical(writes.beginRemoval());
  }

  @Override
  public Removal beginRemovalOfRows() {
    return canonical(writes.beginRemovalOfRows());
  }

  private Removal canonical(Removal removal) {
    return new Removal() {
      @Override
      public void gone(Collection<?> keys) {
        removal.gone(decisions.canonicalForWrite(keys));
      }

      @Override
      public void close() {
        removal.close();
      }
    };
  }

  @Override
  public AsyncCall beginAsync() {
    return decisions.async.begin();
  }

  @Override
  public int removeAll(Collection<?> keys) {
    return writes.removeAll(decisions.canonicalForWrite(keys));
  }
}
