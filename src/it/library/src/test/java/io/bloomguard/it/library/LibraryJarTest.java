package io.bloomguard.it.library;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The starter's jar that the application got. */
class LibraryJarTest {

  private static final String IMPORTS =
      "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";

  private static final String METADATA = "META-INF/spring-configuration-metadata.json";

  private static JarFile jar;
  private static List<String> entries;

  @BeforeAll
  static void open() throws Exception {
    Path path =
        Path.of(
            BloomguardAutoConfiguration.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    jar = new JarFile(path.toFile());
    entries = jar.stream().map(ZipEntry::getName).toList();
  }

  @AfterAll
  static void close() throws IOException {
    jar.close();
  }

  @Test
  void itIsAModule() {
    Path path = Path.of(jar.getName());
    assertThat(ModuleFinder.of(path).findAll())
        .singleElement()
        .extracting(ModuleReference::descriptor)
        .returns("io.bloomguard.spring", ModuleDescriptor::name)
        .returns(true, ModuleDescriptor::isAutomatic);
  }

  /** By it Spring Boot filters auto-configurations without loading their classes. */
  @Test
  void itHasTheConditionsOfItsAutoConfigurations() throws IOException {
    String conditions = text("META-INF/spring-autoconfigure-metadata.properties");
    assertThat(text(IMPORTS).lines())
        .isNotEmpty()
        .allSatisfy(name -> assertThat(conditions).contains(name + "="));
  }

  @Test
  void itHasWhatSpringNeeds() {
    assertThat(entries)
        .contains(
            "io/bloomguard/aop/internal/compile/GuardedMethods.class",
            "io/bloomguard/autoconfigure/BloomguardAutoConfiguration.class");
  }

  @Test
  void itHasNothingOfTheOtherModules() {
    assertThat(entries)
        .noneMatch(
            entry ->
                entry.matches("io/bloomguard/(server|console|classic|redis|guard|test)/.*class"));
  }

  @Test
  void itHasNoBillOfTheServersMaterials() {
    assertThat(entries).noneMatch(entry -> entry.startsWith("META-INF/sbom"));
  }

  @Test
  void itHasNothingThatConfiguresOrIsServedByTheApplication() {
    assertThat(entries)
        .noneMatch(entry -> entry.matches("(config/)?application.*\\.(yml|yaml|properties)"))
        .noneMatch(entry -> entry.matches("(.*/)?(logback|log4j2).*\\.xml"))
        .noneMatch(entry -> entry.matches("(static|public|resources|templates)/.*"))
        .noneMatch(entry -> entry.matches("META-INF/resources/.*"))
        .noneMatch(entry -> entry.matches("(schema|data).*\\.sql"));
  }

  @Test
  void itNamesItsAutoConfigurationsAndHasThem() throws IOException {
    List<String> named =
        text(IMPORTS).lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();

    assertThat(named).contains("io.bloomguard.autoconfigure.BloomguardAutoConfiguration");
    assertThat(entries)
        .containsAll(named.stream().map(name -> name.replace('.', '/') + ".class").toList());
  }

  @Test
  void itDescribesItsPropertiesForEditors() throws IOException {
    assertThat(text(METADATA))
        .contains(
            "\"bloomguard.backend\"", "\"bloomguard.filters\"", "\"bloomguard.filters[*].layout\"");
  }

  private static String text(String entry) throws IOException {
    return new String(jar.getInputStream(jar.getJarEntry(entry)).readAllBytes(), UTF_8);
  }
}
