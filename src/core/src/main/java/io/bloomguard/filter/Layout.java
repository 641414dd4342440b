package io.bloomguard.filter;

/** The arrangement of a key's bits in a filter. */
public enum Layout {

  /** All bits of a key in one block of 64-bit words: one cache line for each check. The default. */
  BLOCKED(true, 1),

  /** Guava's own {@code BloomFilter}, bits anywhere, readable and writable in its serial form. */
  GUAVA(false, 1),

  /**
   * All counters of a key in one block, with 4 bits in place of each bit of {@link #BLOCKED}: keys
   * can be removed.
   */
  COUNTING(true, 4),

  /**
   * Bloom's own: bits anywhere. The layout of filters that other programs share, or that a module
   * of Redis keeps.
   */
  CLASSIC(false, 1);

  private final boolean inBlocks;
  private final int counterBits;

  Layout(boolean inBlocks, int counterBits) {
    this.inBlocks = inBlocks;
    this.counterBits = counterBits;
  }

  /** {@return whether all positions of a key lie in one block} */
  public boolean inBlocks() {
    return inBlocks;
  }

  /** {@return whether a key can be removed} */
  public boolean removes() {
    return counterBits > 1;
  }

  /** {@return the bits of memory for each position: 1, or those of a counter} */
  public int counterBits() {
    return counterBits;
  }
}
