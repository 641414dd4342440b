package io.bloomguard.filter;

/** How the bits of a key are spread over a filter. */
public enum Layout {

  /** All bits of a key in one block of 64-bit words: one cache line a check. The default. */
  BLOCKED,

  /** Guava's own {@code BloomFilter}, bits anywhere, readable and writable in its serial form. */
  GUAVA
}
