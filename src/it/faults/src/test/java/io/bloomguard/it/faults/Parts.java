package io.bloomguard.it.faults;

import java.nio.file.Path;

/** Where the parts of a run keep their files. */
final class Parts {

  private Parts() {}

  static Path folder() {
    return Path.of(System.getProperty("faults.folder", "target/faults")).toAbsolutePath();
  }
}
