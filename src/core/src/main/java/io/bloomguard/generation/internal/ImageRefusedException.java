package io.bloomguard.generation.internal;

import io.bloomguard.generation.KeySourceException;

/** An image set that is never published, until another takes its place. */
public final class ImageRefusedException extends KeySourceException {

  public ImageRefusedException(String message) {
    super(message, null);
  }
}
