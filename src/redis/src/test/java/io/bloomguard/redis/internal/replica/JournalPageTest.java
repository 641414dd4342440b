package io.bloomguard.redis.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.internal.image.JournalId;
import io.bloomguard.redis.internal.replica.JournalPage.Position;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which looks at a journal have missed something. */
class JournalPageTest {

  @Test
  void idsAreOrderedAsRedisOrdersThem() {
    assertThat(JournalId.parse("9-10"))
        .isGreaterThan(JournalId.parse("9-9"))
        .isLessThan(JournalId.parse("10-0"));
    assertThat(JournalId.parse("12-3")).hasToString("12-3");
  }

  @Test
  void nothingNewIsNoGap() {
    assertThat(look("5-0", "5-0", null, 7, 0).next(at("5-0", 7))).isEqualTo(at("5-0", 7));
    assertThat(look("0-0", "0-0", null, 0, 0).next(at("0-0", 0))).isEqualTo(at("0-0", 0));
  }

  @Test
  void whatIsCountedIsWhole() {
    assertThat(look("9-0", "9-0", "1-0", 10, 3).next(at("5-0", 7))).isEqualTo(at("9-0", 10));
    assertThat(look("9-0", "9-0", "6-0", 10, 3).next(at("5-0", 7))).isEqualTo(at("9-0", 10));
    assertThat(look("9-0", "9-0", "6-0", 11, 3).next(at("5-0", 7))).isNull();
    assertThat(look("9-0", "9-0", "6-0", 3, 3).next(at("5-0", 7))).isNull();
  }

  @Test
  void entriesThatAreGoneAreAGap() {
    assertThat(look("9-0", "9-0", null, 10, 0).next(at("5-0", 7))).isNull();
    assertThat(look("8-0", "9-0", "6-0", 10, 2).next(at("5-0", 7))).isNull();
    assertThat(look("3-0", "3-0", "1-0", 3, 0).next(at("5-0", 7))).isNull();
    assertThat(look("0-0", "0-0", null, 0, 0).next(at("5-0", 7))).isNull();
  }

  @Test
  void aJournalMayBeginAfterTheLook() {
    assertThat(look("9-0", "9-0", "6-0", 3, 3).next(at("0-0", 0))).isEqualTo(at("9-0", 3));
    assertThat(look("9-0", "9-0", "6-0", 4, 3).next(at("0-0", 0))).isNull();
  }

  /** Redis before 7 does not count: an old entry must still be there. */
  @Test
  void withoutACountTheJournalMustReachBack() {
    assertThat(look("9-0", "9-0", "5-0", -1, 3).next(at("5-0", -1))).isEqualTo(at("9-0", -1));
    assertThat(look("9-0", "9-0", "6-0", -1, 3).next(at("5-0", -1))).isNull();
    assertThat(look("5-0", "5-0", null, -1, 0).next(at("5-0", -1))).isEqualTo(at("5-0", -1));
  }

  @Test
  void aFullPageIsFollowedByAnother() {
    JournalPage page = look("8-0", "9-0", "1-0", 900, JournalPage.PAGE);
    assertThat(page.complete()).isFalse();
    assertThat(page.next(at("5-0", 7))).isEqualTo(at("8-0", 7 + JournalPage.PAGE));
  }

  private static Position at(String id, long ever) {
    return new Position(JournalId.parse(id), ever);
  }

  private static JournalPage look(
      String end, String last, @Nullable String first, long ever, int entries) {
    return new JournalPage(
        1,
        1,
        true,
        JournalId.parse(end),
        JournalId.parse(last),
        first == null ? null : JournalId.parse(first),
        ever,
        List.copyOf(Collections.nCopies(entries, new byte[8])));
  }
}
