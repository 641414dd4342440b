package io.bloomguard.redis.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.guard.Enforcement.Proof;
import io.bloomguard.guard.Enforcement.Standing;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.generation.SchemeStore;
import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Processes of version 0.9 beside those of this one: mode, disarming and a feed's position are what
 * either has written last. The resources are that version's scripts, as it sends them.
 */
class FormerFactsTest extends RedisTestBase {

  private SchemeStore here;
  private FeedRecord feed;

  @BeforeEach
  void build() {
    here = store(first);
    build(here, SHAPE, List.of("1"));
    feed = settings(first, SHAPE).feedRecord(SECRET);
  }

  /** Answers outcome, revision, 1 or 0, mode, generation and hashes. */
  private List<String> former(long revision, String known, String what, long wrong, String hashes)
      throws IOException {
    String[] parts = known.split(",", -1);
    return run(
        "enforce-0.9.lua",
        Long.toString(revision),
        parts[0],
        parts[1],
        what,
        Long.toString(wrong),
        hashes,
        Integer.toString(Proof.MOST));
  }

  private List<String> former(String what) throws IOException {
    return former(0, "0,", what, 0, "");
  }

  /** Answers outcome, reader, begun, built, age and position. */
  private List<String> formerFeed(String what, String number, String position, String age)
      throws IOException {
    return run("feed-0.9.lua", what, number, position, age);
  }

  private List<String> run(String script, String... arguments) throws IOException {
    try (InputStream in = FormerFactsTest.class.getResourceAsStream(script)) {
      byte[][] args =
          Arrays.stream(arguments).map(text -> text.getBytes(UTF_8)).toArray(byte[][]::new);
      List<byte[]> answer =
          redis
              .commands()
              .eval(in.readAllBytes(), ScriptOutputType.MULTI, new byte[][] {key("head")}, args);
      return answer.stream().map(part -> new String(part, UTF_8)).toList();
    }
  }

  private Standing seen() {
    here.maintain();
    return here.enforcement().standing();
  }

  @Test
  void whatTheFormerVersionDisarmsIsDisarmedHere() throws IOException {
    here.maintain();
    former(0, "0,", "disarm", 1, "abc,");
    assertThat(seen()).isEqualTo(new Standing(true, null));
    assertThat(here.enforcement().proof()).isEqualTo(new Proof(1, List.of("abc")));
    former(0, "0,", "disarm", 1, "def,");
    assertThat(seen()).isEqualTo(new Standing(true, null));
    assertThat(here.enforcement().proof()).isEqualTo(new Proof(1, List.of("abc", "def")));
    former("observe");
    former("arm");
    assertThat(seen()).isEqualTo(new Standing(false, FilterMode.OBSERVE));
  }

  @Test
  void whatIsDisarmedHereTheFormerVersionFindsDisarmed() throws IOException {
    here.enforcement().disarm(1, "abc");
    here.maintain();
    assertThat(former("").subList(2, 6)).containsExactly("1", "", "1", "abc,");
    here.enforcement().mode(FilterMode.OBSERVE);
    assertThat(former("").subList(2, 6)).containsExactly("1", "observe", "1", "abc,");
    here.enforcement().arm(true);
    assertThat(former("").subList(2, 6)).containsExactly("0", "observe", "0", "");
  }

  /** Each version has its turn, and no older state comes back. */
  @Test
  void theLatestChangeOfEitherVersionCounts() throws IOException {
    for (int turn = 0; turn < 3; turn++) {
      former("disarm");
      assertThat(seen().disarmed()).isTrue();
      here.enforcement().arm();
      assertThat(former("").get(2)).isEqualTo("0");
      here.enforcement().disarm();
      here.maintain();
      List<String> there = former("");
      assertThat(there.get(2)).isEqualTo("1");
      // A process of that version gives Redis back what it knows.
      redis.commands().hdel(key("head"), "enforcement".getBytes(UTF_8));
      former(Long.parseLong(there.get(1)), "1,", "", 0, "");
      former("arm");
      assertThat(seen().disarmed()).isFalse();
    }
  }

