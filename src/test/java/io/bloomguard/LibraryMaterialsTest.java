package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class LibraryMaterialsTest {

  private static final String BILL =
      """
      {"serialNumber": "urn:uuid:server",
       "metadata": {"component": {"type": "application", "bom-ref": "us"}},
       "components": [
         {"group": "g", "name": "starter", "bom-ref": "starter"},
         {"group": "g", "name": "shared", "bom-ref": "shared"},
         {"group": "g", "name": "below", "bom-ref": "below"},
         {"group": "g", "name": "driver", "bom-ref": "driver"}],
       "dependencies": [
         {"ref": "us", "dependsOn": ["starter", "driver"]},
         {"ref": "starter", "dependsOn": ["shared"]},
         {"ref": "driver", "dependsOn": ["shared"]},
         {"ref": "shared", "dependsOn": ["below"]},
         {"ref": "below"}]}
      """;

  @Test
  void itHasTheRequiredMaterialsAndWhatTheyDependOn() {
    JsonNode bill = reduced(Set.of("g:starter"));
    assertThat(bill.path("components").valueStream().map(each -> each.path("name").asString()))
        .containsExactly("starter", "shared", "below");
    assertThat(bill.path("dependencies").valueStream().map(each -> each.path("ref").asString()))
        .containsExactly("us", "starter", "shared", "below");
    assertThat(bill.at("/dependencies/0/dependsOn")).hasToString("[\"starter\"]");
  }

  @Test
  void itIsABillOfItsOwn() {
    JsonNode bill = reduced(Set.of("g:starter"));
    assertThat(bill.at("/metadata/component/type").asString()).isEqualTo("library");
    assertThat(bill.path("serialNumber").asString())
        .matches("urn:uuid:[0-9a-f-]{36}")
        .isEqualTo(reduced(Set.of("g:starter")).path("serialNumber").asString())
        .isNotEqualTo(reduced(Set.of("g:shared")).path("serialNumber").asString());
  }

  @Test
  void aRequiredMaterialThatTheServerLacksIsRefused() {
    assertThatIllegalStateException()
        .isThrownBy(() -> reduced(Set.of("g:starter", "g:other")))
        .withMessageContaining("g:other");
  }

  @Test
  void optionalDependenciesOfThePomAreNotRequired(@TempDir Path directory) throws Exception {
    Path pom =
        Files.writeString(
            directory.resolve("pom.xml"),
            """
            <project><dependencies>
              <dependency><groupId>g</groupId><artifactId>starter</artifactId></dependency>
              <dependency><groupId>g</groupId><artifactId>web</artifactId><optional>true</optional></dependency>
            </dependencies></project>
            """);
    assertThat(LibraryMaterials.required(pom)).containsExactly("g:starter");
  }

  private static JsonNode reduced(Set<String> required) {
    ObjectNode bill = (ObjectNode) JsonMapper.shared().readTree(BILL);
    LibraryMaterials.reduce(bill, required);
    return bill;
  }
}
