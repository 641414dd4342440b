package io.bloomguard.changes.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** The parts of Kafka that are found by their names, for a native image. */
final class ChangesRuntimeHints implements RuntimeHintsRegistrar {

  static final String ASSIGNOR = "io.bloomguard.changes.internal.kafka.OneReaderAssignor";

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints
        .reflection()
        .registerType(TypeReference.of(ASSIGNOR), MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS)
        .registerTypeIfPresent(loader, KafkaFeedBackend.LIBRARY);
  }
}
