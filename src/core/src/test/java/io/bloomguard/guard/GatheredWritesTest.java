package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.PendingAdds;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The keys of one unit of work: each once, and no more than it may keep. */
@ExtendWith(OutputCaptureExtension.class)
class GatheredWritesTest {

  private static final int MAX_KEYS = 4;

  private final RecordedGuards guards =
      new RecordedGuards(Transactions.NONE, PendingWrites.NONE, "owners", "pets");
  private final GatheredWrites writes =
      new GatheredWrites(() -> guards, PendingAdds::await, MAX_KEYS);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void keysBeyondTheBoundFail(boolean begun) {
    gather();
    if (begun) {
      writes.begin();
    }
    gather();
    assertThatThrownBy(() -> writes.add("pets", "secret"))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("more than 4 keys of entities")
        .hasMessageContaining("Write in several transactions")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> writes.change("owners", 5)).isInstanceOf(AddFailedException.class);
    writes.end(End.ROLLED_BACK);
    assertThat(guards.isBarred("owners", 1)).isFalse();
  }

  @Test
  void aUnitThatFailsByTheBoundIsLoggedOnce(CapturedOutput output) {
    gather();
    for (int i = 0; i < 3; i++) {
      int key = 10 + i;
      assertThatThrownBy(() -> writes.add("pets", key)).isInstanceOf(AddFailedException.class);
    }
    assertThat(output).containsOnlyOnce("it has written more than 4 keys");
  }

  @Test
  void whatIsForgottenMakesRoom() {
    gather();
    writes.forget();
    assertThatCode(this::gather).doesNotThrowAnyException();
    assertThat(writes.gathered()).isEqualTo(MAX_KEYS);
  }

  @Test
  void theEndMakesRoom() {
    gather();
    writes.begin();
    writes.end(End.ROLLED_BACK);
    assertThatCode(this::gather).doesNotThrowAnyException();
  }

  @Test
  void aKeyWhoseWriteIsOpenIsNotAddedAgain() {
    gather();
    writes.begin();
    gather();
    writes.begin();
    assertThat(guards.adds("owners")).containsExactly(List.of("1", "2"));
  }

  @Test
  void theKeysOfDeletedRowsLeaveTheFilterWithTheCommitAlone() {
    writes.change("owners", 1);
    writes.begin();
    writes.gone("owners", 1);
    assertThat(guards.removed("owners")).isEmpty();
    writes.end(End.ROLLED_BACK);
    assertThat(guards.removed("owners")).as("of a unit that was rolled back").isEmpty();
    writes.change("owners", 1);
    writes.begin();
    writes.gone("owners", 1);
    writes.end(End.COMMITTED);
    assertThat(guards.removed("owners")).containsExactly("1");
    writes.end(End.COMMITTED);
    assertThat(guards.removed("owners")).as("once").hasSize(1);
  }

  @Test
  void aKeyThatTheUnitAddsAfterItsRowWasDeletedStays() {
    writes.add("owners", 1);
    writes.begin();
    writes.change("owners", 1);
    writes.gone("owners", 1);
    writes.add("owners", 1);
    writes.begin();
    writes.end(End.COMMITTED);
    assertThat(guards.adds("owners")).as("added once").hasSize(1);
    assertThat(guards.removed("owners")).isEmpty();
  }

  @Test
  void aKeyWhoseChangeHasNotBegunIsNotRemoved() {
    writes.gone("owners", 1);
    writes.end(End.COMMITTED);
    assertThat(guards.removed("owners")).isEmpty();
  }

  /** As many keys as may be kept, of two filters and of both kinds. */
  private void gather() {
    writes.add("owners", 1);
    writes.update("owners", 3, 2);
    writes.addUnlessKnown("owners", 3);
    writes.addUnlessKnown("pets", 1);
  }
}
