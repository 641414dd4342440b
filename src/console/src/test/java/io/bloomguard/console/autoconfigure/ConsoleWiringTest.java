package io.bloomguard.console.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.wiring.FilterWatch;
import io.bloomguard.console.ConsolePanel;
import io.bloomguard.console.autoconfigure.BloomguardConsoleAutoConfiguration.ExposedEndpoint;
import io.bloomguard.console.internal.Console;
import io.bloomguard.console.internal.ConsoleData;
import io.bloomguard.console.internal.ConsolePage;
import java.net.URL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.servlet.DispatcherServlet;

/** When an application has the console. */
class ConsoleWiringTest {

  private static final String ON = "bloomguard.console.enabled=true";

  @Test
  void nobodyGetsItUnasked() {
    Wiring.webApplication()
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(Console.class)
                    .doesNotHaveBean(ConsolePage.class)
                    .doesNotHaveBean(FilterWatch.class));
  }

  @Test
  void itIsServedFromTheOnlyPort() {
    Wiring.webApplication()
        .withPropertyValues(ON)
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(ConsolePage.class)
                    .hasSingleBean(ConsoleData.class));
  }

  @Test
  void itLeavesTheMainPortToTheApplicationWhereManagementHasItsOwn() {
    Wiring.webApplication()
        .withPropertyValues(ON, "management.server.port=9090")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Console.class)
                    .doesNotHaveBean(ConsolePage.class)
                    .doesNotHaveBean(ConsoleData.class));
  }

  @Test
  void itNeedsNoActuator() {
    Wiring.webApplication()
        .withPropertyValues(ON, "management.server.port=9090")
        .withClassLoader(new FilteredClassLoader(ManagementPortType.class, Endpoint.class))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(ConsolePage.class));
  }

  @Test
  void itShowsThePanelsOfTheApplication() {
    Wiring.webApplication()
        .withPropertyValues(ON)
        .withBean(Panel.class)
        .run(
            context ->
                MockMvcBuilders.standaloneSetup(context.getBean(ConsolePage.class))
                    .build()
                    .perform(get("/bloomguard/panels/own.js"))
                    .andExpect(status().isOk()));
  }

  @Test
  void itsPageFindsTheEndpointThatIsExposed() {
    Wiring.webApplication()
        .withPropertyValues(
            ON,
            "management.endpoints.web.exposure.include=bloomfilters",
            "management.endpoints.web.base-path=/ops",
            "management.endpoints.web.path-mapping.bloomfilters=filters")
        .run(
            context ->
                assertThat(context.getBean(ExposedEndpoint.class).path())
                    .isEqualTo("../ops/filters"));
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void withoutTheEndpointItSaysWhatIsMissing(CapturedOutput output) {
    Wiring.webApplication()
        .withPropertyValues(ON, "management.endpoints.jmx.exposure.include=bloomfilters")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(ExposedEndpoint.class);
              assertThat(output)
                  .contains("bloomguard.console.enabled", "management.endpoints.web.exposure");
            });
  }

  /** As in a batch run of a web application. */
  @Test
  void itRestsWhereNoRequestCanCome() {
    Wiring.application()
        .withPropertyValues(ON)
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ConsolePage.class));
  }

  @Test
  void itIsOffWithTheRest() {
    Wiring.webApplication()
        .withPropertyValues(ON, "bloomguard.enabled=false")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Console.class));
  }

  @Test
  void whereNothingWouldServeItTheApplicationDoesNotStart() {
    FailureAnalysis failure =
        Wiring.failure(
            Wiring.application()
                .withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .withPropertyValues(ON));
    assertThat(failure.getDescription()).contains("bloomguard.console.enabled", "servlet");
    assertThat(failure.getAction()).contains("spring-boot-starter-webmvc");
  }

  private static final class Panel implements ConsolePanel {

    @Override
    public String name() {
      return "own";
    }

    @Override
    public URL script() {
      return ConsolePage.class.getResource("page/page.js");
    }
  }
}
