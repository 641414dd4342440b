package io.bloomguard.it.minimal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** The POM of the starter that applications and their scanners read. */
class PublishedPomTest {

  private static Element project;

  @BeforeAll
  static void read() throws Exception {
    String starter =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> entry.contains("bloomguard-spring-boot-starter"))
            .findFirst()
            .orElseThrow();
    Path jar = Path.of(starter);
    String pom = jar.getFileName().toString().replace(".jar", ".pom");
    project =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(jar.resolveSibling(pom).toFile())
            .getDocumentElement();
  }

  @Test
  void itSaysWhatMavenCentralAsksFor() {
    assertThat(names(project))
        .contains("name", "description", "url", "licenses", "developers", "scm");
  }

  @Test
  void itInheritsNothingAndImposesNothing() {
    assertThat(names(project))
        .doesNotContain(
            "parent", "properties", "dependencyManagement", "profiles", "repositories", "build");
  }

  @Test
  void itHasTheLibrarysDependenciesAndNoneOfTheServersOrTheTests() {
    assertThat(dependencies())
        .containsExactlyInAnyOrder(
            "org.springframework.boot:spring-boot-starter",
            "io.bloomguard:bloomguard-core",
            "io.bloomguard:bloomguard-redis",
            "optional org.springframework.boot:spring-boot-starter-web",
            "optional org.springframework:spring-webflux",
            "optional org.springframework.boot:spring-boot-starter-data-redis",
            "optional org.springframework.boot:spring-boot-starter-jdbc",
            "optional org.springframework.boot:spring-boot-starter-actuator",
            "optional org.hibernate.orm:hibernate-core",
            "optional org.springframework:spring-orm",
            "optional org.springframework.data:spring-data-jdbc",
            "optional org.springframework.data:spring-data-r2dbc",
            "optional org.mybatis:mybatis",
            "optional io.r2dbc:r2dbc-spi");
  }

  @Test
  void everyDependencyHasAVersion() {
    for (Element dependency : children(child(project, "dependencies"))) {
      assertThat(text(dependency, "version")).matches("[0-9][\\w.-]*");
    }
  }

  private static List<String> dependencies() {
    return children(child(project, "dependencies")).stream()
        .map(
            dependency ->
                (names(dependency).contains("optional") ? "optional " : "")
                    + text(dependency, "groupId")
                    + ":"
                    + text(dependency, "artifactId"))
        .toList();
  }

  private static String text(Element parent, String name) {
    return child(parent, name).getTextContent();
  }

  private static Element child(Element parent, String name) {
    return children(parent).stream()
        .filter(child -> child.getTagName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> names(Element parent) {
    return children(parent).stream().map(Element::getTagName).toList();
  }

  private static List<Element> children(Element parent) {
    List<Element> children = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element) {
        children.add(element);
      }
    }
    return children;
  }
}
