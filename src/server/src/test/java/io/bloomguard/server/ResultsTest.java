package io.bloomguard.server;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.Membership;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {

  @Test
  void everyAnswerIsAWordInItsPlace() {
    assertThat(json(List.of())).isEqualTo("{\"results\":[]}");
    assertThat(json(List.of(ABSENT))).isEqualTo("{\"results\":[\"ABSENT\"]}");
    assertThat(json(List.of(UNKNOWN, ABSENT, POSSIBLY_PRESENT, ABSENT)))
        .isEqualTo("{\"results\":[\"UNKNOWN\",\"ABSENT\",\"POSSIBLY_PRESENT\",\"ABSENT\"]}");
  }

  private static String json(List<Membership> answers) {
    return new String(Results.json(answers), StandardCharsets.UTF_8);
  }
}
