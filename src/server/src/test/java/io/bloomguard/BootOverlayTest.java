package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The classes of {@code src/boot3}, each of which takes the place of one for Spring Boot 4. */
class BootOverlayTest {

  private static final Path OVERLAY = Path.of("src/boot3/src/main/java");
  private static final Pattern PROPERTY = Pattern.compile("<([a-z0-9.-]+\\.version)>([^<]+)</");

  static Stream<Path> classes() throws IOException {
    try (Stream<Path> files = Files.walk(OVERLAY)) {
      return files.filter(Files::isRegularFile).map(OVERLAY::relativize).sorted().toList().stream();
    }
  }

  /** What others may call: of each type its head, its methods and fields that are not private. */
  @ParameterizedTest
  @MethodSource("classes")
  void declaresWhatTheClassInItsPlaceDeclares(Path file) throws IOException {
    assertThat(declarations(OVERLAY.resolve(file)))
        .isNotEmpty()
        .isEqualTo(declarations(ModuleSources.main(file.toString())));
  }

  /** A class that has moved would no longer run there, and nothing else would say so. */
  @ParameterizedTest
  @ValueSource(strings = {".ci/boot-classes.txt", ".ci/slow-classes.txt"})
  void thePatternsOfTheListsOfTestsMatch(String list) throws IOException {
    List<Path> tests = new ArrayList<>();
    for (Path folder : ModuleSources.tests()) {
      ModuleSources.files(List.of(folder)).forEach(file -> tests.add(folder.relativize(file)));
    }
    assertThat(Files.readAllLines(Path.of(list)))
        .filteredOn(line -> !line.isBlank() && !line.startsWith("#"))
        .hasSizeGreaterThan(10)
        .allSatisfy(
            pattern -> {
              PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
              assertThat(tests).anyMatch(matcher::matches);
            });
  }

  /** Of what Spring Boot does not manage: the main POM takes Spring Boot's own from its parent. */
  @ParameterizedTest
  @ValueSource(strings = {"src/boot3/pom.xml", "src/boot4/pom.xml"})
  void thePomsForOtherSpringBootsHaveTheVersionsOfTheMainPom(String pom) throws IOException {
    TreeMap<String, String> main = versions(Path.of("pom.xml"));
    TreeMap<String, String> other = versions(Path.of(pom));
    main.remove("spring-boot.version");
    other.keySet().retainAll(main.keySet());
    assertThat(other)
        .hasSizeGreaterThan(3)
        .allSatisfy(
            (name, version) -> {
              assertThat(version).as(name).isEqualTo(main.get(name));
            });
  }

  private static TreeMap<String, String> versions(Path pom) throws IOException {
    TreeMap<String, String> versions = new TreeMap<>();
    Matcher property = PROPERTY.matcher(Files.readString(pom));
    while (property.find()) {
      versions.put(property.group(1), property.group(2));
    }
    return versions;
  }

  private static List<String> declarations(Path source) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, files, null, List.of(), null, files.getJavaFileObjects(source));
      CompilationUnitTree unit = task.parse().iterator().next();
      return unit.getTypeDecls().stream().flatMap(BootOverlayTest::declarations).sorted().toList();
    }
  }

  private static Stream<String> declarations(Tree tree) {
    if (tree instanceof ClassTree type && !isPrivate(type.getModifiers().getFlags())) {
      String head =
          type.getModifiers().getFlags()
              + (" " + type.getKind() + " " + type.getSimpleName() + type.getTypeParameters())
              + (" " + type.getExtendsClause() + " " + type.getImplementsClause());
      return Stream.concat(
          Stream.of(head), type.getMembers().stream().flatMap(BootOverlayTest::declarations));
    }
    if (tree instanceof MethodTree method && !isPrivate(method.getModifiers().getFlags())) {
      return Stream.of(
          method.getModifiers()
              + (" " + method.getTypeParameters() + method.getReturnType())
              + (" " + method.getName() + method.getParameters() + method.getThrows()));
    }
    if (tree instanceof VariableTree field && !isPrivate(field.getModifiers().getFlags())) {
      return Stream.of(
          field.getModifiers().getFlags() + " " + field.getType() + " " + field.getName());
    }
    return Stream.empty();
  }

  private static boolean isPrivate(Set<Modifier> modifiers) {
    return modifiers.contains(Modifier.PRIVATE);
  }
}
