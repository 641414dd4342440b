package io.bloomguard.aop;

import io.bloomguard.guard.KeyWrites;
import io.bloomguard.guard.Transactions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The writes of one call of a {@code @BloomPut} method, open until its row is settled. */
final class OpenWrites {

  private final List<KeyWrites.Write> writes = new ArrayList<>(1);

  /** The writes whose keys come later. */
  private final List<KeyWrites.Write> unnamed = new ArrayList<>(0);

  /** Begins the write of {@code keys}, in one step for all keys. */
  void begin(KeyWrites filter, Collection<?> keys) {
    if (!keys.isEmpty()) {
      writes.add(filter.beginWrites(keys, List.of()));
    }
  }

  /** Begins a write whose keys come later. */
  void beginUnnamed(KeyWrites filter) {
    unnamed.add(filter.beginWrites(List.of(), List.of()));
  }

  /** All keys have come: from now on the writer's lookups of others are rejected again. */
  void named() {
    unnamed.forEach(KeyWrites.Write::close);
    unnamed.clear();
  }

  /** Adds the keys again if the journals may have forgotten their adds by now. */
  void renew() {
    writes.forEach(KeyWrites.Write::renew);
  }

  /** Ends all writes, even if one of them throws. */
  void end(Transactions.End end) {
    named();
    RuntimeException failure = null;
    for (KeyWrites.Write write : writes) {
      try {
        write.end(end);
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    writes.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
