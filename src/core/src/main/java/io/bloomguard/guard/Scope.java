package io.bloomguard.guard;

/** A part of a thread's work, such as that within a place, a trial or a transaction. */
@FunctionalInterface
public interface Scope extends AutoCloseable {

  /** A part that changes nothing. */
  Scope NONE = () -> {};

  /** Ends the scope, on the thread that began it. */
  @Override
  void close();
}
