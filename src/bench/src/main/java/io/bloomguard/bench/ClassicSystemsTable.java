package io.bloomguard.bench;

import io.bloomguard.bench.Turns.Times;
import io.bloomguard.bench.Turns.Work;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/** Each classic system beside our own layout, on the same words and the same backend. */
@Suite(
    order = 62,
    title = "Classic systems beside our own layout",
    text =
        """
        200,000 words of 4 to 12 lower-case letters, always the same, all distinct, in the heap or in a Redis on the
        loopback interface. Beside each classic stands a filter of the layout `blocked` on the same backend (`local` for
        `local, …`, else `redis` on the same server), sized for the false-positive probability that the classic's formula
        gives. `ratio` is the classic over ours: above 1 it is that many times more expensive. Read the ratios: the machine had other
        work, which `theirs` and `ours` show.

        `SETBIT` is the PHP program's way: 20 bits a word in one string and 14 seeded BKDR hashes, for each a command, which
        waits for the one before or is in one pipeline with them. `redis-bitmap, bkdr-seeded` does the same by our scripts;
        `…, 2 servers` has two strings of 10 bits a word each, chosen by CRC-32; `redis-bitmap, bkdr,sdbm,js` has 20 bits a
        word and 3 hashes. The others are made for 1 %: `redis-bloom` (the module on the server that
        `-Dbloomguard.test.redisbloom=host:port` names), `counting`, a `window` of six generations, the last one not quite full,
        `per-subject` with 1,000 words for each subject, and Guava's layout.

        `load` fills a filter: by a build if there is one, as ours always has, else by 1,000 words a call. `add` and
        `check` are a word a call, which is new or there; `add x1000` and `check x1000` are 1,000 words a call, which are
        new or not there. Both filters of a row are timed in turns. `ratio` is the median over 4 (`load`), 10 or 19 blocks of
        turns, each by its median turn; eight in ten blocks lie from `low` to `high`. `memory` is that of the bits, of `per-subject` that of
        key, expiry and index besides. `formula` and `false positives` are shares, the latter counted among 200,000 other words.
        """)
final class ClassicSystemsTable implements FigureTable {

  private static final int WORDS = BenchForm.size(200_000, 5_000);

  /** What a load takes; the others are added after it. */
  private static final int LOADED = BenchForm.size(145_000, 2_000);

  private static final Turns LOADS = new Turns(BenchForm.size(4, 1), 1);
  private static final Turns ADDS = new Turns(BenchForm.size(10, 1), BenchForm.size(3, 1));
  private static final Turns SINGLES = new Turns(BenchForm.size(10, 1), BenchForm.size(20, 1));
  private static final Turns CHECKS = new Turns(BenchForm.size(19, 1), BenchForm.size(10, 2));
  private static final int SINGLES_FROM = LOADED + ADDS.all() * Side.BATCH;

  private static final List<String> MEASURES =
      List.of(
          "load",
          "add",
          "add x1000",
          "check",
          "check x1000",
          "memory",
          "formula",
          "false positives");

  private final List<String> words;
  private final List<String> others;

  /** By measure, so that a reader compares the systems. */
  private final Map<String, List<Map<String, Object>>> rows = new LinkedHashMap<>();

  ClassicSystemsTable() {
    MEASURES.forEach(measure -> rows.put(measure, new ArrayList<>()));
    List<List<String>> lists = Words.lists(2, WORDS);
    words = lists.get(0);
    others = lists.get(1);
  }

  @Override
  public List<Map<String, Object>> rows() {
    try {
      ClassicContestants.forEach(WORDS, this::compare);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!RedisBloom.isThere()) {
      row("check", "redis-bloom").put("why not", RedisBloom.WHY_NOT);
    }
    return rows.values().stream().flatMap(List::stream).toList();
  }

  private void compare(Contestant contestant) {
    Side theirs = contestant.theirs();
    Side ours = contestant.ours();
    if (!contestant.takesBatches()) {
      ours.build(words.subList(0, LOADED));
      singles(contestant);
      return;
    }
    times("load", contestant, LOADS.of(load(theirs), load(ours)));
    times("add x1000", contestant, ADDS.of(add(theirs), add(ours)));
    singles(contestant);
    checks(contestant);
    figures("formula", contestant, "share", theirs.formula(), ours.formula());
    figures(
        "memory",
        contestant,
        "bytes/key",
        (double) theirs.bytes().getAsLong() / WORDS,
        (double) ours.bytes().getAsLong() / WORDS);
  }

  private Work load(Side side) {
    if (side.builds() != null) {
      return new Work(LOADED, turn -> side.build(words.subList(0, LOADED)));
    }
    int part = LOADED / LOADS.all();
    return new Work(part, turn -> side.addAll(slice(words, turn, part), turn * part));
  }

  private Work add(Side side) {
    int first = LOADED / Side.BATCH;
    return new Work(
        Side.BATCH,
        turn -> side.addAll(slice(words, first + turn, Side.BATCH), (first + turn) * Side.BATCH));
  }

  private void singles(Contestant contestant) {
    times(
        "add",
        contestant,
        SINGLES.of(
            single(contestant, contestant.theirs()::addOneByOne),
            single(contestant, contestant.ours()::addOneByOne)));
    // The same words, so that they are there.
    times(
        "check",
        contestant,
        SINGLES.of(
            single(contestant, contestant.theirs()::find),
            single(contestant, contestant.ours()::find)));
  }

  private Work single(Contestant contestant, ObjIntConsumer<List<String>> calls) {
    int each = contestant.callsOfATurn();
    return new Work(
        each,
        turn -> {
          int first = SINGLES_FROM + turn * each;
          calls.accept(words.subList(first, first + each), first);
        });
  }

  /** Asks for other words, once all words are in. */
  private void checks(Contestant contestant) {
    addTheRest(contestant, contestant.theirs());
    addTheRest(contestant, contestant.ours());
    long[] passed = new long[2];
    times(
        "check x1000",
        contestant,
        CHECKS.of(
            new Work(Side.BATCH, turn -> passed[0] += passed(contestant.theirs(), turn)),
            new Work(Side.BATCH, turn -> passed[1] += passed(contestant.ours(), turn))));
    double asked = (double) CHECKS.all() * CHECKS.turns() * Side.BATCH;
    figures("false positives", contestant, "share", passed[0] / asked, passed[1] / asked);
  }

  private int passed(Side side, int turn) {
    return side.possiblyPresent(slice(others, turn, Side.BATCH), turn * Side.BATCH);
  }

  private void addTheRest(Contestant contestant, Side side) {
    int from = SINGLES_FROM + SINGLES.all() * SINGLES.turns() * contestant.callsOfATurn();
    side.addAll(words.subList(from, WORDS), from);
  }

  private static List<String> slice(List<String> words, int number, int each) {
    return words.subList(number * each, (number + 1) * each);
  }

  private void times(String measure, Contestant contestant, Times times) {
    Map<String, Object> row = figures(measure, contestant, "ns/key", times.theirs(), times.ours());
    row.put("ratio", times.ratio());
    row.put("low", times.low());
    row.put("high", times.high());
  }

  private Map<String, Object> figures(
      String measure, Contestant contestant, String unit, double theirs, double ours) {
    Map<String, Object> row = row(measure, contestant.name());
    row.put("unit", unit);
    row.put("theirs", theirs);
    row.put("ours", ours);
    row.put("ratio", theirs / ours);
    return row;
  }

  private Map<String, Object> row(String measure, String contestant) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("measure", measure);
    row.put("contestant", contestant);
    rows.get(measure).add(row);
    return row;
  }
}
