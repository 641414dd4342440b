package io.bloomguard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The sources of the modules under {@code src}; tests run in the root of the repository. */
public final class ModuleSources {

  private static final Path MODULES = Path.of("src");

  private ModuleSources() {}

  /** The folder {@code src/main/java} of each module. */
  public static List<Path> main() throws IOException {
    return folders("src/main/java");
  }

  /** The folder {@code src/test/java} of each module. */
  public static List<Path> tests() throws IOException {
    return folders("src/test/java");
  }

  /** The Java files below these folders. */
  public static List<Path> files(List<Path> folders) throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path folder : folders) {
      try (Stream<Path> walk = Files.walk(folder)) {
        walk.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
      }
    }
    return files;
  }

  /** The file of a top-level type or of a package, by its path below {@code src/main/java}. */
  public static Path main(String file) throws IOException {
    for (Path folder : main()) {
      if (Files.exists(folder.resolve(file))) {
        return folder.resolve(file);
      }
    }
    throw new IOException("No module has " + file);
  }

  /**
   * Those of the library and of the server; the starter for Spring Boot 3 has some of them again.
   */
  private static List<Path> folders(String name) throws IOException {
    try (Stream<Path> modules = Files.list(MODULES)) {
      return modules
          .filter(module -> !module.endsWith("boot3") && !module.endsWith("bench"))
          .map(module -> module.resolve(name))
          .filter(Files::isDirectory)
          .sorted()
          .toList();
    }
  }
}
