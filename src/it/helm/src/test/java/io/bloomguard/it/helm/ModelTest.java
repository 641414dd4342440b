package io.bloomguard.it.helm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;

/** That the model finds what is wrong with a manifest. */
class ModelTest {

  @Test
  void itFindsAFieldThatDoesNotExist() {
    JsonObject deployment = Chart.render().one("Deployment");
    Manifests.object(deployment, "spec").addProperty("replica", 1);

    assertThatThrownBy(() -> Model.check(deployment)).rootCause().hasMessageContaining("replica");
  }

  @Test
  void itFindsAFieldThatIsMissing() {
    JsonObject deployment = Chart.render().one("Deployment");
    Manifests.object(deployment, "spec").remove("selector");

    assertThatThrownBy(() -> Model.check(deployment)).rootCause().hasMessageContaining("selector");
  }

  @Test
  void itFindsATextInPlaceOfANumber() {
    JsonObject deployment = Chart.render().one("Deployment");
    Manifests.object(deployment, "spec").addProperty("replicas", "1");

    assertThatThrownBy(() -> Model.check(deployment)).isInstanceOf(AssertionError.class);
  }

  @Test
  void itFindsAFieldThatTheOperatorDoesNotKnow() {
    JsonObject monitor = Chart.render("monitoring: {scrape: podMonitor}").one("PodMonitor");
    Manifests.object(monitor, "spec").addProperty("podMetricsEndpoint", "management");

    assertThatThrownBy(() -> Model.check(monitor)).hasMessageContaining("podMetricsEndpoint");
  }
}
