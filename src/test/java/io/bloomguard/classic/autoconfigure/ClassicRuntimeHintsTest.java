package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.BloomguardRuntimeHintsTest;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The scripts of the classic systems in a native image. */
class ClassicRuntimeHintsTest {

  @Test
  void everyScriptIsKept() throws IOException {
    BloomguardRuntimeHintsTest.assertEveryFileIsKept("classic/**/*.lua");
  }
}
