package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.TestFilters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

/** The address that the server prints. */
class StartupReportTest {

  private final MockEnvironment environment =
      new MockEnvironment().withProperty("local.server.port", "8443");

  @Test
  void plainWithoutTls() {
    assertThat(endpoint()).isEqualTo("http://localhost:8443/actuator/bloomfilters");
  }

  @Test
  void securedWhereTheServerHasTls() {
    environment.setProperty("server.ssl.bundle", "shop");
    assertThat(endpoint()).isEqualTo("https://localhost:8443/actuator/bloomfilters");
    environment.setProperty("server.ssl.enabled", "false");
    assertThat(endpoint()).startsWith("http://");
  }

  @Test
  void managementPortOfItsOwnTakesTlsOverUnlessItHasItsOwn() {
    environment.setProperty("local.management.port", "9443");
    environment.setProperty("server.ssl.bundle", "shop");
    assertThat(endpoint()).isEqualTo("https://localhost:9443/actuator/bloomfilters");
    environment.setProperty("management.server.ssl.enabled", "false");
    assertThat(endpoint()).isEqualTo("http://localhost:9443/actuator/bloomfilters");
  }

  @Test
  void managementPortAloneMayHaveTls() {
    environment.setProperty("management.server.ssl.bundle", "operators");
    assertThat(endpoint()).startsWith("http://localhost:8443/");
    environment.setProperty("local.management.port", "9443");
    assertThat(endpoint()).startsWith("https://localhost:9443/");
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void saysThatAnybodyMayChangeWhatIsNotSecured(CapturedOutput output) {
    environment.setActiveProfiles("secured");
    report().report();
    assertThat(output).contains("Look at").doesNotContain("Whoever reaches");
    environment.setActiveProfiles("secrued");
    report().report();
    assertThat(output)
        .contains("The profile 'secured' is not active", "on this machine may rebuild")
        .doesNotContain("remove keys");
    environment.setProperty("bloomguard.server.removals", "true");
    report().report();
    assertThat(output).contains("and remove keys from them (bloomguard.server.removals)");
  }

  private StartupReport report() {
    return new StartupReport(new TestFilters().operated(), environment);
  }

  private String endpoint() {
    return report().endpoint();
  }
}
