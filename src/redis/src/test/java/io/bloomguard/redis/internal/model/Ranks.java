package io.bloomguard.redis.internal.model;

/** The order of a state's numbers, each kind for itself, in place of their size. */
final class Ranks {

  private static final int BEAT = 0;
  private static final int GENERATION = 1;
  private static final int LOSSES = 2;
  private static final int ENTRY = 3;
  private static final int KINDS = 4;

  /** By kind, the numbers that occur: there are never more than 64. */
  private final long[] seen = new long[KINDS];

  /** Notes every number. */
  Fields collecting() {
    return new Kinds() {
      @Override
      public int plain(int value) {
        return value;
      }

      @Override
      int of(int kind, int value) {
        seen[kind] |= 1L << value;
        return value;
      }
    };
  }

  /** Hands every number's rank on, 0 for 0. */
  Fields replacing(Fields target) {
    return new Kinds() {
      @Override
      public int plain(int value) {
        return target.plain(value);
      }

      @Override
      int of(int kind, int value) {
        return target.plain(value == 0 ? 0 : Long.bitCount((seen[kind] & -2) << ~value));
      }
    };
  }

  private abstract static class Kinds implements Fields {

    abstract int of(int kind, int value);

    @Override
    public int beat(int value) {
      return of(BEAT, value);
    }

    @Override
    public int generation(int value) {
      return of(GENERATION, value);
    }

    @Override
    public int losses(int value) {
      return of(LOSSES, value);
    }

    @Override
    public int entry(int value) {
      return of(ENTRY, value);
    }
  }
}
