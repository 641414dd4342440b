package io.bloomguard.it.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The wall clock of a process, which a test puts forward and back while the process runs: a file
 * that libfaketime reads once a second, because each reading takes long. The monotonic clock stays
 * as it is.
 */
public final class WallClock {

  private static final Path SYSTEM_LIBRARIES = Path.of("/usr/lib");
  private static final String NAME = "libfaketime.so.1";

  private final Path file;

  /** A clock that is right. */
  public WallClock(String name) throws IOException {
    file = Processes.folder().resolve(name + ".clock");
    put(Duration.ZERO);
  }

  /** Whether the machine has libfaketime, and a Redis that it works for. */
  public static boolean isAvailable() throws IOException {
    return !library().isEmpty() && Program.find(RedisProcess.INSTALLED).isPresent();
  }

  /** Debian's path, or that of other systems; empty for none. */
  private static String library() throws IOException {
    if (!Files.isDirectory(SYSTEM_LIBRARIES)) {
      return "";
    }
    try (Stream<Path> folders = Files.list(SYSTEM_LIBRARIES)) {
      return folders
          .flatMap(folder -> Stream.of(folder, folder.resolve("faketime")))
          .map(folder -> folder.resolve(NAME))
          .filter(Files::exists)
          .map(Path::toString)
          .findFirst()
          .orElse("");
    }
  }

  /** Puts the clock that much ahead of the machine's, or behind it, within a second. */
  public void put(Duration ahead) throws IOException {
    // Replaced at once: a process must not read half of it.
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.writeString(next, String.format("%+.3f%n", ahead.toMillis() / 1000.0));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * The environment of a process that looks at this clock.
   *
   * <p>libfaketime allocates memory in its first look, so the allocator must not look at the clock
   * itself, as jemalloc does: the C library's comes first.
   */
  Map<String, String> environment() throws IOException {
    return Map.of(
        "LD_PRELOAD",
        library() + ":libc.so.6",
        "FAKETIME_TIMESTAMP_FILE",
        file.toString(),
        "FAKETIME_CACHE_DURATION",
        "1",
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1",
        // Otherwise no wait of a JVM takes any time.
        "FAKETIME_FORCE_MONOTONIC_FIX",
        "0");
  }
}