  @Test
  void whatWasDisarmedBeforeTheFirstProcessOfThisVersionStaysSo() throws IOException {
    redis.commands().del(key("facts"));
    former(0, "0,", "disarm", 1, "abc,");
    SchemeStore fresh = store(second);
    fresh.maintain();
    assertThat(fresh.enforcement().standing().disarmed()).isTrue();
    assertThat(fresh.enforcement().armFor(1)).as("it has rejected wrongly").isFalse();
    assertThat(fresh.enforcement().armFor(2)).isTrue();
    assertThat(former("").get(2)).isEqualTo("0");
  }

  @Test
  void aHeadWithoutItsFieldsGetsThemBack() throws IOException {
    here.enforcement().disarm(1, "abc");
    here.maintain();
    redis
        .commands()
        .hdel(
            key("head"),
            "enforcement".getBytes(UTF_8),
            "wrong".getBytes(UTF_8),
            "proven".getBytes(UTF_8));
    assertThat(seen().disarmed()).isTrue();
    assertThat(former("").subList(2, 6)).containsExactly("1", "", "1", "abc,");
  }

  @Test
  void aFeedGoesOnWhereTheFormerVersionWas() throws IOException {
    String theirs = formerFeed("claim", "0", "", "").get(1);
    formerFeed("begin", theirs, "0:5", "");
    assertThat(feed.read().position()).isEqualTo("0:5");
    formerFeed("advance", theirs, "0:6", "2000000");
    assertThat(feed.read().position()).isEqualTo("0:6");
    assertThat(feed.read().age()).isBetween(Duration.ofSeconds(2), Duration.ofMinutes(1));
    FeedRecord.Entry mine = feed.claim();
    assertThat(mine.position()).isEqualTo("0:6");
    assertThat(mine.reader()).isGreaterThan(Long.parseLong(theirs));
    assertThat(formerFeed("advance", theirs, "0:7", "")).containsExactly("fenced");
    feed.advance(mine.reader(), "0:8", Duration.ZERO);
    assertThat(formerFeed("read", "0", "", "").get(5)).isEqualTo("0:8");
  }

  @Test
  void theFormerVersionGoesOnWhereAFeedIs() throws IOException {
    long mine = feed.claim().reader();
    FeedRecord.Entry begun = feed.begin(mine, "0:5");
    feed.built(begun.begun());
    List<String> there = formerFeed("claim", "0", "", "");
    assertThat(there.subList(2, 6))
        .containsExactly(Long.toString(begun.begun()), Long.toString(begun.begun()), "", "0:5");
    formerFeed("advance", there.get(1), "0:6", "");
    assertThat(feed.advance(mine, "0:7", null)).as("another reads").isNull();
    assertThat(feed.read().position()).isEqualTo("0:6");
    assertThat(feed.read().isCovered()).isTrue();
    // A build of this version notes its end beside a reader of the former one.
    feed.built(begun.begun() + 1);
    formerFeed("advance", there.get(1), "0:9", "");
    assertThat(feed.read().position()).isEqualTo("0:9");
    assertThat(feed.read().built()).isEqualTo(begun.begun() + 1);
  }

  /** That version makes heads without a lineage, which the first process of this one draws. */
  @Test
  void aFeedOutlivesTheDrawingOfALineage() {
    byte[] lineage = redis.commands().hget(key("head"), "lineage".getBytes(UTF_8));
    redis.commands().hdel(key("head"), "lineage".getBytes(UTF_8));
    long mine = feed.claim().reader();
    feed.begin(mine, "0:5");
    redis.commands().hset(key("head"), "lineage".getBytes(UTF_8), lineage);
    assertThat(feed.advance(mine, null, Duration.ZERO)).isNotNull();
    assertThat(feed.read().position()).isEqualTo("0:5");
  }

  /** As of a version that no longer writes into the head. */
  @Test
  void factsAloneAreEnough() {
    long mine = feed.claim().reader();
    feed.begin(mine, "0:5");
    here.enforcement().disarm();
    here.maintain();
    redis
        .commands()
        .hdel(
            key("head"),
            "enforcement".getBytes(UTF_8),
            "feed".getBytes(UTF_8),
            "feed-told".getBytes(UTF_8));
    SchemeStore other = store(second);
    other.maintain();
    assertThat(other.enforcement().standing().disarmed()).isTrue();
    assertThat(settings(second, SHAPE).feedRecord(SECRET).read().position()).isEqualTo("0:5");
    assertThat(feed.advance(mine, "0:6", null)).isNotNull();
  }
}
