package io.bloomguard.redis.internal.partition;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.image.PartitionKeys;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which copies a writer has still to wait for, by what the register says. */
class CopyWaitTest {

  private static final String COPY = "copy:a";

  private final KnownLosses losses = new KnownLosses(Duration.ZERO, () -> 0);

  /** Of a Redis that is away: it is not asked here. */
  private final CopyRegister register =
      new CopyRegister(
          new RedisLink(
              () -> {
                throw new RedisUnavailableException("away", null);
              },
              Duration.ofSeconds(1)),
          new PartitionKeys("bloomguard", "items", 0, false),
          Duration.ZERO);

  @Test
  void takesOffACopyThatHasReportedTheWrite() {
    CopyWait wait = wait("5-0", "3-0");

    assertThat(wait.saw(look("image", "4-0"))).isFalse();
    assertThat(wait.saw(look("other", "5-0"))).isFalse();
    assertThat(wait.left(0)).isPositive();
    assertThat(wait.saw(look("image", "5-0"))).isTrue();
    assertThat(wait.left(0)).isZero();
  }

  @Test
  void believesNoRegisterFromBeforeTheWriteOrOfOtherLosses() {
    CopyWait wait = wait("5-0", "3-0");

    assertThat(wait.saw(new CopyWait.Register("s", 7, "hash", 99, "image", false, Map.of())))
        .isFalse();
    assertThat(wait.saw(new CopyWait.Register("s", 8, "hash", 100, "image", false, Map.of())))
        .isFalse();
    assertThat(wait.saw(new CopyWait.Register("t", 7, "hash", 100, "image", false, Map.of())))
        .isFalse();
    assertThat(wait.saw(new CopyWait.Register("s", 7, "hash", 100, "image", false, Map.of())))
        .isTrue();
  }

  /** A chunk that was refused is sent again, and may run after the chunks behind it. */
  @Test
  void onlyALaterScriptTellsOfAllThatMayLackAnEarlierOne() {
    CopyWait former = wait("server", "1", "scheme", "100");
    assertThat(wait("server", "1", "scheme>next", "101").includes(former)).isTrue();
    assertThat(wait("server", "1", "scheme", "99").includes(former)).isFalse();
    assertThat(wait("other", "1", "scheme", "101").includes(former)).isFalse();
    assertThat(wait("server", "2", "scheme", "101").includes(former)).isFalse();
    assertThat(wait("server", "1", "other", "101").includes(former)).isFalse();
  }

  private CopyWait wait(String need, String position) {
    return answer("s", "7", "hash", "100", "image", need, COPY, entry("image", position));
  }

  private CopyWait wait(String server, String losses, String scheme, String beat) {
    return answer(server, losses, scheme, beat, "image", "1-0");
  }

  private CopyWait answer(String... fields) {
    return new CopyWait(
        register,
        new LuaScript.Reply(
            Stream.of(fields).<Object>map(field -> field.getBytes(US_ASCII)).toList()),
        0,
        losses,
        0);
  }

  private static CopyWait.Register look(String image, String position) {
    return new CopyWait.Register(
        "s", 7, "hash", 100, "image", false, Map.of(COPY, entry(image, position)));
  }

  private static String entry(String image, String position) {
    return image + "|" + position + "|200|1";
  }
}
