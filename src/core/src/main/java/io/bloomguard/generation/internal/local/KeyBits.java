package io.bloomguard.generation.internal.local;

import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.generation.KeyExplanation;
import java.util.ArrayList;
import java.util.List;

/** The bits of a key in a filter, for an explanation. */
final class KeyBits {

  private KeyBits() {}

  /** The key's bits in the order of their positions; empty if the layout does not show them. */
  static List<KeyExplanation.Bit> of(MembershipFilter filter, String key) {
    if (!(filter instanceof BlockedFilter blocked)) {
      return List.of();
    }
    BlockGeometry geometry = blocked.geometry();
    long hash = blocked.hasher().hash(key);
    long[] masks = new long[geometry.blockWords()];
    geometry.masks(hash, masks);
    long first = geometry.blockIndex(hash) * masks.length * Long.SIZE;
    List<KeyExplanation.Bit> bits = new ArrayList<>();
    for (int i = 0; i < masks.length; i++) {
      for (long mask = masks[i]; mask != 0; mask &= mask - 1) {
        long position = first + i * Long.SIZE + Long.numberOfTrailingZeros(mask);
        bits.add(new KeyExplanation.Bit(position, blocked.isSet(position)));
      }
    }
    return List.copyOf(bits);
  }
}
