package io.bloomguard.changes.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import io.bloomguard.changes.internal.kafka.OneReaderAssignor;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;

/** Feeds of changes in a native image. */
class ChangesRuntimeHintsTest {

  @Test
  void whatKafkaMakesByNameIsKept() throws Exception {
    RuntimeHints hints = new RuntimeHints();
    new ChangesRuntimeHints().registerHints(hints, getClass().getClassLoader());
    assertThat(ChangesRuntimeHints.ASSIGNOR).isEqualTo(OneReaderAssignor.class.getName());
    assertThat(reflection().onConstructorInvocation(OneReaderAssignor.class.getConstructor()))
        .accepts(hints);
    assertThat(reflection().onType(TypeReference.of(KafkaFeedBackend.LIBRARY))).accepts(hints);
  }
}
