package io.bloomguard.autoconfigure.internal.properties;

import org.jspecify.annotations.Nullable;

/** A kind of store of filters, which a backend of its own makes. */
public enum StoreKind {

  /** Generations on this process' heap. */
  LOCAL(Backend.LOCAL, null),

  /** Generations on the heap in the layout of Guava. */
  GUAVA(Backend.LOCAL, "layout: guava"),

  /** Generations in Redis. */
  REDIS(Backend.REDIS, null),

  /** A small filter for each subject, in Redis. */
  SUBJECTS(Backend.REDIS, "per-subject"),

  /** Generations in Redis that pass by its clock. */
  WINDOW(Backend.REDIS, "window"),

  /** A filter of the RedisBloom module. */
  REDIS_BLOOM(Backend.REDIS_BLOOM, "backend: redis-bloom"),

  /** Bit strings that other programs share. */
  REDIS_BITMAP(Backend.REDIS_BITMAP, "backend: redis-bitmap");

  private final Backend backend;
  private final @Nullable String classic;

  StoreKind(Backend backend, @Nullable String classic) {
    this.backend = backend;
    this.classic = classic;
  }

  /** Where such a store is. */
  public Backend backend() {
    return backend;
  }

  /** The name of what makes it, which no backend of an application can have. */
  public String maker() {
    return classic == null ? backend.toString() : backend + ", " + classic;
  }

  /** The setting that chooses a kind that bloomguard-classic brings; null for the others. */
  public @Nullable String classic() {
    return classic;
  }
}
