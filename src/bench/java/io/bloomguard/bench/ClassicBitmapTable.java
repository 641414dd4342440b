package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.classic.BitOffsets;
import io.bloomguard.filter.classic.StringChoice;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.bitmap.SharedBitmap;
import io.bloomguard.redis.bitmap.SharedBitmapStore;
import io.bloomguard.redis.client.RedisEnforcement;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The classic bitmap of PHP programs beside our own layout, on the same words. */
@Suite(
    order = 62,
    title = "Bitmaps that PHP programs share, beside our own layout",
    text =
        """
        Words of 4 to 12 lower-case letters, always the same, in a Redis on the loopback interface. The classic has 20 bits a
        word and 14 seeded BKDR hashes, for which the formula says 6.7e-5. Its bits are set one command after the other, in one
        pipeline a word as the PHP program does, and in the scripts of the backend `redis-bitmap`, 1,000 words a call. The
        backend `redis` is sized for the rate that the classic is measured with, about 3e-4. `measured` is the share of
        words that pass although they were not added. Times are of one run, a word: read them as ratios.
        """)
final class ClassicBitmapTable implements FigureTable {

  private static final int WORDS = BenchForm.size(1_000_000, 5_000);
  private static final int ONE_BY_ONE = BenchForm.size(2_000, 100);
  private static final int PIPELINED = BenchForm.size(20_000, 200);
  private static final int BATCH = 1_000;
  private static final int BITS_A_WORD = 20;
  private static final int HASHES = 14;
  private static final double RATE = 3e-4;

  private final List<Map<String, Object>> rows = new ArrayList<>();
  private final List<String> added = words(1);
  private final List<String> others = others();
  private final BitOffsets offsets = BitOffsets.seeded((long) WORDS * BITS_A_WORD, HASHES);

  @Override
  public List<Map<String, Object>> rows() {
    try (BenchRedis redis = new BenchRedis()) {
      RedisCommands<byte[], byte[]> commands = redis.connection().sync();
      RedisAsyncCommands<byte[], byte[]> pipeline = redis.connection().async();
      single("SETBIT, one by one", ONE_BY_ONE, word -> setOneByOne(commands, word));
      single("SETBIT, a pipeline a word", PIPELINED, word -> setTogether(pipeline, word));
      store("redis-bitmap", classic(redis), (double) BITS_A_WORD, formula());
      FilterShape shape = Sizing.blocked(WORDS, RATE, 2);
      GenerationStore ours = redis.bloomguard("words", shape);
      ours.serveEmpty(shape);
      store("redis", ours, (double) shape.bits() / WORDS, RATE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private GenerationStore classic(BenchRedis redis) {
    long bits = offsets.reachable();
    return new SharedBitmapStore(
        new SharedBitmap(
            "words",
            new FilterShape(Layout.CLASSIC, WORDS, RATE, bits, 0, HASHES),
            "classic",
            true,
            offsets,
            new StringChoice(1, 1),
            List.of(redis.connections()),
            false,
            true,
            false,
            KeyFolding.EXACT),
        RedisEnforcement.beside("words", redis.connections(), "bloomguard"));
  }

  private static double formula() {
    return Math.pow(1 - Math.exp(-(double) HASHES / BITS_A_WORD), HASHES);
  }

  private void single(String contestant, int count, Consumer<String> add) {
    long began = System.nanoTime();
    added.subList(0, count).forEach(add);
    row(contestant, (double) BITS_A_WORD, micros(began, count), null, null, null);
  }

  private void store(String contestant, GenerationStore store, double bits, double expected) {
    long began = System.nanoTime();
    for (int from = 0; from < WORDS; from += BATCH) {
      store.addAll(added.subList(from, from + BATCH));
    }
    double add = micros(began, WORDS);
    began = System.nanoTime();
    long passed = 0;
    for (int from = 0; from + BATCH <= others.size(); from += BATCH) {
      for (Membership answer : store.checkAll(others.subList(from, from + BATCH))) {
        passed += answer == Membership.ABSENT ? 0 : 1;
      }
    }
    int asked = others.size() / BATCH * BATCH;
    row(contestant, bits, add, micros(began, asked), expected, (double) passed / asked);
  }

  private void row(
      String contestant,
      double bits,
      double add,
      @Nullable Double check,
      @Nullable Double expected,
      @Nullable Double measured) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("keys", String.valueOf(WORDS));
    row.put("contestant", contestant);
    row.put("bitsPerKey", bits);
    row.put("addMicros", add);
    row.put("checkMicros", check);
    row.put("formula", expected);
    row.put("measured", measured);
    rows.add(row);
  }

  private static double micros(long began, int count) {
    return (System.nanoTime() - began) / 1e3 / count;
  }

  private void setOneByOne(RedisCommands<byte[], byte[]> commands, String word) {
    for (long offset : bits(word)) {
      commands.setbit("one".getBytes(US_ASCII), offset, 1);
    }
  }

  private void setTogether(RedisAsyncCommands<byte[], byte[]> pipeline, String word) {
    List<RedisFuture<Long>> answers = new ArrayList<>();
    for (long offset : bits(word)) {
      answers.add(pipeline.setbit("pipe".getBytes(US_ASCII), offset, 1));
    }
    answers.forEach(answer -> answer.toCompletableFuture().join());
  }

  private long[] bits(String word) {
    long[] bits = new long[HASHES];
    offsets.write(word.getBytes(US_ASCII), bits, 0);
    return bits;
  }

  private List<String> others() {
    Set<String> there = new HashSet<>(added);
    return words(2).stream().filter(word -> !there.contains(word)).toList();
  }

  private static List<String> words(long seed) {
    Random random = new Random(seed);
    List<String> words = new ArrayList<>(WORDS);
    for (int i = 0; i < WORDS; i++) {
      byte[] word = new byte[4 + random.nextInt(9)];
      for (int letter = 0; letter < word.length; letter++) {
        word[letter] = (byte) ('a' + random.nextInt(26));
      }
      words.add(new String(word, US_ASCII));
    }
    return words;
  }
}
