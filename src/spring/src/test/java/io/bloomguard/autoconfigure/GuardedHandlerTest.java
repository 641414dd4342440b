package io.bloomguard.autoconfigure;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.EnumSet;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.http.HttpStatus;
import org.springframework.ui.ModelMap;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.context.request.WebRequestInterceptor;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Guarded handler methods in a real Tomcat: the method decides where Spring MVC calls it, so that
 * everything else that may refuse the request comes first.
 */
@TestInstance(Lifecycle.PER_CLASS)
class GuardedHandlerTest {

  private static final String PRESENT = "123e4567-e89b-12d3-a456-426614174000";

  private App app;

  /** Handlers of products with the keys 42, a and {@link #PRESENT}. */
  @RestController
  static class Products {

    @GetMapping("/long/{id}")
    @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW, cache = "a")
    public String number(@PathVariable long id) {
      return "long " + id;
    }

    @GetMapping("/uuid/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String uuid(@PathVariable UUID id) {
      return "uuid " + id;
    }

    @GetMapping("/query")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String query(@RequestParam long id) {
      return "query " + id;
    }

    @GetMapping("/shared/{id}")
    @CrossOrigin("http://shop.example")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String shared(@PathVariable String id) {
      return "shared " + id;
    }

    @GetMapping("/refused/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String refused(@PathVariable String id) {
      return "refused " + id;
    }
  }

  /** The key is what the binder makes of it. */
  @RestController
  static class Bound {

    @InitBinder
    void editors(WebDataBinder binder) {
      binder.registerCustomEditor(
          String.class,
          new java.beans.PropertyEditorSupport() {
            @Override
            public void setAsText(String text) {
              setValue("a");
            }
          });
    }

    @GetMapping("/bound/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String bound(@PathVariable String id) {
      return "bound " + id;
    }
  }

  /** The exception has an answer of its own. */
  @RestController
  static class Caught {

    @GetMapping("/caught/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String caught(@PathVariable String id) {
      return "caught " + id;
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.GONE)
    public String gone(RuntimeException e) {
      return "gone";
    }
  }

  /** There is none outside of a request. */
  @RestController
  @Scope(WebApplicationContext.SCOPE_REQUEST)
  static class Scoped {

    @GetMapping("/scoped/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String scoped(@PathVariable String id) {
      return "scoped " + id;
    }
  }

  /** Refuses by an exception, the only way of a {@link WebRequestInterceptor}. */
  static class RuleRefusal implements WebRequestInterceptor {

    @Override
    public void preHandle(WebRequest request) {
      throw new ResponseStatusException(HttpStatus.FORBIDDEN);
    }

    @Override
    public void postHandle(WebRequest request, @Nullable ModelMap model) {}

    @Override
    public void afterCompletion(WebRequest request, @Nullable Exception exception) {}
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardAutoConfiguration.class,
    BloomguardWebAutoConfiguration.class,
    BloomguardActuatorAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class
  })
  static class Web implements WebMvcConfigurer {

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
      registry.addWebRequestInterceptor(new RuleRefusal()).addPathPatterns("/refused/**");
    }

    @Bean
    KeySource keys() {
      return sink -> {
        sink.accept("42");
        sink.accept("a");
        sink.accept(PRESENT);
      };
    }

    /** Without an order, as many applications have theirs. */
    @Bean
    Filter login() {
      return refusal("login");
    }

    /** After all filters that are mapped by a pattern, as the specification of servlets has it. */
    @Bean
    ServletContextInitializer named() {
      return servlets ->
          servlets
              .addFilter("named", refusal("named"))
              .addMappingForServletNames(
                  EnumSet.of(DispatcherType.REQUEST), true, "dispatcherServlet");
    }

    private static Filter refusal(String parameter) {
      return (request, response, chain) -> {
        if (request.getParameter(parameter) == null) {
          chain.doFilter(request, response);
        } else {
          ((HttpServletResponse) response).sendError(401);
        }
      };
    }
  }

  /** An application on a port. */
  record App(ServletWebServerApplicationContext context) implements AutoCloseable {

    static App start(String... properties) {
      return new App(
          (ServletWebServerApplicationContext)
              new SpringApplicationBuilder(
                      Web.class, Products.class, Bound.class, Caught.class, Scoped.class)
                  .properties(
                      "spring.config.location=optional:classpath:/none/",
                      "server.port=0",
                      "server.address=127.0.0.1",
                      "bloomguard.backend=local",
                      "bloomguard.filters.products.expected-insertions=1000",
                      "bloomguard.filters.products.false-positive-probability=0.000001",
                      "bloomguard.filters.products.source.bean=keys",
                      "bloomguard.filters.products.warm-up.mode=blocking",
                      "bloomguard.filters.products.verify.sample=0")
                  .properties(properties)
                  .run());
    }

    String get(String path) throws IOException {
      int port = Objects.requireNonNull(context.getWebServer()).getPort();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket
            .getOutputStream()
            .write(
                ("GET "
                        + path
                        + " HTTP/1.1\r\nHost: localhost\r\nOrigin: http://shop.example\r\n"
                        + "Connection: close\r\n\r\n")
                    .getBytes(ISO_8859_1));
        return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      }
    }

    OutcomeCounters outcomes() {
      return context
          .getBean(OperatedFilters.class)
          .find("products")
          .orElseThrow()
          .guarded()
          .counters();
    }

    @Override
    public void close() {
      context.close();
    }
  }

  @BeforeAll
  void start() {
    app = App.start("bloomguard.filters.products.verify.first=0");
  }

  @AfterAll
  void stop() {
    app.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/long/7",
        "/long/043",
        "/long/%37",
        "/uuid/00000000-0000-0000-0000-000000000000",
        "/query?id=7",
        "/shared/b",
        "/scoped/b"
      })
  void absentKeyIsRejectedAndCountedOnce(String path) throws IOException {
    long rejected = app.outcomes().count(EntryPoint.METHOD, Outcome.REJECTED);
    String answer = app.get(path);
    assertThat(status(answer)).isEqualTo(404);
    assertThat(answer).contains("application/problem+json", "There is nothing with this key.");
    assertThat(app.outcomes().count(EntryPoint.METHOD, Outcome.REJECTED)).isEqualTo(rejected + 1);
  }

  @ParameterizedTest
  @CsvSource({
    "/long/42, 200",
    "/long/0x2a, 200",
    "/long/abc, 400",
    "/uuid/" + PRESENT + ", 200",
    "/scoped/a, 200",
    "/bound/b, 200",
    "/refused/b, 403",
    "/caught/b, 410"
  })
  void everythingElseIsAsWithoutAGuard(String path, int status) throws IOException {
    assertThat(status(app.get(path))).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(strings = {"login", "named"})
  void everyFilterOfTheApplicationRefusesBefore(String filter) throws IOException {
    assertThat(status(app.get("/long/7?" + filter))).isEqualTo(401);
    assertThat(status(app.get("/long/42?" + filter))).isEqualTo(401);
  }

  @Test
  void theAnswerToARejectedKeyIsSharedAsTheHandlersOwn() throws IOException {
    assertThat(app.get("/shared/a")).contains("Access-Control-Allow-Origin: http://shop.example");
    assertThat(app.get("/shared/b")).contains("Access-Control-Allow-Origin: http://shop.example");
  }

  @Test
  void invalidKeyIsCountedOnce() throws IOException {
    long errors = app.outcomes().count(EntryPoint.METHOD, Outcome.ERROR);
    assertThat(status(app.get("/scoped/%0A"))).isEqualTo(400);
    assertThat(app.outcomes().count(EntryPoint.METHOD, Outcome.ERROR)).isEqualTo(errors + 1);
  }

  @Test
  void trialOfARejectedKeyIsCountedOnce() throws IOException {
    try (App tried = App.start("bloomguard.filters.products.verify.first=1")) {
      // The handler has a product for every key: the rejection is wrong, and counted as loaded.
      assertThat(tried.get("/long/7")).contains("long 7");
      OutcomeCounters outcomes = tried.outcomes();
      assertThat(outcomes.count(EntryPoint.METHOD, Outcome.LOADED)).isEqualTo(1);
      assertThat(outcomes.count(Outcome.REJECTED)).isZero();
      // Which disarms the filter: all keys pass, and the handler counts them.
      assertThat(tried.get("/long/8")).contains("long 8");
      assertThat(outcomes.count(EntryPoint.METHOD, Outcome.REJECTED)).isEqualTo(1);
    }
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }
}
