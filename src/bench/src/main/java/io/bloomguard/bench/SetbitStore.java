package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.classic.internal.hash.BitOffsets;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** The classic as a PHP program asks it: SETBIT and GETBIT, a command for each bit. */
final class SetbitStore implements MembershipStore {

  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final byte[] name;
  private final BitOffsets offsets;
  private final boolean pipelined;

  /**
   * @param pipelined whether the commands of a word are sent together, or each after the answer to
   *     the one before
   */
  SetbitStore(
      StatefulRedisConnection<byte[], byte[]> connection,
      String name,
      BitOffsets offsets,
      boolean pipelined) {
    this.connection = connection;
    this.name = name.getBytes(US_ASCII);
    this.offsets = offsets;
    this.pipelined = pipelined;
  }

  @Override
  public Membership check(String key) {
    return ones(key, (commands, bit) -> commands.getbit(name, bit)) == offsets.count()
        ? Membership.POSSIBLY_PRESENT
        : Membership.ABSENT;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    boolean[] isNew = new boolean[keys.size()];
    for (int i = 0; i < isNew.length; i++) {
      long were = ones(keys.get(i), (commands, bit) -> commands.setbit(name, bit, 1));
      isNew[i] = were < offsets.count();
    }
    return isNew;
  }

  /** How many of the answers for a key's bits are 1. */
  private long ones(
      String key, BiFunction<RedisAsyncCommands<byte[], byte[]>, Long, RedisFuture<Long>> command) {
    long[] bits = new long[offsets.count()];
    offsets.write(key.getBytes(US_ASCII), bits, 0);
    List<RedisFuture<Long>> sent = new ArrayList<>();
    long ones = 0;
    for (long bit : bits) {
      sent.add(command.apply(connection.async(), bit));
      if (!pipelined) {
        ones += sent.remove(0).toCompletableFuture().join();
      }
    }
    for (RedisFuture<Long> answer : sent) {
      ones += answer.toCompletableFuture().join();
    }
    return ones;
  }
}
