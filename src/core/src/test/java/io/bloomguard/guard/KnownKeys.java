package io.bloomguard.guard;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that knows its keys exactly, or says nothing at all. */
class KnownKeys implements MembershipStore {

  private final Set<String> keys = ConcurrentHashMap.newKeySet();
  volatile boolean doubtful;
  volatile boolean refusesAdds;

  /** The number of the generation that it claims to be. */
  volatile long generation;

  /** Whether keys can be removed from it. */
  volatile boolean removes;

  /** Whether it answers as a filter on the heap does. */
  volatile boolean inMemory;

  /** How often it was asked for one key. */
  final AtomicInteger checks = new AtomicInteger();

  /** How often it was asked to add. */
  final AtomicInteger adds = new AtomicInteger();

  /** What is hinted at while it is doubtful. */
  final Set<String> remembered = ConcurrentHashMap.newKeySet();

  KnownKeys(String... keys) {
    this.keys.addAll(List.of(keys));
  }

  @Override
  public Membership check(String key) {
    checks.incrementAndGet();
    if (doubtful) {
      return Membership.UNKNOWN;
    }
    return keys.contains(key) ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
  }

  @Override
  public boolean answersInMemory() {
    return inMemory;
  }

  @Override
  public long generation() {
    return generation;
  }

  @Override
  public String keyHash(String key) {
    return Integer.toHexString(key.hashCode());
  }

  /** What a filter that was built from the wrong rows does. */
  void forget(String key) {
    keys.remove(key);
  }

  @Override
  public boolean removes() {
    return removes;
  }

  @Override
  public int removeAll(List<String> gone, long only) {
    if (refusesAdds) {
      throw new RemovalFailedException("refused by the test", null);
    }
    if (!removes || (only != 0 && only != generation)) {
      return 0;
    }
    return (int) gone.stream().filter(keys::remove).count();
  }

  @Override
  public boolean likelyPresent(String key) {
    return remembered.contains(key);
  }

  @Override
  public boolean[] addEach(List<String> added) {
    if (refusesAdds) {
      throw new AddFailedException("refused by the test", null);
    }
    adds.incrementAndGet();
    boolean[] isNew = new boolean[added.size()];
    for (int i = 0; i < isNew.length; i++) {
      isNew[i] = keys.add(added.get(i));
    }
    return isNew;
  }
}
