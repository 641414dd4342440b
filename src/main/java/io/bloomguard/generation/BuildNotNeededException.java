package io.bloomguard.generation;

/** What a build was to mend is no longer so: a generation serves by now. */
final class BuildNotNeededException extends RuntimeException {

  private static final long serialVersionUID = 1L;
}
