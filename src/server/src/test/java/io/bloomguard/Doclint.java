package io.bloomguard;

import com.sun.source.util.JavacTask;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The findings of doclint in the packages that the javadoc of a release documents: those that the
 * POM does not exclude. A public or protected member without a comment is one of them.
 */
final class Doclint {

  private static final Pattern EXCLUDED =
      Pattern.compile("<excludePackageNames>\\s*(\\S+)\\s*</excludePackageNames>");

  /** Those of doclint and of a failed compilation; not advice about deprecated methods. */
  private static final Set<Diagnostic.Kind> KINDS =
      Set.of(Diagnostic.Kind.WARNING, Diagnostic.Kind.ERROR);

  /** Begins the names of all packages of that name, and of those beneath. */
  private static final String INTERNAL = "*.internal";

  private Doclint() {}

  static List<String> findings() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> findings = new ArrayList<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  diagnostic -> {
                    if (KINDS.contains(diagnostic.getKind())) {
                      findings.add(diagnostic.toString());
                    }
                  },
                  List.of(
                      "-proc:none",
                      "-Xdoclint:all/protected",
                      "-classpath",
                      System.getProperty("java.class.path")),
                  null,
                  files.getJavaFileObjectsFromPaths(documented()));
      task.analyze();
    }
    return findings;
  }

  private static List<Path> documented() throws IOException {
    Matcher excluded = EXCLUDED.matcher(Files.readString(Path.of("pom.xml")));
    if (!excluded.find()) {
      throw new IllegalStateException("pom.xml excludes no packages from the javadoc");
    }
    List<String> patterns = List.of(excluded.group(1).split(":"));
    List<Path> documented = new ArrayList<>();
    for (Path folder : ModuleSources.main()) {
      ModuleSources.files(List.of(folder)).stream()
          // Spark is on no class path but its own.
          .filter(file -> !folder.startsWith("src/spark"))
          .filter(
              file ->
                  patterns.stream()
                      .noneMatch(pattern -> covers(pattern, folder.relativize(file.getParent()))))
          .forEach(documented::add);
    }
    return documented;
  }

  /**
   * Whether the package of a folder has a name; one that ends in {@code .*} is that of all beneath.
   */
  private static boolean covers(String pattern, Path folder) {
    String name = folder.toString().replace(File.separatorChar, '.');
    if (pattern.startsWith(INTERNAL)) {
      return (name + ".").contains(".internal.");
    }
    return pattern.endsWith(".*")
        ? name.startsWith(pattern.substring(0, pattern.length() - 1))
        : name.equals(pattern);
  }
}
