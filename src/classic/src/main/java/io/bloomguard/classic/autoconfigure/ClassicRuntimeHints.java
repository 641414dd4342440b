package io.bloomguard.classic.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The scripts of the classic systems, and whether Guava is there, for a native image. */
final class ClassicRuntimeHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.resources().registerPattern("io/bloomguard/classic/internal/*/*.lua");
    hints.resources().registerPattern("io/bloomguard/classic/autoconfigure/*.rules");
    hints.reflection().registerTypeIfPresent(loader, GuavaBackend.LIBRARY);
  }
}
