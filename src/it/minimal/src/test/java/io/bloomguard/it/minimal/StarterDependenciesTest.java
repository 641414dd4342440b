package io.bloomguard.it.minimal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What the starter brings into an application that declares nothing else. */
class StarterDependenciesTest {

  private static final Set<String> TEST_GROUPS =
      Set.of("org.junit.jupiter", "org.junit.platform", "org.opentest4j", "org.apiguardian");

  private static final Set<String> TEST_LIBRARIES =
      Set.of("org.assertj:assertj-core", "net.bytebuddy:byte-buddy");

  @Test
  void theStarterBringsBootCaffeineAndJSpecifyAndNothingMore() throws Exception {
    assertThat(libraries())
        .containsExactlyInAnyOrder(
            "io.bloomguard:bloomguard-spring-boot-starter",
            "io.bloomguard:bloomguard-core",
            "io.bloomguard:bloomguard-redis",
            // spring-boot-starter
            "org.springframework.boot:spring-boot-starter",
            "org.springframework.boot:spring-boot-starter-logging",
            "org.springframework.boot:spring-boot-autoconfigure",
            "org.springframework.boot:spring-boot",
            "org.springframework:spring-context",
            "org.springframework:spring-aop",
            "org.springframework:spring-beans",
            "org.springframework:spring-core",
            "org.springframework:spring-expression",
            "io.micrometer:micrometer-observation",
            "io.micrometer:micrometer-commons",
            "ch.qos.logback:logback-classic",
            "ch.qos.logback:logback-core",
            "org.apache.logging.log4j:log4j-to-slf4j",
            "org.apache.logging.log4j:log4j-api",
            "org.slf4j:jul-to-slf4j",
            "org.slf4j:slf4j-api",
            "commons-logging:commons-logging",
            "jakarta.annotation:jakarta.annotation-api",
            "org.yaml:snakeyaml",
            // caffeine
            "com.github.ben-manes.caffeine:caffeine",
            "com.google.errorprone:error_prone_annotations",
            // jspecify
            "org.jspecify:jspecify");
  }

  /** {@code group:artifact} of the jars on the class path, without those of the tests. */
  private static Set<String> libraries() throws Exception {
    Path repository = Path.of(System.getProperty("it.local-repository")).toRealPath();
    Set<String> libraries = new TreeSet<>();
    for (String entry : classPath()) {
      Path jar = Path.of(entry);
      if (Files.isDirectory(jar)) {
        continue;
      }
      Path artifact = repository.relativize(jar.toRealPath().getParent().getParent());
      String group = artifact.getParent().toString().replace(File.separatorChar, '.');
      String library = group + ":" + artifact.getFileName();
      if (!TEST_GROUPS.contains(group) && !TEST_LIBRARIES.contains(library)) {
        libraries.add(library);
      }
    }
    return libraries;
  }

  private static List<String> classPath() {
    return List.of(System.getProperty("java.class.path").split(File.pathSeparator));
  }
}
