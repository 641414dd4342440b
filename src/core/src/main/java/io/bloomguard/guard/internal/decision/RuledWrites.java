package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.OwnWrites;
import io.bloomguard.guard.internal.writes.FilterWrites;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The writes of one filter, of keys that are held against the rules for keys first. */
record RuledWrites(KeyDecisions<?> decisions, FilterWrites writes) implements KeyWrites {

  @Override
  public Collection<?> scoped(Collection<?> keys, @Nullable Object context) {
    KeyScope scope = decisions.filter.scope();
    return scope == null || decisions.entry != EntryPoint.METHOD
        ? keys
        : scope.written(keys, context);
  }

  private List<String> distinct(Collection<?> keys) {
    return decisions.distinctForWrite(scoped(keys, null));
  }

  @Override
  public int putAll(Collection<?> keys) {
    return count(writes.put(distinct(keys)).now());
  }

  private static int count(boolean[] news) {
    int count = 0;
    for (boolean isNew : news) {
      if (isNew) {
        count++;
      }
    }
    return count;
  }

  @Override
  public CompletionStage<Integer> putAllAsync(Collection<?> keys) {
    FilterWrites.Put put = writes.put(distinct(keys));
    AsyncCall call;
    try {
      call = beginAsync();
    } catch (RequestShedException e) {
      return decisions.async.shed(0);
    }
    CompletableFuture<Integer> answer = new CompletableFuture<>();
    var unused =
        call.run(put::begin)
            .whenComplete(
                (begun, refusal) ->
                    call.end(put::end)
                        .whenComplete(
                            (ended, trouble) -> {
                              Throwable failure = refusal == null ? trouble : refusal;
                              if (failure == null) {
                                answer.complete(count(put.news()));
                              } else {
                                answer.completeExceptionally(Failures.unwrapped(failure));
                              }
                            }));
    return answer;
  }

  @Override
  public List<Boolean> putEach(Collection<?> keys) {
    List<String> canonical = decisions.canonicalForWrite(scoped(keys, null));
    List<String> distinct = KeyDecisions.distinct(canonical);
    boolean[] isNew = writes.put(distinct).now();
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
    return beginWrites(added, changed, writes::settle);
  }

  @Override
  public Write beginWrites(Collection<?> added, Collection<?> changed, Consumer<PendingAdd> adds) {
    return writes.begin(distinct(added), distinct(changed), adds);
  }

  @Override
  public CompletionStage<@Nullable Void> evictAsync(Object key) {
    List<String> canonical = distinct(Collections.singletonList(key));
    return decisions.async.waited(
        () -> {
          writes.evict(canonical, writes.beginRemoval());
          return null;
        });
  }

  @Override
  public void evictAll(Collection<?> keys, Removal removal) {
    try (removal) {
      writes.evict(distinct(keys), removal);
    }
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
    return writes.removeAll(decisions.canonicalForWrite(scoped(keys, null)));
  }

  @Override
  public int removeAll(Collection<?> keys, long stamp) {
    return writes.removeAll(decisions.canonicalForWrite(keys), stamp);
  }

  @Override
  public void committed(Collection<?> added, Collection<?> changed) {
    writes.committed(decisions.distinctForWrite(added), decisions.distinctForWrite(changed));
  }

  @Override
  public void followedBy(OwnWrites feed) {
    writes.followedBy(feed);
  }

  @Override
  public void dropAll() {
    writes.dropAll();
  }
}
