package io.bloomguard.it.helm;

import static io.bloomguard.it.helm.Manifests.object;
import static io.bloomguard.it.helm.Manifests.objects;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Set;

/** The Pod Security Standard "restricted", and beyond it a root file system that is read-only. */
final class PodSecurity {

  private static final Set<String> VOLUMES =
      Set.of("configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret");

  private PodSecurity() {}

  static void check(JsonObject spec) {
    assertThat(spec.keySet()).doesNotContain("hostNetwork", "hostPID", "hostIPC");
    JsonObject pod = object(spec, "securityContext");
    assertThat(pod.get("runAsNonRoot").getAsBoolean()).isTrue();
    assertThat(pod.get("runAsUser").getAsInt()).isPositive();
    assertThat(object(pod, "seccompProfile").get("type").getAsString()).isEqualTo("RuntimeDefault");
    if (spec.has("volumes")) {
      objects(spec.getAsJsonArray("volumes")).forEach(PodSecurity::checkVolume);
    }
    objects(spec.getAsJsonArray("containers")).forEach(PodSecurity::checkContainer);
  }

  private static void checkVolume(JsonObject volume) {
    assertThat(volume.keySet()).filteredOn(key -> !key.equals("name")).isSubsetOf(VOLUMES);
  }

  private static void checkContainer(JsonObject container) {
    JsonObject context = object(container, "securityContext");
    assertThat(context.keySet()).doesNotContain("privileged", "runAsUser", "procMount");
    assertThat(context.get("allowPrivilegeEscalation").getAsBoolean()).isFalse();
    assertThat(context.get("readOnlyRootFilesystem").getAsBoolean()).isTrue();
    assertThat(object(context, "capabilities").keySet()).containsExactly("drop");
    JsonArray dropped = object(context, "capabilities").getAsJsonArray("drop");
    assertThat(dropped.asList().stream().map(Object::toString).toList())
        .isEqualTo(List.of("\"ALL\""));
    if (container.has("ports")) {
      objects(container.getAsJsonArray("ports"))
          .forEach(port -> assertThat(port.keySet()).doesNotContain("hostPort"));
    }
  }
}
