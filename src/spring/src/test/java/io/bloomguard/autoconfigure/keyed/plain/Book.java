package io.bloomguard.autoconfigure.keyed.plain;

import io.bloomguard.annotation.BloomKey;

/** A class that nothing maps, and another that only knows the annotation. */
public class Book {
  private final String title = "";

  @BloomKey(filter = "things")
  @BloomKey(filter = "others")
  public String getTitle() {
    return title;
  }

  static final class Reader {
    BloomKey read() {
      throw new UnsupportedOperationException();
    }
  }
}
