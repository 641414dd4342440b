package io.bloomguard.generation.internal.claim;

import io.bloomguard.guard.AddFailedException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The claims of a filter on the heap, with the answers to their adds, the oldest first. */
public final class LocalClaims {

  private final String filter;
  private final ClaimSettings settings;
  private final LongSupplier ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Kept> kept = new LinkedHashMap<>();
  private long bytes;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Kept(byte[] digest, boolean[] isNew, long since) {}

  /**
   * No claim yet.
   *
   * @param ticker the clock, in nanoseconds
   */
  public LocalClaims(String filter, ClaimSettings settings, LongSupplier ticker) {
    this.filter = filter;
    this.settings = settings;
    this.ticker = ticker;
  }

  /**
   * Adds keys under a claim, or answers as the first such add did.
   *
   * @param add adds the keys
   * @return for each key, in their order, whether it was new
   * @throws AddFailedException if there is no room for another claim
   * @throws io.bloomguard.guard.ClaimRefusedException if it stands for other keys
   */
  public boolean[] add(List<String> keys, String text, Supplier<boolean[]> add) {
    Claim claim = Claim.of(text, keys);
    lock.lock();
    try {
      forget();
      Kept before = kept.get(claim.name());
      if (before == null) {
        requireRoom(keys.size());
        boolean[] isNew = add.get();
        kept.put(claim.name(), new Kept(claim.digest(), isNew.clone(), ticker.getAsLong()));
        bytes += Claim.bytes(keys.size());
        return isNew;
      }
      if (!Arrays.equals(before.digest(), claim.digest())) {
        throw Claim.otherKeys(filter);
      }
      return before.isNew().clone();
    } finally {
      lock.unlock();
    }
  }

  /** The oldest are over first: all live equally long. */
  private void forget() {
    long now = ticker.getAsLong();
    for (Iterator<Kept> all = kept.values().iterator(); all.hasNext(); ) {
      Kept oldest = all.next();
      if (now - oldest.since() < settings.ttl().toNanos()) {
        return;
      }
      bytes -= Claim.bytes(oldest.isNew().length);
      all.remove();
    }
  }

  private void requireRoom(int keys) {
    if (bytes + Claim.bytes(keys) > settings.maxBytes()) {
      throw settings.full(filter);
    }
  }
}
