package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.classic.internal.AskedStore;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.ClearRefusedException;
import io.bloomguard.generation.ClearableStore;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.WarningLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A filter in plain bit strings of Redis, which other programs share: backend {@code redis-bitmap}.
 *
 * <p>A string has neither header nor generation, so only its presence and its type are proved, in
 * the command that reads or writes its bits. Bloomguard never builds it, and creates it only if the
 * settings say so: the first add after a loss would deny every other key.
 */
public final class SharedBitmapStore extends AskedStore implements ClearableStore {

  /** The time between two readings of the fill, if {@code rotateAtFill} is set. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger log = LoggerFactory.getLogger(SharedBitmapStore.class);

  private final SharedBitmap bitmap;
  private final BitStrings strings;
  private final BitFill fill;
  private final WarningLog warningLog;
  private final @Nullable Double rotateAtFill;

  /** The time of the next reading of the fill, in nanoseconds; used by maintain only. */
  private long nextLook = System.nanoTime();

  /**
   * Creates a store that looks up its strings on first use.
   *
   * @param enforcement whether its rejections take effect
   * @param rotateAtFill the fill ratio past which the strings are cleared, null for never
   */
  public SharedBitmapStore(
      SharedBitmap bitmap, RedisEnforcement enforcement, @Nullable Double rotateAtFill) {
    super(enforcement);
    this.rotateAtFill = rotateAtFill;
    this.bitmap = bitmap;
    this.strings = new BitStrings(bitmap);
    this.fill = new BitFill(bitmap, strings.used());
    this.warningLog = new WarningLog(bitmap.filter());
  }

  @Override
  public String backend() {
    return "redis-bitmap";
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    Membership[] answers = new Membership[keys.size()];
    List<BitBatch> batches = strings.batches(keys);
    // All are sent before the first is waited for.
    List<LuaScript.@Nullable Call> checks = new ArrayList<>();
    batches.forEach(batch -> checks.add(batch.check()));
    for (int i = 0; i < checks.size(); i++) {
      batches.get(i).await(checks.get(i), answers, bitmap.missingIsAbsent());
    }
    return answers;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    boolean[] isNew = new boolean[keys.size()];
    BitBatch.addAll(bitmap, strings.batches(keys), isNew);
    return isNew;
  }

  @Override
  public FilterStatus status() {
    return fill.status();
  }

  @Override
  public boolean rotates() {
    return rotateAtFill != null;
  }

  @Override
  public List<String> warnings() {
    return fill.warnings();
  }

  @Override
  public KeyExplanation explain(String key) {
    BitBatch batch = strings.batches(List.of(key)).get(0);
    Bits read;
    try {
      read = Bits.of(batch.read().await(RedisConnections.WRITE), batch.offsets().length);
    } catch (RedisUnavailableException e) {
      return unknown(key, SILENT);
    }
    Membership answer = read.membership(0, batch.offsets().length, bitmap.missingIsAbsent());
    List<KeyExplanation.Bit> bits = new ArrayList<>();
    for (int i = 0; read.isThere() && i < batch.offsets().length; i++) {
      bits.add(new KeyExplanation.Bit(batch.offsets()[i], read.isSet(i)));
    }
    return new KeyExplanation(key, bits, answer, reason(batch.string(), read, answer));
  }

  private String reason(BitString string, Bits read, Membership answer) {
    String where = "the string '" + string.name() + "'" + strings.place(string);
    if (!read.isThere()) {
      String what = read.missing() ? "is missing" : "is of another type than string";
      String so =
          answer == Membership.ABSENT
              ? ", and bitmap.missing says that its keys are absent."
              : ", so nothing is certain.";
      return "In Redis, " + where + " " + what + so;
    }
    return (answer == Membership.ABSENT
            ? "At least one bit of the key is not set in "
            : "Every bit of the key is set in ")
        + where
        + ".";
  }

  @Override
  public int clear() {
    if (!bitmap.allowClear()) {
      throw new ClearRefusedException(
          ("Filter '%s' is shared with other programs and may not be cleared: set"
                  + " bloomguard.filters.%s.bitmap.allow-clear: true if it may")
              .formatted(bitmap.filter(), bitmap.filter()));
    }
    List<LuaScript.Call> calls = strings.all().stream().map(BitString::clear).toList();
    for (int i = 0; i < calls.size(); i++) {
      if (!calls.get(i).await(RedisConnections.SLOW).ok()) {
        throw new ClearRefusedException(
            "The key '%s' in Redis is of another type than string"
                .formatted(strings.all().get(i).name()));
      }
    }
    return calls.size();
  }

  /** The other program is its source, and a start never creates it. */
  @Override
  public void serveEmpty(FilterShape shape) {}

  @Override
  public void maintain() {
    strings.used().forEach(string -> string.requests().verify());
    super.maintain();
    warningLog.look(warnings(), List.of());
    if (rotateAtFill != null && System.nanoTime() - nextLook >= 0) {
      nextLook = System.nanoTime() + LOOK_NANOS;
      clearPast(rotateAtFill);
    }
  }

  /** By the fill of a sample: no command counts the whole strings. */
  private void clearPast(double most) {
    FilterStatus status = status();
    if (status.state() == FilterState.READY && status.fillRatio() > most) {
      log.warn(
          "Filter '{}': clears its strings, because their fill ratio {} is past {}",
          bitmap.filter(),
          status.fillRatio(),
          most);
      clear();
    }
  }
}
