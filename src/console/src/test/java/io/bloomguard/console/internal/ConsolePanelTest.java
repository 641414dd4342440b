package io.bloomguard.console.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bloomguard.console.ConsolePanel;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.server.ResponseStatusException;

/** A panel that an application adds to the console. */
class ConsolePanelTest {

  private static final String SCRIPT = "export function show(section, {read, act}) {}\n";

  @TempDir private Path directory;

  /** A console without filters. */
  static Console console(ConsolePanel... panels) {
    return new Console(List.of(), null, List.of(panels), InstantSource.system());
  }

  @Test
  void itsScriptIsServedUnderThePolicyOfThePage() throws Exception {
    mvc(panel("stock"))
        .perform(get("/bloomguard/panels/stock.js"))
        .andExpect(status().isOk())
        .andExpect(content().string(SCRIPT))
        .andExpect(content().contentTypeCompatibleWith("text/javascript"))
        .andExpect(header().string("Content-Security-Policy", ConsolePage.POLICY))
        .andExpect(header().string("X-Content-Type-Options", "nosniff"));
    mvc(panel("stock"))
        .perform(get("/bloomguard/panels/other.js"))
        .andExpect(status().isNotFound());
  }

  @Test
  void thePageIsToldOfItAndItAnswers() throws Exception {
    MockMvc mvc = mvc(panel("stock"), panel("back-orders"));
    mvc.perform(get("/bloomguard/data"))
        .andExpect(content().json("{\"panels\":[\"stock\",\"back-orders\"]}"));
    mvc.perform(get("/bloomguard/data/stock")).andExpect(content().json("{\"left\":7}"));
    mvc.perform(act("stock", "{\"take\":2}")).andExpect(content().json("{\"taken\":2}"));
    mvc.perform(get("/bloomguard/data/other")).andExpect(status().isNotFound());
    mvc.perform(act("other", "{}")).andExpect(status().isNotFound());
  }

  @Test
  void whatItRefusesIsAProblem() throws Exception {
    mvc(panel("stock"))
        .perform(act("stock", "{\"take\":8}"))
        .andExpect(status().isConflict())
        .andExpect(content().contentType(MediaType.APPLICATION_PROBLEM_JSON))
        .andExpect(content().json("{\"detail\":\"Only 7 are left\"}"));
    mvc(showing("stock")).perform(act("stock", "{}")).andExpect(status().isMethodNotAllowed());
    mvc(showing("stock")).perform(get("/bloomguard/data/stock")).andExpect(content().string("{}"));
  }

  /** A name is a part of paths, and of the address from which the page imports a script. */
  @ParameterizedTest
  @ValueSource(strings = {"", "Stock", "../stock", "a/b", "stock.js", "-", "stock?", "sizing"})
  void nameThatIsNoneIsRefused(String name) throws Exception {
    ConsolePanel panel = showing(name);
    assertThatThrownBy(() -> console(panel))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "'");
  }

  @Test
  void nameThatIsTakenIsRefused() throws Exception {
    ConsolePanel[] both = {panel("stock"), showing("stock")};
    assertThatThrownBy(() -> console(both)).hasMessageContaining("'stock' is taken");
  }

  @Test
  void scriptThatIsMissingStopsTheStart() throws Exception {
    Console console = console(new Showing("stock", directory.resolve("none").toUri().toURL()));
    assertThatThrownBy(() -> new ConsolePage(console)).hasMessageContaining("panels/stock.js");
  }

  @Test
  void thePageWithoutPanelsHasNone() throws Exception {
    assertThat(console().panels()).isEmpty();
    mvc().perform(get("/bloomguard/data")).andExpect(content().json("{\"panels\":[]}"));
  }

  private static RequestBuilder act(String panel, String body) {
    return post("/bloomguard/data/" + panel).contentType(MediaType.APPLICATION_JSON).content(body);
  }

  private static MockMvc mvc(ConsolePanel... panels) {
    Console console = console(panels);
    return MockMvcBuilders.standaloneSetup(new ConsolePage(console), new ConsoleData(console))
        .build();
  }

  private ConsolePanel showing(String name) throws Exception {
    return new Showing(name, script());
  }

  private ConsolePanel panel(String name) throws Exception {
    return new Stock(name, script());
  }

  private URL script() throws Exception {
    return Files.writeString(directory.resolve("script.js"), SCRIPT, UTF_8).toUri().toURL();
  }

  private record Showing(String name, URL script) implements ConsolePanel {}

  private record Stock(String name, URL script) implements ConsolePanel {

    @Override
    public Object data() {
      return Map.of("left", 7);
    }

    @Override
    public Object act(Map<String, @Nullable Object> arguments) {
      if (arguments.get("take") instanceof Integer take && take <= 7) {
        return Map.of("taken", take);
      }
      throw new ResponseStatusException(HttpStatus.CONFLICT, "Only 7 are left");
    }
  }
}
