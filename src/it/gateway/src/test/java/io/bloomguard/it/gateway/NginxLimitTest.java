package io.bloomguard.it.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** nginx with its limit of denied requests: all that holds without one, and the limit. */
class NginxLimitTest extends NginxTest {

  /** The rate is lower than the documented one, so that a slow machine exceeds it. */
  @Override
  String edited(String text) {
    return text.replace("error_page 403 = @denied", "error_page 403 = @limited")
        .replace("rate=10r/s", "rate=1r/m");
  }

  @Test
  void denialsOfAnAddressAreLimitedAndNothingElse() throws Exception {
    InetAddress one = InetAddress.getByName("127.0.0.2");
    InetAddress other = InetAddress.getByName("127.0.0.3");
    int before = asked();
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      statuses.add(status(one, "/api/products/" + (1_000 + i)));
    }

    assertThat(statuses.subList(0, 51)).containsOnly(404);
    assertThat(statuses.subList(51, 60)).containsOnly(429);
    assertThat(status(other, "/api/products/43")).isEqualTo(404);
    assertThat(asked()).isEqualTo(before);
    assertThat(status(one, "/api/products/42")).isEqualTo(200);
    assertThat(status(other, "/api/products/42")).isEqualTo(200);
  }

  private int status(InetAddress from, String path) throws IOException {
    return Integer.parseInt(send(from, "GET", path, "", "").substring(9, 12));
  }
}
