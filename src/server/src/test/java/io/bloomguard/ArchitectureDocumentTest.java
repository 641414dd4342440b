package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The names in {@code docs/architecture.md} against the types and packages that there are. */
class ArchitectureDocumentTest {

  private static final Path PAGE = Path.of("docs/architecture.md");
  private static final Pattern TYPE =
      Pattern.compile("`([A-Z][a-z]+[A-Z]\\w+|Bulkhead|Layout|Sizing)`");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[a-z][^|]*`) \\|");
  private static final String INTERNAL = "internal";
  private static final Pattern PACKAGE = Pattern.compile("`([a-z]+)`");

  @Test
  void everyTypeIsOneOfOurs() throws IOException {
    List<Path> folders = new ArrayList<>(ModuleSources.main());
    folders.addAll(ModuleSources.tests());
    Set<String> types =
        ModuleSources.files(folders).stream()
            .map(file -> file.getFileName().toString())
            .map(name -> name.substring(0, name.length() - ".java".length()))
            .collect(Collectors.toSet());
    assertThat(found(TYPE, Files.readString(PAGE))).isNotEmpty().isSubsetOf(types);
  }

  @Test
  void theTableHasEveryRoom() throws IOException {
    assertThat(rooms("## The rooms")).isEqualTo(packages(""));
  }

  /** The first cells of the table below a heading, up to the next one. */
  private static Set<String> rooms(String heading) throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf("\n" + heading + "\n") + heading.length();
    int end = page.indexOf("\n#", begin + 1);
    Set<String> rooms = new TreeSet<>();
    for (MatchResult row : ROW.matcher(page.substring(begin, end)).results().toList()) {
      rooms.addAll(found(PACKAGE, row.group(1)));
    }
    return rooms;
  }

  /** The packages of all modules right below one, and below its {@code internal}. */
  private static Set<String> packages(String parent) throws IOException {
    Set<String> packages = new TreeSet<>();
    for (Path folder : ModuleSources.main()) {
      Path below = folder.resolve("io/bloomguard").resolve(parent);
      for (Path rooms : List.of(below, below.resolve(INTERNAL))) {
        if (Files.isDirectory(rooms)) {
          try (Stream<Path> files = Files.list(rooms)) {
            files
                .filter(Files::isDirectory)
                .map(room -> room.getFileName().toString())
                .forEach(packages::add);
          }
        }
      }
    }
    packages.remove(INTERNAL);
    return packages;
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
