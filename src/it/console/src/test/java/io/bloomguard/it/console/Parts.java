package io.bloomguard.it.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import io.bloomguard.it.support.Http;
import io.bloomguard.it.support.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Three servers and a browser, one of each for all tests. */
final class Parts implements AutoCloseable {

  private static final String PASSWORD = "geheim";

  /**
   * As it comes, with the demo catalogue; but for a secret under which the bits of key 42 are nine,
   * which under one in sixteen they are not, as two of them coincide.
   */
  final ServerProcess demo;

  /**
   * With a management port of its own and three filters: {@code added} has no source, {@code quick}
   * one of a thousand keys, and {@code slow} one that takes minutes.
   */
  final ServerProcess apart;

  /** With the demo catalogue, under the profile {@code secured}, for {@link #operator}. */
  final ServerProcess secured;

  private final Playwright playwright;
  private final Browser browser;

  private Parts() throws IOException {
    demo = server("demo", "--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f");
    String filters = "--bloomguard.filters.";
    apart =
        server(
            "apart",
            "--management.server.port=0",
            "--management.server.address=127.0.0.1",
            // Only what it holds for a function of its arguments does H2 execute row by row.
            "--spring.datasource.url=jdbc:h2:mem:apart;LAZY_QUERY_EXECUTION=1;INIT=create alias if"
                + " not exists pause deterministic for 'java.lang.Thread.sleep(long)'",
            filters + "added.source.added-only=true",
            filters + "added.expected-insertions=1000",
            filters + "quick.source.jdbc.query=select x from system_range(1, 1000)",
            filters + "quick.rebuild.cooldown=0s",
            filters
                + "slow.source.jdbc.query=select x from system_range(1, 99999)"
                + " where pause(least(x, 2)) is null",
            filters + "slow.rebuild.cooldown=0s",
            filters + "slow.warm-up.mode=none");
    secured =
        server(
            "secured",
            "--spring.profiles.active=secured",
            "--spring.security.user.password=" + PASSWORD);
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new LaunchOptions()
                    .setExecutablePath(Chromium.path().orElseThrow())
                    .setChromiumSandbox(false)
                    .setArgs(List.of("--font-render-hinting=none")));
  }

  private static ServerProcess server(String name, String... arguments) throws IOException {
    return new ServerProcess(name, List.of(arguments));
  }

  /** Opens the console of a server in a browser window of its own. */
  ConsoleWindow open(ServerProcess server, NewContextOptions options) {
    URI page = server.management().resolve("/bloomguard/");
    return new ConsoleWindow(browser.newContext(options), page);
  }

  /** Posts to the main port of a server, as a client does. */
  static void post(ServerProcess server, String path, String json) throws Exception {
    int status = Http.post(server.address().resolve(path), json).statusCode();
    if (status / 100 != 2) {
      throw new IllegalStateException("POST " + path + " is answered " + status);
    }
  }

  ConsoleWindow open(ServerProcess server) {
    return open(server, new NewContextOptions().setViewportSize(1280, 900));
  }

  /** A browser of somebody who gives a name and a password wherever they are asked for. */
  static NewContextOptions operator() {
    return new NewContextOptions().setHttpCredentials("operator", PASSWORD);
  }

  @Override
  public void close() {
    playwright.close();
    demo.close();
    apart.close();
    secured.close();
  }

  /** Starts the parts with the first test that asks for them; they end with the last test. */
  static final class Provider implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Parts.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getRoot()
          .getStore(Namespace.create(Parts.class))
          .computeIfAbsent(Parts.class, type -> start());
    }

    private static Parts start() {
      try {
        return new Parts();
      } catch (IOException e) {
        throw new IllegalStateException("A server did not start", e);
      }
    }
  }
}
