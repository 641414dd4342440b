package io.bloomguard.bench;

import java.io.IOException;
import java.io.UncheckedIOException;

/** The end of processes that run until their input ends. */
final class ChildProcess {

  private ChildProcess() {}

  /** Ends the input of a process, and waits for its end. */
  static void end(Process process) {
    try {
      process.outputWriter().close();
      process.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
