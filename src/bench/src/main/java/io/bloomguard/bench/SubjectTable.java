package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.bench.Turns.Times;
import io.bloomguard.bench.Turns.Work;
import io.bloomguard.classic.internal.subject.SubjectGenerations;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.guard.Membership;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** What a million subjects take in Redis, as filters and as sets. */
@Suite(
    order = 44,
    title = "A filter for each of a million subjects beside a Redis SET",
    brief =
        """
        For 1,000 keys each at 1 %, in one Redis. `memory, all` of the sets is extrapolated from 2,200, that of the filters is measured. The machine had other work: read the ratios, the set over the filter.
        """,
    columns = {"measure", "unit", "SET", "filter", "ratio"},
    text =
        """
        A million subjects have a filter each, for 1,000 keys at 1 %, all in one Redis (`-Dbench.subjects` makes fewer). A
        subject's filter takes its memory with the first add, so `memory` is that of a million filters with 10 keys each:
        the growth of Redis' `used_memory`. Of them 2,200 get all their 1,000 keys, such as `article-104729`, and beside each
        stands a `SET` with the same keys. More sets would not fit: `memory, all` of the sets is the memory of 2,200,
        times the number of subjects; that of the filters is measured.

        `add x1000` and `check x1000` take the 1,000 keys of a subject in one call (`SADD` and `SMISMEMBER` in one command,
        the filter in scripts of 200 keys), `check` is a call with one key. Both are timed in turns, by one thread, while
        the million filters are there; `ratio` is the set over the filter, the median over 10 blocks of 200 calls, of
        which eight in ten lie from `low` to `high`. `false positives` is the share of 1,000 keys that the subject
        does not have, of each of the 2,200. Read the ratios: the machine had other work, which the times show.
        """)
final class SubjectTable implements FigureTable {

  private static final int SUBJECTS =
      BenchForm.size(Integer.getInteger("bench.subjects", 1_000_000), 20);
  private static final Turns TURNS = new Turns(BenchForm.size(10, 1), BenchForm.size(200, 3));
  private static final int FULL = Math.min(SUBJECTS, TURNS.all() * TURNS.turns());
  private static final int KEYS = 1_000;
  private static final int FIRST_KEYS = 10;
  private static final int CALLERS = 64;
  private static final double P = 0.01;

  private final FilterShape shape = Sizing.blocked(KEYS, P, Sizing.fewestBlockWords(P));
  private final List<Map<String, Object>> rows = new ArrayList<>();

  @Override
  public List<Map<String, Object>> rows() {
    try (BenchRedis redis = new BenchRedis()) {
      SubjectGenerations filters = redis.subjects(shape, SUBJECTS + 1);
      RedisCommands<byte[], byte[]> sets = redis.connection().sync();
      filters.of("warm-up").addAll(keys(0));
      long empty = redis.usedMemory();
      make(filters);
      long filterBytes = redis.usedMemory() - empty;
      fill(redis, filters, sets, filterBytes);
      ask(filters, sets);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  /** Makes all filters, by callers enough that Redis always has something to do. */
  private static void make(SubjectGenerations filters) {
    ForkJoinPool callers = new ForkJoinPool(CALLERS);
    callers
        .submit(
            () ->
                IntStream.range(0, SUBJECTS)
                    .parallel()
                    .forEach(i -> BenchRedis.add(filters.of(name(i)), keys(i, FIRST_KEYS))))
        .join();
    callers.shutdown();
  }

  private void fill(
      BenchRedis redis,
      SubjectGenerations filters,
      RedisCommands<byte[], byte[]> sets,
      long filterBytes) {
    long before = redis.usedMemory();
    Times adds =
        TURNS.of(
            work(KEYS, i -> sets.sadd(name(i).getBytes(US_ASCII), bytes(keys(i)))),
            work(KEYS, i -> BenchRedis.add(filters.of(name(i)), keys(i))));
    // The filters were as large before.
    double setBytes = (double) (redis.usedMemory() - before) / FULL;
    figures("memory", "bytes/subject", setBytes, (double) filterBytes / SUBJECTS);
    double gigabytes = 1 << 30;
    figures("memory, all", "GiB", setBytes * SUBJECTS / gigabytes, filterBytes / gigabytes);
    times("add x1000", adds);
  }

  private void ask(SubjectGenerations filters, RedisCommands<byte[], byte[]> sets) {
    times(
        "check x1000",
        TURNS.of(
            work(KEYS, i -> expectPresent(sets, i, keys(i))),
            work(KEYS, i -> expectPresent(filters, i, keys(i)))));
    times(
        "check",
        TURNS.of(
            work(1, i -> expectPresent(sets, i, keys(i, 1))),
            work(1, i -> expectPresent(filters, i, keys(i, 1)))));
    long passed = 0;
    for (int i = 0; i < FULL; i++) {
      Membership[] others = filters.of(name(i)).checkAll(keys(i + SUBJECTS));
      passed += BenchRedis.count(Membership.POSSIBLY_PRESENT, others);
    }
    figures("false positives", "share", 0, (double) passed / FULL / KEYS);
  }

  private static Work work(int keys, IntConsumer turn) {
    return new Work(keys, i -> turn.accept(i % FULL));
  }

  private static void expectPresent(
      RedisCommands<byte[], byte[]> sets, int subject, List<String> keys) {
    if (sets.smismember(name(subject).getBytes(US_ASCII), bytes(keys)).contains(false)) {
      throw new IllegalStateException("A key of the set was denied");
    }
  }

  private static void expectPresent(SubjectGenerations filters, int subject, List<String> keys) {
    BenchRedis.expectPresent(filters.of(name(subject)).checkAll(keys));
  }

  private static String name(int subject) {
    return "subject-" + subject;
  }

  /** No two subjects have the same ones. */
  private static List<String> keys(int subject) {
    return keys(subject, KEYS);
  }

  private static List<String> keys(int subject, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "article-" + ((long) subject * KEYS + i))
        .toList();
  }

  private static byte[][] bytes(List<String> keys) {
    return keys.stream().map(key -> key.getBytes(US_ASCII)).toArray(byte[][]::new);
  }

  private void times(String measure, Times times) {
    Map<String, Object> row = figures(measure, "ns/key", times.theirs(), times.ours());
    row.put("ratio", times.ratio());
    row.put("low", times.low());
    row.put("high", times.high());
  }

  private Map<String, Object> figures(String measure, String unit, double set, double filter) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("subjects", String.valueOf(SUBJECTS));
    row.put("measure", measure);
    row.put("unit", unit);
    row.put("SET", set);
    row.put("filter", filter);
    if (set > 0) {
      row.put("ratio", set / filter);
    }
    rows.add(row);
    return row;
  }
}
