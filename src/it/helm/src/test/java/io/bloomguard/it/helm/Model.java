package io.bloomguard.it.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.util.Map;

/** The types of Kubernetes and of Prometheus' operator, which a manifest must fit exactly. */
final class Model {

  private static final Map<String, Class<?>> KUBERNETES =
      Map.of(
          "apps/v1/Deployment", V1Deployment.class,
          "v1/ConfigMap", V1ConfigMap.class,
          "v1/Pod", V1Pod.class,
          "v1/Secret", V1Secret.class,
          "v1/Service", V1Service.class,
          "v1/ServiceAccount", V1ServiceAccount.class,
          "autoscaling/v2/HorizontalPodAutoscaler", V2HorizontalPodAutoscaler.class,
          "policy/v1/PodDisruptionBudget", V1PodDisruptionBudget.class,
          "networking.k8s.io/v1/NetworkPolicy", V1NetworkPolicy.class,
          "networking.k8s.io/v1/Ingress", V1Ingress.class);

  private static final Map<String, Class<?>> OPERATOR =
      Map.of(
          "monitoring.coreos.com/v1/PodMonitor", PodMonitor.class,
          "monitoring.coreos.com/v1/ServiceMonitor", ServiceMonitor.class,
          "monitoring.coreos.com/v1/PrometheusRule", PrometheusRule.class);

  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .annotationIntrospector(new WithoutAnySetter())
          .build();

  private Model() {}

  /** Fails on an unknown field, a missing one that is required, or a value of another type. */
  static void check(JsonObject manifest) throws Exception {
    String kind = manifest.get("apiVersion").getAsString() + "/" + Manifests.kind(manifest);
    Class<?> type = KUBERNETES.get(kind);
    if (type == null) {
      assertThat(OPERATOR).containsKey(kind);
      STRICT.readValue(manifest.toString(), OPERATOR.get(kind));
      return;
    }
    type.getMethod("validateJsonElement", JsonElement.class).invoke(null, manifest);
    // The model takes a number for a text and a text for a number: what it writes tells.
    JsonElement written = JSON.getGson().toJsonTree(JSON.getGson().fromJson(manifest, type));
    assertThat(withoutEmpty(written)).isEqualTo(withoutEmpty(manifest));
  }

  /** Without empty objects and arrays, which the model adds and drops. */
  private static JsonElement withoutEmpty(JsonElement element) {
    if (element.isJsonArray()) {
      JsonArray kept = new JsonArray();
      element.getAsJsonArray().forEach(each -> kept.add(withoutEmpty(each)));
      return kept;
    }
    if (!element.isJsonObject()) {
      return element;
    }
    JsonObject kept = new JsonObject();
    element
        .getAsJsonObject()
        .asMap()
        .forEach(
            (name, value) -> {
              JsonElement inner = withoutEmpty(value);
              boolean empty =
                  inner.isJsonArray() && inner.getAsJsonArray().isEmpty()
                      || inner.isJsonObject() && inner.getAsJsonObject().isEmpty();
              if (!empty) {
                kept.add(name, inner);
              }
            });
    return kept;
  }

  /** The operator's model would put unknown fields aside. */
  private static final class WithoutAnySetter extends JacksonAnnotationIntrospector {

    private static final long serialVersionUID = 1;

    @Override
    public Boolean hasAnySetter(Annotated annotated) {
      return false;
    }
  }
}
