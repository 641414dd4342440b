package io.bloomguard.redis.internal.image;

/** The state of an image, as both its ends record it. */
public enum ImageState {
  /** The image takes adds and bulk chunks, but answers no check. */
  BUILDING(0),
  /** The image serves. */
  READY(1),
  /** The image served before and takes adds, in case it must serve again; it answers no check. */
  RETIRED(2);

  private final int code;

  ImageState(int code) {
    this.code = code;
  }

  /** Its number in the image format. */
  int code() {
    return code;
  }
}
