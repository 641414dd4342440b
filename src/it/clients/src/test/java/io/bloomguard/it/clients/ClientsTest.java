package io.bloomguard.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Http;
import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Program;
import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.ServerProcess;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The tests of the clients in {@code clients}, against the packaged server. Without the language or
 * its packages they are left out, or fail where {@code clients.required} says so.
 */
class ClientsTest {

  static final String AUTHORIZATION =
      "Basic "
          + Base64.getEncoder().encodeToString("operator:secret".getBytes(StandardCharsets.UTF_8));

  private static RedisProcess redis;
  private static ServerProcess server;

  @BeforeAll
  static void start() throws Exception {
    redis = new RedisProcess("redis");
    Path file = Files.writeString(Processes.folder().resolve("keys.txt"), "a\n");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--spring.profiles.active=secured",
                "--spring.security.user.password=secret",
                "--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
                "--bloomguard.server.batch-memory=4MB",
                "--bloomguard.filters.codes.layout=counting",
                "--bloomguard.filters.codes.expected-insertions=100000",
                "--bloomguard.filters.codes.source.added-only=true",
                "--bloomguard.filters.cold.expected-insertions=1000",
                "--bloomguard.filters.cold.source.file.path=" + file,
                "--bloomguard.filters.cold.warm-up.mode=none",
                "--bloomguard.filters.seen.backend=redis",
                "--bloomguard.filters.seen.expected-insertions=1000",
                "--bloomguard.filters.seen.per-subject.max-subjects=20"));
    arguments.addAll(redis.arguments());
    server = new ServerProcess("server", arguments);
    URI seen = server.address().resolve("/actuator/bloomfilters/seen");
    Wait.upTo(
        60,
        "The filter 'seen' is ready",
        () ->
            Http.send(HttpRequest.newBuilder(seen).header("Authorization", AUTHORIZATION))
                .body()
                .contains("\"state\":\"READY\""));
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
    redis.close();
  }

  @Test
  void php() throws Exception {
    Program php = Languages.program("php", "php-cli");
    passes("php", php, Languages.CLIENTS, "php/test/test.php");
  }

  @Test
  void typescript() throws Exception {
    Path work = Languages.typescript();
    Program npm = Languages.program("npm", "npm");
    passes("typescript", npm, work, "test");
  }

  private static void passes(String client, Program program, Path directory, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder tests = program.builder(directory, List.of(arguments));
    tests.environment().put("BLOOMGUARD_URL", server.address().toString());
    tests.environment().put("BLOOMGUARD_AUTHORIZATION", AUTHORIZATION);
    Process process = Processes.start(tests);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    System.out.println("RESULT the tests of the client in " + client + " pass");
  }
}
