package io.bloomguard.console.autoconfigure;

import io.bloomguard.autoconfigure.BloomguardRuntimeHintsTest;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The page of the console in a native image. */
class ConsoleRuntimeHintsTest {

  @Test
  void everyFileOfThePageIsKept() throws IOException {
    BloomguardRuntimeHintsTest.assertEveryFileIsKept("console/internal/page/**");
  }
}
