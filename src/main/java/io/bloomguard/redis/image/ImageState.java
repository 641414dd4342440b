package io.bloomguard.redis.image;

/** What an image says of itself at both its ends. */
public enum ImageState {
  /** It takes adds and bulk chunks, but answers no check. */
  BUILDING(0),
  /** It serves. */
  READY(1),
  /** It served before and takes adds, in case it must serve again; it answers no check. */
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
