package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.redis.subject.SubjectGenerations;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What many subjects take in Redis, as filters and as sets. */
@Suite(
    order = 44,
    title = "A filter for each subject beside a Redis SET",
    text =
        """
        Each subject has 1,000 keys such as `article-104729`, in a filter at 1 % of its own, and in a `SET`
        of its own. `bytes` is what Redis' `used_memory` has grown by for each subject; `addNs` and
        `checkNs` are for a key, with all keys of a subject in one call of one thread (`SADD` and `SMISMEMBER`
        take them in one command, the filter in scripts of 200 keys); `oneCheckNs` is a call with one key.
        `present` is the share of keys that pass although the subject does not have them. The number
        of subjects is `-Dbench.subjects`, 20,000 where it is not set.
        """)
final class SubjectTable implements FigureTable {

  private static final int SUBJECTS = Integer.getInteger("bench.subjects", 20_000);
  private static final int KEYS = 1_000;
  private static final double P = 0.01;
  private static final int ASKED = 200;

  private final int subjects = BenchForm.size(SUBJECTS, 50);

  @Override
  public List<Map<String, Object>> rows() {
    try (BenchRedis redis = new BenchRedis()) {
      List<Map<String, Object>> rows = new ArrayList<>();
      rows.add(row(redis, "bloomguard", new Filters(redis, subjects)));
      rows.add(row(redis, "SET", new Sets(redis)));
      return rows;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, Object> row(BenchRedis redis, String system, Contestant contestant) {
    contestant.add("warm-up", keys(0));
    long before = usedMemory(redis);
    long begin = System.nanoTime();
    for (int i = 0; i < subjects; i++) {
      contestant.add("subject-" + i, keys(i));
    }
    long adds = System.nanoTime() - begin;
    long bytes = usedMemory(redis) - before;
    int asked = Math.min(subjects, ASKED);
    begin = System.nanoTime();
    for (int i = 0; i < asked; i++) {
      if (contestant.present("subject-" + i, keys(i)) != KEYS) {
        throw new IllegalStateException("A key of a subject was denied");
      }
    }
    long checks = System.nanoTime() - begin;
    int passed = 0;
    for (int i = 0; i < asked; i++) {
      passed += contestant.present("subject-" + i, keys(i + subjects));
    }
    begin = System.nanoTime();
    for (int i = 0; i < asked; i++) {
      contestant.present("subject-" + i, keys(i).subList(0, 1));
    }
    long single = System.nanoTime() - begin;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("system", system);
    row.put("subjects", subjects);
    row.put("keys", KEYS);
    row.put("bytes", bytes / subjects);
    row.put("addNs", adds / ((long) subjects * KEYS));
    row.put("checkNs", checks / ((long) asked * KEYS));
    row.put("oneCheckNs", single / asked);
    row.put("present", (double) passed / (asked * KEYS));
    return row;
  }

  /** No two subjects have the same ones. */
  private static List<String> keys(int subject) {
    return IntStream.range(0, KEYS)
        .mapToObj(i -> "article-" + ((long) subject * KEYS + i))
        .toList();
  }

  private static long usedMemory(BenchRedis redis) {
    return redis
        .connection()
        .sync()
        .info("memory")
        .lines()
        .filter(line -> line.startsWith("used_memory:"))
        .mapToLong(line -> Long.parseLong(line.substring(12).strip()))
        .findFirst()
        .orElseThrow();
  }

  private interface Contestant {

    void add(String subject, List<String> keys);

    /** How many of the keys are there, or seem to be. */
    int present(String subject, List<String> keys);
  }

  private static final class Filters implements Contestant {

    private final SubjectGenerations store;

    Filters(BenchRedis redis, int subjects) {
      FilterShape shape = Sizing.blocked(KEYS, P, 1);
      store = redis.subjects(shape, subjects + 1);
    }

    @Override
    public void add(String subject, List<String> keys) {
      store.of(subject).addAll(keys);
    }

    @Override
    public int present(String subject, List<String> keys) {
      MembershipStore filter = store.of(subject);
      Membership[] answers = filter.checkAll(keys);
      return (int)
          Arrays.stream(answers).filter(answer -> answer == Membership.POSSIBLY_PRESENT).count();
    }
  }

  private static final class Sets implements Contestant {

    private final RedisCommands<byte[], byte[]> commands;

    Sets(BenchRedis redis) {
      commands = redis.connection().sync();
    }

    @Override
    public void add(String subject, List<String> keys) {
      commands.sadd(subject.getBytes(US_ASCII), bytes(keys));
    }

    @Override
    public int present(String subject, List<String> keys) {
      return (int)
          commands.smismember(subject.getBytes(US_ASCII), bytes(keys)).stream()
              .filter(there -> there)
              .count();
    }

    private static byte[][] bytes(List<String> keys) {
      return keys.stream().map(key -> key.getBytes(US_ASCII)).toArray(byte[][]::new);
    }
  }
}
