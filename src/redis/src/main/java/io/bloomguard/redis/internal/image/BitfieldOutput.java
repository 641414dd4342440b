package io.bloomguard.redis.internal.image;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;

/** The words that one BITFIELD_RO reads, without boxing. */
final class BitfieldOutput extends CommandOutput<byte[], byte[], long[]> {

  private int filled;

  BitfieldOutput() {
    super(ByteArrayCodec.INSTANCE, new long[0]);
  }

  @Override
  public void multi(int count) {
    output = new long[Math.max(0, count)];
  }

  @Override
  public void set(long value) {
    output[filled++] = value;
  }
}
