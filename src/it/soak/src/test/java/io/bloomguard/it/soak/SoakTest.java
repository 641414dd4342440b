package io.bloomguard.it.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** After all that is done to them, everything is back where it began. */
class SoakTest {

  @Test
  void everythingIsBackWhereItBegan() throws Exception {
    long minutes = Long.parseLong(System.getProperty("soak.minutes", "2"));
    String given = System.getProperty("soak.seed", "");
    long seed = given.isEmpty() ? new Random().nextLong() >>> 16 : Long.parseLong(given);
    System.out.println("RESULT seed " + seed + ", " + minutes + " min");
    try (Soak soak = new Soak(seed)) {
      List<String> wrong = soak.run(Duration.ofMinutes(minutes));
      assertThat(wrong).as("with -Dsoak.seed=%d", seed).isEmpty();
    }
  }
}
