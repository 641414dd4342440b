package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Builds of their own (Kotlin, Spark, Spring Boot 3, the applications of {@code src/it}, the
 * benchmarks) are compiled long after this one: a class that moved is seen here, in their imports.
 */
class ImportsTest {

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);?$");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(io\\.bloomguard\\.[\\w.]+)");

  @Test
  void everyImportedClassIsASourceOfTheRepository() throws IOException {
    Map<String, String> sources = new HashMap<>();
    Files.walkFileTree(
        Path.of("src"),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            return name.equals("target") || name.equals("node_modules")
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (file.toString().matches(".*\\.(java|kt)")) {
              sources.put(file.toString(), Files.readString(file));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    List<String> classes = new ArrayList<>();
    sources.forEach(
        (file, text) ->
            PACKAGE
                .matcher(text)
                .results()
                .findFirst()
                .ifPresent(
                    found ->
                        classes.add(
                            found.group(1)
                                + "."
                                + file.replaceAll(".*[/\\\\]|\\.(java|kt)$", ""))));
    List<String> missing = new ArrayList<>();
    sources.forEach(
        (file, text) ->
            IMPORT
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .filter(
                    name ->
                        classes.stream().noneMatch(c -> name.equals(c) || name.startsWith(c + ".")))
                .forEach(name -> missing.add(file + ": " + name)));
    assertThat(classes).hasSizeGreaterThan(1_000);
    assertThat(missing).isEmpty();
  }
}
