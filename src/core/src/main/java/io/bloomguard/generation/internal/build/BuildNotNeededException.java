package io.bloomguard.generation.internal.build;

/** The reason for a build is gone: a generation serves by now. */
final class BuildNotNeededException extends RuntimeException {

  private static final long serialVersionUID = 1L;
}
