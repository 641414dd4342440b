package io.bloomguard.it.faults;

import io.bloomguard.it.support.Processes;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A folder with changed parts of the library, to stand before its jar on a class path. */
final class ChangedLibrary {

  /** Each module has its sources in {@code src/main} below its folder here. */
  private static final Path MODULES = Path.of(System.getProperty("faults.library", "../.."));

  private final Path sources;
  private final Path classes;
  private final List<Path> java = new ArrayList<>();

  ChangedLibrary(String name) throws IOException {
    Path folder = Processes.folder().resolve("changed-" + name.replaceAll("\\W+", "-"));
    this.sources = folder.resolve("sources");
    this.classes = Files.createDirectories(folder.resolve("classes"));
  }

  static String source(String file) throws IOException {
    for (Path sources : modules()) {
      if (Files.exists(sources.resolve(file))) {
        return Files.readString(sources.resolve(file));
      }
    }
    throw new IOException("No module has " + file);
  }

  /** All Java sources of the library, below their modules' folders of sources. */
  static List<String> javaSources() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path sources : modules()) {
      try (var files = Files.walk(sources.resolve("java"))) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .map(file -> sources.relativize(file).toString())
            .forEach(found::add);
      }
    }
    return found;
  }

  /** The folder of sources of each module that an application gets. */
  private static List<Path> modules() {
    return Stream.of("core", "redis", "spring", "changes")
        .map(module -> MODULES.resolve(module).resolve("src/main"))
        .toList();
  }

  /** The same source on a machine whose clock is an hour ahead. */
  static String hourAhead(String source) {
    return source
        .replace("System.currentTimeMillis()", "(System.currentTimeMillis() + 3_600_000L)")
        .replace("Instant.now()", "Instant.now().plusSeconds(3_600)")
        .replace(
            "InstantSource.system()",
            "InstantSource.offset(InstantSource.system(), java.time.Duration.ofHours(1))");
  }

  /** Changes one source: of Java, to be compiled, or a script. */
  void change(String file, UnaryOperator<String> change) throws IOException {
    String changed = change.apply(source(file));
    String below = file.substring(file.indexOf('/') + 1);
    boolean compiled = file.startsWith("java/");
    Path target = (compiled ? sources : classes).resolve(below);
    Files.createDirectories(target.getParent());
    Files.writeString(target, changed);
    if (compiled) {
      java.add(target);
    }
  }

  /** Compiles what was changed against the library. */
  Path compiled() throws IOException {
    if (java.isEmpty()) {
      return classes;
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-nowarn",
              "-proc:none",
              "-parameters",
              "-d",
              classes.toString(),
              "-classpath",
              System.getProperty("java.class.path"));
      if (!compiler
          .getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(java))
          .call()) {
        throw new IOException("Does not compile:\n" + said);
      }
    }
    return classes;
  }
}
