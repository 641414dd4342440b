package io.bloomguard.classic.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import io.bloomguard.autoconfigure.BloomguardRuntimeHintsTest;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;

/** The classic systems in a native image. */
class ClassicRuntimeHintsTest {

  @Test
  void everyScriptIsKept() throws IOException {
    BloomguardRuntimeHintsTest.assertEveryFileIsKept("classic/**/*.lua");
  }

  @Test
  void whetherGuavaIsThereIsKept() {
    RuntimeHints hints = new RuntimeHints();
    new ClassicRuntimeHints().registerHints(hints, getClass().getClassLoader());
    assertThat(reflection().onType(TypeReference.of(GuavaBackend.LIBRARY))).accepts(hints);
  }
}
