package io.bloomguard.redis.internal.model;

import java.util.Arrays;

/** The numbers of a state in a row of bytes. */
final class Copying {

  private byte[] bytes = new byte[256];
  private int at;

  Copying() {}

  Copying(byte[] bytes) {
    this.bytes = bytes;
  }

  byte[] bytes() {
    return Arrays.copyOf(bytes, at);
  }

  Fields writing() {
    at = 0;
    return new Same() {
      @Override
      public int plain(int value) {
        if (value < Byte.MIN_VALUE || value > Byte.MAX_VALUE) {
          throw new IllegalStateException("A number of the model has grown to " + value);
        }
        bytes[at++] = (byte) value;
        return value;
      }
    };
  }

  Fields reading() {
    at = 0;
    return new Same() {
      @Override
      public int plain(int value) {
        return bytes[at++];
      }
    };
  }

  /** Numbers of every kind are treated alike. */
  private abstract static class Same implements Fields {

    @Override
    public int beat(int value) {
      return plain(value);
    }

    @Override
    public int generation(int value) {
      return plain(value);
    }

    @Override
    public int losses(int value) {
      return plain(value);
    }

    @Override
    public int entry(int value) {
      return plain(value);
    }
  }
}
