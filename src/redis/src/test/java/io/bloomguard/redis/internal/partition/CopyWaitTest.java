package io.bloomguard.redis.internal.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.internal.client.LuaScript;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which of the waits of one call includes another. */
class CopyWaitTest {

  private final KnownLosses losses = new KnownLosses(Duration.ZERO, System::nanoTime);

  /** A chunk that was refused is sent again, and may run after the chunks behind it. */
  @Test
  void onlyALaterScriptTellsOfAllThatMayLackAnEarlierOne() {
    CopyWait former = wait("server", "1", "scheme", 100);
    assertThat(wait("server", "1", "scheme>next", 101).replaces(former)).isTrue();
    assertThat(wait("server", "1", "scheme", 99).replaces(former)).isFalse();
    assertThat(wait("other", "1", "scheme", 101).replaces(former)).isFalse();
    assertThat(wait("server", "2", "scheme", 101).replaces(former)).isFalse();
    assertThat(wait("server", "1", "other", 101).replaces(former)).isFalse();
  }

  private CopyWait wait(String server, String epoch, String scheme, long beat) {
    List<Object> reply =
        Arrays.asList(
            server.getBytes(UTF_8),
            epoch.getBytes(UTF_8),
            scheme.getBytes(UTF_8),
            Long.toString(beat).getBytes(UTF_8),
            "1-1".getBytes(UTF_8),
            "1-0".getBytes(UTF_8));
    return new CopyWait(new LuaScript.Reply(reply), 0, losses, System.nanoTime());
  }
}
